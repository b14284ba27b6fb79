//! The flock as the CPU engine keeps it: one array for each component, sorted by grid cell.

use rayon::prelude::*;

use flockwork_model::kept::{KeptRow, MAX_KEPT};
use flockwork_model::memory::Memory;
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Point, Vector, components, per_axis};
use flockwork_model::world::World;

/// Positions and velocities: what a tick changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion<const D: usize> {
    /// By axis; world units.
    pub position: [Vec<f32>; D],
    /// By axis; world units per tick.
    pub velocity: [Vec<f32>; D],
    /// The agents' memory; empty in scenes without memory.
    pub memory: Vec<Memory>,
    /// The numbers that agents keep, by their place in the scene's names.
    pub kept: Vec<Vec<f32>>,
}

impl<const D: usize> Motion<D> {
    /// The agents of a state, with these memories, and as many numbers that they keep: 0 without `kept`.
    pub fn of(agents: &FlockState, memory: Vec<Memory>, kept: &[KeptRow], places: usize) -> Self {
        let by_axis = |points: &[Point]| {
            std::array::from_fn(|axis| points.iter().map(|p| components::<D>(*p)[axis]).collect())
        };
        let number = |agent: usize, place: usize| kept.get(agent).map_or(0.0, |row| row[place]);
        let numbers = |place| (0..agents.len()).map(|agent| number(agent, place)).collect();
        let kept = (0..places).map(numbers).collect();
        Self {
            position: by_axis(&agents.position),
            velocity: by_axis(&agents.velocity),
            memory,
            kept,
        }
    }

    /// All components, one after the other.
    fn components_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        self.position.iter_mut().chain(&mut self.velocity).chain(&mut self.kept)
    }

    pub fn extend(&mut self, other: Self) {
        if self.position[0].is_empty() {
            *self = other;
            return;
        }
        let others = other.position.iter().chain(&other.velocity).chain(&other.kept);
        self.components_mut().zip(others).for_each(|(own, other)| own.extend_from_slice(other));
        self.memory.extend_from_slice(&other.memory);
    }

    /// Keeps only the agents for which `stays` is true.
    pub fn retain(&mut self, stays: &[bool]) {
        self.components_mut().for_each(|component| retain(component, stays));
        retain(&mut self.memory, stays);
    }

    /// Moves all agents inside a world, as at the end of a tick.
    pub fn confine(&mut self, world: &World) {
        let size: [f32; D] = components(world.size);
        let axes = self.position.iter_mut().zip(&mut self.velocity).zip(size);
        // Axis by axis: no axis depends on another.
        for ((position, velocity), size) in axes {
            position.par_iter_mut().zip(velocity).for_each(|(p, v)| {
                let size = Vector([size]);
                let near = Vector([world.boundary.near(*p, size.0[0])]);
                let (inside, along) = world.boundary.confine(near, Vector([*v]), size);
                ([*p], [*v]) = (inside.0, along.0);
            });
        }
    }

    /// Makes room for `count` agents and `memories`; new ones are zero.
    pub fn resize(&mut self, count: usize, memories: usize) {
        self.components_mut().for_each(|component| component.resize(count, 0.0));
        self.memory.resize(memories, Memory::default());
    }

    /// Removes an agent; the last one takes its place.
    pub fn swap_remove(&mut self, index: usize) {
        self.components_mut().for_each(|component| {
            component.swap_remove(index);
        });
        if !self.memory.is_empty() {
            self.memory.swap_remove(index);
        }
    }

    #[inline(always)]
    pub fn position(&self, index: usize) -> [f32; D] {
        per_axis!(axis => self.position[axis][index])
    }

    #[inline(always)]
    pub fn velocity(&self, index: usize) -> [f32; D] {
        per_axis!(axis => self.velocity[axis][index])
    }

    /// The numbers that an agent keeps.
    pub fn kept(&self, index: usize) -> KeptRow {
        let mut row = [0.0; MAX_KEPT];
        row.iter_mut().zip(&self.kept).for_each(|(own, numbers)| *own = numbers[index]);
        row
    }

    /// All of it, ready to be split into bands.
    pub fn as_mut(&mut self) -> MotionMut<'_, D> {
        MotionMut {
            position: self.position.each_mut().map(Vec::as_mut_slice),
            velocity: self.velocity.each_mut().map(Vec::as_mut_slice),
            memory: &mut self.memory,
            kept: self.kept.iter_mut().map(Vec::as_mut_slice).collect(),
        }
    }
}

/// A contiguous part of a [`Motion`] that one task writes.
#[derive(Debug)]
pub struct MotionMut<'a, const D: usize> {
    /// See [`Motion::position`].
    pub position: [&'a mut [f32]; D],
    /// See [`Motion::velocity`].
    pub velocity: [&'a mut [f32]; D],
    /// See [`Motion::memory`].
    pub memory: &'a mut [Memory],
    /// See [`Motion::kept`].
    pub kept: Vec<&'a mut [f32]>,
}

impl<const D: usize> MotionMut<'_, D> {
    /// Cuts off the first `count` agents.
    pub fn take(&mut self, count: usize) -> Self {
        Self {
            position: self.position.each_mut().map(|component| take(component, count)),
            velocity: self.velocity.each_mut().map(|component| take(component, count)),
            memory: take(&mut self.memory, count),
            kept: self.kept.iter_mut().map(|numbers| take(numbers, count)).collect(),
        }
    }
}

/// The parts of an agent that no tick changes.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Index into the scene's species.
    pub species: Vec<u8>,
    /// Unique in the flock.
    pub id: Vec<u32>,
}

impl Identity {
    pub fn extend(&mut self, agents: &FlockState) {
        self.species.extend_from_slice(&agents.species);
        self.id.extend_from_slice(&agents.id);
    }

    pub fn resize(&mut self, count: usize) {
        self.species.resize(count, 0);
        self.id.resize(count, 0);
    }
}

/// Keeps only the elements for which `stays` is true.
pub fn retain<T>(elements: &mut Vec<T>, stays: &[bool]) {
    let mut all = stays.iter();
    elements.retain(|_| all.next().copied().unwrap_or(true));
}

/// Cuts the first `count` elements off a slice, or all of a shorter slice.
pub fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let whole = std::mem::take(slice);
    let (head, tail) = whole.split_at_mut(count.min(whole.len()));
    *slice = tail;
    head
}
