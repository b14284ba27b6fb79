//! Keys and the actions that they ask for.

use winit::event::{ElementState, KeyEvent};
use winit::keyboard::{Key, ModifiersState, NamedKey};

/// The action of a key; [`list_of_keys`] says what each does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the card has their words")]
pub enum Action {
    Pause,
    Step,
    StepBack,
    Back,
    Forward,
    ToEnd,
    Slower,
    Faster,
    Timeline,
    Jump,
    Reset,
    Undo,
    Redo,
    SwitchEngine,
    FullScreen,
    Sliders,
    Metrics,
    /// Save the metrics to a file.
    SaveMetrics,
    /// Cycle the overlay: full, hidden, one line.
    Overlay,
    WholeWorld,
    /// Write the present view into the scene.
    WriteView,
    /// Make it a camera key of the scene at the present tick.
    WriteKey,
    /// Show the geometry of one agent, of many, or of none.
    Geometry,
    /// Follow the agent that is chosen, or no longer.
    Follow,
    /// Ride behind it in space, or no longer.
    Ride,
    DrawPath,
    PaintWalls,
    /// Inspect no agent any more.
    LetGo,
    /// Choose the species to drop, counted from 0.
    Species(usize),
    Scenes,
    PreviousScene,
    NextScene,
    New,
    Save,
    SaveSession,
    CopyText,
    CopyLine,
    Paste,
    Picture,
    Film,
    /// Start a film that drops no frame, or end one.
    FilmExact,
    Keys,
    /// Close what is open over the flock.
    Close,
    /// Open the session with edits that an earlier window has kept.
    OpenKept,
    Quit,
}

impl Action {
    /// The action of a key press.
    pub fn of(event: &KeyEvent, held: ModifiersState) -> Option<Self> {
        if event.state != ElementState::Pressed {
            return None;
        }
        let action = match held.control_key() || held.super_key() {
            true => Self::of_command(&event.logical_key, held.shift_key())?,
            false => Self::of_key(&event.logical_key)?,
        };
        let action = match action {
            Self::Film if held.shift_key() => Self::FilmExact,
            action => action,
        };
        // Holding a key repeats a step or an undo but does not toggle anything.
        let repeats = matches!(
            action,
            Self::Step
                | Self::StepBack
                | Self::Back
                | Self::Forward
                | Self::Slower
                | Self::Faster
                | Self::Undo
                | Self::Redo
        );
        (!event.repeat || repeats).then_some(action)
    }

    /// The action of a button of a page: `pause`, `scenes`, `values`, `time` or `metrics`.
    #[must_use]
    pub fn of_button(name: &str) -> Option<Self> {
        Some(match name {
            "pause" => Self::Pause,
            "scenes" => Self::Scenes,
            "values" => Self::Sliders,
            "time" => Self::Timeline,
            "metrics" => Self::Metrics,
            _ => return None,
        })
    }

    /// True if the key works in a text field, too.
    pub fn works_while_typing(self) -> bool {
        matches!(
            self,
            Self::PreviousScene
                | Self::NextScene
                | Self::New
                | Self::Save
                | Self::SaveSession
                | Self::Picture
                | Self::SaveMetrics
                | Self::Film
                | Self::FilmExact
                | Self::Keys
                | Self::FullScreen
                | Self::Quit
        )
    }

    /// True for what an arrow key asks for, unless something in a panel has the keyboard.
    pub fn is_arrow(self) -> bool {
        matches!(self, Self::Back | Self::Forward)
    }

    /// The action of a key that is pressed with Ctrl (or Command).
    fn of_command(key: &Key, shift: bool) -> Option<Self> {
        let Key::Character(text) = key else { return None };
        match text.to_lowercase().as_str() {
            "z" if shift => Some(Self::Redo),
            "z" => Some(Self::Undo),
            "y" => Some(Self::Redo),
            "o" if shift => Some(Self::OpenKept),
            "o" => Some(Self::Scenes),
            "q" => Some(Self::Quit),
            "m" => Some(Self::SaveMetrics),
            "n" => Some(Self::New),
            "s" if shift => Some(Self::SaveSession),
            "s" => Some(Self::Save),
            "c" if shift => Some(Self::CopyLine),
            "c" => Some(Self::CopyText),
            "v" => Some(Self::Paste),
            _ => None,
        }
    }

    fn of_key(key: &Key) -> Option<Self> {
        match key {
            Key::Named(NamedKey::Space) => Some(Self::Pause),
            Key::Named(NamedKey::Escape) => Some(Self::Close),
            Key::Named(NamedKey::Tab) => Some(Self::Sliders),
            Key::Named(NamedKey::F1) => Some(Self::Keys),
            Key::Named(NamedKey::F9) => Some(Self::Film),
            Key::Named(NamedKey::F12) => Some(Self::Picture),
            Key::Named(NamedKey::F11) => Some(Self::FullScreen),
            Key::Named(NamedKey::Home) => Some(Self::WholeWorld),
            Key::Named(NamedKey::ArrowLeft) => Some(Self::Back),
            Key::Named(NamedKey::ArrowRight) => Some(Self::Forward),
            Key::Named(NamedKey::End) => Some(Self::ToEnd),
            Key::Named(NamedKey::PageUp) => Some(Self::PreviousScene),
            Key::Named(NamedKey::PageDown) => Some(Self::NextScene),
            Key::Character(text) => match text.as_str() {
                "." => Some(Self::Step),
                "," => Some(Self::StepBack),
                "-" => Some(Self::Slower),
                "+" | "=" => Some(Self::Faster),
                "t" | "T" => Some(Self::Timeline),
                "j" | "J" => Some(Self::Jump),
                "r" | "R" => Some(Self::Reset),
                "e" | "E" => Some(Self::SwitchEngine),
                "h" | "H" => Some(Self::Overlay),
                "g" | "G" => Some(Self::Geometry),
                "o" | "O" => Some(Self::Scenes),
                "v" | "V" => Some(Self::WriteView),
                "k" | "K" => Some(Self::WriteKey),
                "m" | "M" => Some(Self::Metrics),
                "f" | "F" => Some(Self::Follow),
                "b" | "B" => Some(Self::Ride),
                "p" | "P" => Some(Self::DrawPath),
                "w" | "W" => Some(Self::PaintWalls),
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
pub fn drops(key: &Key) -> bool {
    matches!(key, Key::Character(text) if text.eq_ignore_ascii_case("d"))
}

/// Every key and what it does, in groups: the card that F1 shows. A page has no folder, pastes nothing and ends with
/// the browser.
pub const CARD: [(&str, &[(&str, &str)]); 5] = [
    (
        "Time",
        &[
            ("Space", "pause, go on"),
            (". ,", "one tick forward, back"),
            ("Left, Right", "one second back, forward"),
            ("End", "the last tick"),
            ("J", "go to a tick"),
            ("- +", "slower, faster"),
            ("T", "timeline"),
            ("R", "back to the start"),
            ("E", "GPU or CPU engine"),
        ],
    ),
    (
        "Scenes",
        &[
            ("O", "scene menu"),
            ("PageUp, PageDown", "previous, next scene"),
            ("Ctrl+N", "new scene"),
            ("Ctrl+S", "save the scene to a file"),
            ("Ctrl+Shift+S", "save the session to a file"),
            #[cfg(not(target_family = "wasm"))]
            ("Ctrl+Shift+O", "open the edits kept last"),
            #[cfg(not(target_family = "wasm"))]
            ("Ctrl+C, Ctrl+V", "copy, paste the scene as text"),
            #[cfg(not(target_family = "wasm"))]
            ("Ctrl+Shift+C", "copy a command to share"),
            #[cfg(target_family = "wasm")]
            ("Ctrl+C", "copy the scene as text"),
            #[cfg(target_family = "wasm")]
            ("Ctrl+Shift+C", "copy a link to share"),
        ],
    ),
    (
        "Edits",
        &[
            ("Tab", "parameters"),
            ("Down", "go into them"),
            ("left button", "what the scene says"),
            ("D or Shift + drag", "add agents"),
            ("1 to 9", "their species"),
            ("P", "draw a path"),
            ("W", "paint walls"),
            ("Ctrl+Z", "undo"),
            ("Ctrl+Shift+Z, Ctrl+Y", "redo"),
        ],
    ),
    (
        "View",
        &[
            ("right drag", "pan; in space go round"),
            ("middle, Shift+right", "pan in space"),
            ("wheel", "zoom; in space go nearer"),
            ("Home", "the whole world"),
            ("V", "write this view into the scene"),
            ("K", "only for this tick: a camera key"),
            ("G", "geometry of one, many, none"),
            ("Ctrl+click", "inspect an agent"),
            ("F", "follow it"),
            ("B", "ride behind it in space"),
            ("M", "metrics over time"),
            ("Ctrl+M", "save them as CSV"),
            ("H", "more lines, none, one line"),
            ("F11", "full screen"),
            ("Ctrl and + - 0", "larger, smaller, usual panels"),
            ("F1", "this card"),
        ],
    ),
    (
        "Pictures, films, the end",
        &[
            ("F12", "save a picture"),
            ("F9", "start, end a film"),
            #[cfg(not(target_family = "wasm"))]
            ("Shift+F9", "a film of every frame"),
            #[cfg(not(target_family = "wasm"))]
            ("Esc, Ctrl+Q", "close what is open, quit"),
            #[cfg(target_family = "wasm")]
            ("Esc", "close what is open"),
        ],
    ),
];

/// The same as text for a terminal.
pub fn list_of_keys() -> String {
    let keys = CARD.iter().flat_map(|(_, keys)| *keys);
    keys.map(|(key, does)| format!("  {key:<22}{does}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_card_says() {
        let character = |text: &str| Key::Character(text.into());
        let action = |text: &str| Action::of_key(&character(text));
        assert_eq!(Action::of_key(&Key::Named(NamedKey::Space)), Some(Action::Pause));
        assert_eq!(Action::of_key(&Key::Named(NamedKey::PageDown)), Some(Action::NextScene));
        assert_eq!(action("E"), Some(Action::SwitchEngine));
        assert_eq!([action("g"), action("k")], [Action::Geometry, Action::WriteKey].map(Some));
        assert_eq!([action("1"), action("9")], [0, 8].map(|i| Some(Action::Species(i))));
        assert_eq!([action(","), action("=")], [Action::StepBack, Action::Faster].map(Some));
        for nothing in ["0", "10", "x", "d", ""] {
            assert_eq!(action(nothing), None, "{nothing:?}");
        }
        let command = |text, shift| Action::of_command(&character(text), shift);
        assert_eq!(command("z", false), Some(Action::Undo));
        assert_eq!(command("Z", true), Some(Action::Redo));
        assert_eq!([command("y", false), command("r", false)], [Some(Action::Redo), None]);
        assert_eq!(
            [command("c", false), command("C", true)],
            [Action::CopyText, Action::CopyLine].map(Some)
        );
        assert_eq!(command("S", true), Some(Action::SaveSession));
        assert_eq!(command("q", false), Some(Action::Quit));
        assert_eq!(command("O", true), Some(Action::OpenKept));
        assert!(drops(&character("d")) && drops(&character("D")) && !drops(&character("g")));
    }

    #[test]
    fn a_digit_that_is_typed_chooses_no_species() {
        assert!(Action::NextScene.works_while_typing() && Action::Save.works_while_typing());
        assert!(!Action::Species(1).works_while_typing() && !Action::Pause.works_while_typing());
        assert!(!Action::CopyText.works_while_typing(), "it copies what is marked in the field");
    }
}
