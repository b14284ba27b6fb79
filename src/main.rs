//! The program: parses arguments, calls one command, prints errors, sets the exit code.

#![warn(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod cli;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use flockwork::commands;
use flockwork::commands::interrupt::Interrupted;
use flockwork::commands::usage::UsageError;

fn main() -> ExitCode {
    let cli = Cli::parse();
    commands::output::survive_file_limits();
    let result = match cli.command {
        None => commands::run::run(&cli.run),
        Some(Command::Run(args)) => commands::run::run(&args),
        Some(Command::Capture(args)) => commands::capture::capture(&args),
        Some(Command::Simulate(args)) => commands::simulate::simulate(&args),
        Some(Command::Bench(args)) => commands::bench::bench(&args),
        Some(Command::Scenes { name }) => commands::scenes::scenes(name.as_deref()),
        Some(Command::Adapters) => commands::adapters::adapters(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("flockwork: {error:#}");
            if error.is::<Interrupted>() {
                ExitCode::from(130)
            } else if error.is::<UsageError>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
