//! A film of a run into files, and a picture of it into memory.

use std::path::{Path, PathBuf};

use super::files::capture_output::{Output, Plan};
use super::host::arg_parsers::Size;
use super::host::drive::Run;
use super::host::filming::{Shown, film};
use super::host::interrupt::Interrupt;
use super::host::{memory_check, ranks};
use flockwork_view::Painter;
use flockwork_view::frame::Frame;
use flockwork_view::recorder::{RecordError, Recorder};

/// Films a run as planned, into `output` if this process has one, with a comment in the files. Also returns the
/// files, in words.
pub fn take(
    run: &mut Run,
    painter: &mut dyn Painter,
    (mut output, plan, comment): (Option<Output>, &Plan, &str),
    interrupt: &Interrupt,
) -> anyhow::Result<(Shown, String)> {
    let recorder = output.as_mut().map(|output| output.recorder(plan, comment)).transpose();
    let mut recorder = ranks::agree(recorder)?.unwrap_or_else(|| Box::<Kept>::default());
    let shown = film(run, painter, recorder.as_mut(), plan, interrupt)
        .and_then(|shown| Ok(recorder.finish().map(|()| shown)?))
        .map_err(|error| named(error, &plan.out))?;
    let kept = output.map(|output| output.publish(plan, shown.frames, comment)).transpose();
    Ok((shown, ranks::agree(kept)?.unwrap_or_default()))
}

/// A picture of the flock as it is now.
pub fn picture(
    run: &mut Run,
    painter: &mut dyn Painter,
    size: Size,
    samples: u64,
) -> anyhow::Result<Frame> {
    let alpha = run.scene().style.background.is_none();
    let plan = Plan { samples, ..Plan::of_picture(PathBuf::new(), size, alpha, 0) };
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
