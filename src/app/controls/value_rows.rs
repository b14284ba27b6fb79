//! The row of one parameter: a slider, a choice or a set of species, from its declaration.

use egui::SliderClamping;

use super::words::{about, is_quantity, law_in_words, reach, shown};
use flockwork_model::formula::PARAMETERS;
use flockwork_model::parameter::{
    ALL_NEIGHBOURS, ALL_SPECIES, MAX_NEAREST, Meaning, NEAREST_PATH, NEAREST_TARGET, NO_TARGET,
    PICK_ONE, Parameter,
};
use flockwork_model::scene::{Law, MAX_AGENTS, Rgb, Slot};

/// Marks the name of a value that varies by a law.
const VARIES: &str = "~";

/// Colour of what marks a value as changed.
const CHANGED: egui::Color32 = egui::Color32::from_rgb(255, 190, 90);

/// The sign of the button that removes what is in its row.
pub const REMOVE: &str = "×";

/// The sign of the button that takes a value back to what it was at the start.
const BACK: &str = "←";

/// Width of the picker of a colour; points.
const PICKER_WIDTH: f32 = 275.0;

/// The longest name that can be typed.
const MAX_LETTERS: usize = 60;

/// The names that parameters refer to.
pub struct TargetNames {
    pub species: Vec<String>,
    pub targets: Vec<String>,
    pub paths: Vec<String>,
}

/// Shows what `content` shows, and a button to go back if the value is not the one at the start.
/// Returns true when it was clicked.
pub fn with_way_back(
    ui: &mut egui::Ui,
    changed: bool,
    back_to: &str,
    content: impl FnOnce(&mut egui::Ui),
) -> bool {
    let row = ui.horizontal(|ui| {
        // The same room in every row, so that nothing moves when a value changes.
        let size = egui::vec2(16.0, 16.0);
        let back = changed && {
            let button = egui::Button::new(egui::RichText::new(BACK).monospace().color(CHANGED))
                .frame(false);
            ui.add_sized(size, button).on_hover_text(format!("back to {back_to}")).clicked()
        };
        if !changed {
            ui.add_space(size.x + ui.spacing().item_spacing.x);
            // The widgets behind keep their ids, and with them the keyboard, when the button appears.
            ui.skip_ahead_auto_ids(1);
        }
        ui.vertical(content);
        back
    });
    row.inner
}

/// A button without a frame that removes what is in its row; true when it was clicked.
pub fn remove_button(ui: &mut egui::Ui, hint: &str) -> bool {
    ui.add(egui::Button::new(REMOVE).frame(false)).on_hover_text(hint).clicked()
}

/// A field for a name. Returns what the user has entered in its place; Esc lets it be.
pub fn name_field(ui: &mut egui::Ui, name: &str) -> Option<String> {
    let id = ui.scope_id().with("name");
    draft(ui, id, name.to_string(), |ui, text| {
        let field = egui::TextEdit::singleline(text).desired_width(110.0).char_limit(MAX_LETTERS);
        ui.add(field)
    })
}

/// A number that is typed, with or without commas between thousands. A text that is no number stands for `now`.
pub fn typed<N: egui::emath::Numeric>(next: &mut N, now: N) -> egui::DragValue<'_> {
    egui::DragValue::new(next).custom_parser(move |text| {
        let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let digits = |group: &str| group.chars().take_while(char::is_ascii_digit).count();
        let is_grouped = text.split(',').skip(1).all(|group| digits(group) == 3);
        let number = is_grouped.then(|| text.replace(',', "").parse().ok()).flatten();
        number.or(Some(now.to_f64()))
    })
}

/// A field for a number of agents. Returns what the user has entered in its place; Esc lets it be.
pub fn count_field(ui: &mut egui::Ui, count: u64, hint: &str) -> Option<u64> {
    // Each row has its own: rows share a scope.
    let id = ui.next_auto_id().with("count");
    draft(ui, id, count, |ui, next| {
        let unit = if *next == 1 { " agent" } else { " agents" };
        ui.add(typed(next, count).range(0..=MAX_AGENTS).suffix(unit)).on_hover_text(hint)
    })
}

/// A field whose value counts once the user has left it. egui keeps the value until then, at `id`.
fn draft<T: Clone + PartialEq + Send + Sync + 'static>(
    ui: &mut egui::Ui,
    id: egui::Id,
    now: T,
    field: impl FnOnce(&mut egui::Ui, &mut T) -> egui::Response,
) -> Option<T> {
    let mut next = ui.data(|data| data.get_temp(id)).unwrap_or_else(|| now.clone());
    let field = field(ui, &mut next);
    if field.dragged() || field.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, next));
        return None;
    }
    ui.data_mut(|data| data.remove::<T>(id));
    let entered = field.lost_focus() || field.drag_stopped();
    let given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
    (entered && next != now && !given_up).then_some(next)
}

/// Shows a field and its name; both have the same tooltip.
pub fn with_name(
    ui: &mut egui::Ui,
    field: impl egui::Widget,
    name: &str,
    hint: impl FnOnce() -> String,
) {
    ui.horizontal(|ui| {
        let row = ui.add(field) | ui.label(name);
        row.on_hover_ui(|ui| {
            ui.set_max_width(ui.spacing().tooltip_width);
            ui.label(hint());
        });
    });
}

/// A button that has a colour. It opens a picker, and a field for `#RRGGBB`.
pub fn colour_button(ui: &mut egui::Ui, Rgb(colour): &mut Rgb) {
    let [r, g, b] = *colour;
    let mut picked = egui::Color32::from_rgb(r, g, b);
    let size = ui.spacing().interact_size;
    let button = ui.add(egui::Button::new("").fill(picked).min_size(size));
    let popup =
        egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| {
        ui.spacing_mut().slider_width = PICKER_WIDTH;
        let mut typed = None;
        ui.horizontal(|ui| {
            typed = name_field(ui, &Rgb(*colour).to_string());
            ui.label("#RRGGBB").on_hover_text("Red, green and blue, two hexadecimal digits each.");
        });
        let alpha = egui::color_picker::Alpha::Opaque;
        if egui::color_picker::color_picker_color32(ui, &mut picked, alpha) {
            *colour = [picked.r(), picked.g(), picked.b()];
        }
        let typed =
            typed.and_then(|text| Rgb::parse(&format!("#{}", text.trim().trim_start_matches('#'))));
        if let Some(Rgb(typed)) = typed {
            *colour = typed;
        }
    });
    button.on_hover_text(Rgb(*colour).to_string());
}

/// A row that edits a value, with the button of [`with_way_back`], which takes it back to `start`.
pub fn edited<T: Clone + PartialEq>(
    ui: &mut egui::Ui,
    start: &T,
    value: &mut T,
    back_to: &str,
    content: impl FnOnce(&mut egui::Ui, &mut T),
) {
    if with_way_back(ui, value != start, back_to, |ui| content(ui, value)) {
        value.clone_from(start);
    }
}

/// A choice by name.
pub struct Choice<'a, T> {
    pub key: &'a str,
    pub hint: &'a str,
    pub names: &'a [(&'static str, T)],
    /// The name of all other values, and the one to begin with.
    pub own: Option<(&'static str, T)>,
    /// True if their own field is in the row, not below it.
    pub in_row: bool,
}

impl<'a, T: Clone + PartialEq> Choice<'a, T> {
    /// A choice among `names` alone.
    pub fn new(key: &'a str, hint: &'a str, names: &'a [(&'static str, T)]) -> Self {
        Self { key, hint, names, own: None, in_row: false }
    }

    fn name(&self, value: &T) -> &'static str {
        let named = self.names.iter().find(|(_, known)| known == value);
        named.or(self.own.as_ref()).map_or("", |(name, _)| *name)
    }

    /// Shows the row; `start` is the value at the start, and `field` the field of other values.
    pub fn show(
        &self,
        ui: &mut egui::Ui,
        start: &T,
        value: &mut T,
        field: impl FnOnce(&mut egui::Ui, &mut T),
    ) {
        edited(ui, start, value, self.name(start), |ui, value| {
            let mut field = Some(field);
            ui.horizontal(|ui| {
                let name = self.name(value);
                egui::ComboBox::from_id_salt(self.key).selected_text(name).show_ui(ui, |ui| {
                    for (name, choice) in self.names {
                        ui.selectable_value(value, choice.clone(), *name);
                    }
                    if let Some((own, first)) = &self.own
                        && ui.selectable_label(name == *own, *own).clicked()
                        && name != *own
                    {
                        *value = first.clone();
                    }
                });
                if let Some(field) = field.take_if(|_| self.in_row) {
                    field(ui, value);
                }
                ui.label(self.key).on_hover_text(self.hint);
            });
            if let Some(field) = field {
                field(ui, value);
            }
        });
    }
}

/// The row of one parameter.
pub struct ParameterRow<'a> {
    pub parameter: &'a Parameter,
    /// Its name in the row.
    pub name: &'a str,
    /// Where its value is.
    pub slot: Slot,
    /// The value at the start.
    pub start: f32,
    pub names: &'a TargetNames,
}

impl ParameterRow<'_> {
    /// Shows the row if the parameter has a meaning in this scene.
    pub fn show(&self, ui: &mut egui::Ui, value: &mut f32, law: Option<Law>) {
        if !self.applies() {
            return;
        }
        let back_to = match is_quantity(self.parameter) {
            true => shown(self.start.into(), 4),
            false => "what it was at the start".into(),
        };
        edited(ui, &self.start, value, &back_to, |ui, value| self.edit(ui, value, law));
    }

    /// With one species or one path there is no choice.
    fn applies(&self) -> bool {
        match self.parameter.meaning {
            // The species of a rule's values stand in the names of these.
            Meaning::SpeciesSet { .. } => {
                self.names.species.len() > 1 && !self.parameter.key.starts_with(PARAMETERS)
            }
            Meaning::Path => self.names.paths.len() > 1,
            _ => true,
        }
    }

    fn about(&self) -> String {
        about(self.parameter, self.slot)
    }

    fn edit(&self, ui: &mut egui::Ui, value: &mut f32, law: Option<Law>) {
        match self.parameter.meaning {
            Meaning::Number | Meaning::Angle | Meaning::FieldOfView => self.slider(ui, value, law),
            Meaning::SpeciesSet { .. } => self.species_set(ui, value),
            Meaning::Nearest => {
                let numbers = (1..=MAX_NEAREST as u32).map(|n| (n.to_string(), n as f32));
                let words = [("all", ALL_NEIGHBOURS), ("one by chance", PICK_ONE)];
                let words = words.map(|(word, value)| (word.to_string(), value));
                let choices: Vec<(String, f32)> = words.into_iter().chain(numbers).collect();
                let choices = choices.iter().map(|(name, value)| (name.as_str(), *value));
                self.combo(ui, &choices.collect::<Vec<_>>(), value);
            }
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
                self.combo(ui, &with_indices(choices, &self.names.paths), value);
            }
        }
    }

    fn slider(&self, ui: &mut egui::Ui, value: &mut f32, law: Option<Law>) {
        if let Some(Law::PerAgent { from }) = law {
            return self.ends(ui, from, *value);
        }
        let (low, high) = reach(self.parameter, self.start);
        let before = *value;
        let mark = if law.is_some() { format!(" {VARIES}") } else { String::new() };
        let name = format!("{}{mark}", self.name);
        let degrees = matches!(self.parameter.meaning, Meaning::Angle | Meaning::FieldOfView);
        let slider = egui::Slider::new(value, low..=high)
            .clamping(SliderClamping::Never)
            .max_decimals(if degrees { 1 } else { 4 })
            .suffix(if degrees { "°" } else { "" })
            .custom_formatter(|value, decimals| shown(value, *decimals.end()));
        with_name(ui, slider, &name, || match law {
            Some(law) => {
                format!("{}\nThe base of what varies: {}.", self.about(), law_in_words(law))
            }
            None => self.about(),
        });
        // A typed number may leave the slider's range, but not the parameter's.
        let (smallest, largest) = self.parameter.range;
        *value = if value.is_finite() { value.clamp(smallest, largest) } else { before };
    }

    /// Shows both ends of a number that each agent draws; it has no slider.
    fn ends(&self, ui: &mut egui::Ui, from: f32, to: f32) {
        let [from, to] = [from, to].map(|end| shown(end.into(), 4));
        let text = format!("{}: {from} to {to}", self.name);
        let hover = format!("{}\nEach agent draws its own, once for all.", self.about());
        ui.label(text).on_hover_text(hover);
    }

    fn combo(&self, ui: &mut egui::Ui, choices: &[(&str, f32)], value: &mut f32) {
        let name = choices.iter().find(|(_, choice)| choice == value);
        let name = name.map_or("", |(name, _)| *name);
        ui.horizontal_wrapped(|ui| {
            let list = egui::ComboBox::from_id_salt(self.parameter.key).selected_text(name);
            list.truncate().show_ui(ui, |ui| {
                for (name, choice) in choices {
                    ui.selectable_value(value, *choice, *name);
                }
            });
            ui.label(self.parameter.key).on_hover_text(self.about());
        });
    }

    fn species_set(&self, ui: &mut egui::Ui, value: &mut f32) {
        let mut bits = *value as u32;
        ui.horizontal_wrapped(|ui| {
            ui.label(self.parameter.key).on_hover_text(self.about());
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
