//! The mouse: it moves the camera and acts on the world.

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta};

use crate::model::scene::{Click, Scene};
use crate::model::vector::Point;
use crate::model::world::{Boundary, World};
use crate::view::camera::{Camera, Followed};

/// What the left button does while it is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    /// It is not pressed.
    Nothing,
    /// It holds the target `pointer`, which agents seek or flee.
    Call,
    /// It drops agents.
    Drop,
    /// It drags a target or an obstacle.
    Drag,
}

/// What a drag of the other buttons does to the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drag {
    Nothing,
    /// It moves the picture.
    Pan,
    /// It goes round the focus, in space.
    Orbit,
}

/// The mouse and the camera that it moves.
#[derive(Clone, Debug)]
pub struct Pointer {
    /// What the user sees.
    pub camera: Camera,
    /// True while the camera shows the whole world, until the user moves or zooms it.
    fitted: bool,
    /// True while the camera shows what the scene's own does.
    guided: bool,
    /// True while it keeps what the scene's camera follows in the middle.
    follows: bool,
    at: Vec2,
    drag: Drag,
    grip: Grip,
    /// What a click does in this scene.
    click: Click,
    /// True when a target follows the mouse.
    leads: bool,
    /// True when the mouse has moved and the target has not followed yet.
    led: bool,
    /// True for each [`DropKey`] that is held.
    adding: [bool; 2],
    /// Where to drop agents; world units.
    drops: Vec<Point>,
    /// The pixel of the last drop.
    last_drop: Vec2,
    /// Clicks since [`Pointer::take_clicks`] was called.
    clicks: u32,
    /// True when the dragged thing has not followed the mouse yet.
    moved: bool,
}

/// A notch of the wheel magnifies by this factor.
const NOTCH: f32 = 1.15;

/// Pixels on a touchpad that count as a notch.
const PIXELS_A_NOTCH: f32 = 40.0;

/// Distance between two dropped agents.
const PIXELS_A_DROP: f32 = 8.0;

/// The share of the way to its place behind an agent that a riding camera goes in a frame.
const SOFTLY: f32 = 0.15;
const AT_ONCE: f32 = 1.0;

/// Keys that make the left button drop agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropKey {
    /// D.
    Letter,
    /// Either shift key.
    Shift,
}

impl Pointer {
    /// Moves the camera as the scene says at a tick, until the user moves or zooms it. What it
    /// follows, at `followed`, stays in the middle also when the user has zoomed.
    pub fn guide(&mut self, scene: &Scene, tick: u64, followed: Option<Followed>) {
        let size = (self.camera.size.x as u32, self.camera.size.y as u32);
        let own = Camera::of(scene, tick, followed, size);
        if self.guided {
            self.fitted = own == Camera::fit(&scene.world, size.0, size.1);
            self.camera = own;
        } else if self.follows && followed.is_some() {
            (self.camera.centre, self.camera.period) = (own.centre, own.period);
            if scene.camera.ride
                && let Some(followed) = followed
            {
                self.camera.ride(&followed, AT_ONCE);
            }
        }
    }

    /// Keeps what the scene's camera follows in the middle again.
    pub fn follow(&mut self) {
        self.follows = true;
    }

    /// True if what the scene's camera follows is kept in the middle.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.guided || self.follows
    }

    /// Shows the whole world in a picture of `size` pixels. `click` is the scene's; `follows`: a
    /// target follows the mouse.
    #[must_use]
    pub fn new(world: &World, size: (u32, u32), click: Click, follows: bool) -> Self {
        let camera = Camera::fit(world, size.0, size.1);
        Self {
            camera,
            fitted: true,
            guided: true,
            follows: true,
            at: camera.size * 0.5,
            drag: Drag::Nothing,
            grip: Grip::Nothing,
            click,
            leads: follows,
            led: false,
            adding: [false; 2],
            drops: Vec::new(),
            last_drop: Vec2::ZERO,
            clicks: 0,
            moved: false,
        }
    }

    /// Resizes the picture. The whole world stays in view if it was; otherwise the middle stays in
    /// the middle.
    pub fn resize(&mut self, world: &World, size: (u32, u32)) {
        if size.0 == 0 || size.1 == 0 {
            return;
        }
        if self.fitted {
            self.camera = Camera::fit(world, size.0, size.1);
        } else {
            let size = Vec2::new(size.0 as f32, size.1 as f32);
            // In space as much is seen of the world; in a plane it is as large.
            let ratio = match self.camera.eye {
                Some(_) => size.min_element() / self.camera.size.min_element().max(1.0),
                None => 1.0,
            };
            self.camera = self.camera.resized(size, ratio);
        }
    }

    /// Moves the camera to a place, whatever the scene's camera follows. In a wrapped world there is no edge then: the
    /// world goes on around the place.
    pub fn centre_on(&mut self, world: &World, place: Point) {
        (self.fitted, self.guided, self.follows) = (false, false, false);
        self.camera.centre = place;
        if world.boundary == Boundary::Wrap {
            self.camera.period = world.size;
        }
    }

    /// Rides behind an agent of a space, which [`Pointer::centre_on`] has brought to the middle.
    pub fn ride(&mut self, agent: &Followed) {
        self.camera.ride(agent, SOFTLY);
    }

    /// True while the user moves the camera away from what it follows.
    #[must_use]
    pub fn pans(&self) -> bool {
        self.drag == Drag::Pan
    }

    /// True while a press adds agents because of a key.
    #[must_use]
    pub fn adds(&self) -> bool {
        self.adding.contains(&true)
    }

    /// Shows the whole world again, and follows nothing.
    pub fn fit(&mut self, world: &World) {
        let size = (self.camera.size.x as u32, self.camera.size.y as u32);
        (self.fitted, self.guided, self.follows) = (true, false, false);
        self.resize(world, size);
    }

    /// The mouse has moved.
    pub fn move_to(&mut self, pixel: Vec2) {
        if self.drag == Drag::Pan && pixel != self.at {
            (self.fitted, self.guided, self.follows) = (false, false, false);
            self.camera.pan(pixel - self.at);
        }
        if self.drag == Drag::Orbit && pixel != self.at {
            (self.fitted, self.guided) = (false, false);
            self.camera.orbit(pixel - self.at);
        }
        self.at = pixel;
        match self.grip {
            Grip::Drop => self.drop_on_the_way(),
            Grip::Drag => self.moved = true,
            Grip::Nothing | Grip::Call => {}
        }
    }

    /// The mouse has moved over the world, not over the interface.
    pub fn lead(&mut self) {
        self.led = self.leads;
    }

    /// Drops agents evenly between the last drop and the mouse.
    fn drop_on_the_way(&mut self) {
        let way = self.at - self.last_drop;
        let step = way.normalize_or_zero() * PIXELS_A_DROP;
        for _ in 0..(way.length() / PIXELS_A_DROP) as u32 {
            self.last_drop += step;
            self.drops.push(self.camera.world_from_pixel(self.last_drop));
        }
    }

    /// A button was pressed or released. A press on the interface belongs to the interface.
    pub fn press(&mut self, button: MouseButton, state: ElementState, on_interface: bool) {
        let down = state == ElementState::Pressed;
        if down && on_interface {
            return;
        }
        match button {
            MouseButton::Left if down => self.take_hold(),
            MouseButton::Left => self.grip = Grip::Nothing,
            MouseButton::Right | MouseButton::Middle if !down => self.drag = Drag::Nothing,
            MouseButton::Right if self.camera.eye.is_none() => self.drag = Drag::Pan,
            MouseButton::Right if self.adding[DropKey::Shift as usize] => self.drag = Drag::Pan,
            MouseButton::Right => self.drag = Drag::Orbit,
            MouseButton::Middle if self.camera.eye.is_some() => self.drag = Drag::Pan,
            _ => {}
        }
    }

    fn take_hold(&mut self) {
        if self.adding.contains(&true) || self.click == Click::Add {
            self.grip = Grip::Drop;
            self.last_drop = self.at;
            self.drops.push(self.place());
            return;
        }
        match self.click {
            Click::Call => self.grip = Grip::Call,
            Click::Path | Click::Flee => self.clicks += 1,
            Click::Add | Click::Follow => {}
            Click::Target | Click::Obstacle => {
                self.grip = Grip::Drag;
                self.moved = true;
            }
        }
    }

    /// The left button was pressed on a thing, which follows the mouse until it is released. A click
    /// that does not move leaves the thing where it is.
    pub fn drag(&mut self) {
        self.grip = Grip::Drag;
    }

    /// A [`DropKey`] was pressed or released.
    pub fn hold(&mut self, key: DropKey, down: bool) {
        self.adding[key as usize] = down;
    }

    /// The window has lost the focus: no key and no button counts as pressed.
    pub fn let_go(&mut self) {
        self.drag = Drag::Nothing;
        self.grip = Grip::Nothing;
        self.adding = [false; 2];
    }

    /// The wheel has turned.
    pub fn scroll(&mut self, delta: MouseScrollDelta) {
        let notches = match delta {
            MouseScrollDelta::LineDelta(_, lines) => lines,
            MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_A_NOTCH,
        };
        (self.fitted, self.guided) = (false, false);
        self.camera.zoom_at(self.at, NOTCH.powf(notches));
    }

    /// The mouse's place in the world.
    #[must_use]
    pub fn place(&self) -> Point {
        self.camera.world_from_pixel(self.at)
    }

    /// How far the mouse is above the lower edge of the window; pixels.
    #[must_use]
    pub fn above_edge(&self) -> f32 {
        self.camera.size.y - self.at.y
    }

    /// The place of the target `pointer` while the left button is pressed; world units.
    #[must_use]
    pub fn call(&self) -> Option<Point> {
        (self.grip == Grip::Call).then(|| self.place())
    }

    /// True while a thing is dragged.
    #[must_use]
    pub fn is_dragging(&self) -> bool {
        self.grip == Grip::Drag
    }

    /// Where to move the dragged thing; once per move. A click shorter than a frame counts too.
    pub fn take_drag(&mut self) -> Option<Point> {
        std::mem::take(&mut self.moved).then(|| self.place())
    }

    /// Where to move the target that follows the mouse; once per move.
    pub fn take_lead(&mut self) -> Option<Point> {
        std::mem::take(&mut self.led).then(|| self.place())
    }

    /// Where to drop agents, each place once; world units.
    pub fn take_drops(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.drops)
    }

    /// Clicks since the last call.
    pub fn take_clicks(&mut self) -> u32 {
        std::mem::take(&mut self.clicks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::vector::flat;
    use crate::model::world::Boundary;

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
    fn the_left_button_calls_and_the_right_one_pans() {
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
        assert_eq!(
            (pointer.take_clicks(), pointer.take_drag(), pointer.take_drops().len()),
            (0, None, 0)
        );
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
        assert!(eye(&pointer) == eye(&pointer) && pointer.camera.centre != panned.centre);
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
            assert_eq!(pointer.take_drops(), []);
            assert_eq!(pointer.take_clicks(), 0, "a drop is no click");
            left(&mut pointer, ElementState::Pressed);
            assert_eq!((pointer.take_drops().len(), pointer.take_clicks()), (0, 1));
        }
    }

    #[test]
    fn a_click_adds_one_agent_and_a_drag_more_where_the_scene_says_so() {
        let mut pointer = pointer(Click::Add);
        pointer.move_to(Vec2::new(50.0, 60.0));
        assert_eq!(pointer.take_drops(), []);
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
    fn a_dragged_thing_moves_with_the_mouse() {
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
}
