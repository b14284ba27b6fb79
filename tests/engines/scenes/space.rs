//! Scenes in space: a flock, a ball, foam, currents, a tornado and a helix.

use flockwork::model::scene::Request;
use flockwork::model::state::FlockState;
use flockwork::model::statistics::Metrics;
use flockwork::model::vector::Point;

use super::{Run, mean, on_both};

/// The share of some places for which something holds.
fn share(all: usize, holds: impl Fn(usize) -> bool) -> f32 {
    mean((0..all).map(|agent| f32::from(holds(agent))))
}

/// The polarisation when it first exceeds 0.9, in steps of 100 ticks, or after 2,000.
fn order(run: &mut Run) -> (u64, f64) {
    let mut all = (0..20).map(|_| run.metrics(100));
    let mut last = Metrics::default();
    all.any(|metrics| {
        last = metrics;
        metrics.polarisation > 0.9
    });
    (last.tick, last.polarisation)
}

#[test]
fn a_flock_in_space_comes_to_order() {
    on_both("flock-3d", |run| {
        for seed in 1..=3 {
            let request = Request { seed: Some(seed), ..Request::default() };
            run.start_with(request, &[]);
            let start = run.metrics(0).polarisation;
            assert!(start < 0.1, "the flock starts in order: {start}");
            let (tick, polarisation) = order(run);
            assert!(polarisation > 0.9, "seed {seed}: {polarisation} after {tick} ticks");
        }
        run.start(None, &["starling.alignment.weight=0"]);
        let (_, unaligned) = order(run);
        assert!(unaligned < 0.3, "polarisation {unaligned} without alignment");
    });
}

/// The mean distance from the roost, the ratio of the ball's largest to its smallest extent, and the
/// mean distance to the nearest neighbour.
fn ball(run: &mut Run, ticks: u32) -> (f32, f32, f32) {
    let state = run.step(ticks);
    let middle = run.scene.targets[1].position;
    let away: Vec<Point> = state.position.iter().map(|p| *p - middle).collect();
    let spread = [0, 1, 2].map(|axis| mean(away.iter().map(|p| p[axis].abs())));
    let [low, high] =
        [f32::min, f32::max].map(|pick| spread.into_iter().reduce(pick).unwrap_or(0.0));
    let spacing = Metrics::of(&run.scene, &state).nearest_neighbour_distance as f32;
    (mean(away.iter().map(|p| p.length())), high / low, spacing)
}

#[test]
fn birds_at_a_roost_make_a_ball() {
    on_both("roost", |run| {
        // Spheres of this diameter in their closest packing, 0.74 of the volume, fill a ball; the mean
        // distance from the middle of a ball is three quarters of its radius.
        let closest = |count: f32, spacing: f32| 0.75 * (count / 0.74).cbrt() * spacing / 2.0;
        // The scene's own count, and a quarter of it.
        let radii = [None, Some(500)].map(|count| {
            let agents = run.start(count, &[]).len() as f32;
            let (radius, oblong, spacing) = ball(run, 1500);
            let packed = radius / closest(agents, spacing);
            assert!(
                (1.0..1.25).contains(&packed),
                "{packed} of the closest packing, {spacing} apart"
            );
            assert!(oblong < 1.1 && spacing > 18.0, "{oblong} oblong, {spacing} apart");
            radius
        });
        let radius = radii[1];
        // Eight times as many: a ball twice as wide, if they keep the distance.
        run.start(Some(4_000), &[]);
        let (more, oblong, _) = ball(run, 1000);
        assert!((1.4..2.0).contains(&(more / radius)) && oblong < 1.1, "{more} of 4,000, {oblong}");
        run.start(Some(500), &["bird.separation.weight=0"]);
        let (point, ..) = ball(run, 1500);
        assert!(point < 0.1 * radius, "a mean distance of {point} without separation");
    });
}

/// The bubbles with others on all sides: their number, and how many each touches.
fn inside(run: &Run, state: &FlockState, diameter: f32) -> (usize, f32) {
    let mut contacts = Vec::new();
    for (own, place) in state.position.iter().enumerate() {
        let others = state.position.iter().enumerate().filter(|(other, _)| *other != own);
        let ways: Vec<Point> = others.map(|(_, other)| run.way(*place, *other)).collect();
        let near = ways.iter().filter(|way| way.length() < 1.6 * diameter);
        let directions = near.clone().map(|way| way.normalize_or_zero());
        let lopsided = directions.sum::<Point>().length() / near.clone().count().max(1) as f32;
        if near.count() > 10 && lopsided < 0.12 {
            // Halfway between the first shell and the second one.
            let touching = ways.iter().filter(|way| way.length() < 1.4 * diameter).count();
            contacts.push(touching as f32);
        }
    }
    (contacts.len(), mean(contacts))
}

#[test]
fn bubbles_in_a_foam_touch_as_many_others_as_foams_have() {
    on_both("bubbles", |run| {
        let diameter = 2.0 * run.scene.species[0].body.size;
        let state = run.step(0);
        let (loose, _) = inside(run, &state, diameter);
        let state = run.step(1500);
        let (deep, contacts) = inside(run, &state, diameter);
        assert!(loose < 20 && deep > 300, "{loose}, later {deep} bubbles with others all round");
        assert!((13.0..14.2).contains(&contacts), "{contacts} contacts");
        let spacing = Metrics::of(&run.scene, &state).nearest_neighbour_distance as f32 / diameter;
        assert!((0.92..1.02).contains(&spacing), "nearest at {spacing} diameters");
        run.start(None, &["bubble.separation.weight=1"]);
        let state = run.step(1500);
        let crushed = Metrics::of(&run.scene, &state).nearest_neighbour_distance as f32 / diameter;
        assert!(crushed < 0.8, "nearest at {crushed} diameters, if they keep apart less");
    });
}

/// The variance of the number of agents in cubes that have eight on average, over the mean: 1 if they
/// are thrown at random.
fn clumping(run: &mut Run, ticks: u32) -> f32 {
    let state = run.step(ticks);
    let across = (state.len() as f32 / 8.0).cbrt().ceil() as usize;
    let mut counts = vec![0.0_f32; across.pow(3)];
    for place in &state.position {
        let cell = *place / run.scene.world.size * across as f32;
        let [x, y, z] = cell.to_array().map(|index| (index as usize).min(across - 1));
        counts[(z * across + y) * across + x] += 1.0;
    }
    let average = mean(counts.iter().copied());
    mean(counts.iter().map(|count| (count - average).powi(2))) / average
}

#[test]
fn currents_of_curl_noise_gather_no_motes() {
    on_both("curl", |run| {
        let start = clumping(run, 0);
        let later = clumping(run, 2000);
        assert!(start < 1.2 && later < 5.0, "{start}, later {later}");
        let speed = run.metrics(0).mean_speed;
        assert!(speed > 2.8, "motes do not follow the currents: {speed}");
        run.start(None, &["flow.kind=perlin"]);
        let perlin = clumping(run, 2000);
        assert!(perlin > 8.0 * later, "{perlin} where the noise itself is the direction");
        // Where the noise does not repeat, currents meet at the seam.
    });
}

/// Of the leaves in a layer of the world: median distance from the axis, mean speed round it and mean
/// speed upwards.
fn layer(run: &Run, state: &FlockState, from: f32, to: f32) -> [f32; 3] {
    let mut layer = Vec::new();
    for (place, velocity) in state.position.iter().zip(&state.velocity) {
        let height = place.z / run.scene.world.size.z;
        if height >= from && height < to {
            let out = (*place - run.scene.world.size * 0.5).truncate();
            let round = out.normalize_or_zero().perp_dot(velocity.truncate());
            layer.push([out.length(), round, velocity.z]);
        }
    }
    layer.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let [round, up] = [1, 2].map(|number| mean(layer.iter().map(|leaf| leaf[number])));
    [layer[layer.len() / 2][0], round, up]
}

#[test]
fn a_tornado_turns_lifts_and_is_narrow_in_the_middle() {
    on_both("tornado", |run| {
        let state = run.step(1500);
        let [foot, trunk, cloud] =
            [(0.0, 0.15), (0.35, 0.65), (0.85, 1.0)].map(|(a, b)| layer(run, &state, a, b));
        let narrow = trunk[0] * 2.0 < foot[0] && trunk[0] * 2.0 < cloud[0];
        assert!(narrow && trunk[0] < 60.0, "{foot:?} {trunk:?} {cloud:?}");
        assert!(
            [foot, trunk, cloud].iter().all(|[_, round, _]| *round > 0.9),
            "{foot:?} {trunk:?} {cloud:?}"
        );
        assert!(trunk[2] > 1.5, "upwards in the trunk: {trunk:?}");
        // The lines lean as well, but half of the rotation is the vortex's.
        run.start(None, &["leaf.follow_flow.weight=0"]);
        let state = run.step(1500);
        let still = layer(run, &state, 0.35, 0.65);
        assert!(still[1] < 0.6 * trunk[1], "without the vortex: {still:?}");
        run.start(None, &["leaf.follow_path.weight=0"]);
        let state = run.step(1500);
        let loose = layer(run, &state, 0.35, 0.65);
        assert!(loose[0] > 120.0 && loose[2].abs() < 0.2, "without the funnel: {loose:?}");
    });
}

/// For each vehicle its distance from the path of its species, and the cosine between its velocity and
/// the path.
fn on_the_path(run: &Run, state: &FlockState) -> Vec<(f32, f32)> {
    let of = |agent: usize| {
        let (place, velocity) = (state.position[agent], state.velocity[agent]);
        let ways = run.scene.paths[state.species[agent] as usize].segments().map(|segment| {
            let way = segment.to - segment.from;
            let part = (place - segment.from).dot(way) / way.length_squared();
            let near = segment.from + way * part.clamp(0.0, 1.0);
            (near.distance(place), way.normalize_or_zero().dot(velocity.normalize_or_zero()))
        });
        ways.reduce(|one, other| if other.0 < one.0 { other } else { one }).unwrap()
    };
    (0..state.len()).map(of).collect()
}

#[test]
fn two_species_go_round_a_helix_both_ways() {
    on_both("helix", |run| {
        let start = run.step(0);
        let before = on_the_path(run, &start);
        let near = |all: &[(f32, f32)]| share(all.len(), |agent| all[agent].0 < 30.0);
        assert!(near(&before) < 0.2, "{} near the path at once", near(&before));
        let state = run.step(1000);
        let vehicles = on_the_path(run, &state);
        let (tube, half) = (near(&vehicles), vehicles.len() / 2);
        let along = |all: &[(f32, f32)]| share(all.len(), |agent| all[agent].1 > 0.5);
        let (there, back) = (along(&vehicles[..half]), along(&vehicles[half..]));
        assert!(tube > 0.9, "{tube} within the tube and half a gap");
        assert!(there > 0.85 && back > 0.85, "{there} go there, {back} back");
        let spacing = Metrics::of(&run.scene, &state).nearest_neighbour_distance;
        assert!(spacing > 11.0, "{spacing} apart");
        run.start(None, &["upward.separation.weight=0", "downward.separation.weight=0"]);
        let crowd = run.metrics(1000).nearest_neighbour_distance;
        assert!(crowd < 6.0, "{crowd} apart without separation");
        run.start(None, &["upward.follow_path.weight=0", "downward.follow_path.weight=0"]);
        let state = run.step(1000);
        let strays = near(&on_the_path(run, &state));
        assert!(strays < 0.3, "{strays} within the tube without a path");
    });
}
