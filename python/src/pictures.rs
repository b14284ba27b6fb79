//! Pictures and films of a flock.

use flockwork::commands::capture::{self, CaptureArgs, Output, Plan};
use flockwork::commands::host::arg_parsers::Size;
use flockwork::commands::host::drive::{Run, host_time};
use flockwork::commands::host::interrupt::Interrupt;
use flockwork::commands::host::options::painter;
use flockwork::host::Session;
use flockwork::pictures::{Camera, Frame, Painter, StyledShape};
use flockwork::session::Stops;
use flockwork::{Engine, EngineError, Request, RunRecord, Scene};

use crate::errors::Fault;
use crate::inner::{Inner, check_signals};

fn size((width, height): (u32, u32)) -> Result<Size, Fault> {
    format!("{width}x{height}").parse().map_err(Fault::Value)
}

/// Lends the engine to a session for some work with a painter.
fn with_run<T>(
    inner: &mut Inner,
    size: Size,
    work: impl FnOnce(&mut Run, &mut dyn Painter) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (at, gpu) = ((inner.tick, inner.agents), inner.gpu.clone());
    inner.lend(|engine, scene| {
        let clock = Stops::default();
        let mut run = Session::around(engine, scene, at, clock, host_time());
        let result = painter(gpu, size, &scene.style)
            .map_err(Fault::from)
            .and_then(|mut painter| work(&mut run, painter.as_mut()));
        (run.into_engine(), result)
    })?
}

/// The flock as it is now: a picture with colours that are not multiplied by alpha.
pub fn picture(inner: &mut Inner, pixels: (u32, u32), samples: u64) -> Result<Frame, Fault> {
    let size = size(pixels)?;
    with_run(inner, size, |run, painter| Ok(capture::picture(run, painter, size, samples)?))
}

/// Runs the flock and films it, by options of `flockwork capture`. Returns what was written, in words.
pub fn film(inner: &mut Inner, options: &[String]) -> Result<String, Fault> {
    let args = CaptureArgs::parse(options).map_err(Fault::Value)?;
    let size = args.size;
    let mut plan: Plan = args.plan(args.ticks.unwrap_or_default())?;
    plan.film.alpha = inner.scene.style.background.is_none();
    let output = Output::open(&plan)?;
    let scene = inner.fixed_scene();
    let record = RunRecord::new(&scene, &Request::default(), scene.world.size, &[]);
    let comment = record.on(&inner.engine()?.kind().to_string(), None, None).text();
    let interrupt = Interrupt::default();
    let (taken, raised) = with_run(inner, size, |run, painter| {
        let mut watched = Watched { painter, interrupt: &interrupt, raised: None };
        let taken = capture::take(run, &mut watched, (Some(output), &plan, &comment), &interrupt)?;
        Ok((taken, watched.raised))
    })?;
    // The frames so far are kept.
    raised.map_or(Ok(taken.kept), Err)
}

/// Looks for Ctrl-C before each picture.
struct Watched<'a> {
    painter: &'a mut dyn Painter,
    interrupt: &'a Interrupt,
    raised: Option<Fault>,
}

impl Watched<'_> {
    fn look(&mut self) {
        if self.raised.is_none()
            && let Err(fault) = check_signals()
        {
            self.raised = Some(fault);
            self.interrupt.raise();
        }
    }
}

impl Painter for Watched<'_> {
    fn describe(&self) -> String {
        self.painter.describe()
    }

    fn paint(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Frame, EngineError> {
        self.painter.paint(engine, scene, camera, above)
    }

    fn begin(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
        above: &[StyledShape],
    ) -> Result<Option<Frame>, EngineError> {
        self.look();
        self.painter.begin(engine, scene, camera, above)
    }

    fn paint_agents(
        &mut self,
        engine: &mut dyn Engine,
        scene: &Scene,
        camera: &Camera,
    ) -> Result<Frame, EngineError> {
        self.look();
        self.painter.paint_agents(engine, scene, camera)
    }

    fn finish(&mut self) -> Result<Option<Frame>, EngineError> {
        self.painter.finish()
    }
}
