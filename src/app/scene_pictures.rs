//! The small pictures of the scene menu. A thread of their own draws them when the menu is first shown:
//! no scene file has a picture, and none can be out of date.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use egui::{ColorImage, Context, TextureHandle, TextureOptions};

use flockwork_engine::Engine;
use flockwork_engine::cpu::CpuEngine;
use flockwork_model::scene::{BuiltIn, Request, Scene, built_in};
use flockwork_view::camera::Camera;
use flockwork_view::cpu::raster;
use flockwork_view::frame::Frame;

/// Pixels of a picture: as many as a screen of twice the ordinary density shows.
const PIXELS: (u32, u32) = (192, 108);

/// Width and height in the menu; points.
pub const SHOWN: egui::Vec2 = egui::Vec2::new(96.0, 54.0);

/// Ticks until a flock looks like its scene.
const TICKS: u32 = 150;

/// Ticks times agents of a first picture: some milliseconds. Small flocks, such as those that start at a
/// point, look like their scene at once.
const FIRST_WORK: u32 = 40_000;

/// How often the menu looks for new pictures.
const AGAIN: Duration = Duration::from_millis(50);

/// The pictures that are there so far.
#[derive(Default)]
pub struct ScenePictures {
    /// None before the first time and after the last picture.
    drawn: Option<Receiver<(&'static str, Frame)>>,
    /// Draws one picture in each frame, in a browser, which has no threads.
    in_turn: Option<Box<dyn Iterator<Item = (&'static str, Frame)>>>,
    begun: bool,
    pictures: Vec<(&'static str, TextureHandle)>,
    /// Stands for those that are not there yet.
    blank: Option<TextureHandle>,
}

impl ScenePictures {
    /// Takes the pictures that have been drawn since the last call; the first call begins to draw.
    pub fn update(&mut self, context: &Context) {
        if !std::mem::replace(&mut self.begun, true) {
            self.drawn = begin();
            if self.drawn.is_none() {
                self.in_turn = Some(Box::new(pictures(true)));
            }
        }
        match self.in_turn.as_mut().map(Iterator::next) {
            Some(Some((name, frame))) => {
                self.pictures.push((name, load(context, name, &frame)));
                context.request_repaint();
            }
            Some(None) => self.in_turn = None,
            None => {}
        }
        while let Some(drawn) = &self.drawn {
            match drawn.try_recv() {
                Ok((name, frame)) => {
                    let texture = load(context, name, &frame);
                    match self.pictures.iter_mut().find(|(own, _)| *own == name) {
                        Some((_, earlier)) => *earlier = texture,
                        None => self.pictures.push((name, texture)),
                    }
                }
                Err(TryRecvError::Empty) => {
                    context.request_repaint_after(AGAIN);
                    break;
                }
                Err(TryRecvError::Disconnected) => self.drawn = None,
            }
        }
    }

    /// The picture of a scene, or an empty one.
    pub fn of(&mut self, context: &Context, name: &str) -> egui::Image<'static> {
        let found = self.pictures.iter().find(|(own, _)| *own == name).map(|(_, picture)| picture);
        let blank = || load(context, "no picture yet", &Frame::filled(1, 1, [11, 14, 20]));
        let texture = match found {
            Some(picture) => picture.id(),
            None => self.blank.get_or_insert_with(blank).id(),
        };
        egui::Image::new((texture, SHOWN)).corner_radius(3)
    }
}

/// A texture of a picture.
pub fn load(context: &Context, name: &str, frame: &Frame) -> TextureHandle {
    let size = [frame.width as usize, frame.height as usize];
    let image = ColorImage::from_rgba_premultiplied(size, &frame.pixels);
    context.load_texture(name, image, TextureOptions::LINEAR)
}

/// Draws all built-in scenes: first after few ticks, which takes a moment, then those that need more, which
/// takes seconds. The thread ends early if the receiver is gone. `None` if there are no threads.
fn begin() -> Option<Receiver<(&'static str, Frame)>> {
    let (send, drawn) = channel();
    let thread = std::thread::Builder::new().name("scene pictures".into());
    let all = move || {
        // An error: the window is closed.
        let _ = pictures(true).chain(pictures(false)).all(|picture| send.send(picture).is_ok());
    };
    thread.spawn(all).ok().map(|_| drawn)
}

/// The names of the built-in scenes, and their `first` or their last pictures.
fn pictures(first: bool) -> impl Iterator<Item = (&'static str, Frame)> {
    built_in().filter_map(move |scene| Some((scene.name, draw(&scene, first)?)))
}

/// Draws a scene after some ticks. `None` if it cannot be made, or if its `first` picture is the last.
fn draw(built_in: &BuiltIn, first: bool) -> Option<Frame> {
    let scene = Scene::parse(built_in.name, built_in.text).ok()?;
    let early = (FIRST_WORK / (scene.own_count() as u32).max(1)).min(TICKS);
    if !first && early == TICKS {
        return None;
    }
    let ticks = if first { early } else { TICKS };
    let (scene, state) = scene.populate(&Request::default()).ok()?;
    let mut engine = CpuEngine::new(Some(1)).ok()?;
    engine.load(&scene, &state).ok()?;
    engine.step(ticks).ok()?;
    let (state, targets) = (engine.read_back().ok()?, engine.targets().ok()?);
    let camera = Camera::of(&scene, state.tick, Camera::followed(&scene, &state), PIXELS);
    Some(raster::draw(&scene, &state, &targets, &camera, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of pixels that differ from the background.
    fn shown(picture: &Frame) -> usize {
        assert_eq!((picture.width, picture.height), PIXELS);
        let background = picture.rgb(1, 1).unwrap();
        let places = (0..PIXELS.1).flat_map(|y| (0..PIXELS.0).map(move |x| (x, y)));
        places.filter(|(x, y)| picture.rgb(*x, *y) != Some(background)).count()
    }

    #[test]
    fn every_scene_has_a_picture_at_once_and_large_flocks_a_better_one_later() {
        let drawn = begin().unwrap();
        let mut pictures: Vec<(&str, Frame)> = drawn.iter().collect();
        let scenes: Vec<&str> = built_in().map(|scene| scene.name).collect();
        let later = pictures.split_off(scenes.len());
        assert!(pictures.iter().map(|(name, _)| *name).eq(scenes));
        assert!(!later.is_empty(), "all flocks are small");
        for (name, first) in &mut pictures {
            assert!(shown(first) > 0, "{name} shows nothing at first");
            if let Some((_, later)) = later.iter().find(|(other, _)| other == name) {
                assert!(first != later, "{name} does not move");
                assert!(3 * shown(first) > shown(later), "{name} is a dot at first");
                *first = later.clone();
            }
        }
        for (index, (name, picture)) in pictures.iter().enumerate() {
            assert!(shown(picture) > 0, "{name} shows nothing");
            // Without a call to the flock, `flock-pointer` looks like `flock`.
            let same = pictures[..index].iter().filter(|(_, earlier)| earlier == picture);
            let same: Vec<&str> = same.map(|(other, _)| *other).collect();
            assert!(same.is_empty() || *name == "flock-pointer", "{name} looks as {same:?}");
        }
    }
}
