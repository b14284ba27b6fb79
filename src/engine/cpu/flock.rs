//! The flock as the CPU engine keeps it: one array a component, sorted by grid cell.

use rayon::prelude::*;

use crate::model::memory::Memory;
use crate::model::vector::{Point, Vector};
use crate::model::world::World;

/// Positions and velocities: what a tick changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// World units.
    pub x: Vec<f32>,
    /// World units.
    pub y: Vec<f32>,
    /// World units per tick.
    pub vx: Vec<f32>,
    /// World units per tick.
    pub vy: Vec<f32>,
    /// What the agents remember; empty in scenes without memory.
    pub memory: Vec<Memory>,
}

impl Motion {
    /// Room for as many agents as `other` has, all zero.
    pub fn zeroed_like(other: &Self) -> Self {
        let zeros = vec![0.0; other.x.len()];
        let memory = vec![Memory::default(); other.memory.len()];
        Self { x: zeros.clone(), y: zeros.clone(), vx: zeros.clone(), vy: zeros, memory }
    }

    /// From the arrays of a [`crate::model::state::FlockState`].
    pub fn of(position: &[Point], velocity: &[Point], memory: Vec<Memory>) -> Self {
        Self {
            x: position.iter().map(|p| p.x).collect(),
            y: position.iter().map(|p| p.y).collect(),
            vx: velocity.iter().map(|v| v.x).collect(),
            vy: velocity.iter().map(|v| v.y).collect(),
            memory,
        }
    }

    /// Adds agents at the end.
    pub fn extend(&mut self, other: &Self) {
        self.x.extend_from_slice(&other.x);
        self.y.extend_from_slice(&other.y);
        self.vx.extend_from_slice(&other.vx);
        self.vy.extend_from_slice(&other.vy);
        self.memory.extend_from_slice(&other.memory);
    }

    /// Drops the agents that do not stay.
    pub fn retain(&mut self, stays: &[bool]) {
        for component in [&mut self.x, &mut self.y, &mut self.vx, &mut self.vy] {
            retain(component, stays);
        }
        retain(&mut self.memory, stays);
    }

    /// Brings all agents inside a world, as at the end of a tick.
    pub fn confine(&mut self, world: &World) {
        let Self { x, y, vx, vy, .. } = self;
        let positions = x.par_iter_mut().zip(y);
        positions.zip(vx.par_iter_mut().zip(vy)).for_each(|((x, y), (vx, vy))| {
            let (position, velocity) = world.confine(Vector([*x, *y]), Vector([*vx, *vy]));
            ([*x, *y], [*vx, *vy]) = (position.0, velocity.0);
        });
    }

    /// Makes room for `count` agents and `memories`; new ones are zero.
    pub fn resize(&mut self, count: usize, memories: usize) {
        for component in [&mut self.x, &mut self.y, &mut self.vx, &mut self.vy] {
            component.resize(count, 0.0);
        }
        self.memory.resize(memories, Memory::default());
    }

    /// Position of one agent.
    #[inline(always)]
    pub fn position(&self, index: usize) -> Point {
        Point::new(self.x[index], self.y[index])
    }

    /// Velocity of one agent.
    #[inline(always)]
    pub fn velocity(&self, index: usize) -> Point {
        Point::new(self.vx[index], self.vy[index])
    }

    /// The whole of it, to be split into bands.
    pub fn as_mut(&mut self) -> MotionMut<'_> {
        let Self { x, y, vx, vy, memory } = self;
        MotionMut { x, y, vx, vy, memory }
    }
}

/// A contiguous part of a [`Motion`] that one task writes.
#[derive(Debug)]
pub struct MotionMut<'a> {
    /// See [`Motion::x`].
    pub x: &'a mut [f32],
    /// See [`Motion::y`].
    pub y: &'a mut [f32],
    /// See [`Motion::vx`].
    pub vx: &'a mut [f32],
    /// See [`Motion::vy`].
    pub vy: &'a mut [f32],
    /// See [`Motion::memory`].
    pub memory: &'a mut [Memory],
}

impl MotionMut<'_> {
    /// Cuts off the first `count` agents.
    pub fn take(&mut self, count: usize) -> Self {
        Self {
            x: take(&mut self.x, count),
            y: take(&mut self.y, count),
            vx: take(&mut self.vx, count),
            vy: take(&mut self.vy, count),
            memory: take(&mut self.memory, count),
        }
    }
}

/// Who the agents are: what no tick changes.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Index into the scene's species.
    pub species: Vec<u8>,
    /// The agent's id.
    pub row: Vec<u32>,
}

impl Identity {
    /// Agents in the order of these arrays.
    pub fn of(species: &[u8], ids: &[u32]) -> Self {
        Self { species: species.to_vec(), row: ids.to_vec() }
    }
}

/// Drops the elements that do not stay.
pub fn retain<T>(elements: &mut Vec<T>, stays: &[bool]) {
    let mut all = stays.iter();
    elements.retain(|_| all.next().copied().unwrap_or(true));
}

/// Cuts the first `count` elements off a slice; all of it when it is shorter.
pub fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let whole = std::mem::take(slice);
    let (head, tail) = whole.split_at_mut(count.min(whole.len()));
    *slice = tail;
    head
}
