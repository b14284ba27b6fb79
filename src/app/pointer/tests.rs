//! The mouse in a plane and in space.

use super::*;
use flockwork_model::vector::flat;
use flockwork_model::world::Boundary;

const WORLD: World = World { size: flat(640.0, 360.0), boundary: Boundary::Wrap };

fn pointer(click: Click) -> Pointer {
    Pointer::new(&WORLD, (640, 360), click, false)
}

fn left(pointer: &mut Pointer, state: ElementState) {
    pointer.press(MouseButton::Left, state, false);
}

#[test]
fn the_world_stays_fitted_until_the_user_zooms() {
    let mut pointer = Pointer::new(&WORLD, (1280, 720), Click::Call, false);
    pointer.resize(&WORLD, (640, 360));
    assert_eq!(pointer.camera, Camera::fit(&WORLD, 640, 360));
    pointer.scroll(MouseScrollDelta::LineDelta(0.0, 2.0));
    let zoomed = pointer.camera;
    pointer.resize(&WORLD, (0, 0));
    pointer.resize(&WORLD, (1280, 720));
    assert_eq!(pointer.camera.pixels_per_unit, zoomed.pixels_per_unit);
    assert_eq!(pointer.camera.centre, zoomed.centre);
    pointer.fit(&WORLD);
    assert_eq!(pointer.camera, Camera::fit(&WORLD, 1280, 720));
}

#[test]
fn the_left_button_calls_and_the_others_pan() {
    let mut pointer = pointer(Click::Call);
    pointer.move_to(Vec2::new(10.0, 20.0));
    pointer.press(MouseButton::Left, ElementState::Pressed, true);
    assert_eq!(pointer.call(), None, "the press was on the interface");
    left(&mut pointer, ElementState::Pressed);
    assert_eq!(pointer.call(), Some(flat(10.0, 340.0)));
    pointer.press(MouseButton::Left, ElementState::Released, true);
    assert_eq!(pointer.call(), None);
    pointer.press(MouseButton::Right, ElementState::Pressed, false);
    pointer.move_to(Vec2::new(40.0, 20.0));
    assert_eq!(pointer.camera.centre, WORLD.size * 0.5 - flat(30.0, 0.0));
    pointer.let_go();
    pointer.move_to(Vec2::new(80.0, 20.0));
    assert_eq!(pointer.camera.centre, WORLD.size * 0.5 - flat(30.0, 0.0));
    pointer.press(MouseButton::Middle, ElementState::Pressed, false);
    pointer.move_to(Vec2::new(80.0, 30.0));
    pointer.press(MouseButton::Middle, ElementState::Released, false);
    pointer.move_to(Vec2::new(10.0, 10.0));
    assert_eq!(pointer.camera.centre, WORLD.size * 0.5 - flat(30.0, -10.0));
    assert_eq!((pointer.take_clicks(), pointer.take_drag()), (0, None));
    assert!(pointer.take_drops().is_empty());
}

#[test]
fn in_space_the_right_button_goes_round_and_the_middle_one_pans() {
    let world = World { size: Point::new(60.0, 40.0, 20.0), boundary: Boundary::Open };
    let mut pointer = Pointer::new(&world, (640, 360), Click::Call, false);
    let first = pointer.camera;
    let eye = |pointer: &Pointer| pointer.camera.eye.unwrap();
    let drag = |pointer: &mut Pointer, button| {
        pointer.move_to(Vec2::new(300.0, 200.0));
        pointer.press(button, ElementState::Pressed, false);
        pointer.move_to(Vec2::new(340.0, 190.0));
        pointer.press(button, ElementState::Released, false);
        pointer.move_to(Vec2::new(10.0, 10.0));
    };
    drag(&mut pointer, MouseButton::Right);
    assert!(eye(&pointer).back.distance(first.eye.unwrap().back) > 0.1);
    assert_eq!(pointer.camera.centre, first.centre);
    let turned = pointer.camera;
    drag(&mut pointer, MouseButton::Middle);
    assert_eq!(eye(&pointer), turned.eye.unwrap());
    let moved = pointer.camera.pixel_from_world(turned.centre) - turned.size * 0.5;
    assert!(moved.distance(Vec2::new(40.0, -10.0)) < 0.1, "{moved}");
    let panned = pointer.camera;
    pointer.hold(DropKey::Shift, true);
    drag(&mut pointer, MouseButton::Right);
    pointer.hold(DropKey::Shift, false);
    assert!(eye(&pointer) == turned.eye.unwrap() && pointer.camera.centre != panned.centre);
    pointer.resize(&world, (1280, 720));
    let (before, after) = (panned.angles().unwrap(), pointer.camera.angles().unwrap());
    assert!((before.fov - after.fov).abs() < 1e-3, "{before:?} {after:?}");
    pointer.fit(&world);
    assert_eq!(pointer.camera, Camera::fit(&world, 1280, 720));
}

#[test]
fn a_drag_with_the_key_down_drops_an_agent_every_eight_pixels() {
    for key in [DropKey::Letter, DropKey::Shift] {
        let mut pointer = pointer(Click::Path);
        pointer.move_to(Vec2::new(100.0, 100.0));
        pointer.hold(key, true);
        left(&mut pointer, ElementState::Pressed);
        // Four moves of seven pixels: drops at 100, 108, 116 and 124.
        for step in 1..=4 {
            pointer.move_to(Vec2::new(100.0 + 7.0 * step as f32, 100.0));
        }
        pointer.hold(key, false);
        let drops = pointer.take_drops();
        assert_eq!(drops, [100.0, 108.0, 116.0, 124.0].map(|x| flat(x, 260.0)));
        assert_eq!(pointer.take_drops(), [], "each is dropped once");
        left(&mut pointer, ElementState::Released);
        pointer.move_to(Vec2::new(300.0, 100.0));
        assert!(pointer.take_drops().is_empty());
        assert_eq!(pointer.take_clicks(), 0, "a drop is no click");
        left(&mut pointer, ElementState::Pressed);
        assert_eq!((pointer.take_drops().len(), pointer.take_clicks()), (0, 1));
    }
}

#[test]
fn a_stroke_has_a_place_at_every_step() {
    let mut pointer = pointer(Click::Path);
    pointer.move_to(Vec2::new(100.0, 100.0));
    pointer.draw(10.0);
    pointer.move_to(Vec2::new(125.0, 100.0));
    pointer.move_to(Vec2::new(125.0, 131.0));
    left(&mut pointer, ElementState::Released);
    pointer.move_to(Vec2::new(300.0, 131.0));
    let stroke = pointer.take_stroke();
    assert_eq!(stroke.len(), 6);
    // The way turns a corner: no two places are farther apart than a step.
    assert!(stroke.windows(2).all(|pair| pair[0].distance(pair[1]) < 10.001), "{stroke:?}");
    assert_eq!((pointer.take_stroke().len(), pointer.take_clicks()), (0, 0));
}

#[test]
fn a_click_adds_one_agent_and_a_drag_more_where_the_scene_says_so() {
    let mut pointer = pointer(Click::Add);
    pointer.move_to(Vec2::new(50.0, 60.0));
    assert!(pointer.take_drops().is_empty());
    left(&mut pointer, ElementState::Pressed);
    left(&mut pointer, ElementState::Released);
    assert_eq!(pointer.take_drops(), [flat(50.0, 300.0)]);
    pointer.move_to(Vec2::new(150.0, 60.0));
    assert_eq!(pointer.take_drops(), [], "the button is up");
    left(&mut pointer, ElementState::Pressed);
    pointer.move_to(Vec2::new(170.0, 60.0));
    assert_eq!(pointer.take_drops().len(), 3);
}

#[test]
fn a_target_follows_the_mouse_without_a_button() {
    let mut pointer = Pointer::new(&WORLD, (640, 360), Click::Flee, true);
    assert_eq!(pointer.take_lead(), None, "it is still until the mouse moves");
    pointer.move_to(Vec2::new(50.0, 60.0));
    assert_eq!(pointer.take_lead(), None, "the mouse is over the interface");
    pointer.lead();
    assert_eq!((pointer.take_lead(), pointer.take_lead()), (Some(flat(50.0, 300.0)), None));
    left(&mut pointer, ElementState::Pressed);
    assert_eq!((pointer.take_clicks(), pointer.take_lead()), (1, None));
    let mut other = Pointer::new(&WORLD, (640, 360), Click::Flee, false);
    other.move_to(Vec2::new(50.0, 60.0));
    other.lead();
    assert_eq!(other.take_lead(), None);
}

#[test]
fn a_dragged_object_moves_with_the_mouse() {
    let mut pointer = pointer(Click::Target);
    pointer.move_to(Vec2::new(50.0, 60.0));
    assert_eq!(pointer.take_drag(), None);
    left(&mut pointer, ElementState::Pressed);
    assert_eq!(pointer.take_drag(), Some(flat(50.0, 300.0)));
    assert_eq!((pointer.take_drag(), pointer.is_dragging()), (None, true));
    pointer.move_to(Vec2::new(51.0, 60.0));
    left(&mut pointer, ElementState::Released);
    assert_eq!(pointer.take_drag(), Some(flat(51.0, 300.0)), "the last move counts too");
    assert_eq!((pointer.is_dragging(), pointer.call()), (false, None));
}
