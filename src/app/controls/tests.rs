//! The panel, laid out without a window.

use super::*;
use crate::test_window::{Shown, TestWindow};
use flockwork_model::behaviours::Kind;
use flockwork_model::scene::{Rule, built_in};
use flockwork_session::before_edits;

/// A scene as it is at the start, and as it is edited.
pub fn scenes(text: &str) -> (Scene, Scene) {
    let mut scene = Scene::parse("test", text).unwrap();
    scene.resize(&Request::default()).unwrap();
    let scene = before_edits(&scene);
    (scene.clone(), scene)
}

/// The panel's content for these scenes.
pub fn flock_panel((first, scene): &(Scene, Scene)) -> FlockPanel<'_> {
    FlockPanel {
        scene,
        first,
        request: Request::default(),
        agents: scene.own_count() as usize,
        counts: scene.shares(scene.own_count()),
        begun: Begun { count: None, seed: scene.seed },
        picture_size: None,
        lift: 0.0,
        by_keyboard: false,
        tool: None,
        middle: Point::ZERO,
    }
}

/// Lays out the panel with everything unfolded. Returns its texts and what it asks for.
fn panel(scenes: &(Scene, Scene)) -> (Vec<String>, Vec<Command>) {
    let (mut window, mut controls, mut commands) =
        <(TestWindow, Controls, Vec<Command>)>::default();
    window.unfold(true);
    let panel = flock_panel(scenes);
    let texts = window.frames(3, |ui| controls.show(ui.ctx(), &panel, &mut commands));
    (texts.into_iter().map(|shown| shown.text).collect(), commands)
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
    let words = "look triangle colour heading each none lane food kick turn fov with any";
    for text in words.split(' ').chain(["max_speed ~", "max_force: 0.1 to 0.5"]) {
        assert!(texts.iter().any(|t| t == text), "{text:?} is missing in {texts:?}");
    }
}

/// Files allow more than the sliders of the looks reach.
#[test]
fn looks_beyond_their_sliders_stay_when_they_are_shown() {
    let (texts, commands) = panel(&scenes(
        "world.size = [600, 400, 300]\n[style]\ntrail = 300.25\nsmallest = 40.5\nexposure = 0.256\n\
         bloom = 0.123456\nmatter = 0.125\nfog = 7.125\nsun = 3.25\nsun_azimuth = 500.5\n\
         colour = \"age\"\nage = 50000\n[camera]\norbit = 9000.5\n[species.a]\nsmallest = 33.25\n",
    ));
    assert!(commands.is_empty(), "{commands:?}");
    for text in ["trails", "fog", "sun azimuth", "orbit", "age"] {
        assert!(texts.iter().any(|t| t == text), "{text:?} is missing in {texts:?}");
    }
}

/// The width of the panel of a scene, with its sections folded or all of them unfolded; points.
fn width(window: &mut TestWindow, scenes: &(Scene, Scene), (unfolded, height): (bool, f32)) -> f32 {
    window.unfold(unfolded);
    window.size = egui::vec2(1280.0, height);
    let mut controls = Controls::default();
    window.frames(3, |ui| controls.show(ui.ctx(), &flock_panel(scenes), &mut Vec::new()));
    window.area(ID).width()
}

#[test]
fn no_section_changes_the_width_of_the_panel() {
    let long = "n".repeat(60);
    let crowded = format!(
        "camera.follow = 4000000000\n[style]\ntrail = 16\nsmallest = 8\ncolour = \"age\"\n\
         palette = [\"#112233\", \"#445566\", \"#778899\", \"#AABBCC\", \"#DDEEFF\"]\n\
         [[targets]]\nname = \"{long}\"\nposition = [123456, 123456]\n\
         [[paths]]\nname = \"{long}\"\npoints = [[0, 0], [9, 9]]\n[[paths]]\nname = \"b\"\n\
         points = [[0, 0], [9, 9]]\n[species.{long}]\nfollow_path = {{ path = \"{long}\" }}\n\
         seek = {{ target = \"{long}\" }}\npursue = {{ with = \"{long}2\" }}\n[species.{long}2]\n"
    );
    let mut window = TestWindow::default();
    let one = width(&mut window, &scenes("[species.a]\n"), (false, 720.0));
    for text in built_in().map(|own| own.text).chain([crowded.as_str()]) {
        let scenes = scenes(text);
        for shown in [(false, 720.0), (true, 720.0), (true, 9000.0)] {
            assert_eq!(width(&mut window, &scenes, shown), one, "{shown:?}: {text}");
        }
    }
}

#[test]
fn the_smallest_window_shows_the_whole_panel() {
    let is_whole = |width: f32, height: f32| {
        let mut window = TestWindow::new(width, height);
        let (scenes, mut controls) = (scenes("[species.a]\n"), Controls::default());
        window.frames(3, |ui| controls.show(ui.ctx(), &flock_panel(&scenes), &mut Vec::new()));
        egui::Rect::from_min_size(egui::Pos2::ZERO, window.size).contains_rect(window.area(ID))
    };
    let (width, height) = MIN_WINDOW;
    assert!(is_whole(width as f32, height as f32));
    // The control: the panel does not shrink for ever.
    assert!(!is_whole(200.0, 150.0));
}

#[test]
fn a_click_on_its_title_leaves_the_panel_as_it_is() {
    let scenes = scenes("[species.a]\n");
    let (mut window, mut controls) = (TestWindow::new(1280.0, 760.0), Controls::default());
    let mut show =
        |ui: &mut egui::Ui| controls.show(ui.ctx(), &flock_panel(&scenes), &mut Vec::new());
    window.frames(3, &mut show);
    let before = window.area(ID);
    window.click(before.left_top() + egui::vec2(18.0, 18.0), &mut show);
    window.frames(60, &mut show);
    assert_eq!(window.area(ID), before);
}

#[test]
fn a_window_that_was_low_has_a_high_panel_again() {
    let scenes = scenes("[species.a]\n");
    let (mut window, mut controls) = (TestWindow::new(1280.0, 760.0), Controls::default());
    window.unfold(true);
    let heights = [760.0, 60.0, 760.0].map(|height| {
        window.size.y = height;
        let panel = flock_panel(&scenes);
        window.frames(4, |ui| controls.show(ui.ctx(), &panel, &mut Vec::new()));
        window.area(ID).height()
    });
    assert!(heights[0] > 600.0 && heights[1] < 250.0, "{heights:?}");
    assert_eq!(heights[2], heights[0]);
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
    assert!(texts.iter().any(|t| t == "lookahead"));
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
    // Added behaviours are compared with their defaults.
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
fn a_value_for_species_has_the_names_that_they_have_now() {
    let mut scenes = scenes(
        "[species.a.rules.r]\nparameters.k = { a = 1, b = { from = 0, to = 1 } }\n\
         sum.v = \"k * offset\"\nforce = \"v\"\n[species.b]\n",
    );
    for (before, names) in [("a", ["k.a", "k.b: 0 to 1"]), ("c", ["k.c", "k.b: 0 to 1"])] {
        scenes.1.rename_species(0, before).unwrap();
        let (texts, _) = panel(&scenes);
        let own: Vec<&String> = texts.iter().filter(|text| text.starts_with("k.")).collect();
        assert_eq!(own, names);
    }
    scenes.1.remove_species(1).unwrap();
    assert!(!panel(&scenes).0.iter().any(|text| text.starts_with("k.b")));
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
    let scenes =
        scenes("[species.a]\nevade = {}\nseparation = {}\nalignment = {}\ncohesion = {}\n");
    for lift in [0.0, 40.0] {
        let panel = FlockPanel { lift, ..flock_panel(&scenes) };
        let (mut window, mut controls) = (TestWindow::new(640.0, 480.0), Controls::default());
        window.frames(4, |ui| controls.show(ui.ctx(), &panel, &mut Vec::new()));
        let area = window.area(ID);
        assert!(area.height() > 300.0 && area.bottom() <= 480.0 - lift, "{area:?}");
        assert!(area.left() > 200.0 && area.right() <= 640.0, "{area:?}");
        assert_eq!(left_edge(&window.context), area.left());
    }
}

/// A panel that stays what it is from frame to frame.
#[derive(Default)]
struct Lasting {
    window: TestWindow,
    controls: Controls,
}

impl Lasting {
    /// The texts of the panel as it is after some frames.
    fn shows(&mut self, scenes: &(Scene, Scene)) -> Vec<Shown> {
        let panel = flock_panel(scenes);
        let mut commands = Vec::new();
        let show = |ui: &mut egui::Ui| self.controls.show(ui.ctx(), &panel, &mut commands);
        let texts = self.window.frames(30, show);
        assert!(commands.is_empty(), "{commands:?}");
        texts
    }
}

fn place(texts: &[Shown], what: &str) -> egui::Rect {
    let found = texts.iter().find(|shown| shown.text == what);
    found.unwrap_or_else(|| panic!("{what:?} is missing in {texts:?}")).place
}

#[test]
fn a_new_name_does_not_fold_a_section() {
    // With three species the sections begin folded.
    let mut scenes = scenes("[species.a]\nwander = {}\n[species.b]\n[species.c]\n");
    let mut panel = Lasting::default();
    let has = |texts: &[Shown], what| texts.iter().any(|shown| shown.text == what);
    assert!(!has(&panel.shows(&scenes), "wander"));
    // A click on the name unfolds it.
    let at = place(&panel.shows(&scenes), "a").center();
    let Lasting { window, controls } = &mut panel;
    window.click(at, |ui| controls.show(ui.ctx(), &flock_panel(&scenes), &mut Vec::new()));
    assert!(has(&panel.shows(&scenes), "wander"), "the click");
    scenes.1.rename_species(0, "renamed").unwrap();
    let texts = panel.shows(&scenes);
    assert!(has(&texts, "renamed") && has(&texts, "wander"), "{texts:?}");
}

#[test]
fn a_name_that_is_typed_stays_when_a_click_changes_the_species() {
    let scenes = scenes("[species.a]\nseparation = {}\n");
    let (mut window, mut controls, mut commands) =
        <(TestWindow, Controls, Vec<Command>)>::default();
    let panel = flock_panel(&scenes);
    let mut show = |ui: &mut egui::Ui| controls.show(ui.ctx(), &panel, &mut commands);
    let texts = window.frames(30, &mut show);
    window.click(place(&texts, "body and looks").center(), &mut show);
    let texts = window.frames(30, &mut show);
    // The first one is in the header.
    let name = texts.iter().rfind(|shown| shown.text == "a").unwrap();
    window.click(name.place.center(), &mut show);
    window.events.push(egui::Event::Text("b".into()));
    let texts = window.frames(2, &mut show);
    // The click removes the behaviour, and it ends the field.
    window.click(place(&texts, "×").center(), &mut show);
    let [Command::Edit(Edit::Set(_)), Command::Edit(Edit::Rename { species, to })] = &commands[..]
    else {
        panic!("{commands:?}");
    };
    assert!(species == "a" && to.len() == 2, "{to}");
}

#[test]
fn what_is_added_does_not_move_the_buttons_away() {
    let mut scenes = scenes("[species.a]\n");
    let mut panel = Lasting::default();
    panel.window.unfold(true);
    let before = panel.shows(&scenes);
    for number in 0..20 {
        let at = flockwork_model::vector::flat(10.0 * number as f32, 20.0);
        scenes.1.obstacles.push(flockwork_model::scenery::Obstacle::new(at, 5.0));
    }
    let after = panel.shows(&scenes);
    for button in ["add a target", "add an obstacle", "draw a path", "paint walls"] {
        assert_eq!(place(&after, button), place(&before, button), "{button}");
    }
    assert!(place(&after, "and 8 more obstacles").top() > place(&after, "paint walls").bottom());
}

#[test]
fn a_species_has_the_number_of_its_agents() {
    let scenes = scenes("[species.a]\ncount = 7\n[species.b]\ncount = 5\n");
    let texts = Lasting::default().shows(&scenes);
    for number in ["7", "5"] {
        place(&texts, number);
    }
}
