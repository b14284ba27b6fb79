//! Commands of the user. Some need the whole flock, and wait for it where the host cannot wait for the device.

use std::collections::VecDeque;
use std::time::Duration;

use web_time::Instant;

use super::OpenWindow;
use crate::WindowError;
use crate::command::Command;
use flockwork_engine::EngineError;

/// How long a command waits for the flock.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// Commands that wait, in their order. The flock stands still until they are done.
#[derive(Default)]
pub struct Waiting {
    pub(super) commands: VecDeque<Command>,
    since: Option<Instant>,
}

impl OpenWindow<'_> {
    /// Takes a command that the next frame does.
    pub fn put_off(&mut self, command: Command) {
        self.waiting.commands.push_back(command);
    }

    /// Does what the user has asked for, or puts it off until the flock is here; false when the window shall
    /// close.
    pub(super) fn obey(&mut self, command: Command) -> Result<bool, WindowError> {
        self.put_off(command);
        if self.waiting.commands.len() > 1 {
            return Ok(true);
        }
        self.go_on()
    }

    /// Does the commands that wait, as far as the flock is here; false when the window shall close.
    pub(super) fn go_on(&mut self) -> Result<bool, WindowError> {
        while let Some(command) = self.waiting.commands.pop_front() {
            match self.carry_out(command.clone()) {
                Err(WindowError::Engine(EngineError::NotYet)) => {
                    let since = *self.waiting.since.get_or_insert_with(Instant::now);
                    if since.elapsed() < MAX_WAIT {
                        self.waiting.commands.push_front(command);
                        return Ok(true);
                    }
                    self.notify("the GPU has not answered: nothing has changed");
                }
                Ok(true) => {}
                done => return done,
            }
            self.waiting.since = None;
        }
        Ok(true)
    }
}
