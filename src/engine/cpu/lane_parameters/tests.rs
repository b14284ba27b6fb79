use super::*;

#[test]
fn behaviours_with_neighbours_come_first_and_every_parameter_has_a_slot() {
    for kind in Kind::ALL {
        assert_eq!((kind.number()) < PERCEIVING, kind.info().sees_neighbours, "{kind:?}");
        assert!(kind.info().parameters.len() <= SLOTS, "{kind:?}");
    }
}
