//! Every shader on the compiler for AMD's hardware: none spills registers, and all keep the waves that
//! hide the latency of memory.

use crate::compilers::{Built, CONTROL, built_for, compile_all};

/// The fewest waves per SIMD, as RADV counts them, and the shaders that may have so few: scenes for their
/// `steer`, with `:narrow` where cells overlap, and entry points for all others, with `:light` where they draw
/// light and shade. A shader that is not here has as many as the chip holds. This is what Mesa 22.3.6 made of them.
struct Floors {
    chip: &'static str,
    full: u64,
    below: &'static [(u64, &'static str)],
}

const VEGA10: Floors = Floors {
    chip: "vega10",
    full: 10,
    below: &[
        (2, "school"),
        (3, "murmuration"),
        (4, "asteroids bodyguards bubbles couzin flock-3d:narrow helix hide predators"),
        (4, "procession schooling-by-noise:narrow topological woods"),
        (4, "fish_corner sort_scattered"),
        (5, "big-and-small docking escort evade flock-3d flock-fov flock-view foam:narrow"),
        (5, "mills non-reciprocal:narrow particle-life schooling-by-noise shadow"),
        // Pictures are read in thirteen places at once, which hides the latency.
        (5, "bird_corner body_corner glow_corner:light shrink shrink_calmly splat:light"),
        (6, "active-particles fireflies flock flock-noise flock-pointer foam"),
        (6, "non-reciprocal"),
        (6, "ball_corner glyph_corner"),
        (7, "chiral:narrow crossing doorway gregoire-chate:narrow hunger:narrow"),
        (7, "nematic:narrow pursuit:narrow tornado"),
        (7, "corner glow_corner grow splat"),
        (8, "chiral gather:narrow gregoire-chate hunger nematic path-loop pursuit roost"),
        (8, "seek-separate separation vicsek:narrow"),
        (9, "avoid-ahead avoid-box avoid-feeler gather path path-line pursuit-gain"),
        (9, "swarmalators vicsek"),
        (9, "fade lay paint_water resolve_between:light"),
    ],
};

const NAVI21: Floors = Floors {
    chip: "navi21",
    full: 32,
    below: &[
        (10, "school"),
        (14, "murmuration"),
        (16, "bodyguards hide predators"),
        (16, "sort_scattered"),
        (18, "asteroids bubbles couzin helix procession shadow topological woods"),
        (20, "big-and-small docking escort evade flock-3d flock-fov flock-view mills"),
        (20, "particle-life schooling-by-noise"),
        (20, "ball_corner bird_corner body_corner glyph_corner fish_corner"),
        // Pictures are read in thirteen places at once, which hides the latency.
        (20, "glow_corner:light shrink shrink_calmly splat:light"),
        (24, "active-particles crossing doorway fireflies flock flock-noise flock-pointer"),
        (24, "foam nematic:narrow non-reciprocal tornado"),
        (24, "glow_corner splat"),
    ],
};

impl Floors {
    fn of(&self, built: &Built) -> u64 {
        let name = match (built.shader.as_str(), built.scene.as_str()) {
            ("steer", scene) => scene.to_string(),
            (_, ":light") => format!("{}:light", built.entry),
            _ => built.entry.clone(),
        };
        let named = |wanted: &str| {
            let row = self.below.iter().find(|(_, names)| names.split(' ').any(|n| n == wanted));
            row.map(|(floor, _)| *floor)
        };
        let scene = name.split(':').next().unwrap_or_default();
        named(&name).or_else(|| named(scene)).unwrap_or(self.full)
    }

    /// All that is wrong with a shader, with floors that are higher by `raised`.
    fn complaints(&self, built: &Built, raised: u64) -> Vec<String> {
        let Built { scene, shader, entry, .. } = built;
        let mut found = Vec::new();
        for name in ["Spilled VGPRs", "Spilled SGPRs", "Scratch size"] {
            if built.number(name) > 0 {
                found.push(format!("{shader} {entry} {scene}: {name} {}", built.number(name)));
            }
        }
        let (waves, floor) = (built.number("Subgroups per SIMD"), self.of(built) + raised);
        if waves < floor {
            let registers = built.number("VGPRs");
            found.push(format!(
                "{shader} {entry} {scene}: {waves} waves with {registers} registers, not {floor}"
            ));
        }
        found
    }
}

fn check(floors: &Floors) {
    if std::env::var("FLOCKWORK_SKIP_GPU").is_ok_and(|value| value == "1") {
        eprintln!("SKIPPED (FLOCKWORK_SKIP_GPU=1): the shaders on {}", floors.chip);
        return;
    }
    let arguments = ["--exact", "amd::child", "--ignored", "--nocapture"];
    let all = built_for(floors.chip, &arguments, "");
    let (controls, shipped): (Vec<&Built>, _) = all.iter().partition(|b| b.shader == CONTROL);
    let names = |wanted: &str| shipped.iter().filter(|built| built.shader == wanted).count();
    assert!(names("steer") > 100 && names("draw_boids") > 0 && shipped.len() > 1000);
    let complaints = |raised| -> Vec<String> {
        shipped.iter().flat_map(|built| floors.complaints(built, raised)).collect()
    };
    let wrong = complaints(0);
    assert!(wrong.is_empty(), "{}:\n{}", floors.chip, wrong.join("\n"));
    // Controls: a shader that needs more than registers, and floors that are higher by a wave.
    let wrong = controls.iter().flat_map(|built| floors.complaints(built, 0)).collect::<String>();
    assert!(wrong.contains("Scratch size"), "{wrong:?}");
    assert!(complaints(1).iter().any(|wrong| wrong.starts_with("steer steer flock: ")));
}

#[test]
fn shaders_keep_their_registers_and_waves_on_vega10() {
    check(&VEGA10);
}

#[test]
fn shaders_keep_their_registers_and_waves_on_navi21() {
    check(&NAVI21);
}

#[test]
#[ignore = "the tests above start it"]
fn child() {
    compile_all();
}
