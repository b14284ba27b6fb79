//! Writes the plot of a bench to a file.

use std::io::Write;
use std::path::Path;

use super::chart;
use super::report::Report;
use crate::commands::output::OutputFile;
use crate::commands::usage::wrong;

/// The file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlotFormat {
    Svg,
    Png,
}

/// A plot file. It appears only when complete.
#[derive(Debug)]
pub struct PlotFile {
    format: PlotFormat,
    file: OutputFile,
}

impl PlotFile {
    /// Checks the file extension and the folder, and begins the file.
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

    /// Draws the reports and renames the file into place.
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
        self.file.publish()?;
        Ok(())
    }
}
