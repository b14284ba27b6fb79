// What a target is. A file of its own, without the binding: one pass reads the targets, another one
// moves them.

import package::space::Vector;

const MAX_TARGETS = 64u;

struct Target {
    // World units.
    position: Vector,
    // World units per tick.
    velocity: Vector,
    // 0 while there is nothing to go by: the pointer when no button is pressed.
    present: u32,
    // An agent that comes this near hits the target, and it reappears elsewhere; 0: it stays.
    hit_radius: f32,
    // How often it has been hit.
    hits: u32,
    // 1 where it goes another way, as fast as before, when it has been hit.
    turns: u32,
    // Where an agent that hits it is put, where `sends` is 1.
    sends_to: Vector,
    sends: u32,
    padding: u32,
}

struct Targets {
    places: array<Target, MAX_TARGETS>,
    count: u32,
}
