//! Shows a flock in a canvas of a page.

use std::sync::Arc;

use flockwork_app::{EngineFactory, WindowError, WindowOptions};
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::gpu::{Gpu, GpuEngine};
use flockwork_engine::{Engine, EngineError, EngineKind};
use flockwork_session::Opening;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlCanvasElement;

use crate::link::{self, Link};
use crate::page_files::{PageFiles, check_room, make};
use crate::script::{self, Flock, tell_end};
use crate::{device, without_gpu};

/// Memory for going back in time; bytes.
const HISTORY: u64 = 64 << 20;

/// An engine of a kind; a GPU engine on the device that is open.
pub fn engine(kind: EngineKind, gpu: Option<&Arc<Gpu>>) -> Result<Box<dyn Engine>, EngineError> {
    match (kind, gpu) {
        (EngineKind::Gpu, Some(gpu)) => Ok(Box::new(GpuEngine::new(Arc::clone(gpu)))),
        (EngineKind::Gpu, None) => Err(EngineError::NoAdapter("the page has no GPU".into())),
        (EngineKind::Cpu, _) => Ok(Box::new(CpuEngine::new(Some(1))?)),
    }
}

/// Why there is no flock any more.
fn end_of(error: &WindowError) -> String {
    match error {
        WindowError::Lost { reason, problem, .. } => {
            format!("The flock has ended: the GPU was lost ({reason}), and {problem}.")
        }
        WindowError::Engine(EngineError::Lost { reason, .. }) => {
            format!("The flock has ended: the GPU was lost again and again ({reason}).")
        }
        error => format!("The flock has ended: {error}."),
    }
}

/// Shows the flock of a link, such as `#name=murmuration&seed=7`, in a canvas until the page is left. A page
/// shows one flock; for more it has frames. Resolves to a sentence if there is something to know.
///
/// # Errors
/// A sentence.
#[wasm_bindgen]
pub async fn start(canvas: JsValue, link: JsValue) -> Result<Option<String>, String> {
    let canvas: HtmlCanvasElement =
        canvas.dyn_into().map_err(|_| "start takes the canvas that shall show the flock")?;
    let link = script::text("start", &link)?;
    if script::FLOCK.get() != Flock::Absent {
        return Err("A page shows one flock; more of them go into frames.".into());
    }
    script::FLOCK.set(Flock::Shown);
    std::panic::set_hook(Box::new(|info| tell_end(&format!("The page has failed: {info}"))));
    show(canvas, &link).await.inspect_err(|_| script::FLOCK.set(Flock::Absent))
}

/// The same for a page that shows no flock yet.
async fn show(canvas: HtmlCanvasElement, link: &str) -> Result<Option<String>, String> {
    let Link { source, on_cpu } = link::read(link)?;
    let opening = make(source)?;
    let gpu = match device::open().await {
        Ok(gpu) => gpu,
        Err(reason) => {
            without_gpu::show(canvas, opening)?;
            return Ok(Some(format!(
                "{reason} Here the CPU moves and draws the flock, without panels."
            )));
        }
    };
    let Opening { source, scene, state } = opening;
    // The page's own, for as long as it is there.
    let scene = Box::leak(Box::new(scene));
    let engines: &'static mut EngineFactory<'static> = Box::leak(Box::new(engine));
    let files: &'static PageFiles = Box::leak(Box::new(PageFiles::new(canvas.clone())));
    let flock = (&*scene, Arc::new(state));
    let first: &'static dyn Fn(&Gpu) -> Result<EngineKind, EngineError> =
        if on_cpu { &|_| Ok(EngineKind::Cpu) } else { &|_| Ok(EngineKind::Gpu) };
    let mut options = WindowOptions::new(files, flock, first, engines);
    options.source = source;
    options.history = HISTORY;
    options.room = check_room;
    options.gpu = Some(gpu);
    options.failed = &|error| tell_end(&end_of(error));
    flockwork_app::show_in(canvas, options).map_err(|error| error.to_string())?;
    Ok(None)
}
