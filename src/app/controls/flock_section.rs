//! The number of agents, their density and the seed: what starts the scene again.

use egui::{DragValue, Key};

use super::FlockPanel;
use super::value_rows::{typed, with_way_back};
use flockwork_model::scene::Request;

/// Values that the user has entered and the flock does not have yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlockFields {
    count: u64,
    density: f32,
    seed: u32,
}

impl FlockFields {
    /// The values of the flock that is shown.
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
        let begun = &panel.begun;
        // With the present species.
        let first_count = begun.count.unwrap_or(panel.scene.own_count());
        let mut next = *self;
        let mut entered = false;
        let to = first_count.to_string();
        let back = with_way_back(ui, now.count != first_count, &to, |ui| {
            // A flock of none, or of too many, is refused with a sentence.
            let field = typed(&mut next.count, now.count).speed(1.0);
            let hint = "The flock starts again with this many agents.";
            entered |= row(ui, field, "agents", hint);
        });
        if back {
            (next.count, entered) = (first_count, true);
        }
        if now.density > 0.0 {
            with_way_back(ui, false, "", |ui| {
                let field = typed(&mut next.density, now.density).range(1e-3..=f32::MAX).speed(0.1);
                let hint = "Mean number of neighbours within the largest radius, if the agents were \
                            spread evenly. The world is sized for it, and the flock starts again.";
                entered |= row(ui, field, "density (neighbours)", hint);
            });
        }
        let to = begun.seed.to_string();
        let back = with_way_back(ui, now.seed != begun.seed, &to, |ui| {
            let field = typed(&mut next.seed, now.seed).speed(1.0);
            entered |= row(ui, field, "seed", "Of all random numbers. The flock starts again.");
        });
        if back {
            (next.seed, entered) = (begun.seed, true);
        }
        // As typed so far. Esc lets it be.
        *self = if ui.input(|input| input.key_pressed(Key::Escape)) { now } else { next };
        let next = *self;
        let asked = entered && next != now;
        asked.then(|| next.request(&now, panel))
    }

    /// Asks for what is entered in place of what the flock has `now`.
    fn request(&self, now: &Self, panel: &FlockPanel<'_>) -> Request {
        let FlockPanel { scene, first, request, agents, .. } = *panel;
        let sized = request.density.is_some()
            || (scene.density.is_some() && [now.count, self.count] != [scene.own_count(); 2]);
        let other_radius = scene.perception_radius() != first.perception_radius();
        // The density that the scene would be sized for, up to rounding.
        let wanted = request.density.or(scene.density);
        let as_wanted = wanted.is_some_and(|wanted| (wanted - now.density).abs() < 2e-3);
        let density = if self.density != now.density {
            Some(self.density)
        } else if sized && now.density > 0.0 && (other_radius || !as_wanted) {
            // The density that is shown stays: the world must not jump because the count or the seed
            // changes.
            Some(scene.uniform_neighbours(agents) as f32)
        } else {
            // It stays exactly as requested.
            request.density
        };
        Request { count: Some(self.count), density, seed: Some(self.seed) }
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

#[cfg(test)]
mod tests {
    use super::super::tests::flock_panel;
    use super::*;
    use crate::test_window::TestWindow;
    use flockwork_model::behaviours::Kind;
    use flockwork_model::scene::Scene;

    const TEXT: &str =
        "world.density = 10\n[species.a]\ncount = 120\n[species.a.cohesion]\nradius = 50\n";

    /// A scene at the size of `agents`, and the same with another radius.
    fn scenes(agents: u64, radius: f32) -> (Scene, Scene) {
        let mut first = Scene::parse("test", TEXT).unwrap();
        first.resize(&Request { count: Some(agents), ..Request::default() }).unwrap();
        let mut scene = first.clone();
        scene.species[0].rules[0].values[Kind::Cohesion.parameter("radius").unwrap()] = radius;
        (first, scene)
    }

    fn panel(scenes: &(Scene, Scene), agents: u64) -> FlockPanel<'_> {
        FlockPanel {
            request: Request { count: Some(agents), ..Request::default() },
            agents: agents as usize,
            counts: vec![agents],
            ..flock_panel(scenes)
        }
    }

    #[test]
    fn another_seed_leaves_the_world_as_it_is() {
        for (agents, radius, resized) in
            [(600, 50.0, false), (600, 175.0, true), (120, 50.0, false), (120, 175.0, false)]
        {
            let scenes = scenes(agents, radius);
            let panel = panel(&scenes, agents);
            let now = FlockFields::of(&panel);
            let asked = FlockFields { seed: 2, ..now }.request(&now, &panel);
            assert_eq!(asked.density.is_some(), resized, "{agents} agents, {radius}");
            assert_eq!((asked.count, asked.seed), (Some(agents), Some(2)));
            // Asking again for the edited scene gives the same world, up to rounding.
            let text = TEXT.replace("50", &radius.to_string());
            let mut again = Scene::parse("test", &text).unwrap();
            again.resize(&asked).unwrap();
            let (size, wanted) = (again.world.size, scenes.1.world.size);
            assert!((size - wanted).length() < 1e-2, "{size}, not {wanted}");
        }
    }

    #[test]
    fn another_count_keeps_the_density_that_is_shown() {
        // The file's size may differ from the size by its density.
        let text = format!("world.size = [640, 360]\n{TEXT}").replace("50", "25");
        let mut first = Scene::parse("test", &text).unwrap();
        first.resize(&Request::default()).unwrap();
        let scenes = (first.clone(), first);
        let panel = panel(&scenes, 120);
        let now = FlockFields::of(&panel);
        assert!((now.density - 1.023).abs() < 1e-3, "{now:?}");
        for count in [100, 119, 121, 150, 480] {
            let asked = FlockFields { count, ..now }.request(&now, &panel);
            let mut again = Scene::parse("test", &text).unwrap();
            again.resize(&asked).unwrap();
            let area = again.world.volume() / scenes.0.world.volume();
            assert!((area - count as f64 / 120.0).abs() < 1e-3, "{count}: {area}");
        }
    }

    #[test]
    fn a_count_is_asked_for_as_it_is_typed() {
        let scenes = scenes(120, 50.0);
        let panel = panel(&scenes, 120);
        let asked = |typed: &str, key| {
            let (mut fields, mut asked) = (FlockFields::of(&panel), None);
            let mut show = |ui: &mut egui::Ui| asked = asked.or(fields.show(ui, &panel));
            let mut window = TestWindow::default();
            let texts = window.frames(3, &mut show);
            let field = texts.iter().find(|shown| shown.text == "120").unwrap();
            window.click(field.place.center(), &mut show);
            window.frames(2, &mut show);
            window.key(Key::A, egui::Modifiers::COMMAND);
            for letter in typed.chars() {
                window.events.push(egui::Event::Text(letter.into()));
                window.frames(1, &mut show);
            }
            window.key(key, egui::Modifiers::NONE);
            window.frames(2, &mut show);
            asked
        };
        let count = |typed| asked(typed, Key::Enter).and_then(|asked| asked.count);
        assert_eq!(["0", "1,000", "30k"].map(count), [Some(0), Some(1000), None]);
        assert!(asked("7", Key::Escape).is_none());
        for (typed, part) in [("0", "count 0: a flock has 1 to"), ("99999999999", "99999999999")] {
            let error = scenes.0.clone().resize(&asked(typed, Key::Enter).unwrap());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_density_beyond_the_field_is_shown_and_stays() {
        let scenes = scenes(120, 1e6);
        let panel = panel(&scenes, 120);
        let mut fields = FlockFields::of(&panel);
        let before = fields;
        assert!(fields.density > 1e8);
        TestWindow::default().frames(3, |ui| assert!(fields.show(ui, &panel).is_none()));
        assert_eq!(fields, before);
    }
}
