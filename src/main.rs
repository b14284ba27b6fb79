//! The program: parses arguments, calls one command, prints errors, sets the exit code.

#![warn(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cli;

use std::borrow::Cow;
use std::io::{self, Write};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use cli::{Cli, Command};
use flockwork::commands;
use flockwork::commands::host::errors::UsageError;
use flockwork::commands::host::memory_check;
use flockwork::commands::host::messages::{said, warn};
use flockwork::commands::host::ranks;
use flockwork::model::quote::{cut, readable};

/// Prints clap's error about the command line, or the help. Cuts the user's values if they are
/// long.
fn misused(mut error: clap::Error) -> ExitCode {
    if !ranks::is_root() {
        if error.use_stderr() {
            // `mpirun` ends all ranks when one fails: the first rank must have spoken by then.
            thread::sleep(Duration::from_secs(1));
        }
        return ExitCode::from(error.exit_code() as u8);
    }
    let long: Vec<(ContextKind, Option<String>)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => match cut(text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(short) => Some((kind, Some(short))),
            },
            ContextValue::StyledStrs(tips) => {
                let any = tips.iter().any(|tip| matches!(cut(&tip.to_string()), Cow::Owned(_)));
                (kind == ContextKind::Suggested && any).then_some((kind, None))
            }
            _ => None,
        })
        .collect();
    for (kind, text) in long {
        match text {
            Some(text) => error.insert(kind, ContextValue::String(text)),
            None => error.remove(kind),
        };
    }
    if !error.use_stderr() {
        return ended(&said(error.print().and_then(|()| io::stdout().flush())));
    }
    let plain = error.render().to_string();
    if readable(&plain) == plain {
        // In colour, if stderr is a terminal. An error that cannot be written is dropped.
        let _ = error.print();
    } else {
        warn(plain.trim_end());
    }
    ExitCode::from(2)
}

/// Prints the error of a result, if it has one. Returns the exit code.
fn ended(result: &anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if let Some(message) = ranks::message_of(error) {
        warn(&format!("flockwork: {message}"));
    }
    ExitCode::from(ranks::exit_code(error))
}

fn run(cli: Cli) -> anyhow::Result<()> {
    ranks::same("the command line", &format!("{cli:?}"))?;
    let together =
        matches!(cli.command, Some(Command::Simulate(_) | Command::Capture(_) | Command::Bench(_)));
    if !together && ranks::ranks().is_some() {
        return ranks::agree(Err(UsageError(
            "several processes together run `simulate`, `capture` and `bench`; start the others without \
             mpirun"
                .into(),
        )
        .into()));
    }
    match cli.command {
        None => commands::run::run(&cli.run),
        Some(Command::Run(args)) => commands::run::run(&args),
        Some(Command::Capture(args)) => commands::capture::capture(&args),
        Some(Command::Simulate(args)) => commands::simulate::simulate(&args),
        Some(Command::Sweep(args)) => commands::sweep::sweep(&args),
        Some(Command::Bench(args)) => commands::bench::bench(&args),
        Some(Command::Scenes { name, overrides }) => {
            commands::scenes::scenes(name.as_deref(), &overrides)
        }
        Some(Command::Adapters) => commands::adapters::adapters(),
    }
}

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
    ranks::look_around();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misused(error),
    };
    commands::host::interrupt::survive_file_limits();
    let result = ranks::start().and_then(memory_check::start_threads).and_then(|()| run(cli));
    let code = ended(&result);
    ranks::end(result.as_ref().err());
    code
}
