//! The formulas of a rule in text: a field each, with what is wrong beneath it.

use super::value_rows::REMOVE;
use flockwork_model::behaviours::Kind;
use flockwork_model::formula::{Formula, MAX_SUMS, RuleText, is_name};
use flockwork_model::scene::{Rule, Species};

/// The colour of what is wrong.
const WRONG: egui::Color32 = egui::Color32::from_rgb(255, 110, 100);

/// The force of a rule that was just added.
const FIRST_FORCE: &str = "zero";

/// A text that is no formula yet, and the formula that it began with.
#[derive(Clone)]
struct Draft {
    before: String,
    text: String,
    problem: String,
}

/// Shows the formulas of a rule. Returns the rule that the user has made of it.
pub fn fields(ui: &mut egui::Ui, formula: &'static Formula) -> Option<&'static Formula> {
    let mut made = None;
    let text = &formula.text;
    for (nth, (name, sum)) in text.sums.iter().enumerate() {
        let hint = "Added up over the neighbours.";
        let with = |sum: Option<&str>| {
            let mut text = text.clone();
            match sum {
                Some(sum) => text.sums[nth].1 = sum.into(),
                None => drop(text.sums.remove(nth)),
            }
            text
        };
        ui.horizontal(|ui| {
            ui.label(format!("sum {name}")).on_hover_text(hint);
            let gone = egui::Button::new(REMOVE).frame(false);
            // A sum that the force takes cannot go.
            let without = Formula::compiled(with(None), formula.axes);
            let enabled = ui.add_enabled(without.is_ok(), gone);
            let enabled = enabled.on_disabled_hover_text("A formula takes it.");
            if enabled.on_hover_text(format!("remove sum {name}")).clicked() {
                made = without.ok();
            }
        });
        let key = format!("sum.{name}");
        made = field(ui, (&key, sum), formula, |text| with(Some(text))).or(made);
    }
    ui.horizontal(|ui| {
        let hint = match text.turns {
            true => "By how many turns the heading turns, once for each agent.",
            false => "The steering force, once for each agent.",
        };
        ui.label(text.key_of_force()).on_hover_text(hint);
        let free = (1..=MAX_SUMS).map(|nth| format!("sum{nth}"));
        let free = { free }.find(|name| text.sums.iter().all(|(own, _)| own != name));
        let more = egui::Button::new("add a sum");
        let room = text.sums.len() < MAX_SUMS;
        if let Some(name) = free.filter(|_| ui.add_enabled(room, more).clicked()) {
            let mut text = text.clone();
            text.sums.push((name, "1".into()));
            made = Formula::compiled(text, formula.axes).ok();
        }
    });
    let with = |force: &str| RuleText { force: force.into(), ..text.clone() };
    made = field(ui, (text.key_of_force(), &text.force), formula, with).or(made);
    for (nth, own) in text.states.iter().enumerate() {
        let hint = "A number that each agent keeps: its next value.";
        ui.label(format!("state {}", own.name)).on_hover_text(hint);
        let with = |next: &str| {
            let mut text = text.clone();
            text.states[nth].next = next.into();
            text
        };
        let key = format!("state.{}", own.name);
        made = field(ui, (&key, &own.next), formula, with).or(made);
    }
    made
}

/// The field of the formula at a key. The text is taken as soon as all texts of the rule are formulas with it.
fn field(
    ui: &mut egui::Ui,
    (key, own): (&str, &str),
    formula: &'static Formula,
    with: impl Fn(&str) -> RuleText,
) -> Option<&'static Formula> {
    let id = ui.scope_id().with((formula.key, key));
    let draft = ui.data(|data| data.get_temp::<Draft>(id)).filter(|draft| draft.before == own);
    let mut text = draft.as_ref().map_or(own, |draft| &draft.text).to_string();
    let edit = egui::TextEdit::multiline(&mut text)
        .id(id.with("text"))
        .code_editor()
        // Tab goes on, as in every field.
        .lock_focus(false)
        .desired_rows(1)
        // Less a pixel: a wrapped text is rounded up to one, and would widen the panel.
        .desired_width(ui.available_width() - 1.0);
    let response = ui.add(edit);
    let mut made = None;
    if response.changed() {
        let draft = match Formula::compiled(with(&text), formula.axes) {
            Ok(rule) => {
                made = Some(rule);
                None
            }
            Err((wrong, error)) => {
                // A sum that becomes a vector is wrong where it is used.
                let place = if wrong == key { String::new() } else { format!("{wrong}: ") };
                Some(Draft { before: own.into(), text, problem: format!("{place}{error}") })
            }
        };
        keep(ui, id, draft);
    } else if let Some(draft) = draft {
        ui.colored_label(WRONG, draft.problem);
        if ui.input(|input| input.key_pressed(egui::Key::Escape)) {
            keep(ui, id, None);
        }
    }
    made
}

fn keep(ui: &egui::Ui, id: egui::Id, draft: Option<Draft>) {
    ui.data_mut(|data| {
        data.remove::<Draft>(id);
        draft.map(|draft| data.insert_temp(id, draft));
    });
}

/// A rule in text with a name that the species does not have.
pub fn new_rule(species: &Species, axes: usize, own: usize) -> Option<Rule> {
    let name = (1..).map(|nth| format!("rule{nth}")).find(|name| {
        let mut keys = species.rules.iter().map(|rule| rule.kind.info().key);
        is_name(name) && keys.all(|key| key != format!("rules.{name}"))
    })?;
    let text = RuleText { name, force: FIRST_FORCE.into(), ..RuleText::default() };
    let formula = Formula::compiled(text, axes).ok()?;
    Some(Rule::by_default(Kind::Formula(formula), own))
}
