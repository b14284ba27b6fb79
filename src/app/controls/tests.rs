//! The panel, laid out without a window.

use super::*;
use flockwork_model::behaviours::Kind;
use flockwork_model::scene::Rule;
use flockwork_session::before_edits;

/// A scene as it is at the start, and as it is edited.
fn scenes(text: &str) -> (Scene, Scene) {
    let mut scene = Scene::parse("test", text, &[]).unwrap();
    scene.resize(&Request::default()).unwrap();
    let scene = before_edits(&scene);
    (scene.clone(), scene)
}

/// Lays out the panel with everything unfolded. Returns its texts and what it asks for.
fn panel((first, scene): &(Scene, Scene)) -> (Vec<String>, Vec<Command>) {
    let mut controls = Controls::default();
    let panel = FlockPanel {
        scene,
        first,
        request: Request::default(),
        agents: scene.own_count() as usize,
        written: Written { count: scene.own_count(), seed: scene.seed },
        picture_size: None,
        lift: 0.0,
        by_keyboard: false,
        tool: None,
    };
    let context = egui::Context::default();
    context.memory_mut(|memory| memory.set_everything_is_visible(true));
    let (mut texts, mut commands) = (Vec::new(), Vec::new());
    // A window has no size in its first frame.
    for _ in 0..3 {
        let output = context.run_ui(egui::RawInput::default(), |ui| {
            commands.extend(controls.show(ui.ctx(), &panel));
        });
        texts = output.shapes.iter().flat_map(|clipped| texts_in(&clipped.shape)).collect();
    }
    (texts, commands)
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
    let (texts, commands) = panel(&scenes(
        "[[targets]]\nname = \"food\"\n[[paths]]\nname = \"road\"\npoints = [[0, 0], [9, 9]]\n\
         [[paths]]\nname = \"lane\"\npoints = [[0, 9], [9, 0]]\n\
         [species.a]\nmax_speed = { base = 3, amplitude = 1, period = 50 }\n\
         max_force = { from = 0.1, to = 0.5 }\n\
         [species.a.pursue]\n[species.a.follow_path]\npath = \"lane\"\n[species.b]\n\
         [species.b.arrive]\ntarget = \"food\"\n[species.b.wander]\nkind = \"kick\"\n\
         [species.b.flee]\n",
    ));
    assert!(commands.is_empty(), "{commands:?}");
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
    let (texts, _) = panel(&scenes(
        "[[paths]]\npoints = [[0, 0], [9, 9]]\n[species.a]\n[species.a.follow_path]\n\
         [species.a.alignment]\n",
    ));
    for text in ["with", "path"] {
        assert!(!texts.iter().any(|t| t == text), "{text:?} is in {texts:?}");
    }
    assert!(texts.iter().any(|t| t == "lookahead (world units)"));
}
#[test]
fn what_has_changed_has_a_way_back() {
    let mut scenes = scenes("[species.a]\n[species.a.separation]\n[species.a.cohesion]\n");
    let backs = |texts: &[String]| texts.iter().filter(|text| *text == "←").count();
    assert_eq!(backs(&panel(&scenes).0), 0);
    scenes.1.species[0].rules[0].values[0] = 7.0;
    scenes.1.species[0].body.max_speed = 5.0;
    let (texts, _) = panel(&scenes);
    assert_eq!(backs(&texts), 2, "{texts:?}");
    // What was added is compared with its defaults.
    let wander = Kind::ALL.into_iter().find(|kind| kind.info().key == "wander").unwrap();
    scenes.1.species[0].rules.push(Rule::by_default(wander, 0));
    let (texts, _) = panel(&scenes);
    assert_eq!(backs(&texts), 2, "{texts:?}");
}

#[test]
fn an_added_species_has_its_rows_and_what_is_left_is_compared_with_itself() {
    let mut scenes =
        scenes("[species.a]\ncount = 5\nseparation = {}\n[species.b]\ncohesion = {}\nevade = {}\n");
    let backs = |texts: &[String]| texts.iter().filter(|text| *text == "←").count();
    scenes.1.remove_species(0).unwrap();
    scenes.1.copy_species(0).unwrap();
    let (texts, commands) = panel(&scenes);
    assert!(commands.is_empty(), "{commands:?}");
    assert_eq!(backs(&texts), 0, "{texts:?}");
    for (text, count) in [("b", 2), ("b2", 2), ("a", 0), ("cohesion", 2)] {
        // Once in the header, and once as the name that can be changed.
        let shown = texts.iter().filter(|shown| *shown == text).count();
        assert!(shown >= count && (count > 0 || shown == 0), "{text}: {shown} in {texts:?}");
    }
    scenes.1.species[1].rules[0].values[0] = 7.0;
    assert_eq!(backs(&panel(&scenes).0), 0, "what was added has no start");
    scenes.1.species[0].rules[0].values[0] = 7.0;
    assert_eq!(backs(&panel(&scenes).0), 1);
    scenes.1.rename_species(0, "c").unwrap();
    assert_eq!(backs(&panel(&scenes).0), 1, "what is renamed is compared with what it was");
}

#[test]
fn a_path_has_a_name_and_two_boxes() {
    let mut scenes = scenes("[[paths]]\nname = \"road\"\npoints = [[0, 0], [9, 9]]\n[species.a]\n");
    scenes.1.paths[0].closed = true;
    let (texts, commands) = panel(&scenes);
    assert!(commands.is_empty(), "{commands:?}");
    for text in ["road", "closed", "shown", "draw a path", "paint walls", "←"] {
        assert!(texts.iter().any(|t| t == text), "{text:?} is missing in {texts:?}");
    }
}

#[test]
fn behaviours_come_before_the_body() {
    let (texts, _) = panel(&scenes("[species.a]\n[species.a.separation]\n"));
    let at = |wanted: &str| texts.iter().position(|text| text.starts_with(wanted)).unwrap();
    assert!(at("agents") < at("separation") && at("separation") < at("add a behaviour"));
    assert!(at("add a behaviour") < at("body and looks") && at("body and looks") < at("mass"));
}

#[test]
fn the_panel_fits_a_small_window_above_the_timeline() {
    let (first, scene) =
        scenes("[species.a]\nevade = {}\nseparation = {}\nalignment = {}\ncohesion = {}\n");
    let room = egui::vec2(640.0, 480.0);
    for lift in [0.0, 40.0] {
        let panel = FlockPanel {
            scene: &scene,
            first: &first,
            request: Request::default(),
            agents: 100,
            written: Written { count: 100, seed: 1 },
            picture_size: None,
            lift,
            by_keyboard: false,
            tool: None,
        };
        let context = egui::Context::default();
        let mut controls = Controls::default();
        for _ in 0..4 {
            let screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, room));
            let input = egui::RawInput { screen_rect, ..Default::default() };
            let _ = context.run_ui(input, |ui| {
                controls.show(ui.ctx(), &panel);
            });
        }
        let area = context.memory(|memory| memory.area_rect(egui::Id::unique(ID))).unwrap();
        assert!(area.height() > 300.0 && area.bottom() <= 480.0 - lift, "{area:?}");
        assert!(area.left() > 200.0 && area.right() <= 640.0, "{area:?}");
        assert_eq!(left_edge(&context), area.left());
    }
}

/// A panel over `scenes` in a window of 640 × 480 points.
struct Small {
    context: egui::Context,
    controls: Controls,
}

impl Small {
    fn new() -> Self {
        Self { context: egui::Context::default(), controls: Controls::default() }
    }

    /// Lays out a frame. Returns its shapes.
    fn frame(
        &mut self,
        (first, scene): &(Scene, Scene),
        events: Vec<egui::Event>,
    ) -> Vec<egui::epaint::ClippedShape> {
        let panel = FlockPanel {
            scene,
            first,
            request: Request::default(),
            agents: scene.own_count() as usize,
            written: Written { count: scene.own_count(), seed: scene.seed },
            picture_size: None,
            lift: 0.0,
            by_keyboard: true,
            tool: None,
        };
        let room = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(640.0, 480.0));
        let input = egui::RawInput { screen_rect: Some(room), events, ..Default::default() };
        let controls = &mut self.controls;
        let output = self.context.run_ui(input, |ui| {
            controls.show(ui.ctx(), &panel);
        });
        output.shapes
    }
}

fn tab() -> Vec<egui::Event> {
    vec![egui::Event::Key {
        key: egui::Key::Tab,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: egui::Modifiers::NONE,
    }]
}

#[test]
fn no_name_is_below_the_scroll_bar() {
    let scenes = scenes("[species.a]\n");
    let mut small = Small::new();
    small.context.memory_mut(|memory| memory.set_everything_is_visible(true));
    let mut shapes = Vec::new();
    for _ in 0..4 {
        shapes = small.frame(&scenes, Vec::new());
    }
    let area = small.context.memory(|memory| memory.area_rect(egui::Id::unique(ID))).unwrap();
    // Names end with a unit. Tooltips are shown too.
    let named = |shown: &&egui::epaint::ClippedShape| {
        texts_in(&shown.shape).first().is_some_and(|text| text.ends_with(')'))
    };
    let names: Vec<_> = shapes.iter().filter(named).collect();
    assert!(names.iter().any(|shown| texts_in(&shown.shape)[0].contains("tick²")));
    // The frame has a margin of 6 points, and the bar is 6 points wide.
    for shown in names {
        let right = shown.shape.visual_bounding_rect().right();
        assert!(right <= area.right() - 12.0, "{:?} {right} {area}", texts_in(&shown.shape));
    }
}

/// The place of the frame round what has the keyboard.
fn marked(shapes: &[egui::epaint::ClippedShape]) -> Option<egui::Rect> {
    let grey = egui::Color32::from_gray(200);
    shapes.iter().find_map(|shown| match &shown.shape {
        egui::Shape::Rect(frame) if frame.stroke.color == grey => {
            shown.clip_rect.contains_rect(frame.rect).then_some(frame.rect)
        }
        _ => None,
    })
}

#[test]
fn the_first_key_shows_where_the_keyboard_is() {
    let scenes = scenes("[species.a]\nseparation = {}\n");
    let mut small = Small::new();
    for _ in 0..3 {
        assert_eq!(marked(&small.frame(&scenes, Vec::new())), None);
    }
    let mut places = Vec::new();
    for _ in 0..3 {
        small.frame(&scenes, tab());
        places.push(marked(&small.frame(&scenes, Vec::new())).unwrap());
    }
    assert!(places[0] != places[1] && places[1] != places[2], "{places:?}");
}

#[test]
fn the_keyboard_stays_near_a_button_that_goes_away() {
    let before = scenes("[species.a]\nseparation = {}\n");
    let mut changed = before.clone();
    changed.1.species[0].rules[0].values[0] = 7.0;
    let mut small = Small::new();
    let button = |shapes: &[egui::epaint::ClippedShape]| {
        let arrow = |shown: &&egui::epaint::ClippedShape| texts_in(&shown.shape) == ["←"];
        shapes.iter().find(arrow).map(|shown| shown.shape.visual_bounding_rect().center())
    };
    let mut found = None;
    for _ in 0..40 {
        small.frame(&changed, tab());
        let shapes = small.frame(&changed, Vec::new());
        found = button(&shapes);
        if marked(&shapes).is_some_and(|frame| found.is_some_and(|place| frame.contains(place))) {
            break;
        }
        found = None;
    }
    let button = found.unwrap();
    for _ in 0..3 {
        small.frame(&before, Vec::new());
    }
    let place = marked(&small.frame(&before, Vec::new())).unwrap();
    assert!(place.y_range().contains(button.y), "{place} is not in the row of {button}");
    assert!(small.context.memory(|memory| memory.focused().is_some()));
}

#[test]
fn a_colour_is_typed_and_all_signs_of_its_picker_are_there() {
    use egui::Event::{Key, PointerButton, PointerMoved, Text};
    let context = egui::Context::default();
    let mut colour = flockwork_model::scene::Rgb([230, 159, 0]);
    let mut frame = |events: Vec<egui::Event>| {
        let input = egui::RawInput { events, ..Default::default() };
        let output = context.run_ui(input, |ui| rows::colour_button(ui, &mut colour));
        let text = |shown: &egui::epaint::ClippedShape| match &shown.shape {
            egui::Shape::Text(text) => {
                Some((text.galley.text().to_string(), shown.shape.visual_bounding_rect().center()))
            }
            _ => None,
        };
        (output.shapes.iter().filter_map(text).collect::<Vec<_>>(), colour)
    };
    let press = |pos, pressed| PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    let click = |frame: &mut dyn FnMut(Vec<egui::Event>) -> _, pos| {
        frame(vec![PointerMoved(pos)]);
        frame(vec![press(pos, true)]);
        frame(vec![press(pos, false)]);
        (0..3).map(|_| frame(Vec::new())).last().unwrap()
    };
    frame(Vec::new());
    let (texts, _): (Vec<(String, egui::Pos2)>, _) = click(&mut frame, egui::pos2(16.0, 10.0));
    let (_, field) = texts.iter().find(|(text, _)| text == "#E69F00").unwrap();
    let signs: String = texts.iter().map(|(text, _)| text.as_str()).collect();
    click(&mut frame, *field);
    let key =
        |key, modifiers| Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
    frame(vec![key(egui::Key::A, egui::Modifiers::COMMAND)]);
    frame(vec![Text("00ff7f".into())]);
    frame(vec![key(egui::Key::Enter, egui::Modifiers::NONE)]);
    let (_, typed) = frame(Vec::new());
    assert_eq!(typed.0, [0, 255, 127]);
    let font = egui::FontId::default();
    for sign in signs.chars() {
        assert!(context.fonts_mut(|fonts| fonts.has_glyph(&font, sign)), "{sign:?}");
    }
}
