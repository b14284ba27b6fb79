//! Keys and the actions that they ask for.

use winit::event::{ElementState, KeyEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pause or resume.
    Pause,
    /// Run one tick.
    Step,
    /// Go back to the first state.
    Reset,
    /// Undo the last edit.
    Undo,
    /// Redo the edit that was undone last.
    Redo,
    /// Switch to the other engine.
    SwitchEngine,
    /// Full screen, or a window again.
    FullScreen,
    /// Show or hide the sliders.
    Sliders,
    /// Cycle the overlay: full, hidden, one line.
    Overlay,
    /// Show the whole world again.
    WholeWorld,
    /// Show the geometry of one agent, of all, or of none.
    Geometry,
    /// Choose the species to drop, counted from 0.
    Species(usize),
    /// Close the window.
    Quit,
}

impl Action {
    /// The action of a key press.
    #[must_use]
    pub fn of(event: &KeyEvent, held: ModifiersState) -> Option<Self> {
        if event.state != ElementState::Pressed {
            return None;
        }
        let action = match held.control_key() || held.super_key() {
            true => Self::of_command(&event.logical_key, held.shift_key())?,
            false => Self::of_key(&event.logical_key)?,
        };
        // Holding a key repeats a step or an undo but does not toggle anything.
        let repeats = matches!(action, Self::Step | Self::Undo | Self::Redo);
        (!event.repeat || repeats).then_some(action)
    }

    /// The action of a key that is pressed with Ctrl (or Command).
    fn of_command(key: &Key, shift: bool) -> Option<Self> {
        let Key::Character(text) = key else { return None };
        match text.to_lowercase().as_str() {
            "z" if shift => Some(Self::Redo),
            "z" => Some(Self::Undo),
            "y" => Some(Self::Redo),
            _ => None,
        }
    }

    fn of_key(key: &Key) -> Option<Self> {
        match key {
            Key::Named(NamedKey::Space) => Some(Self::Pause),
            Key::Named(NamedKey::Escape) => Some(Self::Quit),
            Key::Named(NamedKey::Tab) => Some(Self::Sliders),
            Key::Named(NamedKey::F11) => Some(Self::FullScreen),
            Key::Named(NamedKey::Home) => Some(Self::WholeWorld),
            Key::Character(text) => match text.as_str() {
                "." => Some(Self::Step),
                "r" | "R" => Some(Self::Reset),
                "e" | "E" => Some(Self::SwitchEngine),
                "h" | "H" => Some(Self::Overlay),
                "g" | "G" => Some(Self::Geometry),
                digit => {
                    let number = digit.parse::<usize>().ok().filter(|_| digit.len() == 1);
                    number.and_then(|number| number.checked_sub(1)).map(Self::Species)
                }
            },
            _ => None,
        }
    }
}

/// True for the letter key that makes the left button drop agents.
#[must_use]
pub fn drops(key: &Key) -> bool {
    matches!(key, Key::Character(text) if text.eq_ignore_ascii_case("d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_help_says() {
        let character = |text: &str| Key::Character(text.into());
        let action = |text: &str| Action::of_key(&character(text));
        assert_eq!(Action::of_key(&Key::Named(NamedKey::Space)), Some(Action::Pause));
        assert_eq!(action("E"), Some(Action::SwitchEngine));
        assert_eq!(action("g"), Some(Action::Geometry));
        assert_eq!([action("1"), action("9")], [0, 8].map(|i| Some(Action::Species(i))));
        for nothing in ["0", "10", "x", "d", ""] {
            assert_eq!(action(nothing), None, "{nothing:?}");
        }
        let command = |text, shift| Action::of_command(&character(text), shift);
        assert_eq!(
            [command("z", false), command("Z", true)],
            [Action::Undo, Action::Redo].map(Some)
        );
        assert_eq!([command("y", false), command("r", false)], [Some(Action::Redo), None]);
        assert!(drops(&character("d")) && drops(&character("D")) && !drops(&character("g")));
    }
}
