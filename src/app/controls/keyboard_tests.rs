//! The panel in a small window, by keyboard.

use super::tests::{flock_panel, scenes, texts_in};
use super::*;
use flockwork_model::parameter::Parameters;
use flockwork_model::scene::Body;

/// A panel over `scenes` in a window of 640 × 480 points.
struct Small {
    context: egui::Context,
    controls: Controls,
}

impl Small {
    fn new() -> Self {
        Self { context: egui::Context::default(), controls: Controls::default() }
    }

    /// Lays out a frame. Returns its shapes.
    fn frame(
        &mut self,
        scenes: &(Scene, Scene),
        events: Vec<egui::Event>,
    ) -> Vec<egui::epaint::ClippedShape> {
        let panel = FlockPanel { by_keyboard: true, ..flock_panel(scenes) };
        let room = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(640.0, 480.0));
        let input = egui::RawInput { screen_rect: Some(room), events, ..Default::default() };
        let controls = &mut self.controls;
        let output = self.context.run_ui(input, |ui| {
            controls.show(ui.ctx(), &panel);
        });
        output.shapes
    }
}

fn tab() -> Vec<egui::Event> {
    vec![egui::Event::Key {
        key: egui::Key::Tab,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: egui::Modifiers::NONE,
    }]
}

#[test]
fn no_name_is_below_the_scroll_bar() {
    let scenes = scenes("[species.a]\n");
    let mut small = Small::new();
    small.context.memory_mut(|memory| memory.set_everything_is_visible(true));
    let mut shapes = Vec::new();
    for _ in 0..4 {
        shapes = small.frame(&scenes, Vec::new());
    }
    let area = small.context.memory(|memory| memory.area_rect(egui::Id::unique(ID))).unwrap();
    // Tooltips are shown too.
    let table = <Body as Parameters<f32>>::TABLE;
    let named = |shown: &&egui::epaint::ClippedShape| {
        let text = texts_in(&shown.shape);
        text.first().is_some_and(|text| table.iter().any(|parameter| parameter.key == text))
    };
    let names: Vec<_> = shapes.iter().filter(named).collect();
    assert_eq!(names.len(), table.len());
    // The frame has a margin of 6 points, and the bar is 6 points wide.
    for shown in names {
        let right = shown.shape.visual_bounding_rect().right();
        assert!(right <= area.right() - 12.0, "{:?} {right} {area}", texts_in(&shown.shape));
    }
}

/// The place of the frame round what has the keyboard.
fn marked(shapes: &[egui::epaint::ClippedShape]) -> Option<egui::Rect> {
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
        assert_eq!(marked(&small.frame(&scenes, Vec::new())), None);
    }
    let mut places = Vec::new();
    for _ in 0..3 {
        small.frame(&scenes, tab());
        places.push(marked(&small.frame(&scenes, Vec::new())).unwrap());
    }
    assert!(places[0] != places[1] && places[1] != places[2], "{places:?}");
}

#[test]
fn the_keyboard_stays_near_a_button_that_goes_away() {
    let before = scenes("[species.a]\nseparation = {}\n");
    let mut changed = before.clone();
    changed.1.species[0].rules[0].values[0] = 7.0;
    let mut small = Small::new();
    let button = |shapes: &[egui::epaint::ClippedShape]| {
        let arrow = |shown: &&egui::epaint::ClippedShape| texts_in(&shown.shape) == ["←"];
        shapes.iter().find(arrow).map(|shown| shown.shape.visual_bounding_rect().center())
    };
    let mut found = None;
    for _ in 0..40 {
        small.frame(&changed, tab());
        let shapes = small.frame(&changed, Vec::new());
        found = button(&shapes);
        if marked(&shapes).is_some_and(|frame| found.is_some_and(|place| frame.contains(place))) {
            break;
        }
        found = None;
    }
    let button = found.unwrap();
    for _ in 0..3 {
        small.frame(&before, Vec::new());
    }
    let place = marked(&small.frame(&before, Vec::new())).unwrap();
    assert!(place.y_range().contains(button.y), "{place} is not in the row of {button}");
    assert!(small.context.memory(|memory| memory.focused().is_some()));
}

#[test]
fn a_colour_is_typed_and_all_signs_of_its_picker_are_there() {
    use egui::Event::{Key, PointerButton, PointerMoved, Text};
    let context = egui::Context::default();
    let mut colour = flockwork_model::scene::Rgb([230, 159, 0]);
    let mut frame = |events: Vec<egui::Event>| {
        let input = egui::RawInput { events, ..Default::default() };
        let output = context.run_ui(input, |ui| rows::colour_button(ui, &mut colour));
        let text = |shown: &egui::epaint::ClippedShape| match &shown.shape {
            egui::Shape::Text(text) => {
                Some((text.galley.text().to_string(), shown.shape.visual_bounding_rect().center()))
            }
            _ => None,
        };
        (output.shapes.iter().filter_map(text).collect::<Vec<_>>(), colour)
    };
    let press = |pos, pressed| PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    let click = |frame: &mut dyn FnMut(Vec<egui::Event>) -> _, pos| {
        frame(vec![PointerMoved(pos)]);
        frame(vec![press(pos, true)]);
        frame(vec![press(pos, false)]);
        (0..3).map(|_| frame(Vec::new())).last().unwrap()
    };
    frame(Vec::new());
    let (texts, _): (Vec<(String, egui::Pos2)>, _) = click(&mut frame, egui::pos2(16.0, 10.0));
    let (_, field) = texts.iter().find(|(text, _)| text == "#E69F00").unwrap();
    let signs: String = texts.iter().map(|(text, _)| text.as_str()).collect();
    click(&mut frame, *field);
    let key =
        |key, modifiers| Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
    frame(vec![key(egui::Key::A, egui::Modifiers::COMMAND)]);
    frame(vec![Text("00ff7f".into())]);
    frame(vec![key(egui::Key::Enter, egui::Modifiers::NONE)]);
    let (_, typed) = frame(Vec::new());
    assert_eq!(typed.0, [0, 255, 127]);
    let font = egui::FontId::default();
    for sign in signs.chars() {
        assert!(context.fonts_mut(|fonts| fonts.has_glyph(&font, sign)), "{sign:?}");
    }
}
