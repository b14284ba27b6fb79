//! Reynolds's behaviours of 1999 that are rules in text. The control of each promise is a weight of 0.

use flockwork::model::state::FlockState;
use flockwork::model::vector::{Point, flat};

use super::{Run, assert_none_lost, mean, on_both};

/// The way from agent 0 to agent `i` in the frame of agent 0: ahead, and to its left.
fn seen_by_first(run: &Run, state: &FlockState, i: usize) -> Point {
    let ahead = state.velocity[0].normalize_or_zero();
    let way = run.way(state.position[0], state.position[i]);
    flat(way.dot(ahead), ahead.x * way.y - ahead.y * way.x)
}

/// The mean of `figure` over looks at the flock, `every` ticks apart.
fn over_time(
    run: &mut Run,
    looks: u32,
    every: u32,
    figure: impl Fn(&Run, &FlockState) -> f32,
) -> f32 {
    mean((0..looks).map(|_| {
        let state = run.step(every);
        figure(run, &state)
    }))
}

/// The number of pairs nearer than the length of a vehicle.
fn near_misses(run: &Run, state: &FlockState) -> f32 {
    let places = &state.position;
    let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.filter(|(i, j)| run.way(places[*i], places[*j]).length() < 12.0).count() as f32
}

#[test]
fn vehicles_of_crossing_streams_turn_aside_in_time() {
    on_both("crossing", |run| {
        let figures = |run: &mut Run| {
            run.step(200);
            over_time(run, 80, 10, near_misses)
        };
        let careful = figures(run);
        let state = run.step(0);
        let speed = mean(state.velocity.iter().map(|v| v.length()));
        run.start(None, &["walker.rules.yield.weight=0"]);
        let careless = figures(run);
        assert!(careless > 8.0 && 5.0 * careful < careless, "{careful} near, {careless} without");
        // They keep going: the mean of their own speeds is 2.
        assert!(speed > 1.9, "a mean speed of {speed}");
        // Control: to look 1 tick ahead is to swerve when it is too late.
        run.start(None, &["walker.rules.yield.parameters.horizon.value=1"]);
        let late = figures(run);
        assert!(late > 2.0 * careful, "{late} near with a look of 1 tick");
    });
}

#[test]
fn geese_keep_their_places_in_the_v() {
    on_both("escort", |run| {
        // Farthest from the V, and the farthest that a goose moves along it in 200 ticks.
        let off = |run: &Run, state: &FlockState| {
            let seen = (1..state.len()).map(|i| seen_by_first(run, state, i));
            seen.map(|p| (p.x + p.y.abs()).abs()).fold(0.0, f32::max)
        };
        let sides = |run: &mut Run, ticks: u32| -> Vec<f32> {
            let state = run.step(ticks);
            (1..state.len()).map(|i| seen_by_first(run, &state, i).y).collect()
        };
        run.step(400);
        let before = sides(run, 0);
        let worst = (0..40).map(|_| over_time(run, 1, 50, off)).fold(0.0, f32::max);
        assert!(worst < 10.0, "a goose is {worst} off the V");
        let after = sides(run, 0);
        let moved = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(moved < 15.0, "a place has moved by {moved}");
        // Each has a place of its own.
        let mut order = after;
        order.sort_by(f32::total_cmp);
        assert!(order.windows(2).all(|pair| pair[1] - pair[0] > 10.0), "{order:?}");
        run.start(None, &["goose.rules.offset.weight=0"]);
        run.step(400);
        let astray = over_time(run, 40, 50, off);
        assert!(astray > 100.0, "{astray} off without the rule");
    });
}

#[test]
fn coyotes_keep_the_pace_of_a_bison_at_a_distance() {
    const FAR: f32 = 80.0;
    on_both("shadow", |run| {
        // Means over the coyotes: how far they are from where they shall be, and how much their velocity differs.
        let off = |run: &Run, state: &FlockState| {
            let far = |i: usize| run.way(state.position[0], state.position[i]).length();
            mean((1..state.len()).map(|i| (far(i) - FAR).abs()))
        };
        let drift = |_: &Run, state: &FlockState| {
            mean((1..state.len()).map(|i| (state.velocity[i] - state.velocity[0]).length()))
        };
        run.step(800);
        let state = run.step(0);
        let before = state.velocity[0];
        let kept = over_time(run, 20, 40, off);
        let slow = over_time(run, 20, 40, drift);
        assert!(kept < 3.0 && slow < 0.1, "{kept} off the distance, {slow} off the pace");
        let turned = run.step(0).velocity[0].normalize().dot(before.normalize());
        assert!(turned < 0.9, "the bison flies straight on: {turned}");
        // Who does not match its pace lags behind.
        run.start(None, &["coyote.rules.shadow.parameters.match.value=0"]);
        run.step(800);
        let behind = over_time(run, 20, 40, off);
        assert!(behind > 20.0, "{behind} off the distance without its pace");
        run.start(None, &["coyote.rules.shadow.weight=0"]);
        run.step(800);
        let astray = over_time(run, 20, 40, off);
        assert!(astray > 80.0, "{astray} off without the rule");
    });
}

#[test]
fn followers_keep_the_lane_ahead_of_their_leader_clear() {
    on_both("procession", |run| {
        // In the lane: up to 80 ahead of the leader, and within 10 of its line.
        let in_lane = |run: &Run, state: &FlockState| {
            let seen = (1..state.len()).map(|i| seen_by_first(run, state, i));
            seen.filter(|p| (0.0..80.0).contains(&p.x) && p.y.abs() < 10.0).count() as f32
        };
        run.step(300);
        let clear = over_time(run, 740, 5, in_lane);
        let state = run.step(0);
        assert_none_lost(run, &state, 81);
        // They do follow: the leader is ahead of the crowd's middle, and near.
        let far = mean((1..81).map(|i| seen_by_first(run, &state, i).length()));
        assert!(far < 120.0, "{far} from the leader");
        run.start(None, &["follower.rules.clear.weight=0"]);
        run.step(300);
        let blocked = over_time(run, 740, 5, in_lane);
        assert!(blocked > 0.5 && 8.0 * clear < blocked, "{clear} in the lane, {blocked} without");
        run.start(None, &["follower.rules.follow.weight=0"]);
        let lost = run.step(4000);
        let lost = mean((1..81).map(|i| seen_by_first(run, &lost, i).length()));
        assert!(lost > 1.3 * far, "{lost} from the leader without the rule");
    });
}

#[test]
fn bodyguards_stand_between_their_charge_and_the_threat() {
    on_both("bodyguards", |run| {
        // The mean way of the guards to the middle between the two, and the nearest threat.
        let figures = |run: &mut Run| {
            run.step(300);
            let (mut off, mut near) = (Vec::new(), f32::MAX);
            for _ in 0..370 {
                let state = run.step(10);
                let places = &state.position;
                let threat = run.way(places[0], places[1]);
                let guards = places[2..].iter().map(|guard| run.way(places[0], *guard));
                off.push(mean(guards.map(|guard| guard.distance(threat / 2.0))));
                near = near.min(threat.length());
            }
            (mean(off), near)
        };
        let (off, near) = figures(run);
        run.start(None, &["guard.rules.interpose.weight=0"]);
        let (astray, touch) = figures(run);
        assert!(off < 20.0 && astray > 100.0, "{off} from the middle, {astray} without");
        assert!(near > 40.0 && touch < 5.0, "the threat comes as near as {near}, {touch} without");
    });
}

#[test]
fn seals_hide_behind_floes() {
    on_both("hide", |run| {
        // The share of seals that the orca sees, and how near it comes.
        let figures = |run: &mut Run| {
            run.step(300);
            let (mut seen, mut near) = (Vec::new(), f32::MAX);
            for _ in 0..370 {
                let state = run.step(10);
                let (floes, others) = state.position.split_at(9);
                let (radius, orca) = (run.scene.species[0].body.size, others[0]);
                for seal in &others[1..] {
                    let sight = run.way(orca, *seal);
                    let hides = |floe: &Point| {
                        let floe = run.way(orca, *floe);
                        let along = floe.dot(sight) / sight.length_squared();
                        (0.0..1.0).contains(&along) && floe.distance(along * sight) < radius
                    };
                    seen.push(f32::from(u8::from(!floes.iter().any(hides))));
                    near = near.min(sight.length());
                }
            }
            (mean(seen), near)
        };
        let (seen, near) = figures(run);
        run.start(None, &["seal.rules.hide.weight=0"]);
        let (bare, caught) = figures(run);
        assert!(seen < 0.3 && bare > 2.0 * seen, "{seen} are seen, {bare} without");
        assert!(near > 20.0 && caught < 6.0, "the orca comes as near as {near}, {caught} without");
    });
}

#[test]
fn boats_come_alongside_along_the_line_of_their_berths() {
    on_both("docking", |run| {
        // The angle to the ferry's heading at which each boat first comes near its berth: where it
        // lies after 600 ticks, in the frame of the ferry.
        let angles = |run: &mut Run| -> Vec<f32> {
            let mut states = vec![run.step(0)];
            states.extend((0..300).map(|_| run.step(2)));
            let seen = |state: &FlockState, i| seen_by_first(run, state, i);
            let last = states.last().unwrap();
            let turn = |i: usize| {
                let berth = seen(last, i);
                let there = states.iter().find(|state| seen(state, i).distance(berth) < 15.0);
                there.map(|state| state.velocity[0].angle_between(state.velocity[i]).to_degrees())
            };
            (1..11).map(|i| turn(i).unwrap()).collect()
        };
        let docked = angles(run);
        let state = run.step(0);
        let slips = (1..11).map(|i| state.velocity[i].distance(state.velocity[0]));
        let slip = slips.fold(0.0, f32::max);
        let widest = docked.into_iter().fold(0.0, f32::max);
        assert!(widest < 8.0 && slip < 0.2, "they dock at up to {widest} degrees, slip by {slip}");
        // Controls: without the line behind the berth it is arrival, from any side; without the rule nobody comes.
        run.start(None, &["boat.rules.dock.parameters.behind.value=0"]);
        let straight = angles(run).into_iter().fold(0.0, f32::max);
        assert!(straight > 2.0 * widest, "{straight} degrees straight to the berth");
        run.start(None, &["boat.rules.dock.weight=0"]);
        let state = run.step(600);
        let far = mean((1..11).map(|i| seen_by_first(run, &state, i).length()));
        assert!(far > 100.0, "{far} from the ferry without the rule");
    });
}

#[test]
fn vehicles_that_look_ahead_turn_with_the_current() {
    on_both("meander", |run| {
        let cosine = |_: &Run, state: &FlockState| {
            let vehicles = state.position.iter().zip(&state.velocity);
            mean(vehicles.map(|(p, v)| {
                let flow = flat(1.0, 1.5 * (p.x / 160.0 * std::f32::consts::TAU).cos());
                flow.normalize().dot(v.normalize_or_zero())
            }))
        };
        let figures = |run: &mut Run| {
            run.step(200);
            over_time(run, 100, 5, cosine)
        };
        let ahead = figures(run);
        run.start(None, &["vehicle.rules.flow.parameters.ahead.value=0"]);
        let here = figures(run);
        assert!(ahead > 0.95 && here < 0.88, "a mean cosine of {ahead}, {here} without a look");
        run.start(None, &["vehicle.rules.flow.weight=0"]);
        let heedless = figures(run);
        assert!(heedless < 0.3, "{heedless} without the rule");
    });
}

#[test]
fn vehicles_follow_the_wall_at_their_distance() {
    on_both("basin", |run| {
        // The farthest from the line that is 25 from the wall.
        let off = |_: &Run, state: &FlockState| {
            let ways =
                state.position.iter().map(|p| p.distance(flat(p.x.clamp(200.0, 440.0), 180.0)));
            ways.map(|way| (way - 105.0).abs()).fold(0.0, f32::max)
        };
        run.step(400);
        let worst = (0..100).map(|_| over_time(run, 1, 10, off)).fold(0.0, f32::max);
        assert!(worst < 10.0, "{worst} off the line");
        // They go round: none is where it was, and all are on their way.
        let state = run.step(0);
        assert!(state.velocity.iter().all(|v| v.length() > 1.3), "{:?}", state.velocity);
        run.start(None, &["vehicle.rules.follow_wall.weight=0"]);
        run.step(400);
        let away = over_time(run, 1, 1, off);
        assert!(away > 200.0, "{away} off without the rule");
    });
}

#[test]
fn a_queue_passes_the_door_without_a_crush() {
    on_both("doorway", |run| {
        // The most neighbours within 20 of anybody, whether anybody went through the wall, and how many
        // are through the door in the end.
        let figures = |run: &mut Run| {
            let (mut dense, mut leaks) = (0, 0);
            let mut before = run.step(0).position;
            for look in 0..1000 {
                let after = run.step(2).position;
                let through =
                    before.iter().zip(&after).filter(|(p, q)| p.x < 405.0 && q.x >= 405.0);
                leaks += through.filter(|(p, _)| (p.y - 180.0).abs() > 14.0).count();
                if look >= 50 && look % 10 == 0 {
                    let near =
                        |p: &Point| after.iter().filter(|q| p.distance(**q) < 20.0).count() - 1;
                    dense = dense.max(after.iter().map(near).max().unwrap());
                }
                before = after;
            }
            (dense, leaks, before.iter().filter(|p| p.x > 405.0).count())
        };
        let (dense, leaks, through) = figures(run);
        assert_eq!((leaks, through), (0, 100), "leaks, and walkers that are through");
        run.start(None, &["walker.rules.queue.weight=0"]);
        let (pressed, _, _) = figures(run);
        assert!(dense <= 11 && pressed > dense + 2, "{dense} within 20, {pressed} without it");
        run.start(None, &["walker.rules.wall.weight=0"]);
        let (_, holes, _) = figures(run);
        assert!(holes > 20, "{holes} through the wall without its rule");
    });
}
