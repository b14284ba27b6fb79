//! Fingers on a touch screen act as the mouse does: one is a button, two move and zoom the picture.

use winit::dpi::PhysicalPosition;
use winit::event::{MouseButton, Touch, TouchPhase};

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

/// An action of the mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MouseAct {
    /// It moves to a pixel.
    Move(Place),
    /// A button goes down.
    Press(MouseButton),
    /// A button goes up.
    Release(MouseButton),
    /// The wheel turns by some notches.
    Turn(f32),
    /// It leaves the window.
    Leave,
}

impl Fingers {
    /// The actions of the mouse for a touch. One finger holds the button `one`, two hold `two`.
    pub fn touch(
        &mut self,
        touch: &Touch,
        (one, two): (MouseButton, MouseButton),
    ) -> Vec<MouseAct> {
        let Touch { id, location, .. } = *touch;
        let before = self.spread();
        let mut acts = Vec::new();
        match touch.phase {
            TouchPhase::Started => {
                self.down.push((id, location));
                acts.extend(self.held.take().map(MouseAct::Release));
                acts.push(MouseAct::Move(self.middle()));
                self.held = [one, two].get(self.down.len() - 1).copied();
                acts.extend(self.held.map(MouseAct::Press));
            }
            TouchPhase::Moved => {
                let own = self.down.iter_mut().find(|(own, _)| *own == id);
                let Some((_, place)) = own else { return acts };
                *place = location;
                if self.held.is_some() {
                    acts.push(MouseAct::Move(self.middle()));
                }
                if let (Some(before), Some(now)) = (before, self.spread()) {
                    acts.push(MouseAct::Turn((now / before).ln() as f32 / NOTCH.ln()));
                }
            }
            // Fingers that are left of two or more do nothing.
            TouchPhase::Ended | TouchPhase::Cancelled => {
                self.down.retain(|(own, _)| *own != id);
                acts.extend(self.held.take().map(MouseAct::Release));
                if self.down.is_empty() {
                    acts.push(MouseAct::Leave);
                }
            }
        }
        acts
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

    fn touch(fingers: &mut Fingers, id: u64, phase: TouchPhase, x: f64, y: f64) -> Vec<MouseAct> {
        let location = Place::new(x, y);
        let touch = Touch { device_id: DeviceId::dummy(), phase, location, force: None, id };
        fingers.touch(&touch, BUTTONS)
    }

    #[test]
    fn one_finger_is_a_button() {
        let (mut fingers, at) = (Fingers::default(), |x| MouseAct::Move(Place::new(x, 5.0)));
        let acts = touch(&mut fingers, 7, TouchPhase::Started, 3.0, 5.0);
        assert_eq!(acts, [at(3.0), MouseAct::Press(MouseButton::Left)]);
        assert_eq!(touch(&mut fingers, 7, TouchPhase::Moved, 4.0, 5.0), [at(4.0)]);
        let acts = touch(&mut fingers, 7, TouchPhase::Ended, 4.0, 5.0);
        assert_eq!(acts, [MouseAct::Release(MouseButton::Left), MouseAct::Leave]);
    }

    #[test]
    fn two_fingers_move_and_zoom_until_one_goes() {
        let (mut fingers, at) = (Fingers::default(), |x| MouseAct::Move(Place::new(x, 0.0)));
        touch(&mut fingers, 1, TouchPhase::Started, 0.0, 0.0);
        let acts = touch(&mut fingers, 2, TouchPhase::Started, 100.0, 0.0);
        let (left, right) = (MouseButton::Left, MouseButton::Right);
        assert_eq!(acts, [MouseAct::Release(left), at(50.0), MouseAct::Press(right)]);
        let acts = touch(&mut fingers, 2, TouchPhase::Moved, 115.0, 0.0);
        let [moved, MouseAct::Turn(notches)] = acts[..] else { panic!("{acts:?}") };
        assert_eq!(moved, at(57.5));
        assert!((notches - 1.0).abs() < 1e-6, "{notches}");
        let acts = touch(&mut fingers, 1, TouchPhase::Cancelled, 0.0, 0.0);
        assert_eq!(acts, [MouseAct::Release(right)]);
        assert_eq!(touch(&mut fingers, 2, TouchPhase::Moved, 300.0, 0.0), []);
        assert_eq!(touch(&mut fingers, 2, TouchPhase::Ended, 300.0, 0.0), [MouseAct::Leave]);
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
