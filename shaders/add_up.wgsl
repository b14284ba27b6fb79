// Pass add_up: the sums of rules that hear everybody and take nothing of the agent itself. All agents of a species
// share them, but for its own part, which each takes away (everybody.wgsl).
//
// One workgroup. Lane l adds the agents l, l + PARTS, …, then the lanes are added in pairs. src/engine/cpu/add_up.rs
// adds them in the same order.

import package::clock::clock;
import package::everybody::heard;
import package::flock::flock;
import package::rules::{Sums, added_up, observe_shared, shares_sums, with_totals};
import package::space::Vector;
import package::tables::{MAX_SPECIES, SPECIES_TABLES, tables};
import package::total::PARTS;

@compute @workgroup_size(PARTS)
fn add_up(@builtin(local_invocation_index) lane: u32) {
    for (var species = 0u; species < flock.species_count; species++) {
        let row = clock % SPECIES_TABLES * MAX_SPECIES + species;
        let own = tables.species[row];
        var sums = Sums();
        let count = select(0u, flock.count, shares_sums(own));
        for (var j = lane; j < count; j += PARTS) {
            sums = observe_shared(own, heard(j, Vector(), Vector(), clock), sums);
        }
        let all = added_up(sums, lane);
        if lane == 0u {
            tables.species[row] = with_totals(own, all);
        }
    }
}
