//! The scene menu: every built-in scene with its sentence, and a field for a name or a path.

use egui::text::LayoutJob;
use egui::{Align2, Color32, FontId, Key, Modifiers, TextFormat};

use super::command::Command;
use super::keys::Action;
use super::scene_pictures::{SHOWN, ScenePictures};
use flockwork_model::scene::{Scene, built_in};

/// Width of the list; points.
const WIDTH: f32 = 400.0;

/// Frames in which a row must be wholly in view: an opened list takes some frames to reach its size.
const FRAMES: u8 = 4;

/// A scene of the list.
#[derive(Clone, Debug)]
struct Row {
    name: &'static str,
    about: String,
}

/// The menu.
#[derive(Default)]
pub struct SceneMenu {
    pub shown: bool,
    typed: String,
    /// The row that Enter opens.
    chosen: usize,
    /// True until the field has the keyboard.
    fresh: bool,
    /// Frames left in which the list scrolls to the chosen row.
    scrolls: u8,
    /// Read when the menu is first shown.
    rows: Vec<Row>,
    pictures: ScenePictures,
}

impl SceneMenu {
    /// Opens or closes it. `current` is the scene that is shown.
    pub fn toggle(&mut self, current: &str) {
        self.shown = !self.shown;
        (self.fresh, self.scrolls) = (true, FRAMES);
        self.typed.clear();
        if self.rows.is_empty() {
            self.rows = rows();
        }
        self.chosen = self.rows.iter().position(|row| row.name == current).unwrap_or(0);
    }

    /// The rows that have all the words that were typed.
    fn found(&self) -> Vec<&Row> {
        let typed = self.typed.to_lowercase();
        let has = |row: &&Row| {
            let about = row.about.to_lowercase();
            typed.split_whitespace().all(|word| row.name.contains(word) || about.contains(word))
        };
        let mut found: Vec<_> = self.rows.iter().filter(has).collect();
        found.sort_by_key(|row| row.name != typed.trim());
        found
    }

    /// The scene that Enter opens: a name or a path.
    fn choice(&self) -> Option<String> {
        let typed = self.typed.trim();
        let found = self.found().get(self.chosen).map(|row| row.name.to_string());
        found.or_else(|| (!typed.is_empty()).then(|| typed.into()))
    }

    /// Shows the menu if it is open. Returns what the user asks for.
    pub fn show(&mut self, context: &egui::Context, current: &str) -> Option<Command> {
        if !self.shown {
            return None;
        }
        let mut command = None;
        self.pictures.update(context);
        let most = context.content_rect().size();
        let width = WIDTH.min(most.x - 40.0);
        let window = egui::Window::new("Scenes")
            .anchor(Align2::LEFT_TOP, [8.0, 44.0])
            .resizable(false)
            .default_width(width);
        let mut open = true;
        window.open(&mut open).show(context, |ui| {
            let moved = self.keys(ui);
            let field = egui::TextEdit::singleline(&mut self.typed)
                .hint_text(FIELD)
                .desired_width(f32::INFINITY);
            let field = ui.add(field);
            if std::mem::take(&mut self.fresh) {
                field.request_focus();
            }
            if field.changed() {
                self.chosen = 0;
            }
            if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                command = self.choice().map(Command::Open);
            }
            if moved || field.changed() {
                self.scrolls = FRAMES;
            }
            let list = egui::ScrollArea::vertical().max_height((most.y - 210.0).max(80.0));
            list.show(ui, |ui| {
                let found: Vec<Row> = self.found().into_iter().cloned().collect();
                if found.is_empty() {
                    ui.label(NOT_FOUND);
                }
                for (index, row) in found.into_iter().enumerate() {
                    let chosen = index == self.chosen;
                    let picture = self.pictures.of(context, row.name);
                    let words = row.words(row.name == current, width);
                    // As wide as the list, however short the sentence is.
                    let button = egui::Button::selectable(chosen, (picture, words))
                        .right_text("")
                        .min_size(egui::vec2(ui.available_width(), 0.0));
                    let label = ui.add(button);
                    if chosen && self.scrolls > 0 {
                        let (seen, row) = (ui.clip_rect().y_range(), label.rect.y_range());
                        if seen.contains(row.min) && seen.contains(row.max) {
                            self.scrolls -= 1;
                        }
                        label.scroll_to_me(None);
                        context.request_repaint();
                    }
                    if label.clicked() {
                        command = Some(Command::Open(row.name.into()));
                    }
                }
            });
            ui.separator();
            ui.horizontal_wrapped(|ui| {
                for (text, hint, action) in BUTTONS {
                    if ui.button(*text).on_hover_text(*hint).clicked() {
                        command = Some(Command::Act(*action));
                    }
                }
            });
        });
        let escaped = context.input(|input| input.key_pressed(Key::Escape));
        if !open || escaped || command.is_some() {
            self.shown = false;
        }
        command
    }

    /// Moves the choice with the arrow keys; true when it has moved.
    fn keys(&mut self, ui: &egui::Ui) -> bool {
        let pressed =
            |key: Key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let (up, down) = (pressed(Key::ArrowUp), pressed(Key::ArrowDown));
        let last = self.found().len().saturating_sub(1);
        self.chosen = (self.chosen + down).saturating_sub(up).min(last);
        up + down > 0
    }
}

/// True in a page: files are downloads there and open where they are dropped, and nothing can be pasted.
const IN_PAGE: bool = cfg!(target_family = "wasm");

/// The hint in the empty field.
const FIELD: &str = match IN_PAGE {
    true => "a name or a word; files open where they are dropped",
    false => "a name, a word, or the path of a file",
};
const NOT_FOUND: &str = match IN_PAGE {
    true => "no built-in scene; files open where they are dropped",
    false => "no built-in scene; Enter opens a file of this path",
};

/// The buttons below the list.
const BUTTONS: &[(&str, &str, Action)] = &[
    ("New", "Ctrl+N: a scene to begin with", Action::New),
    (
        "Save",
        if IN_PAGE { "Ctrl+S: a download" } else { "Ctrl+S: to a new file in the current folder" },
        Action::Save,
    ),
    ("Save session", "Ctrl+Shift+S: the scene and all edits at their ticks", Action::SaveSession),
    ("Copy text", "Ctrl+C: the scene's file; paste it into another window", Action::CopyText),
    #[cfg(target_family = "wasm")]
    ("Copy link", "Ctrl+Shift+C: a link that shows this flock", Action::CopyLine),
    #[cfg(not(target_family = "wasm"))]
    ("Copy command", "Ctrl+Shift+C: a command line that shows this scene", Action::CopyLine),
    #[cfg(not(target_family = "wasm"))]
    ("Paste", "Ctrl+V: open the scene whose text was copied", Action::Paste),
];

impl Row {
    /// Its name, and its sentence below.
    fn words(&self, current: bool, width: f32) -> LayoutJob {
        let mut job = LayoutJob::default();
        let format = |size: f32, grey: u8| TextFormat {
            font_id: FontId::proportional(size),
            color: Color32::from_gray(grey),
            ..TextFormat::default()
        };
        let shown = if current { " · shown" } else { "" };
        job.append(&format!("{}{shown}\n", self.name), 0.0, format(13.5, 235));
        job.append(&self.about, 0.0, format(11.0, 165));
        job.wrap.max_width = width - SHOWN.x - 44.0;
        job
    }
}

fn rows() -> Vec<Row> {
    let about = |name, text| Scene::parse(name, text).map_or(String::new(), |s| s.about);
    built_in().map(|scene| Row { name: scene.name, about: about(scene.name, scene.text) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_window::TestWindow;

    #[test]
    fn enter_opens_what_was_typed_or_chosen() {
        let mut menu = SceneMenu::default();
        menu.toggle("walls");
        assert!(menu.shown && menu.rows.iter().all(|row| row.about.len() > 10));
        assert_eq!(menu.choice().as_deref(), Some("walls"));
        let mut choice = |typed: &str, chosen| {
            (menu.typed, menu.chosen) = (typed.into(), chosen);
            menu.choice()
        };
        assert_eq!(choice("flock", 0).as_deref(), Some("flock"), "a whole name is that scene");
        assert_eq!(choice("birds feather", 0).as_deref(), Some("flock"), "words of the sentence");
        assert_eq!(choice("mine/a b.toml", 0).as_deref(), Some("mine/a b.toml"));
        let second = choice("flock", 1);
        assert!(second.is_some_and(|name| name != "flock"), "the arrow key has moved");
        assert_eq!(choice("", 1000), None);
    }

    #[test]
    fn the_row_of_the_present_scene_is_wholly_in_view() {
        for (size, name) in [((1280.0, 720.0), "murmuration"), ((640.0, 480.0), "pursuit-gain")] {
            let mut menu = SceneMenu::default();
            menu.toggle(name);
            let mut window = TestWindow::new(size.0, size.1);
            let shown = window.frames(120, |ui| drop(menu.show(ui.ctx(), name)));
            let mut rows = shown.iter();
            let row = rows.find(|shown| shown.text.starts_with(&format!("{name} ·")));
            let seen = row.is_some_and(|row| row.whole);
            assert!(seen, "{name}");
        }
    }
}
