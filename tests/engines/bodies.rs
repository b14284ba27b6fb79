//! Bodies that move in other ways: by the old velocity, by forces without a limit, by turns
//! that have one, by Brownian motion, and never slower than some speed.

use flockwork::model::behaviours::Kind;
use flockwork::model::scene::Scene;
use flockwork::model::vector::{Point, flat};
use flockwork::{CpuEngine, Engine, GpuEngine};

use crate::adapter;
use crate::common::gpu::{GPU, compares_bits, engine, on_both, share};
use crate::common::situations::{FLOCKING, embodied, hurried};
use crate::common::variants::situations_of;
use crate::common::{agents, assert_none, assert_ticks, bits, run, stepped};

/// The angle between two velocities; degrees.
fn angle(one: Point, other: Point) -> f64 {
    one.as_dvec3().angle_between(other.as_dvec3()).to_degrees()
}

#[test]
fn an_agent_comes_round_in_as_many_ticks_as_its_max_turn_needs() {
    on_both(adapter::gpu(), |engine, (size, depth)| {
        let mut all = Vec::new();
        for (degrees, step) in [(180.0, 1.0), (179.0, 1.0), (45.0, 1.0), (7.0, 1.0), (1.25, 2.0)] {
            let ticks = (180.0_f64 / (degrees * step)).ceil() as usize;
            // So far behind that the way to it stays the same.
            let text = format!(
                "time_step = {step}\nworld = {{ size = {size}, boundary = \"open\" }}\n[[targets]]\nname = \"far\"\n\
                 position = [-1e7, 50{depth}]\n[species.a]\nlimit = \"none\"\nmax_turn = {degrees}\n\
                 seek = {{ target = \"far\" }}\n"
            );
            let mut before = flat(2.0, 0.0);
            let state = agents(&[(flat(50.0, 50.0), before)]);
            engine.load(&Scene::parse("test", &text).unwrap(), &state).unwrap();
            let path: Vec<Point> = (0..ticks + 2).map(|_| stepped(engine, 1).velocity[0]).collect();
            for (tick, velocity) in path.iter().enumerate() {
                let left = 180.0 - degrees * step * tick as f64;
                let turn = (degrees * step).min(left.max(0.0));
                // An angle of two headings is as exact as their components; in the last one the way to
                // the target has changed a little.
                let exact = if tick + 1 < ticks { 2e-4 } else { 0.01 };
                let found = angle(before, *velocity);
                assert!((found - turn).abs() < exact, "{degrees} {tick}: {found}, not {turn}");
                assert!((velocity.length() - 3.0).abs() < 1e-6, "{velocity}");
                // It comes round on the left, in the plane of the heading and its left.
                assert!(velocity.z == 0.0 && velocity.y > -1e-3, "{velocity}");
                before = *velocity;
            }
            // A tick earlier it is not yet round.
            let heads = |tick: usize| angle(path[tick], -Point::X);
            assert!(heads(ticks - 1) < 0.01, "{degrees}: {}", heads(ticks - 1));
            assert!(ticks == 1 || heads(ticks - 2) > 0.1, "{degrees}");
            all.push(path);
        }
        all
    });
}

/// A jitter with all bits: products of powers of two have no rounding that could differ.
const JITTER: f32 = 0.3;

/// Places of agents at rest after some ticks, from the origin.
fn shaken(engine: &mut dyn Engine, size: &str, jitter: f32, ticks: u32) -> Vec<Point> {
    let text = format!(
        "time_step = 2\nworld = {{ size = {size}, boundary = \"open\" }}\n[species.a]\n\
         count = 2000\njitter = {jitter}\n"
    );
    let state = agents(&[(Point::ZERO, Point::ZERO); 2000]);
    let state = run(engine, &Scene::parse("test", &text).unwrap(), &state, ticks);
    assert!(state.velocity.iter().all(|velocity| *velocity == Point::ZERO));
    state.position
}

#[test]
fn the_square_of_a_brownian_way_grows_with_time() {
    on_both(adapter::gpu(), |engine, (size, depth)| {
        let axes = if depth.is_empty() { 2 } else { 3 };
        let mean = |of: &dyn Fn(usize) -> f64| (0..2000).map(of).sum::<f64>() / 2000.0;
        for ticks in [1, 10, 90] {
            let places = shaken(engine, size, JITTER, ticks);
            let at = |row: usize, axis: usize| f64::from(places[row][axis]);
            // The variance on each axis is jitter² · time; of a normal number's square it is 2.
            let variance = f64::from(JITTER).powi(2) * 2.0 * f64::from(ticks);
            let whole = f64::from(axes) * variance;
            let error = variance * (2.0 * f64::from(axes) / 2000.0).sqrt();
            let square = mean(&|row| f64::from(places[row].length()).powi(2));
            assert!((square - whole).abs() < 5.0 * error, "{ticks}: {square}, not {whole}");
            // The control: 30 % more is noticed.
            let more = shaken(engine, size, JITTER * 1.3_f32.sqrt(), ticks);
            let square = mean(&|row| f64::from(more[row].length()).powi(2));
            assert!(square - whole > 5.0 * error, "{ticks}: {square} for {whole}");
            // Axes are pushed alike and independently, to no side.
            let error = variance / 2000.0_f64.sqrt();
            for axis in 0..axes as usize {
                let mean_of_axis = mean(&|row| at(row, axis));
                assert!(mean_of_axis.abs() < 5.0 * error / variance.sqrt(), "{mean_of_axis}");
                let own = mean(&|row| at(row, axis).powi(2));
                assert!((own - variance).abs() < 5.0 * error * 2.0_f64.sqrt(), "{own}");
                let product = mean(&|row| at(row, axis) * at(row, (axis + 1) % axes as usize));
                assert!(product.abs() < 5.0 * error, "{product}");
            }
            assert!(axes == 3 || places.iter().all(|place| place.z == 0.0));
        }
        // Steps of two ticks have nothing in common.
        let (one, two) = (shaken(engine, size, JITTER, 1), shaken(engine, size, JITTER, 2));
        let product = mean(&|row| f64::from(one[row].dot(two[row] - one[row])));
        assert!(
            product.abs() < 5.0 * f64::from(JITTER) * (f64::from(axes) / 2000.0).sqrt(),
            "{product}"
        );
        assert!(one.iter().all(|place| place.abs().max_element() < 3.5 * JITTER * 2.0_f32.sqrt()));
        assert!(shaken(engine, size, 0.0, 10).iter().all(|place| *place == Point::ZERO));
        two
    });
}

/// The velocities after a tick of agents that no force moves: at rest, slow, too slow for a square, and fast.
fn undisturbed(engine: &mut dyn Engine, size: &str, body: &str) -> Vec<Point> {
    let text = format!("world = {{ size = {size} }}\n[species.a]\ncount = 5\n{body}\n");
    let velocities = [Point::ZERO, Point::ZERO, flat(0.0, 0.1), flat(-1e-20, 0.0), flat(2.5, 0.0)];
    let place = |row: usize| flat(20.0 * row as f32 + 5.0, 50.0);
    let all: Vec<_> = (0..5).map(|row| (place(row), velocities[row])).collect();
    run(engine, &Scene::parse("test", &text).unwrap(), &agents(&all), 1).velocity
}

fn assert_moving(engine: &mut dyn Engine, (size, _): (&str, &str)) -> Vec<Point> {
    let found = undisturbed(engine, size, "min_speed = 1");
    for (velocity, speed) in found.iter().zip([1.0, 1.0, 1.0, 1.0, 2.5]) {
        assert!((velocity.length() - speed).abs() < 1e-6, "{found:?}");
    }
    // An agent at rest heads along the x axis, a slow one keeps its heading.
    assert!([0, 1, 3].iter().all(|row| found[*row] == Point::X), "{found:?}");
    assert!(found[2].y > 0.999 && found[4] == flat(2.5, 0.0), "{found:?}");
    // The controls: without it agents stay as they are; a smaller max_speed holds.
    let without = undisturbed(engine, size, "");
    assert!(without[0] == Point::ZERO && without[2] == flat(0.0, 0.1), "{without:?}");
    let limited = undisturbed(engine, size, "min_speed = 1\nmax_speed = 0.5");
    assert!(limited.iter().all(|v| (v.length() - 0.5).abs() < 1e-6), "{limited:?}");
    found
}

#[test]
fn no_agent_is_slower_than_its_min_speed() {
    on_both(adapter::gpu(), assert_moving);
}

#[test]
fn the_gpu_engine_moves_bodies_as_the_reference_does() {
    let Some(gpu) = adapter::gpu() else { return };
    let mut engine = engine(&gpu);
    for axes in [2, 3] {
        let first = |count| situations_of(axes, &FLOCKING, count).into_iter().zip(0..);
        let fast = first(100 / share().min(2)).map(|(case, number)| hurried(case, number));
        let others = first(30).map(|(case, number)| embodied(case, number));
        // Turners take the directions of these from their own WGSL.
        let alone = situations_of(axes, &[Kind::Seek, Kind::Flee, Kind::Arrive, Kind::Contain], 20);
        let alone = alone.into_iter().zip(0..).map(|(case, number)| embodied(case, number));
        assert_ticks(&mut engine, fast.chain(others).chain(alone), 1, GPU);
    }
}

#[test]
fn bodies_move_alike_to_the_bit_on_both_engines() {
    let Some(gpu) = adapter::gpu().filter(|gpu| compares_bits(gpu)) else { return };
    let (mut on_gpu, mut on_cpu) = (GpuEngine::new(gpu), CpuEngine::new(Some(2)).unwrap());
    for axes in [2, 3] {
        let (mut differ, mut seen) = (Vec::new(), 0);
        for (case, number) in situations_of(axes, &FLOCKING, 40).into_iter().zip(0..) {
            let mut case = embodied(hurried(case, number), number);
            let wanted = bits(&run(&mut on_cpu, &case.scene, &case.state, 5));
            if bits(&run(&mut on_gpu, &case.scene, &case.state, 5)) != wanted {
                differ.push(case.name);
            }
            // The control: one rounding more in the jitter is noticed.
            for species in &mut case.scene.species {
                species.body.jitter = species.body.jitter.next_up();
            }
            seen += u32::from(bits(&run(&mut on_cpu, &case.scene, &case.state, 5)) != wanted);
        }
        assert_none(&differ);
        assert!(seen > 20, "{axes} axes: {seen} of 40 controls are noticed");
    }
}
