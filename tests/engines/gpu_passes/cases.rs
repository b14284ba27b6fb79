//! Flocks at the sizes where passes break.

use flockwork::engine::gpu::EngineOptions;

const PLANE: &str = r#"
[world]
size = [1000, 500]
density = 10
[[targets]]
position = [500, 250]
velocity = [3, 1]
hit_radius = 20
[[targets]]
position = [10, 10]
velocity = [-1, -2]
"#;

const SPACE: &str = r#"
[world]
size = [200, 100, 150]
density = 10
[[targets]]
position = [100, 50, 70]
velocity = [3, 1, -2]
hit_radius = 20
[[targets]]
position = [10, 10, 10]
velocity = [-1, -2, 1]
"#;

const SPECIES: &str = r#"
[species.a]
count = 100
[species.a.separation]
[species.a.alignment]
[species.a.cohesion]
[species.a.wander]
weight = 0.1
[species.a.rules.mean]
radius = "all"
sum.v = "other_velocity"
force = "zero"
"#;

/// A flock, and options that make small flocks reach the limits of large ones.
pub struct Case {
    pub name: &'static str,
    pub in_space: bool,
    pub count: u64,
    pub overrides: &'static [&'static str],
    pub options: EngineOptions,
    /// Difference of consecutive ids.
    pub stride: u32,
}

impl Case {
    /// The text of the scene.
    pub fn text(&self) -> String {
        format!("{}{SPECIES}", if self.in_space { SPACE } else { PLANE })
    }
}

pub fn cases() -> Vec<Case> {
    // As on a driver that computes on the CPU, so that every pass runs on any device.
    let checked = EngineOptions { checked: true, small_grid: Some(8), ..EngineOptions::default() };
    let shipped = EngineOptions { checked: false, ..checked };
    let by_itself = EngineOptions { without_subgroups: true, ..checked };
    let crowded_above = |crowded_above| EngineOptions { crowded_above, ..checked };
    let scanned_by_one = |blocks| EngineOptions { small_grid: Some(blocks), ..checked };
    let uniform = &["species.a.spawn={place = \"uniform\"}"][..];
    let point = &["species.a.spawn={place = \"point\", speed = 0}"][..];
    let case = |name, count, overrides, options| Case {
        name,
        in_space: false,
        count,
        overrides,
        options,
        stride: 1,
    };
    let in_space = |name, count, overrides, options| Case {
        in_space: true,
        ..case(name, count, overrides, options)
    };
    vec![
        case("one agent", 1, uniform, checked),
        case("one short of a workgroup", 63, uniform, checked),
        case("a workgroup", 64, uniform, checked),
        case("one more than a workgroup", 65, uniform, checked),
        // More than 65,535 agents and cells, and a count that fills no whole workgroup.
        case("more than 16 bits", 65_537, uniform, checked),
        case("the same, as shipped", 65_537, uniform, shipped),
        // At most three workgroups per dispatch dimension: every pass becomes two-dimensional.
        case("2-D dispatch", 20_011, uniform, EngineOptions { dispatch_limit: Some(3), ..checked }),
        // Grids of one block of cells, of 7, and of 20; scanned in both ways.
        case("a block of cells", 1_000, uniform, checked),
        case("a block, in two passes", 1_000, uniform, scanned_by_one(0)),
        case("a small grid", 20_011, uniform, checked),
        case("a small grid, in two passes", 20_011, uniform, scanned_by_one(0)),
        case("a large grid, in one pass", 65_537, uniform, scanned_by_one(99)),
        case("all in one cell", 3_000, point, checked),
        case("each by itself", 20_011, uniform, by_itself),
        // So many members that a limit on a shader's loop iterations would cut them off.
        case("a million in one cell", 1_200_000, point, shipped),
        // Cells of a thousand, sorted by one bitmap for all and by bitmaps for each row of cells
        // round theirs.
        case("a crowded row", 60_011, &["species.a.spawn={place = \"row\"}"], crowded_above(256)),
        case(
            "a crowded disc",
            60_011,
            &["species.a.spawn={place = \"disc\", radius = 300}"],
            crowded_above(256),
        ),
        // Every cell with more than two members is sorted.
        case("many crowds", 20_001, uniform, crowded_above(2)),
        case(
            "many crowds, in two passes",
            20_001,
            uniform,
            EngineOptions { small_grid: Some(0), ..crowded_above(2) },
        ),
        // Agents cross the whole world in a tick: the members of a cell come from everywhere.
        case(
            "scattered crowds",
            20_001,
            &["species.a.spawn={place = \"uniform\", speed = 1000}", "species.a.max_speed=1200"],
            crowded_above(2),
        ),
        // Just as scattered, but so few that one bitmap suffices.
        case(
            "scattered crowds of a small flock",
            192,
            &["species.a.spawn={place = \"uniform\", speed = 80}", "species.a.max_speed=100"],
            crowded_above(2),
        ),
        // Cells of 250 members, keys of 17 bits: three double rounds, and several members per
        // thread.
        case(
            "large scattered crowds",
            70_001,
            &[
                "world.density=1600",
                "species.a.spawn={place = \"uniform\", speed = 180}",
                "species.a.max_speed=200",
            ],
            crowded_above(128),
        ),
        case("one crowd in one bitmap", 70_001, point, crowded_above(64)),
        // Many agents have been removed: ids have up to 27 bits.
        Case {
            stride: 40_000,
            ..case("one crowd whose ids are far apart", 3_000, point, crowded_above(64))
        },
        in_space("one agent in space", 1, uniform, checked),
        in_space("one more than a workgroup, in space", 65, uniform, checked),
        in_space("more than 16 bits, in space", 65_537, uniform, checked),
        in_space("the same in space, as shipped", 65_537, uniform, shipped),
        in_space("all in one cell of a space", 3_000, point, checked),
        in_space("each by itself, in space", 20_011, uniform, by_itself),
        in_space(
            "scattered crowds, in space",
            20_001,
            &["species.a.spawn={place = \"uniform\", speed = 600}", "species.a.max_speed=700"],
            crowded_above(2),
        ),
    ]
}
