//! The adapter that the GPU tests run on.

use std::panic::Location;
use std::sync::{Arc, Once};

use flockwork::engine::gpu::{AdapterChoice, Gpu};

/// Opens the adapter and prints its name once. `FLOCKWORK_TEST_ADAPTER` selects one by name or
/// index. Without an adapter the test fails. With `FLOCKWORK_SKIP_GPU=1` this returns `None`
/// instead and prints where.
#[track_caller]
pub fn gpu() -> Option<Arc<Gpu>> {
    let test = Location::caller();
    static NAMED: Once = Once::new();
    if std::env::var("FLOCKWORK_SKIP_GPU").is_ok_and(|value| value == "1") {
        eprintln!("SKIPPED (FLOCKWORK_SKIP_GPU=1): {test}");
        return None;
    }
    let choice = std::env::var("FLOCKWORK_TEST_ADAPTER").unwrap_or_default();
    let choice = match choice.as_str() {
        "" => AdapterChoice::Best,
        text => text.parse().expect("any text names an adapter"),
    };
    match Gpu::open(&choice) {
        Ok(gpu) => {
            NAMED.call_once(|| eprintln!("tested on adapter: {}", gpu.name()));
            Some(gpu)
        }
        Err(error) => panic!(
            "{test}: {error}. GPU tests need a Vulkan driver \
             (Debian: apt-get install mesa-vulkan-drivers); FLOCKWORK_SKIP_GPU=1 leaves them out"
        ),
    }
}
