//! The run of a capture: steps, draws and records, into files or into memory.

use std::path::{Path, PathBuf};

use indicatif::ProgressBar;

use super::arg_parsers::Size;
use super::drive::{DrivenSession, Host, Outcome, Stop, drive};
use super::errors::{Interrupted, wrong};
use super::interrupt::Interrupt;
use super::progress::progress;
use super::{memory_check, ranks};
use crate::commands::files::capture_output::{FilmPlan, Output};
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::{Engine, Snapshot};
use flockwork_model::scene::{Follow, Scene};
use flockwork_model::scenery::Scenery;
use flockwork_view::between::between;
use flockwork_view::camera::Camera;
use flockwork_view::cpu::shape_raster;
use flockwork_view::frame::Frame;
use flockwork_view::legend::Legend;
use flockwork_view::recorder::averaged::Averaged;
use flockwork_view::recorder::looped::Looped;
use flockwork_view::recorder::{Film, RecordError, Recorder};
use flockwork_view::shapes::geometry::{self, MAX_DRAWN};
use flockwork_view::style::{Backdrop, scale_of};
use flockwork_view::trails::{Trails, visible_ticks};
use flockwork_view::{Layer, Motif, Painter};

/// The result of a capture.
pub struct Shown {
    /// Frames recorded; without any, nothing is written.
    pub frames: u64,
    /// The number of pictures in the last frame, if the user ended the run before it had all of them.
    pub cut: Option<u64>,
    /// The run behind them.
    pub run: Outcome,
}

/// Films a run as planned, into `output` if this process has one, with a comment in the files. Also returns the
/// files, in words.
pub fn take(
    run: &mut DrivenSession,
    painter: &mut dyn Painter,
    (mut output, plan, comment): (Option<Output>, &FilmPlan, &str),
    interrupt: &Interrupt,
) -> anyhow::Result<(Shown, String)> {
    let recorder = output.as_mut().map(|output| output.recorder(plan, comment)).transpose();
    let mut recorder = ranks::agree(recorder)?.unwrap_or_else(|| Box::<Kept>::default());
    let shown = film(run, painter, recorder.as_mut(), plan, interrupt)
        .and_then(|shown| match shown.frames {
            0 => Ok(shown),
            _ => Ok(recorder.finish().map(|()| shown)?),
        })
        .map_err(|error| named(error, &plan.out))?;
    if shown.frames == 0 {
        let (from, ticks) = (plan.from, shown.run.ticks);
        let kept = format!(
            "the film begins at tick {from}, and this was tick {ticks}; nothing is written"
        );
        return Err(Interrupted { kept }.into());
    }
    let kept = output.map(|output| output.publish(plan, shown.frames)).transpose();
    Ok((shown, ranks::agree(kept)?.unwrap_or_default()))
}

/// Fails if a flock of so many agents cannot be filmed as planned: it has too many for the geometry of their
/// steering, or there is not enough memory.
pub fn check_film(plan: &FilmPlan, scene: &Scene, agents: usize) -> anyhow::Result<()> {
    if plan.geometry {
        check_geometry(agents)?;
    }
    let Film { width, height, .. } = plan.film;
    memory_check::check_pictures(Size { width, height }, plan.bytes_per_pixel(scene))?;
    if plan.blur > 1 {
        memory_check::check_blur(scene, agents)?;
    }
    Ok(())
}

/// Fails if there are too many agents to draw the geometry of their steering.
fn check_geometry(agents: usize) -> anyhow::Result<()> {
    if agents > MAX_DRAWN {
        return Err(wrong(format!(
            "--geometry: {agents} agents are too many to tell apart; draw a flock of {MAX_DRAWN} at most, or \
             leave --geometry out"
        )));
    }
    Ok(())
}

/// A picture of the flock as it is now.
pub fn picture(
    run: &mut DrivenSession,
    painter: &mut dyn Painter,
    size: Size,
    samples: u64,
) -> anyhow::Result<Frame> {
    let alpha = run.scene().style.background.is_none();
    let plan = FilmPlan { samples, ..FilmPlan::of_picture(PathBuf::new(), size, alpha, 0) };
    memory_check::check_pictures(size, plan.bytes_per_pixel(run.scene()))?;
    let mut kept = Kept::default();
    film(run, painter, &mut kept, &plan, &Interrupt::default())?;
    kept.0.ok_or_else(|| anyhow::anyhow!("no picture was drawn"))
}

/// Keeps the last frame, for a caller or for nobody: ranks that write nothing draw, too.
#[derive(Default)]
struct Kept(Option<Frame>);

impl Recorder for Kept {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.0 = Some(frame);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        Ok(())
    }
}

/// Adds the film's name: ffmpeg knows only the temporary one.
fn named(error: anyhow::Error, out: &Path) -> anyhow::Error {
    match error.downcast_ref() {
        Some(RecordError::Ffmpeg(_)) => error.context(format!("cannot write {}", out.display())),
        _ => error,
    }
}

/// Steps, draws and records, until all frames are drawn or the user interrupts.
fn film(
    run: &mut DrivenSession,
    painter: &mut dyn Painter,
    recorder: &mut dyn Recorder,
    plan: &FilmPlan,
    interrupt: &Interrupt,
) -> anyhow::Result<Shown> {
    // A single picture and ticks before a film spend their time on ticks, a film on frames.
    let bar = match counts_ticks(plan) {
        true => progress(plan.ticks, "ticks"),
        false if plan.samples > 1 => {
            progress(plan.drawn().saturating_mul(plan.pictures()), "pictures")
        }
        false => progress(plan.drawn(), "frames"),
    };
    let mut looped = Looped::new(recorder, plan.fade);
    let mut averaged = if plan.samples > 1 {
        Averaged::of_light(&mut looped, plan.pictures() as u32, plan.film.alpha)
    } else {
        let parts = plan.exposed(plan.frame_after(plan.from)).count();
        Averaged::of_channels(&mut looped, parts as u32)
    };
    let mut film = Filming {
        scenery: plan.geometry.then(|| run.scene().scenery()),
        painter,
        recorder: &mut averaged,
        interrupt,
        plan,
        bar,
        parts: 0,
        cut: None,
        before: None,
        still: None,
        trails: run.scene().style.trail.map(|half_life| (half_life, None)),
    };
    let ticks = plan.every.map_or(plan.ticks, |every| plan.from + (plan.drawn() - 1) * every);
    let mut outcome = drive(run, &mut film, ticks, interrupt)?;
    let cut = film.cut;
    outcome.interrupted |= cut.is_some();
    while let Some(frame) = film.painter.finish()? {
        film.recorder.push(frame)?;
    }
    film.bar.finish_and_clear();
    averaged.end()?;
    Ok(Shown { frames: looped.end()?, cut, run: outcome })
}

/// True if progress is counted in ticks.
fn counts_ticks(plan: &FilmPlan) -> bool {
    plan.every.is_none() || plan.from > 0 && plan.samples == 1
}

/// A capture under way.
struct Filming<'a> {
    /// For the geometry, if that is drawn.
    scenery: Option<Scenery>,
    painter: &'a mut dyn Painter,
    recorder: &'a mut dyn Recorder,
    interrupt: &'a Interrupt,
    plan: &'a FilmPlan,
    bar: ProgressBar,
    /// Pictures of the next frame so far.
    parts: u64,
    /// See [`Shown::cut`].
    cut: Option<u64>,
    /// The flock at the stop before, if a picture shows it between then and now.
    before: Option<Snapshot>,
    /// Holds a flock between two ticks for the painter; it never steps.
    still: Option<CpuEngine>,
    /// If the style has them: their half-life in ticks, and those so far.
    trails: Option<(f32, Option<Trails>)>,
}

/// A picture under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Picture {
    /// Only its trails are kept.
    Unseen,
    /// A part of a frame between two ticks; it leaves no trails.
    Between,
    /// A part of a frame at a tick.
    Part,
    /// The last part of a frame.
    Last,
}

impl Filming<'_> {
    /// Draws the flock of an engine at a tick or between two.
    fn draw(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        at: f64,
        picture: Picture,
    ) -> anyhow::Result<()> {
        let followed = match scene.camera.follow {
            Follow::None => None,
            _ => Camera::followed(scene, &engine.read_back()?),
        };
        let (width, height) = (self.plan.film.width, self.plan.film.height);
        let camera = Camera::at(scene, at, followed, (width, height));
        let above = match &self.scenery {
            // All that the agents react to.
            Some(scenery) if picture != Picture::Unseen => {
                let Snapshot { state, targets } = engine.snapshot()?;
                check_geometry(state.len())?;
                let agents: Vec<usize> = (0..state.len()).collect();
                geometry::shapes_of_all(&scene.at(state.tick), scenery, &targets, &state, &agents)
            }
            _ => Vec::new(),
        };
        let mut alone = None;
        if let Some((half_life, trails)) = &mut self.trails {
            let trails = trails.get_or_insert_with(|| Trails::new(*half_life, &camera));
            if picture != Picture::Between {
                let motif = Motif { layer: Layer::Agents, ..Motif::of(scene, &camera) };
                let agents = self.painter.paint(engine, motif)?;
                trails.add(&agents, &camera);
                alone = Some(agents).filter(|_| self.plan.samples == 1);
            }
        }
        let whole = picture == Picture::Last;
        let of_frame = self.plan.pictures();
        let (first, pictures) = match picture {
            Picture::Unseen => return Ok(()),
            Picture::Last if self.plan.samples > 1 => (self.parts, of_frame - self.parts),
            _ => (self.parts, 1),
        };
        if pictures > 1 && self.plan.every.is_none() {
            self.bar.finish_and_clear();
            self.bar = progress(pictures, "pictures");
        }
        for number in first..first + pictures {
            if number > first && ranks::any(self.interrupt.is_raised()) {
                self.cut = Some(number);
                break;
            }
            let camera = match self.plan.samples {
                1 => camera,
                _ => camera.sample(number, of_frame, scene.camera.lens),
            };
            let motif = Motif { above: &above, ..Motif::of(scene, &camera) };
            if let Some((_, Some(trails))) = &self.trails {
                let mut paint = |layer| self.painter.paint(engine, Motif { layer, ..motif });
                let agents = match alone.take() {
                    Some(agents) => agents,
                    None => paint(Layer::Agents)?,
                };
                let scale = scale_of(width, height);
                let behind = paint(Layer::Behind)?;
                let mut frame = trails.picture(behind, &agents);
                let above = Backdrop::of(&scene.style.background).suited(&above);
                shape_raster::draw(&above, &camera, scale, &mut frame);
                if let Some(legend) = Legend::asked_for(scene, &camera) {
                    legend.draw(scale, &mut frame);
                }
                self.recorder.push(frame)?;
            } else {
                // The flock moves on while the device draws the picture and copies it.
                let earlier = self.painter.begin(engine, motif)?;
                earlier.map_or(Ok(()), |frame| self.recorder.push(frame))?;
            }
            self.bar.inc(u64::from(self.plan.samples > 1));
        }
        self.parts = if whole { 0 } else { self.parts + pictures };
        let counted = !counts_ticks(self.plan) && self.plan.samples == 1;
        self.bar.inc(u64::from(counted && whole));
        Ok(())
    }

    /// Draws the flock at moments between the tick before and this one. Notes it as it is now if the next
    /// ones come after this tick.
    fn draw_between(&mut self, run: &mut DrivenSession, stop: Stop) -> anyhow::Result<()> {
        let shares = |tick| {
            let moments = self.plan.needs(tick).into_iter().map(f64::fract);
            moments.filter(|share| *share > 0.0).collect::<Vec<_>>()
        };
        let (shares, next) = (shares(stop.done), shares(stop.done + 1));
        let goes_on = !next.is_empty() && !stop.last;
        let before = self.before.take();
        if shares.is_empty() && !goes_on {
            return Ok(());
        }
        let (now, scene) = (run.snapshot()?, run.scene().clone());
        if let Some(before) = before.filter(|_| !shares.is_empty()) {
            let mut still = self.still.take().map_or_else(|| CpuEngine::new(None), Ok)?;
            for share in shares {
                let Snapshot { state, targets } = between(&scene, [&before, &now], share as f32);
                let scene = scene.with_targets(targets);
                still.load(&scene, &state)?;
                let at = run.tick() as f64 - 1.0 + share;
                self.draw(&mut still, &scene, at, Picture::Between)?;
            }
            self.still = Some(still);
        }
        self.before = goes_on.then_some(now);
        Ok(())
    }
}

impl Host for Filming<'_> {
    fn next_stop(&self, done: u64) -> u64 {
        if let Some((half_life, _)) = self.trails {
            // The first frame needs the trails that are then still visible; from there on each tick adds
            // some.
            let first = self.plan.every.map_or(self.plan.ticks, |_| self.plan.from);
            return (done + 1).max(first.saturating_sub(visible_ticks(half_life)));
        }
        let next = self.plan.frame_after(done);
        let parts = self.plan.exposed(next).flat_map(|at| [at.floor() as u64, at.ceil() as u64]);
        parts.into_iter().find(|tick| *tick > done).unwrap_or(next)
    }

    fn ticked(&mut self, ticks: u64) {
        if counts_ticks(self.plan) {
            self.bar.inc(ticks);
        }
    }

    /// In a film the flock moves on while the device draws.
    fn waits(&self) -> bool {
        self.plan.every.is_none()
    }

    fn show(&mut self, run: &mut DrivenSession, stop: Stop) -> anyhow::Result<bool> {
        let wanted = match self.plan.every {
            // An interrupted film ends with the last due frame.
            Some(_) => !stop.interrupted,
            None => stop.last,
        };
        let whole = self.plan.every.is_none() || self.plan.is_frame(stop.done);
        let part = self.plan.needs(stop.done).contains(&(stop.done as f64));
        let picture = match wanted {
            true if whole => Picture::Last,
            true if part => Picture::Part,
            _ => Picture::Unseen,
        };
        if wanted {
            self.draw_between(run, stop)?;
        }
        if picture == Picture::Unseen && self.trails.is_none() {
            return Ok(true);
        }
        run.gather()?;
        let at = run.tick() as f64;
        let (engine, scene) = run.engine_and_scene();
        self.draw(engine, scene, at, picture)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
