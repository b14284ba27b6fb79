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
    pub struct Clipboard(web_sys::Clipboard);

    impl Clipboard {
        pub fn open() -> Result<Self, String> {
            let window = web_sys::window().ok_or("no clipboard: this is no page")?;
            Ok(Self(window.navigator().clipboard()))
        }

        pub fn set(&mut self, text: String) -> Result<(), String> {
            // Whether the user allows it comes to be known only later.
            let _ = self.0.write_text(&text);
            Ok(())
        }

        pub fn get(&mut self) -> Result<String, String> {
            Err("nothing was pasted: a page may not read the clipboard".into())
        }
    }
}

pub use own::Clipboard;
