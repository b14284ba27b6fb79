//! Faults of a device: its loss, and the first uncaptured error.
//!
//! wgpu does not report a lost device at once. It drops work without an error, and calls back when
//! a poll finds the queue empty, or not at all while work is under way.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

/// The faults of a device so far.
#[derive(Debug)]
pub struct Fault {
    first: OnceLock<String>,
    loss: OnceLock<String>,
    /// A buffer for [`Fault::refuses`].
    probe: Mutex<wgpu::Buffer>,
}

impl Fault {
    pub fn new(device: &wgpu::Device) -> Self {
        let probe = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("probe"),
            size: 4,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { first: OnceLock::new(), loss: OnceLock::new(), probe: Mutex::new(probe) }
    }

    /// Records an error; the first one stays.
    pub fn note(&self, message: String) {
        self.first.get_or_init(|| message);
    }

    /// Records the loss of the device.
    pub fn lose(&self, reason: wgpu::DeviceLostReason, message: &str) {
        // The driver's message ends with a full stop if it is a sentence.
        let message = message.trim().trim_end_matches('.');
        let reason = match reason {
            wgpu::DeviceLostReason::Destroyed => "it was shut down",
            wgpu::DeviceLostReason::Unknown if message.is_empty() => "the driver gives no reason",
            wgpu::DeviceLostReason::Unknown => message,
        };
        self.loss.get_or_init(|| reason.into());
    }

    /// The first error, if there was one.
    pub fn first(&self) -> Option<String> {
        self.first.get().cloned()
    }

    /// Why the device was lost, if it was.
    pub fn loss(&self) -> Option<String> {
        if self.loss.get().is_none() && self.refuses() {
            self.lose(wgpu::DeviceLostReason::Destroyed, "");
        }
        self.loss.get().cloned()
    }

    /// True if the device accepts no more work. Mapping is the only request that is refused at
    /// once, even while work is under way; it costs a microsecond. A browser refuses nothing at once, and
    /// reports a loss by itself.
    fn refuses(&self) -> bool {
        if cfg!(target_family = "wasm") {
            return false;
        }
        // Also after a panic of a thread that held the lock.
        let probe = self.probe.lock().unwrap_or_else(PoisonError::into_inner);
        let (refused, answered) =
            (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (note, late) = (Arc::clone(&refused), Arc::clone(&answered));
        probe.map_async(wgpu::MapMode::Read, .., move |mapped| {
            note.store(mapped.is_err() && !late.load(Ordering::Acquire), Ordering::Release);
        });
        // A later call is the answer to the `unmap`.
        answered.store(true, Ordering::Release);
        let refused = refused.load(Ordering::Acquire);
        probe.unmap();
        refused
    }
}

thread_local! {
    /// True while [`quietly`] catches panics of this thread.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic becomes an error with its message, and prints nothing.
///
/// `wgpu::Device::poll` panics if the driver loses the device during a wait. In a browser nothing is caught, and
/// a panic is told.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    if cfg!(panic = "abort") {
        return Ok(work());
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                usual(panic);
            }
        }));
    });
    let before = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    done.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "the driver stopped in the middle of a wait".into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_and_others_stay_what_they_are() {
        assert_eq!(quietly(|| 7), Ok(7));
        let lost = || -> u32 { panic!("Error in {}: Parent device is lost", "Device::poll") };
        assert_eq!(quietly(lost), Err("Error in Device::poll: Parent device is lost".into()));
        assert!(!CAUGHT.get(), "later panics must be printed");
        assert_eq!(quietly(|| quietly(lost).is_err() && CAUGHT.get()), Ok(true));
    }
}
