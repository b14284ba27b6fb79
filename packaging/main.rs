//! Writes the pages of the manual and the completions of three shells into a folder: `man/` and
//! `completions/`.

use std::path::PathBuf;
use std::{env, fs, io};

use clap::CommandFactory;
use clap_complete::Shell;
use flockwork::commands::cli::Cli;

fn main() -> io::Result<()> {
    let none = || io::Error::other("no folder: cargo run -p packaging -- FOLDER");
    let folder = env::args_os().nth(1).map(PathBuf::from).ok_or_else(none)?;
    let [man, completions] = ["man", "completions"].map(|name| folder.join(name));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(Cli::command(), &man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "flockwork", &completions)?;
    }
    Ok(())
}
