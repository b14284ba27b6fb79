//! RADV's device without hardware. It compiles, and does nothing else.

#![expect(unsafe_code, reason = "plain Vulkan: wgpu cannot open a device without semaphores")]

use std::ffi::CStr;
use std::fmt::Write;

use ash::khr::pipeline_executable_properties as executables;
use ash::{Device, Entry, Instance, vk};

use super::shaders::Stages;

/// The device. It stays open until the program ends.
pub struct NullDevice {
    /// Holds the driver's library.
    _entry: Entry,
    _instance: Instance,
    device: Device,
    executables: executables::Device,
}

impl NullDevice {
    /// Opens the first device that the environment offers, with the features that wgpu asks for.
    pub fn open() -> Result<Self, String> {
        // SAFETY: the loader is a Vulkan library; nothing else uses it in this program.
        let entry = unsafe { Entry::load() }.map_err(|error| error.to_string())?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let wanted = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `wanted` and what it points to live until the call returns.
        let instance = unsafe { entry.create_instance(&wanted, None) }.map_err(said)?;
        // SAFETY: the instance was just made.
        let found = unsafe { instance.enumerate_physical_devices() }.map_err(said)?;
        let physical = *found.first().ok_or("RADV offers no null device")?;
        let features = vk::PhysicalDeviceFeatures::default()
            .robust_buffer_access(true)
            .fragment_stores_and_atomics(true)
            .shader_int64(true);
        let mut offered = vk::PhysicalDeviceVulkan12Features::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut offered);
        // SAFETY: `all` and what it points to live until the call returns.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
        let mut two = vk::PhysicalDeviceVulkan12Features::default()
            .shader_buffer_int64_atomics(offered.shader_buffer_int64_atomics == vk::TRUE)
            .shader_shared_int64_atomics(offered.shader_shared_int64_atomics == vk::TRUE);
        let mut three = vk::PhysicalDeviceVulkan13Features::default()
            .shader_zero_initialize_workgroup_memory(true)
            .dynamic_rendering(true);
        let mut info = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
            .pipeline_executable_info(true);
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
        let extensions = [executables::NAME.as_ptr()];
        let wanted = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .enabled_features(&features)
            .push_next(&mut two)
            .push_next(&mut three)
            .push_next(&mut info);
        // SAFETY: `wanted` and what it points to live until the call returns.
        let device = unsafe { instance.create_device(physical, &wanted, None) }.map_err(said)?;
        let executables = executables::Device::new(&instance, &device);
        Ok(Self { _entry: entry, _instance: instance, device, executables })
    }

    /// Compiles a pipeline. Returns what the driver says about it, a line each: `stage ENTRY`, `number NAME
    /// VALUE`, `code LINE`, with tabs between the words. All objects stay until the program ends.
    pub fn compile(&self, shader: &Stages, disassemble: bool) -> Result<String, String> {
        let bindings: Vec<_> = (0..).zip(&shader.bindings).map(binding).collect();
        let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: `set` and what it points to live until the call returns.
        let set = unsafe { self.device.create_descriptor_set_layout(&set, None) }.map_err(said)?;
        let sets = [set];
        let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        // SAFETY: the set's layout was just made.
        let layout = unsafe { self.device.create_pipeline_layout(&layout, None) }.map_err(said)?;
        let kinds = match shader.code.len() {
            1 => &[vk::ShaderStageFlags::COMPUTE][..],
            _ => &[vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT],
        };
        let mut stages = Vec::new();
        for ((entry, words), kind) in shader.code.iter().zip(kinds) {
            let module = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: naga has validated and written the module.
            let module =
                unsafe { self.device.create_shader_module(&module, None) }.map_err(said)?;
            let stage = vk::PipelineShaderStageCreateInfo::default().stage(*kind);
            stages.push(stage.module(module).name(entry));
        }
        let mut flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        if disassemble {
            flags |= vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        }
        let pipeline = match stages[..] {
            [stage] => self.compute(stage, layout, flags),
            _ => self.graphics(&stages, shader, layout, flags),
        };
        let (pipeline, mut text) = (pipeline.map_err(said)?, String::new());
        for (number, (entry, _)) in (0..).zip(&shader.code) {
            let stage = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
            let stage = stage.executable_index(number);
            // SAFETY: the pipeline was just made, to capture these, and has so many stages.
            let numbers = unsafe { self.executables.get_pipeline_executable_statistics(&stage) };
            let _ = writeln!(text, "stage\t{}", entry.to_string_lossy());
            for number in numbers.map_err(said)? {
                let name = number.name_as_c_str().map_err(|error| error.to_string())?;
                // SAFETY: any bits are a number; RADV's statistics are all of this kind.
                let value = unsafe { number.value.u64 };
                let _ = writeln!(text, "number\t{}\t{value}", name.to_string_lossy());
            }
            if disassemble {
                for line in self.assembly(&stage).map_err(said)?.lines() {
                    let _ = writeln!(text, "code\t{}", line.trim().replace('\t', " "));
                }
            }
        }
        Ok(text)
    }

    fn compute(
        &self,
        program: vk::PipelineShaderStageCreateInfo<'_>,
        layout: vk::PipelineLayout,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, vk::Result> {
        let wanted = vk::ComputePipelineCreateInfo::default().stage(program);
        let wanted = [wanted.layout(layout).flags(flags)];
        let cache = vk::PipelineCache::null();
        // SAFETY: module, name and layout are alive, and the layout has all bindings of the module.
        let made = unsafe { self.device.create_compute_pipelines(cache, &wanted, None) };
        made.map(|made| made[0]).map_err(|(_, error)| error)
    }

    /// Draws triangles on a picture.
    fn graphics(
        &self,
        stages: &[vk::PipelineShaderStageCreateInfo<'_>],
        shader: &Stages,
        layout: vk::PipelineLayout,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, vk::Result> {
        let attributes = (0..).zip(shader.attributes).map(|(location, format)| {
            let attribute = vk::VertexInputAttributeDescription::default().location(location);
            attribute.format(*format).offset(16 * location)
        });
        let attributes: Vec<_> = attributes.collect();
        let buffer = [vk::VertexInputBindingDescription::default().stride(32)];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&buffer)
            .vertex_attribute_descriptions(&attributes);
        let triangles = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let colour = vk::PipelineColorBlendAttachmentState::default();
        let colour = [colour.color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&colour);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let mut target = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&[vk::Format::R8G8B8A8_UNORM]);
        let wanted = [vk::GraphicsPipelineCreateInfo::default()
            .flags(flags)
            .stages(stages)
            .vertex_input_state(&vertices)
            .input_assembly_state(&triangles)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .push_next(&mut target)];
        let cache = vk::PipelineCache::null();
        // SAFETY: modules, names and layout are alive, and the layout has all bindings of both modules.
        let made = unsafe { self.device.create_graphics_pipelines(cache, &wanted, None) };
        made.map(|made| made[0]).map_err(|(_, error)| error)
    }

    /// The last representation that the driver has of a stage: its machine code.
    fn assembly(&self, stage: &vk::PipelineExecutableInfoKHR<'_>) -> Result<String, vk::Result> {
        let get = &self.executables;
        // SAFETY: the pipeline is alive and was made to capture these.
        let mut all = unsafe { get.get_pipeline_executable_internal_representations(stage) }?;
        let mut bytes = vec![0; all.last().map_or(0, |last| last.data_size)];
        if let Some(last) = all.last_mut() {
            last.p_data = bytes.as_mut_ptr().cast();
        }
        let (mut count, device) = (all.len() as u32, self.device.handle());
        let again = get.fp().get_pipeline_executable_internal_representations_khr;
        // SAFETY: as above; `all` has `count` entries, and the last has room for its text.
        unsafe { again(device, stage, &mut count, all.as_mut_ptr()) }.result()?;
        let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }
}

fn said(error: vk::Result) -> String {
    format!("Vulkan says {error}")
}

fn binding((number, ty): (u32, &vk::DescriptorType)) -> vk::DescriptorSetLayoutBinding<'static> {
    let binding = vk::DescriptorSetLayoutBinding::default().binding(number).descriptor_type(*ty);
    binding.descriptor_count(1).stage_flags(vk::ShaderStageFlags::ALL)
}
