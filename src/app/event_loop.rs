//! The connection to the window system, and the sentence for a user without one.

use winit::error::EventLoopError;
use winit::event_loop::EventLoop;

use super::WindowError;

/// The connection to the window system. winit panics on X servers without the extension RANDR, as some for remote
/// desktops are; that is silent here.
pub fn connect() -> Result<EventLoop<()>, WindowError> {
    check_keyboard()?;
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let made = std::panic::catch_unwind(EventLoop::new);
    std::panic::set_hook(hook);
    let lacks = |_| WindowError::NoDisplay("the X server lacks an extension, such as RANDR".into());
    made.map_err(lacks)?.map_err(no_display)
}

/// winit 0.30 panics when a library that it opens for the keyboard is missing. Systems without a
/// desktop often have all the other libraries.
#[cfg(target_os = "linux")]
fn check_keyboard() -> Result<(), WindowError> {
    let set = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    // winit's order of preference.
    let wayland = set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET");
    let on_x11 = set("DISPLAY") && !wayland;
    // Without a display, that is the error to report.
    if !wayland && !on_x11 {
        return Ok(());
    }
    let (library, package) = if xkbcommon_dl::xkbcommon_option().is_none() {
        ("libxkbcommon", "libxkbcommon0")
    } else if on_x11 && xkbcommon_dl::x11::xkbcommon_x11_option().is_none() {
        ("libxkbcommon-x11", "libxkbcommon-x11-0")
    } else {
        return Ok(());
    };
    Err(WindowError::NoDisplay(format!(
        "the library {library} is missing (Debian: apt-get install {package})"
    )))
}

#[cfg(not(target_os = "linux"))]
fn check_keyboard() -> Result<(), WindowError> {
    Ok(())
}

/// winit puts its own source line before the system's message.
pub fn no_display(error: EventLoopError) -> WindowError {
    let text = error.to_string();
    let said = text.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    let said = said.map_or(text.as_str(), |(_, said)| said);
    WindowError::NoDisplay(with_remedy(said))
}

/// The message, with the packages to install when a library is missing.
fn with_remedy(said: &str) -> String {
    let said = said.trim_end_matches('.');
    if said.contains("could not be loaded") || said.contains("shared libraries") {
        format!(
            "{said} (Debian: apt-get install libxkbcommon-x11-0 libxcursor1 libxi6 libx11-xcb1)"
        )
    } else {
        said.into()
    }
}
