//! The panel of parameters of every species, from the model's declarations.

mod flock_section;
mod formula;
mod looks;
mod objects;
mod species_section;
mod value_rows;
mod words;

use egui::Align2;

use super::command::Command;
use super::tools::Tool;
use flock_section::FlockFields;
use flockwork_model::scene::{Request, Scene};
use flockwork_model::vector::Point;
use flockwork_session::{Appearance, Edit};

/// The panel's name in egui.
const ID: &str = "parameters";

/// Width of the content, with the bar beside the rows: no row of any section is wider. Points.
const WIDTH: f32 = 314.0;

/// The smallest window that shows every panel whole; points.
#[cfg(any(test, not(target_family = "wasm")))]
pub const MIN_WINDOW: (u32, u32) = (360, 240);

/// Where the left edge of the panel is; points.
pub fn left_edge(context: &egui::Context) -> f32 {
    let area = context.memory(|memory| memory.area_rect(egui::Id::unique(ID)));
    area.map_or(context.content_rect().right(), |area| area.left())
}

/// The content of the panel.
#[derive(Clone, Debug)]
pub struct FlockPanel<'a> {
    /// The scene as it is edited.
    pub scene: &'a Scene,
    /// The scene before all edits.
    pub first: &'a Scene,
    /// The request beside the scene.
    pub request: Request,
    /// Number of agents at the start.
    pub agents: usize,
    /// The same for each species.
    pub counts: Vec<u64>,
    /// With what the flock was opened.
    pub begun: Begun,
    /// The size of pictures and films, if it is not the window's.
    pub picture_size: Option<(u32, u32)>,
    /// Height of what lies along the lower edge; points.
    pub lift: f32,
    /// True while the keyboard goes through the panel.
    pub by_keyboard: bool,
    /// The tool of the pointer.
    pub tool: Option<&'a Tool>,
    /// The place in the middle of the view, where new objects go; world units.
    pub middle: Point,
}

/// With what a scene was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Begun {
    /// The number of agents, if it is not the scene's own.
    pub count: Option<u64>,
    pub seed: u32,
}

/// The panel, with what the user enters in it.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Current values and values being typed; `None` until the panel opens.
    fields: Option<(FlockFields, FlockFields)>,
    /// The widget with the keyboard focus, and its place.
    focused: Option<(egui::Id, egui::Rect)>,
}

impl Controls {
    /// Shows the panel. The wishes of the user go to `commands`.
    pub fn show(
        &mut self,
        context: &egui::Context,
        panel: &FlockPanel<'_>,
        commands: &mut Vec<Command>,
    ) {
        let window = egui::Window::new("Parameters")
            .id(egui::Id::unique(ID))
            .anchor(Align2::RIGHT_TOP, [-8.0, 8.0])
            // Collapsed, its title would be beyond the right edge; a key hides it.
            .collapsible(false)
            .auto_sized();
        // As tall as its content, but no taller than the window.
        let highest = (context.content_rect().height() - 70.0 - panel.lift).max(120.0);
        let shown = window.show(context, |ui| {
            // The bar stands beside the rows, not over the ends of their names.
            ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
            ui.set_width(WIDTH);
            let area = egui::ScrollArea::vertical().max_height(highest).auto_shrink([false, true]);
            // Without a least height it would stay as low as the window has ever been.
            area.min_scrolled_height(highest).show(ui, |ui| {
                let own = FlockFields::of(panel);
                let fields = self.fields.filter(|(known, _)| *known == own).unwrap_or((own, own));
                let (_, fields) = self.fields.insert(fields);
                let restart = fields.show(ui, panel).map(Command::Restart);
                let before = Appearance::of(panel.scene);
                let (mut edited, mut edits) = (panel.scene.clone(), Vec::new());
                species_section::all(ui, panel, &mut edited.species, &mut edits);
                objects::section(ui, panel, commands);
                let mut looks = Appearance::of(&edited);
                looks::section(ui, panel, &mut looks, commands);
                // Appearance and parameters are different edits: only the latter have a tick.
                if looks != before {
                    commands.push(Command::Edit(Edit::Appearance(Box::new(looks))));
                }
                before.put(&mut edited);
                if edited.species != panel.scene.species {
                    commands.push(Command::Edit(Edit::Set(edited.species.into())));
                }
                // These come last: the values above belong to the names and numbers as they are shown.
                commands.extend(edits.into_iter().map(Command::Edit).chain(restart));
                if panel.by_keyboard {
                    self.scroll_to_focus(ui);
                }
            });
        });
        if let Some(shown) = shown.filter(|_| panel.by_keyboard) {
            self.mark_focus(context, shown.response.layer_id);
        }
    }

    /// Scrolls to what has just got the keyboard.
    fn scroll_to_focus(&self, ui: &egui::Ui) {
        let focused = ui.memory(egui::Memory::focused);
        let new = focused.filter(|id| self.focused.is_none_or(|(before, _)| before != *id));
        let response = new.and_then(|id| ui.ctx().read_response(id));
        if let Some(own) = response.filter(|response| response.layer_id == ui.layer_id()) {
            ui.scroll_to_rect(own.rect, None);
        }
    }

    /// Draws a frame round what has the keyboard. If that is gone, the nearest to its place gets it.
    fn mark_focus(&mut self, context: &egui::Context, layer: egui::LayerId) {
        let own: Vec<_> = context.viewport(|viewport| {
            let all = viewport.this_pass.widgets.get_layer(layer);
            all.filter(|widget| widget.enabled && widget.sense.is_focusable()).copied().collect()
        });
        let find = |id| own.iter().find(|widget| widget.id == id);
        let focused = context.memory(egui::Memory::focused);
        let mut now = focused.and_then(find);
        let gone = self.focused.filter(|(id, _)| now.is_none() && find(*id).is_none());
        if let Some((_, place)) = gone {
            let distance = |widget: &egui::WidgetRect| widget.rect.distance_to_pos(place.center());
            now = own.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            context
                .memory_mut(|memory| now.into_iter().for_each(|own| memory.request_focus(own.id)));
        }
        self.focused = now.map(|widget| (widget.id, widget.rect));
        if let Some((_, place)) = self.focused {
            let frame = egui::Stroke::new(1.0, egui::Color32::from_gray(200));
            let painter = context.layer_painter(layer);
            painter.rect_stroke(place.expand(1.5), 3.0, frame, egui::StrokeKind::Outside);
        }
    }
}

#[cfg(test)]
mod keyboard_tests;
#[cfg(test)]
mod tests;
