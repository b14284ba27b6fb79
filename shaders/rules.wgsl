// Combines the behaviours of a scene. This file is a template. A line with EACH_BEHAVIOUR is repeated for every
// behaviour of the scene, one with NEAR_BEHAVIOUR for those that perceive neighbours, one with LONE_BEHAVIOUR for the
// others; NEAR_RULE and LONE_RULE are the same for its rules in text, and NEAR_SUMS for both kinds that perceive
// neighbours. RADIUS_RULE repeats a line for rules whose neighbours are within a radius, SHARED_RULE for those that
// hear everybody by sums that all agents share, and EVERYBODY_RULE for the others that do. A line with BODY_MEMBER is
// repeated for every parameter of the body, whose declaration says its meaning (src/model/behaviours/body.rs). A line
// with TRAIT_NAME or TRAIT_MEMBER is repeated for every number that agents draw for themselves. Behaviours that
// perceive alike (the same radii, field of view and set of species, for all species) have one of them as their leader:
// LEADING_BEHAVIOUR repeats a line for each leader, ITS_LEADER is the leader of the line's NEAR_BEHAVIOUR or
// RADIUS_RULE, and ITS_INNER the inner radius of a leading behaviour, 0 if it has none. Of the leaders that choose the
// same nearest neighbours, one is the chooser: CHOOSING_BEHAVIOUR repeats a line for each of them, and ITS_CHOOSER is
// its chooser; CHOOSER repeats a line for each chooser. BEHAVIOUR_COUNT is the number of the scene's behaviours.

@if(nearest && neighbours) import package::nearest::reach_of;
@if(nearest && neighbours) import package::ranking::among;
import package::space::{Vector, dot, length};
import package::tables::species_at;
import package::tag::species_of;
@if(traits) import package::tag::id_of;
@if(traits) import package::traits::drawn;
import package::vehicle::{Agent, Neighbour, limited};
@if(inner) import package::vehicle::SAME_SPOT_SQUARED;
@if(limitless) import package::vehicle::MAX_FORCE;

// The parameters of a species.
struct Species {
    BODY_MEMBER: BODY_TYPE,
    // The square of its largest perception radius.
    @if(counts)
    squared_perception: f32,
    // The square of each radius within which it perceives others. (Squared here by the host, because most
    // GPUs square the radius again for each neighbour if the shader does it before the loop.)
    squared_LEADING_BEHAVIOUR: f32,
    // Of agents at that distance, it perceives those with smaller ids.
    @if(nearest) below_LEADING_BEHAVIOUR: u32,
    // The id of the only one that it perceives, or 0xffffffff.
    @if(pick) only_LEADING_BEHAVIOUR: u32,
    // The position of each behaviour in the order of forces, from 0.
    @if(priority) turn_EACH_BEHAVIOUR: u32,
    EACH_BEHAVIOUR: package::behaviours::EACH_BEHAVIOUR::Parameters,
    // Sums over all agents, for rules that share them.
    @if(shared) total_SHARED_RULE: package::behaviours::SHARED_RULE::Sums,
    // The lower end of each number that agents draw; the member itself is the upper end.
    @if(traits) least_TRAIT_NAME: f32,
}

// The parameters of agent `id`: its species' parameters, with its own draws. A pure function of seed, id and
// key. src/model/scene/variation.rs gives the same bits.
@if(traits)
fn with_traits(species: Species, seed: u32, id: u32) -> Species {
    var own = species;
    own.TRAIT_MEMBER = drawn(species.least_TRAIT_NAME, species.TRAIT_MEMBER, seed, id, TRAIT_KEY);
    own.squared_LEADING_BEHAVIOUR = own.LEADING_BEHAVIOUR.radius * own.LEADING_BEHAVIOUR.radius;
    return own;
}

// The parameters of agent `i`, whose radii end behind the nearest neighbours that its behaviours choose. All lanes of a
// subgroup must call this.
@if(nearest && neighbours)
fn within_reach(species: Species, i: u32, position: Vector, heading: Vector, tick: u32, lane: u32) -> Species {
    var own = species;
    var widest_CHOOSER = 0.0;
    widest_ITS_CHOOSER = max(widest_ITS_CHOOSER, own.squared_CHOOSING_BEHAVIOUR);
    let reach_CHOOSER = reach_of(own.CHOOSER.nearest, among(widest_CHOOSER, own.CHOOSER.fov, own.CHOOSER.with_), i, position, heading, tick, lane);
    @if(pick) own.only_CHOOSING_BEHAVIOUR = reach_ITS_CHOOSER.only;
    own.below_CHOOSING_BEHAVIOUR = select(0u, reach_ITS_CHOOSER.below, reach_ITS_CHOOSER.squared < own.squared_CHOOSING_BEHAVIOUR);
    own.squared_CHOOSING_BEHAVIOUR = min(own.squared_CHOOSING_BEHAVIOUR, reach_ITS_CHOOSER.squared);
    return own;
}

// The neighbour, whose share is 0 if it is not the `only` one.
@if(pick)
fn alone(only: u32, neighbour: Neighbour) -> Neighbour {
    var n = neighbour;
    n.share = select(0.0, n.share, only == 0xffffffffu || only == n.id);
    return n;
}

// The parameters of the agent with this tag, at a tick. (A value that is read before a loop and used behind it occupies a
// register all through the loop. So `steer` reads the parameters again behind each loop.)
fn parameters_of(tag: u32, seed: u32, tick: u32) -> Species {
    @if(!traits)
    return species_at(species_of(tag), tick);
    @if(traits)
    return with_traits(species_at(species_of(tag), tick), seed, id_of(tag));
}

// The sums over an agent's neighbours.
struct Sums {
    // Agents within the largest radius.
    neighbours: f32,
    // How many neighbours each leader perceives; those that it leads use the same number.
    count_LEADING_BEHAVIOUR: f32,
    NEAR_SUMS: package::behaviours::NEAR_SUMS::Sums,
}

// The neighbour as perceived by a behaviour that hears agents nearer than the root of `squared`, but none within `inner`
// if that is above 0, in the field of view `fov` (the cosine of half of it) and of the set of species `with_`. At exactly
// the outer radius it is perceived if its id is smaller than `below`. Its share is 0 if it is not perceived.
//
// There is no branch: lanes in lockstep gain nothing from one, and every value that it changes must be
// merged behind it (the whole pass took twice the time on llvmpipe).
fn perceived(squared: f32, inner: f32, fov: f32, with_: u32, below: u32, neighbour: Neighbour) -> Neighbour {
    var n = neighbour;
    var seen = n.distance_squared < squared;
    @if(nearest) {
        seen = seen || (n.distance_squared == squared && n.id < below);
    }
    @if(inner) {
        seen = seen && !(inner > 0.0 && n.distance_squared <= max(inner * inner, SAME_SPOT_SQUARED));
    }
    @if(sight) {
        // A full circle's cosine is −2, below the cosine of any angle.
        seen = seen && !(n.ahead < fov * sqrt(n.distance_squared));
    }
    @if(several_species) {
        seen = seen && (with_ & n.species) != 0u;
    }
    n.share = select(0.0, n.share, seen);
    return n;
}

fn observe(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {
    var s = sums;
    @if(counts) {
        let near = neighbour.distance_squared < species.squared_perception;
        s.neighbours += select(0.0, neighbour.share, near);
    }
    @if(!nearest) let seen_LEADING_BEHAVIOUR = perceived(species.squared_LEADING_BEHAVIOUR, ITS_INNER, species.LEADING_BEHAVIOUR.fov, species.LEADING_BEHAVIOUR.with_, 0u, neighbour);
    @if(nearest && !pick) let seen_LEADING_BEHAVIOUR = perceived(species.squared_LEADING_BEHAVIOUR, ITS_INNER, species.LEADING_BEHAVIOUR.fov, species.LEADING_BEHAVIOUR.with_, species.below_LEADING_BEHAVIOUR, neighbour);
    @if(pick) let seen_LEADING_BEHAVIOUR = alone(species.only_LEADING_BEHAVIOUR, perceived(species.squared_LEADING_BEHAVIOUR, ITS_INNER, species.LEADING_BEHAVIOUR.fov, species.LEADING_BEHAVIOUR.with_, species.below_LEADING_BEHAVIOUR, neighbour));
    s.count_LEADING_BEHAVIOUR += seen_LEADING_BEHAVIOUR.share;
    s.NEAR_BEHAVIOUR = package::behaviours::NEAR_BEHAVIOUR::observe(species.NEAR_BEHAVIOUR, seen_ITS_LEADER, s.NEAR_BEHAVIOUR);
    s.RADIUS_RULE = package::behaviours::RADIUS_RULE::observe(species, seen_ITS_LEADER, s.RADIUS_RULE);
    return s;
}

// A squared distance above all others.
const EVERYWHERE = 3e38;

// True if agents of the species look at everybody, by any rule. (A species without a rule hears no species by it.)
fn looks_at_everybody(species: Species) -> bool {
    @if(!several_species) {
        return true;
    }
    @if(several_species) {
        var looks = false;
        looks = looks || species.EVERYBODY_RULE.with_ != 0u;
        return looks;
    }
}

// True if they hear everybody by sums that all share.
fn shares_sums(species: Species) -> bool {
    @if(!several_species) {
        return true;
    }
    @if(several_species) {
        var shares = false;
        shares = shares || species.SHARED_RULE.with_ != 0u;
        return shares;
    }
}

// Adds a neighbour to the sums of the rules that hear everybody.
fn observe_everybody(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {
    var s = sums;
    s.EVERYBODY_RULE = package::behaviours::EVERYBODY_RULE::observe(species, perceived(EVERYWHERE, 0.0, species.EVERYBODY_RULE.fov, species.EVERYBODY_RULE.with_, 0u, neighbour), s.EVERYBODY_RULE);
    return s;
}

// The same for rules whose sums all agents share.
fn observe_shared(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {
    var s = sums;
    s.SHARED_RULE = package::behaviours::SHARED_RULE::observe(species, perceived(EVERYWHERE, 0.0, species.SHARED_RULE.fov, species.SHARED_RULE.with_, 0u, neighbour), s.SHARED_RULE);
    return s;
}

// Those sums of all lanes of a workgroup together. All lanes must call this.
fn added_up(sums: Sums, lane: u32) -> Sums {
    var s = sums;
    s.SHARED_RULE = package::behaviours::SHARED_RULE::added_up(s.SHARED_RULE, lane);
    return s;
}

// The species with the sums of all agents.
fn with_totals(species: Species, all: Sums) -> Species {
    var own = species;
    own.total_SHARED_RULE = all.SHARED_RULE;
    return own;
}

// The sums `before`, with the ones of everybody in them, less an agent's own `part`.
fn others_of(species: Species, part: Sums, before: Sums) -> Sums {
    var s = before;
    s.SHARED_RULE = package::behaviours::SHARED_RULE::without(species.total_SHARED_RULE, part.SHARED_RULE);
    return s;
}

// A shorter force is silent: it leaves the decision to the next one.
@if(priority)
const SILENT = 1e-12;

// The largest sum of forces, where it is limited; nothing is if `limit` is 2.
fn budget(limit: u32, agent: Agent) -> f32 {
    @if(!limitless)
    return agent.max_force;
    @if(limitless)
    return select(agent.max_force, MAX_FORCE, limit == 2u);
}

// The part of `next` that fits into `most` beside `sum`.
@if(priority)
fn spent(sum: Vector, next: Vector, most: f32) -> Vector {
    return sum + limited(next, max(most - length(sum), 0.0));
}

// The steering force: the weighted sum of the behaviours' forces, or in order as much of each as max_force
// allows, or the first that is not silent. Behaviours without neighbours come first, because they may change the
// agent's limits.
fn steering_force(own_tag: u32, seed: u32, tick: u32, agent: ptr<function, Agent>, sums: Sums) -> Vector {
    let before = parameters_of(own_tag, seed, tick);
    let force_LONE_BEHAVIOUR = package::behaviours::LONE_BEHAVIOUR::force(before.LONE_BEHAVIOUR, agent) * before.LONE_BEHAVIOUR.weight;
    var broken_LONE_RULE = false;
    var broken_NEAR_RULE = false;
    let force_LONE_RULE = package::behaviours::LONE_RULE::force(before, *agent, &broken_LONE_RULE) * before.LONE_RULE.weight;
    // Read again: the behaviours above have loops of their own, over obstacles, paths and targets.
    let species = parameters_of(own_tag, seed, tick);
    let force_NEAR_BEHAVIOUR = package::behaviours::NEAR_BEHAVIOUR::force(species.NEAR_BEHAVIOUR, *agent, sums.NEAR_BEHAVIOUR, sums.count_ITS_LEADER) * species.NEAR_BEHAVIOUR.weight;
    let force_NEAR_RULE = package::behaviours::NEAR_RULE::force(species, *agent, &broken_NEAR_RULE, sums.NEAR_RULE) * species.NEAR_RULE.weight;
    @if(kept) (*agent).next_kept = package::behaviours::LONE_RULE::keep(species, *agent);
    @if(kept) (*agent).next_kept = package::behaviours::NEAR_RULE::keep(species, *agent, sums.NEAR_RULE);
    (*agent).broken_rules |= select(0u, package::behaviours::LONE_RULE::BIT, broken_LONE_RULE);
    (*agent).broken_rules |= select(0u, package::behaviours::NEAR_RULE::BIT, broken_NEAR_RULE);
    var force = Vector();
    @if(priority) {
        if species.combine != 0u {
            for (var turn = 0u; turn < BEHAVIOUR_COUNTu; turn++) {
                var next = Vector();
                next = select(next, force_EACH_BEHAVIOUR, species.turn_EACH_BEHAVIOUR == turn);
                if species.combine == 1u {
                    force = spent(force, next, budget(species.limit, *agent));
                } else if dot(force, force) < SILENT * SILENT {
                    force = next;
                }
            }
            if species.combine == 2u && !(*agent).limits_each {
                force = limited(force, budget(species.limit, *agent));
            }
            return force;
        }
    }
    force += force_LONE_BEHAVIOUR;
    force += force_LONE_RULE;
    force += force_NEAR_BEHAVIOUR;
    force += force_NEAR_RULE;
    if !(*agent).limits_each {
        force = limited(force, budget(species.limit, *agent));
    }
    return force;
}
