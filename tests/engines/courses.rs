//! Agents that forces only turn, and headings that chance turns.

use flockwork::Engine;
use flockwork::model::scene::Scene;
use flockwork::model::vector::{Point, flat};
use std::f64::consts::{PI, TAU};

use crate::adapter;
use crate::common::gpu::on_both;
use crate::common::{agents, run};

/// The velocities after some ticks of agents that start in the middle of an open world with the same velocity,
/// by their ids.
fn velocities(
    engine: &mut dyn Engine,
    ((size, depth), start): ((&str, &str), Point),
    (count, ticks): (usize, u32),
    text: &str,
) -> Vec<Point> {
    let text = text.replace("DEPTH", depth);
    let text = format!("world = {{ size = {size}, boundary = \"open\" }}\n{text}");
    let state = agents(&vec![(Point::ZERO, start); count]);
    run(engine, &Scene::parse("test", &text).unwrap(), &state, ticks).velocity
}

/// Two targets so far away that the ways to them stay the same: along the second axis and against the first.
const TARGETS: &str = "[[targets]]\nname = \"up\"\nposition = [0, 1e7DEPTH]\n[[targets]]\nname = \"back\"\n\
                       position = [-1e7, 0DEPTH]\n";

#[test]
fn a_turner_heads_along_the_sum_of_its_directions() {
    on_both(adapter::gpu(), |engine, world| {
        let mut one = |body: &str, ticks: u32, start: Point| {
            let text = format!(
                "{TARGETS}[species.a]\n{body}\nseek = {{ target = \"up\", weight = 3 }}\n\
                 flee = {{ target = \"back\", weight = 4 }}"
            );
            velocities(engine, (world, start), (1, ticks), &text)[0]
        };
        let start = flat(-0.3, 0.4);
        // 3 up and 4 away from what lies back.
        let wanted = flat(2.0, 1.5);
        let found = one("max_speed = 2.5\nmotion = \"turn\"", 1, start);
        assert!((found - wanted).length() < 1e-6, "{found}");
        // Neither mass nor max_force nor the former velocity counts.
        let heavy = one(
            "max_speed = 2.5\nmotion = \"turn\"\nmass = 7\nmax_force = 0.001",
            1,
            flat(0.0, 0.0),
        );
        assert!((heavy - wanted).length() < 1e-6, "{heavy}");
        // In turn the first direction has all.
        let first = one("max_speed = 2.5\nmotion = \"turn\"\ncombine = \"exclusive\"", 1, start);
        assert!((first - flat(0.0, 2.5)).length() < 1e-6, "{first}");
        let spent = one("max_speed = 2.5\nmotion = \"turn\"\ncombine = \"priority\"", 1, start);
        assert!((spent - flat(0.0, 2.5)).length() < 1e-6, "{spent}");
        // Its turns may have a limit: from 126.87 degrees to 36.87 by ten a tick.
        for (ticks, degrees) in [(1, 116.869_9_f64), (5, 76.869_9), (9, 36.869_9), (10, 36.869_9)] {
            let found =
                one("max_speed = 2.5\nmotion = \"turn\"\nmax_turn = 10", ticks, start).as_dvec3();
            let angle = found.y.atan2(found.x).to_degrees();
            assert!((angle - degrees).abs() < 1e-3, "{ticks}: {angle}, not {degrees}");
            assert!((found.length() - 2.5).abs() < 1e-6);
        }
        // The control: forces without a limit leave nothing but the sum of the differences.
        let forced = one("limit = \"none\"\nmax_speed = 100", 1, start);
        assert!((forced - wanted).length() > 1.0, "{forced}");
        // Without a direction it flies on, at its full speed.
        let alone = velocities(
            engine,
            (world, start),
            (1, 3),
            "[species.a]\nmotion = \"turn\"\nmax_speed = 2.5",
        )[0];
        assert!((alone - flat(-1.5, 2.0)).length() < 1e-6, "{alone}");
        vec![found, heavy, first, spent, forced, alone]
    });
}

/// A noise turns a heading by some angle in a tick: the mean of its cosine, by quadrature.
fn mean_cosine(kind: &str, amount: f64, is_flat: bool) -> f64 {
    const STEPS: usize = 4000;
    let at = |step: usize| (step as f64 + 0.5) / STEPS as f64;
    // Angles and their weights.
    let angles: Vec<(f64, f64)> = (0..STEPS)
        .map(|step| match (kind, is_flat) {
            ("angle", true) => (TAU * amount * (at(step) - 0.5), 1.0),
            // As much of a sphere as lies at this angle from its pole.
            ("angle", false) => {
                let angle = PI * amount * at(step);
                (angle, angle.sin())
            }
            ("gauss", _) => {
                let distance = 6.0 * at(step);
                let ring = if is_flat { 1.0 } else { distance };
                (TAU * amount * distance, ring * (-distance * distance / 2.0).exp())
            }
            // Of the sum with a vector `amount` long at this angle.
            (_, _) => {
                let angle = PI * at(step);
                let turned = (amount * angle.sin()).atan2(1.0 + amount * angle.cos());
                (turned, if is_flat { 1.0 } else { angle.sin() })
            }
        })
        .collect();
    let all: f64 = angles.iter().map(|(_, weight)| weight).sum();
    angles.iter().map(|(angle, weight)| angle.cos() * weight).sum::<f64>() / all
}

#[test]
fn noise_turns_headings_as_far_as_its_amount_says() {
    const COUNT: usize = 4000;
    on_both(adapter::gpu(), |engine, world| {
        let is_flat = world.1.is_empty();
        let mut all = Vec::new();
        for (kind, amount) in [
            ("angle", 0.3),
            ("angle", 1.0),
            ("gauss", 0.05),
            ("gauss", 0.2),
            ("vector", 0.6),
            ("vector", 2.5),
        ] {
            for (ticks, step) in [(1, 1.0), (4, 1.0), (2, 0.5)] {
                let start = if is_flat { flat(1.2, -0.7) } else { Point::new(1.2, -0.7, 0.5) };
                let mut sample = |amount: f64| {
                    let text = format!(
                        "time_step = {step}\n[species.a]\nnoise = {amount}\nnoise_kind = \"{kind}\""
                    );
                    velocities(engine, (world, start), (COUNT, ticks), &text)
                };
                let mean = |found: &[Point], of: &dyn Fn(Point) -> f64| {
                    found.iter().map(|v| of(*v)).sum::<f64>() / COUNT as f64
                };
                let heading = start.as_dvec3().normalize();
                let along = |v: Point| v.as_dvec3().normalize().dot(heading);
                let found = sample(amount);
                let speed = f64::from(start.length());
                assert!(found.iter().all(|v| (f64::from(v.length()) - speed).abs() < 1e-5));
                // A tick turns independently of the others, so the mean cosine is a product.
                let in_a_tick = amount * f64::sqrt(step);
                let cosine = mean_cosine(kind, in_a_tick, is_flat);
                let wanted = cosine.powi(ticks as i32);
                let turned = mean(&found, &along);
                let square = mean(&found, &|v| (along(v) - turned).powi(2));
                let error = (square / COUNT as f64).sqrt();
                let name =
                    format!("{kind} {amount}, {ticks} ticks of {step}, in a plane {is_flat}");
                assert!((turned - wanted).abs() < 5.0 * error, "{name}: {turned}, not {wanted}");
                // To no side.
                let left = heading.cross(glam::DVec3::Z).normalize();
                let sides = [left, heading.cross(left)];
                let on = |v: Point, side: usize| v.as_dvec3().normalize().dot(sides[side]);
                let spread = [0, 1].map(|side| mean(&found, &|v| on(v, side).powi(2)));
                for side in [0, 1] {
                    let aside = mean(&found, &|v| on(v, side));
                    let error = (spread[side] / COUNT as f64).sqrt();
                    assert!(aside.abs() <= 5.0 * error, "{name}: {aside} aside");
                }
                // In space as far to the left as upwards; the square of a component varies by less than itself, twice.
                if !is_flat {
                    let off = (spread[0] - spread[1]).abs();
                    let error = 2.0 * spread[0] / (COUNT as f64).sqrt();
                    assert!(off < 5.0 * error, "{name}: {spread:?}");
                }
                // The control: less noise is noticed, where it does not point anywhere.
                let less = mean(&sample(amount * 0.6), &along);
                let is_anywhere = wanted.abs() < 0.1;
                assert!(is_anywhere || (less - wanted).abs() > 5.0 * error, "{name}: {less}");
                all.extend(found);
            }
        }
        all
    });
}

#[test]
fn noise_is_bounded_by_the_widest_turn() {
    on_both(adapter::gpu(), |engine, world| {
        let start = flat(2.0, 1.0);
        let mut widest = |turn: &str| {
            let text = format!("[species.a]\nnoise = 0.5\n{turn}");
            let found = velocities(engine, (world, start), (500, 1), &text);
            let angle = |v: &Point| v.as_dvec3().angle_between(start.as_dvec3()).to_degrees();
            (found.iter().map(angle).fold(0.0, f64::max), found)
        };
        let (angle, found) = widest("max_turn = 12");
        assert!((angle - 12.0).abs() < 1e-3, "{angle}");
        // The control.
        let (angle, _) = widest("");
        assert!((80.0..90.001).contains(&angle), "{angle}");
        found
    });
}
