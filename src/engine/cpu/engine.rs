//! The CPU engine as the hosts see it.

use std::time::Duration;

use super::{AnyFlock, CpuEngine, of_any};
use crate::internals::Sealed;
use crate::{
    AgentsAt, BrokenForces, Change, Engine, EngineError, EngineKind, HostAgents, PassTime, Profile,
    Snapshot,
};
use flockwork_model::behaviours::Target;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;

/// Bytes of an agent besides position and velocity: its memory twice, its identity twice, its key, its
/// index before the sort, its id in the list of all ids, and its memory while a state is loaded.
const AGENT_BYTES: u64 = 2 * 4 + 2 * 5 + 4 + 4 + 4 + 4;

/// Bytes of a cell: the index of its first agent, and that index if all cells had as many agents.
const CELL_BYTES: u64 = 2 * 4;

impl Sealed for CpuEngine {}

impl Engine for CpuEngine {
    fn kind(&self) -> EngineKind {
        EngineKind::Cpu
    }

    fn describe(&self) -> String {
        let threads = self.threads.count();
        let plural = if threads == 1 { "" } else { "s" };
        format!("{threads} thread{plural}, {}", self.instructions)
    }

    fn host_bytes(&self, scene: &Scene, agents: u64, cells: u64) -> u64 {
        let motion = 2 * 4 * (2 * scene.world.axes() + scene.kept_names().len()) as u64;
        (AGENT_BYTES + motion).saturating_mul(agents).saturating_add(CELL_BYTES * cells)
    }

    fn load(&mut self, scene: &Scene, state: &FlockState) -> Result<(), EngineError> {
        // The old flock makes room before the new one is built.
        self.flock = None;
        self.profile = Profile::default();
        self.asked = None;
        self.flock = Some(self.threads.run(|| AnyFlock::new(scene, state))?);
        Ok(())
    }

    fn update(&mut self, scene: &Scene, change: Change) -> Result<(), EngineError> {
        let flock = self.flock.as_mut().ok_or(EngineError::NoFlock)?;
        self.threads.run(|| of_any!(flock, flock => flock.update(scene, change)))
    }

    fn append(&mut self, agents: &FlockState) -> Result<(), EngineError> {
        let flock = self.flock.as_mut().ok_or(EngineError::NoFlock)?;
        self.threads.run(|| of_any!(flock, flock => flock.append(agents)))
    }

    fn spawn(
        &mut self,
        positions: &[Point],
        velocities: &[Point],
        species: &[u8],
    ) -> Result<Vec<u32>, EngineError> {
        let flock = self.flock.as_ref().ok_or(EngineError::NoFlock)?;
        let ids = of_any!(flock, flock => &flock.ids);
        let agents = ids.newcomers(positions, velocities, species);
        self.append(&agents)?;
        Ok(agents.id)
    }

    fn next_id(&self) -> u64 {
        let next = |any: &AnyFlock| of_any!(any, flock => flock.ids.next().into());
        self.flock.as_ref().map_or(0, next)
    }

    fn neighbours(&mut self, id: u32, radius: f32) -> Result<Vec<u32>, EngineError> {
        let flock = self.flock.as_ref().ok_or(EngineError::NoFlock)?;
        self.threads.run(|| of_any!(flock, flock => flock.neighbours(id, radius)))
    }

    fn remove(&mut self, ids: &[u32]) -> Result<(), EngineError> {
        let flock = self.flock.as_mut().ok_or(EngineError::NoFlock)?;
        self.threads.run(|| of_any!(flock, flock => flock.remove(ids)))
    }

    fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
        let flock = self.flock.as_mut().ok_or(EngineError::NoFlock)?;
        let (instructions, timed) = (self.instructions, self.profiling);
        let spent = self.threads.run(|| {
            let mut spent = [Duration::ZERO; 2];
            for _ in 0..ticks {
                let tick = of_any!(flock, flock => flock.tick(instructions, timed));
                spent = [spent[0] + tick[0], spent[1] + tick[1]];
            }
            spent
        });
        if self.profiling && ticks > 0 {
            let names = ["steer", "sort"].into_iter();
            let passes = names.zip(spent).map(|(pass, time)| PassTime { pass, time: time / ticks });
            self.profile = Profile { passes: passes.collect(), by_timestamps: false };
        }
        Ok(())
    }

    fn request(&mut self) -> Result<(), EngineError> {
        if self.asked.is_none() {
            self.asked = self.flock.as_ref().map(AnyFlock::snapshot);
        }
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
        Ok(self.asked.take())
    }

    fn agents(&self) -> AgentsAt<'_> {
        fn agents(any: &AnyFlock) -> HostAgents<'_> {
            of_any!(any, flock => flock.agents())
        }
        AgentsAt::Host(self.flock.as_ref().map_or_else(HostAgents::default, agents))
    }

    fn set_profiling(&mut self, on: bool) {
        self.profiling = on;
    }

    fn profile(&mut self) -> Profile {
        self.profile.clone()
    }

    fn largest_cell(&mut self) -> u32 {
        let Some(flock) = &self.flock else { return 0 };
        self.threads.run(|| of_any!(flock, flock => flock.largest_cell()))
    }

    fn broken_forces(&mut self) -> BrokenForces {
        let broken = |any: &AnyFlock| of_any!(any, flock => flock.broken);
        self.flock.as_ref().map(broken).unwrap_or_default()
    }

    fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
        self.flock.as_ref().map(AnyFlock::snapshot).ok_or(EngineError::NoFlock)
    }

    fn targets(&mut self) -> Result<Vec<Target>, EngineError> {
        let targets = |any: &AnyFlock| of_any!(any, flock => flock.scene.targets.clone());
        self.flock.as_ref().map(targets).ok_or(EngineError::NoFlock)
    }
}
