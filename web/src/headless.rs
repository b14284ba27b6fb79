//! A flock without a picture, for programs of a page.

use std::io::Cursor;
use std::sync::Arc;

use flockwork_engine::gpu::Gpu;
use flockwork_engine::{Engine, EngineError, EngineKind, Snapshot};
use flockwork_model::io::{RunRecord, save_flock};
use flockwork_model::scene::Request;
use flockwork_session::Opening;
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::device;
use crate::link::{self, Link};
use crate::page::engine;
use crate::page_files::make;
use crate::script::text;

/// Milliseconds between two looks whether the GPU is ready.
const LOOK_EVERY: i32 = 4;

/// The state of a link's flock after some ticks, as the bytes of a NumPy archive: the arrays that
/// `flockwork simulate --ticks … --out flock.npz` writes for the last tick of the same flock.
///
/// # Errors
/// A sentence.
#[wasm_bindgen]
pub async fn simulate(link: JsValue, ticks: f64) -> Result<Uint8Array, String> {
    let Link { source, on_cpu } = link::read(&text("simulate", &link)?)?;
    // A whole number stays itself.
    if f64::from(ticks as u32) != ticks {
        return Err(format!(
            "simulate: {ticks} ticks; it takes a whole number from 0 to {}",
            u32::MAX
        ));
    }
    let ticks = ticks as u32;
    let Opening { source, scene, state } = make(source)?;
    let gpu: Option<Arc<Gpu>> = if on_cpu { None } else { Some(device::open().await?) };
    let kind = if on_cpu { EngineKind::Cpu } else { EngineKind::Gpu };
    let begin = || -> Result<_, EngineError> {
        let mut engine = engine(kind, gpu.as_ref())?;
        engine.load(&scene, &state)?;
        engine.step(ticks)?;
        engine.request()?;
        Ok(engine)
    };
    let mut engine = begin().map_err(|error| error.to_string())?;
    let Snapshot { state, targets } = arrival(engine.as_mut()).await?;
    // A record does not say that an override has set the density.
    let density = source.request.density.or(scene.asked_density());
    let request = Request { density, ..source.request };
    let run = RunRecord::new(&scene, &request, scene.world.size, &source.overrides);
    let run = run.on(&engine.kind().to_string(), gpu.map(|gpu| gpu.name()), None);
    let mut file = Cursor::new(Vec::new());
    save_flock(&mut file, run, &state, &targets).map_err(|error| error.to_string())?;
    Ok(Uint8Array::from(file.into_inner().as_slice()))
}

/// Waits for the snapshot that was asked for, and leaves the page to its other work meanwhile.
async fn arrival(engine: &mut dyn Engine) -> Result<Snapshot, String> {
    loop {
        if let Some(snapshot) = engine.poll().map_err(|error| error.to_string())? {
            return Ok(snapshot);
        }
        device::sleep(LOOK_EVERY).await;
    }
}
