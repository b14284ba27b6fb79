//! The program. The library does its work: [`flockwork::commands::program`].

#![warn(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::ExitCode;

/// Ends a false alarm. Where `XDG_RUNTIME_DIR` is not set, as in most containers, libwayland prints an error
/// each time a Vulkan driver looks for displays. With a folder that cannot hold sockets it finds none, too,
/// and is quiet.
#[cfg(target_os = "linux")]
fn quieten_wayland() {
    let folder = std::env::var_os("XDG_RUNTIME_DIR");
    if folder.is_none_or(|folder| !Path::new(&folder).is_absolute()) {
        #[expect(unsafe_code, reason = "libwayland has no other way")]
        // SAFETY: `main` calls this first, while the process has one thread.
        unsafe {
            std::env::set_var("XDG_RUNTIME_DIR", "/dev/null");
        }
    }
}

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    quieten_wayland();
    ExitCode::from(flockwork::commands::program::main(std::env::args_os()))
}
