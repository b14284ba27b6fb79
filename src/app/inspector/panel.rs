//! The panel of one agent.

use egui::{Align2, Color32, RichText, Sense, vec2};

use crate::command::Command;
use crate::keys::Action;
use flockwork_model::behaviours::Kind;
use flockwork_model::scene::Scene;
use flockwork_model::state::FlockState;
use flockwork_model::vector::Point;
use flockwork_view::shapes::geometry::{Steering, colour};
use flockwork_view::words::{counted, grouped};

/// Width of the panel; points.
const WIDTH: f32 = 190.0;

/// The content of the panel.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentFacts {
    pub id: u32,
    pub species: String,
    /// Lines about its motion.
    pub lines: Vec<String>,
    /// Key, colour and strength of each behaviour; shares of the longest force.
    pub forces: Vec<(&'static str, [u8; 3], f32)>,
    /// True if the camera follows it.
    pub followed: bool,
}

impl AgentFacts {
    /// The facts about the agent in a row of `state`.
    pub fn of(
        scene: &Scene,
        state: &FlockState,
        row: usize,
        steering: &Steering,
        followed: bool,
    ) -> Option<Self> {
        let (id, velocity) = (*state.id.get(row)?, state.velocity[row]);
        let species = scene.species.get(usize::from(state.species[row]))?;
        let own = species.of_agent(scene.seed, id);
        let place = state.position[row];
        let heading = velocity.y.atan2(velocity.x).to_degrees().rem_euclid(360.0);
        let (mut direction, mut at) =
            (format!("heading {heading:.0}°"), format!("place {:.0}, {:.0}", place.x, place.y));
        if !scene.world.is_flat() {
            // `+ 0.0` makes a plus of a minus before zero.
            let climb = velocity.z.atan2(velocity.truncate().length()).to_degrees().round() + 0.0;
            direction += &format!(", climb {climb:.0}°");
            at += &format!(", {:.0}", place.z);
        }
        let neighbours = steering.neighbours.len() as u64;
        let share = |force: f32| force / steering.max_force.max(f32::MIN_POSITIVE);
        let of_kind =
            |(kind, force): &(Kind, Point)| (kind.info().key, colour(*kind), share(force.length()));
        let kept = state.kept.get(row).copied().unwrap_or_default();
        let names = species.states().map(|(name, _)| name);
        let kept_lines = names.filter_map(|name| {
            let number = kept[state.kept_names.place(name)?];
            Some(format!("{name} {number:.3}"))
        });
        Some(Self {
            id,
            species: species.name.clone(),
            lines: [
                format!("speed {:.2} of {:.2}", velocity.length(), own.body.max_speed),
                direction,
                at,
                counted(neighbours, "neighbour"),
            ]
            .into_iter()
            .chain(kept_lines)
            .collect(),
            forces: steering.forces.iter().map(of_kind).collect(),
            followed,
        })
    }

    /// Shows the panel, on the left if that is wanted. The wishes of the user go to `commands`.
    pub fn show(
        &self,
        context: &egui::Context,
        lift: f32,
        left: bool,
        commands: &mut Vec<Command>,
    ) {
        let title = format!("Agent {}", grouped(self.id.into()));
        let window = egui::Window::new(title)
            .id(egui::Id::unique("agent"))
            .anchor(
                if left { Align2::LEFT_BOTTOM } else { Align2::RIGHT_BOTTOM },
                [if left { 8.0 } else { -8.0 }, -8.0 - lift],
            )
            .resizable(false)
            .auto_sized();
        window.show(context, |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(RichText::new(&self.species).strong());
            for line in &self.lines {
                ui.label(RichText::new(line).monospace().size(11.5));
            }
            ui.add_space(4.0);
            // The longest bar fits; max_force is never longer than a bar.
            let longest = self.forces.iter().map(|(.., share)| *share).fold(1.0, f32::max);
            for (name, colour, share) in &self.forces {
                force(ui, name, *colour, *share, longest);
            }
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                let mut followed = self.followed;
                let button = ui.toggle_value(&mut followed, "follow");
                if button.on_hover_text("F: the camera follows this agent").clicked() {
                    commands.push(Command::Act(Action::Follow));
                }
                if ui.button("let go").on_hover_text("Esc").clicked() {
                    commands.push(Command::Act(Action::LetGo));
                }
            });
        });
    }
}

/// A behaviour's name, a bar as long as its force, and the force's share of the longest one.
fn force(ui: &mut egui::Ui, name: &str, [r, g, b]: [u8; 3], share: f32, longest: f32) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.spacing_mut().interact_size.y = 0.0;
        let (place, _) = ui.allocate_exact_size(vec2(BAR, 8.0), Sense::hover());
        let mut bar = place;
        bar.set_width(BAR * (share / longest).clamp(0.0, 1.0));
        ui.painter().rect_filled(place, 2.0, Color32::from_gray(45));
        ui.painter().rect_filled(bar, 2.0, Color32::from_rgb(r, g, b));
        ui.label(RichText::new(format!("{name} {share:.2}")).size(11.5));
    })
    .response
    .on_hover_text("its force; 1.00 is max_force");
}

/// Length of the bar of the longest force; points.
const BAR: f32 = 54.0;

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;

    #[test]
    fn facts_are_those_of_the_agent() {
        let text = "world = { size = [200, 100], boundary = \"wrap\" }\n[species.gull]\ncount = 2\n\
                    max_speed = 3\n[species.gull.separation]\nradius = 20\n";
        let scene = Scene::parse("test", text).unwrap();
        let state = FlockState {
            id: vec![3, 1700],
            species: vec![0; 2],
            position: vec![flat(2.0, 50.0), flat(195.0, 50.0)],
            velocity: vec![Point::X, flat(0.0, -2.0)],
            ..FlockState::default()
        };
        let steering = Steering::of(&scene, &scene.scenery(), &[], &state, 1).unwrap();
        let facts = AgentFacts::of(&scene, &state, 1, &steering, true).unwrap();
        assert_eq!((facts.id, facts.species.as_str(), facts.followed), (1700, "gull", true));
        let lines = ["speed 2.00 of 3.00", "heading 270°", "place 195, 50", "1 neighbour"];
        assert_eq!(facts.lines, lines);
        let (name, own, share) = facts.forces[0];
        assert_eq!((name, own), ("separation", colour(Kind::Separation)));
        assert!(share > 0.5, "{share}");
        assert!(AgentFacts::of(&scene, &state, 2, &steering, true).is_none());
    }
}
