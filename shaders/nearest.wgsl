// The nearest neighbours, for behaviours with `nearest`: how far away the last one is. Then the neighbour loop
// finds them by that smaller radius.

@if(!by_subgroup) import package::ranked_neighbours::neighbour_sums as ranked_neighbours;
@if(by_subgroup) import package::ranked_neighbours_subgroup::neighbour_sums as ranked_neighbours_subgroup;
import package::ranking::{Choice, Ranking, larger_in, number_at};
import package::space::Vector;

// A squared distance above all others.
const EVERYWHERE = 3e38;

// How far a choice reaches.
struct Reach {
    // Nearer agents are chosen; squared.
    squared: f32,
    // Of those exactly as far away, agents with smaller ids are.
    below: u32,
}

// The reach of the `count` nearest neighbours of agent `i`, or of all if `count` is 0. `heading` is used only in
// scenes with a field of view. All lanes of a subgroup must call this.
fn reach_of(
    count: u32,
    among: Choice,
    i: u32,
    position: Vector,
    heading: Vector,
    tick: u32,
    lane: u32,
) -> Reach {
    var reach = Reach(EVERYWHERE, 0u);
    var choice = among;
    var left = count;
    loop {
        @if(!by_subgroup)
        let ranking = ranked_neighbours(choice, i, position, heading, tick);
        @if(by_subgroup)
        let ranking = ranked_neighbours_subgroup(choice, i, position, heading, tick, lane);
        let last = number_at(ranking, max(left, 1u) - 1u);
        // Others are as far away as the last one: their ids decide, after another look. That is rare.
        var again = false;
        if choice.tied != 0u {
            reach.below = ~last + 1u;
            choice.tied = 0u;
            left = 0u;
        } else if left > 0u && last > 0u {
            again = last == number_at(ranking, left);
            // Else the next larger number, so that the last one is nearer.
            reach.squared = bitcast<f32>(select(~last + 1u, ~last, again));
            if again {
                choice.tied = last;
                left -= larger_in(ranking, last);
            } else {
                left = 0u;
            }
        }
        @if(by_subgroup) {
            again = subgroupAny(again);
        }
        if !again {
            break;
        }
    }
    return reach;
}
