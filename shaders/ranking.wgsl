// The nearest of the neighbours that an agent looks at, for behaviours with `nearest`, or the one that it draws.
//
// `shaders/lib.rs` copies the neighbour loop. The copy takes `Choice`, `Ranking` and `rank` from here, where the
// original takes `Species`, `Sums` and `observe` from `rules`.

@if(pick) import package::random::place_in_order;
import package::vehicle::Neighbour;

// Which neighbours are ranked.
struct Choice {
    // Those nearer than the root of this.
    squared: f32,
    // The cosine of half the field of view.
    fov: f32,
    // The set of species.
    with_: u32,
    // Not 0: those at the distance with these bits alone, by their ids.
    tied: u32,
    // True if one of them is drawn: the first in this order.
    @if(pick) picks: bool,
    @if(pick) order: u32,
}

// All neighbours nearer than the root of `squared`, in a field of view and of a set of species.
fn among(squared: f32, fov: f32, with_: u32) -> Choice {
    var all = Choice();
    all.squared = squared;
    all.fov = fov;
    all.with_ = with_;
    return all;
}

// The nearest neighbours, nearest first. A nearer one has a larger number; an empty place has 0. One more place than
// agents to choose shows whether the next agent is as far away as the last one. (Vectors, because some drivers keep
// arrays in memory.)
struct Ranking {
    first: vec4<u32>,
    second: vec4<u32>,
    @if(many_nearest) third: vec4<u32>,
    @if(many_nearest) fourth: vec4<u32>,
    @if(many_nearest) fifth: vec4<u32>,
    // The complement of the id that is drawn; 0 for none.
    @if(pick) drawn: u32,
}

// Four places after a neighbour with this `number`. The place above them has the number `above`.
fn four_with(number: u32, above: u32, four: vec4<u32>) -> vec4<u32> {
    return max(min(vec4<u32>(number), vec4<u32>(above, four.xyz)), four);
}

// Takes a neighbour into the ranking.
fn rank(choice: Choice, neighbour: Neighbour, ranking: Ranking) -> Ranking {
    var seen = neighbour.share > 0.0 && neighbour.distance_squared < choice.squared;
    @if(sight) {
        seen = seen && !(neighbour.ahead < choice.fov * sqrt(neighbour.distance_squared));
    }
    @if(several_species) {
        seen = seen && (choice.with_ & neighbour.species) != 0u;
    }
    // The bits of a distance ascend with it.
    var number = ~bitcast<u32>(neighbour.distance_squared);
    seen = seen && (choice.tied == 0u || number == choice.tied);
    number = select(number, ~neighbour.id, choice.tied != 0u);
    @if(pick) {
        number = select(number, ~place_in_order(choice.order, neighbour.id), choice.picks);
    }
    number = select(0u, number, seen);
    var ranked = ranking;
    @if(pick) {
        ranked.drawn = select(ranking.drawn, ~neighbour.id, choice.picks && number > ranking.first.x);
    }
    ranked.first = four_with(number, 0xffffffffu, ranking.first);
    ranked.second = four_with(number, ranking.first.w, ranking.second);
    @if(many_nearest) {
        ranked.third = four_with(number, ranking.second.w, ranking.third);
        ranked.fourth = four_with(number, ranking.third.w, ranking.fourth);
        ranked.fifth = four_with(number, ranking.fourth.w, ranking.fifth);
    }
    return ranked;
}

// The number at a place, from 0.
fn number_at(ranking: Ranking, place: u32) -> u32 {
    var four = select(ranking.first, ranking.second, place >= 4u);
    @if(many_nearest) {
        four = select(four, ranking.third, place >= 8u);
        four = select(four, ranking.fourth, place >= 12u);
        four = select(four, ranking.fifth, place >= 16u);
    }
    return four[place & 3u];
}

// How many numbers are larger than this one.
fn larger_in(ranking: Ranking, number: u32) -> u32 {
    let one = vec4<u32>(1u);
    let limit = vec4<u32>(number);
    var larger = select(vec4<u32>(), one, ranking.first > limit) + select(vec4<u32>(), one, ranking.second > limit);
    @if(many_nearest) {
        larger += select(vec4<u32>(), one, ranking.third > limit);
        larger += select(vec4<u32>(), one, ranking.fourth > limit);
        larger += select(vec4<u32>(), one, ranking.fifth > limit);
    }
    return larger.x + larger.y + larger.z + larger.w;
}
