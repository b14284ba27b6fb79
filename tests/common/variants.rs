//! Situations for an engine that compiles a shader per variant of a scene: few variants, and sorted
//! by variant.

use std::ops::Range;

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

/// `count` situations in a world with this number of axes that have all behaviours of a set, of few variants.
pub fn situations_of(axes: usize, kinds: &[Kind], count: usize) -> Vec<Situation> {
    let whole = |case: &Situation| kinds.iter().all(|kind| case.scene.uses().contains(*kind));
    let cases =
        |numbers: Range<u64>| numbers.map(|number| situation_in(axes, kinds, number)).filter(whole);
    // With all behaviours together there are so many extras that two variants would exclude most
    // situations. A second driver compiles slowly.
    let most = if kinds.len() == 1 { 2 } else { 5 };
    of_common_variants(cases, most / share().min(2), count)
}

/// `count` of the situations, which `cases` has by number, sorted by shader variant, so that each variant is
/// compiled once. For each kind of world only the `most` common variants are used.
pub fn of_common_variants<I: Iterator<Item = Situation>>(
    cases: impl Fn(Range<u64>) -> I,
    most: usize,
    count: usize,
) -> Vec<Situation> {
    let mut met: Vec<(Variant, usize)> = vec![];
    for variant in cases(0..400).map(|case| variant_of(&case)) {
        match met.iter_mut().find(|(known, _)| *known == variant) {
            Some((_, times)) => *times += 1,
            None => met.push((variant, 1)),
        }
    }
    // The most common variants first.
    met.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let mut chosen = vec![];
    for (_, boundary) in Boundary::NAMES {
        let there = met.iter().map(|(variant, _)| variant).filter(|v| v.boundary == boundary);
        chosen.extend(there.take(most).cloned());
    }
    let place = |case: &Situation| chosen.iter().position(|v| *v == variant_of(case));
    let all = cases(0..u64::MAX).filter_map(|case| Some((place(&case)?, case)));
    let mut cases: Vec<(usize, Situation)> = all.take(count).collect();
    cases.sort_by_key(|(place, _)| *place);
    cases.into_iter().map(|(_, case)| case).collect()
}
