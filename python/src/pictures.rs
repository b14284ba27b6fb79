//! Pictures and films of a flock.

use flockwork::commands::capture::{self, CaptureArgs, FilmPlan, Output};
use flockwork::commands::host::arg_parsers::Size;
use flockwork::commands::host::drive::{DrivenSession, host_time};
use flockwork::commands::host::windowless::painter;
use flockwork::host::Session;
use flockwork::pictures::{Frame, Painter};
use flockwork::session::Stops;
use flockwork::{Request, RunRecord};

use crate::errors::Fault;
use crate::inner::Inner;
use crate::signals::Signals;

fn size((width, height): (u32, u32)) -> Result<Size, Fault> {
    format!("{width}x{height}").parse().map_err(Fault::Value)
}

/// Lends the engine to a session for some work with a painter, which may advance the flock.
fn with_run<T>(
    inner: &mut Inner,
    size: Size,
    advances: bool,
    work: impl FnOnce(&mut DrivenSession, &mut dyn Painter) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (at, gpu) = ((inner.tick, inner.agents()), inner.gpu.clone());
    inner.lend(advances, |engine, scene| {
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
    with_run(inner, size, false, |run, painter| Ok(capture::picture(run, painter, size, samples)?))
}

/// Runs the flock and films it, by options of `flockwork capture`. Returns what was written, in words.
pub fn film(inner: &mut Inner, options: &[String]) -> Result<String, Fault> {
    let args = CaptureArgs::parse(options).map_err(Fault::Value)?;
    let size = args.size;
    let mut plan: FilmPlan = args.plan(args.ticks.unwrap_or_default())?;
    plan.film.alpha = inner.scene.style.background.is_none();
    capture::check_film(&plan, &inner.scene, inner.agents())?;
    let output = Output::open(&plan)?;
    let scene = inner.fixed_scene()?;
    let record = RunRecord::new(&scene, &Request::default(), scene.world.size, &[]);
    let comment = record.on(&inner.engine()?.kind().to_string(), None, None).text();
    let (signals, begin) = (Signals::default(), inner.tick);
    let result = with_run(inner, size, true, |run, painter| {
        Ok(capture::take(run, painter, (Some(output), &plan, &comment), &signals.interrupt())?)
    });
    // The frames so far are kept.
    signals.raised()?;
    let (_, kept) = result?;
    // Ticks behind the last frame.
    inner.step(plan.ticks.saturating_sub(inner.tick - begin))?;
    Ok(kept)
}
