//! The panel in a small window, by keyboard.

use super::tests::{flock_panel, scenes};
use super::*;
use crate::test_window::{TestWindow, texts};
use egui::epaint::ClippedShape;
use flockwork_model::parameter::Parameters;
use flockwork_model::scene::Body;

/// A panel in a window of 640 × 480 points.
struct Small {
    window: TestWindow,
    controls: Controls,
}

impl Small {
    fn new() -> Self {
        Self { window: TestWindow::new(640.0, 480.0), controls: Controls::default() }
    }

    /// Lays out a frame. Returns its shapes.
    fn frame(&mut self, scenes: &(Scene, Scene)) -> Vec<ClippedShape> {
        let panel = FlockPanel { by_keyboard: true, ..flock_panel(scenes) };
        self.window.frame(|ui| self.controls.show(ui.ctx(), &panel, &mut Vec::new()))
    }

    /// The same after the key that goes to the next row.
    fn tab(&mut self, scenes: &(Scene, Scene)) -> Vec<ClippedShape> {
        self.window.key(egui::Key::Tab, egui::Modifiers::NONE);
        self.frame(scenes);
        self.frame(scenes)
    }
}

#[test]
fn no_name_is_below_the_scroll_bar() {
    let scenes = scenes("[species.a]\n");
    let mut small = Small::new();
    small.window.unfold(true);
    let shapes = (0..4).map(|_| small.frame(&scenes)).last().unwrap();
    let area = small.window.area(ID);
    // Tooltips are shown too.
    let table = <Body as Parameters<f32>>::TABLE;
    let mut names = texts(&shapes);
    names.retain(|shown| table.iter().any(|parameter| parameter.key == shown.text));
    // The window is too low for all of them.
    assert!(names.len() > 5, "{names:?}");
    // The frame has a margin of 6 points, and the bar is 6 points wide.
    for shown in names {
        assert!(shown.place.right() <= area.right() - 12.0, "{shown:?} {area}");
    }
}

/// The place of the frame round what has the keyboard.
fn marked(shapes: &[ClippedShape]) -> Option<egui::Rect> {
    let grey = egui::Color32::from_gray(200);
    shapes.iter().find_map(|shown| match &shown.shape {
        egui::Shape::Rect(frame) if frame.stroke.color == grey => {
            shown.clip_rect.contains_rect(frame.rect).then_some(frame.rect)
        }
        _ => None,
    })
}

#[test]
fn the_first_key_shows_where_the_keyboard_is() {
    let scenes = scenes("[species.a]\nseparation = {}\n");
    let mut small = Small::new();
    for _ in 0..3 {
        assert_eq!(marked(&small.frame(&scenes)), None);
    }
    let mut places = Vec::new();
    for _ in 0..3 {
        places.push(marked(&small.tab(&scenes)).unwrap());
    }
    assert!(places[0] != places[1] && places[1] != places[2], "{places:?}");
}

#[test]
fn the_keyboard_stays_near_a_button_that_goes_away() {
    let before = scenes("[species.a]\nseparation = {}\n");
    let mut changed = before.clone();
    changed.1.species[0].rules[0].values[0] = 7.0;
    let mut small = Small::new();
    let mut found = None;
    for _ in 0..40 {
        let shapes = small.tab(&changed);
        let all = texts(&shapes);
        found = all.iter().find(|shown| shown.text == "←").map(|shown| shown.place.center());
        if marked(&shapes).is_some_and(|frame| found.is_some_and(|place| frame.contains(place))) {
            break;
        }
        found = None;
    }
    let button = found.unwrap();
    for _ in 0..3 {
        small.frame(&before);
    }
    let place = marked(&small.frame(&before)).unwrap();
    assert!(place.y_range().contains(button.y), "{place} is not in the row of {button}");
    assert!(small.window.context.memory(|memory| memory.focused().is_some()));
}

#[test]
fn a_colour_is_typed_and_all_signs_of_its_picker_are_there() {
    let mut window = TestWindow::default();
    let mut colour = flockwork_model::scene::Rgb([230, 159, 0]);
    let mut button = |ui: &mut egui::Ui| value_rows::colour_button(ui, &mut colour);
    window.frame(&mut button);
    window.click(egui::pos2(16.0, 10.0), &mut button);
    let texts = window.frames(3, &mut button);
    let field = texts.iter().find(|shown| shown.text == "#E69F00").unwrap();
    let signs: String = texts.iter().map(|shown| shown.text.as_str()).collect();
    window.click(field.place.center(), &mut button);
    window.frames(3, &mut button);
    window.key(egui::Key::A, egui::Modifiers::COMMAND);
    window.events.push(egui::Event::Text("00ff7f".into()));
    window.key(egui::Key::Enter, egui::Modifiers::NONE);
    window.frames(2, &mut button);
    assert_eq!(colour.0, [0, 255, 127]);
    let font = egui::FontId::default();
    for sign in signs.chars() {
        assert!(window.context.fonts_mut(|fonts| fonts.has_glyph(&font, sign)), "{sign:?}");
    }
}
