// Pass steer: each agent reads the sorted state of the last tick, walks the runs of agents round
// it, sums the forces of its behaviours, moves, and takes a place in its new cell.
//
// One invocation an agent. The order in which agents take their slots is a race; the pass `reorder`
// undoes it.

import package::dispatch::linear_workgroup;
import package::flock::flock;
import package::memory::{angle_of, memory_of};
import package::grid::{NO_ROW, ROWS_AROUND, cell_of, columns_around, key_of, row_around, row_shift, sampling_draw, sampling_of_run};
import package::random::{USE_WANDER, random_bits, unit_from};
import package::rules::{Species, Sums, observe, steering_force};
import package::space::{Vector, confined, position_of, shortest, velocity_of};
import package::target::MAX_TARGETS;
import package::targets::targets;
import package::vehicle::{Agent, Neighbour, heading_of, limited};

struct Clock {
    tick: u32,
}

@group(0) @binding(2) var<storage, read> clock: Clock;
@group(0) @binding(3) var<storage, read> species: array<Species>;
// Position and velocity, sorted by cell.
@group(0) @binding(4) var<storage, read> state: array<vec4<f32>>;
// Species (5 bits) and id (27 bits).
@group(0) @binding(5) var<storage, read> tag: array<u32>;
// Index of the first agent of each cell; one more entry at the end.
@group(0) @binding(6) var<storage, read> start: array<u32>;
// The moved agents, in the old order.
@group(0) @binding(7) var<storage, read_write> next_state: array<vec4<f32>>;
// Where each moved agent goes: cell, slot in the cell, tag; and what it remembers.
@group(0) @binding(8) var<storage, read_write> landing: array<vec4<u32>>;
// Agents in each cell so far.
@group(0) @binding(9) var<storage, read_write> occupancy: array<atomic<u32>>;
// What the agents remember, in the order of the state.
@if(memory)
@group(0) @binding(10) var<storage, read> memory: array<u32>;
// A bit for each target: whether an agent has hit it.
@if(moving_targets)
@group(0) @binding(11) var<storage, read_write> struck: array<atomic<u32>>;

fn species_of(tag: u32) -> u32 {
    @if(several_species) {
        return tag >> 27u;
    }
    return 0u;
}

@compute @workgroup_size(64)
fn steer(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = linear_workgroup(workgroup, workgroups) * 64u + local;
    if i >= flock.count {
        return;
    }
    let own_tag = tag[i];
    var row = species_of(own_tag);
    @if(varies) {
        // There is a table for each of the ticks submitted at once.
        let all = arrayLength(&species) / flock.species_tables;
        row += clock.tick % flock.species_tables * all;
    }
    let own = species[min(row, arrayLength(&species) - 1u)];
    let me = state[i];
    let position = position_of(me);
    var agent = Agent();
    agent.position = position;
    agent.velocity = velocity_of(me);
    agent.max_speed = own.max_speed;
    agent.max_force = own.max_force;
    agent.limits_each = own.limit == 0u;
    agent.size = own.size;
    agent.id = own_tag & 0x07ffffffu;
    agent.brake = 1.0;
    @if(memory) {
        agent.angle = angle_of(memory[i]);
        agent.draw = unit_from(random_bits(flock.seed, agent.id, clock.tick, USE_WANDER));
    }
    @if(sight)
    let heading = heading_of(agent.velocity);
    var sums = Sums();
    @if(listens) {
        let cell = cell_of(flock, position);
        let columns = columns_around(flock, cell.x);
        let draw = sampling_draw(flock, cell.y * flock.columns + cell.x, clock.tick);
        // The loops test at their ends: a device that runs both sides of every branch would walk
        // each body once more to find that nobody is left.
        var nth = 0u;
        loop {
            let row = row_around(flock, cell.y, nth);
            let first_cell = min(row, flock.rows - 1u) * flock.columns;
            var part = 0u;
            loop {
                let run = select(columns.runs.xy, columns.runs.zw, part == 1u);
                let begin = start[first_cell + run.x];
                // Never beyond the flock, whatever the buffer holds: every walk ends.
                let whole = min(start[first_cell + run.y + 1u], flock.count);
                let end = select(whole, 0u, row == NO_ROW);
                let sampling = sampling_of_run(flock, max(end, begin) - begin, draw);
                var j = begin + sampling.phase;
                let share = select(0.0, f32(sampling.stride), j < end);
                // Across the seam every member of a run is a world's size away. In a world of fewer
                // than three cells a run may hold members on both sides: there each is asked.
                @if(wrap && !narrow)
                let shift = row_shift(flock, cell.y, nth)
                    + Vector(select(columns.shifts.x, columns.shifts.y, part == 1u), 0.0);
                loop {
                    let other = state[min(j, flock.count - 1u)];
                    let difference = position_of(other) - position;
                    @if(wrap && !narrow)
                    let offset = difference + shift;
                    @if(!wrap || narrow)
                    let offset = shortest(difference, flock.size);
                    let distance_squared = dot(offset, offset);
                    var other_species = 0u;
                    @if(several_species) {
                        other_species = species_of(tag[min(j, flock.count - 1u)]);
                    }
                    var neighbour = Neighbour();
                    neighbour.offset = offset;
                    neighbour.distance_squared = distance_squared;
                    neighbour.velocity = velocity_of(other);
                    @if(sight) {
                        neighbour.ahead = dot(heading, offset);
                    }
                    neighbour.species = other_species;
                    // Nobody is its own neighbour.
                    neighbour.share = select(0.0, share, j != i);
                    sums = observe(own, neighbour, sums);
                    continuing {
                        j += sampling.stride;
                        break if j >= end;
                    }
                }
                continuing {
                    part++;
                    break if part >= columns.count;
                }
            }
            continuing {
                nth++;
                break if nth >= ROWS_AROUND;
            }
        }
    }
    let acceleration = steering_force(own, &agent, sums) / own.mass;
    let pushed = agent.velocity * agent.brake + (acceleration + agent.kick) * flock.time_step;
    let velocity = limited(pushed, agent.max_speed);
    let moved = confined(position + velocity * flock.time_step, velocity, flock.size);
    let key = key_of(flock, position_of(moved));
    next_state[i] = moved;
    var recalled = 0u;
    @if(memory) {
        recalled = memory_of(agent.angle, sums.neighbours);
    }
    landing[i] = vec4<u32>(key, atomicAdd(&occupancy[key], 1u), own_tag, recalled);
    @if(moving_targets) {
        for (var index = 0u; index < min(targets.count, MAX_TARGETS); index++) {
            let place = targets.places[index];
            let way = shortest(place.position - position_of(moved), flock.size);
            if dot(way, way) < place.hit_radius * place.hit_radius {
                atomicOr(&struck[index >> 5u], 1u << (index & 31u));
            }
        }
    }
}
