//! Clips outlines to a window.
//!
//! tiny-skia computes in fixed point and panics on curves that extend far outside the window, such
//! as a circle seen by a camera very close to it.

use glam::Vec2;
use tiny_skia::{Path, PathBuilder, PathSegment};

/// Largest distance between a curve and the lines that replace it; pixels.
const MAX_DEVIATION: f32 = 0.1;

/// The most halvings of a curve: enough for a radius of 10⁹ pixels.
const MAX_HALVINGS: u32 = 16;

/// An outline is clipped if it extends farther outside the window; pixels.
const SLACK: f32 = 1000.0;

/// The part of a filled outline within the window from the origin to `size`; `None` if there is
/// none. An outline that stays near the window is returned unchanged.
pub fn to_window(path: Path, size: Vec2) -> Option<Path> {
    let bounds = path.bounds();
    let near = bounds.left() > -SLACK
        && bounds.top() > -SLACK
        && bounds.right() < size.x + SLACK
        && bounds.bottom() < size.y + SLACK;
    if near {
        return Some(path);
    }
    // Larger than the window, so that the cut edges are not visible.
    let (low, high) = (Vec2::splat(-4.0), size + 4.0);
    let mut builder = PathBuilder::new();
    for contour in contours(&path, low, high) {
        let contour = polygon_within(contour, low, high);
        let Some((first, rest)) = contour.split_first() else { continue };
        builder.move_to(first.x, first.y);
        rest.iter().for_each(|point| builder.line_to(point.x, point.y));
        builder.close();
    }
    builder.finish()
}

/// The closed polygons of an outline. Curves become lines: short inside the window, long outside.
fn contours(path: &Path, low: Vec2, high: Vec2) -> Vec<Vec<Vec2>> {
    let point = |p: tiny_skia::Point| Vec2::new(p.x, p.y);
    let mut contours: Vec<Vec<Vec2>> = Vec::new();
    for segment in path.segments() {
        if let PathSegment::MoveTo(to) = segment {
            contours.push(vec![point(to)]);
            continue;
        }
        let Some(contour) = contours.last_mut() else { continue };
        let from = contour[contour.len() - 1];
        match segment {
            PathSegment::LineTo(to) => contour.push(point(to)),
            PathSegment::QuadTo(control, to) => {
                flatten([from, point(control), point(to)], low, high, MAX_HALVINGS, contour);
            }
            PathSegment::CubicTo(a, b, to) => {
                flatten([from, point(a), point(b), point(to)], low, high, MAX_HALVINGS, contour);
            }
            PathSegment::MoveTo(_) | PathSegment::Close => {}
        }
    }
    contours
}

/// Appends a Bézier curve without its start point to a polygon: short lines inside the window, long
/// ones outside.
fn flatten<const N: usize>(
    curve: [Vec2; N],
    low: Vec2,
    high: Vec2,
    halvings: u32,
    line: &mut Vec<Vec2>,
) {
    // The whole curve lies beyond one side of the window.
    let least = curve.into_iter().reduce(Vec2::min).unwrap_or_default();
    let most = curve.into_iter().reduce(Vec2::max).unwrap_or_default();
    let outside = most.cmplt(low).any() || least.cmpgt(high).any();
    let bend = |three: &[Vec2]| (three[0] - 2.0 * three[1] + three[2]).length();
    let flat = curve.windows(3).all(|three| bend(three) < MAX_DEVIATION);
    if outside || flat || halvings == 0 {
        line.push(curve[N - 1]);
        return;
    }
    // De Casteljau's algorithm.
    let (mut rest, mut first, mut second) = (curve, curve, curve);
    for step in 0..N {
        first[step] = rest[0];
        second[N - 1 - step] = rest[N - 1 - step];
        for i in 0..N - 1 - step {
            rest[i] = rest[i].midpoint(rest[i + 1]);
        }
    }
    flatten(first, low, high, halvings - 1, line);
    flatten(second, low, high, halvings - 1, line);
}

/// The part of a polygon inside the window: clips it at each of the four sides in turn (Sutherland
/// and Hodgman, 1974).
fn polygon_within(mut polygon: Vec<Vec2>, low: Vec2, high: Vec2) -> Vec<Vec2> {
    for (normal, limit) in
        [(Vec2::X, low.x), (Vec2::Y, low.y), (-Vec2::X, -high.x), (-Vec2::Y, -high.y)]
    {
        let mut cut = Vec::with_capacity(polygon.len() + 2);
        let Some(mut from) = polygon.last().copied() else { break };
        for to in polygon {
            let (before, after) = (normal.dot(from) - limit, normal.dot(to) - limit);
            if (before >= 0.0) != (after >= 0.0) {
                cut.push(from + (to - from) * (before / (before - after)));
            }
            if after >= 0.0 {
                cut.push(to);
            }
            from = to;
        }
        polygon = cut;
    }
    polygon
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Area of the outline's polygons.
    fn area(path: &Path) -> f32 {
        let (low, high) = (Vec2::splat(-1e9), Vec2::splat(1e9));
        let cross = |contour: &Vec<Vec2>| {
            let next = contour.iter().cycle().skip(1);
            contour.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f32>() / 2.0
        };
        contours(path, low, high).iter().map(cross).sum::<f32>().abs()
    }

    #[test]
    fn a_circle_keeps_what_is_in_the_window() {
        let size = Vec2::new(400.0, 300.0);
        // The circle's edge runs down the middle of the window, misses it, or surrounds it.
        for radius in [2e3, 3e4, 1e6] {
            for (centre, share) in [(200.0 - radius, 0.5), (500.0 + radius, 0.0), (200.0, 1.0)] {
                let circle = PathBuilder::from_circle(centre, 150.0, radius);
                let found = to_window(circle.unwrap(), size).map_or(0.0, |path| area(&path));
                let window = 408.0 * 308.0;
                // The smallest circle bulges by 6 pixels.
                assert!((found / window - share).abs() < 0.03, "{radius}, {centre}: {found}");
            }
        }
    }

    #[test]
    fn an_outline_near_the_window_stays_unchanged() {
        let circle = PathBuilder::from_circle(0.0, 0.0, 500.0).unwrap();
        assert_eq!(to_window(circle.clone(), Vec2::splat(100.0)), Some(circle));
    }

    #[test]
    fn the_curve_in_the_window_is_that_of_the_circle() {
        let radius = 1e5;
        let circle = PathBuilder::from_circle(200.0 - radius, 150.0, radius).unwrap();
        let path = to_window(circle, Vec2::new(400.0, 300.0)).unwrap();
        let centre = Vec2::new(200.0 - radius, 150.0);
        let near = path.points().iter().map(|p| Vec2::new(p.x, p.y)).filter(|p| p.x > 0.0);
        let off = near.map(|p| (p.distance(centre) - radius).abs()).fold(0.0, f32::max);
        assert!(off < 0.5, "{off}");
    }
}
