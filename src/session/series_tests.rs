//! The metrics of a session when time goes on, back, and another way.

use super::time_tests::{cpu, engines, reach, start};
use super::*;
use flockwork_model::statistics::Metrics;
use flockwork_model::vector::Point;

/// Runs single ticks, and measures at once what the session offers.
fn step(session: &mut Session<RealTime>, ticks: u64) {
    for _ in 0..ticks {
        session.clock.step_once();
        session.advance().unwrap();
        measure(session);
    }
    // A GPU's copy arrives later.
    for _ in 0..1000 {
        session.advance().unwrap();
        measure(session);
        if !session.awaits_snapshot() {
            return;
        }
        session.finish().unwrap();
    }
    panic!("the snapshot never arrives");
}

fn measure(session: &mut Session<RealTime>) {
    while let Some(sample) = session.take_sample() {
        let metrics = Metrics::of(&sample.scene, &sample.state);
        session.measured(sample.number, metrics, Duration::ZERO);
    }
}

fn ticks(session: &Session<RealTime>) -> Vec<u64> {
    session.series().rows().iter().map(|row| row.tick).collect()
}

#[test]
fn metrics_go_back_and_another_way_with_the_flock() {
    for engine in engines() {
        let mut session = start(engine);
        session.watch(Watch::Closely);
        step(&mut session, 40);
        let first = session.series().rows().to_vec();
        assert!(first.len() > 10 && ticks(&session).windows(2).all(|pair| pair[0] < pair[1]));
        let state = session.state().unwrap();
        let present = Metrics::of(session.scene(), &state);
        assert_eq!((session.series().latest(), present.tick), (Some(&present), 40));

        // The way back and the same way forward change no row.
        reach(&mut session, 20);
        step(&mut session, 10);
        assert_eq!(session.series().latest().unwrap().tick, 30);
        let rows = session.series().rows();
        assert!(first.iter().all(|row| rows.contains(row)), "{first:?}\n{rows:?}");
        assert!(ticks(&session).windows(2).all(|pair| pair[0] < pair[1]));

        // An edit cuts what came after it.
        session.add(0, &[Point::ONE; 3]).unwrap();
        assert!(ticks(&session).iter().all(|tick| *tick <= 30), "{:?}", ticks(&session));
        step(&mut session, 15);
        let rows = session.series().rows();
        assert_eq!(rows.last().map(|row| (row.tick, row.agents)), Some((45, 303)));
        assert!(rows.iter().all(|row| row.agents == if row.tick < 30 { 300 } else { 303 }));
    }
}

#[test]
fn each_scene_keeps_its_own_metrics() {
    let mut session = start(cpu());
    session.watch(Watch::Closely);
    step(&mut session, 10);
    let own = ticks(&session);
    assert_eq!(own.last(), Some(&10));
    let scene = session.original().clone();
    let (scene, state) = scene.populate(&flockwork_model::scene::Request::default()).unwrap();
    let opening = Opening { source: session.source().clone(), scene, state };
    assert_eq!(session.open(opening), Ok(()));
    assert!(ticks(&session).is_empty());
    step(&mut session, 3);
    assert_eq!(ticks(&session).last(), Some(&3));
    session.undo().unwrap();
    assert_eq!(ticks(&session), own);
}
