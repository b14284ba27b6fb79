//! Chooses which agents show their geometry, and inspects one of them.

mod paint;
mod panel;

use std::time::{Duration, Instant};

use glam::Vec2;

use flockwork_engine::EngineError;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::scenery::Scenery;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use flockwork_model::world::World;
use flockwork_session::{RealTime, Session};
use flockwork_view::camera::{Camera, Followed};
use flockwork_view::shapes::geometry::{self, MOST_AGENTS, Steering};
use flockwork_view::shapes::{Shape, StyledShape};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Focus {
    None,
    /// One agent: first the one nearest to the mouse, then each agent that the moving mouse passes
    /// over. While the mouse is elsewhere, the last one keeps its geometry, so that the mouse is
    /// free for the sliders.
    One,
    All,
}

/// The flock as it was last read.
struct Sample {
    revision: u64,
    since: Instant,
    state: FlockState,
    targets: Vec<Target>,
}

/// Shows the geometry of agents.
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
    /// The mouse's last place over the flock; pixels.
    pixel: Option<Vec2>,
    /// True when the mouse has moved since.
    pointed: bool,
}

/// A behaviour's name and colour.
pub type Legend = Vec<(&'static str, [u8; 3])>;

impl Inspector {
    /// An inspector that shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            focus: Focus::None,
            sample: None,
            scenery: None,
            chosen: None,
            held: false,
            follows: false,
            rides: false,
            steering: None,
            steered: None,
            pixel: None,
            pointed: false,
        }
    }

    /// Forgets the flock that it has read, because another one is shown.
    pub fn forget(&mut self) {
        (self.sample, self.scenery, self.chosen) = (None, None, None);
        self.let_go();
    }

    /// Inspects no agent any more.
    pub fn let_go(&mut self) {
        (self.held, self.follows, self.rides) = (false, false, false);
        (self.steering, self.steered) = (None, None);
    }

    /// True while an agent is inspected that the user has clicked on.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.held && self.focus == Focus::One
    }

    /// True while the geometry of one agent is shown, chosen by the mouse.
    #[must_use]
    pub fn chooses(&self) -> bool {
        self.focus == Focus::One
    }

    /// True while the camera follows the agent.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.follows && self.holds()
    }

    /// Follows the chosen agent, or no longer. False if none is chosen.
    pub fn toggle_following(&mut self) -> bool {
        if self.focus != Focus::One || self.chosen.is_none() {
            return false;
        }
        self.follows = !self.follows();
        self.held = true;
        true
    }

    /// Rides behind the chosen agent, or no longer. False if none is chosen.
    pub fn toggle_riding(&mut self) -> bool {
        if self.focus != Focus::One || self.chosen.is_none() {
            return false;
        }
        let rides = !(self.rides && self.follows());
        (self.held, self.follows, self.rides) = (true, rides, rides);
        true
    }

    /// True while the camera rides behind the agent.
    #[must_use]
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
        // What the user sees is the present flock.
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
        (self.focus, self.chosen, self.held) = (Focus::One, id, !again);
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

    /// Cycles through no agent, one agent and all agents; skips the last when `agents` are too
    /// many. Returns a notice for the user.
    pub fn switch(&mut self, agents: usize) -> Option<String> {
        (self.sample, self.chosen) = (None, None);
        self.let_go();
        let (focus, notice) = match self.focus {
            Focus::None => (Focus::One, None),
            Focus::One if agents <= MOST_AGENTS => (Focus::All, None),
            Focus::One => {
                let most = format!("geometry of all agents: in flocks of {MOST_AGENTS} at most");
                (Focus::None, Some(most))
            }
            Focus::All => (Focus::None, None),
        };
        self.focus = focus;
        notice
    }

    /// The shapes to show now. `near` is how far from an agent the mouse still selects it; pixels.
    pub fn shapes(
        &mut self,
        session: &mut Session<RealTime>,
        camera: &Camera,
        near: f32,
    ) -> Result<(Vec<StyledShape>, Legend), EngineError> {
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
        let all = self.focus == Focus::All && sample.state.len() <= MOST_AGENTS;
        let agents: Vec<usize> = if all {
            (0..sample.state.len()).collect()
        } else {
            let kept = self.row();
            if !self.held && (pointed || kept.is_none()) {
                let place = camera.world_from_pixel(self.pixel.unwrap_or(camera.size * 0.5));
                let found = nearest(&sample.state, &session.scene().world, camera, place);
                let meant = |(_, distance): &(usize, f32)| {
                    kept.is_none() || distance * camera.pixels_per_unit < near
                };
                let row = found.filter(meant).map(|(row, _)| row).or(kept);
                self.chosen = row.map(|row| sample.state.id[row]);
            }
            self.row().into_iter().collect()
        };
        let scene = session.scene().at(sample.state.tick);
        let mut legend = Legend::new();
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
        let mut shapes = geometry::shapes_of_all(&scene, scenery, targets, state, &agents);
        let paleness = (PALING / agents.len() as f32).min(1.0);
        for shape in &mut shapes {
            if matches!(shape.shape, Shape::Sector { .. }) {
                shape.opacity *= paleness;
            }
        }
        let asked = match agents[..] {
            [row] if self.held => Some((sample.revision, edition, state.id[row])),
            _ => None,
        };
        // In a large flock it takes a while: once for every state that is read.
        if std::mem::replace(&mut self.steered, asked) != asked {
            let row = agents.first().filter(|_| asked.is_some());
            self.steering = row.and_then(|row| Steering::of(&scene, scenery, targets, state, *row));
        }
        if let Some(steering) = &self.steering {
            let unit = ARROW / camera.pixels_per_unit;
            shapes.extend(steering.shapes(state, unit, |place| camera.image(place)));
        }
        Ok((shapes, legend))
    }

    /// What is known of the agent that is inspected.
    #[must_use]
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
            let (state, targets) = (session.state()?, session.targets()?);
            self.sample = Some(Sample { revision, since: Instant::now(), state, targets });
        }
        Ok(())
    }
}

/// The row of the agent nearest to a place, and its distance in world units. In space the one that is seen
/// nearest to the place's pixel, at any depth; its distance is that of the pixels at the focus.
fn nearest(
    state: &FlockState,
    world: &World,
    camera: &Camera,
    place: Point,
) -> Option<(usize, f32)> {
    if camera.eye.is_some() {
        let pixel = camera.pixel_from_world(place);
        let rows = state.position.iter().enumerate().filter_map(|(row, place)| {
            let seen = camera.seen(camera.image(*place))?;
            Some((row, seen.pixel.distance(pixel) / camera.pixels_per_unit))
        });
        return rows.min_by(|a, b| a.1.total_cmp(&b.1));
    }
    let distance = |p: &Point| world.shortest_between(place, *p).length();
    let rows = state.position.iter().map(distance).enumerate();
    rows.min_by(|a, b| a.1.total_cmp(&b.1))
}
