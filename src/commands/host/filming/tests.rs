//! Tests of films.

use std::ops::RangeInclusive;

use super::*;
use crate::commands::host::drive::{self, tests::Straight};
use flockwork_model::state::FlockState;
use flockwork_model::vector::{Point, flat};
use flockwork_view::RasterPainter;
use flockwork_view::recorder::Film;

/// Keeps the frames.
#[derive(Default)]
struct Frames(Vec<Frame>);

impl Recorder for Frames {
    fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        self.0.push(frame);
        Ok(())
    }
    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        Ok(())
    }
}

fn filmed(ticks: u64, every: Option<u64>, stop_after: Option<u64>) -> (Shown, Vec<Frame>) {
    styled((&[], 1), 0..=ticks, every, stop_after)
}

/// Films an agent with these overrides and this blur.
fn styled(
    (overrides, blur): (&[String], u64),
    shown: RangeInclusive<u64>,
    every: Option<u64>,
    stop_after: Option<u64>,
) -> (Shown, Vec<Frame>) {
    sampled(1.0, (overrides, [blur, 1]), shown, every, stop_after)
}

/// The same at this speed and with samples.
fn sampled(
    speed: f32,
    (overrides, [blur, samples]): (&[String], [u64; 2]),
    shown: RangeInclusive<u64>,
    every: Option<u64>,
    stop_after: Option<u64>,
) -> (Shown, Vec<Frame>) {
    let scene = crate::commands::files::scene_files::read_scene("flock", overrides).unwrap();
    let interrupt = Interrupt::default();
    let state = FlockState {
        tick: 0,
        id: vec![0],
        species: vec![0],
        position: vec![flat(100.5, 100.5)],
        velocity: vec![Point::X * speed],
        ..FlockState::default()
    };
    let engine = Straight { stop_after, interrupt: interrupt.clone(), ..Straight::default() };
    let (from, ticks) = shown.into_inner();
    let picture =
        FilmPlan::of_picture(PathBuf::new(), Size { width: 640, height: 360 }, false, ticks);
    let plan = FilmPlan {
        film: Film { rate: 30.0, ..picture.film },
        from,
        every,
        blur,
        samples,
        ..picture
    };
    let mut kept = Frames::default();
    let mut run = drive::load(Box::new(engine), &scene, &state).unwrap();
    let painter = &mut RasterPainter { scale: 1.0 };
    let shown = film(&mut run, painter, &mut kept, &plan, &interrupt).unwrap();
    assert_eq!(run.tick(), shown.run.ticks);
    (shown, kept.0)
}

/// Columns of the pixels that are not background, from the dart's tail to its nose.
fn lit(frame: &Frame) -> Vec<u32> {
    let is_lit = |x: &u32| frame.rgb(*x, 259) != Some(flockwork_view::style::BACKGROUND);
    (0..640).filter(is_lit).collect()
}

fn nose(frame: &Frame) -> u32 {
    *lit(frame).last().unwrap()
}

/// The columns from the tail to the nose.
fn length(frame: &Frame) -> u32 {
    nose(frame) - lit(frame)[0]
}

/// The largest difference between channels of two pictures.
fn apart(one: &Frame, other: &Frame) -> u8 {
    one.pixels.iter().zip(&other.pixels).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

#[test]
fn a_film_shows_tick_0_and_every_multiple() {
    let (shown, frames) = filmed(47, Some(10), None);
    assert_eq!((shown.frames, shown.run.ticks, shown.run.interrupted), (5, 40, false));
    let noses: Vec<u32> = frames.iter().map(nose).collect();
    assert!(noses.windows(2).all(|pair| pair[1] == pair[0] + 10), "{noses:?}");
}

#[test]
fn a_film_may_begin_late() {
    let trails = ["style.trail=3".to_string()];
    for (looks, blur) in [(&[][..], 1), (&[], 8), (&trails, 1)] {
        let all = styled((looks, blur), 0..=47, Some(if blur > 1 { 4 } else { 1 }), None).1;
        let (shown, frames) = styled((looks, blur), 20..=47, Some(4), None);
        assert_eq!((shown.frames, shown.run.ticks, frames.len()), (7, 44, 7));
        for (number, frame) in frames.iter().enumerate().skip(1) {
            let tick = 20 + 4 * number;
            let same = &all[if blur > 1 { tick / 4 } else { tick }];
            let apart = apart(frame, same);
            assert!(apart <= 1, "frame {number} is {apart} apart from tick {tick}");
        }
    }
    let first = styled((&[], 8), 20..=47, Some(4), None).1.remove(0);
    assert!(first == filmed(20, None, None).1[0], "the first frame is one picture");
    // A film that is interrupted before has no frame.
    let (shown, frames) = styled((&[], 1), 20..=47, Some(4), Some(5));
    assert!(shown.run.interrupted);
    assert_eq!((shown.frames, frames.len()), (0, 0));
}

#[test]
fn a_picture_shows_the_last_tick() {
    let (_, first) = filmed(0, None, None);
    let (shown, frames) = filmed(47, None, None);
    assert_eq!((shown.frames, shown.run.ticks), (1, 47));
    assert_eq!(nose(&frames[0]), nose(&first[0]) + 47);
}

#[test]
fn a_blurred_frame_is_the_mean_of_the_ticks_before_it() {
    let (shown, frames) = styled((&[], 5), 0..=16, Some(8), None);
    assert_eq!((shown.frames, shown.run.ticks, frames.len()), (3, 16, 3));
    let all = filmed(16, Some(1), None).1;
    assert!(frames[0] == all[0]);
    for (frame, last) in [(1, 8), (2, 16)] {
        for (i, channel) in frames[frame].pixels.iter().enumerate() {
            let sum: u32 = (last - 4..=last).map(|tick| u32::from(all[tick].pixels[i])).sum();
            assert_eq!(u32::from(*channel), (sum + 2) / 5);
        }
    }
    let trails = ["style.trail=3".to_string()];
    let (shown, frames) = styled((&trails, 5), 0..=16, Some(8), None);
    assert_eq!((shown.frames, frames.len()), (3, 3));
}

#[test]
fn a_fast_agent_leaves_a_streak_without_gaps() {
    let dark = |parts, every, number: usize| {
        let looks = (&[][..], [parts, 1]);
        let frame = sampled(20.0, looks, 0..=3 * every, Some(every), None).1.swap_remove(number);
        length(&frame) as usize + 1 - lit(&frame).len()
    };
    for (every, number) in [(1, 1), (2, 1), (2, 3), (3, 2)] {
        assert_eq!(dark(8, every, number), 0, "frame {number} of every {every}");
    }
    // The control: the pictures of the two ticks alone.
    assert!(dark(2, 2, 1) > 4, "{} columns are dark", dark(2, 2, 1));
}

#[test]
fn samples_have_their_own_moments_if_motion_is_blurred() {
    let trail = ["style.trail=3".to_string()];
    for looks in [&[][..], &trail] {
        let film = |counts| sampled(20.0, (looks, counts), 0..=8, Some(4), None);
        let (shown, still) = film([1, 32]);
        assert_eq!((shown.frames, shown.run.ticks, still.len()), (3, 8, 3));
        let (shown, blurred) = film([8, 32]);
        assert_eq!((shown.frames, shown.run.ticks, blurred.len()), (3, 8, 3));
        assert!(still[0] == blurred[0], "nothing was before the first frame");
        // Half of the way between two frames.
        let streak = length(&blurred[2]) - length(&still[2]);
        assert!(looks.len() == 1 || streak.abs_diff(40) < 2, "{streak}");
        assert!(film([8, 32]).1 == blurred, "the same bytes twice");
        let single = sampled(20.0, (looks, [1, 32]), 0..=8, None, None).1;
        assert!(looks.len() == 1 || single[0] == still[2]);
        assert!(film([1, 16]).1[0] != still[0], "the control: fewer samples");
    }
}

#[test]
fn an_interrupted_frame_is_the_mean_of_what_was_drawn() {
    let (shown, frames) = sampled(1.0, (&[], [1, 256]), 0..=1000, None, Some(20));
    assert!(shown.run.interrupted);
    assert_eq!((shown.frames, shown.cut, frames.len()), (1, Some(1), 1));
    let whole = sampled(1.0, (&[], [1, 256]), 0..=shown.run.ticks, None, None).1;
    assert!(length(&frames[0]) > 3, "a dart is seen");
    assert!(frames[0] != whole[0], "it has all of its pictures");
}

#[test]
fn an_interrupted_film_keeps_what_was_drawn() {
    for samples in [1, 4] {
        let (shown, frames) = sampled(1.0, (&[], [1, samples]), 0..=1000, Some(10), Some(20));
        assert!(shown.run.interrupted);
        assert_eq!((shown.frames, frames.len()), (2, 2));
    }
}

#[test]
fn trails_do_not_depend_on_the_frames() {
    let trail = |every| styled((&["style.trail=3".into()], 1), 0..=40, every, None);
    let (shown, all) = trail(Some(1));
    assert_eq!((shown.frames, shown.run.ticks), (41, 40));
    let (shown, some) = trail(Some(8));
    assert_eq!((shown.frames, shown.run.ticks), (6, 40));
    assert!((0..6).all(|number| some[number] == all[8 * number]), "the same ticks look the same");
    let (shown, last) = trail(None);
    assert_eq!((shown.frames, shown.run.ticks), (1, 40));
    assert!(apart(&last[0], &all[40]) <= 1, "what a picture leaves out has faded");
    let plain = filmed(40, None, None).1;
    assert_eq!(nose(&plain[0]), nose(&last[0]));
    assert!(apart(&plain[0], &last[0]) > 30);
}
