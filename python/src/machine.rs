//! Engines and devices. Flocks of one process share a device.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use flockwork::engine::gpu::device;
use flockwork::{AdapterChoice, CpuEngine, Engine, EngineError, Gpu, GpuEngine};

use crate::errors::Fault;

/// An engine, and its device if it runs on one.
pub type Machine = (Box<dyn Engine>, Option<Arc<Gpu>>);

/// The devices that are open, by the names that were asked for.
static OPEN: Mutex<Option<HashMap<String, Weak<Gpu>>>> = Mutex::new(None);

/// The process that first had a flock.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Fails in a process that was forked from one with flocks: their threads and devices do not exist there, and it
/// would wait for them for ever.
pub fn check_process() -> Result<(), Fault> {
    match *PROCESS.get_or_init(std::process::id) == std::process::id() {
        true => Ok(()),
        false => Err(Fault::Device(
            "this process was forked from one that has flocks, whose threads it lacks; start processes by \
             multiprocessing.get_context(\"spawn\")"
                .into(),
        )),
    }
}

/// The device with this name or number, or the best one.
fn gpu(adapter: Option<&str>) -> Result<Arc<Gpu>, EngineError> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = open.get_or_insert_default();
    let name = adapter.unwrap_or_default();
    if let Some(gpu) = known.get(name).and_then(Weak::upgrade).filter(|gpu| gpu.check().is_ok()) {
        return Ok(gpu);
    }
    let choice = adapter.map(str::parse::<AdapterChoice>);
    let choice = choice.transpose().map_err(EngineError::NoAdapter)?;
    let gpu = Gpu::open(&choice.unwrap_or_default())?;
    known.insert(name.into(), Arc::downgrade(&gpu));
    Ok(gpu)
}

/// True if there is a GPU that is hardware.
fn has_hardware() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        device::only_software().is_none() && !device::adapters(&device::instance()).is_empty()
    })
}

/// Opens `auto`, `gpu` or `cpu`, as the command line does.
pub fn open(kind: &str, adapter: Option<&str>, threads: Option<u32>) -> Result<Machine, Fault> {
    check_process()?;
    let on_gpu = match kind {
        "gpu" => true,
        "cpu" => false,
        "auto" => adapter.is_some() || has_hardware(),
        other => {
            return Err(Fault::Value(format!(
                "engine {other:?}: expected \"auto\", \"gpu\" or \"cpu\""
            )));
        }
    };
    if threads == Some(0) {
        return Err(Fault::Value("threads 0: at least one thread moves a flock".into()));
    }
    if on_gpu {
        let gpu = gpu(adapter)?;
        return Ok((Box::new(GpuEngine::new(Arc::clone(&gpu))), Some(gpu)));
    }
    Ok((Box::new(CpuEngine::new(threads.map(|threads| threads as usize))?), None))
}
