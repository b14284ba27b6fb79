//! Random obstacles, paths and flow fields for the situations.

use flockwork::model::scene::Scene;
use flockwork::model::scenery::{FlowKind, FlowPlan, Obstacle};
use glam::Vec3;

use super::agents;
use super::dice::Dice;
use super::situations::{Situation, on_lattice, text_of};

/// Up to four circles, or thirty: points, small circles on the lattice and elsewhere (also outside
/// the world), some that overlap, some over the agents, one over the whole world.
pub fn obstacles(size: Vec3, dice: &mut Dice) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = vec![];
    for _ in 0..dice.one_of(&[0, 1, 1, 2, 3, 4, 30]) {
        let uniform = dice.place(size, 5.0);
        let lattice = on_lattice(uniform);
        let last = obstacles.last().map_or(lattice, |last| last.position);
        let place = dice.one_of(&[uniform, uniform, lattice, last]);
        let radius = dice.one_of(&[0.0, 1.5, 3.0, 3.0, 8.0, 8.0, 20.0, 200.0]);
        obstacles.push(Obstacle::new(place, radius));
    }
    obstacles
}

/// `count` paths of two to seven corners, or forty; some closed, some with a repeated corner or
/// across the seam.
///
/// The corners are whole numbers, so `from + (to − from)` is `to` to the bit. A corner that is the
/// nearest point is then equally near on both of its segments.
pub fn paths_text(count: usize, size: Vec3, dice: &mut Dice) -> String {
    let mut text = String::new();
    for index in 0..count {
        let mut corners = vec![at(3.0, 4.0, size)];
        for _ in 0..dice.one_of(&[1, 2, 3, 4, 5, 38]) {
            let corner = dice.place(size, 12.0).round();
            let last = corners[corners.len() - 1];
            corners.push(dice.one_of(&[corner, corner, corner, last]));
        }
        corners.push(at(17.0, 11.0, size));
        if dice.below(2) == 0 {
            corners.remove(0);
            // A path needs two corners.
            corners.push(at(9.0, 15.0, size));
        }
        let corners: Vec<String> = corners.iter().map(|p| text_of(*p, size)).collect();
        text += &format!(
            "[[paths]]\nname = \"p{index}\"\nclosed = {}\npoints = [{}]\n",
            dice.below(2) == 0,
            corners.join(", ")
        );
    }
    text
}

/// A whole place; in space at a height of 5.
fn at(x: f32, y: f32, size: Vec3) -> Vec3 {
    Vec3::new(x, y, if size.z == 0.0 { 0.0 } else { 5.0 })
}

pub fn flow_text(dice: &mut Dice) -> String {
    format!(
        "[flow]\nkind = \"{}\"\ncell = {}\nfrequency = {}\n",
        dice.one_of(&["perlin", "vortex", "curl"]),
        dice.one_of(&[7.0, 20.0]),
        dice.one_of(&[0.1, 0.43])
    )
}

/// In one case of three, replaces the flow field by one as if read from a file, with some zero
/// vectors.
pub fn field_from_a_file(scene: &mut Scene, dice: &mut Dice) {
    if dice.below(3) > 0 {
        return;
    }
    let size = scene.world.size;
    let mut grid = [1 + dice.below(6) as u32, 1 + dice.below(6) as u32, 0];
    if size.z > 0.0 {
        grid[2] = 1 + dice.below(6) as u32;
    }
    let one = |_| {
        let way = dice.vector(size, 2.0);
        dice.one_of(&[way, way, Vec3::ZERO])
    };
    let vectors = (0..grid.map(|cells| cells.max(1)).iter().product()).map(one).collect();
    let file = Some("vectors.csv".into());
    scene.flow =
        Some(FlowPlan { kind: FlowKind::File, grid, vectors, file, ..FlowPlan::default() });
}

/// A single agent in the upper corner of a walled world with an obstacle ahead. In worlds of many
/// sizes, because each rounds the corner's place in the cell table differently.
pub fn in_the_corner() -> impl Iterator<Item = Situation> {
    (20..=150).map(|side| {
        let text = format!(
            "world = {{ size = [{side}, {side}], boundary = \"walls\" }}\n\
             [species.a.avoid]\nreach = 10\nbuffer = 1\n"
        );
        let mut scene = Scene::parse("corner", &text).unwrap();
        let corner = scene.world.size;
        scene.obstacles = vec![Obstacle::new(corner - Vec3::new(6.0, 4.0, 0.0), 2.0)];
        let state = agents(&[(corner, Vec3::new(-1.0, -1.0, 0.0))]);
        Situation { name: format!("in the corner of {side}x{side}"), scene, state }
    })
}
