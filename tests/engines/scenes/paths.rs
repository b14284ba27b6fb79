//! Follow path: an open path and a loop.

use flockwork::model::scene::{Click, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, Vector, flat};

use super::{Run, mean, on_both};

/// The direction of the nearest segment of the scene's first path (unit vector), and the distance
/// to it. In a wrapped world the nearest of nine images counts.
fn nearest(scene: &Scene, p: Point) -> (Point, f32) {
    let mut best = (Point::ZERO, f32::MAX);
    for segment in scene.paths[0].segments() {
        for image in 0..9 {
            let shift = flat((image % 3) as f32 - 1.0, (image / 3) as f32 - 1.0);
            let from = p + shift * scene.world.size;
            let point = segment.nearest(Vector(from.to_array()));
            let distance = Point::from_array(point.0).distance(from);
            if distance < best.1 {
                best = ((segment.to - segment.from).normalize_or_zero(), distance);
            }
        }
    }
    best
}

/// The largest distance of any vehicle to the path over `ticks`.
fn farthest(run: &mut Run, ticks: u32) -> f32 {
    let mut farthest = 0.0_f32;
    for _ in 0..ticks / 5 {
        let state = run.step(5);
        let distances = state.position.iter().map(|p| nearest(&run.scene, *p).1);
        farthest = distances.fold(farthest, f32::max);
    }
    farthest
}

#[test]
fn both_vehicles_keep_to_the_path() {
    on_both("path", |run| {
        let bodies: Vec<_> =
            run.scene.species.iter().map(|s| (s.body.max_speed, s.body.max_force)).collect();
        assert_eq!(bodies, [(2.0, 0.04), (3.0, 0.1)]);
        assert_eq!(run.scene.click, Click::Path);
        let farthest_after = farthest(run, 3300);
        // The path's radius is 20. A vehicle that turns a corner may be 10 farther out.
        assert!(farthest_after < 30.0, "{farthest_after} from the path");
        let speeds: Vec<f32> = run.step(0).velocity.iter().map(|v| v.length()).collect();
        assert!(speeds.iter().all(|speed| *speed > 1.0), "they stand still: {speeds:?}");
        let off = ["slow.follow_path.weight=0", "fast.follow_path.weight=0"];
        run.start(None, &off);
        let astray = farthest(run, 1000);
        assert!(astray > 60.0, "{astray} from the path without following it");
    });
}

#[test]
fn both_vehicles_come_to_the_straight_path() {
    on_both("path-line", |run| {
        let start = run.step(0);
        let away = start.position.iter().map(|p| nearest(&run.scene, *p).1).fold(0.0, f32::max);
        assert!(away > 100.0, "they start {away} from the path");
        // The last time that one of them is beyond the path's radius, from the first tick on.
        let mut there = 0;
        for tick in (5..=3300).step_by(5) {
            if farthest(run, 5) > 21.0 {
                there = tick;
            }
        }
        assert!(there < 300, "{there} ticks until both stay on the path");
        let along = run.scene.world.size.normalize();
        let way = run.step(0).velocity.iter().map(|v| v.dot(along)).fold(f32::MAX, f32::min);
        assert!(way > 1.5, "they do not go along the path: {way}");
        run.start(None, &["slow.follow_path.weight=0", "fast.follow_path.weight=0"]);
        let astray = farthest(run, 1000);
        assert!(astray > 100.0, "{astray} from the path without following it");
    });
}

/// For each vehicle 1 if it goes along the path's direction, 0 if against it.
fn right_way(scene: &Scene, state: &FlockState) -> Vec<f32> {
    let pairs = state.position.iter().zip(&state.velocity);
    pairs.map(|(p, v)| f32::from(nearest(scene, *p).0.dot(*v) > 0.0)).collect()
}

/// How vehicles move on a loop.
struct Circling {
    /// For each 500 ticks from the start, the share of observations in the path's direction.
    right: [f32; 5],
    /// The share per vehicle in the last 1,000 ticks.
    last: Vec<f32>,
    /// The share of observations outside the world.
    outside: f32,
}

/// Observes every 20 ticks for 2,500 ticks from the start.
fn circle(run: &mut Run) -> Circling {
    let count = run.scene.own_count() as usize;
    let mut circling = Circling { right: [0.0; 5], last: vec![0.0; count], outside: 0.0 };
    for look in 0..125 {
        let state = run.step(20);
        let right = right_way(&run.scene, &state);
        circling.right[look / 25] += mean(right.iter().copied()) / 25.0;
        if look >= 75 {
            circling.last.iter_mut().zip(right).for_each(|(share, right)| *share += right / 50.0);
        }
        let size = run.scene.world.size;
        let out = |p: &Point| p.cmplt(Point::ZERO).any() || p.cmpgt(size).any();
        let out = mean(state.position.iter().map(|p| f32::from(u8::from(out(p)))));
        circling.outside += out / 125.0;
    }
    circling
}

#[test]
fn vehicles_circulate_on_the_loop() {
    on_both("path-loop", |run| {
        let state = run.step(0);
        let speeds: Vec<f32> = state.velocity.iter().map(|v| v.length()).collect();
        let (slowest, fastest) = speeds
            .iter()
            .fold((f32::MAX, 0.0_f32), |ends, speed| (ends.0.min(*speed), ends.1.max(*speed)));
        // Each starts to the right at its own speed.
        assert!(state.velocity.iter().all(|v| v.y == 0.0), "not all set out to the right");
        assert!((2.0..2.3).contains(&slowest) && (3.7..=4.0).contains(&fastest), "{speeds:?}");
        let start = right_way(&run.scene, &state);
        let wrong = start.iter().filter(|right| **right == 0.0).count();
        assert!(wrong >= 25, "only {wrong} of 50 start the wrong way round");
        let with = circle(run);
        // At corners a vehicle is briefly nearer to the segment behind it.
        let turned = |shares: &[f32]| {
            let pairs = shares.iter().zip(&start);
            pairs.filter(|(share, right)| **right == 0.0 && **share > 0.8).count()
        };
        let about = turned(&with.last);
        assert!(about + 1 >= wrong, "{about} of {wrong} turned about");
        assert!(with.right.is_sorted_by(|a, b| *a <= b + 0.02), "{:?}", with.right);
        assert!(with.right[4] > 0.95, "{:?} of the time the right way round", with.right);
        // Only the path holds them in the window, from the first tick on.
        assert!(with.outside < 0.01, "{} of the time outside", with.outside);
        // Control: separation is what turns the vehicles that start the wrong way.
        run.start(None, &["vehicle.separation.weight=0"]);
        let alone = circle(run);
        let few = turned(&alone.last);
        assert!(alone.right[4] < 0.8 && 2 * few < wrong, "{few} turned; {:?}", alone.right);
    });
}
