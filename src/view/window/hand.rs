//! Mouse and keys: what the user wants.

use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta};
use winit::keyboard::{Key, NamedKey};

use crate::model::vector::Point;
use crate::model::world::World;
use crate::view::camera::Camera;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pause, or go on.
    Pause,
    /// One tick.
    Step,
    /// Back to the first state.
    Reset,
    /// The other engine.
    SwitchEngine,
    /// The whole screen, or a window again.
    FullScreen,
    /// Show or hide the sliders.
    Sliders,
    /// Show or hide the overlay.
    Overlay,
    /// See the whole world again.
    WholeWorld,
    /// Close.
    Quit,
}

impl Action {
    /// The action of a key that goes down.
    #[must_use]
    pub fn of(event: &KeyEvent) -> Option<Self> {
        if event.state != ElementState::Pressed {
            return None;
        }
        let action = Self::of_key(&event.logical_key)?;
        // Holding a key down steps on, and does not toggle to and fro.
        (!event.repeat || action == Self::Step).then_some(action)
    }

    fn of_key(key: &Key) -> Option<Self> {
        match key {
            Key::Named(NamedKey::Space) => Some(Self::Pause),
            Key::Named(NamedKey::Escape) => Some(Self::Quit),
            Key::Named(NamedKey::Tab) => Some(Self::Sliders),
            Key::Named(NamedKey::F11) => Some(Self::FullScreen),
            Key::Named(NamedKey::Home) => Some(Self::WholeWorld),
            Key::Character(text) => match text.as_str() {
                "." => Some(Self::Step),
                "r" | "R" => Some(Self::Reset),
                "e" | "E" => Some(Self::SwitchEngine),
                "h" | "H" => Some(Self::Overlay),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The mouse and the camera that it moves.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// What is seen.
    pub camera: Camera,
    /// True until the user chooses what to see.
    fitted: bool,
    at: Point,
    panning: bool,
    calling: bool,
}

/// A notch of the wheel magnifies by this factor.
const NOTCH: f32 = 1.15;

/// A touchpad's pixels that count as a notch.
const PIXELS_A_NOTCH: f32 = 40.0;

impl Hand {
    /// Sees the whole world in a picture of `size` pixels.
    #[must_use]
    pub fn new(world: &World, size: (u32, u32)) -> Self {
        let camera = Camera::fit(world, size.0, size.1);
        Self { camera, fitted: true, at: Point::ZERO, panning: false, calling: false }
    }

    /// The picture has another size. The whole world stays in view if it was; else the middle
    /// stays in the middle.
    pub fn resize(&mut self, world: &World, size: (u32, u32)) {
        if size.0 == 0 || size.1 == 0 {
            return;
        }
        if self.fitted {
            self.camera = Camera::fit(world, size.0, size.1);
        } else {
            self.camera.size = Point::new(size.0 as f32, size.1 as f32);
        }
    }

    /// Sees the whole world again.
    pub fn fit(&mut self, world: &World) {
        let size = (self.camera.size.x as u32, self.camera.size.y as u32);
        self.fitted = true;
        self.resize(world, size);
    }

    /// The mouse has moved.
    pub fn move_to(&mut self, pixel: Point) {
        if self.panning {
            self.fitted = false;
            self.camera.pan(pixel - self.at);
        }
        self.at = pixel;
    }

    /// A button has gone down or up. What goes down on the interface is the interface's.
    pub fn press(&mut self, button: MouseButton, state: ElementState, on_interface: bool) {
        let down = state == ElementState::Pressed;
        if down && on_interface {
            return;
        }
        match button {
            MouseButton::Left => self.calling = down,
            MouseButton::Right => self.panning = down,
            _ => {}
        }
    }

    /// The window is no longer at the user's hand: no button is down as far as it knows.
    pub fn let_go(&mut self) {
        self.panning = false;
        self.calling = false;
    }

    /// The wheel has turned.
    pub fn scroll(&mut self, delta: MouseScrollDelta) {
        let notches = match delta {
            MouseScrollDelta::LineDelta(_, lines) => lines,
            MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_A_NOTCH,
        };
        self.fitted = false;
        self.camera.zoom_at(self.at, NOTCH.powf(notches));
    }

    /// Where in the world the flock is called to, while the left button is down.
    #[must_use]
    pub fn call(&self) -> Option<Point> {
        self.calling.then(|| self.camera.world_from_pixel(self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::world::Boundary;

    const WORLD: World = World { size: Point::new(640.0, 360.0), boundary: Boundary::Wrap };

    #[test]
    fn the_world_stays_fitted_until_the_user_zooms() {
        let mut hand = Hand::new(&WORLD, (1280, 720));
        hand.resize(&WORLD, (640, 360));
        assert_eq!(hand.camera, Camera::fit(&WORLD, 640, 360));
        hand.scroll(MouseScrollDelta::LineDelta(0.0, 2.0));
        let zoomed = hand.camera;
        hand.resize(&WORLD, (0, 0));
        hand.resize(&WORLD, (1280, 720));
        assert_eq!(hand.camera.pixels_per_unit, zoomed.pixels_per_unit);
        assert_eq!(hand.camera.centre, zoomed.centre);
        hand.fit(&WORLD);
        assert_eq!(hand.camera, Camera::fit(&WORLD, 1280, 720));
    }

    #[test]
    fn the_left_button_calls_and_the_right_one_pans() {
        let mut hand = Hand::new(&WORLD, (640, 360));
        hand.move_to(Point::new(10.0, 20.0));
        hand.press(MouseButton::Left, ElementState::Pressed, true);
        assert_eq!(hand.call(), None, "the press was on the interface");
        hand.press(MouseButton::Left, ElementState::Pressed, false);
        assert_eq!(hand.call(), Some(Point::new(10.0, 340.0)));
        hand.press(MouseButton::Left, ElementState::Released, true);
        assert_eq!(hand.call(), None);
        hand.press(MouseButton::Right, ElementState::Pressed, false);
        hand.move_to(Point::new(40.0, 20.0));
        assert_eq!(hand.camera.centre, WORLD.size * 0.5 - Point::new(30.0, 0.0));
        hand.let_go();
        hand.move_to(Point::new(80.0, 20.0));
        assert_eq!(hand.camera.centre, WORLD.size * 0.5 - Point::new(30.0, 0.0));
    }

    #[test]
    fn keys_mean_what_the_help_says() {
        assert_eq!(Action::of_key(&Key::Named(NamedKey::Space)), Some(Action::Pause));
        assert_eq!(Action::of_key(&Key::Character("E".into())), Some(Action::SwitchEngine));
        assert_eq!(Action::of_key(&Key::Character("x".into())), None);
    }
}
