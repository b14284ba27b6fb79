//! The mouse: it moves the camera and acts on the world.

pub mod fingers;

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta};

use flockwork_model::scene::{Click, Scene};
use flockwork_model::vector::Point;
use flockwork_model::world::{Boundary, World};
use flockwork_view::camera::{Camera, Followed};

/// The action of the left button while it is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    /// It is not pressed.
    Nothing,
    /// It holds the target `pointer`, which agents seek or flee.
    Call,
    Drop,
    /// It drags a target or an obstacle.
    Drag,
    /// It draws a path or a wall.
    Draw,
}

/// The camera's motion during a drag of the other buttons.
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
    /// The view that the user sees.
    pub camera: Camera,
    /// True while the camera shows the whole world, until the user moves or zooms it.
    fitted: bool,
    /// True while the camera shows what the scene's own does.
    pub guided: bool,
    /// True while it keeps what the scene's camera follows in the middle.
    follows: bool,
    /// The mouse; pixels.
    pub at: Vec2,
    drag: Drag,
    grip: Grip,
    /// The action of a click in this scene.
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
    /// Where a path or a wall was drawn; world units.
    stroke: Vec<Point>,
    /// Pixels between two places of it.
    stroke_step: f32,
    /// Clicks since [`Pointer::take_clicks`] was called.
    clicks: u32,
    /// True when the dragged object has not followed the mouse yet.
    moved: bool,
}

/// A notch of the wheel magnifies by this factor.
const NOTCH: f32 = 1.15;

/// Pixels on a touchpad that count as a notch.
const PIXELS_A_NOTCH: f32 = 40.0;

/// Distance between two dropped agents.
const PIXELS_A_DROP: f32 = 8.0;

/// Most places of one move of the mouse.
const MAX_ON_THE_WAY: f32 = 4096.0;

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
    /// Moves the camera as the scene says at a tick, until the user moves or zooms it. The agent that it
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
    pub fn follows(&self) -> bool {
        self.guided || self.follows
    }

    /// Shows the whole world in a picture of `size` pixels. `click` is the scene's; `follows`: a
    /// target follows the mouse.
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
            stroke: Vec::new(),
            stroke_step: PIXELS_A_DROP,
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
    pub fn pans(&self) -> bool {
        self.drag == Drag::Pan
    }

    /// True while a press adds agents because of a key.
    pub fn adds(&self) -> bool {
        self.adding.contains(&true)
    }

    /// Shows the whole world again, and follows nothing.
    pub fn fit(&mut self, world: &World) {
        let size = (self.camera.size.x as u32, self.camera.size.y as u32);
        (self.fitted, self.guided, self.follows) = (true, false, false);
        self.resize(world, size);
    }

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
            Grip::Drop => {
                let places = self.on_the_way(PIXELS_A_DROP);
                self.drops.extend(places);
            }
            Grip::Draw => {
                let places = self.on_the_way(self.stroke_step);
                self.stroke.extend(places);
            }
            Grip::Drag => self.moved = true,
            Grip::Nothing | Grip::Call => {}
        }
    }

    /// The mouse has moved over the world, not over the interface.
    pub fn lead(&mut self) {
        self.led = self.leads;
    }

    /// Places between the last one and the mouse, `apart` pixels from each other.
    fn on_the_way(&mut self, apart: f32) -> Vec<Point> {
        let way = self.at - self.last_drop;
        let step = way.normalize_or_zero() * apart;
        let count = (way.length() / apart).min(MAX_ON_THE_WAY) as u32;
        let mut places = Vec::new();
        for _ in 0..count {
            self.last_drop += step;
            places.push(self.camera.world_from_pixel(self.last_drop));
        }
        places
    }

    /// The left button was pressed to draw: a place every `step` pixels, until it is released.
    pub fn draw(&mut self, step: f32) {
        self.grip = Grip::Draw;
        self.stroke_step = step.max(1.0);
        self.last_drop = self.at;
        self.stroke.push(self.place());
    }

    /// Where the pointer has drawn, each place once; world units.
    pub fn take_stroke(&mut self) -> Vec<Point> {
        std::mem::take(&mut self.stroke)
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
            MouseButton::Middle => self.drag = Drag::Pan,
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

    /// The left button was pressed on an object, which follows the mouse until it is released. A click
    /// that does not move leaves the object where it is.
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

    pub fn scroll(&mut self, delta: MouseScrollDelta) {
        let notches = match delta {
            MouseScrollDelta::LineDelta(_, lines) => lines,
            MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_A_NOTCH,
        };
        (self.fitted, self.guided) = (false, false);
        self.camera.zoom_at(self.at, NOTCH.powf(notches));
    }

    pub fn place(&self) -> Point {
        self.camera.world_from_pixel(self.at)
    }

    /// How far the mouse is above the lower edge of the window; pixels.
    pub fn above_edge(&self) -> f32 {
        self.camera.size.y - self.at.y
    }

    /// The place of the target `pointer` while the left button is pressed; world units.
    pub fn call(&self) -> Option<Point> {
        (self.grip == Grip::Call).then(|| self.place())
    }

    pub fn is_dragging(&self) -> bool {
        self.grip == Grip::Drag
    }

    /// Where to move the dragged object; once per move. A click shorter than a frame counts too.
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

    pub fn take_clicks(&mut self) -> u32 {
        std::mem::take(&mut self.clicks)
    }
}

#[cfg(test)]
mod tests;
