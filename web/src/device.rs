//! Opens the browser's GPU, which takes time and cannot be waited for.

use std::sync::Arc;

use flockwork_engine::gpu::Gpu;

/// Opens a device with all the adapter's limits.
pub async fn open() -> Result<Arc<Gpu>, String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let adapter = instance.request_adapter(&options).await.map_err(|_| {
        "This browser has no WebGPU. Chrome and Edge from 113, Safari from 26 and Firefox from 145 have it; \
         on Linux it may have to be switched on."
            .to_owned()
    })?;
    let request = wgpu::DeviceDescriptor {
        label: Some("flockwork"),
        required_features: Gpu::features(&adapter),
        required_limits: adapter.limits(),
        memory_hints: wgpu::MemoryHints::Performance,
        ..Default::default()
    };
    let opened = adapter.request_device(&request).await;
    let (device, queue) = opened.map_err(|error| format!("The GPU did not open: {error}"))?;
    Ok(Gpu::from_parts(instance, adapter, device, queue))
}
