// The nearest neighbours, for behaviours with `nearest`: how far away the last one is. Then the neighbour loop
// finds them by that smaller radius.

@if(!by_subgroup) import package::ranked_neighbours::neighbour_sums as ranked_neighbours;
@if(by_subgroup) import package::ranked_neighbours_subgroup::neighbour_sums as ranked_neighbours_subgroup;
import package::ranking::{Choice, Ranking, larger_in, number_at};
import package::space::Vector;

// A squared distance above all others.
const EVERYWHERE = 3e38;

// Above all ids.
const EVERYBODY = 0xffffffffu;

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
    @if(!by_subgroup)
    let ranking = ranked_neighbours(among, i, position, heading, tick);
    @if(by_subgroup)
    let ranking = ranked_neighbours_subgroup(among, i, position, heading, tick, lane);
    let last = number_at(ranking, max(count, 1u) - 1u);
    let finds_all = count > 0u && last > 0u;
    let is_tied = finds_all && last == number_at(ranking, count);
    if finds_all {
        // Not the next larger number, which devices may take for 0 if that is the distance.
        reach = Reach(bitcast<f32>(~last), EVERYBODY);
    }
    // Others are as far away as the last one: their ids decide, after another look. That is rare.
    @if(!by_subgroup)
    let again = is_tied;
    @if(by_subgroup)
    let again = subgroupAny(is_tied);
    if again {
        var choice = among;
        choice.tied = last;
        @if(!by_subgroup)
        let tied = ranked_neighbours(choice, i, position, heading, tick);
        @if(by_subgroup)
        let tied = ranked_neighbours_subgroup(choice, i, position, heading, tick, lane);
        let left = count - larger_in(ranking, last);
        reach.below = select(reach.below, ~number_at(tied, max(left, 1u) - 1u) + 1u, is_tied);
    }
    return reach;
}
