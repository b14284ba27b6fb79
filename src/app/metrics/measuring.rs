//! Measures states on a thread of its own, so that the flock goes on meanwhile.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use flockwork_model::statistics::{Histograms, Metrics, metrics_and_histograms};
use flockwork_session::series::Sample;
use web_time::Instant;

/// The results of the thread.
#[derive(Clone, Debug)]
pub struct Measured {
    pub number: u64,
    /// Metrics of all agents.
    pub metrics: Metrics,
    /// If they are wanted.
    pub histograms: Option<Histograms>,
    pub took: Duration,
}

/// The thread. It starts with the first sample and ends when this value is dropped. In a browser there is none,
/// and a sample is measured at once.
#[derive(Debug, Default)]
pub struct Measuring {
    thread: Option<(Sender<Wanted>, Receiver<Measured>)>,
    at_once: VecDeque<Measured>,
}

/// A sample, and whether its histograms are wanted.
type Wanted = (Sample, bool);

impl Measuring {
    pub fn begin(&mut self, sample: Sample, with_histograms: bool) {
        if self.thread.is_none() {
            self.thread = start();
        }
        match &self.thread {
            // Fails only if the thread is gone. Then there are no metrics, and the flock goes on.
            Some((samples, _)) => drop(samples.send((sample, with_histograms))),
            None => self.at_once.push_back(measure(&sample, with_histograms)),
        }
    }

    /// The results since the last call. Never waits.
    pub fn poll(&mut self) -> Option<Measured> {
        let measured = self.thread.as_ref().and_then(|(_, measured)| measured.try_recv().ok());
        measured.or_else(|| self.at_once.pop_front())
    }
}

fn measure(Sample { number, scene, state }: &Sample, with_histograms: bool) -> Measured {
    let begin = Instant::now();
    let (metrics, histograms) = if with_histograms {
        let (metrics, histograms) = metrics_and_histograms(scene, state);
        (metrics, Some(histograms))
    } else {
        (Metrics::of(scene, state), None)
    };
    Measured { number: *number, metrics, histograms, took: begin.elapsed() }
}

fn start() -> Option<(Sender<Wanted>, Receiver<Measured>)> {
    let (samples, waiting) = channel::<Wanted>();
    let (tell, measured) = channel();
    let work = move || {
        // One thread for all metrics: rayon's other threads belong to the flock. Without a pool of
        // its own the metrics are the same, and the flock is slower meanwhile.
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        let alone = alone.build().ok();
        while let Ok((sample, with_histograms)) = waiting.recv() {
            let measure = || measure(&sample, with_histograms);
            let measured = alone.as_ref().map_or_else(measure, |alone| alone.install(measure));
            if tell.send(measured).is_err() {
                break;
            }
        }
    };
    let thread = std::thread::Builder::new().name("metrics".into()).spawn(work);
    thread.ok().map(|_| (samples, measured))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use flockwork_model::scene::{Request, Scene};

    #[test]
    fn the_thread_finds_what_a_call_finds() {
        let scene =
            Scene::parse("test", "[species.a]\ncount = 20000\n[species.a.separation]\n").unwrap();
        let (scene, state) = scene.populate(&Request::default()).unwrap();
        let state = Arc::new(state);
        let expected = Metrics::of(&scene, &state);
        let scene = Arc::new(scene);
        let mut measuring = Measuring::default();
        assert!(measuring.poll().is_none());
        for number in [3, 4] {
            let (scene, state) = (Arc::clone(&scene), Arc::clone(&state));
            measuring.begin(Sample { number, scene, state }, number == 4);
        }
        for number in [3, 4] {
            let measured = loop {
                match measuring.poll() {
                    Some(measured) => break measured,
                    None => std::thread::yield_now(),
                }
            };
            assert_eq!((measured.number, measured.metrics), (number, expected));
            assert_eq!(measured.histograms.is_some(), number == 4);
        }
    }
}
