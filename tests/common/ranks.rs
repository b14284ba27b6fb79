//! Ranks that are threads.

use std::sync::Arc;

use flockwork::engine::distributed::{
    DistributedEngine, LoadBalance, Ranks, SlabHost, ThreadRanks,
};
use flockwork::engine::{Engine, Snapshot};
use flockwork::model::scene::Scene;
use flockwork::model::state::FlockState;

use super::{bits, flock, mixed, mixed_in_space};

/// A flock, and the number of ticks that it moves.
pub struct Case {
    pub what: String,
    pub scene: Scene,
    pub state: FlockState,
    pub ticks: u32,
}

impl Case {
    pub fn new(what: &str, (scene, state): (Scene, FlockState), ticks: u32) -> Self {
        Self { what: what.to_owned(), scene, state, ticks }
    }

    /// The scene with all features.
    pub fn of_all(space: bool, boundary: &str, ticks: u32) -> Self {
        Self::new(&format!("{boundary}, space {space}"), of_all(space, boundary, &[]), ticks)
    }

    /// The flock of an engine alone.
    pub fn alone(&self, engine: &mut dyn Engine) -> Snapshot {
        alone(engine, &self.scene, &self.state, self.ticks)
    }
}

/// Fails unless the cases have the same bytes on `size` ranks with engines of `local` as on one engine.
/// Returns how the ranks shared the work of each.
pub fn check<L: SlabHost + 'static>(
    one: &mut dyn Engine,
    cases: &[Case],
    size: usize,
    local: impl Fn(usize) -> L + Sync,
) -> Vec<LoadBalance> {
    let found = on_ranks(size, local, |many, rank| {
        let of = |case: &Case| {
            let own = part(&case.state, rank, size);
            (alone(many, &case.scene, &own, case.ticks), many.load_balance())
        };
        cases.iter().map(of).collect::<Vec<_>>()
    });
    for (case, (found, _)) in cases.iter().zip(&found) {
        assert_same(found, &case.alone(one), &format!("{} on {size} ranks", case.what));
    }
    found.into_iter().map(|(_, load)| load).collect()
}

/// Controls of [`check`] in a scene with all features: agents hit the target, and another weight is noticed.
pub fn check_controls(one: &mut dyn Engine, space: bool, boundary: &str, ticks: u32) {
    let wanted = Case::of_all(space, boundary, ticks).alone(one);
    assert!(wanted.targets[2].hits > 0, "no target was hit");
    let (other, state) = of_all(space, boundary, &["starling.separation.weight=1.55"]);
    assert!(bits(&alone(one, &other, &state, ticks).state) != bits(&wanted.state));
}

/// The scene with all features, where a target is easy to hit and sends agents to another rank.
pub fn of_all(space: bool, boundary: &str, overrides: &[&str]) -> (Scene, FlockState) {
    let (mut scene, state) = match space {
        false => mixed(boundary, overrides),
        true => mixed_in_space(boundary, overrides),
    };
    scene.targets[2].hit_radius = 30.0;
    scene.targets[2].sends_to = Some(scene.world.size * 0.9);
    (scene, state)
}

/// Every `size`-th agent of a state, from `rank` on: how a flock is shared out before it is loaded does
/// not matter.
pub fn part(state: &FlockState, rank: usize, size: usize) -> FlockState {
    state.in_order(&(rank..state.len()).step_by(size).collect::<Vec<_>>())
}

/// Runs `act` on every rank, each in a thread with the engine of `local`, and returns what rank 0
/// returns.
pub fn on_ranks<L: SlabHost + 'static, T: Send>(
    size: usize,
    local: impl Fn(usize) -> L + Sync,
    act: impl Fn(&mut DistributedEngine, usize) -> T + Sync,
) -> T {
    std::thread::scope(|scope| {
        let threads: Vec<_> = ThreadRanks::new(size)
            .into_iter()
            .map(|ranks| {
                let (act, local) = (&act, &local);
                scope.spawn(move || {
                    let rank = ranks.rank();
                    let engine = Box::new(local(rank));
                    act(&mut DistributedEngine::new(Arc::new(ranks), engine), rank)
                })
            })
            .collect();
        let mut results = threads.into_iter().map(|thread| thread.join().unwrap());
        let first = results.next().unwrap();
        results.for_each(drop);
        first
    })
}

/// Fails unless the scene with all features has the same bytes after twelve ticks on three ranks whose borders
/// move between any two ticks.
pub fn check_moving_borders<L: SlabHost + 'static>(
    one: &mut dyn Engine,
    local: impl Fn(usize) -> L + Sync,
) {
    for case in [false, true].map(|space| Case::of_all(space, "wrap", 12)) {
        let found = on_ranks(3, &local, |many, rank| {
            many.load(&case.scene, &part(&case.state, rank, 3)).unwrap();
            for tick in 0..12_u64 {
                let slices = many.slices() as u64;
                // Most of the weight is somewhere else at every tick; some slabs are empty.
                let weight = |slice: u64| {
                    u64::from(slice % 5 == tick % 5) + 100 * u64::from(slice == 2 * tick % slices)
                };
                many.divide(&(0..slices).map(weight).collect::<Vec<_>>()).unwrap();
                many.step(1).unwrap();
            }
            many.snapshot().unwrap()
        });
        assert_same(&found, &case.alone(one), &case.what);
    }
}

/// The flock of an engine alone after so many ticks.
fn alone(engine: &mut dyn Engine, scene: &Scene, state: &FlockState, ticks: u32) -> Snapshot {
    engine.load(scene, state).unwrap();
    engine.step(ticks).unwrap();
    engine.snapshot().unwrap()
}

/// Fails unless both flocks have the same bytes.
pub fn assert_same(one: &Snapshot, other: &Snapshot, what: &str) {
    assert!(one.state.id == other.state.id, "{what}: not the same agents");
    assert!(bits(&one.state) == bits(&other.state), "{what}");
    assert!(one.state.memory == other.state.memory, "{what}: memory");
    assert_eq!(one.state.kept_names, other.state.kept_names, "{what}");
    assert!(one.targets == other.targets, "{what}: targets");
    assert_eq!(one.state.tick, other.state.tick, "{what}");
}

/// Flocks that are hard to share out, with their names. The third and the fourth are crowds.
pub fn few_and_crowded(boundary: &str, ticks: u32) -> Vec<Case> {
    let boundary = format!("world.boundary=\"{boundary}\"");
    let point = "starling.spawn_at_scale={place = \"point\"}";
    let ball = "starling.spawn_at_scale={place = \"ball\", radius = 40}";
    let even = "starling.spawn_at_scale={place = \"uniform\"}";
    let space = "starling.spawn={place = \"uniform\"}";
    let cases: [(u64, &[&str]); 7] = [
        (1, &[]),
        (10, &[]),
        (2_000, &[point]),
        (2_000, &[ball]),
        // Few slices, and more ranks than slices.
        (60, &["world.size=[2000, 200]"]),
        (60, &["world.size=[2000, 400]"]),
        (200, &["world.size=[400, 300, 250]", even, space]),
    ];
    let case = |(count, overrides): (u64, &[&str])| {
        let overrides: Vec<&str> = overrides.iter().copied().chain([boundary.as_str()]).collect();
        Case::new(&format!("{count} {overrides:?}"), flock(count, &overrides), ticks)
    };
    cases.into_iter().map(case).collect()
}
