//! The clipboard of the system, or of the page in a browser.

#[cfg(not(target_family = "wasm"))]
mod own {
    /// Kept open: on X11 the program itself hands out what it has copied.
    pub struct Clipboard(arboard::Clipboard);

    impl Clipboard {
        pub fn open() -> Result<Self, String> {
            let opened = arboard::Clipboard::new().map(Self);
            opened.map_err(|error| format!("no clipboard: {error}"))
        }

        pub fn set(&mut self, text: String) -> Result<(), String> {
            self.0.set_text(text).map_err(|error| format!("nothing was copied: {error}"))
        }

        pub fn get(&mut self) -> Result<String, String> {
            self.0.get_text().map_err(|error| format!("nothing was pasted: {error}"))
        }
    }
}

#[cfg(target_family = "wasm")]
mod own {
    use wasm_bindgen_futures::{JsFuture, spawn_local};

    pub struct Clipboard(web_sys::Window);

    impl Clipboard {
        pub fn open() -> Result<Self, String> {
            web_sys::window().map(Self).ok_or_else(|| "no clipboard: this is no page".into())
        }

        pub fn set(&mut self, text: String) -> Result<(), String> {
            let window = self.0.clone();
            let clipboard = window.navigator().clipboard();
            spawn_local(async move {
                let taken = match clipboard.is_undefined() {
                    true => false,
                    false => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
                };
                if !taken {
                    // The user may copy it from there. Frames of other pages may not ask.
                    let _ = window.prompt_with_message_and_default("To be copied:", &text);
                }
            });
            Ok(())
        }

        pub fn get(&mut self) -> Result<String, String> {
            Err("nothing was pasted: a page may not read the clipboard".into())
        }
    }
}

pub use own::Clipboard;
