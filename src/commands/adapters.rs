//! `flockwork adapters`: the GPUs found, their limits, and the largest flock each holds.

use super::host::messages::say;
use flockwork_engine::gpu::{MotionLayout, buffers, device};

/// Lists the adapters, best first. `--adapter INDEX` counts in this order.
pub fn adapters() -> anyhow::Result<()> {
    let found = device::adapters(&device::instance());
    if found.is_empty() {
        say(
            "no GPU adapter found. The CPU engine works without one; for a GPU install its Vulkan \
             driver (Debian: apt-get install mesa-vulkan-drivers).\n",
        )?;
    }
    for (index, adapter) in found.iter().enumerate() {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let [plane, space] = [MotionLayout::PLANE, MotionLayout::SPACE]
            .map(|layout| buffers::largest_count(&limits, layout));
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete GPU",
            wgpu::DeviceType::IntegratedGpu => "integrated GPU",
            wgpu::DeviceType::VirtualGpu => "virtual GPU",
            wgpu::DeviceType::Cpu => "software on the CPU",
            wgpu::DeviceType::Other => "other",
        };
        let timestamps = adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let clock = if timestamps { "timestamps" } else { "wall time" };
        say(&format!("{index}: {}\n", device::describe(&info)))?;
        for (what, value) in [
            ("kind", kind.into()),
            ("driver", format!("{} {}", info.driver, info.driver_info)),
            ("largest flock", format!("{} agents, by {}", plane.0, plane.1)),
            ("in a space", format!("{} agents, by {}", space.0, space.1)),
            ("storage binding", format!("{} MiB", limits.max_storage_buffer_binding_size >> 20)),
            ("buffer", format!("{} MiB", limits.max_buffer_size >> 20)),
            ("workgroups", format!("{} a row", limits.max_compute_workgroups_per_dimension)),
            ("pass timings", clock.to_string()),
        ] {
            say(&format!("   {what:17} {value}\n"))?;
        }
    }
    Ok(())
}
