// Pass steer: each agent reads its neighbours in the sorted state of the last tick, sums the forces of its
// behaviours, moves, and takes a slot in its new cell.
//
// One invocation per agent. The agents race for their slots; the pass `reorder` restores the order.

import package::cell_count::AtomicCellCount;
import package::clock::clock;
import package::dispatch::{Invocation, linear_workgroup};
@if(noise) import package::course::disturbed;
@if(max_turn) import package::course::turned;
@if(everybody) import package::everybody::with_everybody;
@if(shared) import package::everybody::with_shared;
import package::flock::flock as whole_flock;
import package::memory::{recalled, stored};
@if(accelerations || ages || banks || structure) import package::memory::shown_by;
@if(banks) import package::memory::{BANK_WEIGHT, MAX_BANK, SHOWS_BANK, leant};
@if(structure) import package::memory::{SHOWS_STRUCTURE, structure_of};
@if(accelerations) import package::memory::{SHOWS_ACCELERATION};
@if(ages) import package::memory::{MAX_COLOUR_VALUE, SHOWS_AGE, shown_of};
import package::grid::key_of;
@if(noise) import package::random::deviates;
@if(jitter) import package::random::jitter;
import package::random::wander_noise;
import package::rules::{Sums, parameters_of, steering_force};
@if(nearest && neighbours) import package::rules::within_reach;
import package::sorted::{state, tag};
import package::space::{Motion, Vector, dot, position_of, velocity_of};
@if(accelerations) import package::space::length;
@if(min_speed) import package::space::{MIN_SQUARE, with_length};
import package::tag::{id_of, species_of};
import package::target::MAX_TARGETS;
import package::targets::targets;
import package::vehicle::{Agent, carried, heading_of, limited};
import package::world::{confined, shortest};
@if(!by_subgroup) import package::neighbours::neighbour_sums;
@if(by_subgroup) import package::neighbours_subgroup::neighbour_sums as neighbour_sums_subgroup;

// The moved agents, in the old order.
@group(0) @binding(7) var<storage, read_write> next_state: array<Motion>;
// The cell of each moved agent, its slot in the cell, its tag and its memory.
@group(0) @binding(8) var<storage, read_write> binned: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> cell_count: AtomicCellCount;
// The memory of each agent, in the order of the state.
@if(memory)
@group(0) @binding(10) var<storage, read> memory: array<u32>;

// An agent whose max_force changes its momentum by less in a tick shows no acceleration: the quotient would
// depend on how a device treats numbers near 0.
@if(accelerations || banks) const MIN_LIMIT = 1e-9;

// The number that shows how far one tick has changed the velocity. `limit` is how far max_force changes the
// momentum. That is in the middle of the scale; no change is at its end, for several behaviours together exceed
// max_force in most flocks. src/engine/cpu/shown.rs computes the same.
@if(accelerations)
fn shown_of_change(change: f32, mass: f32, limit: f32) -> u32 {
    let momentum = min(change * mass, 1e30);
    let share = momentum / (momentum + limit);
    return u32(min(select(share * 255.0, 0.0, limit < MIN_LIMIT), 255.0));
}

// Where the change of the velocity in one tick makes an agent lean: like the number above, but of the change to
// the left, and negative for one to the right. src/engine/cpu/shown.rs computes the same.
@if(banks)
fn lean_of_change(change: Vector, before: Vector, mass: f32, limit: f32) -> f32 {
    let level = max(sqrt(before.x * before.x + before.y * before.y), MIN_LEVEL);
    let aside = (before.x * change.y - before.y * change.x) / level * mass;
    let share = aside / (abs(aside) + limit * BANK_WEIGHT);
    return select(share * MAX_BANK, 0.0, limit < MIN_LIMIT || !(abs(aside) < 1e30));
}

// A heading with less of a level part is upright, and has no left.
@if(banks) const MIN_LEVEL = 1e-9;

// How much an age grows in the tick that begins at `tick`. src/model/memory.rs computes the same.
@if(ages)
fn growth_of_age(tick: u32, longest: u32) -> u32 {
    let phase = tick % longest;
    return (phase + 1u) * MAX_COLOUR_VALUE / longest - phase * MAX_COLOUR_VALUE / longest;
}

// The velocity, at least at this `speed`. An agent that the tick has brought to rest keeps its heading.
@if(min_speed)
fn at_least(velocity: Vector, speed: f32, agent: Agent) -> Vector {
    let squared = dot(velocity, velocity);
    if !(squared < speed * speed) {
        return velocity;
    }
    if squared >= MIN_SQUARE {
        return with_length(velocity, speed);
    }
    return heading_of(agent.velocity) * speed;
}

@compute @workgroup_size(64)
fn steer(here: Invocation, @if(by_subgroup) @builtin(subgroup_invocation_id) lane: u32) {
    let flock = whole_flock;
    let number = linear_workgroup(here.workgroup, here.workgroups) * 64u + here.local;
    @if(!slab)
    let count = flock.count;
    @if(slab)
    let count = flock.steered;
    @if(!by_subgroup) {
        if number >= count {
            return;
        }
    }
    // A subgroup stays complete until its neighbours are read: invocations beyond the flock repeat
    // the last agent.
    let nth = min(number, count - 1u);
    @if(!slab)
    let i = nth;
    @if(slab)
    let i = nth + select(0u, flock.gap, nth >= flock.gap_begin);
    let own_tag = tag[i];
    let me = state[i];
    let position = position_of(me);
    var agent = Agent();
    agent.position = position;
    agent.velocity = velocity_of(me);
    agent.id = id_of(own_tag);
    agent.brake = 1.0;
    @if(kept) {
        agent.kept = me.kept;
        agent.next_kept = me.kept;
    }
    @if(memory) {
        agent.remembered = recalled(memory[i]);
        agent.noise = wander_noise(flock.seed, agent.id, clock);
    }
    var heading = Vector();
    @if(sight) {
        heading = heading_of(agent.velocity);
    }
    var sums = Sums();
    @if(neighbours)
    var perceiving = parameters_of(own_tag, flock.seed, clock);
    @if(neighbours && nearest && !by_subgroup)
    perceiving = within_reach(perceiving, i, position, heading, clock, 0u);
    @if(neighbours && nearest && by_subgroup)
    perceiving = within_reach(perceiving, i, position, heading, clock, lane);
    @if(neighbours && !by_subgroup)
    sums = neighbour_sums(perceiving, i, position, heading, clock);
    @if(neighbours && by_subgroup)
    sums = neighbour_sums_subgroup(perceiving, i, position, heading, clock, lane);
    @if(everybody) {
        sums = with_everybody(parameters_of(own_tag, flock.seed, clock), i, position, heading, clock, sums);
    }
    @if(shared) {
        sums = with_shared(parameters_of(own_tag, flock.seed, clock), i, clock, sums);
    }
    let own = parameters_of(own_tag, flock.seed, clock);
    agent.max_speed = own.max_speed;
    agent.max_force = own.max_force;
    @if(turners) {
        agent.turns = own.motion == 1u;
        agent.max_force = select(own.max_force, own.max_speed, agent.turns);
    }
    agent.limits_each = own.limit == 0u;
    agent.size = own.size;
    let acceleration = steering_force(own_tag, flock.seed, clock, &agent, sums) / own.mass;
    @if(texts) {
        if number < count && agent.broken_rules != 0u {
            atomicAdd(&cell_count.broken[0], countOneBits(agent.broken_rules));
            atomicOr(&cell_count.broken[1], agent.broken_rules);
        }
    }
    let pushed = carried(agent) * agent.brake + (acceleration + agent.kick) * flock.time_step;
    @if(!min_speed)
    var velocity = limited(pushed, agent.max_speed);
    @if(min_speed)
    var least = min(own.min_speed, agent.max_speed);
    @if(turners) {
        least = select(least, agent.max_speed, agent.turns);
    }
    @if(min_speed)
    var velocity = at_least(limited(pushed, agent.max_speed), least, agent);
    @if(noise) {
        velocity = disturbed(velocity, own.noise * sqrt(flock.time_step), own.noise_kind, deviates(flock.seed, agent.id, clock));
    }
    @if(max_turn) {
        velocity = turned(velocity, own.max_turn, flock.time_step, agent.velocity);
    }
    @if(!old_step)
    var place = position + velocity * flock.time_step;
    @if(old_step)
    var place = position + select(velocity, agent.velocity, own.position_step == 1u) * flock.time_step;
    @if(jitter) {
        // Added last: a driver may add one of two products to the position before it adds the other.
        place += jitter(flock.seed, agent.id, clock) * (own.jitter * sqrt(flock.time_step));
    }
    var moved = confined(place, velocity, flock.size);
    @if(accelerations || banks)
    // Before a target sends the agent elsewhere, as on the CPU.
    let change = velocity_of(moved) - velocity_of(me);
    @if(ages)
    var sent = false;
    @if(moving_targets) {
        let there = position_of(moved);
        for (var index = 0u; index < min(targets.count, MAX_TARGETS); index++) {
            let place = targets.places[index];
            let way = shortest(place.position - there, flock.size);
            let near = dot(way, way) < place.hit_radius * place.hit_radius;
            if number < count && place.present == 1u && near {
                atomicOr(&cell_count.hits[index >> 5u], 1u << (index & 31u));
                if place.sends == 1u {
                    // A world that was made smaller may not hold the place any more.
                    moved = confined(place.sends_to, velocity_of(moved), flock.size);
                    @if(ages) {
                        sent = true;
                    }
                }
            }
        }
    }
    let key = key_of(flock, position_of(moved));
    if number >= count {
        return;
    }
    @if(kept) {
        moved.kept = agent.next_kept;
    }
    next_state[i] = moved;
    var remembered = 0u;
    @if(memory) {
        let species = species_of(own_tag);
        var shown = u32(sums.neighbours);
        @if(accelerations) {
            let accelerated = shown_of_change(length(change), own.mass, own.max_force * flock.time_step);
            shown = select(shown, accelerated, shown_by(flock.shown, species) == SHOWS_ACCELERATION);
        }
        @if(ages) {
            let older = shown_of(memory[i]) + growth_of_age(clock, flock.longest_age);
            let age = select(older, 0u, sent);
            shown = select(shown, age, shown_by(flock.shown, species) == SHOWS_AGE);
        }
        @if(banks) {
            let limit = own.max_force * flock.time_step;
            let turn = lean_of_change(change, velocity_of(me), own.mass, limit);
            let bank = leant(memory[i], turn);
            shown = select(shown, bank, shown_by(flock.shown, species) == SHOWS_BANK);
        }
        @if(structure) {
            var order = 0.0;
            @if(alignment) {
                order = package::behaviours::alignment::order_of(sums.alignment, own.max_speed);
            }
            let structure = structure_of(order, sums.neighbours);
            shown = select(shown, structure, shown_by(flock.shown, species) == SHOWS_STRUCTURE);
        }
        remembered = stored(agent.remembered, shown, flock.directed, species);
    }
    binned[i] = vec4<u32>(key, atomicAdd(&cell_count.members[key], 1u), own_tag, remembered);
}
