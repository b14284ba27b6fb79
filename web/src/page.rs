//! The page: a canvas for the window, and a line for what goes wrong before there is one.

use std::sync::Arc;

use flockwork_app::{EngineFactory, WindowOptions};
use flockwork_engine::cpu::CpuEngine;
use flockwork_engine::gpu::{Gpu, GpuEngine};
use flockwork_engine::{Engine, EngineError, EngineKind};
use flockwork_session::Opening;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlCanvasElement;

use crate::device;
use crate::link::{self, Link};
use crate::page_files::{PageFiles, make};

/// Memory for going back in time; bytes.
const HISTORY: u64 = 64 << 20;

/// Shows the flock of the address in the page's element `flock`.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| say(&format!("The page has failed: {info}"))));
    wasm_bindgen_futures::spawn_local(async {
        if let Err(problem) = show().await {
            say(&problem);
        }
    });
}

fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}

/// Shows a text in place of the flock.
fn say(text: &str) {
    if let Some(element) = document().and_then(|page| page.get_element_by_id("message")) {
        element.set_text_content(Some(text));
    }
}

fn canvas() -> Option<HtmlCanvasElement> {
    document()?.get_element_by_id("flock")?.dyn_into().ok()
}

fn fragment() -> Option<String> {
    web_sys::window()?.location().hash().ok()
}

/// An engine of a kind; a GPU engine on the device that is open.
pub fn engine(kind: EngineKind, gpu: Option<&Arc<Gpu>>) -> Result<Box<dyn Engine>, EngineError> {
    match (kind, gpu) {
        (EngineKind::Gpu, Some(gpu)) => Ok(Box::new(GpuEngine::new(Arc::clone(gpu)))),
        (EngineKind::Gpu, None) => Err(EngineError::NoAdapter("the page has no GPU".into())),
        (EngineKind::Cpu, _) => Ok(Box::new(CpuEngine::new(Some(1))?)),
    }
}

async fn show() -> Result<(), String> {
    let fragment = fragment().unwrap_or_default();
    let Link { source, on_cpu } = link::read(&fragment)?;
    let Opening { source, scene, state } = make(source)?;
    let gpu = device::open().await?;
    let canvas = canvas().ok_or("The page has no canvas with the id `flock`.")?;
    // The page's own, for as long as it is there.
    let scene = Box::leak(Box::new(scene));
    let engines: &'static mut EngineFactory<'static> = Box::leak(Box::new(engine));
    let flock = (&*scene, Arc::new(state));
    let first: &'static dyn Fn(&Gpu) -> Result<EngineKind, EngineError> =
        if on_cpu { &|_| Ok(EngineKind::Cpu) } else { &|_| Ok(EngineKind::Gpu) };
    let mut options = WindowOptions::new(&PageFiles, flock, first, engines);
    options.source = source;
    options.history = HISTORY;
    options.gpu = Some(gpu);
    options.failed = &|error| say(&format!("The flock has ended: {error}. Load the page again."));
    flockwork_app::show_in(canvas, options).map_err(|error| error.to_string())
}
