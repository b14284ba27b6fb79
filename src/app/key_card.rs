//! The card of all keys, and the hint that leads to it.

use egui::{Align2, Color32, Order, RichText};

use super::keys::CARD;
use super::overlay::at_the_bottom;

/// Width of two columns of groups; points.
const WIDE: f32 = 590.0;

/// Shows the card. `in_this_scene` says what the pointer does there. Returns false when the user
/// closes it.
pub fn show(context: &egui::Context, in_this_scene: &[String]) -> bool {
    let mut open = true;
    let most = context.content_rect().size();
    let window = egui::Window::new("Keys")
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .open(&mut open);
    window.show(context, |ui| {
        // Two columns of groups, where there is room for them.
        let columns = if most.x >= WIDE + 40.0 { 2 } else { 1 };
        let height = most.y - 80.0;
        let area = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height);
        area.show(ui, |ui| {
            ui.set_min_width(if columns == 2 { WIDE } else { 0.0 });
            ui.spacing_mut().item_spacing.y = 2.0;
            if !in_this_scene.is_empty() {
                ui.label(RichText::new("In this scene").strong());
                for line in in_this_scene {
                    ui.label(RichText::new(line).size(12.0));
                }
                ui.add_space(8.0);
            }
            // Each column is a stack of its own: the groups of one need not be as long as those beside.
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 28.0;
                for column in 0..columns {
                    ui.vertical(|ui| {
                        for (title, keys) in CARD.into_iter().skip(column).step_by(columns) {
                            group(ui, title, keys);
                            ui.add_space(8.0);
                        }
                    });
                }
            });
        });
    });
    open
}

fn group(ui: &mut egui::Ui, title: &str, keys: &[(&str, &str)]) {
    ui.label(RichText::new(title).strong());
    egui::Grid::new(title).num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for (key, does) in keys {
            ui.label(RichText::new(*key).monospace().size(11.5).color(Color32::from_gray(225)));
            ui.label(RichText::new(*does).size(12.0).color(Color32::from_gray(170)));
            ui.end_row();
        }
    });
}

/// Introduces a scene at the bottom of the window, `lift` points above its edge and as far as `edge`
/// points: its name and sentence, what the mouse does in it, and the way to everything else.
pub fn hint(
    context: &egui::Context,
    [name, about]: &[&str; 2],
    in_this_scene: &[String],
    lift: f32,
    edge: f32,
) {
    let keys = ["wheel: zoom", "Tab: parameters", "F1: all keys"];
    let does = in_this_scene.iter().map(String::as_str).chain(keys);
    let title = if about.is_empty() { (*name).into() } else { format!("{name}: {about}") };
    line(context, &[&title, &does.collect::<Vec<_>>().join("   ·   ")], lift, edge);
}

/// Shows lines at the bottom of the window, `lift` points above its edge and as far as `edge` points.
pub fn line(context: &egui::Context, lines: &[&str], lift: f32, edge: f32) {
    let area = egui::Area::new(egui::Id::unique("hint")).order(Order::Foreground);
    at_the_bottom(context, area, lift, edge, |ui| {
        for text in lines {
            ui.label(RichText::new(*text).size(13.0).color(Color32::from_gray(200)));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_window::TestWindow;

    /// True if all keys are seen at once in a window of this size.
    fn fits(width: f32, height: f32) -> bool {
        let lines = ["mouse: moves the target", "left button: call them", "D + drag: add a"];
        let lines = lines.map(String::from);
        let mut window = TestWindow::new(width, height);
        let shown = window.frames(3, |ui| assert!(show(ui.ctx(), &lines)));
        let is_seen = |what: &str| shown.iter().any(|shown| shown.text == what && shown.whole);
        CARD.iter()
            .all(|(title, keys)| is_seen(title) && keys.iter().all(|(_, does)| is_seen(does)))
    }

    #[test]
    fn all_keys_fit_into_the_first_window() {
        assert!(fits(1280.0, 720.0));
        // The control: a small window has to be scrolled.
        assert!(!fits(1280.0, 400.0));
    }

    #[test]
    fn a_scene_is_introduced_by_its_name_its_sentence_and_its_press() {
        let does = ["left button: scare them".to_string(), "D + drag: add a".to_string()];
        let hint = |ui: &mut egui::Ui| {
            hint(ui.ctx(), &["mine", "Two kinds"], &does, 0.0, f32::MAX);
        };
        let shown = TestWindow::default().frames(3, hint);
        let texts: Vec<_> = shown.into_iter().map(|shown| shown.text).collect();
        assert_eq!(texts[0], "mine: Two kinds");
        assert!(texts[1].starts_with("left button: scare them   ·   D + drag: add a"), "{texts:?}");
    }
}
