//! Edits that wait for the end of a tick.
//!
//! A larger or smaller perception radius changes the grid, and all agents must be sorted again.
//! They are sorted at the end of every tick anyway. So while the flock runs, such an edit waits
//! until then and hardly costs more than the tick. It counts as done at the tick that it waited
//! for. Some cost remains, because the cells of a new grid mix the agents of several old ones. So a
//! dragged slider changes the grid at every fourth tick only.

use std::sync::Arc;

use super::undo::Content;
use super::{Clock, Event, Session};
use flockwork_engine::{Change, EngineError};
use flockwork_model::scene::{Scene, Species};

/// Edits wait for a tick that is a multiple of this: a fifteenth of a second in real time.
const EVERY: u64 = 4;

/// An edit that the scene has and the engine does not.
#[derive(Debug)]
pub(super) struct Waiting {
    /// The parameters that the engine has.
    species: Vec<Species>,
}

impl<C: Clock> Session<C> {
    /// True if an edit from `before` to the present scene may wait for the end of a tick.
    pub(super) fn may_wait(&self, before: &Scene, change: Change) -> bool {
        let runs = !self.clock.is_paused() && self.journey.is_none();
        let at_the_end = self.initial.is_some() && self.tick >= self.history.end();
        let resorts = self.scene.perception_radius() != before.perception_radius();
        let joins = self.waiting.is_some();
        runs && at_the_end && (resorts || joins) && change == Change::PARAMETERS
    }

    /// Lets an edit wait. `before` has the parameters that it replaces.
    pub(super) fn wait(&mut self, before: Scene) {
        self.waiting.get_or_insert(Waiting { species: before.species });
    }

    /// Makes an edit that waits take effect now.
    pub(super) fn catch_up(&mut self) -> Result<(), EngineError> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        let done = self.engine.update(&self.scene, Change::PARAMETERS);
        self.took(waiting, done)
    }

    /// The tick that an edit waits for.
    pub(super) fn tick_of_edit(&self) -> Option<u64> {
        self.waiting.as_ref().map(|_| (self.tick + 1).next_multiple_of(EVERY))
    }

    /// Advances by one tick, with the edit that waits for its end.
    pub(super) fn tick_with_edit(&mut self) -> Result<(), EngineError> {
        let Some(waiting) = self.waiting.take() else { return Ok(()) };
        let done = self.engine.step_and_update(&self.scene, Change::PARAMETERS);
        self.tick += 1;
        self.took(waiting, done)
    }

    /// Records an edit that has waited, or takes it back if the engine has refused it.
    fn took(&mut self, waiting: Waiting, done: Result<(), EngineError>) -> Result<(), EngineError> {
        self.revision += 1;
        self.edition += 1;
        match done {
            Ok(()) => {
                let change = Change::PARAMETERS;
                let parts = Arc::new(change.parts_of(&self.scene));
                self.history.record(self.tick, Event::Change { change, parts });
                Ok(())
            }
            Err(error @ EngineError::Lost { .. }) => Err(error),
            Err(error) => {
                self.scene.species = waiting.species;
                self.told = Some(error.to_string());
                Ok(())
            }
        }
    }

    /// The scene's content that the engine has.
    pub(super) fn content_of_engine(&self) -> Content {
        let content = Content::of(&self.scene);
        match &self.waiting {
            None => content,
            Some(Waiting { species }) => content.with_species(species),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine_tests::Fussy;
    use super::super::tests::session;
    use super::super::time_tests::{engines, now, reach, start_in};
    use super::*;
    use crate::RealTime;
    use flockwork_engine::Engine;
    use flockwork_engine::cpu::CpuEngine;
    use flockwork_model::behaviours::Kind;
    use flockwork_model::scene::Request;
    use flockwork_model::vector::{Point, flat};

    const TEXT: &str = "click = \"target\"\n[[targets]]\nname = \"food\"\nposition = [300, 100]\n\
                        [species.a]\ncount = 5\n[species.a.separation]\n[species.a.cohesion]\n\
                        radius = 40\n[species.a.seek]\n";

    /// The species of a session, with another radius of cohesion.
    fn seeing(session: &Session<RealTime>, radius: f32) -> Vec<Species> {
        let mut species = session.scene().species.clone();
        let rule = species[0].rules.iter_mut().find(|rule| rule.kind == Kind::Cohesion).unwrap();
        rule.values[Kind::Cohesion.parameter("radius").unwrap()] = radius;
        species
    }

    /// A session that runs.
    fn running(engine: Box<dyn Engine>) -> Session<RealTime> {
        let mut session = start_in(engine, TEXT);
        session.clock.toggle();
        session.clock.lock(Some(1));
        session
    }

    fn frames(session: &mut Session<RealTime>, frames: u32) {
        (0..frames).for_each(|_| {
            session.advance().unwrap();
        });
    }

    /// The ticks of the recorded events.
    fn ticks(session: &Session<RealTime>) -> Vec<u64> {
        session.events().iter().map(|event| event.tick).collect()
    }

    #[test]
    fn a_radius_changes_at_the_end_of_a_tick_and_the_past_knows_it() {
        for engine in engines() {
            let mut session = running(engine);
            frames(&mut session, 5);
            assert_eq!(session.change(seeing(&session, 60.0)), Ok(None));
            frames(&mut session, 2);
            assert_eq!(ticks(&session), [0; 0], "it waits");
            frames(&mut session, 1);
            assert_eq!((session.tick(), ticks(&session)), (8, vec![8]));
            // A drag: an edit in every frame, of one tick and of several.
            for radius in 61..=66_u8 {
                session.clock.lock(Some(if radius > 63 { 3 } else { 1 }));
                assert_eq!(session.change(seeing(&session, radius.into())), Ok(None));
                frames(&mut session, 1);
            }
            session.clock.lock(Some(1));
            frames(&mut session, 9);
            assert_eq!(ticks(&session), [8, 12, 16, 20]);
            let then = now(&mut session);
            session.clock.pause();
            reach(&mut session, 3);
            reach(&mut session, 29);
            assert!(now(&mut session) == then, "the past has the same edits");
            // The control: without the edit the flock is another.
            let mut other = running(Box::new(CpuEngine::new(Some(1)).unwrap()));
            frames(&mut other, 29);
            assert!(now(&mut other).0 != then.0);
        }
    }

    #[test]
    fn a_snapshot_has_the_parameters_that_the_engine_has() {
        for engine in engines() {
            let mut session = running(engine);
            frames(&mut session, 29);
            // A snapshot is due in the frame after tick 29 or a later one; the edit waits all the time.
            let mut seen = Vec::new();
            while session.snapshots() < 2 {
                assert_eq!(session.change(seeing(&session, 90.0)), Ok(None));
                frames(&mut session, 1);
                seen.push((session.tick(), now(&mut session)));
                assert!(session.tick() <= 32, "no snapshot while the edit waits");
            }
            session.clock.pause();
            for (tick, then) in seen {
                reach(&mut session, tick);
                assert!(now(&mut session) == then, "tick {tick}");
            }
        }
    }

    #[test]
    fn what_else_happens_before_the_tick_finds_the_edit_done() {
        for engine in engines() {
            let mut session = running(engine);
            frames(&mut session, 5);
            assert_eq!(session.change(seeing(&session, 60.0)), Ok(None));
            let food = session.nearest_thing(flat(310.0, 100.0)).unwrap().unwrap();
            assert_eq!(session.put(food, flat(20.0, 30.0)), Ok(None));
            assert_eq!(session.change(seeing(&session, 70.0)), Ok(None));
            session.set_pointer(Some(flat(9.0, 9.0))).unwrap();
            assert_eq!(session.change(seeing(&session, 80.0)), Ok(None));
            assert_eq!(session.add(0, &[Point::ONE]).unwrap(), None);
            assert_eq!(session.change(seeing(&session, 90.0)), Ok(None));
            assert_eq!(ticks(&session), [5; 6], "the last edit waits");
            session.clock.pause();
            frames(&mut session, 1);
            assert_eq!(ticks(&session), [5; 7], "a pause ends the wait");
            session.clock.toggle();
            frames(&mut session, 10);
            let then = now(&mut session);
            session.clock.pause();
            reach(&mut session, 0);
            reach(&mut session, 15);
            assert!(now(&mut session) == then);
            // While the flock stands still, edits do not wait.
            assert_eq!(session.change(seeing(&session, 50.0)), Ok(None));
            assert_eq!(ticks(&session).last(), Some(&15));
        }
    }

    #[test]
    fn an_edit_that_the_engine_refuses_is_taken_back() {
        let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
        let state = scene.populate(&Request::default()).unwrap();
        let engine = Box::new(Fussy(CpuEngine::new(Some(1)).unwrap()));
        let mut session = session(engine, &scene, &state);
        session.clock.lock(Some(1));
        frames(&mut session, 3);
        let before = session.scene().species.clone();
        assert_eq!(session.change(seeing(&session, Fussy::FARTHEST + 1.0)), Ok(None));
        frames(&mut session, 1);
        assert_eq!(session.scene().species, before);
        assert!(session.take_notice().is_some_and(|why| why.contains("not so far")));
        assert_eq!((session.tick(), ticks(&session)), (4, vec![]));
        frames(&mut session, 1);
        assert_eq!(session.tick(), 5);
    }

    #[test]
    fn an_edit_after_one_that_is_refused_does_not_bring_it_back() {
        let mut scene = Scene::parse("test", TEXT, &[]).unwrap();
        let state = scene.populate(&Request::default()).unwrap();
        let engine = Box::new(Fussy(CpuEngine::new(Some(1)).unwrap()));
        let mut session = session(engine, &scene, &state);
        session.clock.lock(Some(1));
        frames(&mut session, 1);
        let before = session.scene().species.clone();
        assert_eq!(session.change(seeing(&session, Fussy::FARTHEST + 1.0)), Ok(None));
        let food = session.nearest_thing(flat(310.0, 100.0)).unwrap().unwrap();
        assert_eq!(session.put(food, flat(20.0, 30.0)), Ok(None));
        assert!(session.take_notice().is_some_and(|why| why.contains("not so far")));
        assert_eq!(session.scene().species, before);
        assert_eq!(food.place(session.scene()), Some(flat(20.0, 30.0)));
    }
}
