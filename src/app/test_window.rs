//! A window of tests: frames of the interface without a screen.

use egui::epaint::ClippedShape;
use egui::{Event, Modifiers, PointerButton, Pos2, RawInput, Rect, Ui, Vec2};

use super::interface::context;

/// Its parts keep what they are from frame to frame.
pub struct TestWindow {
    pub context: egui::Context,
    /// Points.
    pub size: Vec2,
    /// The user's input in the next frame.
    pub events: Vec<Event>,
    frames: u32,
}

/// A text in the window.
#[derive(Debug)]
pub struct Shown {
    pub text: String,
    pub place: Rect,
    /// True if no edge cuts it.
    pub whole: bool,
}

impl TestWindow {
    pub fn new(width: f32, height: f32) -> Self {
        let (context, size) = (context(), Vec2::new(width, height));
        Self { context, size, events: Vec::new(), frames: 0 }
    }

    /// Unfolds all sections, and shows what is under the mouse everywhere.
    pub fn unfold(&self, all: bool) {
        self.context.memory_mut(|memory| memory.set_everything_is_visible(all));
    }

    /// Lays out a frame. Returns its shapes.
    pub fn frame(&mut self, content: impl FnMut(&mut Ui)) -> Vec<ClippedShape> {
        self.frames += 1;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, self.size)),
            time: Some(f64::from(self.frames) / 60.0),
            events: std::mem::take(&mut self.events),
            ..RawInput::default()
        };
        self.context.run_ui(input, content).shapes
    }

    /// Lays out some frames: nothing has a size in the first one, and sections take time to unfold.
    /// Returns the texts of the last.
    pub fn frames(&mut self, count: u32, mut content: impl FnMut(&mut Ui)) -> Vec<Shown> {
        let last = (0..count).map(|_| self.frame(&mut content)).last();
        texts(&last.unwrap())
    }

    /// The place of an area.
    pub fn area(&self, id: &str) -> Rect {
        self.context.memory(|memory| memory.area_rect(egui::Id::unique(id))).unwrap()
    }

    /// Clicks: the left button goes down in one frame and up in the next.
    pub fn click(&mut self, pos: Pos2, mut content: impl FnMut(&mut Ui)) {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        for pressed in [true, false] {
            let press = Event::PointerButton { pos, button, pressed, modifiers };
            self.events.extend([Event::PointerMoved(pos), press]);
            self.frame(&mut content);
        }
    }

    pub fn key(&mut self, key: egui::Key, modifiers: Modifiers) {
        let (physical_key, pressed, repeat) = (None, true, false);
        self.events.push(Event::Key { key, physical_key, pressed, repeat, modifiers });
    }
}

impl Default for TestWindow {
    fn default() -> Self {
        Self::new(10_000.0, 10_000.0)
    }
}

/// The texts among the shapes of a frame.
pub fn texts(shapes: &[ClippedShape]) -> Vec<Shown> {
    fn shown(shape: &egui::Shape, clip: Rect) -> Vec<Shown> {
        match shape {
            egui::Shape::Text(text) => {
                let place = shape.visual_bounding_rect();
                let text = text.galley.text().to_string();
                vec![Shown { text, place, whole: clip.contains_rect(place) }]
            }
            egui::Shape::Vec(shapes) => shapes.iter().flat_map(|own| shown(own, clip)).collect(),
            _ => Vec::new(),
        }
    }
    shapes.iter().flat_map(|clipped| shown(&clipped.shape, clipped.clip_rect)).collect()
}
