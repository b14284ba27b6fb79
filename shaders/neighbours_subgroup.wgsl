// The neighbour loop of a whole subgroup. Its invocations are consecutive agents, so their runs overlap:
// each loads one candidate of the joint runs and broadcasts it.
//
// This is for devices that load lane by lane, such as drivers that run on the CPU: a candidate loaded once
// for all costs an eighth there. A candidate outside an agent's own columns is at least the radius away, so
// it is not a neighbour, and the sums have the same bits as in `neighbours`.

import package::flock::flock as whole_flock;
import package::grid::{can_join, cell_of, columns_around, columns_between, run_around, run_shift, sampling_noise, sampling_of_run};
import package::rules::{Species, Sums, observe};
@if(other_sizes) import package::rules::parameters_of;
import package::sorted::{cell_start, state, tag};
import package::space::{Vector, cell_number, position_of, velocity_of};
import package::subgroup::LANES;
@if(nearest) import package::tag::id_of;
import package::tag::species_of;
import package::vehicle::neighbour_at;
@if(wrap && narrow) import package::world::nearest_image;

// The runs round an agent in a layer of cells; a plane has one layer.
const RUNS = 6u;
@if(flat) const LAYERS = 1u;
@if(!flat) const LAYERS = 3u;

// The sums over the neighbours of agent `i`, which is in `lane`. `heading` is used only in scenes with a
// field of view. All lanes of the subgroup must call this.
fn neighbour_sums(own: Species, i: u32, position: Vector, heading: Vector, tick: u32, lane: u32) -> Sums {
    // Read once: in a loop the device would load the uniform lane by lane.
    let flock = whole_flock;
    @if(own_kept)
    let own_kept = state[i].kept;
    @if(own_motion)
    let own_velocity = velocity_of(state[i]);
    var sums = Sums();
    let cell = cell_of(flock, position);
    let tail = subgroupShuffle(cell, LANES - 1u);
    // The first lane without sums.
    var first = 0u;
    // Set once a joint run is so long that it would be sampled: then the lanes go cell by cell.
    var alone = false;
    loop {
        let leader = subgroupShuffle(cell, first);
        var columns = columns_around(flock, leader);
        let joint = !alone && can_join(flock, leader, tail);
        if joint {
            columns = columns_between(flock, leader, tail);
        }
        let together = lane >= first && (joint || all(cell == leader));

        // True if these lanes must be summed again, each cell alone.
        var again = false;
        @if(!flat)
        let sums_before = sums;
        for (var layer = 0u; layer < LAYERS; layer++) {
            // Lane k looks up run k of a layer.
            let nth = layer * RUNS + min(lane, RUNS - 1u);
            let run = run_around(flock, leader, columns, nth);
            let begin = cell_start[run.first];
            @if(!slab)
            let end = min(cell_start[run.last + 1u], flock.count);
            @if(slab)
            let end = min(cell_start[run.last + 1u], flock.all);
            let exists = lane < RUNS && run.exists;
            let length = select(0u, max(end, begin) - begin, exists);
            let longest = subgroupMax(length);
            again = again || (joint && longest > flock.run_cap);
            let noise = sampling_noise(flock, cell_number(leader, flock.cells_along), tick);
            let sampling = sampling_of_run(flock, length, noise);
            @if(wrap && !narrow)
            let shift = run_shift(flock, leader, columns, nth);
            // In a space the shift across the layer is the same for all its runs.
            @if(wrap && !narrow && !flat)
            let seen_in_layer = position.z - shift.z;
            // Members to read. A sampled run has one or two fewer; `end` cuts them off.
            let sampled = u32(f32(length - min(sampling.phase, length)) / f32(sampling.stride)) + 2u;
            let members = select(select(length, sampled, sampling.stride > 1u), 0u, length == 0u || again);
            // The runs laid end to end: the end of each, and the beginning of this lane's.
            let end_0 = subgroupShuffle(members, 0u);
            let end_1 = end_0 + subgroupShuffle(members, 1u);
            let end_2 = end_1 + subgroupShuffle(members, 2u);
            let end_3 = end_2 + subgroupShuffle(members, 3u);
            let end_4 = end_3 + subgroupShuffle(members, 4u);
            let total = end_4 + subgroupShuffle(members, 5u);
            var before = select(0u, end_0, lane == 1u);
            before = select(before, end_1, lane == 2u);
            before = select(before, end_2, lane == 3u);
            before = select(before, end_3, lane == 4u);
            before = select(before, end_4, lane == 5u);
            // The index that place 0 would have if the run began there.
            let origin = begin + sampling.phase - before * sampling.stride;

            var base = 0u;
            loop {
                // Each lane loads the candidate at one place …
                let place = base + lane;
                let which = select(0u, 1u, place >= end_0) + select(0u, 1u, place >= end_1)
                    + select(0u, 1u, place >= end_2) + select(0u, 1u, place >= end_3)
                    + select(0u, 1u, place >= end_4);
                let stride = subgroupShuffle(sampling.stride, which);
                let j = subgroupShuffle(origin, which) + place * stride;
                let inside = place < total && j < subgroupShuffle(end, which);
                @if(!slab)
                let index = min(j, flock.count - 1u);
                @if(slab)
                let index = min(j, flock.all - 1u);
                let candidate = state[index];
                let place_of_candidate = position_of(candidate);
                @if(wrap && !narrow)
                let shift_of_candidate = subgroupShuffle(shift.xy, which);
                let share = select(0.0, f32(stride), inside);
                @if(other_sizes)
                let candidate_tag = tag[index];
                @if(nearest)
                let candidate_id = id_of(tag[index]);
                @if(several_species)
                let candidate_species = 1u << species_of(tag[index]);
                // … and reads all of them.
                for (var turn = 0u; turn < LANES; turn++) {
                    let other = subgroupShuffle(place_of_candidate, turn);
                    @if(!wrap)
                    let seen_from = position;
                    @if(wrap && !narrow && flat)
                    let seen_from = position - subgroupShuffle(shift_of_candidate, turn);
                    @if(wrap && !narrow && !flat)
                    let seen_from = Vector(position.xy - subgroupShuffle(shift_of_candidate, turn), seen_in_layer);
                    @if(wrap && narrow)
                    let seen_from = nearest_image(other, position, flock.size);
                    let offset = other - seen_from;
                    var neighbour = neighbour_at(offset, subgroupShuffle(velocity_of(candidate), turn), heading);
                    @if(other_places) {
                        neighbour.place = other;
                    }
                    @if(other_sizes) {
                        neighbour.size = parameters_of(subgroupShuffle(candidate_tag, turn), flock.seed, tick).size;
                    }
                    @if(nearest) {
                        neighbour.id = subgroupShuffle(candidate_id, turn);
                    }
                    @if(own_kept) {
                        neighbour.own_kept = own_kept;
                    }
                    @if(own_motion) {
                        neighbour.own_position = position;
                        neighbour.own_velocity = own_velocity;
                    }
                    @if(several_species) {
                        neighbour.species = subgroupShuffle(candidate_species, turn);
                    }
                    // An agent is not its own neighbour.
                    let is_other = together && subgroupShuffle(index, turn) != i;
                    neighbour.share = select(0.0, subgroupShuffle(share, turn), is_other);
                    sums = observe(own, neighbour, sums);
                }
                continuing {
                    base += LANES;
                    break if base >= total;
                }
            }
        }
        @if(!flat) {
            if again {
                sums = sums_before;
            }
        }
        let served = subgroupAdd(select(0u, 1u, together));
        first += select(served, 0u, again);
        alone = alone || again;
        continuing {
            break if first >= LANES;
        }
    }
    return sums;
}
