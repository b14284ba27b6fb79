//! Writes a flock's metrics to a file. A separate thread computes and writes them while the flock
//! moves on.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use rayon::prelude::*;

use super::output::OutputFile;
use super::state_files::record_beside;
use crate::commands::host::errors::wrong;
use flockwork_model::io::RunRecord;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::statistics::{Selection, Travel};

/// The most agents in all states that wait for the thread; but two states may always wait.
pub const MAX_WAITING: usize = 1 << 21;
/// The most states that wait.
const MAX_QUEUE: usize = 64;
/// The most agents in the states that the thread gets at once: several small ones, so that it rarely
/// has to be woken.
const MAX_TOGETHER: usize = 1 << 16;
/// The most states that the thread gets at once.
const MAX_BATCH: usize = 16;

type Writer = csv::Writer<OutputFile>;

/// A state, and how far its agents have come if a metric asks for that.
type Seen = (FlockState, Vec<Travel>);

/// A metrics file with its header, and the file of the run's record.
#[derive(Debug)]
pub struct MetricsFile {
    rows: Writer,
    chosen: Selection,
    record: OutputFile,
}

impl MetricsFile {
    /// Checks that the files can be written beside `out`, and writes the header of the `chosen` metrics.
    pub fn create(path: &Path, out: Option<&Path>, chosen: Selection) -> anyhow::Result<Self> {
        let refuse = |problem: &str| Err(wrong(format!("--metrics {}: {problem}", path.display())));
        if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("csv")) {
            return refuse("metrics are written as CSV; call the file NAME.csv");
        }
        let file = OutputFile::create(path)?;
        if out.is_some_and(|out| file.has_name(out)) {
            return refuse("--out is the same file; choose another");
        }
        let mut writer = csv::Writer::from_writer(file);
        writer.write_record(["tick"].into_iter().chain(chosen.columns()))?;
        Ok(Self { rows: writer, chosen, record: record_beside(path)? })
    }

    /// The row of a state, as text.
    fn row(chosen: &Selection, scene: &Scene, (state, travels): &Seen) -> Vec<String> {
        let values = chosen.values(scene, state, travels);
        let values = values.iter().map(f64::to_string);
        [state.tick.to_string()].into_iter().chain(values).collect()
    }

    /// Writes the record of the run.
    pub fn describe(&mut self, run: &RunRecord) -> std::io::Result<()> {
        self.record.write_all(run.text().as_bytes())
    }

    /// Renames the files into place. Returns the size of the metrics in bytes.
    pub fn publish(self) -> anyhow::Result<u64> {
        // The writer's error contains the writer; only its cause is useful.
        let file = self.rows.into_inner().map_err(csv::IntoInnerError::into_error)?;
        let size = file.publish()?;
        self.record.publish()?;
        Ok(size)
    }
}

/// The thread that writes the metrics.
#[derive(Debug)]
pub struct MetricsThread {
    states: Option<SyncSender<Vec<Seen>>>,
    /// The states that the thread gets next.
    batch: Vec<Seen>,
    /// The number of states that it gets at once.
    together: usize,
    thread: Option<JoinHandle<csv::Result<MetricsFile>>>,
}

impl Drop for MetricsThread {
    fn drop(&mut self) {
        // Join the thread, so that its file is removed before the program ends with an error.
        self.states = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl MetricsThread {
    /// Starts the thread for a flock of `agents` agents.
    pub fn start(file: MetricsFile, scene: &Scene, agents: usize) -> anyhow::Result<Self> {
        let queue = (MAX_WAITING / agents.max(1)).clamp(2, MAX_QUEUE);
        let together = (MAX_TOGETHER / agents.max(1)).clamp(1, MAX_BATCH);
        let (states, waiting) = sync_channel::<Vec<Seen>>(queue / together);
        let (scene, mut file) = (scene.clone(), file);
        let thread = std::thread::Builder::new().name("metrics".into()).spawn(move || {
            while let Ok(mut states) = waiting.recv() {
                // If metrics take longer than ticks, states pile up; only then other threads help,
                // for they are busy with the flock.
                let behind = waiting.try_recv();
                let row = |seen: &Seen| MetricsFile::row(&file.chosen, &scene, seen);
                let rows: Vec<_> = if let Ok(more) = behind {
                    states.extend(more);
                    states.par_iter().map(row).collect()
                } else {
                    states.iter().map(row).collect()
                };
                for row in rows {
                    file.rows.write_record(row)?;
                }
            }
            Ok(file)
        })?;
        Ok(Self { states: Some(states), batch: Vec::new(), together, thread: Some(thread) })
    }

    /// Queues a state, and waits while the queue is full. False once nothing more can be written;
    /// then [`MetricsThread::finish`] returns the reason.
    pub fn write(&mut self, state: FlockState, travels: Vec<Travel>) -> bool {
        self.batch.push((state, travels));
        self.batch.len() < self.together || self.send()
    }

    /// Gives the thread its next states.
    fn send(&mut self) -> bool {
        let batch = std::mem::take(&mut self.batch);
        self.states.as_ref().is_some_and(|states| states.send(batch).is_ok())
    }

    /// Waits until the last metrics are written.
    pub fn finish(mut self) -> anyhow::Result<MetricsFile> {
        self.send();
        self.states = None;
        let written = self.thread.take().and_then(|thread| thread.join().ok());
        let written = written
            .ok_or_else(|| anyhow::anyhow!("--metrics: the thread that writes them has stopped"))?;
        Ok(written?)
    }
}
