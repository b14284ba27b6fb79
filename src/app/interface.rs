//! egui in the window: events in, triangles out.

use std::sync::Arc;
use std::time::Duration;

use egui::{FontData, FontDefinitions};
use egui_wgpu::ScreenDescriptor;
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, WindowEvent};
use winit::window::Window;

use super::clipboard::Clipboard;
use flockwork_engine::EngineError;
use flockwork_engine::gpu::Gpu;

/// The clipboard, a sign on egui's picker of colours, from Noto Emoji (SIL Open Font License 1.1).
const SIGNS: &[u8] = include_bytes!("signs.ttf");

/// The user interface and its painter.
pub struct Interface {
    /// Opened when it is first used.
    clipboard: Option<Clipboard>,
    input: egui_winit::State,
    painter: egui_wgpu::Renderer,
    /// Where the pointer is now; egui knows where it was in the last frame.
    pointer: Option<PhysicalPosition<f64>>,
}

/// One frame of the user interface, ready to be painted.
pub struct Painting {
    triangles: Vec<egui::ClippedPrimitive>,
    textures: egui::TexturesDelta,
    pixels_per_point: f32,
    /// When the interface wants to be drawn again, whatever happens.
    pub again_in: Duration,
}

/// egui with its fonts for text and one sign more.
pub fn context() -> egui::Context {
    let mut fonts = FontDefinitions::default();
    fonts.font_data.insert("signs".into(), Arc::new(FontData::from_static(SIGNS)));
    for family in fonts.families.values_mut() {
        family.push("signs".into());
    }
    let context = egui::Context::default();
    context.set_theme(egui::Theme::Dark);
    context.set_fonts(fonts);
    context
}

impl Interface {
    /// An interface for a window and the format of its surface.
    pub fn new(window: &Window, gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let context = context();
        let most = gpu.device.limits().max_texture_dimension_2d as usize;
        let scale = window.scale_factor() as f32;
        let root = egui::ViewportId::ROOT;
        let input = egui_winit::State::new(context, root, window, Some(scale), None, Some(most));
        let options = egui_wgpu::RendererOptions { dithering: false, ..Default::default() };
        let painter = egui_wgpu::Renderer::new(&gpu.device, format, options);
        Self { clipboard: None, input, painter, pointer: None }
    }

    /// Pixels per point of the interface: the window's, times the user's zoom (Ctrl with +
    /// and -).
    pub fn pixels_per_point(&self, window: &Window) -> f32 {
        egui_winit::pixels_per_point(self.input.egui_ctx(), window)
    }

    /// How much larger the interface is than by default.
    pub fn zoom(&self) -> f32 {
        self.input.egui_ctx().zoom_factor()
    }

    /// Makes it so much larger than by default.
    pub fn set_zoom(&self, zoom: f32) {
        self.input.egui_ctx().set_zoom_factor(zoom);
    }

    /// Passes an event on; true when only the interface shall react to it.
    pub fn takes(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let consumed = self.input.on_window_event(window, event).consumed;
        match event {
            WindowEvent::CursorMoved { position, .. } => self.pointer = Some(*position),
            WindowEvent::CursorLeft { .. } => self.pointer = None,
            // While frames are slow, a press may come in the same frame as the way to a panel, or from one.
            WindowEvent::MouseInput { state: ElementState::Pressed, .. }
            | WindowEvent::MouseWheel { .. } => {
                return self.input.egui_ctx().egui_is_using_pointer()
                    || self.is_over_a_panel(window);
            }
            _ => {}
        }
        consumed
    }

    /// True if the pointer is over a panel now, and no drag has brought it there.
    fn is_over_a_panel(&self, window: &Window) -> bool {
        let drags = self.input.egui_ctx().input(|input| input.pointer.any_down());
        !drags && self.pointer.is_some_and(|place| self.has_panel_at(window, place))
    }

    /// True if a panel is at a pixel.
    pub fn has_panel_at(&self, window: &Window, pixel: PhysicalPosition<f64>) -> bool {
        let PhysicalPosition { x, y } = pixel;
        let place = egui::pos2(x as f32, y as f32) / self.pixels_per_point(window);
        let layer = self.input.egui_ctx().layer_id_at(place);
        layer.is_some_and(|layer| layer.order != egui::Order::Background)
    }

    /// True while the user types a number: keys are characters then.
    pub fn is_typing(&self) -> bool {
        self.input.egui_ctx().text_edit_focused()
    }

    /// True while a slider or a button has the keyboard.
    pub fn has_focus(&self) -> bool {
        self.input.egui_ctx().memory(|memory| memory.focused().is_some())
    }

    /// Closes the list that is unfolded; false if none is.
    pub fn close_list(&self) -> bool {
        let context = self.input.egui_ctx();
        let unfolded = egui::Popup::is_any_open(context);
        if unfolded {
            egui::Popup::close_all(context);
        }
        unfolded
    }

    /// Gives the keyboard to the next field or button; to the first one if none has it.
    pub fn focus_next(&mut self) {
        self.input.egui_input_mut().events.push(egui::Event::Key {
            key: egui::Key::Tab,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: egui::Modifiers::NONE,
        });
    }

    fn clipboard(&mut self) -> Result<&mut Clipboard, String> {
        let clipboard = self.clipboard.take().map_or_else(Clipboard::open, Ok)?;
        Ok(self.clipboard.insert(clipboard))
    }

    /// Puts a text on the clipboard.
    pub fn copy(&mut self, text: String) -> Result<(), String> {
        self.clipboard()?.set(text)
    }

    /// The text on the clipboard.
    pub fn paste(&mut self) -> Result<String, String> {
        self.clipboard()?.get()
    }

    /// Types the text on the clipboard into the field that has the keyboard.
    pub fn paste_into_field(&mut self) -> Result<(), String> {
        let text = self.paste()?;
        self.input.egui_input_mut().events.push(egui::Event::Paste(text));
        Ok(())
    }

    /// Lays out a frame.
    pub fn run(&mut self, window: &Window, mut build: impl FnMut(&egui::Context)) -> Painting {
        let input = self.input.take_egui_input(window);
        let context = self.input.egui_ctx().clone();
        let output = context.run_ui(input, |ui| build(ui.ctx()));
        for command in &output.platform_output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                // A field has nowhere to say why it did not work.
                let _ = self.copy(text.clone());
            }
        }
        self.input.handle_platform_output(window, output.platform_output);
        let root = output.viewport_output.get(&egui::ViewportId::ROOT);
        Painting {
            triangles: context.tessellate(output.shapes, output.pixels_per_point),
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
            again_in: root.map_or(Duration::MAX, |viewport| viewport.repaint_delay),
        }
    }

    /// Records the painting over what is on the target, which has `size` pixels. Returns command
    /// buffers to submit first.
    pub fn paint(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: (u32, u32),
        painting: &Painting,
    ) -> Result<Vec<wgpu::CommandBuffer>, EngineError> {
        let screen = ScreenDescriptor {
            size_in_pixels: [size.0, size.1],
            pixels_per_point: painting.pixels_per_point,
        };
        for (id, changes) in &painting.textures.set {
            for change in changes {
                self.painter.update_texture(&gpu.device, &gpu.queue, *id, change);
            }
        }
        let triangles = &painting.triangles;
        let painter = &mut self.painter;
        let before = gpu.attempt(|| {
            painter.update_buffers(&gpu.device, &gpu.queue, encoder, triangles, &screen)
        })?;
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("interface"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        self.painter.render(&mut pass.forget_lifetime(), triangles, &screen);
        Ok(before)
    }

    /// Frees textures that the painting was the last to use. Call it after the submission.
    pub fn clean_up(&mut self, painting: &Painting) {
        for id in &painting.textures.free {
            self.painter.free_texture(id);
        }
    }
}
