//! Chooses which agents show their geometry, and inspects one of them.

mod around_pointer;
mod paint;
mod panel;

use std::time::Duration;

use glam::Vec2;
use web_time::Instant;

use flockwork_engine::EngineError;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::scenery::Scenery;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use flockwork_session::{RealTime, Session};
use flockwork_view::camera::{Camera, Followed};
use flockwork_view::shapes::geometry::{self, MAX_DRAWN, Steering};
use flockwork_view::shapes::{Shape, StyledShape};

use around_pointer::{crowd_of, distances, in_world, nearest};
pub use paint::paint;
pub use panel::AgentFacts;

/// A flock larger than this is read back only once per `INTERVAL`, not every frame.
const LARGE: usize = 100_000;
const INTERVAL: Duration = Duration::from_millis(200);

/// With more agents than this, areas are more transparent: what is under all of them stays visible.
const PALING: f32 = 6.0;

/// Length of the arrow of an agent's longest force; pixels.
const ARROW: f32 = 60.0;

/// Which agents show their geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    None,
    /// One agent: first the one nearest to the mouse, then each agent that the moving mouse passes
    /// over. While the mouse is elsewhere, the last one keeps its geometry, so that the mouse is
    /// free for the sliders.
    One,
    /// All agents, or the nearest to the mouse or to the one that is inspected.
    Many,
}

/// The flock as it was last read.
struct Sample {
    revision: u64,
    since: Instant,
    state: FlockState,
    targets: Vec<Target>,
}

/// Agents that show their geometry.
struct Crowd {
    /// Of flock and scene.
    revisions: (u64, u64),
    rows: Vec<usize>,
    shapes: Vec<StyledShape>,
}

/// Shows the geometry of agents; at first none.
#[derive(Default)]
pub struct Inspector {
    focus: Focus,
    sample: Option<Sample>,
    /// With the revision of the scene that it was made from.
    scenery: Option<(u64, Scenery)>,
    /// The id of the chosen agent.
    chosen: Option<u32>,
    /// True if the user has clicked on it: the mouse chooses no other.
    held: bool,
    /// True if the camera follows it.
    follows: bool,
    /// True if the camera rides behind it, in space.
    rides: bool,
    /// The forces on it, while it is held.
    steering: Option<Steering>,
    /// The revisions of flock and scene, and the agent, that they belong to.
    steered: Option<(u64, u64, u32)>,
    /// The agents that show their geometry, if there are many.
    crowd: Option<Crowd>,
    /// The mouse's last place over the flock; pixels.
    pixel: Option<Vec2>,
    /// True when the mouse has moved since.
    pointed: bool,
}

/// A behaviour's name and colour.
pub type GeometryLegend = Vec<(&'static str, [u8; 3])>;

impl Inspector {
    /// Forgets the flock that it has read, because another one is shown.
    pub fn forget(&mut self) {
        (self.sample, self.scenery, self.chosen, self.crowd) = (None, None, None, None);
        self.let_go();
    }

    /// Inspects no agent any more.
    pub fn let_go(&mut self) {
        (self.held, self.follows, self.rides) = (false, false, false);
        (self.steering, self.steered) = (None, None);
    }

    /// True while an agent is inspected that the user has clicked on.
    pub fn holds(&self) -> bool {
        self.held && self.focus != Focus::None
    }

    /// True while the geometry of one agent is shown, chosen by the mouse.
    pub fn chooses(&self) -> bool {
        self.focus == Focus::One
    }

    /// True while the camera follows the agent.
    pub fn follows(&self) -> bool {
        self.follows && self.holds()
    }

    /// True if there is an agent to follow.
    fn has_chosen(&self) -> bool {
        self.chosen.is_some() && (self.holds() || self.focus == Focus::One)
    }

    /// Follows the chosen agent, or no longer. False if none is chosen.
    pub fn toggle_following(&mut self) -> bool {
        if !self.has_chosen() {
            return false;
        }
        (self.held, self.follows, self.rides) = (true, !self.follows(), false);
        true
    }

    /// Rides behind the chosen agent, or no longer. False if none is chosen.
    pub fn toggle_riding(&mut self) -> bool {
        if !self.has_chosen() {
            return false;
        }
        let rides = !(self.rides && self.follows());
        (self.held, self.follows, self.rides) = (true, rides, rides);
        true
    }

    /// True while the camera rides behind the agent.
    pub fn rides(&self) -> bool {
        self.rides && self.follows()
    }

    /// Stops following: the user moves the camera.
    pub fn stop_following(&mut self) {
        (self.follows, self.rides) = (false, false);
    }

    /// Inspects the agent nearest to a place, if one is within `reach` world units; lets it go if it
    /// is the one that is inspected. False if there is none.
    pub fn take(
        &mut self,
        session: &mut Session<RealTime>,
        camera: &Camera,
        place: Point,
        reach: f32,
    ) -> Result<bool, EngineError> {
        // The user sees the present flock.
        self.sample = None;
        self.look_at(session)?;
        let Some(sample) = &self.sample else { return Ok(false) };
        let found = nearest(&sample.state, &session.scene().world, camera, place);
        let Some((row, _)) = found.filter(|(_, distance)| *distance <= reach) else {
            return Ok(false);
        };
        let id = Some(sample.state.id[row]);
        let again = self.holds() && self.chosen == id;
        self.let_go();
        (self.chosen, self.held, self.crowd) = (id, !again, None);
        if self.focus == Focus::None {
            self.focus = Focus::One;
        }
        Ok(true)
    }

    /// Where the followed agent is now.
    pub fn followed(
        &mut self,
        session: &mut Session<RealTime>,
    ) -> Result<Option<Followed>, EngineError> {
        if !self.follows() {
            return Ok(None);
        }
        self.look_at(session)?;
        let found = self.sample.as_ref().zip(self.row());
        Ok(found.map(|(Sample { state, .. }, row)| {
            // A large flock was read some ticks ago.
            let ticks =
                session.tick().saturating_sub(state.tick) as f32 * session.scene().time_step;
            let species = session.scene().species.get(usize::from(state.species[row]));
            Followed {
                place: state.position[row] + state.velocity[row] * ticks,
                velocity: state.velocity[row],
                size: species.map_or(1.0, |species| species.body.size),
            }
        }))
    }

    /// The row of the chosen agent; `None` if it is gone.
    fn row(&self) -> Option<usize> {
        let state = &self.sample.as_ref()?.state;
        state.id.binary_search(&self.chosen?).ok()
    }

    /// The mouse is over the flock at `pixel`.
    pub fn point_at(&mut self, pixel: Vec2) {
        self.pixel = Some(pixel);
        self.pointed = true;
    }

    /// Cycles through no agent, one agent and many agents: all, or the nearest to the mouse if there
    /// are more `agents` than can be told apart. An agent that is inspected stays so. Returns a notice
    /// for the user.
    pub fn switch(&mut self, agents: usize) -> Option<String> {
        self.crowd = None;
        self.focus = match self.focus {
            Focus::One => Focus::Many,
            Focus::Many if !self.held => Focus::None,
            Focus::None | Focus::Many => Focus::One,
        };
        if !self.held {
            (self.sample, self.chosen) = (None, None);
        }
        (self.focus == Focus::Many && agents > MAX_DRAWN).then(|| {
            let centre = if self.held { "this agent" } else { "the mouse" };
            format!("geometry of the {MAX_DRAWN} agents nearest to {centre}")
        })
    }

    /// The shapes to show now. `near` is how far from an agent the mouse still selects it; pixels.
    pub fn shapes(
        &mut self,
        session: &mut Session<RealTime>,
        camera: &Camera,
        near: f32,
    ) -> Result<(Vec<StyledShape>, GeometryLegend), EngineError> {
        let pointed = std::mem::take(&mut self.pointed);
        if self.focus == Focus::None {
            return Ok(Default::default());
        }
        self.look_at(session)?;
        let edition = session.edition();
        if self.scenery.as_ref().is_none_or(|(of, _)| *of != edition) {
            self.scenery = Some((edition, session.scene().scenery()));
        }
        let (Some(sample), Some((_, scenery))) = (&self.sample, &self.scenery) else {
            return Ok(Default::default());
        };
        let revisions = (sample.revision, edition);
        let world = &session.scene().world;
        let kept = self.row();
        let mouse = camera.world_from_pixel(self.pixel.unwrap_or(camera.size * 0.5));
        // In a large flock a crowd takes a while.
        let crowd = self.crowd.take().filter(|crowd| crowd.revisions == revisions && !pointed);
        let (agents, known): (Vec<usize>, _) = if let Some(Crowd { rows, shapes, .. }) = crowd {
            (rows, Some(shapes))
        } else if self.focus == Focus::Many {
            let found = match kept.filter(|_| self.held) {
                Some(row) => crowd_of(in_world(&sample.state, world, sample.state.position[row])),
                None => crowd_of(distances(&sample.state, world, camera, mouse)),
            };
            (found, None)
        } else {
            if !self.held && (pointed || kept.is_none()) {
                let found = nearest(&sample.state, world, camera, mouse);
                let meant = |(_, distance): &(usize, f32)| {
                    kept.is_none() || distance * camera.pixels_per_unit < near
                };
                let row = found.filter(meant).map(|(row, _)| row).or(kept);
                self.chosen = row.map(|row| sample.state.id[row]);
            }
            (self.row().into_iter().collect(), None)
        };
        let scene = session.scene().at(sample.state.tick);
        let mut legend = GeometryLegend::new();
        for (index, species) in scene.species.iter().enumerate() {
            if agents.iter().any(|row| usize::from(sample.state.species[*row]) == index) {
                for (kind, colour) in geometry::legend(species) {
                    let entry = (kind.info().key, colour);
                    // Species with the same behaviour share a line.
                    if !legend.contains(&entry) {
                        legend.push(entry);
                    }
                }
            }
        }
        let (state, targets) = (&sample.state, &sample.targets);
        let mut shapes = known.unwrap_or_else(|| {
            let mut shapes = geometry::shapes_of_all(&scene, scenery, targets, state, &agents);
            let paleness = (PALING / agents.len() as f32).min(1.0);
            for shape in &mut shapes {
                if matches!(shape.shape, Shape::Sector { .. }) {
                    shape.opacity *= paleness;
                }
            }
            shapes
        });
        let held = self.row().filter(|_| self.held);
        let asked = held.map(|row| (sample.revision, edition, state.id[row]));
        // In a large flock it takes a while: once for every state that is read.
        if std::mem::replace(&mut self.steered, asked) != asked {
            self.steering = held.and_then(|row| Steering::of(&scene, scenery, targets, state, row));
        }
        if self.focus == Focus::Many {
            self.crowd = Some(Crowd { revisions, rows: agents, shapes: shapes.clone() });
        }
        if let Some(steering) = &self.steering {
            let unit = ARROW / camera.pixels_per_unit;
            shapes.extend(steering.shapes(state, unit, |place| camera.image(place)));
        }
        Ok((shapes, legend))
    }

    pub fn facts(&self, scene: &Scene) -> Option<AgentFacts> {
        let (sample, steering) = self.sample.as_ref().zip(self.steering.as_ref())?;
        AgentFacts::of(scene, &sample.state, self.row()?, steering, self.follows())
    }

    fn look_at(&mut self, session: &mut Session<RealTime>) -> Result<(), EngineError> {
        let revision = session.revision();
        let interval = if session.agents() > LARGE { INTERVAL } else { Duration::ZERO };
        let good =
            |sample: &Sample| sample.revision == revision || sample.since.elapsed() < interval;
        if !self.sample.as_ref().is_some_and(good) {
            let (state, targets) = (session.seen()?, session.targets()?);
            self.sample = Some(Sample { revision, since: Instant::now(), state, targets });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_key_keeps_the_agent_that_is_inspected() {
        let mut inspector = Inspector::default();
        assert_eq!(inspector.switch(500), None);
        assert!(inspector.switch(500).unwrap().contains("64 agents nearest to the mouse"));
        assert_eq!((inspector.switch(500), inspector.focus), (None, Focus::None));
        (inspector.focus, inspector.chosen, inspector.held) = (Focus::One, Some(7), true);
        for focus in [Focus::Many, Focus::One, Focus::Many] {
            inspector.switch(500);
            assert_eq!((inspector.focus, inspector.chosen), (focus, Some(7)));
            assert!(inspector.holds());
        }
        inspector.let_go();
        inspector.switch(500);
        assert_eq!((inspector.focus, inspector.chosen), (Focus::None, None));
    }

    #[test]
    fn following_after_a_ride_does_not_ride() {
        let mut inspector = Inspector { focus: Focus::One, chosen: Some(7), ..Default::default() };
        assert!(inspector.toggle_riding() && inspector.rides());
        for follows in [false, true] {
            assert!(inspector.toggle_following());
            assert_eq!((inspector.follows(), inspector.rides()), (follows, false));
        }
    }
}
