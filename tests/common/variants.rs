//! Situations for an engine that compiles a shader per variant of a scene: few variants, and sorted
//! by variant.

use flockwork::engine::gpu::device_grid::DeviceGrid;
use flockwork::engine::gpu::shaders::Variant;
use flockwork::model::behaviours::Kind;
use flockwork::model::world::Boundary;

use super::gpu::share;
use super::situations::{Situation, situation_in};

/// The shader variant of a situation.
pub fn variant_of(case: &Situation) -> Variant {
    let grid = DeviceGrid::of(&case.scene, case.state.len());
    Variant::of(&case.scene, grid.is_narrow, false)
}

/// `count` situations in a world with this number of axes that have all behaviours of a set, sorted by shader variant, so that each
/// variant is compiled once. For each kind of world only the few most common variants are used.
pub fn situations_of(axes: usize, kinds: &[Kind], count: usize) -> Vec<Situation> {
    let mut met: Vec<(Variant, usize)> = vec![];
    let whole = |case: &Situation| kinds.iter().all(|kind| case.scene.uses().contains(*kind));
    for variant in (0..400)
        .map(|number| situation_in(axes, kinds, number))
        .filter(whole)
        .map(|c| variant_of(&c))
    {
        match met.iter_mut().find(|(known, _)| *known == variant) {
            Some((_, times)) => *times += 1,
            None => met.push((variant, 1)),
        }
    }
    // The most common variants first.
    met.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let mut chosen = vec![];
    for (_, boundary) in Boundary::NAMES {
        let there = met.iter().map(|(variant, _)| *variant).filter(|v| v.boundary == boundary);
        // With all behaviours together there are so many extras that two variants would exclude
        // most situations. A second driver compiles slowly.
        let most = if kinds.len() == 1 { 2 } else { 8 };
        chosen.extend(there.take(most / share().min(2)));
    }
    let all = (0..).map(|number| situation_in(axes, kinds, number));
    let place = |case: &Situation| chosen.iter().position(|v| *v == variant_of(case));
    let mut cases: Vec<(usize, Situation)> =
        all.filter_map(|case| Some((place(&case)?, case))).take(count).collect();
    cases.sort_by_key(|(place, _)| *place);
    cases.into_iter().map(|(_, case)| case).collect()
}
