//! The panel of sliders: every parameter of every species, from the declarations of the model.

use egui::{Align2, SliderClamping};

use crate::model::behaviours::Kind;
use crate::model::parameter::{ALL_SPECIES, Meaning, NEAREST_TARGET, Parameter, Parameters};
use crate::model::scene::{Body, Scene};

/// A slider goes from 0 to this many times the value at the start.
const REACH: f32 = 4.0;

/// The panel, with the values that the sliders had at the start: the ends of a slider must not run
/// away from the hand.
#[derive(Clone, Debug)]
pub struct Controls {
    start: Scene,
}

/// Names that parameters refer to.
struct Names {
    species: Vec<String>,
    targets: Vec<String>,
}

/// The ends of a parameter's slider, for the value that it had at the start.
#[must_use]
pub fn reach(parameter: &Parameter, start: f32) -> (f32, f32) {
    let (low, high) = parameter.range;
    let scale = start.abs().max(parameter.default.abs());
    // What is off by default has no scale of its own.
    let scale = if scale > 0.0 { scale } else { 0.25 };
    (low.max(if low < 0.0 { -REACH * scale } else { 0.0 }), high.min(REACH * scale))
}

impl Controls {
    /// For a scene as it is at the start.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        Self { start: scene.clone() }
    }

    /// Shows the panel; true when the user has changed something in `scene`.
    pub fn show(&self, context: &egui::Context, scene: &mut Scene) -> bool {
        let mut changed = false;
        let window =
            egui::Window::new("Parameters").anchor(Align2::RIGHT_TOP, [-8.0, 8.0]).auto_sized();
        // As tall as its content, unless the window is lower.
        let highest = (context.content_rect().height() - 70.0).max(120.0);
        window.show(context, |ui| {
            egui::ScrollArea::vertical().max_height(highest).show(ui, |ui| {
                changed |= self.all(ui, scene);
            });
        });
        changed
    }

    fn all(&self, ui: &mut egui::Ui, scene: &mut Scene) -> bool {
        let mut changed = ui.button("As at the start").clicked();
        if changed {
            scene.species.clone_from(&self.start.species);
        }
        let names = Names {
            species: scene.species.iter().map(|species| species.name.clone()).collect(),
            targets: scene.targets.iter().map(|target| target.name.clone()).collect(),
        };
        for index in 0..scene.species.len() {
            changed |= self.species(ui, scene, index, &names);
        }
        changed
    }

    fn species(&self, ui: &mut egui::Ui, scene: &mut Scene, index: usize, names: &Names) -> bool {
        let species = &mut scene.species[index];
        let start = &self.start.species[index];
        let mut changed = false;
        let header = egui::CollapsingHeader::new(species.name.as_str())
            .id_salt(index)
            .default_open(scene_is_small(names));
        header.show(ui, |ui| {
            let mut values = species.body_values();
            let table = <Body as Parameters<f32>>::TABLE;
            changed |= rows(ui, "body", table, &mut values, &start.body_values(), names);
            species.body = Body::read(|i| values[i]);
            for (rule, first) in species.rules.iter_mut().zip(&start.rules) {
                let info = rule.kind.info();
                changed |= section(ui, rule.kind, |ui| {
                    rows(ui, info.key, info.parameters, &mut rule.values, &first.values, names)
                });
            }
        });
        changed
    }
}

/// One or two species are shown opened.
fn scene_is_small(names: &Names) -> bool {
    names.species.len() <= 2
}

/// A behaviour's name, with what it does, over its parameters.
fn section(ui: &mut egui::Ui, kind: Kind, body: impl FnOnce(&mut egui::Ui) -> bool) -> bool {
    let info = kind.info();
    let about = info.about.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    ui.add_space(4.0);
    ui.strong(info.key).on_hover_text(about.trim());
    body(ui)
}

fn rows(
    ui: &mut egui::Ui,
    salt: &str,
    table: &[Parameter],
    values: &mut [f32],
    start: &[f32],
    names: &Names,
) -> bool {
    let mut changed = false;
    for ((parameter, value), start) in table.iter().zip(values).zip(start) {
        changed |= match parameter.meaning {
            Meaning::Number | Meaning::Angle | Meaning::FieldOfView => {
                number(ui, parameter, value, *start)
            }
            Meaning::Target => target(ui, salt, parameter, value, names),
            Meaning::SpeciesSet { .. } => species_set(ui, parameter, value, names),
            Meaning::Choice(_) | Meaning::Path => false,
        };
    }
    changed
}

fn number(ui: &mut egui::Ui, parameter: &Parameter, value: &mut f32, start: f32) -> bool {
    let (low, high) = reach(parameter, start);
    let before = *value;
    let name = if parameter.unit.is_empty() {
        parameter.key.to_string()
    } else {
        format!("{} ({})", parameter.key, parameter.unit)
    };
    let slider = egui::Slider::new(value, low..=high)
        .clamping(SliderClamping::Never)
        .max_decimals(4)
        .text(name);
    ui.add(slider).on_hover_text(parameter.doc.trim());
    // A typed number may leave the slider, not the range of the parameter.
    let (smallest, largest) = parameter.range;
    *value = if value.is_finite() { value.clamp(smallest, largest) } else { before };
    *value != before
}

fn target(
    ui: &mut egui::Ui,
    salt: &str,
    parameter: &Parameter,
    value: &mut f32,
    names: &Names,
) -> bool {
    let before = *value;
    let name = |value: f32| {
        let chosen = if value < 0.0 { None } else { names.targets.get(value as usize) };
        chosen.map_or("nearest", String::as_str)
    };
    ui.horizontal(|ui| {
        egui::ComboBox::from_id_salt((salt, parameter.key)).selected_text(name(before)).show_ui(
            ui,
            |ui| {
                let indices = (0..names.targets.len()).map(|index| index as f32);
                for choice in std::iter::once(NEAREST_TARGET).chain(indices) {
                    ui.selectable_value(value, choice, name(choice));
                }
            },
        );
        ui.label(parameter.key).on_hover_text(parameter.doc.trim());
    });
    *value != before
}

fn species_set(ui: &mut egui::Ui, parameter: &Parameter, value: &mut f32, names: &Names) -> bool {
    // With one species there is nothing to choose from.
    if names.species.len() < 2 {
        return false;
    }
    let mut bits = *value as u32;
    ui.horizontal_wrapped(|ui| {
        ui.label(parameter.key).on_hover_text(parameter.doc.trim());
        for (index, name) in names.species.iter().enumerate() {
            let mut hears = bits >> index & 1 == 1;
            ui.checkbox(&mut hears, name.as_str());
            bits = bits & !(1 << index) | u32::from(hears) << index;
        }
    });
    let changed = bits != *value as u32;
    *value = (bits & ALL_SPECIES as u32) as f32;
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slider_holds_its_value_and_stays_in_range() {
        for kind in Kind::ALL {
            for parameter in kind.info().parameters {
                for start in [0.0, parameter.default, parameter.range.1.min(1e3)] {
                    let start = start.clamp(parameter.range.0, parameter.range.1);
                    let (low, high) = reach(parameter, start);
                    assert!(low <= start && start <= high && low < high, "{parameter:?}");
                    assert!(parameter.range.0 <= low && high <= parameter.range.1);
                }
            }
        }
    }
}
