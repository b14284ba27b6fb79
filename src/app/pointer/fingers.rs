//! Fingers on a touch screen act as the mouse does: one is a button, two move and zoom the picture.

use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, Touch, TouchPhase, WindowEvent};

use super::NOTCH;

type Place = PhysicalPosition<f64>;

/// The fingers on the screen.
#[derive(Debug, Default)]
pub struct Fingers {
    /// Number and pixel of each finger, the first one first.
    down: Vec<(u64, Place)>,
    /// The button that they hold.
    held: Option<MouseButton>,
}

impl Fingers {
    /// The events of the mouse for a touch. One finger holds the button `one`, two hold `two`.
    pub fn touch(
        &mut self,
        touch: &Touch,
        (one, two): (MouseButton, MouseButton),
    ) -> Vec<WindowEvent> {
        let Touch { device_id, phase, id, location, .. } = *touch;
        let moved = |position| WindowEvent::CursorMoved { device_id, position };
        let button = |button, state| WindowEvent::MouseInput { device_id, button, state };
        let released = |own| button(own, ElementState::Released);
        let before = self.spread();
        let mut events = Vec::new();
        match phase {
            TouchPhase::Started => {
                self.down.push((id, location));
                events.extend(self.held.take().map(released));
                events.push(moved(self.middle()));
                self.held = [one, two].get(self.down.len() - 1).copied();
                events.extend(self.held.map(|own| button(own, ElementState::Pressed)));
            }
            TouchPhase::Moved => {
                let own = self.down.iter_mut().find(|(own, _)| *own == id);
                let Some((_, place)) = own else { return events };
                *place = location;
                if self.held.is_some() {
                    events.push(moved(self.middle()));
                }
                if let (Some(before), Some(now)) = (before, self.spread()) {
                    let notches = (now / before).ln() as f32 / NOTCH.ln();
                    let delta = MouseScrollDelta::LineDelta(0.0, notches);
                    events.push(WindowEvent::MouseWheel { device_id, delta, phase });
                }
            }
            // Fingers that are left of two or more do nothing.
            TouchPhase::Ended | TouchPhase::Cancelled => {
                self.down.retain(|(own, _)| *own != id);
                events.extend(self.held.take().map(released));
                if self.down.is_empty() {
                    events.push(WindowEvent::CursorLeft { device_id });
                }
            }
        }
        events
    }

    /// The middle of all fingers; pixels.
    fn middle(&self) -> Place {
        let count = self.down.len().max(1) as f64;
        let sum = |of: fn(&Place) -> f64| self.down.iter().map(|(_, place)| of(place)).sum::<f64>();
        Place::new(sum(|place| place.x) / count, sum(|place| place.y) / count)
    }

    /// The distance of two fingers that zoom; pixels.
    fn spread(&self) -> Option<f64> {
        let [(_, one), (_, other)] = self.down[..] else { return None };
        let apart = (one.x - other.x).hypot(one.y - other.y);
        (self.held.is_some() && apart > 0.0).then_some(apart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::event::DeviceId;

    const BUTTONS: (MouseButton, MouseButton) = (MouseButton::Left, MouseButton::Right);
    const DEVICE: DeviceId = DeviceId::dummy();
    const LEFT: WindowEvent = WindowEvent::CursorLeft { device_id: DEVICE };

    fn touch(
        fingers: &mut Fingers,
        id: u64,
        phase: TouchPhase,
        x: f64,
        y: f64,
    ) -> Vec<WindowEvent> {
        let location = Place::new(x, y);
        let touch = Touch { device_id: DEVICE, phase, location, force: None, id };
        fingers.touch(&touch, BUTTONS)
    }

    fn moved(x: f64, y: f64) -> WindowEvent {
        WindowEvent::CursorMoved { device_id: DEVICE, position: Place::new(x, y) }
    }

    fn button(button: MouseButton, state: ElementState) -> WindowEvent {
        WindowEvent::MouseInput { device_id: DEVICE, button, state }
    }

    #[test]
    fn one_finger_is_a_button() {
        let mut fingers = Fingers::default();
        let events = touch(&mut fingers, 7, TouchPhase::Started, 3.0, 5.0);
        assert_eq!(events, [moved(3.0, 5.0), button(MouseButton::Left, ElementState::Pressed)]);
        assert_eq!(touch(&mut fingers, 7, TouchPhase::Moved, 4.0, 5.0), [moved(4.0, 5.0)]);
        let events = touch(&mut fingers, 7, TouchPhase::Ended, 4.0, 5.0);
        assert_eq!(events, [button(MouseButton::Left, ElementState::Released), LEFT]);
    }

    #[test]
    fn two_fingers_move_and_zoom_until_one_goes() {
        let mut fingers = Fingers::default();
        touch(&mut fingers, 1, TouchPhase::Started, 0.0, 0.0);
        let events = touch(&mut fingers, 2, TouchPhase::Started, 100.0, 0.0);
        let (left, right) = BUTTONS;
        assert_eq!(
            events,
            [
                button(left, ElementState::Released),
                moved(50.0, 0.0),
                button(right, ElementState::Pressed)
            ]
        );
        let events = touch(&mut fingers, 2, TouchPhase::Moved, 115.0, 0.0);
        let [way, WindowEvent::MouseWheel { delta, .. }] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!(*way, moved(57.5, 0.0));
        let MouseScrollDelta::LineDelta(_, notches) = delta else { panic!("{delta:?}") };
        assert!((notches - 1.0).abs() < 1e-6, "{notches}");
        let events = touch(&mut fingers, 1, TouchPhase::Cancelled, 0.0, 0.0);
        assert_eq!(events, [button(right, ElementState::Released)]);
        assert_eq!(touch(&mut fingers, 2, TouchPhase::Moved, 300.0, 0.0), []);
        assert_eq!(touch(&mut fingers, 2, TouchPhase::Ended, 300.0, 0.0), [LEFT]);
    }

    #[test]
    fn three_fingers_and_strangers_do_nothing() {
        let mut fingers = Fingers::default();
        for id in 0..3 {
            touch(&mut fingers, id, TouchPhase::Started, id as f64, 0.0);
        }
        assert_eq!(touch(&mut fingers, 1, TouchPhase::Moved, 90.0, 0.0), []);
        assert_eq!(touch(&mut fingers, 9, TouchPhase::Moved, 90.0, 0.0), []);
        assert_eq!(touch(&mut fingers, 9, TouchPhase::Ended, 90.0, 0.0), []);
    }
}
