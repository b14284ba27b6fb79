//! The panel of parameters: those of every species, from the model's declarations.

mod flock;
mod looks;
mod rows;
mod words;

use egui::{Align2, CollapsingHeader};

use super::command::Command;
use crate::model::behaviours::Kind;
use crate::model::parameter::Parameters;
use crate::model::scene::{Body, Law, POINTER, Request, Rule, Scene, Slot, Species, Variation};
use crate::session::{Looks, Thing, values_at_first};
use crate::view::words::counted;
use flock::FlockFields;
use looks::FigureLooks;
use rows::{ParameterRow, TargetNames};
use words::story;

/// What the panel shows.
#[derive(Clone, Debug)]
pub struct FlockPanel<'a> {
    /// The scene as it is edited.
    pub scene: &'a Scene,
    /// The scene before all edits.
    pub first: &'a Scene,
    /// What was asked for beside the scene.
    pub request: Request,
    /// Number of agents at the start.
    pub agents: usize,
    /// The count and the seed that the scene's file says.
    pub written: Written,
    /// The size of pictures and films, if it is not the window's.
    pub picture_size: Option<(u32, u32)>,
}

/// What the file of a scene says of its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// Number of agents.
    pub count: u64,
    /// Seed.
    pub seed: u32,
}

/// The panel, with what the user enters in it.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// What is being entered; none until the panel is shown.
    fields: Option<FlockFields>,
}

impl Controls {
    /// Shows the panel. Returns what the user asks for.
    pub fn show(&mut self, context: &egui::Context, panel: &FlockPanel<'_>) -> Vec<Command> {
        let mut commands = Vec::new();
        let window =
            egui::Window::new("Parameters").anchor(Align2::RIGHT_TOP, [-8.0, 8.0]).auto_sized();
        // As tall as its content, but no taller than the window.
        let highest = (context.content_rect().height() - 70.0).max(120.0);
        window.show(context, |ui| {
            egui::ScrollArea::vertical().max_height(highest).show(ui, |ui| {
                let fields = self.fields.get_or_insert_with(|| FlockFields::of(panel));
                commands.extend(fields.show(ui, panel).map(Command::Restart));
                let before = Looks::of(panel.scene);
                let mut edited = panel.scene.clone();
                all(ui, panel, &mut edited.species);
                commands.extend(things(ui, panel.scene));
                let mut looks = Looks::of(&edited);
                commands.extend(looks::section(ui, panel, &mut looks));
                // Looks and parameters are different edits: only the latter have a tick.
                if looks != before {
                    commands.push(Command::Looks(Box::new(looks)));
                }
                before.put(&mut edited);
                if edited.species != panel.scene.species {
                    commands.push(Command::Change(edited.species));
                }
            });
        });
        commands
    }
}

/// Most obstacles that are listed one by one.
const MOST_LISTED: usize = 12;

/// Targets and obstacles: to add, to remove, and to drag in the world.
fn things(ui: &mut egui::Ui, scene: &Scene) -> Option<Command> {
    let mut command = None;
    let header = CollapsingHeader::new("targets and obstacles").default_open(false);
    header.show(ui, |ui| {
        let mut row = |ui: &mut egui::Ui, name: &str, thing: Thing| {
            ui.horizontal(|ui| {
                let place = thing.place(scene).unwrap_or_default();
                ui.label(format!("{name}  {:.0}, {:.0}", place.x, place.y));
                let button = egui::Button::new(REMOVE).frame(false);
                if ui.add(button).on_hover_text(format!("remove {name}")).clicked() {
                    command = Some(Command::Remove(thing));
                }
            });
        };
        let targets = scene.targets.iter().enumerate().filter(|(_, t)| t.name != POINTER);
        for (index, target) in targets {
            row(ui, &target.name, Thing::Target(index));
        }
        for index in 0..scene.obstacles.len().min(MOST_LISTED) {
            row(ui, &format!("obstacle {}", index + 1), Thing::Obstacle(index));
        }
        if let Some(more @ 1..) = scene.obstacles.len().checked_sub(MOST_LISTED) {
            ui.label(format!("and {}", counted(more as u64, "more obstacle")));
        }
        ui.horizontal(|ui| {
            if ui.button("add a target").clicked() {
                command = Some(Command::AddTarget);
            }
            if ui.button("add an obstacle").clicked() {
                command = Some(Command::AddObstacle);
            }
        });
        ui.weak("drag them in the world");
    });
    command
}

/// The parameters of all species.
fn all(ui: &mut egui::Ui, panel: &FlockPanel<'_>, species: &mut Vec<Species>) {
    let FlockPanel { scene, first, .. } = *panel;
    let hint = "All parameters and behaviours of all species.";
    // It is always there: if it came with the first change, the slider would move away under the mouse.
    let button = egui::Button::new("All as at the start");
    if ui.add_enabled(*species != first.species, button).on_hover_text(hint).clicked() {
        species.clone_from(&first.species);
    }
    let names = TargetNames {
        species: species.iter().map(|species| species.name.clone()).collect(),
        targets: scene.targets.iter().map(|target| target.name.clone()).collect(),
        paths: scene.paths.iter().map(|path| path.name.clone()).collect(),
    };
    for (index, (species, start)) in species.iter_mut().zip(&first.species).enumerate() {
        let header = CollapsingHeader::new(species.name.as_str())
            .id_salt(index)
            // With one or two species their sections start open.
            .default_open(names.species.len() <= 2);
        header.show(ui, |ui| {
            let own = OneSpecies { index, scene, start, names: &names };
            own.show(ui, species);
        });
    }
}

/// The section of one species.
struct OneSpecies<'a> {
    /// Its number.
    index: usize,
    scene: &'a Scene,
    /// The species at the start.
    start: &'a Species,
    names: &'a TargetNames,
}

impl OneSpecies<'_> {
    fn show(&self, ui: &mut egui::Ui, species: &mut Species) {
        let mut removed = None;
        for place in 0..species.rules.len() {
            self.behaviour(ui, species, place, &mut removed);
        }
        if let Some(kind) = removed {
            species.remove(kind);
        }
        self.addition(ui, species);
        CollapsingHeader::new("body and looks").default_open(false).show(ui, |ui| {
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
        let Rule { kind, values } = &mut species.rules[place];
        let (kind, info) = (*kind, kind.info());
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            ui.strong(info.key).on_hover_text(story(info.about));
            let button = egui::Button::new(REMOVE).frame(false);
            if ui.add(button).on_hover_text(format!("remove {}", info.key)).clicked() {
                *removed = Some(kind);
            }
        });
        let start = values_at_first(self.start, self.index, kind);
        ui.push_id(info.key, |ui| {
            for (index, parameter) in info.parameters.iter().enumerate() {
                let row = ParameterRow { parameter, start: start[index], names: self.names };
                let law = law(&species.variations, Slot::Rule(kind, index));
                row.show(ui, &mut values[index], law);
            }
        });
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
        });
        species.rules.extend(added.map(|kind| Rule::by_default(kind, self.index)));
    }

    fn body(&self, ui: &mut egui::Ui, species: &mut Species) {
        let start = self.start;
        let own = FigureLooks {
            look: &mut species.look,
            colour: &mut species.colour,
            palette: &mut species.palette,
            smallest: &mut species.smallest,
            in_space: !self.scene.world.is_flat(),
        };
        own.rows(ui, (start.look, start.colour, &start.palette, start.smallest));
        let table = <Body as Parameters<f32>>::TABLE;
        let mut values = species.body_values();
        for (index, parameter) in table.iter().enumerate() {
            let start = start.body_values()[index];
            let row = ParameterRow { parameter, start, names: self.names };
            let law = law(&species.variations, Slot::Body(index));
            row.show(ui, &mut values[index], law);
        }
        species.body = Body::read(|i| values[i]);
    }
}

/// The sign of the button that removes a behaviour.
const REMOVE: &str = "×";

/// The law that a value follows.
fn law(variations: &[Variation], slot: Slot) -> Option<Law> {
    variations.iter().find(|variation| variation.slot == slot).map(|variation| variation.law)
}

#[cfg(test)]
mod tests;
