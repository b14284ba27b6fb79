//! The card of all keys, and the hint that leads to it.

use egui::{Align2, Color32, Order, RichText};

use super::keys::CARD;

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
            egui::Grid::new("card").num_columns(columns).spacing([28.0, 10.0]).show(ui, |ui| {
                for (number, (title, keys)) in CARD.into_iter().enumerate() {
                    ui.vertical(|ui| group(ui, title, keys));
                    if (number + 1) % columns == 0 {
                        ui.end_row();
                    }
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

/// Shows what a user needs first at the bottom of the window, `lift` points above its edge: what the
/// mouse does in this scene, and the way to everything else.
pub fn hint(context: &egui::Context, in_this_scene: &[String], lift: f32) {
    let first = in_this_scene.first().map_or("", String::as_str);
    let text = format!("{first}   ·   wheel: zoom   ·   Tab: parameters   ·   F1: all keys");
    line(context, &text, lift);
}

/// Shows a line at the bottom of the window, `lift` points above its edge.
pub fn line(context: &egui::Context, text: &str, lift: f32) {
    let area = egui::Area::new(egui::Id::unique("hint"))
        .anchor(Align2::CENTER_BOTTOM, [0.0, -12.0 - lift])
        .order(Order::Foreground)
        .interactable(false);
    let most = (context.content_rect().width() - 48.0).clamp(80.0, 720.0);
    area.show(context, |ui| {
        let frame = egui::Frame::new()
            .fill(Color32::from_black_alpha(160))
            .corner_radius(6)
            .inner_margin(8);
        frame.show(ui, |ui| {
            ui.set_max_width(most);
            ui.label(RichText::new(text).size(13.0).color(Color32::from_gray(200)));
        });
    });
}
