//! The number of agents, their density and the seed: what starts the scene again.

use egui::DragValue;

use super::FlockPanel;
use super::rows::with_way_back;
use crate::model::scene::{MAX_AGENTS, Request};

/// What the user has entered, and not yet what the flock has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlockFields {
    count: u64,
    density: f32,
    seed: u32,
}

impl FlockFields {
    /// Those of the flock that is shown.
    #[must_use]
    pub fn of(panel: &FlockPanel<'_>) -> Self {
        let FlockPanel { scene, agents, .. } = *panel;
        let density = scene.uniform_neighbours(agents) as f32;
        // In a world that was sized for a density the quotient is that density up to rounding.
        let density = (density * 1e3).round() / 1e3;
        Self { count: agents as u64, density, seed: scene.seed }
    }

    /// Shows the fields. Returns what the user asks for once it is entered.
    pub fn show(&mut self, ui: &mut egui::Ui, panel: &FlockPanel<'_>) -> Option<Request> {
        let now = Self::of(panel);
        let written = &panel.written;
        let mut next = *self;
        let mut entered = false;
        let to = written.count.to_string();
        let back = with_way_back(ui, now.count != written.count, &to, |ui| {
            let field = DragValue::new(&mut next.count).range(1..=MAX_AGENTS).speed(1.0);
            let hint = "The flock starts again with this many agents.";
            entered |= row(ui, field, "agents", hint);
        });
        if back {
            (next.count, entered) = (written.count, true);
        }
        if now.density > 0.0 {
            with_way_back(ui, false, "", |ui| {
                let field = DragValue::new(&mut next.density).range(1e-3..=1e4).speed(0.1);
                let hint = "Mean number of neighbours within the largest radius, if the agents were \
                            spread evenly. The world is sized for it, and the flock starts again.";
                entered |= row(ui, field, "density (neighbours)", hint);
            });
        }
        let to = written.seed.to_string();
        let back = with_way_back(ui, now.seed != written.seed, &to, |ui| {
            let field = DragValue::new(&mut next.seed).speed(1.0);
            entered |= row(ui, field, "seed", "Of all random numbers. The flock starts again.");
        });
        if back {
            (next.seed, entered) = (written.seed, true);
        }
        *self = next;
        let asked = entered && next != now;
        asked.then_some(Request {
            count: Some(next.count),
            // A density that was not edited stays exactly as requested.
            density: if next.density == now.density {
                panel.request.density
            } else {
                Some(next.density)
            },
            seed: Some(next.seed),
        })
    }
}

/// Shows a field; true when something was entered.
fn row(ui: &mut egui::Ui, field: DragValue<'_>, name: &str, hint: &str) -> bool {
    let row = ui.horizontal(|ui| {
        let field = ui.add(field);
        ui.label(name).on_hover_text(hint);
        field.drag_stopped() || field.lost_focus()
    });
    row.inner
}
