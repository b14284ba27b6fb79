//! Keys and the actions that they ask for.

use winit::event::{ElementState, KeyEvent};
use winit::keyboard::{Key, NamedKey};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pause or resume.
    Pause,
    /// Run one tick.
    Step,
    /// Go back to the first state.
    Reset,
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
    pub fn of(event: &KeyEvent) -> Option<Self> {
        if event.state != ElementState::Pressed {
            return None;
        }
        let action = Self::of_key(&event.logical_key)?;
        // Holding a key repeats a step but does not toggle anything.
        (!event.repeat || action == Self::Step).then_some(action)
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
        assert!(drops(&character("d")) && drops(&character("D")) && !drops(&character("g")));
    }
}
