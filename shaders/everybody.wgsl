// The neighbours of rules with `radius = "all"`: everybody else, in the order of the state.

import package::flock::flock;
import package::rules::{Species, Sums, looks_at_everybody, observe_everybody, observe_shared, others_of};
@if(other_sizes) import package::rules::parameters_of;
import package::sorted::{state, tag};
import package::space::{Vector, position_of, velocity_of};
import package::tag::species_of;
import package::vehicle::{Neighbour, neighbour_at};
@if(wrap) import package::world::nearest_image;

// Agent `j` as everybody hears it who is at `offset` before it and has this heading. (A heading is used only in scenes
// with a field of view.)
fn heard(j: u32, offset: Vector, heading: Vector, tick: u32) -> Neighbour {
    let other = state[j];
    var neighbour = neighbour_at(offset, velocity_of(other), heading);
    @if(other_places) {
        neighbour.place = position_of(other);
    }
    @if(other_sizes) {
        neighbour.size = parameters_of(tag[j], flock.seed, tick).size;
    }
    @if(other_kept) {
        neighbour.kept = other.kept;
    }
    @if(several_species) {
        neighbour.species = 1u << species_of(tag[j]);
    }
    neighbour.share = 1.0;
    return neighbour;
}

// The sums of agent `i`, to which everybody else is added.
fn with_everybody(own: Species, i: u32, position: Vector, heading: Vector, tick: u32, before: Sums) -> Sums {
    let me = state[i];
    var sums = before;
    let count = select(0u, flock.count, looks_at_everybody(own));
    for (var j = 0u; j < count; j++) {
        let place = position_of(state[j]);
        @if(wrap)
        let seen_from = nearest_image(place, position, flock.size);
        @if(!wrap)
        let seen_from = position;
        var neighbour = heard(j, place - seen_from, heading, tick);
        @if(own_motion) {
            neighbour.own_position = position;
            neighbour.own_velocity = velocity_of(me);
        }
        @if(own_kept) {
            neighbour.own_kept = me.kept;
        }
        // An agent is not its own neighbour.
        neighbour.share = select(0.0, 1.0, j != i);
        sums = observe_everybody(own, neighbour, sums);
    }
    return sums;
}

// The sums of agent `i` with those that all share, from which its own part is taken.
fn with_shared(own: Species, i: u32, tick: u32, before: Sums) -> Sums {
    let part = observe_shared(own, heard(i, Vector(), Vector(), tick), Sums());
    return others_of(own, part, before);
}
