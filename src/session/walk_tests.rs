//! Random hands at a running flock: whatever they do, in whatever order, the past is exact, and a saved
//! session is the same flock.

use std::collections::BTreeMap;

use super::time_tests::{Seen, cpu, engines, now, reach, replayed, start_in};
use super::*;
use flockwork_model::random::{Purpose, bits};
use flockwork_model::vector::{Point, flat};

/// Everything that edits can change, and a target that sends agents elsewhere.
const TEXT: &str = "click = \"target\"\n[[targets]]\nname = \"fast\"\nvelocity = [3, 0]\n\
                    hit_radius = 30\nsends_to = [600, 20]\n[[targets]]\nname = \"food\"\n\
                    position = [300, 100]\n[[paths]]\npoints = [[0, 180], [200, 180], [640, 180]]\n\
                    [[obstacles]]\nposition = [50, 50]\n[species.a]\ncount = 60\n\
                    max_speed = { from = 2, to = 3 }\n[species.a.wander]\n[species.a.separation]\n\
                    radius = 20\n[species.a.cohesion]\n[species.a.seek]\ntarget = \"food\"\n\
                    [species.b]\ncount = 20\n[species.b.alignment]\nradius = 30\n\
                    [species.b.follow_path]\n[species.b.avoid]\n";

/// The past of a session by tick, and what was done, for messages.
#[derive(Default)]
struct Walk {
    seed: u32,
    turn: u32,
    seen: BTreeMap<u64, Seen>,
    done: Vec<String>,
}

impl Walk {
    fn below(&mut self, count: u32) -> u32 {
        self.turn += 1;
        bits(self.seed, self.turn, 0, Purpose::SpawnX) % count
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// Another radius of a behaviour, or another force.
    fn change(&mut self, session: &mut Session<RealTime>) -> hands::Done {
        let mut species = session.scene().species.clone();
        let key = self.one_of(&["separation", "cohesion", "alignment"]);
        let radius: f32 = self.one_of(&[0.0, 5.0, 20.0, 45.0, 60.0, 90.0, 150.0, 1e6]);
        if self.below(8) == 0 {
            species[0].body.max_force = radius.clamp(0.1, 1.0);
        }
        let rules = species.iter_mut().flat_map(|one| &mut one.rules);
        for rule in rules.filter(|rule| rule.kind.info().key == key) {
            rule.values[rule.kind.parameter("radius").unwrap()] = radius;
        }
        session.change(species)
    }

    /// An edit that may be refused.
    fn edit(&mut self, session: &mut Session<RealTime>, number: u32, at: Point) -> hands::Done {
        let last = |all: usize| all.saturating_sub(1);
        let (species, targets) = (session.scene().species.len(), session.scene().targets.len());
        match number {
            0..9 => self.change(session),
            11 => session.add(0, &[at, at]),
            12 if species < 5 => session.add_species(0),
            13 => session.take_species(last(species)),
            14 => session.put(SceneObject::Target(2), at),
            15 => session.edit(Edit::AddTarget(at)),
            16 => session.remove(SceneObject::Target(last(targets))),
            17 => session.edit(Edit::NewPath),
            18 => session.edit(Edit::SwapSeekFlee),
            19 => session.edit(Edit::AddObstacle(at)),
            20 => session.rename_species(0, &format!("n{}", self.below(99))),
            26 => session.set_pointer(Some(at)),
            27 => session.set_pointer(None),
            28 => session.set_count(last(species), self.below(70).into()),
            _ => {
                session.seal_edit();
                Ok(())
            }
        }
    }

    /// One thing that a user does.
    fn act(&mut self, session: &mut Session<RealTime>) {
        let at = flat(self.below(640) as f32, self.below(360) as f32);
        let number = self.below(30);
        let said = match number {
            9 | 10 => {
                let said = match if number == 9 { session.undo() } else { session.redo() } {
                    Ok(said) | Err(EditError::Refused(said)) => said,
                    Err(error) => panic!("{error}"),
                };
                if said.ends_with("reset") {
                    self.seen.clear();
                }
                said
            }
            21 | 22 => {
                let (first, end) = session.span();
                session.seek_to(first + u64::from(self.below((end - first) as u32 + 9)));
                format!("to {:?}", session.goal())
            }
            23 => {
                session.reset().unwrap();
                self.seen.clear();
                "reset".into()
            }
            24 => {
                session.clock.toggle();
                "pause".into()
            }
            25 => {
                session.clock.step_once();
                "step".into()
            }
            number => match self.edit(session, number, at) {
                Ok(()) => String::new(),
                Err(EditError::Refused(why)) => why,
                Err(error) => panic!("{error}"),
            },
        };
        self.done.push(format!("tick {}: {number} {said}", session.tick()));
        // An edit in the past cuts what came after it.
        let end = session.span().1;
        self.seen.retain(|tick, _| *tick <= end);
    }

    fn fail(&self, what: &str) -> String {
        format!("walk {}: {what}\n{}", self.seed, self.done.join("\n"))
    }

    /// A frame, with what the user has done before it.
    fn frame(&mut self, session: &mut Session<RealTime>) {
        for _ in 0..self.below(3) {
            self.act(session);
        }
        session.advance().unwrap();
        let (tick, end) = (session.tick(), session.span().1);
        if session.goal().is_some() {
            return;
        }
        let is = now(session);
        let before = self.seen.insert(tick, is);
        // At a tick with edits there was something else before them.
        if session.events().iter().all(|event| event.tick != tick) && tick < end {
            let same = before.is_none_or(|before| before == self.seen[&tick]);
            assert!(same, "{}", self.fail(&format!("tick {tick} is not what it was")));
        }
    }

    /// Goes to ticks without edits, and to the last one.
    fn check(&self, session: &mut Session<RealTime>, ticks: &[u64], end: &(u64, Seen), what: &str) {
        for tick in ticks {
            reach(session, *tick);
            let same = now(session) == self.seen[tick];
            assert!(same, "{}", self.fail(&format!("tick {tick} {what}")));
        }
        reach(session, end.0);
        assert!(now(session) == end.1, "{}", self.fail(&format!("the end {what}")));
    }
}

/// Goes on for some frames, then back and forth, and then replays the saved session.
fn walk(seed: u32, engine: Box<dyn Engine>) {
    let mut walk = Walk { seed, ..Walk::default() };
    let mut session = start_in(engine, TEXT);
    session.clock.toggle();
    session.clock.lock(Some(walk.one_of(&[1, 1, 3, 64])));
    for _ in 0..50 {
        walk.frame(&mut session);
    }
    session.clock.pause();
    session.cancel_seek();
    session.advance().unwrap();
    let end = session.span().1;
    reach(&mut session, end);
    let end = (end, now(&mut session));
    let edited = |tick: &u64| session.events().iter().any(|event| event.tick == *tick);
    let ticks: Vec<u64> = walk.seen.keys().copied().filter(|tick| !edited(tick)).collect();
    let back: Vec<u64> = ticks.iter().rev().step_by(4).copied().collect();
    walk.check(&mut session, &back, &end, "is another on the way back");

    let text = session.recording().unwrap_or_else(|why| panic!("{}", walk.fail(&why.to_string())));
    let mut again = replayed(cpu(), &text);
    let forth: Vec<u64> = ticks.iter().step_by(8).copied().collect();
    walk.check(&mut again, &forth, &end, "is another in the replay");
}

#[test]
fn the_past_and_a_saved_session_are_exact_whatever_the_user_does() {
    for seed in 0..8 {
        // The last engine is the GPU, if there is one.
        let mut all = engines();
        walk(seed, if seed % 4 == 3 { all.pop().unwrap() } else { all.remove(0) });
    }
}
