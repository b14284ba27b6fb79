//! The window opens scenes, and saves them as they are edited.

use std::time::Duration;

use super::{Hand, OpenWindow};
use crate::controls::{Begun, Controls};
use crate::metrics::csv;
use crate::overlay::agents_in_words;
use crate::{WindowError, WindowHost};
use flockwork_engine::EngineError;
use flockwork_model::quote::cut;
use flockwork_model::scene::{Request, Scene, built_in, edit_toml};
use flockwork_session::{EditError, Opening, Recording, Source, Unsaved};
use web_time::Instant;

/// A scene to begin with.
pub(super) const NEW: &str = r#"about = "A new scene"

[world]
size = [640, 360]
boundary = "wrap"
density = 10

[species.agent]
count = 300

[species.agent.wander]

[species.agent.separation]
"#;

/// A flock of as many agents takes a second or more to start.
const SLOW_START: u64 = 1_000_000;

/// How long a notice takes to be seen.
const FADING_IN: Duration = Duration::from_millis(300);

/// The name of a new scene, and of one that was pasted.
pub(super) const NEW_NAME: &str = "new";
const PASTED: &str = "pasted";

impl OpenWindow<'_> {
    /// Opens a built-in scene by name, or a file by its path.
    pub(super) fn open(&mut self, argument: &str) -> Result<(), WindowError> {
        let source = self.options.host.read(argument);
        if let Ok(Source { text, .. }) = &source
            && Recording::is_meant_by(text)
        {
            return self.open_session(&cut(argument), text);
        }
        let opening =
            source.and_then(|source| self.options.host.make(source, self.session.engine()));
        self.begin(opening).map(|_| ())
    }

    /// Replays a saved session. If it cannot be replayed, a notice says so, and the flock goes on.
    fn open_session(&mut self, name: &str, text: &str) -> Result<(), WindowError> {
        let read = Recording::read(text).map_err(String::from).and_then(|recording| {
            let opening =
                self.options.host.make(recording.source.clone(), self.session.engine())?;
            let events = recording.events(&opening.scene)?;
            Ok((opening, events, recording.ticks))
        });
        match read {
            Ok((opening, events, ticks)) => {
                if self.begin(Ok(opening))? {
                    self.session.replay(events, ticks)?;
                }
            }
            Err(problem) => self.notify(format!("{name}: {problem}")),
        }
        Ok(())
    }

    /// Shows another flock. If it cannot be started, a notice says so, the flock goes on, and this returns
    /// false.
    fn begin(&mut self, opening: Result<Opening, String>) -> Result<bool, WindowError> {
        let opened = opening.map_err(EditError::from).and_then(|own| self.session.open(own));
        if opened.is_err() {
            // The scene before may have been opened again, which clears what notices say.
            self.follow_scene();
        }
        self.refuse(opened)
    }

    /// Opens the built-in scene that is `by` after this one.
    pub(super) fn step_scene(&mut self, by: isize) -> Result<(), WindowError> {
        let names: Vec<&str> = built_in().map(|scene| scene.name).collect();
        let current = names.iter().position(|name| *name == self.session.scene().name);
        let last = names.len() as isize - 1;
        // From a file it goes to the first one, or to the last.
        let from = current.map_or(if by > 0 { last } else { 0 }, |index| index as isize);
        let next = (from + by).rem_euclid(names.len().max(1) as isize);
        match names.get(next as usize) {
            Some(name) => self.open(name),
            None => Ok(()),
        }
    }

    /// Opens a scene that has no file.
    pub(super) fn start_text(&mut self, name: &str, text: String) -> Result<(), WindowError> {
        if Recording::is_meant_by(&text) {
            return self.open_session(name, &text);
        }
        let source = Source { text, ..Source::default() };
        let mut opening = self.options.host.make(source, self.session.engine());
        match &mut opening {
            Ok(opening) => opening.scene.name = name.into(),
            // A text without a source was pasted, as far as the host knows.
            Err(problem) => {
                if let Some(rest) = problem.strip_prefix(PASTED) {
                    *problem = format!("{}{rest}", cut(name));
                }
            }
        }
        self.begin(opening).map(|_| ())
    }

    /// Starts the scene again as it is edited, with another count, density or seed.
    pub(super) fn restart(&mut self, request: Request) -> Result<(), WindowError> {
        let count = request.count.unwrap_or_else(|| self.session.start_count());
        if count >= SLOW_START {
            let frames = self.progress.frames;
            let (since, first) =
                *self.notices.starting.get_or_insert_with(|| (Instant::now(), frames));
            // The window shows the notice, which fades in, and then nothing until the flock is there.
            if frames < first + 3 || since.elapsed() < FADING_IN {
                self.notify(format!("starting {}", agents_in_words(count)));
                return Err(EngineError::NotYet.into());
            }
            self.notices.starting = None;
        }
        let (scene, own) = (self.session.scene(), self.session.source());
        let edited = match edit_toml(&own.text, scene) {
            Ok(text) => text,
            Err(_) => scene.to_toml(),
        };
        let (name, own) = (scene.name.clone(), own.clone());
        let edited = Source { text: edited, overrides: Vec::new(), request, ..own.clone() };
        let mut opening = self.options.host.make(edited, self.session.engine());
        if let Ok(opening) = &mut opening {
            opening.source = Source { request, ..own };
            opening.scene.name = name;
        }
        // The fields must not go on showing what was refused.
        self.panels.controls = Controls::default();
        let saved = self.session.is_saved();
        if self.begin(opening)? {
            self.session.set_restarted(saved);
        }
        Ok(())
    }

    /// Fits the panels and the title to the scene that is shown.
    pub(super) fn follow_scene(&mut self) {
        let scene = self.session.scene();
        let title = title(&scene.name, &agents_in_words(self.session.agents() as u64));
        if title != self.notices.title {
            self.window.set_title(&title);
            self.notices.title = title;
        }
        // The species to drop may have been removed.
        self.hand.dropping = self.hand.dropping.min(scene.species.len().saturating_sub(1));
        let opened = Some(self.session.opened());
        let before = std::mem::replace(&mut self.panels.opened, opened);
        if before == opened {
            return;
        }
        if before.is_some() {
            (self.notices.shown, self.notices.introduced) = (None, Some(Instant::now()));
        }
        self.panels.controls = Controls::default();
        let Source { text, overrides, request, .. } = self.session.source();
        let read = Scene::parse_with(&scene.name, text, overrides);
        let seed = read.map_or(scene.seed, |read| read.seed);
        self.panels.begun = Begun { count: request.count, seed: request.seed.unwrap_or(seed) };
        let Hand { gesture_ended, modifiers, .. } = self.hand;
        let hand = Hand::new(scene, self.display.screen.size());
        self.hand = Hand { gesture_ended, modifiers, ..hand };
        self.display.trails = None;
        self.panels.inspector.forget();
        self.panels.metrics.forget();
    }

    /// Saves the scene to a new file.
    pub(super) fn save_scene(&mut self) {
        let (stem, text) = (stem(&self.session.scene().name), self.session.file());
        let saved = self.options.host.save(&stem, "toml", text.as_bytes());
        if saved.is_ok() {
            self.session.set_saved(true);
        }
        self.tell_saved(saved);
    }

    /// Saves all metrics to a new file.
    pub(super) fn save_metrics(&mut self) {
        let rows = self.session.series().rows();
        if rows.is_empty() {
            return self.notify("there are no metrics yet: let the flock go on");
        }
        let name =
            format!("{}-tick{}-metrics", stem(&self.session.scene().name), self.session.tick());
        let saved = self.options.host.save(&name, "csv", csv(rows).as_bytes()).and_then(|saved| {
            self.options.host.save_record(&saved, &self.record()).map(|()| saved)
        });
        self.tell_saved(saved);
    }

    /// Saves the session, from its start to its last tick, to a new file.
    pub(super) fn save_session(&mut self) {
        let name = format!("{}-session", stem(&self.session.scene().name));
        let text = self.session.recording().map_err(String::from);
        let saved = text.and_then(|text| self.options.host.save(&name, "toml", text.as_bytes()));
        if saved.is_ok() {
            self.session.set_saved(true);
        }
        self.notify(match saved {
            Ok(name) if cfg!(target_family = "wasm") => format!("saved: {name}; drop it on a page"),
            Ok(name) => format!("saved: {name}; flockwork run --replay {name}"),
            Err(problem) => problem,
        });
    }

    /// Keeps edits that are not saved, before the window closes.
    pub fn keep_unsaved(&self) {
        keep(&self.session.unsaved(), self.options.host, self.options.tell);
    }

    /// Tells the user of edits that an earlier window has kept.
    pub(super) fn offer_kept(&mut self) {
        if let Some(path) = &self.notices.kept {
            let key = "Ctrl+Shift+O opens them";
            (self.options.tell)(&format!("edits that were not saved are kept in {path}; {key}"));
            self.notify(format!("the last window kept edits that were not saved; {key}"));
        }
    }

    /// Opens the session that an earlier window has kept. Its file stays.
    pub(super) fn open_kept(&mut self) -> Result<(), WindowError> {
        let Some(path) = self.notices.kept.clone() else {
            self.notify("there are no kept edits to open");
            return Ok(());
        };
        self.open(&path)
    }

    /// Copies the text of the scene.
    pub(super) fn copy_text(&mut self) {
        let copied = self.display.interface.copy(self.session.file());
        let done = "copied: the scene as text; Ctrl+V in another window opens it";
        self.notify(copied.err().unwrap_or_else(|| done.into()));
    }

    /// Copies a link or a command line that shows the scene on any machine; without one, the text of the
    /// scene.
    pub(super) fn copy_line(&mut self) {
        let link = self.options.host.link(&self.session.shared(), self.session.engine().kind());
        let (text, done) = match (link, self.session.command_line()) {
            (Some(link), _) => (link, "copied: a link to this scene"),
            (None, Ok(line)) => {
                (line, "copied: a command that shows this scene; run it in a terminal")
            }
            (None, Err(_)) => (
                self.session.file(),
                "copied: the scene as text, because no short command shows it",
            ),
        };
        let copied = self.display.interface.copy(text);
        self.notify(copied.err().unwrap_or_else(|| done.into()));
    }

    /// Opens the scene whose text was copied.
    pub(super) fn paste_scene(&mut self) -> Result<(), WindowError> {
        match self.display.interface.paste() {
            Ok(text) => self.start_text(PASTED, text),
            Err(problem) => {
                self.notify(problem);
                Ok(())
            }
        }
    }
}

/// Keeps edits that are not saved, and tells the user where. The next window offers the last.
pub(super) fn keep(unsaved: &[Unsaved], host: &dyn WindowHost, tell: &dyn Fn(&str)) {
    for (index, Unsaved { name, text, is_session }) in unsaved.iter().enumerate() {
        // A flock that began with a state file has no session.
        let (kept, it, lost) = match is_session {
            true => ("they are kept", "them", ""),
            false => (
                "the scene with them is kept",
                "it",
                "; the state and agents that were added are lost",
            ),
        };
        let is_last = index + 1 == unsaved.len();
        let offered =
            if is_last { format!(", and the next window offers {it}") } else { String::new() };
        match host.keep(&stem(name), text) {
            Ok(None) => {}
            Ok(Some(path)) => {
                tell(&format!("the edits were not saved; {kept} in {path}{offered}{lost}"));
            }
            Err(problem) => tell(&format!("the edits are lost: {problem}")),
        }
    }
}

/// The window's title. Systems end a title at a NUL, or fail.
fn title(scene: &str, agents: &str) -> String {
    // Of a file its name is enough.
    let name = scene.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    format!("Flockwork — {name} · {agents}")
}

/// The beginning of the name of a file for a scene of this name, without the moment at which its own
/// file was saved.
pub(super) fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let file = file.strip_suffix(".toml").unwrap_or(file);
    let letter = |c: char| if c.is_alphanumeric() || "_.-".contains(c) { c } else { '-' };
    let mut parts: Vec<String> =
        file.split('-').map(|part| part.chars().map(letter).collect()).collect();
    let digits = |part: &String, count| part.len() == count && part.parse::<u32>().is_ok();
    while let [_, .., day, moment] = &parts[..]
        && digits(day, 8)
        && digits(moment, 6)
    {
        parts.truncate(parts.len() - 2);
    }
    let stem = parts.join("-");
    if stem.is_empty() { "scene".into() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_scene_is_saved_again_under_the_name_of_the_scene() {
        let stems = ["flock", "path-loop", "a/b c.toml", "flock-20261122-213015.toml", "x-2026-1"]
            .map(stem);
        assert_eq!(stems, ["flock", "path-loop", "b-c", "flock", "x-2026-1"]);
        assert_eq!([stem(""), stem("flock-20261122-213015-20261122-214000")], ["scene", "flock"]);
    }

    #[test]
    fn a_title_has_no_control_characters() {
        let shown = title("a/b\0c\u{1b}[31m\n.toml", "1 agent");
        assert_eq!(shown, "Flockwork — bc[31m.toml · 1 agent");
    }

    #[test]
    fn the_scene_to_begin_with_is_one() {
        let scene = Scene::parse(NEW_NAME, NEW).unwrap();
        assert_eq!(scene.populate(&Request::default()).unwrap().1.len(), 300);
    }
}
