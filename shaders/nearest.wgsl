// The nearest neighbours, for behaviours with `nearest`: how far away the last one is. Then the neighbour loop
// finds them by that smaller radius. With `pick` it finds the one that was drawn by its id.

@if(!by_subgroup) import package::ranked_neighbours::neighbour_sums as ranked_neighbours;
@if(by_subgroup) import package::ranked_neighbours_subgroup::neighbour_sums as ranked_neighbours_subgroup;
@if(pick) import package::flock::flock;
@if(pick) import package::random::{PURPOSE_PICK, random_bits};
@if(pick) import package::sorted::tag;
@if(pick) import package::tag::id_of;
import package::ranking::{Choice, Ranking, larger_in, number_at};
import package::space::Vector;

// A squared distance above all others.
const EVERYWHERE = 3e38;

// Above all ids.
const EVERYBODY = 0xffffffffu;

// The number of nearest neighbours that stands for one that is drawn; src/model/parameter.rs has the same.
@if(pick) const PICK_ONE = 17u;

// How far a choice reaches.
struct Reach {
    // Nearer agents are chosen; squared.
    squared: f32,
    // Of those exactly as far away, agents with smaller ids are.
    below: u32,
    // The id of the only one, or EVERYBODY.
    @if(pick) only: u32,
}

// The reach of the `count` nearest neighbours of agent `i`, or of all if `count` is 0. `heading` is used only in
// scenes with a field of view. All lanes of a subgroup must call this.
fn reach_of(
    count: u32,
    all: Choice,
    i: u32,
    position: Vector,
    heading: Vector,
    tick: u32,
    lane: u32,
) -> Reach {
    var reach = Reach();
    reach.squared = EVERYWHERE;
    var choice = all;
    @if(pick) {
        choice.picks = count == PICK_ONE;
        choice.order = random_bits(flock.seed, id_of(tag[i]), tick, PURPOSE_PICK);
    }
    @if(!by_subgroup)
    let ranking = ranked_neighbours(choice, i, position, heading, tick);
    @if(by_subgroup)
    let ranking = ranked_neighbours_subgroup(choice, i, position, heading, tick, lane);
    let last = number_at(ranking, max(count, 1u) - 1u);
    var finds_all = count > 0u && last > 0u;
    @if(pick) {
        finds_all = finds_all && !choice.picks;
        reach.only = ~ranking.drawn;
    }
    let is_tied = finds_all && last == number_at(ranking, count);
    if finds_all {
        // Not the next larger number, which devices may take for 0 if that is the distance.
        reach.squared = bitcast<f32>(~last);
        reach.below = EVERYBODY;
    }
    // Others are as far away as the last one: their ids decide, after another look. That is rare.
    @if(!by_subgroup)
    let again = is_tied;
    @if(by_subgroup)
    let again = subgroupAny(is_tied);
    if again {
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
