//! Frames: ticks, the flock, the interface over it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::{OpenWindow, film};
use crate::command::Command;
use crate::controls::{self, FlockPanel};
use crate::inspector;
use crate::interface::Painting;
use crate::key_card;
use crate::overlay::{self, Detail, Facts};
use crate::screen::{Acquired, SurfaceFrame};
use crate::timeline;
use crate::tools::Tool;
use crate::{Next, WindowError};
use flockwork_engine::AgentsAt;
use flockwork_model::behaviours::Target;
use flockwork_model::scene::ColourBy;
use flockwork_session::{Clock, pointer_help};
use flockwork_view::gpu::subject::Subject;
use flockwork_view::gpu::trails::TrailLight;
use flockwork_view::legend::Legend;
use flockwork_view::without_light;
use web_time::Instant;

/// How near the mouse must be to an agent to select it; points.
pub(super) const NEAR: f32 = 24.0;

/// How long to wait before asking again for a surface that is not visible.
const IDLE_POLL: Duration = Duration::from_millis(100);

/// How long to wait before looking for metrics that are being computed.
const SOON: Duration = Duration::from_millis(20);

/// How long the hint of the first keys stays if no key is pressed.
const HINT_STAYS: Duration = Duration::from_secs(12);

impl OpenWindow<'_> {
    /// Runs the ticks that are due and shows the flock. The last frame is number
    /// [`WindowOptions::frames`](crate::WindowOptions).
    pub fn frame(&mut self) -> Result<Next, WindowError> {
        let canvas = match self.display.screen.acquire()? {
            Acquired::Ready(canvas) => canvas,
            Acquired::Later => return Ok(Next::Frame),
            Acquired::Hidden => {
                self.request_redraw();
                return Ok(Next::After(IDLE_POLL));
            }
        };
        let now = Instant::now();
        let elapsed = now - std::mem::replace(&mut self.progress.last, now);
        if !self.go_on()? {
            return Ok(Next::End);
        }
        let waits = !self.waiting.commands.is_empty();
        self.session.clock.hold(waits || self.panels.timeline.is_held());
        let ticks = if waits {
            0
        } else {
            self.apply_edits()?;
            self.session.advance()?.ticks
        };
        self.panels.metrics.measure(&mut self.session, self.panels.overlay == Detail::Full);
        if let Some(told) = self.session.take_notice() {
            self.notify(told);
        }
        let broken = self.session.broken_forces();
        let knows = std::mem::replace(&mut self.notices.knows_broken, broken.is_some());
        if let Some(broken) = broken.filter(|_| !knows) {
            self.notify(broken);
        }
        if self.session.clock.is_paused() || self.session.goal().is_some() {
            self.panels.metrics.pace.rest();
        } else {
            let tick = self.session.tick_time();
            self.panels.metrics.pace.note(elapsed.as_secs_f64(), ticks, tick);
        }
        self.progress.ticks += u64::from(ticks);
        self.progress.played += elapsed;

        self.follow_scene();
        self.guide_camera();
        let (mut again_in, commands) = self.show(canvas)?;
        self.film_frame()?;
        self.take_pictures();
        for command in commands {
            // The flock on the screen is the one before the command.
            again_in = Duration::ZERO;
            if !self.obey(command)? {
                return Ok(Next::End);
            }
        }
        if std::mem::take(&mut self.hand.gesture_ended) {
            self.session.seal_edit();
        }
        self.display.screen.gpu().check()?;
        self.progress.frames += 1;
        self.options.host.shown(self.session.tick());
        let stands_still = self.session.clock.is_paused()
            && self.session.goal().is_none()
            && self.waiting.commands.is_empty()
            && !self.is_filming()
            && !self.session.awaits_snapshot();
        Ok(match self.options.frames {
            Some(until) if self.progress.frames >= until => Next::End,
            None if stands_still && self.session.awaits_metrics() => {
                Next::After(again_in.min(SOON))
            }
            None if stands_still => Next::After(again_in),
            _ => Next::Frame,
        })
    }

    /// Draws the flock and the interface. Returns when the interface wants to be drawn again, and
    /// what the user has asked for.
    fn show(&mut self, canvas: SurfaceFrame) -> Result<(Duration, Vec<Command>), WindowError> {
        let (painting, commands) = self.lay_out()?;
        let gpu = Arc::clone(self.display.screen.gpu());
        let target = self.display.screen.view(&canvas)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        if let AgentsAt::Host(agents) = self.session.engine().agents() {
            let revision = self.session.revision();
            if self.display.uploaded_revision.replace(revision) != Some(revision) {
                self.display.uploaded.upload_for(self.session.scene(), agents)?;
            }
        }
        // Reading from a GPU means waiting: do it only for targets that move by themselves.
        let moving = self.session.scene().targets.iter().any(Target::moves);
        let targets = if moving { Some(self.session.targets()?) } else { None };
        let agents = match self.session.engine().agents() {
            AgentsAt::Device(agents) => agents.get(),
            AgentsAt::Host(_) => Some(self.display.uploaded.agents()),
        };
        let elsewhere = || gpu.error("cannot draw agents of another kind of device");
        let agents = agents.ok_or_else(elsewhere)?;
        let (scene, camera) = (self.session.scene(), &self.hand.pointer.camera);
        let targets = targets.as_ref().unwrap_or(&scene.targets);
        let scene = &if self.display.light { Cow::Borrowed(scene) } else { without_light(scene) };
        let renderer = &mut self.display.renderer;
        let subject = Subject { agents, scene, targets, camera };
        match scene.style.trail {
            Some(half_life) => {
                let alone = renderer.draw_alone(&mut encoder, &target, subject)?;
                let light =
                    self.display.trails.get_or_insert_with(|| TrailLight::new(Arc::clone(&gpu)));
                light.add(&mut encoder, &alone, camera, self.session.tick(), half_life);
                if let Some(trails) = light.view() {
                    let layers = (&alone, &trails);
                    renderer.draw_over_trails(&mut encoder, &target, subject, layers)?;
                }
            }
            None => {
                self.display.trails = None;
                renderer.draw(&mut encoder, &target, subject)?;
            }
        }
        let size = self.display.screen.size();
        let before = self.display.interface.paint(&gpu, &mut encoder, &target, size, &painting)?;
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        self.display.screen.present(canvas)?;
        self.display.interface.clean_up(&painting);
        Ok((painting.again_in, commands))
    }

    /// Moves the camera to the agent that it follows, until the user moves it elsewhere.
    fn follow_agent(&mut self) -> Result<(), WindowError> {
        if let Some(agent) = self.panels.inspector.followed(&mut self.session)? {
            self.hand.pointer.centre_on(&self.session.scene().world, agent.place);
            if self.panels.inspector.rides() {
                self.hand.pointer.ride(&agent);
            }
        }
        Ok(())
    }

    /// Lays out the interface. Returns what the user asks for in it.
    fn lay_out(&mut self) -> Result<(Painting, Vec<Command>), WindowError> {
        self.notices.shown.take_if(|(_, since)| since.elapsed() > overlay::NOTICE_STAYS);
        self.follow_agent()?;
        let camera = self.hand.pointer.camera;
        let near = NEAR * self.window.scale_factor() as f32;
        let (mut shapes, legend) =
            self.panels.inspector.shapes(&mut self.session, &camera, near)?;
        shapes.extend(self.tool_shapes());
        let drawing = self.hand.tool.as_ref().map(Tool::help);
        let largest_cell = self.session.largest_cell();
        let engine = self.session.engine();
        let scene = self.session.scene();
        let facts = Facts {
            agents: self.session.agents(),
            tick: self.session.tick(),
            rates: self.panels.metrics.pace.rates,
            paused: self.session.clock.is_paused(),
            goal: self.session.goal(),
            kind: engine.kind(),
            machine: engine.describe(),
            largest_cell,
            series: self.session.series(),
            profile: self.session.profile(),
            notice: self.notices.shown.as_ref().map(|(text, _)| text.as_str()),
            legend: if self.panels.inspector.holds() { Vec::new() } else { legend },
            colours: Legend::of(scene, &camera)
                .filter(|legend| scene.style.legend || legend.by() == ColourBy::Structure),
            lift: if self.panels.timeline.is_shown() { timeline::HEIGHT } else { 0.0 },
        };
        let inspected = self.panels.inspector.facts(scene);
        let filmed = self.seconds_filmed();
        let in_this_scene = pointer_help(scene, self.hand.dropping);
        let begins = !self.notices.knows && self.progress.played < HINT_STAYS;
        let introduced = self
            .notices
            .introduced
            .map(|since| overlay::NOTICE_STAYS.saturating_sub(since.elapsed()));
        let introduced = introduced.filter(|left| !left.is_zero());
        let hint =
            (begins || introduced.is_some()) && drawing.is_none() && self.notices.shown.is_none();
        let flock = FlockPanel {
            scene,
            first: self.session.original(),
            request: self.session.source().request,
            agents: self.session.start_count() as usize,
            counts: self.session.start_counts(),
            begun: self.panels.begun,
            picture_size: self.films.size,
            lift: facts.lift,
            by_keyboard: self.panels.in_panel,
            tool: self.hand.tool.as_ref(),
            middle: self.middle(),
        };
        let mut commands = Vec::new();
        let painting = self.display.interface.run(&self.window, |context| {
            inspector::paint(context, &camera, &shapes);
            // The overlay keeps clear of the panel and of the mark of a film.
            let right = context.content_rect().right();
            let edge =
                if self.panels.controls_shown { controls::left_edge(context) } else { f32::MAX };
            let free = if filmed.is_some() { edge.min(right) - film::MARK } else { edge };
            let overlay = facts.show(context, self.panels.overlay, free);
            if let Some((_, since)) = &self.notices.shown {
                context
                    .request_repaint_after(overlay::NOTICE_STAYS.saturating_sub(since.elapsed()));
            }
            if let Some(seconds) = filmed {
                film::mark(context, seconds, edge);
            }
            if let Some(text) = drawing.filter(|_| facts.notice.is_none()) {
                key_card::line(context, &[text], facts.lift, edge);
            }
            if drawing.is_some() && !context.is_pointer_over_egui() {
                context.set_cursor_icon(egui::CursorIcon::Crosshair);
            }
            if hint {
                key_card::hint(
                    context,
                    &[&scene.name, &scene.about],
                    &in_this_scene,
                    facts.lift,
                    edge,
                );
                context.request_repaint_after(introduced.unwrap_or(HINT_STAYS));
            }
            self.panels.keys_shown &=
                !self.panels.keys_shown || key_card::show(context, &in_this_scene);
            self.panels.timeline.show(context, &self.session, &mut commands);
            if let Some(agent) = &inspected {
                // On the side where the panel is not.
                let left = self.panels.controls_shown;
                agent.show(context, facts.lift, left, &mut commands);
            }
            let between = (overlay, facts.lift);
            self.panels.metrics.show(context, &self.session, between, &mut commands);
            commands.extend(self.panels.scenes.show(context, &scene.name));
            if self.panels.controls_shown {
                self.panels.controls.show(context, &flock, &mut commands);
            }
        });
        // Esc lets go of what had the keyboard.
        self.panels.in_panel &= self.panels.controls_shown && self.display.interface.has_focus();
        Ok((painting, commands))
    }
}
