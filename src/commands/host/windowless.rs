//! The painter of a command without a window.

use std::sync::Arc;

use super::arg_parsers::Size;
use super::messages::tell;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::{AdapterChoice, Gpu};
use flockwork_model::scene::Style;
use flockwork_view::gpu::offscreen::Offscreen;
use flockwork_view::style::scale_of;
use flockwork_view::{Painter, RasterPainter};

/// A painter that needs no window: the device that has the flock, or the CPU. A style that the CPU cannot
/// draw gets any adapter that there is. Pictures of any size are equally bright.
pub fn painter(
    gpu: Option<Arc<Gpu>>,
    size: Size,
    style: &Style,
) -> Result<Box<dyn Painter>, EngineError> {
    let Size { width, height } = size;
    let scale = scale_of(width, height);
    let gpu = match gpu {
        None if style.needs_adapter() => match Gpu::open(&AdapterChoice::default()) {
            Ok(gpu) => Some(gpu),
            Err(EngineError::NoAdapter(_)) => {
                tell(
                    "no GPU adapter found: the CPU draws without exposure, bloom, matter, sun, sky and \
                     water. A Vulkan driver is enough (Debian: apt-get install mesa-vulkan-drivers)",
                );
                None
            }
            Err(error) => return Err(error),
        },
        gpu => gpu,
    };
    Ok(match gpu {
        Some(gpu) => {
            let mut offscreen = Offscreen::new(gpu, width, height)?;
            offscreen.set_scale(scale);
            Box::new(offscreen)
        }
        None => Box::new(RasterPainter { scale }),
    })
}
