//! A PNG sequence, encoded in parallel while the simulation goes on.

use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::{Frame, RecordError, Recorder, png};

/// Where an encoded frame goes: its number, counted from 0, and its bytes.
pub type Sink = dyn Fn(u64, &[u8]) -> io::Result<()> + Send + Sync;

/// Most encoding threads. More would only wait for frames.
const MAX_THREADS: usize = 16;

/// Gives every frame to the first free thread. Waits when all threads are busy and as many frames
/// are queued, so that memory stays bounded.
pub struct SequenceRecorder {
    frames: Option<SyncSender<(u64, Frame)>>,
    threads: Vec<JoinHandle<()>>,
    faults: Receiver<RecordError>,
    next: u64,
}

impl SequenceRecorder {
    /// Starts the threads. Each picture has the comment.
    pub fn new(sink: Box<Sink>, comment: &str) -> Result<Self, RecordError> {
        let count = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let (frames, queue) = sync_channel(count);
        let queue = Arc::new(Mutex::new(queue));
        let (fault, faults) = channel();
        let sink = Arc::<Sink>::from(sink);
        let comment: Arc<str> = comment.into();
        let mut threads = Vec::with_capacity(count);
        for _ in 0..count {
            let (queue, fault, sink) = (Arc::clone(&queue), fault.clone(), Arc::clone(&sink));
            let thread = std::thread::Builder::new().name("png".into());
            let comment = Arc::clone(&comment);
            threads.push(thread.spawn(move || encode_all(&queue, &fault, &*sink, &comment))?);
        }
        Ok(Self { frames: Some(frames), threads, faults, next: 0 })
    }

    fn check(&self) -> Result<(), RecordError> {
        self.faults.try_recv().map_or(Ok(()), Err)
    }
}

/// The loop of a thread: encodes until there are no more frames.
fn encode_all(
    queue: &Mutex<Receiver<(u64, Frame)>>,
    fault: &Sender<RecordError>,
    sink: &Sink,
    comment: &str,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, frame)) = next else { return };
        let mut bytes = Vec::new();
        let written = png::write_fast(&mut bytes, &frame, comment);
        let written = written.and_then(|()| Ok(sink(number, &bytes)?));
        if let Err(error) = written {
            // Go on after an error: otherwise frames would pile up. Nobody hears of it after the end.
            let _ = fault.send(error);
        }
    }
}

impl Recorder for SequenceRecorder {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.check()?;
        let number = self.next;
        self.next += 1;
        let sent = self.frames.as_ref().map(|frames| frames.send((number, frame)));
        if matches!(sent, Some(Ok(()))) {
            return Ok(());
        }
        let message = "the encoding threads are gone".into();
        Err(RecordError::Encode { format: "PNG", message })
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        let ended = self.wait();
        self.check().and(ended)
    }
}

impl SequenceRecorder {
    /// Lets the threads end and waits for them all.
    fn wait(&mut self) -> Result<(), RecordError> {
        self.frames = None;
        let panicked = self.threads.drain(..).filter_map(|thread| thread.join().err()).count();
        let message = "an encoding thread panicked".into();
        if panicked == 0 { Ok(()) } else { Err(RecordError::Encode { format: "PNG", message }) }
    }
}

impl Drop for SequenceRecorder {
    fn drop(&mut self) {
        let _ = self.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::super::png::tests::{decoded, pattern, record};
    use super::*;

    #[test]
    fn every_frame_arrives_under_its_number() {
        let got = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let got = Arc::clone(&got);
            Box::new(move |number, bytes: &[u8]| {
                got.lock().unwrap().push((number, bytes.to_vec()));
                Ok(())
            })
        };
        let recorder = Box::new(SequenceRecorder::new(sink, "").unwrap());
        record(recorder, (0..40).map(|n| pattern(16, 9, n)));
        let mut got = Arc::try_unwrap(got).unwrap().into_inner().unwrap();
        got.sort();
        assert_eq!(got.len(), 40);
        for (n, (number, bytes)) in got.iter().enumerate() {
            assert_eq!(*number, n as u64);
            assert_eq!(decoded(bytes), [(pattern(16, 9, n as u32).pixels, None)]);
        }
    }

    #[test]
    fn a_full_disk_stops_the_recording() {
        let sink = Box::new(|_, _: &[u8]| Err(io::Error::other("the disk is full")));
        let mut recorder = Box::new(SequenceRecorder::new(sink, "").unwrap());
        let pushed = (0..1000).try_for_each(|n| recorder.push(pattern(16, 9, n)));
        let result = pushed.and_then(|()| recorder.finish());
        assert!(result.unwrap_err().to_string().contains("the disk is full"));
    }
}
