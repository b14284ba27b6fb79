//! The program as a process that receives signals, with a deadline on every wait.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Tests assert no timings, but a program that has not ended by now is stuck.
const DEADLINE: Duration = Duration::from_secs(120);

/// The program in a folder, with the default action for every signal that is not `ignored`: the tests may
/// run with ignored signals, as with `&` in a script.
pub fn flockwork(folder: &Path, ignored: &str, line: &str) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP");
    if !ignored.is_empty() {
        command.arg(format!("--ignore-signal={ignored}"));
    }
    command.arg(env!("CARGO_BIN_EXE_flockwork"));
    command.current_dir(folder).args(line.split_whitespace());
    command
}

/// Starts the same.
pub fn start(folder: &Path, ignored: &str, line: &str) -> Watched {
    Watched::start(&mut flockwork(folder, ignored, line))
}

/// A process that is killed when this value is dropped, or at the deadline.
pub struct Watched {
    /// The process; its outputs are pipes.
    pub child: Child,
    /// Dropped when the wait is over.
    _watch: Sender<()>,
}

impl Watched {
    /// Starts the process.
    pub fn start(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (watch, over) = channel();
        let process = child.id();
        std::thread::spawn(move || {
            if over.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
                eprintln!("process {process} does not end by itself");
                send(process, "KILL");
            }
        });
        Self { child, _watch: watch }
    }

    /// True once the process handles a signal, given by number.
    pub fn hears(&self, signal: u32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let bit = 1 << (signal - 1);
        caught.is_some_and(|set| u64::from_str_radix(set.trim(), 16).unwrap() & bit != 0)
    }

    /// Waits until the process handles a signal: an earlier signal would kill it silently.
    pub fn until_it_hears(&mut self, signal: u32) {
        while !self.hears(signal) {
            assert!(self.child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
    }

    /// Sends a signal, given by name.
    pub fn send(&self, signal: &str) {
        assert!(send(self.child.id(), signal), "no signal can be sent");
    }

    /// Waits for the process to end.
    pub fn end(mut self) -> Output {
        let (out, err) = (self.child.stdout.take(), self.child.stderr.take());
        let read = |pipe: Option<Box<dyn std::io::Read + Send>>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                pipe.map(|mut pipe| pipe.read_to_end(&mut bytes).unwrap());
                bytes
            })
        };
        let out = read(out.map(|pipe| Box::new(pipe) as _));
        let err = read(err.map(|pipe| Box::new(pipe) as _));
        let status = self.child.wait().unwrap();
        Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(process: u32, signal: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.arg(format!("-{signal}")).arg(process.to_string()).status().unwrap().success()
}
