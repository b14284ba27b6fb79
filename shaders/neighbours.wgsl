// The neighbour loop, one invocation per agent: reads the runs of agents round its cell, row by row.

import package::flock::flock;
import package::grid::{NEXT_RUN, RUNS_AROUND, WHOLE, cell_of, columns_around, run_around, sampling_noise, sampling_of_run};
@if(wrap && !narrow) import package::grid::run_shift;
import package::rules::{Species, Sums, observe};
@if(other_sizes) import package::rules::parameters_of;
import package::sorted::{cell_start, state, tag};
import package::space::{Vector, cell_number, position_of, velocity_of};
@if(nearest) import package::tag::id_of;
import package::tag::species_of;
import package::vehicle::neighbour_at;
@if(wrap && narrow) import package::world::nearest_image;

// The sums over the neighbours of agent `i`. `heading` is used only in scenes with a field of view.
fn neighbour_sums(own: Species, i: u32, position: Vector, heading: Vector, tick: u32) -> Sums {
    @if(own_motion)
    let own_velocity = velocity_of(state[i]);
    @if(own_kept)
    let own_kept = state[i].kept;
    var sums = Sums();
    let cell = cell_of(flock, position);
    let columns = columns_around(flock, cell);
    let noise = sampling_noise(flock, cell_number(cell, flock.cells_along), tick);
    for (var nth = 0u; nth < RUNS_AROUND; nth += NEXT_RUN) {
        let run = run_around(flock, cell, columns, nth);
        if !run.exists {
            continue;
        }
        let begin = cell_start[run.first];
        // Clamped to the flock, so that every loop ends whatever the buffer holds.
        @if(!slab)
        let end = min(cell_start[run.last + 1u], flock.count);
        @if(slab)
        let end = min(cell_start[run.last + 1u], flock.all);
        let length = max(end, begin) - begin;
        var sampling = WHOLE;
        if length > flock.run_cap {
            sampling = sampling_of_run(flock, length, noise);
        }
        let share = f32(sampling.stride);
        // A run across the seam is seen from a place that is shifted by the world's size. In a world
        // of few cells a run may have members on both sides: then each is tested.
        @if(wrap && !narrow)
        let seen_from = position - run_shift(flock, cell, columns, nth);
        @if(!wrap)
        let seen_from = position;
        for (var j = begin + sampling.phase; j < end; j += sampling.stride) {
            let other = state[j];
            @if(wrap && narrow)
            let seen_from = nearest_image(position_of(other), position, flock.size);
            let offset = position_of(other) - seen_from;
            var neighbour = neighbour_at(offset, velocity_of(other), heading);
            @if(other_places) {
                neighbour.place = position_of(other);
            }
            @if(other_sizes) {
                neighbour.size = parameters_of(tag[j], flock.seed, tick).size;
            }
            @if(nearest) {
                neighbour.id = id_of(tag[j]);
            }
            @if(own_motion) {
                neighbour.own_position = position;
                neighbour.own_velocity = own_velocity;
            }
            @if(other_kept) {
                neighbour.kept = other.kept;
            }
            @if(own_kept) {
                neighbour.own_kept = own_kept;
            }
            @if(several_species) {
                neighbour.species = 1u << species_of(tag[j]);
            }
            // An agent is not its own neighbour.
            neighbour.share = select(0.0, share, j != i);
            sums = observe(own, neighbour, sums);
        }
    }
    return sums;
}
