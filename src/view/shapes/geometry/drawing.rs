//! Draws the geometry of one agent.

use super::builder::ShapeBuilder;
use super::{perception, rule};
use crate::shapes::{Dashes, StyledShape, angle_of};
use flockwork_model::behaviours::follow_path::SLOW;
use flockwork_model::behaviours::pursue::{Aim, Nearest};
use flockwork_model::behaviours::{
    Agent, Arrive, Cohesion, Evade, Flee, FollowPath, Kind, Neighbour, Pursue, Seek, Surroundings,
    Swim, Wander,
};
use flockwork_model::parameter::{FULL_CIRCLE, NO_TARGET, UNLIMITED};
use flockwork_model::scene::Species;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{
    Axes, DIMENSIONS, Point, Remembered, Space, Vector, components, point as point_of,
};

/// A velocity or desired velocity is drawn as the distance covered in this many ticks.
const ARROW_TICKS: f32 = 10.0;

/// Colour of the agent itself: its ring and its velocity.
const OWN_COLOUR: [u8; 3] = [225, 228, 235];

/// Radius of the ring around the agent, in agent sizes.
const OWN_RING: f32 = 1.8;

pub(super) fn point(vector: Vector<f32, DIMENSIONS>) -> Point {
    point_of(vector.0)
}

fn vector(point: Point) -> Vector<f32, DIMENSIONS> {
    Vector(components(point))
}

/// The agent whose geometry is drawn.
#[derive(Clone, Copy)]
pub(super) struct DrawnAgent {
    row: usize,
    pub position: Point,
    /// A unit vector.
    pub heading: Point,
    /// The agent in the form that behaviours use.
    pub agent: Agent<f32, DIMENSIONS>,
}

impl DrawnAgent {
    fn new(species: &Species, state: &FlockState, row: usize) -> Self {
        let velocity = vector(state.velocity[row]);
        let memory = state.memory.get(row).copied().unwrap_or_default();
        let remembered =
            Remembered { angle: memory.angle(), direction: Vector(memory.direction()) };
        Self {
            row,
            position: state.position[row],
            heading: point(velocity.heading()),
            agent: Agent {
                remembered,
                noise: Vector::splat(0.5),
                ..Agent::new(species.body, vector(state.position[row]), velocity)
            },
        }
    }
}

/// A drawing in progress.
pub struct GeometryDrawing<'a> {
    pub(super) species: &'a Species,
    pub(super) surroundings: Surroundings<'a>,
    state: &'a FlockState,
    pub(super) subject: DrawnAgent,
    pub(super) shapes: ShapeBuilder,
}

impl<'a> GeometryDrawing<'a> {
    /// An empty drawing for the agent in a row of `state`. The agent must be of `species`.
    pub fn new(
        species: &'a Species,
        surroundings: Surroundings<'a>,
        state: &'a FlockState,
        row: usize,
    ) -> Self {
        let shapes = ShapeBuilder::new(species.body.size);
        Self { species, surroundings, state, subject: DrawnAgent::new(species, state, row), shapes }
    }

    /// Draws everything: the behaviours of the legend in their colours, and the agent's velocity.
    pub fn all(mut self, legend: &[(Kind, [u8; 3])]) -> Vec<StyledShape> {
        let DrawnAgent { position, agent, .. } = self.subject;
        let sights: Vec<_> =
            legend.iter().map(|(kind, _)| perception(self.species, *kind)).collect();
        for (index, (kind, colour)) in legend.iter().enumerate() {
            self.shapes.colour = *colour;
            if let Some((radius, fov)) = sights[index] {
                // Behaviours with the same radius share a circle: their dashes alternate.
                let same = |others: &[Option<(f32, f32)>]| {
                    others.iter().filter(|other| **other == sights[index]).count() as u32
                };
                self.perception(radius, fov, same(&sights[..index]), same(&sights));
            }
            self.behaviour(*kind);
        }
        self.shapes.colour = OWN_COLOUR;
        self.shapes.circle(position, agent.body.size * OWN_RING);
        self.shapes.arrow(position, position + point(agent.velocity) * ARROW_TICKS);
        self.shapes.into_shapes()
    }

    fn behaviour(&mut self, kind: Kind) {
        let species = self.species;
        match kind {
            Kind::Cohesion => {
                let Cohesion { inner, .. } = rule::<Cohesion>(species, kind);
                if inner > 0.0 {
                    self.shapes.ring(self.subject.position, inner);
                }
            }
            Kind::Pursue => {
                let Pursue { radius, fov, with, target, lead, ticks, .. } = rule(species, kind);
                let nearest = self.nearest(radius, fov, with);
                self.meeting(&Aim { target, lead, ticks }, &nearest);
            }
            Kind::Evade => {
                let Evade { radius, fov, with, target, lead, ticks, .. } = rule(species, kind);
                let nearest = self.nearest(radius, fov, with);
                self.meeting(&Aim { target, lead, ticks }, &nearest);
            }
            Kind::Seek => {
                let Seek { target, proximity, .. } = rule(species, kind);
                self.target(target, proximity, f32::MAX);
            }
            Kind::Flee => {
                let Flee { target, radius, .. } = rule(species, kind);
                self.target(target, radius, radius);
            }
            Kind::Arrive => {
                let Arrive { target, slowing_radius, .. } = rule(species, kind);
                self.target(target, slowing_radius, f32::MAX);
            }
            Kind::Wander => self.wander(),
            Kind::FollowPath => self.path(),
            Kind::Avoid => self.obstacles(),
            Kind::FollowFlow => self.flow(),
            Kind::Swim => self.swim(),
            // The others show only their range of perception.
            _ => {}
        }
    }

    /// Draws a behaviour's range of perception; `fov` in degrees. It is number `turn` of the `of`
    /// behaviours with the same range.
    fn perception(&mut self, radius: f32, fov: f32, turn: u32, of: u32) {
        let DrawnAgent { position, heading, .. } = self.subject;
        let angle = fov.to_radians();
        let in_space = !self.surroundings.world.is_flat();
        if fov < FULL_CIRCLE && in_space {
            if turn == 0 {
                self.shapes.cone(position, radius, heading, angle);
                self.shapes.ring(position, radius);
            }
        } else if fov < FULL_CIRCLE {
            if turn == 0 {
                self.shapes.sector(position, radius, heading, angle);
            }
            let heading = angle_of(heading);
            self.shapes.dashes(Dashes { centre: position, radius, heading, angle, turn, of });
        } else if radius < UNLIMITED {
            self.shapes.dashes(Dashes { turn, of, ..Dashes::round(position, radius) });
        }
    }

    /// The nearest agent that a behaviour looks for: within `radius` and a field of view (`fov` is
    /// the cosine of its half), of a species in the set `with`.
    fn nearest(&self, radius: f32, fov: f32, with: f32) -> Nearest<f32, DIMENSIONS> {
        let DrawnAgent { row, position, heading, .. } = self.subject;
        let mut nearest = Nearest::none(0.0);
        let sought = |species: u8| with as u32 >> species & 1 == 1;
        let rows = (0..self.state.len()).filter(|other| *other != row);
        for other in rows.filter(|other| sought(self.state.species[*other])) {
            let offset =
                self.surroundings.world.shortest_between(position, self.state.position[other]);
            let distance_squared = offset.length_squared();
            let ahead = heading.dot(offset);
            let seen = ahead >= fov * offset.length();
            nearest.observe(&Neighbour {
                offset: vector(offset),
                distance_squared,
                velocity: vector(self.state.velocity[other]),
                ahead,
                near: distance_squared < radius * radius,
                share: f32::from(u8::from(seen)),
            });
        }
        nearest
    }

    /// The point where the pursuer would meet its quarry.
    fn meeting(&mut self, aim: &Aim<f32>, nearest: &Nearest<f32, DIMENSIONS>) {
        let DrawnAgent { position, agent, .. } = self.subject;
        let (way, found) = aim.way(&agent, &self.surroundings, nearest);
        if !found {
            return;
        }
        let other = if aim.target == NO_TARGET {
            nearest.offset
        } else {
            self.surroundings.to_target(aim.target, agent.position).offset
        };
        let (other, meeting) = (position + point(other), position + point(way));
        self.shapes.circle(other, agent.body.size);
        self.shapes.line(&[other, meeting]);
        self.shapes.line(&[position, meeting]);
        self.shapes.point(meeting);
    }

    /// The way to a target nearer than `limit`, and a circle around it.
    fn target(&mut self, target: f32, radius: f32, limit: f32) {
        let DrawnAgent { position, agent, .. } = self.subject;
        let way = self.surroundings.to_target(target, agent.position);
        let offset = point(way.offset);
        if !way.found {
            return;
        }
        if radius > 0.0 && radius < UNLIMITED {
            self.shapes.ring(position + offset, radius);
        }
        if offset.length() < limit {
            self.shapes.line(&[position, position + offset]);
            self.shapes.point(position + offset);
        }
    }

    fn wander(&mut self) {
        let DrawnAgent { position, heading, agent, .. } = self.subject;
        let Wander { kind, distance, radius, .. } = rule(self.species, Kind::Wander);
        let around = if self.surroundings.world.is_flat() {
            Axes::at_angle(agent.remembered.angle)
        } else {
            agent.remembered.direction
        };
        let kicks = kind > 0.0;
        let turned = if kicks { around } else { Axes::framed(vector(heading), around) };
        // A kick changes the velocity, so it is drawn to the same scale.
        let scale = if kicks { ARROW_TICKS } else { 1.0 };
        let centre = position + heading * distance * scale;
        let sought = centre + point(turned) * radius * scale;
        self.shapes.ring(centre, radius * scale);
        self.shapes.line(&[position, centre, sought]);
        self.shapes.line(&[position, sought]);
        self.shapes.point(sought);
    }

    fn path(&mut self) {
        let DrawnAgent { position, heading, agent, .. } = self.subject;
        let FollowPath { path, lookahead, advance, radius, .. } =
            rule(self.species, Kind::FollowPath);
        let slow = agent.velocity.length() < SLOW;
        let predicted = position + heading * if slow { 0.0 } else { lookahead };
        self.shapes.line(&[position, predicted]);
        self.shapes.point(predicted);
        let paths = &self.surroundings.scenery.paths;
        let place = vector(predicted);
        let near = paths.candidates(path, &place, &path, &1.0);
        let normals = near.iter().map(|segment| (point(segment.nearest(place)), segment));
        let distance = |normal: Point| normal.distance(predicted);
        let nearest = normals.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
        let Some((normal, segment)) = nearest else { return };
        self.shapes.line(&[predicted, normal]);
        self.shapes.point(normal);
        if distance(normal) > radius {
            let along = (segment.to - segment.from).normalize_or_zero();
            let sought = normal + along * advance;
            self.shapes.line(&[position, sought]);
            self.shapes.circle(sought, self.subject.agent.body.size * 0.6);
        }
    }

    fn flow(&mut self) {
        let DrawnAgent { position, agent, .. } = self.subject;
        let flow = &self.surroundings.scenery.flow;
        if let Some(cell) = flow.index.cell(position) {
            let [columns, rows, _] = flow.index.cells_along;
            let (column, line) = (cell as u32 % columns, cell as u32 / columns);
            let middle = flow.index.middle([column, line % rows, line / rows]);
            let half = flow.index.cell_size() * 0.5;
            self.shapes.rectangle(middle - half, middle + half);
        }
        let way = flow.at(position).normalize_or_zero();
        self.shapes.arrow(position, position + way * agent.body.max_speed * ARROW_TICKS);
    }

    fn swim(&mut self) {
        let DrawnAgent { position, heading, agent, .. } = self.subject;
        let Swim { target, radius, .. } = rule(self.species, Kind::Swim);
        let food = self.surroundings.to_target(target, agent.position);
        if !food.found {
            return;
        }
        let centre = position + point(food.offset);
        let around = Axes::framed(vector(heading), Axes::at_angle(agent.remembered.angle));
        let sought = centre + point(around) * radius;
        self.shapes.ring(centre, radius);
        self.shapes.line(&[position, sought]);
        self.shapes.line(&[centre, sought]);
        self.shapes.point(sought);
    }
}
