//! A flock between two ticks, for pictures that a tick is too long for.

use rayon::prelude::*;

use flockwork_engine::Snapshot;
use flockwork_model::scene::Scene;
use flockwork_model::vector::{DIMENSIONS, Point, Vector, components, point};

/// A thing that goes farther in a tick than this many times its way at its speed has jumped.
const JUMP: f32 = 2.0;

/// A flock at a share from 0 to 1 of the way between two ticks of it. Places and velocities go straight, in
/// a wrapped world across the seam where that is shorter. An agent or a target that jumps, or is there at
/// only one of the ticks, is as it is at the nearer one.
#[must_use]
pub fn between(scene: &Scene, [before, after]: [&Snapshot; 2], share: f32) -> Snapshot {
    let late = share >= 0.5;
    let (near, other) = if late { (after, before) } else { (before, after) };
    let share = if late { 1.0 - share } else { share };
    let go = |place: &mut Point, velocity: &mut Point, (to, faster): (Point, Point)| {
        let way = scene.world.shortest_between(*place, to);
        let speed = velocity.length().max(faster.length());
        if way.length() <= JUMP * speed * scene.time_step {
            let [place_here, turned] = [*place + way * share, velocity.lerp(faster, share)]
                .map(|at| Vector(components::<DIMENSIONS>(at)));
            let (place_here, _) = scene.world.confine(place_here, turned);
            (*place, *velocity) = (point(place_here.0), point(turned.0));
        }
    };
    let mut mixed = near.clone();
    let (state, far) = (&mut mixed.state, &other.state);
    let rows = state.position.par_iter_mut().zip(&mut state.velocity).zip(&state.id).enumerate();
    rows.for_each(|(row, ((place, velocity), id))| {
        // Almost always no agent came or went.
        let same = Some(row).filter(|row| far.id.get(*row) == Some(id));
        if let Some(row) = same.or_else(|| far.id.binary_search(id).ok()) {
            go(place, velocity, (far.position[row], far.velocity[row]));
        }
    });
    if mixed.targets.len() == other.targets.len() {
        for (target, far) in mixed.targets.iter_mut().zip(&other.targets) {
            go(&mut target.position, &mut target.velocity, (far.position, far.velocity));
        }
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::scene::BuiltIn;
    use flockwork_model::state::FlockState;
    use flockwork_model::vector::flat;

    /// Agents of these ids, places and velocities.
    fn flock(agents: &[(u32, Point, Point)]) -> Snapshot {
        let state = FlockState {
            id: agents.iter().map(|agent| agent.0).collect(),
            species: vec![0; agents.len()],
            position: agents.iter().map(|agent| agent.1).collect(),
            velocity: agents.iter().map(|agent| agent.2).collect(),
            ..FlockState::default()
        };
        Snapshot { state, ..Snapshot::default() }
    }

    #[test]
    fn agents_fly_straight_between_two_ticks() {
        let sizes = ["world.size=[400,200]", "world.density=10"].map(String::from);
        let text = BuiltIn::named("flock").unwrap().text;
        let scene = Scene::parse_with("flock", text, &sizes).unwrap();
        let right = Point::X * 4.0;
        let before = flock(&[
            (1, flat(10.0, 10.0), right),
            (2, flat(398.5, 20.0), right),
            (3, flat(50.0, 50.0), right),
            (5, flat(60.0, 60.0), right),
        ]);
        let after = flock(&[
            (1, flat(12.0, 13.0), Point::Y * 4.0),
            (2, flat(2.5, 20.0), right),
            (4, flat(70.0, 70.0), right),
            (5, flat(90.0, 60.0), right),
        ]);
        let check = |share, wanted: [(u32, Point); 4]| {
            let state = between(&scene, [&before, &after], share).state;
            let found: Vec<(u32, Point)> = state.id.into_iter().zip(state.position).collect();
            assert_eq!(found, Vec::from(wanted), "at {share}");
        };
        // Agent 3 goes, 4 comes and 5 jumps.
        let (early, late) = (flat(50.0, 50.0), flat(70.0, 70.0));
        let jumper = [flat(60.0, 60.0), flat(90.0, 60.0)];
        let first = [(1, flat(10.5, 10.75)), (2, flat(399.5, 20.0)), (3, early), (5, jumper[0])];
        check(0.25, first);
        check(0.75, [(1, flat(11.5, 12.25)), (2, flat(1.5, 20.0)), (4, late), (5, jumper[1])]);
        let turned = between(&scene, [&before, &after], 0.5).state.velocity[0];
        assert_eq!(turned, flat(2.0, 2.0));
        assert_eq!(between(&scene, [&before, &after], 0.0), before);
        assert_eq!(between(&scene, [&before, &after], 1.0), after);
    }
}
