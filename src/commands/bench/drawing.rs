//! A drawing of text, lines and boxes, painted by plotters as SVG or PNG.
//!
//! It is first a list of shapes, so that the layout does not depend on the format and tests can
//! inspect it. plotters' own charts choose the labels of logarithmic axes; they cannot label the
//! measured counts.

use std::sync::OnceLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontFamily, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE, register_font,
};

/// A place in the picture, from its top left corner.
pub type Place = (i32, i32);

/// Pixels per unit in a bitmap: sharp on all screens.
const PIXELS: i32 = 2;

/// plotters draws text in a bitmap too high by this fraction (1/n) of its height; seen in 0.3.7.
const LIFT: i32 = 6;

/// The part of a text that is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its beginning.
    Left,
    /// Its middle.
    Center,
    /// Its end.
    Right,
}

/// The style of a series. Markers and dashes distinguish series even without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    form: Form,
    is_hollow: bool,
    /// Length of a dash and of the gap after it, in units; none for a solid line.
    dashes: Option<(i32, i32)>,
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Marker {
    /// All markers, in the order of use.
    pub const ALL: [Self; 8] = [
        Self { form: Form::Circle, is_hollow: false, dashes: None },
        Self { form: Form::Square, is_hollow: false, dashes: Some((8, 5)) },
        Self { form: Form::Triangle, is_hollow: false, dashes: Some((2, 4)) },
        Self { form: Form::Diamond, is_hollow: false, dashes: Some((16, 5)) },
        Self { form: Form::Circle, is_hollow: true, dashes: Some((12, 12)) },
        Self { form: Form::Square, is_hollow: true, dashes: Some((2, 9)) },
        Self { form: Form::Triangle, is_hollow: true, dashes: Some((26, 4)) },
        Self { form: Form::Diamond, is_hollow: true, dashes: Some((5, 3)) },
    ];
}

/// Something to paint. All lengths are in units.
#[derive(Clone, Debug)]
pub enum Shape {
    /// One line of text; its place is at the middle of its height.
    Text {
        /// The place of the side given below.
        at: Place,
        /// The part of the text that is at that place.
        side: Side,
        /// The text.
        text: String,
        /// Height of a line.
        size: i32,
        /// Colour of the letters.
        colour: RGBColor,
    },
    /// A thin solid line.
    Line {
        /// Its ends.
        ends: [Place; 2],
        /// Its width.
        width: u32,
        /// Its colour.
        colour: RGBColor,
    },
    /// A filled box.
    Box {
        /// Two opposite corners.
        corners: [Place; 2],
        /// Its colour.
        colour: RGBColor,
    },
    /// Lines from marker to marker.
    Series {
        /// The places of the markers.
        places: Vec<Place>,
        /// Their shape, and the dashes of the lines.
        marker: Marker,
        /// Colour of both.
        colour: RGBColor,
    },
}

/// Shapes on white, painted in order.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// In units.
    pub size: (u32, u32),
    /// The shapes.
    pub shapes: Vec<Shape>,
}

/// The font of both formats. A viewer of the SVG uses its own font of that name.
fn font(size: i32, colour: &RGBColor) -> TextStyle<'static> {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // The font is part of the program. If it were broken, the first text would fail.
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
    (FontFamily::SansSerif, size).into_font().color(colour)
}

/// Width of a text; units.
#[must_use]
pub fn text_width(text: &str, size: i32) -> i32 {
    let size_of = font(size, &RGBColor(0, 0, 0)).font.box_size(text);
    // Without a font, painting fails anyway and reports it.
    size_of.map_or(0, |(width, _)| width as i32)
}

/// The longest beginning of a text that fits `width` units; dots show that it was cut.
#[must_use]
pub fn fitted(text: &str, size: i32, width: i32) -> String {
    if text_width(text, size) <= width {
        return text.into();
    }
    let mut letters: Vec<char> = text.chars().collect();
    loop {
        letters.pop();
        let cut: String = letters.iter().chain(&['…']).collect();
        if letters.is_empty() || text_width(&cut, size) <= width {
            return cut;
        }
    }
}

impl Drawing {
    /// The text of an SVG file.
    pub fn svg(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        paint(&self.shapes, SVGBackend::with_string(&mut text, self.size), 1, 0)?;
        Ok(text)
    }

    /// Width and height in pixels, and red, green and blue of each pixel, row by row.
    pub fn pixels(&self) -> anyhow::Result<(u32, u32, Vec<u8>)> {
        let (width, height) = (self.size.0 * PIXELS as u32, self.size.1 * PIXELS as u32);
        let mut pixels = vec![0; width as usize * height as usize * 3];
        let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
        paint(&self.shapes, backend, PIXELS, LIFT)?;
        Ok((width, height, pixels))
    }
}

/// Paints the shapes at `scale` pixels per unit. Moves text down by one `lift`th of its height, if
/// `lift` is not 0.
fn paint<B: DrawingBackend>(
    shapes: &[Shape],
    backend: B,
    scale: i32,
    lift: i32,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)?;
    let scaled = |(x, y): Place| (x * scale, y * scale);
    for shape in shapes {
        match shape {
            Shape::Text { at, side, text, size, colour } => {
                let side = match side {
                    Side::Left => HPos::Left,
                    Side::Center => HPos::Center,
                    Side::Right => HPos::Right,
                };
                let style = font(size * scale, colour).pos(Pos::new(side, VPos::Center));
                let (x, y) = scaled(*at);
                let lower = (size * scale).checked_div(lift).unwrap_or(0);
                area.draw(&Text::new(text.as_str(), (x, y + lower), style))?;
            }
            Shape::Line { ends, width, colour } => {
                let style = colour.stroke_width(width * scale as u32);
                area.draw(&PathElement::new(ends.map(scaled).to_vec(), style))?;
            }
            Shape::Box { corners, colour } => {
                area.draw(&Rectangle::new(corners.map(scaled), colour.filled()))?;
            }
            Shape::Series { places, marker, colour } => {
                let places: Vec<Place> = places.iter().copied().map(scaled).collect();
                let line = colour.stroke_width(2 * scale as u32);
                match marker.dashes {
                    Some((dash, gap)) => area.draw(&DashedPathElement::new(
                        places.iter().copied(),
                        dash * scale,
                        gap * scale,
                        line,
                    ))?,
                    None => area.draw(&PathElement::new(places.clone(), line))?,
                }
                for place in places {
                    paint_marker(&area, place, marker.form, 6 * scale, colour.filled())?;
                    if marker.is_hollow {
                        paint_marker(&area, place, marker.form, 3 * scale, WHITE.filled())?;
                    }
                }
            }
        }
    }
    area.present()
}

/// Paints a marker that extends `reach` pixels from its middle.
fn paint_marker<B: DrawingBackend>(
    area: &plotters::drawing::DrawingArea<B, plotters::coord::Shift>,
    (x, y): Place,
    form: Form,
    reach: i32,
    style: ShapeStyle,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let at = |(dx, dy): Place| (x + dx * reach / 6, y + dy * reach / 6);
    let polygon = |corners: &[Place]| {
        area.draw(&Polygon::new(corners.iter().copied().map(at).collect::<Vec<_>>(), style))
    };
    match form {
        Form::Circle => area.draw(&Circle::new((x, y), reach * 5 / 6, style)),
        Form::Square => area.draw(&Rectangle::new([(-4, -4), (5, 5)].map(at), style)),
        Form::Triangle => polygon(&[(0, -6), (6, 5), (-6, 5)]),
        Form::Diamond => polygon(&[(0, -6), (6, 0), (0, 6), (-6, 0)]),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The box that a text covers: left, top, right and bottom; units. None for other shapes.
    #[must_use]
    pub fn text_box(shape: &Shape) -> Option<[i32; 4]> {
        let Shape::Text { at: (x, y), side, text, size, .. } = shape else { return None };
        let width = text_width(text, *size);
        let left = match side {
            Side::Left => *x,
            Side::Center => x - width / 2,
            Side::Right => x - width,
        };
        Some([left, y - size / 2, left + width, y + size / 2])
    }

    #[test]
    fn texts_are_measured_and_cut() {
        let whole = text_width("Time per agent", 20);
        assert!((90..150).contains(&whole), "{whole}");
        assert_eq!(fitted("Time per agent", 20, whole), "Time per agent");
        let cut = fitted("Time per agent", 20, whole / 2);
        assert!(cut.starts_with("Tim") && cut.ends_with('…'), "{cut}");
        assert!(text_width(&cut, 20) <= whole / 2);
    }
}
