//! The run of a capture: steps, draws and records.

use std::time::Duration;

use indicatif::ProgressBar;

use super::drive::{Crowd, Host, Run, Stop, drive};
use super::interrupt::Interrupt;
use super::progress::progress;
use super::ranks;
use crate::commands::files::capture_output::Plan;
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::{Engine, EngineError, Snapshot};
use flockwork_model::scene::{Follow, Scene};
use flockwork_model::scenery::Scenery;
use flockwork_view::Painter;
use flockwork_view::between::between;
use flockwork_view::camera::Camera;
use flockwork_view::cpu::{raster, shape_raster};
use flockwork_view::legend::Legend;
use flockwork_view::recorder::Recorder;
use flockwork_view::recorder::averaged::Averaged;
use flockwork_view::recorder::looped::Looped;
use flockwork_view::shapes::StyledShape;
use flockwork_view::shapes::geometry;
use flockwork_view::style::{Backdrop, scale_of};
use flockwork_view::trails::{Trails, visible_ticks};

/// The result of a capture.
pub struct Shown {
    /// Frames recorded.
    pub frames: u64,
    /// Ticks done.
    pub ticks: u64,
    /// Time spent in the engine.
    pub stepping: Duration,
    /// True if the user ended the capture.
    pub interrupted: bool,
    /// The most crowded moment.
    pub crowd: Crowd,
}

/// Steps, draws and records, until all frames are drawn or the user interrupts.
pub fn film(
    run: &mut Run,
    painter: &mut dyn Painter,
    recorder: &mut dyn Recorder,
    plan: &Plan,
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
    let mut looped = Looped::new(recorder, plan.drawn(), plan.fade);
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
        frames: 0,
        parts: 0,
        before: None,
        still: None,
        trails: run.scene().style.trail.map(|half_life| (half_life, None)),
    };
    let shown = plan.every.map(|every| plan.from + (plan.drawn() - 1) * every);
    let ticks = shown.unwrap_or(plan.ticks);
    let outcome = drive(run, &mut film, ticks, interrupt)?;
    while let Some(frame) = film.painter.finish()? {
        film.recorder.push(frame)?;
    }
    film.bar.finish_and_clear();
    averaged.end()?;
    Ok(Shown {
        frames: looped.end()?,
        ticks: outcome.ticks,
        stepping: outcome.stepping,
        interrupted: outcome.interrupted,
        crowd: outcome.crowd,
    })
}

/// True if progress is counted in ticks.
fn counts_ticks(plan: &Plan) -> bool {
    plan.every.is_none() || plan.from > 0 && plan.samples == 1
}

/// A capture under way.
struct Filming<'a> {
    /// For the geometry, if that is drawn.
    scenery: Option<Scenery>,
    painter: &'a mut dyn Painter,
    recorder: &'a mut dyn Recorder,
    interrupt: &'a Interrupt,
    plan: &'a Plan,
    bar: ProgressBar,
    frames: u64,
    /// Pictures of the next frame so far.
    parts: u64,
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
            Some(scenery) if picture != Picture::Unseen => geometry_of(engine, scene, scenery)?,
            _ => Vec::new(),
        };
        let mut alone = None;
        if let Some((half_life, trails)) = &mut self.trails {
            let trails = trails.get_or_insert_with(|| Trails::new(*half_life, &camera));
            if picture != Picture::Between {
                let agents = self.painter.paint_agents(engine, scene, &camera)?;
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
                break;
            }
            let camera = match self.plan.samples {
                1 => camera,
                _ => camera.sample(number, of_frame, scene.camera.lens),
            };
            if let Some((_, Some(trails))) = &self.trails {
                let agents = match alone.take() {
                    Some(agents) => agents,
                    None => self.painter.paint_agents(engine, scene, &camera)?,
                };
                let targets = engine.targets()?;
                let scale = scale_of(width, height);
                let behind = raster::backdrop(scene, &targets, &camera, scale);
                let mut frame = trails.picture(behind, &agents);
                let above = Backdrop::of(&scene.style.background).suited(&above);
                shape_raster::draw(&above, &camera, scale, &mut frame);
                if let Some(legend) = Legend::asked_for(scene, &camera) {
                    legend.draw(scale, &mut frame);
                }
                self.recorder.push(frame)?;
            } else {
                // The flock moves on while the device draws the picture and copies it.
                let earlier = self.painter.begin(engine, scene, &camera, &above)?;
                earlier.map_or(Ok(()), |frame| self.recorder.push(frame))?;
            }
            self.bar.inc(u64::from(self.plan.samples > 1));
        }
        self.parts = if whole { 0 } else { self.parts + pictures };
        self.frames += u64::from(whole);
        let counted = !counts_ticks(self.plan) && self.plan.samples == 1;
        self.bar.inc(u64::from(counted && whole));
        Ok(())
    }

    /// Draws the flock at moments between the tick before and this one. Notes it as it is now if the next
    /// ones come after this tick.
    fn draw_between(&mut self, run: &mut Run, stop: Stop) -> anyhow::Result<()> {
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

    fn show(&mut self, run: &mut Run, stop: Stop) -> anyhow::Result<bool> {
        let wanted = match self.plan.every {
            // An interrupted film ends with the last due frame, but it has at least one.
            Some(_) => !stop.interrupted || self.frames == 0,
            None => stop.last,
        };
        let early = stop.interrupted && self.frames == 0;
        let whole = early || self.plan.every.is_none() || self.plan.is_frame(stop.done);
        let part = self.plan.needs(stop.done).contains(&(stop.done as f64));
        let picture = match wanted {
            true if whole => Picture::Last,
            true if part => Picture::Part,
            _ => Picture::Unseen,
        };
        if wanted && !early {
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

/// The shapes of everything that the agents of an engine react to.
fn geometry_of(
    engine: &mut dyn Engine,
    scene: &Scene,
    scenery: &Scenery,
) -> Result<Vec<StyledShape>, EngineError> {
    let Snapshot { state, targets } = engine.snapshot()?;
    let agents: Vec<usize> = (0..state.len()).collect();
    Ok(geometry::shapes_of_all(&scene.at(state.tick), scenery, &targets, &state, &agents))
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;
    use crate::commands::host::drive::{self, tests::Straight};
    use flockwork_model::state::FlockState;
    use flockwork_model::vector::Point;
    use flockwork_model::vector::flat;
    use flockwork_view::RasterPainter;
    use flockwork_view::frame::Frame;
    use flockwork_view::recorder::mp4::Quality;
    use flockwork_view::recorder::{Film, RecordError};

    /// Keeps the frames.
    #[derive(Default)]
    struct Kept(Vec<Frame>);

    impl Recorder for Kept {
        fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
            self.0.push(frame);
            Ok(())
        }
        fn finish(self: Box<Self>) -> Result<(), RecordError> {
            Ok(())
        }
    }

    fn filmed(ticks: u64, every: Option<u64>, stop_after: Option<u64>) -> (Shown, Vec<Frame>) {
        styled((&[], 1), 0..=ticks, every, stop_after)
    }

    fn styled(
        looks: (&[String], u64),
        shown: RangeInclusive<u64>,
        every: Option<u64>,
        stop_after: Option<u64>,
    ) -> (Shown, Vec<Frame>) {
        flown(1.0, looks, shown, every, stop_after)
    }

    /// Films an agent of this speed.
    fn flown(
        speed: f32,
        (overrides, blur): (&[String], u64),
        shown: RangeInclusive<u64>,
        every: Option<u64>,
        stop_after: Option<u64>,
    ) -> (Shown, Vec<Frame>) {
        sampled(speed, (overrides, [blur, 1]), shown, every, stop_after)
    }

    /// The same with samples.
    fn sampled(
        speed: f32,
        (overrides, [blur, samples]): (&[String], [u64; 2]),
        shown: RangeInclusive<u64>,
        every: Option<u64>,
        stop_after: Option<u64>,
    ) -> (Shown, Vec<Frame>) {
        let scene = crate::commands::files::scene_files::read_scene("flock", overrides).unwrap();
        let interrupt = Interrupt::default();
        let state = FlockState {
            tick: 0,
            id: vec![0],
            species: vec![0],
            position: vec![flat(100.5, 100.5)],
            velocity: vec![Point::X * speed],
            ..FlockState::default()
        };
        let engine = Straight { stop_after, interrupt: interrupt.clone(), ..Straight::default() };
        let film = Film { width: 640, height: 360, rate: 30.0, alpha: false };
        let quality = Quality::default();
        let out = std::path::PathBuf::new();
        let (from, ticks) = shown.into_inner();
        let (geometry, fade, most) = (false, 0, None);
        let plan =
            Plan { out, film, from, ticks, every, geometry, blur, samples, fade, quality, most };
        let mut kept = Kept::default();
        let mut run = drive::load(Box::new(engine), &scene, &state).unwrap();
        let painter = &mut RasterPainter { scale: 1.0 };
        let shown = super::film(&mut run, painter, &mut kept, &plan, &interrupt).unwrap();
        assert_eq!(run.tick(), shown.ticks);
        (shown, kept.0)
    }

    /// Column of the rightmost pixel that is not background: the dart's nose.
    fn nose(frame: &Frame) -> u32 {
        let lit = |x: u32| frame.rgb(x, 259) != Some(flockwork_view::style::BACKGROUND);
        (0..640).rev().find(|x| lit(*x)).unwrap()
    }

    #[test]
    fn a_film_shows_tick_0_and_every_multiple() {
        let (shown, frames) = filmed(47, Some(10), None);
        assert_eq!((shown.frames, shown.ticks, shown.interrupted), (5, 40, false));
        let noses: Vec<u32> = frames.iter().map(nose).collect();
        assert!(noses.windows(2).all(|pair| pair[1] == pair[0] + 10), "{noses:?}");
    }

    #[test]
    fn a_film_may_begin_late() {
        let trails = ["style.trail=3".to_string()];
        for (looks, blur) in [(&[][..], 1), (&[], 8), (&trails, 1)] {
            let all = styled((looks, blur), 0..=47, Some(if blur > 1 { 4 } else { 1 }), None).1;
            let (shown, frames) = styled((looks, blur), 20..=47, Some(4), None);
            assert_eq!((shown.frames, shown.ticks, frames.len()), (7, 44, 7));
            for (number, frame) in frames.iter().enumerate().skip(1) {
                let tick = 20 + 4 * number;
                let same = &all[if blur > 1 { tick / 4 } else { tick }];
                let apart =
                    frame.pixels.iter().zip(&same.pixels).map(|(a, b)| a.abs_diff(*b)).max();
                assert!(apart <= Some(1), "frame {number} is {apart:?} apart from tick {tick}");
            }
        }
        let first = styled((&[], 8), 20..=47, Some(4), None).1.remove(0);
        assert!(first == filmed(20, None, None).1[0], "the first frame is one picture");
        // A film that is interrupted before has the picture of that moment.
        let (shown, frames) = styled((&[], 1), 20..=47, Some(4), Some(5));
        assert!(shown.interrupted);
        assert_eq!((shown.frames, frames.len()), (1, 1));
    }

    #[test]
    fn a_picture_shows_the_last_tick() {
        let (_, first) = filmed(0, None, None);
        let (shown, frames) = filmed(47, None, None);
        assert_eq!((shown.frames, shown.ticks), (1, 47));
        assert_eq!(nose(&frames[0]), nose(&first[0]) + 47);
    }

    #[test]
    fn a_blurred_frame_is_the_mean_of_the_ticks_before_it() {
        let (shown, frames) = styled((&[], 5), 0..=16, Some(8), None);
        assert_eq!((shown.frames, shown.ticks, frames.len()), (3, 16, 3));
        let all = filmed(16, Some(1), None).1;
        assert!(frames[0] == all[0]);
        for (frame, last) in [(1, 8), (2, 16)] {
            for (i, channel) in frames[frame].pixels.iter().enumerate() {
                let sum: u32 = (last - 4..=last).map(|tick| u32::from(all[tick].pixels[i])).sum();
                assert_eq!(u32::from(*channel), (sum + 2) / 5);
            }
        }
        let trails = ["style.trail=3".to_string()];
        let (shown, frames) = styled((&trails, 5), 0..=16, Some(8), None);
        assert_eq!((shown.frames, frames.len()), (3, 3));
    }

    #[test]
    fn a_fast_agent_leaves_a_streak_without_gaps() {
        let dark = |parts, every, number: usize| {
            let looks = (&[][..], parts);
            let frame = flown(20.0, looks, 0..=3 * every, Some(every), None).1.swap_remove(number);
            let lit = |x: &u32| frame.rgb(*x, 259) != Some(flockwork_view::style::BACKGROUND);
            let (tail, nose) = ((0..640).find(lit).unwrap(), nose(&frame));
            (tail..nose).filter(|x| !lit(x)).count()
        };
        for (every, number) in [(1, 1), (2, 1), (2, 3), (3, 2)] {
            assert_eq!(dark(8, every, number), 0, "frame {number} of every {every}");
        }
        // The control: the pictures of the two ticks alone.
        assert!(dark(2, 2, 1) > 4, "{} columns are dark", dark(2, 2, 1));
    }

    /// The columns from the tail to the nose.
    fn length(frame: &Frame) -> u32 {
        let lit = |x: &u32| frame.rgb(*x, 259) != Some(flockwork_view::style::BACKGROUND);
        nose(frame) - (0..640).find(lit).unwrap()
    }

    #[test]
    fn samples_have_their_own_moments_if_motion_is_blurred() {
        let trail = ["style.trail=3".to_string()];
        for looks in [&[][..], &trail] {
            let film = |counts| sampled(20.0, (looks, counts), 0..=8, Some(4), None);
            let (shown, still) = film([1, 32]);
            assert_eq!((shown.frames, shown.ticks, still.len()), (3, 8, 3));
            let (shown, blurred) = film([8, 32]);
            assert_eq!((shown.frames, shown.ticks, blurred.len()), (3, 8, 3));
            assert!(still[0] == blurred[0], "nothing was before the first frame");
            // Half of the way between two frames.
            let streak = length(&blurred[2]) - length(&still[2]);
            assert!(looks.len() == 1 || streak.abs_diff(40) < 2, "{streak}");
            assert!(film([8, 32]).1 == blurred, "the same bytes twice");
            let single = sampled(20.0, (looks, [1, 32]), 0..=8, None, None).1;
            assert!(looks.len() == 1 || single[0] == still[2]);
            assert!(film([1, 16]).1[0] != still[0], "the control: fewer samples");
        }
    }

    #[test]
    fn an_interrupted_frame_is_the_mean_of_what_was_drawn() {
        let (shown, frames) = sampled(1.0, (&[], [1, 256]), 0..=1000, None, Some(20));
        assert!(shown.interrupted);
        assert_eq!((shown.frames, frames.len()), (1, 1));
        let whole = sampled(1.0, (&[], [1, 256]), 0..=shown.ticks, None, None).1;
        assert!(length(&frames[0]) > 3, "a dart is seen");
        assert!(frames[0] != whole[0], "it has all of its pictures");
        let (shown, frames) = sampled(1.0, (&[], [1, 4]), 0..=1000, Some(10), Some(20));
        assert!(shown.interrupted);
        assert_eq!((shown.frames, frames.len()), (2, 2));
    }

    #[test]
    fn trails_do_not_depend_on_the_frames() {
        let trail = |every| styled((&["style.trail=3".into()], 1), 0..=40, every, None);
        let (shown, all) = trail(Some(1));
        assert_eq!((shown.frames, shown.ticks), (41, 40));
        let (shown, some) = trail(Some(8));
        assert_eq!((shown.frames, shown.ticks), (6, 40));
        assert!(
            (0..6).all(|number| some[number] == all[8 * number]),
            "the same ticks look the same"
        );
        let (shown, last) = trail(None);
        assert_eq!((shown.frames, shown.ticks), (1, 40));
        let apart = |a: &Frame, b: &Frame| {
            a.pixels.iter().zip(&b.pixels).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
        };
        assert!(apart(&last[0], &all[40]) <= 1, "what a picture leaves out has faded");
        let plain = filmed(40, None, None).1;
        assert_eq!(nose(&plain[0]), nose(&last[0]));
        assert!(apart(&plain[0], &last[0]) > 30);
    }

    #[test]
    fn an_interrupted_film_keeps_what_was_drawn() {
        let (shown, frames) = filmed(1000, Some(10), Some(20));
        assert!(shown.interrupted);
        assert_eq!((shown.frames, frames.len()), (2, 2));
    }
}
