//! Opens the browser's GPU, which takes time and cannot be waited for.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use flockwork_engine::gpu::Gpu;
use js_sys::{Function, Promise};
use wasm_bindgen_futures::JsFuture;

/// How long the browser may take to answer; milliseconds.
const MAX_WAIT: i32 = 20_000;

/// Waits for the result of `future`. A sentence says if it has not come after so many milliseconds.
async fn within<T>(milliseconds: i32, future: impl Future<Output = T>) -> Result<T, String> {
    let (mut future, mut end) = (pin!(future), pin!(sleep(milliseconds)));
    poll_fn(|context| match (future.as_mut().poll(context), end.as_mut().poll(context)) {
        (Poll::Ready(result), _) => Poll::Ready(Ok(result)),
        (_, Poll::Ready(_)) => Poll::Ready(Err("The GPU does not answer.".to_owned())),
        _ => Poll::Pending,
    })
    .await
}

/// Waits for so many milliseconds. The page does its other work meanwhile.
pub async fn sleep(milliseconds: i32) {
    let mut begin = |wake: Function, _: Function| {
        if let Some(window) = web_sys::window() {
            // There is no timer only where the page is gone.
            let _ =
                window.set_timeout_with_callback_and_timeout_and_arguments_0(&wake, milliseconds);
        }
    };
    // It is never rejected.
    let _ = JsFuture::from(Promise::new(&mut begin)).await;
}

/// Opens a device with all the adapter's limits.
pub async fn open() -> Result<Arc<Gpu>, String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let adapter = within(MAX_WAIT, instance.request_adapter(&options)).await?.map_err(|_| {
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
    let opened = within(MAX_WAIT, adapter.request_device(&request)).await?;
    let (device, queue) = opened.map_err(|_| "This browser does not open its GPU.".to_owned())?;
    Ok(Gpu::from_parts(instance, adapter, device, queue))
}
