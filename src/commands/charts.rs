//! Charts in files: what the plots of `bench` and of `sweep` have in common.

use std::io::Write;
use std::path::Path;
use std::sync::Once;

use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::{
    BitMapBackend, Cartesian2d, ChartContext, Circle, DrawingArea, DrawingBackend, IntoDrawingArea,
    PathElement, Ranged, Rectangle, SVGBackend, Text,
};
use plotters::style::{
    FontStyle, IntoTextStyle, RGBColor, ShapeStyle, TextStyle, WHITE, register_font,
};

use super::files::output::OutputFile;
use super::host::errors::wrong;

/// Width of the picture, and height of a line of text; units.
pub const WIDTH: u32 = 1000;
pub const LINE: u32 = 19;
/// Right of the panels, for the names of series.
pub const LEGEND: u32 = 190;
/// Pixels per unit in a bitmap: sharp on all screens.
const PIXELS: u32 = 2;

/// Colours of series: Okabe and Ito's, which colour-blind people can tell apart.
pub const SERIES: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

pub type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// A point of a curve: its place, and the lower end, the middle and the upper end of its whisker.
pub type Point = (f64, [f64; 3]);

/// A page of panels below one another.
pub trait Page {
    /// The title, and the lines below it.
    fn head(&self) -> &[String];

    /// Heights of the panels; units.
    fn panels(&self) -> Vec<u32>;

    /// Draws a panel, by its number.
    fn draw<B: DrawingBackend>(&self, panel: usize, canvas: &Canvas<B>) -> Drawn<B>;
}

/// Height of the title and of the lines below it; units.
fn head_height(page: &impl Page) -> u32 {
    (page.head().len() as u32 + 2) * LINE
}

/// Height of a page; units.
fn height(page: &impl Page) -> u32 {
    head_height(page) + page.panels().iter().sum::<u32>()
}

/// Draws a page at `scale` pixels a unit.
fn draw<B: DrawingBackend>(page: &impl Page, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
    area.fill(&WHITE)?;
    for (number, text) in page.head().iter().enumerate() {
        let (line, height) = if number == 0 { (1, 23) } else { (2 * number as u32 + 2, 14) };
        // A viewer of the SVG may have a wider font.
        let text: String = text.chars().take(140).collect();
        let place = ((LINE * scale) as i32, (line * LINE * scale) as i32 / 2);
        area.draw(&Text::new(text, place, font(height * scale)))?;
    }
    let (_, mut rest) = area.split_vertically(head_height(page) * scale);
    for (number, height) in page.panels().into_iter().enumerate() {
        let (area, below) = rest.split_vertically(height * scale);
        page.draw(number, &Canvas { area, scale })?;
        rest = below;
    }
    area.present()
}

/// The page as SVG.
pub fn svg(page: &impl Page) -> anyhow::Result<String> {
    let mut text = String::new();
    let backend = SVGBackend::with_string(&mut text, (WIDTH, height(page)));
    draw(page, &backend.into_drawing_area(), 1)?;
    Ok(text)
}

/// A plot file. It appears only when complete.
#[derive(Debug)]
pub struct PlotFile {
    is_svg: bool,
    file: OutputFile,
}

impl PlotFile {
    /// Checks the file extension and the folder, and begins the file.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let is_svg = match extension.as_deref() {
            Some("svg") => true,
            Some("png") => false,
            _ => {
                return Err(wrong(format!(
                    "--plot {}: a plot is called NAME.svg (lines and text) or NAME.png (pixels)",
                    path.display()
                )));
            }
        };
        Ok(Self { is_svg, file: OutputFile::create(path)? })
    }

    /// Draws the page, and renames the file into place.
    pub fn write(mut self, page: &impl Page) -> anyhow::Result<()> {
        if self.is_svg {
            self.file.write_all(svg(page)?.as_bytes())?;
        } else {
            let (width, height) = (WIDTH * PIXELS, height(page) * PIXELS);
            let mut pixels = vec![0; width as usize * height as usize * 3];
            let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
            draw(page, &backend.into_drawing_area(), PIXELS)?;
            let mut encoder = png::Encoder::new(&mut self.file, width, height);
            encoder.set_color(png::ColorType::Rgb);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&pixels)?;
            writer.finish()?;
        }
        self.file.publish()?;
        Ok(())
    }
}

/// A text of this height; pixels. The font is part of the program, for a bare machine has none.
pub fn font(height: u32) -> TextStyle<'static> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // If the font were broken, the first text would fail.
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
    ("sans-serif", height).into_text_style(&(0, 0))
}

/// Where a panel is drawn.
pub struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    /// Pixels a unit.
    pub scale: u32,
}

impl<B: DrawingBackend> Canvas<B> {
    /// The text beside the axes.
    pub fn label(&self) -> TextStyle<'static> {
        font(13 * self.scale)
    }

    /// A panel with its title, and room for the names of series at the right.
    pub fn builder<'b>(&self, title: &str) -> ChartBuilder<'_, 'b, B> {
        let mut builder = ChartBuilder::on(&self.area);
        builder
            .margin((LINE / 2 * self.scale) as i32)
            .margin_right((LEGEND * self.scale) as i32)
            .caption(title, font(16 * self.scale))
            .x_label_area_size((2 * LINE * self.scale) as i32)
            .y_label_area_size((3 * LINE * self.scale) as i32);
        builder
    }

    /// Names the series of a panel at its right.
    pub fn legend(&self, series: impl IntoIterator<Item = (String, ShapeStyle)>) -> Drawn<B> {
        let Self { area, scale } = self;
        let left = (WIDTH - LEGEND + 10) * scale;
        for (number, (name, style)) in series.into_iter().enumerate() {
            let y = (2 * LINE + LINE * number as u32) * scale;
            let corners = [(left, y), (left + 16 * scale, y + LINE * scale / 2)];
            area.draw(&Rectangle::new(corners.map(|(x, y)| (x as i32, y as i32)), style.filled()))?;
            let place = ((left + 24 * scale) as i32, y as i32 - 3 * *scale as i32);
            area.draw(&Text::new(name, place, font(14 * scale)))?;
        }
        Ok(())
    }
}

/// Draws points as whiskers and dots of this radius and style, and a line through them if they are joined.
pub fn curve<B: DrawingBackend, X: Ranged<ValueType = f64>, Y: Ranged<ValueType = f64>>(
    chart: &mut ChartContext<'_, B, Cartesian2d<X, Y>>,
    points: &[Point],
    style: ShapeStyle,
    (radius, dot): (u32, ShapeStyle),
    joined: bool,
) -> Drawn<B> {
    let whiskers = points.iter().map(|(x, [low, _, high])| vec![(*x, *low), (*x, *high)]);
    chart.draw_series(whiskers.map(|ends| PathElement::new(ends, style)))?;
    let places: Vec<(f64, f64)> = points.iter().map(|(x, [_, middle, _])| (*x, *middle)).collect();
    chart.draw_series(places.iter().map(|place| Circle::new(*place, radius, dot)))?;
    // Some viewers refuse a line without points.
    if joined && !places.is_empty() {
        chart.draw_series([PathElement::new(places, style)])?;
    }
    Ok(())
}

/// A measured number for display, with three significant digits.
pub fn short_number(value: f64) -> String {
    let digits = (2.0 - value.max(1e-3).log10().floor().clamp(-1.0, 2.0)) as usize;
    format!("{value:.digits$}")
}
