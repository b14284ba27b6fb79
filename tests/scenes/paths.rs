//! Follow path: an open one and a loop.

use flockwork::model::scene::{Click, Scene};
use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, Vector};

use super::{Run, mean, on_both};

/// The way along the nearest segment of the scene's first path, as a unit vector, and the distance
/// to it. In a wrapped world the nearest of nine images counts.
fn nearest(scene: &Scene, p: Point) -> (Point, f32) {
    let mut best = (Point::ZERO, f32::MAX);
    for segment in scene.paths[0].segments() {
        for image in 0..9 {
            let shift = Point::new((image % 3) as f32 - 1.0, (image / 3) as f32 - 1.0);
            let from = p + shift * scene.world.size;
            let point = segment.nearest(Vector { x: from.x, y: from.y });
            let distance = Point::new(point.x, point.y).distance(from);
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
        run.step(300);
        let farthest_after = farthest(run, 3000);
        // The path's radius is 20; a vehicle that turns a corner may be 10 beyond.
        assert!(farthest_after < 30.0, "{farthest_after} from the path");
        let speeds: Vec<f32> = run.step(0).velocity.iter().map(|v| v.length()).collect();
        assert!(speeds.iter().all(|speed| *speed > 1.0), "they stand still: {speeds:?}");
        let off = ["slow.follow_path.weight=0", "fast.follow_path.weight=0"];
        run.start(None, &off);
        run.step(300);
        let astray = farthest(run, 1000);
        assert!(astray > 60.0, "{astray} from the path without following it");
        format!("at most {farthest_after:.1} from the path; {astray:.0} without following it")
    });
}

/// Which vehicles go the path's way, 1, and which against it, 0.
fn right_way(scene: &Scene, state: &FlockState) -> Vec<f32> {
    let pairs = state.position.iter().zip(&state.velocity);
    pairs.map(|(p, v)| f32::from(nearest(scene, *p).0.dot(*v) > 0.0)).collect()
}

/// For each vehicle the share of the last 1,000 of 2,500 ticks in which it went the path's way.
fn shares(run: &mut Run) -> Vec<f32> {
    run.step(1500);
    let mut shares = vec![0.0; run.scene.own_count() as usize];
    for _ in 0..50 {
        let state = run.step(20);
        for (share, right) in shares.iter_mut().zip(right_way(&run.scene, &state)) {
            *share += right / 50.0;
        }
    }
    shares
}

#[test]
fn vehicles_circulate_on_the_loop() {
    on_both("path-loop", |run| {
        let state = run.step(1);
        let start = right_way(&run.scene, &state);
        let wrong = start.iter().filter(|right| **right == 0.0).count();
        assert!(wrong >= 15, "only {wrong} of 50 start the wrong way round");
        let shares_with = shares(run);
        let astray = farthest(run, 500);
        // At the corners a vehicle is for a moment nearer to the segment behind it.
        let turned =
            shares_with.iter().zip(&start).filter(|(s, right)| **right == 0.0 && **s > 0.8);
        let turned = turned.count();
        assert!(turned + 1 >= wrong, "{turned} of {wrong} turned about");
        let right = mean(shares_with);
        assert!(right > 0.9, "{right} of the time the right way round");
        assert!(astray < 40.0, "{astray} from the path");
        // The control: aiming at the nearest point itself, nobody has a reason to turn about.
        run.start(None, &["vehicle.follow_path.advance=0"]);
        let aimless = mean(shares(run));
        assert!(aimless < 0.8, "{aimless} without aiming ahead");
        format!(
            "{turned} of {wrong} turned about; {right:.2} of the time the right way round \
             ({aimless:.2} without aiming ahead), at most {astray:.1} from the path"
        )
    });
}
