//! The keyboard goes into the panel: Down enters it, Tab and the arrows go through it, Esc leaves it.

use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::keyboard::{Key, NamedKey};

use super::OpenWindow;

impl OpenWindow<'_> {
    /// A key that belongs to the panel while the keyboard is in it, or that brings it there; false if the
    /// key means what it always does.
    pub(super) fn panel_key(&mut self, key: &KeyEvent, event: &WindowEvent) -> bool {
        let Key::Named(named) = key.logical_key else { return false };
        if self.panels.in_panel {
            let own = matches!(
                named,
                NamedKey::Tab
                    | NamedKey::Space
                    | NamedKey::Enter
                    | NamedKey::Escape
                    | NamedKey::ArrowUp
                    | NamedKey::ArrowDown
                    | NamedKey::ArrowLeft
                    | NamedKey::ArrowRight
            );
            if own {
                self.display.interface.takes(&self.window, event);
            }
            return own;
        }
        let enters = named == NamedKey::ArrowDown && key.state == ElementState::Pressed;
        if !enters || !self.panels.controls_shown || self.display.interface.has_focus() {
            return false;
        }
        self.display.interface.focus_next();
        self.panels.in_panel = true;
        true
    }
}
