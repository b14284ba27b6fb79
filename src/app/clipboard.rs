//! The system's clipboard, opened when it is first used.

use arboard::Clipboard as System;

/// The clipboard.
#[derive(Default)]
pub struct Clipboard {
    /// Kept open: on X11 the program itself hands out what it has copied.
    system: Option<System>,
}

impl Clipboard {
    fn system(&mut self) -> Result<&mut System, String> {
        let system = match self.system.take() {
            Some(system) => system,
            None => System::new().map_err(|error| format!("no clipboard: {error}"))?,
        };
        Ok(self.system.insert(system))
    }

    /// Puts a text on it.
    pub fn copy(&mut self, text: String) -> Result<(), String> {
        let copied = self.system()?.set_text(text);
        copied.map_err(|error| format!("nothing was copied: {error}"))
    }

    /// The text on it.
    pub fn paste(&mut self) -> Result<String, String> {
        let pasted = self.system()?.get_text();
        pasted.map_err(|error| format!("nothing was pasted: {error}"))
    }
}
