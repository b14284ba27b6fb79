//! Headings that chance turns.

use flockwork::model::scene::Scene;
use flockwork::model::vector::{Point, flat};
use std::f64::consts::{PI, TAU};

use crate::adapter;
use crate::common::gpu::on_both;
use crate::common::{agents, run};

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
    on_both(adapter::gpu(), |engine, (size, depth)| {
        let is_flat = depth.is_empty();
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
                let state = agents(&[(Point::ZERO, start); COUNT]);
                let mut sample = |amount: f64| {
                    let text = format!(
                        "time_step = {step}\nworld = {{ size = {size}, boundary = \"open\" }}\n\
                         [species.a]\nnoise = {amount}\nnoise_kind = \"{kind}\""
                    );
                    let scene = Scene::parse("test", &text).unwrap();
                    run(engine, &scene, &state, ticks).velocity
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
