//! Finds an adapter and opens its device.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use super::fault::{self, Fault};
use crate::EngineError;
use flockwork_model::quote::{cut, nearest};

/// The adapter to use: `--adapter NAME|INDEX`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AdapterChoice {
    /// The fastest kind present: discrete, then integrated, then software.
    #[default]
    Best,
    /// By its index in `flockwork adapters`.
    Index(usize),
    /// By a part of its name, ignoring case.
    Name(String),
}

impl std::str::FromStr for AdapterChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An empty text is part of every name.
        if text.trim().is_empty() {
            return Err("give a part of an adapter's name, or its number in `flockwork \
                        adapters`"
                .into());
        }
        Ok(text.trim().parse().map_or_else(|_| Self::Name(text.trim().into()), Self::Index))
    }
}

/// Subgroup size that `shaders/subgroup.wgsl` is written for; a test compares the two.
pub const LANES: u32 = 8;

/// The only driver known to form subgroups of consecutive invocations of a workgroup; no standard
/// promises this.
const IN_STEP_DRIVER: &str = "llvmpipe";

/// This driver ends all loops of an invocation after 65,535 rounds in total.
const COUNTING_DRIVER: &str = "llvmpipe";

/// The features that packed sums need.
const PACKING: wgpu::Features =
    wgpu::Features::SHADER_INT64.union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS);

/// An open device and its properties. The engine, which computes, and the renderer, which draws,
/// share the device and its queue.
pub struct Gpu {
    /// Creates surfaces.
    pub instance: wgpu::Instance,
    /// The adapter.
    pub adapter: wgpu::Adapter,
    /// Creates resources.
    pub device: wgpu::Device,
    /// Accepts work.
    pub queue: wgpu::Queue,
    /// Name, kind and driver of the adapter.
    pub info: wgpu::AdapterInfo,
    /// True if the device's clock can time passes.
    pub has_timestamps: bool,
    fault: Arc<Fault>,
    /// Numbers of buffers and of pipelines created for flocks.
    made: [AtomicU64; 2],
}

/// The numbers of objects created for flocks on a device so far, for tests that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectCounts {
    /// Buffers allocated.
    pub buffers: u64,
    /// Passes compiled.
    pub pipelines: u64,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("adapter", &self.name()).finish_non_exhaustive()
    }
}

/// A wgpu instance with native drivers only. All adapters come from it.
#[must_use]
pub fn instance() -> wgpu::Instance {
    instance_of(wgpu::InstanceDescriptor::new_without_display_handle())
}

/// The same, for drawing on a display.
#[must_use]
pub fn instance_on(display: Box<dyn wgpu::wgt::WgpuHasDisplayHandle>) -> wgpu::Instance {
    instance_of(wgpu::InstanceDescriptor::new_with_display_handle(display))
}

/// Turns off wgpu's check of indirect dispatches, which costs another dispatch. The only indirect
/// dispatches here sort the crowds, and the scan of the cells bounds their size.
fn instance_of(mut descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
    wgpu::Instance::new(descriptor)
}

/// The result of `future` if it is ready at once. Native devices answer an error scope at once.
pub fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

/// The adapters that can run the passes, best first.
#[must_use]
pub fn adapters(instance: &wgpu::Instance) -> Vec<wgpu::Adapter> {
    let mut found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    found.retain(|adapter| {
        adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    });
    found.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Cpu => 3,
        wgpu::DeviceType::Other => 4,
    });
    found
}

/// The best adapter's name if it is software, which computes on the CPU; `None` if it is a hardware
/// GPU, or if there is no adapter.
#[must_use]
pub fn only_software() -> Option<String> {
    let best = adapters(&instance()).first().map(wgpu::Adapter::get_info);
    best.filter(is_software).map(|info| describe(&info))
}

fn is_software(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu
}

/// An adapter's name for messages: `llvmpipe (LLVM 15.0.6, 256 bits), Vulkan`.
#[must_use]
pub fn describe(info: &wgpu::AdapterInfo) -> String {
    // A page is not told.
    let name = if info.name.is_empty() { "the browser's GPU" } else { info.name.as_str() };
    format!("{name}, {:?}", info.backend)
}

pub(super) fn choose(
    choice: &AdapterChoice,
    mut found: Vec<wgpu::Adapter>,
) -> Result<wgpu::Adapter, String> {
    if found.is_empty() {
        let set =
            ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name, std::env::var_os(name)));
        let hides = set.into_iter().find_map(|(name, value)| value.map(|_| name));
        let remedy = match hides {
            Some(name) => format!("unset {name}, which may hide the driver, or"),
            None => {
                "install a Vulkan driver (Debian: apt-get install mesa-vulkan-drivers) or".into()
            }
        };
        return Err(format!("no GPU adapter found; {remedy} use --engine cpu"));
    }
    let names: Vec<String> = found.iter().map(|a| a.get_info().name).collect();
    let listing = || {
        let lines = names.iter().enumerate().map(|(i, name)| format!("{i}: {name}"));
        lines.collect::<Vec<_>>().join("; ")
    };
    let index = match choice {
        AdapterChoice::Best => 0,
        AdapterChoice::Index(index) if *index < found.len() => *index,
        AdapterChoice::Index(index) => {
            return Err(format!(
                "--adapter {index}: there is no such adapter; found {}",
                listing()
            ));
        }
        AdapterChoice::Name(wanted) => {
            let lower = wanted.to_lowercase();
            let hit = names.iter().position(|name| name.to_lowercase().contains(&lower));
            hit.ok_or_else(|| {
                let hint = nearest(wanted, names.iter().map(String::as_str))
                    .map_or_else(String::new, |name| format!("; did you mean {name:?}?"));
                format!("--adapter {}: no such adapter; found {}{hint}", cut(wanted), listing())
            })?
        }
    };
    Ok(found.swap_remove(index))
}

impl Gpu {
    /// Opens the chosen adapter's device with all the adapter's limits.
    pub fn open(choice: &AdapterChoice) -> Result<Arc<Self>, EngineError> {
        Self::open_for(instance(), choice, None)
    }

    /// The same, with an instance that may serve a window already, and an adapter that can draw on `surface`.
    pub fn open_for(
        instance: wgpu::Instance,
        choice: &AdapterChoice,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Arc<Self>, EngineError> {
        let draws = |adapter: &wgpu::Adapter| {
            surface.is_none_or(|surface| adapter.is_surface_supported(surface))
        };
        let mut found = adapters(&instance);
        if *choice == AdapterChoice::Best && found.iter().any(draws) {
            found.retain(draws);
        }
        let adapter = choose(choice, found).map_err(EngineError::NoAdapter)?;
        if !draws(&adapter) {
            let remedy = match choice {
                AdapterChoice::Best => "",
                _ => "; choose another one with --adapter, or use `flockwork capture`",
            };
            let name = describe(&adapter.get_info());
            let problem = format!("{name} cannot draw in a window of this display{remedy}");
            return Err(EngineError::NoAdapter(problem));
        }
        let info = adapter.get_info();
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("flockwork"),
            required_features: Self::features(&adapter),
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(|error| EngineError::Device {
            adapter: describe(&info),
            message: format!("cannot open the device: {error}; use --engine cpu"),
        })?;
        Ok(Self::from_parts(instance, adapter, device, queue))
    }

    /// The adapter's features that make passes faster or time them. None is required.
    #[must_use]
    pub fn features(adapter: &wgpu::Adapter) -> wgpu::Features {
        let subgroups = if adapter.get_info().driver == IN_STEP_DRIVER {
            wgpu::Features::SUBGROUP
        } else {
            wgpu::Features::empty()
        };
        adapter.features() & (wgpu::Features::TIMESTAMP_QUERY | subgroups | PACKING)
    }

    /// Wraps a device that the program has opened itself, to draw the flock beside other things.
    ///
    /// WebGPU's default limits are enough. With the features from [`Gpu::features`] and the
    /// adapter's limits it is faster, and larger flocks fit. Replaces the device's callbacks for
    /// uncaptured errors and for its loss: [`Gpu::check`] returns what they report.
    #[must_use]
    pub fn from_parts(
        instance: wgpu::Instance,
        adapter: wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
    ) -> Arc<Self> {
        let info = adapter.get_info();
        let has_timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let fault = Arc::new(Fault::new(&device));
        // Weak, because the callbacks live as long as a buffer of the device, and the faults own one.
        let (errors, losses) = (Arc::downgrade(&fault), Arc::downgrade(&fault));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let Some(fault) = errors.upgrade() {
                fault.note(error.to_string());
            }
        }));
        device.set_device_lost_callback(move |reason, message| {
            if let Some(fault) = losses.upgrade() {
                fault.lose(reason, &message);
            }
        });
        let made = Default::default();
        Arc::new(Self { instance, adapter, device, queue, info, has_timestamps, fault, made })
    }

    /// Numbers of objects created for flocks so far.
    #[must_use]
    #[doc(hidden)]
    pub fn made(&self) -> ObjectCounts {
        let [buffers, pipelines] = self.made.each_ref().map(|count| count.load(Ordering::Relaxed));
        ObjectCounts { buffers, pipelines }
    }

    /// Counts a buffer.
    #[doc(hidden)]
    pub fn count_buffer(&self) {
        self.made[0].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a pipeline.
    #[doc(hidden)]
    pub fn count_pipeline(&self) {
        self.made[1].fetch_add(1, Ordering::Relaxed);
    }

    /// True if the driver computes on the CPU.
    #[must_use]
    pub fn is_software(&self) -> bool {
        is_software(&self.info)
    }

    /// True if a subgroup of agents reads its neighbours together: on a driver that loads lane by
    /// lane, with subgroups of the right size. A GPU gathers in one instruction, and its wider
    /// subgroups would share too little.
    #[must_use]
    #[doc(hidden)]
    pub fn has_subgroups_of_agents(&self) -> bool {
        self.info.driver == IN_STEP_DRIVER
            && self.device.features().contains(wgpu::Features::SUBGROUP)
            && [self.info.subgroup_min_size, self.info.subgroup_max_size] == [LANES; 2]
    }

    /// True if a long loop must take several steps per round.
    #[must_use]
    #[doc(hidden)]
    pub fn unrolls_loops(&self) -> bool {
        self.info.driver == COUNTING_DRIVER
    }

    /// True if shaders can add 64-bit integers atomically.
    #[must_use]
    #[doc(hidden)]
    pub fn packs_sums(&self) -> bool {
        self.device.features().contains(PACKING)
    }

    /// The adapter's name for messages.
    #[must_use]
    pub fn name(&self) -> String {
        describe(&self.info)
    }

    /// An error that names this adapter.
    #[must_use]
    #[doc(hidden)]
    pub fn error(&self, message: impl Into<String>) -> EngineError {
        EngineError::Device { adapter: self.name(), message: message.into() }
    }

    /// Fails if the device is lost, or else with the first error that the driver reported.
    pub fn check(&self) -> Result<(), EngineError> {
        if let Some(reason) = self.fault.loss() {
            return Err(EngineError::Lost { adapter: self.name(), reason });
        }
        self.fault.first().map_or(Ok(()), |message| Err(self.error(message)))
    }

    /// Collects the device's results since the last call, and waits as `poll` says.
    #[doc(hidden)]
    pub fn poll(&self, poll: wgpu::PollType) -> Result<(), EngineError> {
        let polled = self.attempt(|| self.device.poll(poll))?;
        polled.map(|_| ()).map_err(|error| self.error(error.to_string()))
    }

    /// Runs `work`, which may panic if the device is lost, as `wgpu::Device::poll` and egui's
    /// painter do. Such a panic becomes the error of the loss, and prints nothing.
    #[doc(hidden)]
    pub fn attempt<T>(&self, work: impl FnOnce() -> T) -> Result<T, EngineError> {
        let done = fault::quietly(work);
        // A lost device causes misleading errors, so the loss comes first.
        self.check()?;
        done.map_err(|panic| self.error(panic))
    }

    /// Waits until the device has done all submitted work.
    pub fn wait(&self) -> Result<(), EngineError> {
        self.poll(wgpu::PollType::wait_indefinitely())
    }
}
