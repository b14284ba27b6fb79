//! Pictures of agents that are too small to show their shape: the conditions for this method, and
//! the declarations that its two implementations, `shaders/splat.wgsl` and
//! `cpu/splat_raster.rs`, share.

use bytemuck::{Pod, Zeroable};

use crate::camera::Camera;
use crate::style::{Backdrop, CONDENSED, MIN_HALF_LENGTH, Measure, Paint, SLENDERNESS};
use flockwork_model::grid::Grid;
use flockwork_model::scene::{BoidShape, Scene, Species};

/// Darts stronger than this are drawn as triangles, and so are those that would be stronger at one
/// pixel per point.
///
/// A dart pales when its natural size falls below [`MIN_HALF_LENGTH`]; it is then drawn at
/// that size. At this strength it is 3.5 pixels long instead of 1.9. The middle of a stronger dart
/// would hide more than all of a cell.
pub const MAX_STRENGTH: f32 = 0.5;

/// Darts up to this strength are drawn as one point instead of two, which halves the work. Their
/// natural length is then less than a third of the drawn one, so their direction is invisible.
pub const FAINT: f32 = 0.25;

/// The largest share of a cell that either part of an agent hides. It is below 1, so that depths
/// stay finite.
pub const MAX_HIDDEN: f32 = 0.95;

/// How far the colours of the densest crowds move towards white, or ink on a light background; a
/// share of the way. Where colours are hues of one lightness, crowds so keep their structure where
/// nothing more can be hidden. This is for the smallest agents: larger ones move less, and
/// triangles not at all.
const LIFT: f32 = 0.55;

/// The depth at which a crowd has half of its lift.
pub const LIFT_DEPTH: f32 = 4.0;

/// The colour that crowds move towards: white, or ink.
const LIFT_TO: [f32; 2] = [1.0, 0.1];

/// Cells around a band on every side. An agent whose middle is up to two cells outside reaches no
/// farther, and agents farther out are not visible.
pub const MARGIN: u32 = 4;

/// Bytes per cell: four sums.
pub const CELL_BYTES: u64 = 16;

/// The most counts per bit of depth: finer than any picture shows.
const MAX_COUNTS: f64 = 65_536.0;

/// The uniform of `shaders/canvas.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Canvas {
    /// Cells in a row, without the margin.
    pub columns: u32,
    /// Rows of this band, without the margin.
    pub rows: u32,
    /// Index of the band's first row.
    pub top: u32,
    /// Cells per pixel along one side.
    pub cells_per_pixel: f32,
    /// Fixed-point scale: counts per depth of 1. A depth of 1 hides half.
    pub counts_per_bit: f32,
    /// See [`MAX_HIDDEN`].
    pub most_hidden: f32,
    /// 1 if there are several species.
    pub several: u32,
    /// 1 if colours have three factors, 0 if the first is always 1: if all are on one circle.
    pub three_factors: u32,
    /// See [`MARGIN`].
    pub margin: u32,
    /// The largest depth that either part of an agent adds to a cell.
    pub deepest: f32,
    /// Distance from the agent ahead to the front point of a dart, and its area; cells.
    pub nose: [f32; 2],
    /// The same for the rear point; its area is 0 when the front point stands for both.
    pub tail: [f32; 2],
    /// The most parts of agents on one cell here, per agent in the flock's fullest grid cell.
    pub crowding: f32,
    /// Strength per light of an agent: one over the square of the dart's half length in pixels.
    pub per_light: f32,
    /// The most that a crowd's colour moves towards `lift_to`, as a share of the way; see `LIFT`.
    pub lift: f32,
    /// Red, green and blue of the colour of the densest crowds.
    pub lift_to: f32,
}

/// A band of the picture: rows that are drawn together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureBand {
    /// The cells: its own rows and one row of each neighbour.
    pub canvas: Canvas,
    /// Its first row of pixels.
    pub first: u32,
    /// Rows of pixels.
    pub rows: u32,
}

/// True if the agents of `scene` are too small to show their shape. They are then drawn into
/// cells instead of as triangles, at any count.
#[must_use]
pub fn fits(scene: &Scene, camera: &Camera, scale: f32) -> bool {
    // The two points belong to the usual smallest dart.
    scene.species.iter().all(|species| {
        let measure = Measure::of(scene, species, camera.pixels_per_unit, scale);
        let size = species.body.size;
        let pale = !measure.shows(size)
            || measure.extent(size).strength <= measure.shows_above.min(MAX_STRENGTH);
        let usual = scene.smallest_of(species).is_none();
        species.look.in_plane() == BoidShape::Triangle && usual && pale
    })
}

/// The largest half length of any agent's dart, in pixels, and the most light.
fn largest(scene: &Scene, camera: &Camera, scale: f32) -> (f32, f32) {
    let of = |species: &Species| {
        let measure = Measure::of(scene, species, camera.pixels_per_unit, scale);
        measure.extent(species.body.size)
    };
    let extents = scene.species.iter().map(of);
    extents.fold((MIN_HALF_LENGTH, 0.0), |(radius, light), extent| {
        (radius.max(extent.radius), light.max(extent.radius * extent.radius * extent.strength))
    })
}

/// The most strength of a dart in space that is no body, in cells of a pixel: just before it becomes one, or
/// as faint as any.
fn strongest(scene: &Scene, scale: f32) -> f32 {
    let points = scale.max(1.0);
    let of = |species| {
        let measure = Measure::of(scene, species, 1.0, scale);
        let most = measure.shows_above.min(MAX_STRENGTH);
        (points * most).max(points * points * measure.faintest.min(most))
    };
    scene.species.iter().map(of).fold(0.0, f32::max)
}

/// A dart as two points. After each is spread over the four cells around it, they have the dart's
/// area, centre, variance and third moment along the heading. Returns the points' distances ahead
/// of the agent, and their areas; all in cells. `radius` is half the length.
fn halves(radius: f64) -> [[f32; 2]; 2] {
    let length = 2.0 * radius;
    let area = length * f64::from(SLENDERNESS) * radius;
    // A triangle's moments from its base to its tip.
    let (centre, deviation, skewness) =
        (-radius / 3.0, length / 18.0_f64.sqrt(), 2.0 * 2.0_f64.sqrt() / 5.0);
    // Spreading adds a sixth; the pixels of a triangle's picture add a twelfth.
    let spread = (deviation * deviation + 1.0 / 12.0 - 1.0 / 6.0).sqrt();
    let skew = skewness * (deviation / spread).powi(3);
    let front = 0.5 - 0.5 * skew / skew.hypot(2.0);
    let (ahead, behind) = (((1.0 - front) / front).sqrt(), (front / (1.0 - front)).sqrt());
    [
        [(centre + spread * ahead) as f32, (front * area) as f32],
        [(centre - spread * behind) as f32, ((1.0 - front) * area) as f32],
    ]
}

/// A dart as one point: the distance of its centre ahead of the agent, and its area.
fn whole(radius: f64) -> [[f32; 2]; 2] {
    let area = 2.0 * radius * f64::from(SLENDERNESS) * radius;
    [[(-radius / 3.0) as f32, area as f32], [0.0; 2]]
}

/// The factor on a dart's strength that gives back the light that it loses because neither of its parts
/// hides more of a cell than [`MAX_HIDDEN`].
fn correction(parts: [[f32; 2]; 2], strength: f32) -> f32 {
    const STEPS: usize = 16;
    let light = |area: f32| {
        let share = |step: usize| (step as f32 + 0.5) / STEPS as f32;
        let places = (0..STEPS * STEPS).map(|i| share(i / STEPS) * share(i % STEPS));
        // The other three cells have the same sum over all places.
        let hidden = places.map(|covered| (strength * area * covered).min(MAX_HIDDEN));
        4.0 * hidden.sum::<f32>() / (STEPS * STEPS) as f32
    };
    let areas = parts.map(|[_, area]| area);
    let kept: f32 = areas.map(light).iter().sum();
    if kept > 0.0 { strength * areas.iter().sum::<f32>() / kept } else { 1.0 }
}

/// Counts per depth of 1. No sum of `agents` agents in one cell exceeds a `u32` if either part of
/// an agent adds at most depth `deepest`.
fn counts_per_bit(agents: u64, deepest: f64) -> f32 {
    // Colour sums are up to twice the depth sums, and each part is rounded up.
    let each = f64::from(i32::MAX) / (2.0 * agents.max(1) as f64) - 1.0;
    // The shader rounds too; a thousandth covers its error.
    (0.999 * each / deepest).min(MAX_COUNTS) as f32
}

/// Number of cells of `grid` that hold the agents in a square with sides of `side` world units.
fn grid_cells(grid: &Grid<2>, side: f64) -> f64 {
    // A thousandth covers the error of coordinates.
    let along = |cells_per_unit: f32| (1.001 * side * f64::from(cells_per_unit)).ceil() + 1.0;
    grid.cells_per_unit.map(along).iter().product()
}

impl Canvas {
    /// The cells of a whole picture of `size` pixels, as seen by `camera`, on a screen with `scale`
    /// pixels per point. A cell is one pixel wide, or more where that would make a dart stronger than
    /// [`CONDENSED`].
    #[must_use]
    pub fn of(
        scene: &Scene,
        agents: u64,
        camera: &Camera,
        (width, height): (u32, u32),
        scale: f32,
    ) -> Self {
        let in_space = camera.eye.is_some();
        let (radius, light) = largest(scene, camera, scale);
        // Points smaller than a pixel would be invisible.
        let points = scale.max(1.0);
        let strongest = strongest(scene, scale);
        let cell = match in_space {
            true => (strongest / CONDENSED).sqrt(),
            false => radius / MIN_HALF_LENGTH,
        };
        let cell = cell.clamp(1.0, points);
        let per_light = (cell * MIN_HALF_LENGTH).powi(-2);
        let strength = if in_space { strongest / (cell * cell) } else { light * per_light };
        // Where agents are lit or dimmed, the first factor of a colour on a circle differs from 1.
        let paints = Paint::all(scene);
        let dims = paints.iter().any(|paint| paint.hue.structured);
        let three_factors = in_space || dims || Paint::has_stops(&paints);
        let lift = match three_factors {
            true => 0.0,
            false => {
                // The share of the strength at which agents become triangles, at one pixel per point.
                let shape = strength * (cell / points).powi(2) / MAX_STRENGTH;
                LIFT * (1.0 - shape).clamp(0.0, 1.0)
            }
        };
        let ink = Backdrop::of(&scene.style.background).is_light();
        // In space a dart may be seen from ahead.
        let parts = if strength > FAINT && !in_space { halves } else { whole };
        let [nose, tail] = parts(f64::from(MIN_HALF_LENGTH));
        let correction = correction([nose, tail], strength);
        let (strength, per_light) = (strength * correction, per_light * correction);
        let hidden = (strength * nose[1].max(tail[1])).min(MAX_HIDDEN);
        let deepest = -(1.0 - f64::from(hidden)).log2();
        let parts = if tail[1] > 0.0 { 2.0 } else { 1.0 };
        // A part is spread over the cells less than one cell away.
        let reach = 1.0 + f64::from(nose[0].abs().max(tail[0].abs()));
        let side = 2.0 * reach * f64::from(cell / camera.pixels_per_unit);
        // A line of sight through a space passes many cells of the grid: any number may cover one
        // cell here.
        let crowding = match in_space {
            true => f64::from(f32::MAX),
            false => parts * grid_cells(&scene.grid(agents as usize), side),
        };
        let cells = |pixels: u32| ((pixels as f32 / cell).ceil() as u32).max(1);
        Self {
            columns: cells(width),
            rows: cells(height),
            top: 0,
            cells_per_pixel: cell.recip(),
            counts_per_bit: counts_per_bit(agents, deepest),
            most_hidden: MAX_HIDDEN,
            several: u32::from(scene.species.len() > 1),
            three_factors: u32::from(three_factors),
            margin: MARGIN,
            deepest: deepest as f32,
            nose,
            tail,
            crowding: crowding as f32,
            per_light,
            lift,
            lift_to: LIFT_TO[usize::from(ink)],
        }
    }

    /// Bytes of all sums, including the margin.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.row_bytes() * u64::from(self.rows + 2 * MARGIN)
    }

    fn row_bytes(&self) -> u64 {
        CELL_BYTES * u64::from(self.columns + 2 * MARGIN)
    }

    /// Splits the picture, `height` pixels high, into bands of at most `bytes` each, but of at
    /// least one row.
    #[must_use]
    pub fn bands(&self, height: u32, bytes: u64) -> Vec<PictureBand> {
        if self.bytes() <= bytes {
            return vec![PictureBand { canvas: *self, first: 0, rows: height }];
        }
        // Both margins, and one row of each neighbour.
        let rows = (bytes / self.row_bytes()).saturating_sub(u64::from(2 * MARGIN + 2)).max(1);
        let rows = rows.min(u64::from(self.rows)) as u32;
        // The pixel row at which a row of cells begins.
        let pixel = |row: u32| ((row as f32 / self.cells_per_pixel).ceil() as u32).min(height);
        let starts = (0..self.rows).step_by(rows as usize);
        let band = |start: u32| {
            let end = (start + rows).min(self.rows);
            let top = start.saturating_sub(1);
            let canvas = Self { top, rows: (end + 1).min(self.rows) - top, ..*self };
            let first = pixel(start);
            let last = if end == self.rows { height } else { pixel(end) };
            PictureBand { canvas, first, rows: last - first }
        };
        starts.map(band).filter(|band| band.rows > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::OPACITY;
    use flockwork_model::scene::{BuiltIn, Request};

    fn scene() -> Scene {
        Scene::parse("flock", BuiltIn::named("flock").unwrap().text).unwrap()
    }

    #[test]
    fn no_number_of_agents_in_one_cell_is_too_many() {
        for agents in [1, 1000, 200_000, 8_000_000, 1 << 27] {
            for hidden in [0.001, 0.3, f64::from(MAX_HIDDEN)] {
                let deepest = -(1.0 - hidden).log2();
                let counts = f64::from(counts_per_bit(agents, deepest));
                // Both parts of each agent; colours count twice as much as depths.
                let sum = 4.0 * agents as f64 * (deepest * counts + 1.0);
                assert!(sum <= f64::from(u32::MAX), "{agents} agents: {sum}");
                // The scale is not too coarse either.
                assert!(sum > 0.6 * f64::from(u32::MAX) || counts > 6e4);
            }
        }
    }

    #[test]
    fn a_square_meets_no_more_grid_cells_than_computed() {
        let grid = scene().grid(20_000);
        let width = 1.0 / grid.cells_per_unit[0];
        for side in [0.01, 0.5, 1.0, 1.7, 2.0, 5.3].map(|share| share * width) {
            let wanted = grid_cells(&grid, f64::from(side));
            let mut most = 0;
            for step in 0..200 {
                // Some lie beyond the world's edges.
                let corner = -2.0 * width + step as f32 * 0.053 * width;
                let [first, last] = [corner, corner + side].map(|at| grid.cell_of([at; 2]));
                most = most.max((last[0] - first[0] + 1) * (last[1] - first[1] + 1));
            }
            assert!(f64::from(most) <= wanted, "{most} cells, not {wanted}");
            // The bound is not far too high either.
            assert!(wanted <= 4.0 * f64::from(most));
        }
    }

    #[test]
    fn two_points_have_the_moments_of_a_dart() {
        let radius = f64::from(MIN_HALF_LENGTH);
        let [nose, tail] = halves(radius).map(|half| half.map(f64::from));
        let area = nose[1] + tail[1];
        assert!((area - 2.0 * radius * radius * f64::from(SLENDERNESS)).abs() < 1e-5);
        let moment = |power| {
            let of = |[along, area]: [f64; 2]| area * (along + radius / 3.0).powi(power);
            (of(nose) + of(tail)) / area
        };
        let length = 2.0 * radius;
        assert!(moment(1).abs() < 1e-6);
        assert!((moment(2) + 1.0 / 6.0 - length * length / 18.0 - 1.0 / 12.0).abs() < 1e-6);
        // ∫ (x − h/3)³ · 2 (h − x) / h² dx over the height h.
        assert!((moment(3) - length.powi(3) / 135.0).abs() < 1e-6);
        assert!(nose[0] > 0.0 && tail[0] < 0.0);
        let [[centre, all], [_, none]] = whole(radius);
        assert!((f64::from(centre) + radius / 3.0).abs() < 1e-6 && none == 0.0);
        assert!((f64::from(all) - area).abs() < 1e-5);
        // A point farther out would leave the margin.
        assert!(nose[0].abs().max(tail[0].abs()) + 1.0 < f64::from(MARGIN) - 1.0);
    }

    #[test]
    fn bands_cover_every_row_once() {
        for (height, scale, bytes) in
            [(720, 1.0, 1 << 27), (720, 1.0, 1 << 20), (721, 1.5, 1 << 20), (300, 2.0, 1)]
        {
            let scene = scene();
            let camera = Camera::fit(&scene.world, 1280, height);
            let canvas = Canvas::of(&scene, 1000, &camera, (1280, height), scale);
            let bands = canvas.bands(height, bytes);
            assert!(bands.len() > 1 || canvas.bytes() <= bytes);
            let mut next = 0;
            for band in &bands {
                assert_eq!(band.first, next);
                next += band.rows;
                assert!(band.canvas.bytes() <= bytes || band.canvas.rows <= 3);
                // Its pixels lie between the middles of its cells, or at the picture's edge.
                let row = |pixel: u32| (pixel as f32 + 0.5) * canvas.cells_per_pixel - 0.5;
                let (top, rows) = (band.canvas.top, band.canvas.rows);
                assert!(top == 0 || row(band.first) >= top as f32);
                let end = top + rows;
                assert!(end == canvas.rows || row(next - 1) <= (end - 1) as f32);
            }
            assert_eq!(next, height);
        }
    }

    #[test]
    fn a_million_agents_in_the_largest_pictures_are_grains_of_one_pixel() {
        let scene = scene();
        let (scene, _) =
            scene.populate(&Request { count: Some(1_000_000), ..Request::default() }).unwrap();
        let of = |(width, height), scale| {
            let camera = Camera::fit(&scene.world, width, height);
            assert!(fits(&scene, &camera, scale));
            Canvas::of(&scene, 1_000_000, &camera, (width, height), scale)
        };
        let (small, large) = (of((1280, 720), 1.0), of((3840, 2160), 3.0));
        assert_eq!([small.cells_per_pixel, large.cells_per_pixel], [1.0; 2]);
        // The same depths have the same colours, up to a percent.
        assert!((small.lift / large.lift - 1.0).abs() < 0.01 && small.lift > 0.3 * LIFT);
    }

    #[test]
    fn only_small_darts_go_into_cells() {
        let mut scene = scene();
        let switch = MAX_STRENGTH / OPACITY * MIN_HALF_LENGTH / scene.species[0].body.size;
        let camera = |factor| Camera {
            pixels_per_unit: switch * factor,
            ..Camera::fit(&scene.world, 1280, 720)
        };
        let (small, large) = (camera(0.99), camera(1.01));
        assert!(fits(&scene, &small, 1.0) && !fits(&scene, &large, 1.0));
        // With several pixels per point, the pixels show the shape.
        assert!(fits(&scene, &small, 2.0) && !fits(&scene, &large, 2.0));
        for look in [BoidShape::Disc, BoidShape::Glow] {
            scene.species[0].look = look;
            assert!(!fits(&scene, &small, 1.0));
        }
    }
}
