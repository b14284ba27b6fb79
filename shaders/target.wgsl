// A target. The bindings are elsewhere: one pass reads the targets, another one moves them.

import package::space::Vector;

const MAX_TARGETS = 64u;

struct Target {
    // World units.
    position: Vector,
    // World units per tick.
    velocity: Vector,
    // 0 while the target is off: the pointer when no button is pressed.
    present: u32,
    // An agent this near hits the target, which then reappears elsewhere; 0: it stays.
    hit_radius: f32,
    // Number of hits so far.
    hits: u32,
    // 1 if a hit changes its direction; its speed stays the same.
    turns: u32,
    // If `sends` is 1, an agent that hits the target is put here.
    sends_to: Vector,
    sends: u32,
    padding: u32,
}

struct Targets {
    places: array<Target, MAX_TARGETS>,
    count: u32,
}
