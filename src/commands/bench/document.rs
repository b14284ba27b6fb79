//! The output of `--json`: the reports, and the facts needed to compare them. The schema is
//! `docs/bench.schema.json`; `tests/commands/bench_json.rs` checks a file that the program has written.

use serde::Serialize;
use time::OffsetDateTime;

use super::report::Report;
use crate::commands::files::output::moment;
use flockwork_engine::gpu::Gpu;

/// Increases when a field is renamed, removed or changes its meaning; not when one is added.
pub const VERSION: u32 = 1;

/// The whole file.
#[derive(Clone, Debug, Serialize)]
pub struct Document<'a> {
    /// The kind of file: `flockwork bench`.
    pub format: &'static str,
    /// See [`VERSION`].
    pub version: u32,
    /// Version of the program.
    pub flockwork: &'static str,
    /// When the file was written.
    pub date: String,
    /// Name and version.
    pub operating_system: String,
    /// Name of the processor.
    pub processor: String,
    /// The adapter of the engine `gpu`; `None` if it was not timed.
    pub adapter: Option<Adapter>,
    /// One per count and density.
    pub reports: &'a [Report],
}

/// An adapter and its driver.
#[derive(Clone, Debug, Serialize)]
pub struct Adapter {
    /// Name of the adapter.
    pub name: String,
    /// `Vulkan`, `Metal` or `Dx12`.
    pub backend: String,
    /// `DiscreteGpu`, `IntegratedGpu`, `VirtualGpu`, `Cpu` or `Other`.
    pub kind: String,
    /// Name of the driver.
    pub driver: String,
    /// The driver's version, in its own format.
    pub driver_version: String,
}

impl Adapter {
    /// The adapter of a device.
    pub fn of(gpu: &Gpu) -> Self {
        let info = &gpu.info;
        Self {
            name: info.name.clone(),
            backend: format!("{:?}", info.backend),
            kind: format!("{:?}", info.device_type),
            driver: info.driver.clone(),
            driver_version: info.driver_info.clone(),
        }
    }
}

impl<'a> Document<'a> {
    /// A document with the current date, for new reports.
    pub fn of(reports: &'a [Report], adapter: Option<Adapter>) -> Self {
        Self {
            format: "flockwork bench",
            version: VERSION,
            flockwork: env!("CARGO_PKG_VERSION"),
            date: moment(OffsetDateTime::now_utc()),
            operating_system: super::system::operating_system(),
            processor: super::system::processor(),
            adapter,
            reports,
        }
    }
}
