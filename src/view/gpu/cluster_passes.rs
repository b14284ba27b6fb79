//! Colours that show connected groups, of agents on the device: the passes of `shaders/clusters.wgsl`.

use std::sync::Arc;

use super::drawing::{compute, compute_passes, workgroups};
use super::resources::{beginning, bind, buffer, entry, made};
use super::shade::number_buffer;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::row::{MEMORY_BYTES, TAG_BYTES};
use flockwork_engine::gpu::shaders::Variant;
use flockwork_engine::gpu::{AgentBuffers, Gpu};
use flockwork_model::behaviours::Uses;
use flockwork_model::scene::Scene;

/// Finds the groups.
#[derive(Debug)]
pub struct ClusterPasses {
    variant: Variant,
    /// `begin_clusters`, `join_clusters`, `show_clusters`: they run in this order.
    passes: [wgpu::ComputePipeline; 3],
    parents: wgpu::Buffer,
    shown: wgpu::Buffer,
    squared_radius: wgpu::Buffer,
}

impl ClusterPasses {
    fn new(gpu: &Arc<Gpu>, variant: Variant) -> Result<Self, EngineError> {
        let entries = ["begin_clusters", "join_clusters", "show_clusters"];
        let passes = compute_passes(gpu, "clusters", variant.clone(), entries)?;
        let [parents, shown] = [(); 2].map(|()| number_buffer(gpu, 1));
        let squared_radius = buffer(gpu, "clusters", 4, wgpu::BufferUsages::UNIFORM);
        Ok(Self { variant, passes, parents, shown, squared_radius })
    }

    /// Records the passes, if a colour of `scene` shows groups and the device has the grid of the `agents`. Returns
    /// the agents with the numbers of their groups in place of their memory. `kept` has the passes of earlier pictures.
    pub fn run(
        kept: &mut Option<Self>,
        gpu: &Arc<Gpu>,
        encoder: &mut wgpu::CommandEncoder,
        agents: &AgentBuffers,
        scene: &Scene,
    ) -> Result<Option<AgentBuffers>, EngineError> {
        let wanted = scene.shows_clusters() && agents.count > 0;
        let Some(cells) = agents.cells.as_ref().filter(|_| wanted) else { return Ok(None) };
        let variant = Variant {
            flat: scene.world.is_flat(),
            uses: if agents.layout.keeps { Uses::KEPT } else { Uses::default() },
            boundary: scene.world.boundary,
            several_species: true,
            ..Variant::of_drawing(false, false, false)
        };
        kept.take_if(|own| own.variant != variant);
        let own = made(kept, || Self::new(gpu, variant))?;
        let count = u64::from(agents.count);
        if own.parents.size() < count * MEMORY_BYTES {
            [own.parents, own.shown] = [(); 2].map(|()| number_buffer(gpu, agents.count));
        }
        let squared = scene.perception_radius() * scene.perception_radius();
        gpu.queue.write_buffer(&own.squared_radius, 0, bytemuck::bytes_of(&squared));
        // Without memory any buffer will do: no colour depends on it.
        let memory = agents.memory.as_ref().unwrap_or(&agents.tag);
        let bound = [
            (&cells.flock, cells.flock.size()),
            (&own.parents, count * MEMORY_BYTES),
            (&own.shown, count * MEMORY_BYTES),
            (memory, count * MEMORY_BYTES),
            (&agents.state, count * agents.layout.bytes()),
            (&agents.tag, count * TAG_BYTES),
            (&cells.start, cells.bytes),
            (&own.squared_radius, own.squared_radius.size()),
        ];
        let entries = (0..).zip(bound);
        let entries = entries.map(|(at, (buffer, bytes))| entry(at, beginning(buffer, bytes)));
        let layout = own.passes[0].get_bind_group_layout(0);
        let group = bind(gpu, "clusters", &layout, &entries.collect::<Vec<_>>());
        let (x, y) = workgroups(gpu, agents.count);
        let mut compute = compute(encoder, "clusters");
        compute.set_bind_group(0, &group, &[]);
        for pass in &own.passes {
            compute.set_pipeline(pass);
            compute.dispatch_workgroups(x, y, 1);
        }
        drop(compute);
        let memory = Some(own.shown.clone());
        Ok(Some(AgentBuffers { memory, cells: None, ..agents.clone() }))
    }
}
