//! Schooling by noise: the order of its agents is a closed formula.

use flockwork::model::vector::{Point, flat};

use super::{Run, mean, on_both};
use crate::common::agents;

/// The mean square of the order of `n` agents, each of which copies one other with the probability `b` a tick and
/// turns to a random heading with the probability `q`. It follows from the next mean product of two headings: both go
/// on (a²), one copies (b) another or the other one itself, or both copy.
fn order_squared(n: usize, b: f64, q: f64) -> f64 {
    let (m, a) = ((n - 1) as f64, 1.0 - b - q);
    let alike = 2.0 * a * b / m + b * b * (m - 1.0) / (m * m);
    let gone = 1.0 - a * a - 2.0 * a * b * (m - 1.0) / m - b * b * (m * m - m + 1.0) / (m * m);
    1.0 / n as f64 + (1.0 - 1.0 / n as f64) * alike / gone
}

/// The mean square of the order in `schools` schools of `n` agents, too slow to meet, over `looks` looks.
fn found(run: &mut Run, (schools, n): (usize, usize), looks: u32, others: &[&str]) -> f32 {
    // A school stands in a square of 2, the next one is 10 away, and an agent comes 2 far.
    let own = ["world.size=[100, 100]", "fish.max_speed=0.001", "fish.rules.copy.radius=7"];
    run.start(None, &[&own, others].concat());
    let count = schools * n;
    let spot = |id: usize| {
        let (school, own) = (id / n, (id % n) as f32 / n as f32);
        flat((school % 10 * 10 + 4) as f32 + 2.0 * own, (school / 10 * 10 + 4) as f32 + own)
    };
    let heading = |id: usize| Point::from_array([(id as f32).cos(), (id as f32).sin(), 0.0]);
    let all: Vec<_> = (0..count).map(|id| (spot(id), heading(id) * 0.001)).collect();
    run.engine.load(&run.scene, &agents(&all)).unwrap();
    run.step(100);
    mean((0..looks).flat_map(|_| {
        let state = run.step(10);
        let mut orders = vec![Point::ZERO; schools];
        for (id, velocity) in state.id.iter().zip(&state.velocity) {
            orders[*id as usize / n] += velocity.normalize() / n as f32;
        }
        orders.into_iter().map(Point::length_squared)
    }))
}

#[test]
fn schools_are_the_more_orderly_the_smaller_they_are() {
    // Order lasts for some 20 ticks in a small school and 35 in a large one, and its square varies by 0.27 and by 0.2:
    // means over 40 schools and 750 ticks are good to 0.01, and those over 20 to 0.014. This is three times as much.
    const SLACK: f32 = 0.042;
    on_both("schooling-by-noise", |run| {
        let everybody = run.metrics(1).mean_neighbours;
        assert_eq!(everybody, 14.0);
        let (small, large) = ((40, 15), (20, 60));
        let [few, _] = [small, large].map(|size| {
            let (found, wanted) = (found(run, size, 75, &[]), order_squared(size.1, 0.2, 0.0125));
            assert!(
                (found - wanted as f32).abs() < SLACK,
                "⟨m²⟩ of {size:?}: {found}, not {wanted}"
            );
            found
        });
        // Controls: the mean of all in place of one, and the nearest one alone.
        let [mean_of_few, mean_of_many] =
            [small, large].map(|size| found(run, size, 10, &["fish.rules.copy.pick=\"all\""]));
        assert!(mean_of_many > mean_of_few - SLACK, "{mean_of_few} {mean_of_many}");
        let nearest = ["fish.rules.copy.pick=\"all\"", "fish.rules.copy.nearest=1"];
        let near = found(run, small, 10, &nearest);
        assert!((near - few).abs() > SLACK, "{near}");
    });
}
