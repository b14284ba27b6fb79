//! The loop of every command without a window: show the flock, then run to the next stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::interrupt::Interrupt;
use super::messages::note;
use super::ranks;
use flockwork_engine::{Engine, EngineError};
use flockwork_model::behaviours::Body;
use flockwork_model::grid::{CrowdSampling, MAX_WHOLE_RUN};
use flockwork_model::parameter::{ALL_NEIGHBOURS, PICK_ONE};
use flockwork_model::quote::cut;
use flockwork_model::scene::{Follow, Scene};
use flockwork_model::state::FlockState;
use flockwork_model::statistics::crowded_agents;
use flockwork_session::{HostTime, Session, Stops};

/// A flock that runs as fast as possible.
pub type DrivenSession = Session<Stops>;

/// A clock that starts at this call.
pub fn host_time() -> HostTime {
    let begin = Instant::now();
    Arc::new(move || begin.elapsed())
}

/// Loads a flock for a run that is never reset.
pub fn load(
    engine: Box<dyn Engine>,
    scene: &Scene,
    state: &FlockState,
) -> Result<DrivenSession, EngineError> {
    Session::forward(engine, scene, state, Stops::default(), host_time())
}

/// A sentence about each species whose smallest speed is above its largest.
pub fn crossed_speeds(scene: &Scene) -> impl Iterator<Item = String> {
    scene.species.iter().filter_map(|species| {
        let (name, Body { min_speed, max_speed, .. }) = (cut(&species.name), species.body);
        (min_speed > max_speed).then(|| {
            format!(
                "{name}.min_speed, {min_speed}, is above {name}.max_speed, {max_speed}, which holds; \
                 lower the one or raise the other"
            )
        })
    })
}

/// The subject and the verb of a sentence: which keys of `scene` make agents read every neighbour in a crowd.
fn readers(scene: &Scene) -> String {
    let rules = scene.species.iter().flat_map(|own| own.rules.iter().map(move |rule| (own, rule)));
    let chosen: Vec<f32> = rules.map(|(own, rule)| own.value_of(rule.kind, "nearest")).collect();
    let is_number = |count: &f32| ![ALL_NEIGHBOURS, PICK_ONE].contains(count);
    let all = [
        ("`nearest`", chosen.iter().any(is_number)),
        ("`pick`", chosen.contains(&PICK_ONE)),
        ("world.sampling=\"none\"", scene.sampling == CrowdSampling::Off),
    ];
    let own: Vec<&str> = all.into_iter().filter(|(_, is_used)| *is_used).map(|own| own.0).collect();
    format!("{} read{}", own.join(" and "), if own.len() == 1 { "s" } else { "" })
}

/// Says on stderr at the start of a run what `state` costs where `scene` reads every neighbour in crowds, and
/// which keys do nothing. All ranks call it together, each with its part of the state.
pub fn forewarn(scene: &Scene, state: &FlockState) {
    let mut all: Vec<String> = crossed_speeds(scene).chain(scene.idle_keys()).collect();
    if let Follow::Agent(id) = scene.camera.follow {
        let [there] = ranks::sum([u64::from(state.id.contains(&id))]);
        if there == 0 {
            all.push(format!("camera.follow: no agent has the id {id}; the camera stays"));
        }
    }
    all.iter().for_each(|sentence| note(sentence));
    if scene.run_cap() == MAX_WHOLE_RUN {
        return;
    }
    let [agents] = ranks::sum([state.len() as u64]);
    let crowded = crowded_agents(scene, agents as usize, &state.position, ranks::sum_all);
    let readers = readers(scene);
    let remedy = match scene.sampling {
        CrowdSampling::Off => "leave out `sampling`, ",
        CrowdSampling::Auto => "",
    };
    if crowded > 0 {
        note(&format!(
            "{crowded} agents begin in crowds of more than {MAX_WHOLE_RUN}, where {readers} every \
             neighbour: the work grows with the square of their number; to shorten it, {remedy}lower the \
             radii of their behaviours or --density"
        ));
    }
}

/// Number of moments of a run, evenly spread, at which it looks for crowds.
const LOOKS: u64 = 16;

/// Where a run has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Ticks of this run.
    pub done: u64,
    /// True if the run ends here.
    pub last: bool,
    /// True if the user ended it here.
    pub interrupted: bool,
}

/// The actions of a command at the stops of a run.
pub trait Host {
    /// The next stop after `done` ticks.
    fn next_stop(&self, done: u64) -> u64;

    /// Called after every portion of ticks, for a progress bar.
    fn ticked(&mut self, _ticks: u64) {}

    /// True if the device must have finished all ticks when the flock is shown. If not, it may
    /// still be busy, and the host waits for something later, such as a picture.
    fn waits(&self) -> bool {
        true
    }

    /// Shows the flock; false ends the run.
    fn show(&mut self, run: &mut DrivenSession, stop: Stop) -> anyhow::Result<bool>;
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Ticks done.
    pub ticks: u64,
    /// Time spent in the engine, waiting for it included.
    pub stepping: Duration,
    /// True if the user ended the run before its last tick, or at it.
    pub interrupted: bool,
    /// The most crowded of the moments that were looked at.
    pub crowd: Crowd,
    /// A sentence about forces that were no numbers, if there were any.
    pub broken: Option<String>,
}

impl Outcome {
    /// Says on stderr what the user should know about the flock.
    pub fn tell(&self) {
        self.crowd.tell();
        if let Some(broken) = &self.broken {
            note(broken);
        }
    }
}

/// Runs `ticks` ticks, or fewer if interrupted, and shows the flock at the host's stops, including
/// the first and the last tick.
pub fn drive(
    run: &mut DrivenSession,
    host: &mut dyn Host,
    ticks: u64,
    interrupt: &Interrupt,
) -> anyhow::Result<Outcome> {
    let first = run.tick();
    let (mut stepping, mut crowd) = (Duration::ZERO, Crowd::default());
    let between_looks = ticks.div_ceil(LOOKS).max(1);
    let mut done = 0;
    loop {
        let interrupted = ranks::any(interrupt.is_raised());
        let last = done == ticks || interrupted;
        let ended = !host.show(run, Stop { done, last, interrupted })?;
        if ranks::any(ended) || last {
            run.finish()?;
            let broken = run.broken_forces();
            return Ok(Outcome { ticks: done, stepping, interrupted, crowd, broken });
        }
        let stop = host.next_stop(done).clamp(done + 1, ticks);
        // A signal while the flock was shown is for the next tick: no tick is shown twice.
        let shown = done;
        while done < stop && (done == shown || !ranks::any(interrupt.is_raised())) {
            // Several ranks advance by the same number of ticks before they ask again.
            let together = ranks::ranks().map(|_| stop.min(done + ranks::ASKED_EVERY));
            let look = (done / between_looks + 1).saturating_mul(between_looks).min(ticks);
            let portion = together.unwrap_or(stop).min(look);
            run.clock.stop_at(first.saturating_add(portion));
            let goes_on = |done| together.is_some() || done == shown || !interrupt.is_raised();
            while done < portion && goes_on(done) {
                let begin = Instant::now();
                let advance = run.advance()?;
                if host.waits() || !advance.show {
                    run.finish()?;
                }
                stepping += begin.elapsed();
                done += u64::from(advance.ticks);
                host.ticked(advance.ticks.into());
            }
            if done == look {
                crowd.look(run)?;
            }
        }
    }
}

/// The moment of a run at which most agents were in crowds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    crowded: u64,
    /// See [`readers`]; `None` if the agents read samples.
    readers: Option<String>,
    agents: u64,
    tick: u64,
}

impl Crowd {
    /// Looks at the flock now. All ranks look together.
    fn look(&mut self, run: &mut DrivenSession) -> Result<(), EngineError> {
        run.finish()?;
        // A run has five cells at most. Most flocks are not crowded, and need no copy for this.
        if run.largest_cell().saturating_mul(5) <= MAX_WHOLE_RUN {
            return Ok(());
        }
        let own = run.own_state()?;
        let [agents] = ranks::sum([own.len() as u64]);
        let scene = run.scene();
        let crowded = crowded_agents(scene, agents as usize, &own.position, ranks::sum_all);
        if crowded > self.crowded {
            let readers = (scene.run_cap() != MAX_WHOLE_RUN).then(|| readers(scene));
            *self = Self { crowded, readers, agents, tick: run.tick() };
        }
        Ok(())
    }

    /// Says on stderr what it means if more than a tenth of the agents were in crowds.
    fn tell(&self) {
        let Self { crowded, readers, agents, tick } = self;
        let meaning = match readers {
            None => "they read only a sample of their neighbours; where that matters".into(),
            Some(readers) => format!(
                "the work grows with the square of their number, because {readers} every neighbour; to \
                 shorten it"
            ),
        };
        if 10 * crowded > *agents {
            note(&format!(
                "{} % of the agents are so crowded at tick {tick} that {meaning}, lower the \
                 radii of their behaviours or --density, or raise separation.weight",
                100 * crowded / agents.max(&1)
            ));
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use flockwork_engine::{AgentsAt, Change, EngineKind, Profile, Snapshot};

    /// An engine whose agents fly straight ahead. Raises `interrupt` after `stop_after` ticks in
    /// total.
    #[derive(Default)]
    pub struct Straight {
        pub state: FlockState,
        pub ticks: u64,
        /// Time that it sleeps per tick.
        pub sleeps: Duration,
        pub stop_after: Option<u64>,
        pub interrupt: Interrupt,
    }

    impl flockwork_engine::internals::Sealed for Straight {}

    impl Engine for Straight {
        fn kind(&self) -> EngineKind {
            EngineKind::Cpu
        }
        fn describe(&self) -> String {
            "straight lines".into()
        }
        fn load(&mut self, _: &Scene, state: &FlockState) -> Result<(), EngineError> {
            self.state = state.clone();
            Ok(())
        }
        fn update(&mut self, _: &Scene, _: Change) -> Result<(), EngineError> {
            Ok(())
        }
        fn append(&mut self, _: &FlockState) -> Result<(), EngineError> {
            Ok(())
        }
        fn remove(&mut self, _: &[u32]) -> Result<(), EngineError> {
            Ok(())
        }
        fn step(&mut self, ticks: u32) -> Result<(), EngineError> {
            for _ in 0..ticks {
                self.state.tick += 1;
                self.ticks += 1;
                std::thread::sleep(self.sleeps);
                for (p, v) in self.state.position.iter_mut().zip(&self.state.velocity) {
                    *p += *v;
                }
                if self.stop_after == Some(self.ticks) {
                    self.interrupt.raise();
                }
            }
            Ok(())
        }
        fn request(&mut self) -> Result<(), EngineError> {
            Ok(())
        }
        fn poll(&mut self) -> Result<Option<Snapshot>, EngineError> {
            Ok(None)
        }
        fn agents(&self) -> AgentsAt<'_> {
            AgentsAt::Host((&self.state).into())
        }
        fn set_profiling(&mut self, _: bool) {}
        fn profile(&mut self) -> Profile {
            Profile::default()
        }
        fn largest_cell(&mut self) -> u32 {
            0
        }
        fn finish(&mut self) -> Result<(), EngineError> {
            Ok(())
        }
        fn snapshot(&mut self) -> Result<Snapshot, EngineError> {
            Ok(Snapshot { state: self.state.clone(), targets: Vec::new() })
        }
    }

    /// Stops every `every` ticks and records the stops.
    #[derive(Default)]
    struct Noted {
        every: u64,
        /// Goes on while the device is still busy.
        hurries: bool,
        stops: Vec<Stop>,
        ticked: u64,
        ends_at: Option<u64>,
        /// Raises `interrupt` while it shows the flock there.
        interrupts_at: Option<u64>,
        interrupt: Interrupt,
    }

    impl Host for Noted {
        fn next_stop(&self, done: u64) -> u64 {
            done + self.every
        }
        fn ticked(&mut self, ticks: u64) {
            self.ticked += ticks;
        }
        fn waits(&self) -> bool {
            !self.hurries
        }
        fn show(&mut self, run: &mut DrivenSession, stop: Stop) -> anyhow::Result<bool> {
            assert_eq!(run.tick(), stop.done + 7, "the flock begins at tick 7");
            self.stops.push(stop);
            if self.interrupts_at == Some(stop.done) {
                self.interrupt.raise();
            }
            Ok(self.ends_at != Some(stop.done))
        }
    }

    fn driven(ticks: u64, stop_after: Option<u64>, mut host: Noted) -> (Outcome, Noted) {
        let interrupt = host.interrupt.clone();
        let engine = Straight { stop_after, interrupt: interrupt.clone(), ..Straight::default() };
        let scene = crate::commands::files::scene_files::read_scene("flock", &[]).unwrap();
        let state = FlockState { tick: 7, ..FlockState::default() };
        let mut run = load(Box::new(engine), &scene, &state).unwrap();
        let outcome = drive(&mut run, &mut host, ticks, &interrupt).unwrap();
        assert_eq!((run.tick(), host.ticked), (outcome.ticks + 7, outcome.ticks));
        (outcome, host)
    }

    /// The ticks at which a host stopped.
    fn places(host: &Noted) -> Vec<u64> {
        host.stops.iter().map(|stop| stop.done).collect()
    }

    #[test]
    fn a_run_stops_where_its_host_wants_and_at_both_ends() {
        for hurries in [false, true] {
            let (outcome, host) =
                driven(1000, None, Noted { every: 300, hurries, ..Noted::default() });
            assert_eq!(places(&host), [0, 300, 600, 900, 1000]);
            assert_eq!((outcome.ticks, outcome.interrupted), (1000, false));
            let ends: Vec<bool> = host.stops.iter().map(|stop| stop.last).collect();
            assert_eq!(ends, [false, false, false, false, true]);
        }
        let (_, host) = driven(0, None, Noted { every: 1, ..Noted::default() });
        assert_eq!(host.stops, [Stop { done: 0, last: true, interrupted: false }]);
    }

    #[test]
    fn an_interrupted_run_stops_once_more_where_it_is() {
        let (outcome, host) = driven(1000, Some(3), Noted { every: 300, ..Noted::default() });
        assert_eq!((outcome.ticks, outcome.interrupted), (3, true));
        assert_eq!(host.stops[1..], [Stop { done: 3, last: true, interrupted: true }]);
    }

    #[test]
    fn an_interrupt_while_the_flock_is_shown_shows_no_tick_twice() {
        let host = Noted { every: 3, interrupts_at: Some(3), ..Noted::default() };
        let (outcome, host) = driven(1000, None, host);
        assert!(outcome.interrupted && (4..=6).contains(&outcome.ticks), "{outcome:?}");
        assert_eq!(places(&host), [0, 3, outcome.ticks]);
    }

    #[test]
    fn a_host_can_end_a_run() {
        let host = Noted { every: 10, ends_at: Some(20), ..Noted::default() };
        let (outcome, host) = driven(1000, None, host);
        assert_eq!((outcome.ticks, outcome.interrupted, host.stops.len()), (20, false, 3));
    }
}
