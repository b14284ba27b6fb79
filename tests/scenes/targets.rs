//! Seek, flee, arrive, pursue, swim: vehicles and a target.

use flockwork::model::vector::Point;

use super::{mean, on_both};

#[test]
fn seek_reaches_overshoots_and_orbits() {
    on_both("seek", |run| {
        let distances = run.distances(1000);
        let first = distances.iter().position(|d| *d < 10.0).expect("never reached the target");
        let farthest = distances[first..].iter().copied().fold(0.0, f32::max);
        // It passes at 8 a tick and needs v²/a = 320 units, half of them to stop, to come back.
        assert!(farthest > 50.0, "no overshoot: {farthest}");
        assert!(farthest < 320.0, "orbits beyond its turning circle: {farthest}");
        format!("reached in {} ticks, then at most {farthest:.0} away", first + 1)
    });
}

#[test]
fn flee_gains_distance_until_the_wrap() {
    on_both("flee", |run| {
        let distances = run.distances(60);
        let peak = distances.iter().position(|d| *d > 180.0).expect("never far away");
        assert!(distances[..peak].is_sorted(), "it came back before the wrap");
        format!("{:.0} units away after {} ticks", distances[peak], peak + 1)
    });
}

#[test]
fn arrive_comes_to_rest() {
    on_both("arrive", |run| {
        let distances = run.distances(1500);
        let first = distances.iter().position(|d| *d < 1.0).expect("never arrived");
        let overshoot = distances[first..].iter().copied().fold(0.0, f32::max);
        let speed = run.step(0).velocity[0].length();
        assert!(overshoot <= 5.0, "overshoot of {overshoot}: more than 5 % of the slowing radius");
        assert!(distances[1499] < 1.0 && speed < 0.05, "at {} with {speed}", distances[1499]);
        format!("within 1 after {} ticks, then at most {overshoot:.2} away", first + 1)
    });
}

#[test]
fn proximity_brings_a_seeker_to_rest() {
    on_both("seek-proximity", |run| {
        run.engine.step(400).unwrap();
        let distance = run.distances(1)[0];
        let speed = run.step(0).velocity[0].length();
        assert!(speed < 0.05 && distance < 1.0, "{distance} away at {speed}");
        // The control: with constant limits it orbits.
        run.start(None, &["vehicle.seek.proximity=0"]);
        run.engine.step(400).unwrap();
        let orbit = run.distances(200).into_iter().fold(0.0, f32::max);
        assert!(orbit > 50.0, "plain seek comes to rest as well: {orbit}");
        format!("{distance:.4} away at speed {speed:.5}; plain seek up to {orbit:.0} away")
    });
}

#[test]
fn pursuit_hits_sooner_than_seek() {
    const LONGEST: u32 = 1000;
    on_both("pursuit", |run| {
        let speed = run.scene.targets[1].velocity.length();
        assert!((speed - 3.0).abs() < 1e-4, "the quarry moves at {speed}");
        let mut times = [0.0; 2];
        let starts = [[100, 60], [320, 180], [20, 300], [600, 40], [200, 340], [420, 20]];
        for start in starts {
            let at = format!("vehicle.spawn.at={start:?}");
            // Pursuit that looks no tick ahead is seek.
            for (time, ticks) in times.iter_mut().zip(["10", "0"]) {
                let ticks = format!("vehicle.pursue.ticks={ticks}");
                run.start(None, &[&at, &ticks]);
                let mut hit = 0;
                while hit < LONGEST && run.engine.targets().unwrap()[1].hits == 0 {
                    run.engine.step(4).unwrap();
                    hit += 4;
                }
                *time += hit as f32 / starts.len() as f32;
            }
        }
        let [pursuit, seek] = times;
        assert!(pursuit < 0.8 * seek, "{pursuit} ticks, and {seek} by seeking");
        run.start(None, &[]);
        run.engine.step(3000).unwrap();
        let hits = run.engine.targets().unwrap()[1].hits;
        assert!(hits > 10, "{hits} hits in 3,000 ticks");
        format!("first hit after {pursuit:.0} ticks, by seeking after {seek:.0}; {hits} in 3,000")
    });
}

/// How often a fish changes from one side of its way to the other, a tick, far from the food and
/// nearer; and how far it swings, as the root mean square of the sine of the angle.
fn wriggle(run: &mut super::Run) -> ([f32; 2], f32) {
    let food = run.scene.targets[1].position;
    let (mut changes, mut ticks) = ([0.0; 2], [0.0_f32; 2]);
    let mut swings = Vec::new();
    let mut before: Vec<f32> = Vec::new();
    for tick in 0..200 {
        let state = run.step(1);
        let sides: Vec<f32> = state
            .position
            .iter()
            .zip(&state.velocity)
            .map(|(p, v)| (food - *p).normalize_or_zero().perp_dot(v.normalize_or_zero()))
            .collect();
        for (i, p) in state.position.iter().enumerate() {
            let distance = p.distance(food);
            // By then all have turned towards the food.
            let band = match distance {
                _ if tick < 40 => continue,
                d if d > 180.0 => 0,
                d if (60.0..120.0).contains(&d) => 1,
                _ => continue,
            };
            ticks[band] += 1.0;
            changes[band] += f32::from(sides[i] * before[i] < 0.0);
            swings.push(sides[i] * sides[i]);
        }
        before = sides;
    }
    ([changes[0] / ticks[0].max(1.0), changes[1] / ticks[1].max(1.0)], mean(swings).sqrt())
}

#[test]
fn fish_wriggle_slower_when_nearer() {
    on_both("fish", |run| {
        let start = run.start(Some(200), &[]);
        let ([far, near], swing) = wriggle(run);
        // At a distance d the angle grows by d/10 degrees a tick: two changes in 3,600/d ticks.
        assert!(far > 0.05 && near < 0.7 * far, "{far} changes a tick far away, {near} nearer");
        let food = run.scene.targets[1].position;
        let away = |state: &[Point]| mean(state.iter().map(|p| p.distance(food)));
        let (before, after) = (away(&start.position), away(&run.step(200).position));
        assert!(after < 50.0, "{after} from the food");
        // The control: with a circle of no radius a fish swims straight.
        run.start(Some(200), &["fish.swim.radius=0"]);
        let (_, straight) = wriggle(run);
        assert!(swing > 3.0 * straight, "swings of {swing}, and {straight} without the circle");
        format!(
            "{far:.3} changes of side a tick beyond 180, {near:.3} at 60 to 120; swings {swing:.3} \
             (seek: {straight:.3}); from {before:.0} to {after:.0}"
        )
    });
}
