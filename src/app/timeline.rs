//! The timeline: a thin bar at the lower edge, folded until a key or the mouse asks for it.

use egui::{Align2, Color32, Key, Pos2, Rect, Sense, Stroke, pos2, vec2};

use super::command::Command;
use super::keys::Action;
use flockwork_session::{Clock, RealTime, SPEEDS, Session};
use flockwork_view::words::grouped;

/// Height of the bar; points. Notices stand above it.
pub const HEIGHT: f32 = 40.0;

/// The mouse unfolds the bar so near to the lower edge; points.
const NEAR: f32 = 26.0;

/// Width of the field for a tick; points.
const FIELD: f32 = 74.0;

/// Colours of the way done, the way to come, and the events on it.
const DONE: Color32 = Color32::from_gray(150);
const TO_COME: Color32 = Color32::from_gray(70);
const EVENT: Color32 = Color32::from_rgb(120, 200, 255);

/// The bar.
#[derive(Clone, Debug, Default)]
pub struct TimeBar {
    /// Unfolded by the key.
    pinned: bool,
    /// Unfolded by the mouse.
    near: bool,
    /// The text that the user types into the field.
    typed: String,
    /// True until the field has the keyboard.
    fresh: bool,
    /// The tick under the mouse while the button is down.
    held: Option<u64>,
}

impl TimeBar {
    pub fn is_shown(&self) -> bool {
        self.pinned || self.near || self.held.is_some()
    }

    /// True if it covers a place that is this far above the lower edge; points. The interface does
    /// not know yet that the mouse has just come there.
    pub fn covers(&self, above_edge: f32) -> bool {
        self.is_shown() && above_edge <= HEIGHT
    }

    /// True while the user drags through time: the clock waits.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    pub fn toggle(&mut self) {
        self.pinned = !self.pinned;
    }

    /// Folds it; false if it was not unfolded by the key.
    pub fn close(&mut self) -> bool {
        std::mem::take(&mut self.pinned)
    }

    /// Unfolds it for a tick to be typed.
    pub fn ask(&mut self) {
        (self.pinned, self.fresh) = (true, true);
    }

    /// Looks where the mouse is. A mouse that drags something through the lower edge unfolds
    /// nothing.
    fn look(&mut self, context: &egui::Context) {
        let edge = context.content_rect().bottom();
        let (at, down) =
            context.input(|input| (input.pointer.hover_pos(), input.pointer.any_down()));
        let reach = if self.near { HEIGHT } else { NEAR };
        let near = at.is_some_and(|at| at.y > edge - reach);
        if !down || !near {
            self.near = near;
        }
    }

    /// Shows the bar if it is unfolded. The wishes of the user go to `commands`.
    pub fn show(
        &mut self,
        context: &egui::Context,
        session: &Session<RealTime>,
        commands: &mut Vec<Command>,
    ) {
        self.look(context);
        if !self.is_shown() {
            return;
        }
        let width = context.content_rect().width();
        let area = egui::Area::new(egui::Id::unique("timeline"))
            .anchor(Align2::LEFT_BOTTOM, [0.0, 0.0])
            .order(egui::Order::Foreground);
        area.show(context, |ui| {
            let frame = egui::Frame::new().fill(Color32::from_black_alpha(215)).inner_margin(8);
            frame.show(ui, |ui| {
                ui.set_width(width - 16.0);
                ui.set_height(HEIGHT - 16.0);
                ui.horizontal_centered(|ui| self.content(ui, session, commands));
            });
        });
    }

    fn content(
        &mut self,
        ui: &mut egui::Ui,
        session: &Session<RealTime>,
        commands: &mut Vec<Command>,
    ) {
        // A clock that waits for the user's drag is not paused.
        if play_button(ui, session.clock.is_paused() && !self.is_held()) {
            commands.push(Command::Act(Action::Pause));
        }
        for (text, hint, action) in [
            ("−1", "comma: one tick back", Action::StepBack),
            ("+1", "period: one tick forward", Action::Step),
        ] {
            let button = egui::Button::new(text).min_size(vec2(24.0, 22.0));
            if ui.add(button).on_hover_text(hint).clicked() {
                commands.push(Command::Act(action));
            }
        }
        let mut speed = session.clock.speed();
        let choice = egui::ComboBox::from_id_salt("speed").width(52.0);
        let choice = choice.selected_text(speed.to_string()).show_ui(ui, |ui| {
            for each in SPEEDS {
                ui.selectable_value(&mut speed, each, each.to_string());
            }
        });
        choice.response.on_hover_text("− and +: ticks a frame, of 60 frames a second");
        if speed != session.clock.speed() {
            commands.push(Command::Speed(speed));
        }
        let track = (ui.available_width() - FIELD - 2.0 * ui.spacing().item_spacing.x).max(40.0);
        commands.extend(self.track(ui, session, track));
        commands.extend(self.field(ui, session));
    }

    /// The way from the first to the last tick, with a mark at every event.
    fn track(
        &mut self,
        ui: &mut egui::Ui,
        session: &Session<RealTime>,
        width: f32,
    ) -> Option<Command> {
        let sense = Sense::click_and_drag();
        let (place, response) = ui.allocate_exact_size(vec2(width, 22.0), sense);
        let line = place.shrink2(vec2(6.0, 0.0));
        let (first, last) = session.span();
        let long = last.saturating_sub(first).max(1) as f64;
        let x = |tick: u64| {
            let share = tick.clamp(first, last).saturating_sub(first) as f64 / long;
            line.left() + share as f32 * line.width()
        };
        let tick_at = |at: Pos2| {
            let share = f64::from(((at.x - line.left()) / line.width()).clamp(0.0, 1.0));
            first + (share * long).round() as u64
        };
        let shown = self.held.or(session.goal()).unwrap_or(session.tick());
        let painter = ui.painter();
        let y = place.center().y;
        let bar = |from: f32, to: f32| {
            Rect::from_min_max(pos2(from, y - 2.0), pos2(to.max(from), y + 2.0))
        };
        painter.rect_filled(bar(line.left(), line.right()), 2.0, TO_COME);
        painter.rect_filled(bar(line.left(), x(session.tick())), 2.0, DONE);
        let mut drawn = f32::MIN;
        for event in session.events() {
            let at = x(event.tick).round();
            // Many events of one drag share a mark.
            if at > drawn {
                painter.vline(at, y - 7.0..=y + 7.0, Stroke::new(1.0, EVENT));
                drawn = at;
            }
        }
        painter.circle_filled(pos2(x(shown), y), 6.0, Color32::from_gray(225));
        if let Some(at) = response.hover_pos() {
            response.clone().on_hover_text_at_pointer(format!("tick {}", grouped(tick_at(at))));
        }
        if !response.is_pointer_button_down_on() {
            self.held = None;
            return None;
        }
        let tick = response.interact_pointer_pos().map(tick_at)?;
        (self.held.replace(tick) != Some(tick)).then_some(Command::GoTo(tick))
    }

    /// The present tick, and a field to type another one.
    fn field(&mut self, ui: &mut egui::Ui, session: &Session<RealTime>) -> Option<Command> {
        let id = egui::Id::unique("tick");
        let typing = ui.memory(|memory| memory.has_focus(id));
        if !typing {
            self.typed = session.goal().unwrap_or(session.tick()).to_string();
        }
        let field = egui::TextEdit::singleline(&mut self.typed).id(id).desired_width(FIELD - 12.0);
        let field = ui.add(field).on_hover_text("J: a tick to go to");
        if std::mem::take(&mut self.fresh) {
            field.request_focus();
        }
        if field.gained_focus() {
            select_all(ui.ctx(), id, &self.typed);
        }
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        entered.then(|| match tick_of(&self.typed) {
            Some(tick) => Command::GoTo(tick),
            None => Command::Tell("a tick is a whole number, for example 1200".into()),
        })
    }
}

/// The button that pauses and goes on, with a drawn sign: the font has none. True when clicked.
fn play_button(ui: &mut egui::Ui, paused: bool) -> bool {
    let button = egui::Button::new("").min_size(vec2(26.0, 22.0));
    let hint = if paused { "Space: play" } else { "Space: pause" };
    let response = ui.add(button).on_hover_text(hint);
    let (middle, colour) = (response.rect.center(), Color32::from_gray(220));
    if paused {
        let corners = [(-4.0, -5.0), (5.0, 0.0), (-4.0, 5.0)].map(|(x, y)| middle + vec2(x, y));
        let sign = egui::Shape::convex_polygon(corners.to_vec(), colour, Stroke::NONE);
        ui.painter().add(sign);
    } else {
        for x in [-3.5, 3.5] {
            let bar = Rect::from_center_size(middle + vec2(x, 0.0), vec2(3.0, 10.0));
            ui.painter().rect_filled(bar, 0.0, colour);
        }
    }
    response.clicked()
}

/// Marks the whole text of a field, so that what is typed replaces it.
fn select_all(context: &egui::Context, id: egui::Id, text: &str) {
    let mut state = egui::TextEdit::load_state(context, id).unwrap_or_default();
    state.cursor.set_char_range(Some(egui::text::CCursorRange::select_all_str(text)));
    state.store(context, id);
}

/// The tick that was typed. Commas, underscores and spaces may group the digits.
fn tick_of(text: &str) -> Option<u64> {
    text.replace([',', '_', ' '], "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_typed_with_or_without_groups() {
        let ticks = ["1200", " 1,200 ", "1_200", "0"].map(tick_of);
        assert_eq!(ticks, [Some(1200), Some(1200), Some(1200), Some(0)]);
        assert_eq!(["", "-1", "ten", "1200.5", "99999999999999999999"].map(tick_of), [None; 5]);
    }

    #[test]
    fn a_key_unfolds_it_and_folds_it() {
        let mut timeline = TimeBar::default();
        assert!(!timeline.is_shown() && !timeline.close());
        timeline.toggle();
        assert!(timeline.covers(HEIGHT) && !timeline.covers(HEIGHT + 1.0));
        assert!(timeline.is_shown() && timeline.close() && !timeline.is_shown());
        timeline.ask();
        assert!(timeline.is_shown() && !timeline.is_held());
    }
}
