//! The program: parses arguments, calls one command, prints errors, returns the exit code.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use super::cli::{Cli, Command};
use super::host::errors::wrong;
use super::host::messages::{said, warn};
use super::host::{interrupt, memory_check, ranks};
use super::{adapters, bench, capture, run, scenes, simulate, sweep};
use flockwork_model::quote::{cut, readable};

/// Prints clap's error about the command line, or the help. Cuts the user's values if they are
/// long.
fn misused(mut error: clap::Error) -> u8 {
    if !ranks::is_root() {
        if error.use_stderr() {
            // `mpirun` ends all ranks when one fails: the first rank must have spoken by then.
            thread::sleep(Duration::from_secs(1));
        }
        return error.exit_code() as u8;
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
    2
}

/// Prints the error of a result, if it has one. Returns the exit code.
fn ended(result: &anyhow::Result<()>) -> u8 {
    let Err(error) = result else { return 0 };
    if let Some(message) = ranks::message_of(error) {
        warn(&format!("flockwork: {message}"));
    }
    ranks::exit_code(error)
}

fn call(cli: Cli) -> anyhow::Result<()> {
    ranks::same("the command line", &format!("{cli:?}"))?;
    let together =
        matches!(cli.command, Some(Command::Simulate(_) | Command::Capture(_) | Command::Bench(_)));
    if !together && ranks::ranks().is_some() {
        return ranks::agree(Err(wrong(
            "several processes together run `simulate`, `capture` and `bench`; start the others without \
             mpirun",
        )));
    }
    match cli.command.unwrap_or(Command::Run(cli.run)) {
        Command::Run(args) => run::run(&args),
        Command::Capture(args) => capture::capture(&args, || args.machine.open()),
        Command::Simulate(args) => simulate::simulate(&args, || args.machine.open()),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Scenes { name, overrides } => scenes::scenes(name.as_deref(), &overrides),
        Command::Adapters => adapters::adapters(),
    }
}

/// Runs the program with its name and its arguments. Returns the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    ranks::look_around();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return misused(error),
    };
    interrupt::survive_file_limits();
    let result = ranks::start().and_then(memory_check::start_threads).and_then(|()| call(cli));
    let code = ended(&result);
    ranks::end(result.as_ref().err());
    code
}
