//! The slider panel: every parameter of every species, from the model's declarations.

use egui::{Align2, SliderClamping};

use crate::model::parameter::{
    ALL_SPECIES, FULL_CIRCLE, Meaning, NEAREST_PATH, NEAREST_TARGET, NO_TARGET, Parameter,
    Parameters,
};
use crate::model::scene::{Body, BoidShape, ColourBy, Law, Scene, Slot, Species, Variation};
use crate::session::values_at_first;

/// A slider runs from 0 to this many times the value at the start.
const REACH: f32 = 4.0;

/// Distances longer than this count as unlimited.
const ENDLESS: f32 = 1e9;

/// Marks the name of a value that varies by a law.
const VARIES: &str = "~";

/// The panel, with the species as they were at the start: slider ends must not move while the user
/// drags.
#[derive(Clone, Debug)]
pub struct Controls {
    start: Vec<Species>,
}

/// The names that parameters refer to.
struct TargetNames {
    species: Vec<String>,
    targets: Vec<String>,
    paths: Vec<String>,
}

/// The ends of a parameter's slider. `start` is its value at the start.
#[must_use]
pub fn reach(parameter: &Parameter, start: f32) -> (f32, f32) {
    let (low, high) = parameter.range;
    // The range of an angle suits a slider.
    if matches!(parameter.meaning, Meaning::Angle | Meaning::FieldOfView) {
        return (low, high.min(FULL_CIRCLE));
    }
    let scale = [start, parameter.default].map(f32::abs).into_iter();
    let scale = scale.filter(|scale| *scale < ENDLESS).fold(0.0, f32::max);
    let scale = if scale > 0.0 { scale } else { no_scale(parameter) };
    (low.max(if low < 0.0 { -REACH * scale } else { 0.0 }), high.min(REACH * scale))
}

/// The scale of a parameter that is off or unlimited by default.
fn no_scale(parameter: &Parameter) -> f32 {
    match parameter.unit {
        "world units" => 100.0,
        "1/tick" => 0.05,
        _ => 0.25,
    }
}

/// Describes a law in words.
#[must_use]
pub fn law_in_words(law: Law) -> String {
    match law {
        Law::Noise { amplitude, period } => {
            format!("± {amplitude} by noise that changes in {period} ticks")
        }
        Law::GrowsWithSize { scale } => format!("times 1 − e^(−size/{scale})"),
        Law::ShrinksWithSize { scale } => format!("times e^(−size/{scale})"),
        Law::PerAgent { from } => format!("from {from} to the base, drawn by each agent"),
    }
}

impl Controls {
    /// A panel for a scene as it is at the start.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        Self { start: scene.species.clone() }
    }

    /// Shows the panel; true when the user has changed `species`, the species of `scene`.
    pub fn show(&self, context: &egui::Context, scene: &Scene, species: &mut Vec<Species>) -> bool {
        let mut changed = false;
        let window =
            egui::Window::new("Parameters").anchor(Align2::RIGHT_TOP, [-8.0, 8.0]).auto_sized();
        // As tall as its content, but no taller than the window.
        let highest = (context.content_rect().height() - 70.0).max(120.0);
        window.show(context, |ui| {
            egui::ScrollArea::vertical().max_height(highest).show(ui, |ui| {
                changed |= self.all(ui, scene, species);
            });
        });
        changed
    }

    fn all(&self, ui: &mut egui::Ui, scene: &Scene, species: &mut Vec<Species>) -> bool {
        let mut changed = ui.button("As at the start").clicked();
        if changed {
            species.clone_from(&self.start);
        }
        let names = TargetNames {
            species: species.iter().map(|species| species.name.clone()).collect(),
            targets: scene.targets.iter().map(|target| target.name.clone()).collect(),
            paths: scene.paths.iter().map(|path| path.name.clone()).collect(),
        };
        for (index, (species, start)) in species.iter_mut().zip(&self.start).enumerate() {
            let header = egui::CollapsingHeader::new(species.name.as_str())
                .id_salt(index)
                // With one or two species their sections start open.
                .default_open(names.species.len() <= 2);
            header.show(ui, |ui| changed |= one(ui, species, start, &names));
        }
        changed
    }
}

/// The parameters of one species.
fn one(ui: &mut egui::Ui, species: &mut Species, start: &Species, names: &TargetNames) -> bool {
    let mut changed = named(ui, "look", &BoidShape::NAMES, &mut species.look);
    changed |= named(ui, "colour", &ColourBy::NAMES, &mut species.colour);
    let table = <Body as Parameters<f32>>::TABLE;
    let mut values = species.body_values();
    let variations = &species.variations;
    for (index, parameter) in table.iter().enumerate() {
        let row = ParameterRow { parameter, start: start.body_values()[index], names };
        changed |= row.show(ui, &mut values[index], law(variations, Slot::Body(index)));
    }
    species.body = Body::read(|i| values[i]);
    for rule in &mut species.rules {
        let info = rule.kind.info();
        let about = info.about.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        ui.add_space(4.0);
        ui.strong(info.key).on_hover_text(about.trim());
        let start = values_at_first(start, rule.kind);
        ui.push_id(info.key, |ui| {
            for (index, parameter) in info.parameters.iter().enumerate() {
                let row = ParameterRow { parameter, start: start[index], names };
                let law = law(variations, Slot::Rule(rule.kind, index));
                changed |= row.show(ui, &mut rule.values[index], law);
            }
        });
    }
    changed
}

/// The law that a value follows.
fn law(variations: &[Variation], slot: Slot) -> Option<Law> {
    variations.iter().find(|variation| variation.slot == slot).map(|variation| variation.law)
}

/// A choice by name.
fn named<T: Copy + PartialEq>(
    ui: &mut egui::Ui,
    key: &str,
    names: &[(&'static str, T)],
    value: &mut T,
) -> bool {
    let before = *value;
    let name = |value: T| names.iter().find(|(_, known)| *known == value).map_or("", |(n, _)| *n);
    ui.horizontal(|ui| {
        egui::ComboBox::from_id_salt(key).selected_text(name(before)).show_ui(ui, |ui| {
            for (name, choice) in names {
                ui.selectable_value(value, *choice, *name);
            }
        });
        ui.label(key);
    });
    *value != before
}

/// The row of one parameter.
struct ParameterRow<'a> {
    parameter: &'a Parameter,
    /// The value at the start.
    start: f32,
    names: &'a TargetNames,
}

impl ParameterRow<'_> {
    /// Shows the row if the parameter has a meaning in this scene; true when the user changed the
    /// value.
    fn show(&self, ui: &mut egui::Ui, value: &mut f32, law: Option<Law>) -> bool {
        let before = *value;
        match self.parameter.meaning {
            Meaning::Number | Meaning::Angle | Meaning::FieldOfView => self.slider(ui, value, law),
            Meaning::SpeciesSet { .. } => self.species_set(ui, value),
            Meaning::Choice(choices) => {
                let choices = choices.iter().enumerate().map(|(i, name)| (*name, i as f32));
                self.combo(ui, &choices.collect::<Vec<_>>(), value);
            }
            Meaning::Target => {
                let mut choices = vec![("nearest", NEAREST_TARGET)];
                if self.parameter.default == NO_TARGET {
                    choices.push(("none", NO_TARGET));
                }
                self.combo(ui, &with_indices(choices, &self.names.targets), value);
            }
            Meaning::Path => {
                let choices = vec![("nearest", NEAREST_PATH)];
                // With one path there is no choice.
                if self.names.paths.len() > 1 {
                    self.combo(ui, &with_indices(choices, &self.names.paths), value);
                }
            }
        }
        *value != before
    }

    fn doc(&self) -> &str {
        self.parameter.doc.trim()
    }

    fn slider(&self, ui: &mut egui::Ui, value: &mut f32, law: Option<Law>) {
        if let Some(Law::PerAgent { from }) = law {
            return self.ends(ui, from, *value);
        }
        let (low, high) = reach(self.parameter, self.start);
        let before = *value;
        let mark = if law.is_some() { format!(" {VARIES}") } else { String::new() };
        let name = match self.parameter.unit {
            "" => format!("{}{mark}", self.parameter.key),
            unit => format!("{}{mark} ({unit})", self.parameter.key),
        };
        let degrees = matches!(self.parameter.meaning, Meaning::Angle | Meaning::FieldOfView);
        let slider = egui::Slider::new(value, low..=high)
            .clamping(SliderClamping::Never)
            .max_decimals(if degrees { 1 } else { 4 })
            .custom_formatter(|value, decimals| shown(value, *decimals.end()))
            .text(name);
        let hover = match law {
            Some(law) => format!("{} The base of what varies: {}.", self.doc(), law_in_words(law)),
            None => self.doc().into(),
        };
        ui.add(slider).on_hover_text(hover);
        // A typed number may leave the slider's range, but not the parameter's.
        let (smallest, largest) = self.parameter.range;
        *value = if value.is_finite() { value.clamp(smallest, largest) } else { before };
    }

    /// Shows both ends of a number that each agent draws; it has no slider.
    fn ends(&self, ui: &mut egui::Ui, from: f32, to: f32) {
        let [from, to] = [from, to].map(|end| shown(end.into(), 4));
        let unit = self.parameter.unit;
        let space = if unit.is_empty() { "" } else { " " };
        let text = format!("{}: {from} to {to}{space}{unit}", self.parameter.key);
        let hover = format!("{} Each agent draws its own, once for all.", self.doc());
        ui.label(text).on_hover_text(hover);
    }

    fn combo(&self, ui: &mut egui::Ui, choices: &[(&str, f32)], value: &mut f32) {
        let name = choices.iter().find(|(_, choice)| choice == value);
        let name = name.map_or("", |(name, _)| *name);
        ui.horizontal(|ui| {
            egui::ComboBox::from_id_salt(self.parameter.key).selected_text(name).show_ui(
                ui,
                |ui| {
                    for (name, choice) in choices {
                        ui.selectable_value(value, *choice, *name);
                    }
                },
            );
            ui.label(self.parameter.key).on_hover_text(self.doc());
        });
    }

    fn species_set(&self, ui: &mut egui::Ui, value: &mut f32) {
        // With one species there is no choice.
        if self.names.species.len() < 2 {
            return;
        }
        let mut bits = *value as u32;
        ui.horizontal_wrapped(|ui| {
            ui.label(self.parameter.key).on_hover_text(self.doc());
            for (index, name) in self.names.species.iter().enumerate() {
                let mut perceives = bits >> index & 1 == 1;
                ui.checkbox(&mut perceives, name.as_str());
                bits = bits & !(1 << index) | u32::from(perceives) << index;
            }
        });
        *value = (bits & ALL_SPECIES as u32) as f32;
    }
}

/// `choices`, followed by every name with its index as the value.
fn with_indices<'a>(mut choices: Vec<(&'a str, f32)>, names: &'a [String]) -> Vec<(&'a str, f32)> {
    choices.extend(names.iter().enumerate().map(|(index, name)| (name.as_str(), index as f32)));
    choices
}

/// A number, as short as possible.
fn shown(value: f64, decimals: usize) -> String {
    if value >= f64::from(ENDLESS) {
        return "any".into();
    }
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::behaviours::Kind;

    #[test]
    fn every_slider_holds_its_value_and_stays_in_range() {
        let quantity = |p: &&Parameter| {
            matches!(p.meaning, Meaning::Number | Meaning::Angle | Meaning::FieldOfView)
        };
        for kind in Kind::ALL {
            for parameter in kind.info().parameters.iter().filter(quantity) {
                for start in [0.0, parameter.default, parameter.range.1.min(1e3)] {
                    let start = start.clamp(parameter.range.0, parameter.range.1);
                    let (low, high) = reach(parameter, start);
                    // An unlimited value stands as a number beside its slider.
                    assert!(low <= start && (start <= high || start >= ENDLESS), "{parameter:?}");
                    assert!(low < high && high < ENDLESS, "{parameter:?}");
                    assert!(parameter.range.0 <= low && high <= parameter.range.1);
                }
            }
        }
    }

    #[test]
    fn numbers_are_short_and_unlimited_distances_are_words() {
        let texts = [0.0, 1.5, 100.0, 0.016_67, 1e18].map(|value| shown(value, 4));
        assert_eq!(texts, ["0", "1.5", "100", "0.0167", "any"]);
    }

    /// Lays out the panel for a scene. Returns its texts and whether it reports a change.
    fn panel(text: &str) -> (Vec<String>, bool) {
        let scene = Scene::parse("test", text, &[]).unwrap();
        let controls = Controls::new(&scene);
        let mut species = scene.species.clone();
        let context = egui::Context::default();
        let mut changed = false;
        let mut texts = Vec::new();
        // A window has no size in its first frame.
        for _ in 0..3 {
            let output = context.run_ui(egui::RawInput::default(), |ui| {
                changed |= controls.show(ui.ctx(), &scene, &mut species);
            });
            texts = output.shapes.iter().flat_map(|clipped| texts_in(&clipped.shape)).collect();
        }
        (texts, changed)
    }

    fn texts_in(shape: &egui::Shape) -> Vec<String> {
        match shape {
            egui::Shape::Text(text) => vec![text.galley.text().to_string()],
            egui::Shape::Vec(shapes) => shapes.iter().flat_map(texts_in).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn every_meaning_has_a_row_and_showing_it_changes_nothing() {
        let (texts, changed) = panel(
            "[[targets]]\nname = \"food\"\n[[paths]]\nname = \"road\"\npoints = [[0, 0], [9, 9]]\n\
             [[paths]]\nname = \"lane\"\npoints = [[0, 9], [9, 0]]\n\
             [species.a]\nmax_speed = { base = 3, amplitude = 1, period = 50 }\n\
             max_force = { from = 0.1, to = 0.5 }\n\
             [species.a.pursue]\n[species.a.follow_path]\npath = \"lane\"\n[species.b]\n\
             [species.b.arrive]\ntarget = \"food\"\n[species.b.wander]\nkind = \"kick\"\n\
             [species.b.flee]\n",
        );
        assert!(!changed);
        for text in [
            "look",
            "triangle",
            "colour",
            "heading",
            "max_speed ~ (world units/tick)",
            "max_force: 0.1 to 0.5 mass·world units/tick²",
            "each",
            "none",
            "lane",
            "food",
            "kick",
            "turn (degrees)",
            "fov (degrees)",
            "with",
            "any",
        ] {
            assert!(texts.iter().any(|t| t == text), "{text:?} is missing in {texts:?}");
        }
    }

    #[test]
    fn parameters_that_do_not_apply_are_hidden() {
        let (texts, _) = panel(
            "[[paths]]\npoints = [[0, 0], [9, 9]]\n[species.a]\n[species.a.follow_path]\n\
             [species.a.alignment]\n",
        );
        for text in ["with", "path"] {
            assert!(!texts.iter().any(|t| t == text), "{text:?} is in {texts:?}");
        }
        assert!(texts.iter().any(|t| t == "lookahead (world units)"));
    }
}
