//! Things of the world in the panel: targets, obstacles and paths. They come and go here, and are
//! dragged in the world.

use egui::CollapsingHeader;

use super::FlockPanel;
use super::value_rows::{name_field, remove_button, with_way_back};
use crate::command::Command;
use crate::keys::Action;
use crate::tools::Tool;
use flockwork_model::scene::{POINTER, Scene};
use flockwork_model::scenery::Path;
use flockwork_session::{Edit, SceneObject, Splice};
use flockwork_view::words::counted;

/// Most obstacles that are listed one by one.
const MAX_LISTED: usize = 12;

/// Shows the section. The wishes of the user go to `commands`.
pub fn section(ui: &mut egui::Ui, panel: &FlockPanel<'_>, commands: &mut Vec<Command>) {
    let header = CollapsingHeader::new("targets, obstacles, paths").default_open(false);
    header.show(ui, |ui| {
        // The buttons come first: what they add must not move them away under the mouse.
        ui.horizontal(|ui| {
            if ui.button("add a target").clicked() {
                commands.push(Command::Edit(Edit::AddTarget(panel.middle)));
            }
            if ui.button("add an obstacle").clicked() {
                commands.push(Command::Edit(Edit::AddObstacle(panel.middle)));
            }
        });
        ui.horizontal(|ui| {
            let draws = matches!(panel.tool, Some(Tool::Path(_)));
            let hint = "P: click or drag in the world; Enter or a double click ends the path, a click \
                        on its first point closes it, Esc lets it be.";
            let button = egui::Button::new("draw a path").selected(draws);
            if ui.add(button).on_hover_text(hint).clicked() {
                commands.push(Command::Act(Action::DrawPath));
            }
            let paints = matches!(panel.tool, Some(Tool::Walls));
            let hint = "W: a drag in the world lays obstacles without a gap between them. Agents that \
                        have the behaviour avoid keep clear of them.";
            let button = egui::Button::new("paint walls").selected(paints);
            if ui.add(button).on_hover_text(hint).clicked() {
                commands.push(Command::Act(Action::PaintWalls));
            }
        });
        ui.weak("drag them in the world");
        let scene = panel.scene;
        let targets = scene.targets.iter().enumerate().filter(|(_, t)| t.name != POINTER);
        for (index, target) in targets {
            commands.extend(row(ui, scene, &target.name, SceneObject::Target(index)));
        }
        for index in 0..scene.obstacles.len().min(MAX_LISTED) {
            let name = format!("obstacle {}", index + 1);
            commands.extend(row(ui, scene, &name, SceneObject::Obstacle(index)));
        }
        if let Some(more @ 1..) = scene.obstacles.len().checked_sub(MAX_LISTED) {
            ui.label(format!("and {}", counted(more as u64, "more obstacle")));
        }
        let mut edits = Vec::new();
        for (index, path) in scene.paths.iter().enumerate() {
            let first = panel.first.paths.iter().find(|first| first.name == path.name);
            let asked = ui.push_id(("path", index), |ui| path_row(ui, index, path, first)).inner;
            edits.extend(asked.map(Command::Edit));
        }
        // The last path first: where one goes, those behind it get other numbers.
        commands.extend(edits.into_iter().rev());
    });
}

/// The row of a target or an obstacle.
fn row(ui: &mut egui::Ui, scene: &Scene, name: &str, object: SceneObject) -> Option<Command> {
    let row = ui.horizontal_wrapped(|ui| {
        let place = object.place(scene).unwrap_or_default();
        let axes = &place.to_array()[..scene.world.axes()];
        let axes: Vec<String> = axes.iter().map(|axis| format!("{axis:.0}")).collect();
        ui.label(format!("{name}  {}", axes.join(", ")));
        let clicked = remove_button(ui, &format!("remove {name}"));
        clicked.then(|| Command::Edit(Edit::removing(scene, object)))
    });
    row.inner
}

/// The rows of a path: its name, and what else it has. `first` is the path of the same name at the start.
fn path_row(ui: &mut egui::Ui, index: usize, path: &Path, first: Option<&Path>) -> Option<Edit> {
    let mut edited = path.clone();
    let row = ui.horizontal(|ui| {
        if let Some(name) = name_field(ui, &path.name) {
            edited.name = name;
        }
        remove_button(ui, &format!("remove {}", path.name))
    });
    let changed = first.is_some_and(|f| (f.closed, f.shown) != (path.closed, path.shown));
    let back = with_way_back(ui, changed, "what it was at the start", |ui| {
        ui.horizontal(|ui| {
            ui.checkbox(&mut edited.closed, "closed")
                .on_hover_text("Its last point connects to the first.");
            ui.checkbox(&mut edited.shown, "shown")
                .on_hover_text("Pictures show it, and its points can be dragged.");
        });
    });
    if let Some(first) = first.filter(|_| back) {
        (edited.closed, edited.shown) = (first.closed, first.shown);
    }
    match row.inner {
        true => Some(Edit::Paths(Splice::removing(index))),
        false => (edited != *path).then(|| Edit::Paths(Splice::replacing(index, edited))),
    }
}
