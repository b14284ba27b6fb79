//! The picture of a bench as a file.

use std::io::Write;
use std::path::Path;

use super::chart;
use super::report::Report;
use crate::commands::output::OutputFile;
use crate::commands::usage::wrong;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlotFormat {
    Svg,
    Png,
}

/// A picture that appears under its name when it is whole.
#[derive(Debug)]
pub struct PlotFile {
    format: PlotFormat,
    file: OutputFile,
}

impl PlotFile {
    /// Checks the ending and the place, and begins.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let format = match extension.as_deref() {
            Some("svg") => PlotFormat::Svg,
            Some("png") => PlotFormat::Png,
            _ => {
                return Err(wrong(format!(
                    "--plot {}: a plot is called NAME.svg (lines and text) or NAME.png (pixels)",
                    path.display()
                )));
            }
        };
        Ok(Self { format, file: OutputFile::create(path)? })
    }

    /// Draws the reports and gives the file its name.
    pub fn write(mut self, reports: &[Report]) -> anyhow::Result<()> {
        let drawing = chart::chart(reports);
        match self.format {
            PlotFormat::Svg => self.file.write_all(drawing.svg()?.as_bytes())?,
            PlotFormat::Png => {
                let (width, height, pixels) = drawing.pixels()?;
                let mut encoder = png::Encoder::new(&mut self.file, width, height);
                encoder.set_color(png::ColorType::Rgb);
                let mut writer = encoder.write_header()?;
                writer.write_image_data(&pixels)?;
                writer.finish()?;
            }
        }
        self.file.keep()?;
        Ok(())
    }
}
