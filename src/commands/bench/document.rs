//! The output of `--json`: the reports, and the facts needed to compare them. The schema,
//! `docs/bench.schema.json`, describes the fields; `tests/commands/bench_json.rs` checks a file that the
//! program has written.

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
    pub format: &'static str,
    pub version: u32,
    pub flockwork: &'static str,
    pub date: String,
    pub operating_system: String,
    pub processor: String,
    /// `None` if the engine `gpu` was not timed.
    pub adapter: Option<Adapter>,
    pub reports: &'a [Report],
}

/// An adapter and its driver.
#[derive(Clone, Debug, Serialize)]
pub struct Adapter {
    pub name: String,
    pub backend: String,
    pub kind: String,
    pub driver: String,
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
