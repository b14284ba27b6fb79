//! The species in the panel: to add, to rename, to remove, and their parameters.

use egui::collapsing_header::{CollapsingState, paint_default_icon};
use egui::{CollapsingHeader, Label, RichText, Sense};

use super::FlockPanel;
use super::formula;
use super::looks::of_agents;
use super::value_rows::{ParameterRow, TargetNames, count_field, name_field, remove_button};
use super::words::story;
use flockwork_model::behaviours::Kind;
use flockwork_model::formula::{MAX_RULES, PARAMETERS, SPECIES_OF};
use flockwork_model::parameter::{Parameter, Parameters};
use flockwork_model::scene::{Body, Law, Rule, Scene, Slot, Species, Variation};
use flockwork_session::{Edit, SpeciesAppearance, original_species};

/// The sign of the button that adds a copy.
const ADD: &str = "+";

/// The parameters of all species. Other edits that the user asks for go to `edits`.
pub fn all(
    ui: &mut egui::Ui,
    panel: &FlockPanel<'_>,
    species: &mut [Species],
    edits: &mut Vec<Edit>,
) {
    let FlockPanel { scene, first, ref counts, .. } = *panel;
    let starts = original_species(scene, first);
    // One that was added is compared with itself.
    let start = |index: usize, own: &Species| {
        starts.get(index).cloned().flatten().unwrap_or_else(|| own.clone())
    };
    let hint = "All parameters and behaviours of all species.";
    // It is always there: if it came with the first change, the slider would move away under the mouse.
    let button = egui::Button::new("All as at the start");
    let changed = species.iter().enumerate().any(|(index, own)| *own != start(index, own));
    if ui.add_enabled(changed, button).on_hover_text(hint).clicked() {
        for (index, own) in species.iter_mut().enumerate() {
            *own = start(index, own);
        }
    }
    let names = TargetNames {
        species: species.iter().map(|species| species.name.clone()).collect(),
        targets: scene.targets.iter().map(|target| target.name.clone()).collect(),
        paths: scene.paths.iter().map(|path| path.name.clone()).collect(),
    };
    for (index, own) in species.iter_mut().enumerate() {
        let start = start(index, own);
        let agents = counts.get(index).copied().unwrap_or_default();
        let section = OneSpecies { index, scene, first, agents, start: &start, names: &names };
        section.section(ui, own, edits);
    }
}

/// The section of one species.
struct OneSpecies<'a> {
    index: usize,
    scene: &'a Scene,
    first: &'a Scene,
    /// Number of its agents at the start.
    agents: u64,
    /// The species at the start.
    start: &'a Species,
    names: &'a TargetNames,
}

impl OneSpecies<'_> {
    /// The header, which folds the section, and what is below it.
    fn section(&self, ui: &mut egui::Ui, species: &mut Species, edits: &mut Vec<Edit>) {
        // A new name does not fold the section.
        let original = species.original.0.and_then(|number| self.first.species.get(number));
        let id = ui.make_persistent_id(match original {
            Some(first) => ("species", first.name.clone()),
            None => ("added species", self.index.to_string()),
        });
        // With one or two species their sections start open.
        let open = self.names.species.len() <= 2;
        let mut state = CollapsingState::load_with_default_open(ui.ctx(), id, open);
        let header = ui.horizontal_wrapped(|ui| {
            let _ = state.show_toggle_button(ui, paint_default_icon);
            let name = RichText::new(&species.name).color(ui.visuals().strong_text_color());
            if ui.add(Label::new(name).selectable(false).sense(Sense::CLICK)).clicked() {
                state.toggle(ui);
            }
            let hint = format!(
                "Add a species like {}. As many agents as that has at the start come, to places as at \
                 the start; the world stays as large as it is.",
                species.name
            );
            let button = egui::Button::new(ADD).frame(false);
            if ui.add(button).on_hover_text(hint).clicked() {
                edits.push(Edit::AddSpecies(species.name.clone()));
            }
            let hint = format!("remove {} and all its agents", species.name);
            if self.names.species.len() > 1 && remove_button(ui, &hint) {
                edits.push(Edit::RemoveSpecies(species.name.clone()));
            }
            let hint = format!(
                "Number of agents of {} at the start, without those that were added since. New ones come \
                 to places as at the start, and those that came last go.",
                species.name
            );
            if let Some(count) = count_field(ui, self.agents, &hint) {
                let species = species.name.clone();
                edits.push(Edit::Count { species, count });
            }
        });
        state.show_body_indented(&header.response, ui, |ui| self.show(ui, species, edits));
    }

    fn show(&self, ui: &mut egui::Ui, species: &mut Species, edits: &mut Vec<Edit>) {
        let mut removed = None;
        for place in 0..species.rules.len() {
            self.behaviour(ui, species, place, &mut removed);
        }
        if let Some(kind) = removed {
            species.remove(kind);
        }
        self.addition(ui, species);
        CollapsingHeader::new("body and looks").default_open(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.add_space(16.0 + ui.spacing().item_spacing.x);
                if let Some(to) = name_field(ui, &species.name) {
                    edits.push(Edit::Rename { species: species.name.clone(), to });
                }
                ui.label("name").on_hover_text("Its name in the scene's file; Enter renames it.");
            });
            self.body(ui, species);
        });
    }

    /// A behaviour: its name, and its parameters below.
    fn behaviour(
        &self,
        ui: &mut egui::Ui,
        species: &mut Species,
        place: usize,
        removed: &mut Option<Kind>,
    ) {
        let Rule { kind, values, .. } = &mut species.rules[place];
        let (kind, info) = (*kind, kind.info());
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            ui.strong(info.key).on_hover_text(story(info.about));
            if remove_button(ui, &format!("remove {}", info.key)) {
                *removed = Some(kind);
            }
        });
        // One that was added is compared with what it was then.
        let added = || Rule::added(kind, self.index, self.names.species.len()).values;
        // A rule whose formulas have changed is the one of the same name.
        let same = |rule: &&Rule| rule.kind == kind || rule.kind.info().key == info.key;
        let start =
            self.start.rules.iter().find(same).filter(|rule| rule.values.len() == values.len());
        let start = start.map_or_else(added, |rule| rule.values.clone());
        let mut rewritten = None;
        ui.push_id(info.key, |ui| {
            rewritten = kind.formula().and_then(|formula| formula::fields(ui, formula));
            for (index, parameter) in info.parameters.iter().enumerate() {
                let slot = Slot::Rule(kind, index);
                let next = values.get(index + 1);
                let Some(name) = own_name(&info.parameters[index..], next, self.names) else {
                    continue;
                };
                let (name, start, names) = (name.as_str(), start[index], self.names);
                let row = ParameterRow { parameter, name, slot, start, names };
                let law = law(&species.variations, slot);
                row.show(ui, &mut values[index], law);
            }
        });
        if let Some(formula) = rewritten {
            species.rewrite(place, formula, self.index);
        }
    }

    /// A choice of the behaviours that the species does not have.
    fn addition(&self, ui: &mut egui::Ui, species: &mut Species) {
        let mut added = None;
        ui.add_space(4.0);
        egui::ComboBox::from_id_salt("add").selected_text("add a behaviour").show_ui(ui, |ui| {
            for kind in Kind::ALL.into_iter().filter(|kind| species.rule(*kind).is_none()) {
                let info = kind.info();
                let why_not = self.scene.why_not(species, kind);
                let choice =
                    ui.add_enabled(why_not.is_none(), egui::Button::selectable(false, info.key));
                let choice = match why_not {
                    Some(why) => choice.on_disabled_hover_text(why),
                    None => choice.on_hover_text(story(info.about)),
                };
                if choice.clicked() {
                    added = Some(kind);
                }
            }
            let hint = "A force that you write as a formula; docs/rules.md teaches it.";
            let room = species.rules.iter().filter(|rule| rule.kind.formula().is_some()).count();
            let choice = egui::Button::selectable(false, "a rule in text");
            let choice = ui.add_enabled(room < MAX_RULES, choice).on_hover_text(hint);
            if choice.clicked()
                && let Some(rule) = formula::new_rule(species, self.scene.world.axes(), self.index)
            {
                species.add_formula(rule);
            }
        });
        let count = self.names.species.len();
        species.rules.extend(added.map(|kind| Rule::added(kind, self.index, count)));
    }

    fn body(&self, ui: &mut egui::Ui, species: &mut Species) {
        let start = self.start;
        let mut looks = SpeciesAppearance::of(species);
        let (in_space, kept) = (!self.scene.world.is_flat(), self.scene.kept_names());
        of_agents(ui, &SpeciesAppearance::of(start), &mut looks, (in_space, kept));
        looks.put(species);
        let table = <Body as Parameters<f32>>::TABLE;
        let mut values = species.body.values();
        for (index, parameter) in table.iter().enumerate() {
            let start = start.body.values()[index];
            let slot = Slot::Body(index);
            let name = parameter.key;
            let row = ParameterRow { parameter, name, slot, start, names: self.names };
            let law = law(&species.variations, slot);
            row.show(ui, &mut values[index], law);
        }
        species.body = Body::read(|i| values[i]);
    }
}

/// The name of the first of `parameters`. A rule's value for species has the names that these have now, by the
/// value of the `next` parameter; `None` if all of them have gone.
fn own_name(parameters: &[Parameter], next: Option<&f32>, names: &TargetNames) -> Option<String> {
    let key = parameters.first()?.key;
    let own = key.strip_prefix(PARAMETERS).and_then(|key| key.strip_prefix('.')).unwrap_or(key);
    let is_set = |set: &&Parameter| set.key == format!("{PARAMETERS}.{SPECIES_OF}{own}");
    let set = parameters.get(1).filter(is_set).and(next).map(|set| *set as u32);
    let Some((set, (own, _))) = set.zip(own.split_once('.')) else { return Some(own.into()) };
    let named = names.species.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1);
    let named: Vec<&str> = named.map(|(_, name)| name.as_str()).collect();
    (!named.is_empty()).then(|| format!("{own}.{}", named.join(", ")))
}

/// The law that a value follows.
fn law(variations: &[Variation], slot: Slot) -> Option<Law> {
    variations.iter().find(|variation| variation.slot == slot).map(|variation| variation.law)
}
