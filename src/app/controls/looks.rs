//! The looks in the panel: what is behind the flock, colours and shapes, trails, the camera.

use std::ops::RangeInclusive;

use egui::{CollapsingHeader, DragValue, Slider, SliderClamping};

use super::FlockPanel;
use super::value_rows::{Choice, colour_button, edited, with_name};
use crate::command::Command;
use crate::keys::Action;
use flockwork_model::kept::{KeptNames, full_name};
use flockwork_model::scene::{
    Background, BoidShape, ColourBy, Follow, Ground, Light, MAX_BACKGROUND_COLOURS,
    MAX_PALETTE_COLOURS, OrWord, OriginalIndex, Palette, Rgb, Style,
};
use flockwork_session::{Appearance, SpeciesAppearance};

/// The choice of colours that have no name.
const OWN: &str = "own colours";

/// The section of the looks that all species share. It changes `looks`; what else the user asks for goes
/// to `commands`.
pub fn section(
    ui: &mut egui::Ui,
    panel: &FlockPanel<'_>,
    looks: &mut Appearance,
    commands: &mut Vec<Command>,
) {
    let first = panel.first;
    CollapsingHeader::new("style and camera").default_open(false).show(ui, |ui| {
        let mut style = looks.style.clone();
        let start = &first.style;
        let flat = panel.scene.world.is_flat();
        background(ui, &start.background, &mut style.background);
        let hint = "Agents leave trails, which lose half their light in this many ticks.";
        optional(ui, "trails", hint, (1.0, 120.0, 16.0), start.trail, &mut style.trail);
        if !flat {
            in_space(ui, start, &mut style);
        }
        let mut agents = of_style(&style);
        of_agents(ui, &of_style(start), &mut agents, (!flat, panel.scene.kept_names()));
        (style.look, style.colour) = (agents.look, agents.colour);
        (style.palette, style.smallest) = (agents.palette, agents.smallest);
        let ages = |looks: &Appearance| looks.species.iter().any(|own| own.colour == ColourBy::Age);
        if style.colour == ColourBy::Age || ages(looks) {
            age(ui, start.age, &mut style.age);
        }
        let mut shown = style.shows_frame(flat);
        switch(ui, "frame", "The edges of the world.", start.shows_frame(flat), &mut shown);
        if shown != style.shows_frame(flat) {
            style.frame = Some(shown);
        }
        switch(ui, "legend", "What the colours mean.", start.legend, &mut style.legend);
        if panel.scene.followed_flow().is_some() {
            switch(ui, "arrows", "The flow field.", start.arrows, &mut style.arrows);
        }
        light(ui, start, &mut style, flat);
        if style != looks.style {
            looks.set_style(style);
        }
        follow(ui, first.camera.follow, &mut looks.camera.follow);
        if !flat {
            let hint =
                "The camera goes once round its focus in this many ticks, until you move it.";
            let (OrWord(from), OrWord(orbit)) = (first.camera.orbit, &mut looks.camera.orbit);
            optional(ui, "orbit", hint, (60.0, 7200.0, 3600.0), from, orbit);
        }
        let hint = "V: [camera] gets the present centre, zoom and rotation. Saved with the scene.";
        if ui.button("write this view into the scene").on_hover_text(hint).clicked() {
            commands.push(Command::Act(Action::WriteView));
        }
        let hint = "K: the present view at the present tick. The camera flies from key to key, until you move it. \
                    Saved with the scene.";
        if ui.button("make this view a camera key").on_hover_text(hint).clicked() {
            commands.push(Command::Act(Action::WriteKey));
        }
        commands.extend(picture_size(ui, panel.picture_size));
    });
}

/// The looks of the agents whose species has none of its own.
fn of_style(style: &Style) -> SpeciesAppearance {
    let Style { look, colour, ref palette, smallest, .. } = *style;
    let (name, original) = (String::new(), OriginalIndex::default());
    SpeciesAppearance { name, original, look, colour, palette: palette.clone(), smallest }
}

/// Shows the looks of agents, a row each; `start` is what they were at the start. A plane has no depth to show;
/// `kept` are the numbers that agents keep.
pub fn of_agents(
    ui: &mut egui::Ui,
    start: &SpeciesAppearance,
    own: &mut SpeciesAppearance,
    (in_space, kept): (bool, KeptNames),
) {
    let hint = "The shape of an agent.";
    Choice::new("look", hint, &BoidShape::NAMES).show(ui, &start.look, &mut own.look, |_, _| ());
    colour(ui, start.colour, (in_space, kept), &mut own.colour);
    palette(ui, &start.palette, &mut own.palette);
    let hint =
        "The least length of an agent, in points. A point is a pixel of a picture of 1280 × 720.";
    optional(ui, "smallest", hint, (1.0, 16.0, 6.0), start.smallest, &mut own.smallest);
}

fn background(ui: &mut egui::Ui, start: &Background, value: &mut Background) {
    let names = Background::names();
    let colours = value.colours();
    let own = Background::Colours(if colours.is_empty() { vec![Rgb([0; 3])] } else { colours });
    let hint = "What is behind the flock, from top to bottom.";
    let choice = Choice { own: Some((OWN, own)), ..Choice::new("background", hint, &names) };
    choice.show(ui, start, value, |ui, value| {
        if let Background::Colours(colours) = value {
            list(ui, colours, MAX_BACKGROUND_COLOURS);
        }
    });
}

fn colour(
    ui: &mut egui::Ui,
    start: ColourBy,
    (in_space, kept): (bool, KeptNames),
    value: &mut ColourBy,
) {
    let mut names = ColourBy::NAMES.to_vec();
    names.extend(kept.iter().map(|name| (full_name(name), ColourBy::State(name))));
    names.retain(|(_, by)| in_space || *by != ColourBy::Depth);
    let own = Some(("one colour", ColourBy::Fixed(AMBER)));
    let hint = "What the colour of an agent shows.";
    let choice = Choice { own, in_row: true, ..Choice::new("colour", hint, &names) };
    choice.show(ui, &start, value, |ui, value| {
        if let ColourBy::Fixed(colour) = value {
            colour_button(ui, colour);
        }
    });
}

fn age(ui: &mut egui::Ui, start: u32, value: &mut u32) {
    let hint = "The age at the end of the palette, in ticks. Older agents have its last colour.";
    edited(ui, &start, value, &start.to_string(), |ui, value| {
        let slider = slider(value, 1..=36_000).logarithmic(true);
        with_name(ui, slider, "age", || hint.into());
    });
}

/// The colour to begin with where there is none yet.
const AMBER: Rgb = Rgb([0xE6, 0x9F, 0x00]);

fn palette(ui: &mut egui::Ui, start: &Palette, value: &mut Palette) {
    let names = Palette::names();
    let own = Some((OWN, Palette::Colours(vec![AMBER])));
    let hint = "The colours of what is shown, from low to high.";
    let choice = Choice { own, ..Choice::new("palette", hint, &names) };
    choice.show(ui, start, value, |ui, value| {
        if let Palette::Colours(colours) = value {
            list(ui, colours, MAX_PALETTE_COLOURS);
        }
    });
}

/// A list of 1 to `most` colours: a button for each, and buttons for one more and one less.
fn list(ui: &mut egui::Ui, colours: &mut Vec<Rgb>, most: usize) {
    ui.horizontal_wrapped(|ui| {
        for colour in colours.iter_mut() {
            colour_button(ui, colour);
        }
        if let Some(last) = colours.last().copied().filter(|_| colours.len() < most)
            && ui.small_button("+").on_hover_text("one more colour").clicked()
        {
            colours.push(last);
        }
        if colours.len() > 1 && ui.small_button("−").on_hover_text("one colour less").clicked() {
            colours.pop();
        }
    });
}

/// A switch of the style.
fn switch(ui: &mut egui::Ui, key: &str, hint: &str, start: bool, value: &mut bool) {
    let to = if start { "on" } else { "off" };
    edited(ui, &start, value, to, |ui, value| {
        ui.checkbox(value, key).on_hover_text(hint);
    });
}

/// Keys that only spaces have: light, fog and the floor.
fn in_space(ui: &mut egui::Ui, start: &Style, style: &mut Style) {
    let hint =
        "What lights the agents; auto is nothing before dusk and dawn, and the sun elsewhere.";
    Choice::new("light", hint, &Light::NAMES).show(ui, &start.light, &mut style.light, |_, _| ());
    let hint = "How much fades into the background with the distance.";
    number(ui, ("fog", hint), (0.0, 4.0, 2), start.fog, &mut style.fog);
    let hint = "The floor of the world, with shadows; or water, a mirror.";
    Choice::new("ground", hint, &Ground::NAMES).show(
        ui,
        &start.ground,
        &mut style.ground,
        |_, _| (),
    );
}

/// Keys of what only a graphics adapter draws: matter, exposure, bloom and the sky.
fn light(ui: &mut egui::Ui, start: &Style, style: &mut Style, flat: bool) {
    let hint =
        "Each agent hides this many times as much as its size does; crowds in space cast shade.";
    optional(ui, "matter", hint, (0.5, 50.0, 4.0), start.matter, &mut style.matter);
    exposure(ui, start.exposure, &mut style.exposure);
    if style.exposure.is_none() {
        (style.bloom, style.sun) = (0.0, None);
        return;
    }
    let hint = "The share of the light that spreads.";
    number(ui, ("bloom", hint), (0.0, 1.0, 2), start.bloom, &mut style.bloom);
    if flat {
        return;
    }
    let hint =
        "How high the sun stands over the horizon, in degrees. The background becomes a sky.";
    optional(ui, "sun", hint, (-10.0, 90.0, 5.0), start.sun, &mut style.sun);
    if style.sun.is_some() {
        let hint = "The azimuth of a camera that looks into the sun.";
        let ends = (-180.0, 180.0, 0);
        number(ui, ("sun azimuth", hint), ends, start.sun_azimuth, &mut style.sun_azimuth);
    }
}

fn exposure(ui: &mut egui::Ui, start: Option<OrWord>, value: &mut Option<OrWord>) {
    let names = [("none", None), ("measured", Some(OrWord(None)))];
    let own = Some(("by factor", Some(OrWord(Some(1.0)))));
    let hint = "Light adds up and is exposed as film is: as suits the present picture, or this many \
                times as bright.";
    let choice = Choice { own, ..Choice::new("exposure", hint, &names) };
    choice.show(ui, &start, value, |ui, value| {
        if let Some(OrWord(Some(factor))) = value {
            ui.add(slider(factor, 0.1..=10.0).max_decimals(1));
        }
    });
}

/// A slider that changes nothing until it is moved: a file may have a number beyond its ends, and more decimals.
fn slider<N: egui::emath::Numeric>(value: &mut N, reach: RangeInclusive<N>) -> Slider<'_> {
    Slider::new(value, reach).clamping(SliderClamping::Edits)
}

/// The row of a number: the ends of its slider, and how many decimals it shows.
fn number(
    ui: &mut egui::Ui,
    (key, hint): (&str, &str),
    (low, high, decimals): (f32, f32, usize),
    start: f32,
    value: &mut f32,
) {
    edited(ui, &start, value, &start.to_string(), |ui, value| {
        let slider = slider(value, low..=high).max_decimals(decimals);
        with_name(ui, slider, key, || hint.into());
    });
}

/// The row of a number that may be off. `reach` has the ends of its slider and the number to begin with.
fn optional(
    ui: &mut egui::Ui,
    key: &str,
    hint: &str,
    (low, high, first): (f32, f32, f32),
    start: Option<f32>,
    value: &mut Option<f32>,
) {
    let to = start.map_or("off".into(), |start| start.to_string());
    edited(ui, &start, value, &to, |ui, value| {
        ui.horizontal(|ui| {
            let mut on = value.is_some();
            let text = if on { "" } else { key };
            if ui.checkbox(&mut on, text).on_hover_text(hint).changed() {
                *value = on.then_some(first);
            }
            if let Some(number) = value {
                let slider = slider(number, low..=high).max_decimals(1);
                with_name(ui, slider, key, || hint.into());
            }
        });
    });
}

fn follow(ui: &mut egui::Ui, start: Follow, value: &mut Follow) {
    let names = [("nothing", Follow::None), ("the centre of mass", Follow::Centre)];
    let own = Some(("the agent", Follow::Agent(0)));
    let hint = "What stays in the middle of the picture.";
    let choice = Choice { own, in_row: true, ..Choice::new("follow", hint, &names) };
    choice.show(ui, &start, value, |ui, value| {
        if let Follow::Agent(id) = value {
            ui.add(DragValue::new(id).speed(0.2)).on_hover_text("its id");
        }
    });
}

/// The sizes of pictures and films.
const SIZES: [(&str, Option<(u32, u32)>); 5] = [
    ("window", None),
    ("1280 × 720", Some((1280, 720))),
    ("1920 × 1080", Some((1920, 1080))),
    ("3840 × 2160", Some((3840, 2160))),
    ("1080 × 1920", Some((1080, 1920))),
];

fn picture_size(ui: &mut egui::Ui, size: Option<(u32, u32)>) -> Option<Command> {
    let mut chosen = size;
    let hint = "The size of what F12 and F9 save; pixels.";
    // It has no way back: it is not of the scene.
    Choice::new("pictures and films", hint, &SIZES).show(ui, &size, &mut chosen, |_, _| ());
    (chosen != size).then_some(Command::PictureSize(chosen))
}
