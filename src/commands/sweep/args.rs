//! The arguments of `flockwork sweep`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::plan::Plan;
use crate::commands::host::arg_parsers::whole;
use crate::commands::host::errors::wrong;
use crate::commands::host::options::MachineArgs;
use flockwork_view::words::counted;

/// Its arguments.
#[derive(Clone, Debug, Args)]
pub struct SweepArgs {
    /// File with the plan: the options below as TOML keys; the command line overrides it
    #[arg(value_name = "PLAN.toml")]
    pub file: Option<PathBuf>,
    /// The plan.
    #[command(flatten)]
    pub plan: Plan,
    /// On what.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Folder for a file a run, and for results.csv and results.npz once all are there. Runs that are there
    /// are not computed again
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Runs at once [default: one per thread, or four on a GPU; one for flocks above 100000 agents]
    #[arg(long, value_name = "J", value_parser = whole::<u32>(1..=4096), allow_negative_numbers = true)]
    pub jobs: Option<u32>,
    /// Draw the averages with error bars against the first key; the other keys are series
    #[arg(long, value_name = "FILE.svg|.png", conflicts_with = "list")]
    pub plot: Option<PathBuf>,
    /// Draw these curves too: values of the first key in the first column, a column for each metric
    #[arg(long, value_name = "FILE.csv", requires = "plot")]
    pub reference: Option<PathBuf>,
    /// Print the runs as JSON, one a line, and compute nothing
    #[arg(long)]
    pub list: bool,
    /// Compute run I, or the runs from I to J, both included; the first is 1
    #[arg(long, value_name = "I[..J]", conflicts_with = "shard")]
    pub run: Option<Numbers>,
    /// Compute the I-th of N parts; the first is 1/N
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Compute nothing; write results.csv, results.npz and the plot of what is there
    #[arg(long, conflicts_with_all = ["run", "shard", "list"])]
    pub collect: bool,
}

/// Numbers of runs, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers(usize, usize);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        match [first, last].map(|number| number.parse().ok()) {
            [Some(first), Some(last)] if (1..=last).contains(&first) => Ok(Self(first, last)),
            _ => Err("expected the number of a run, from 1 on, or I..J with I up to J".into()),
        }
    }
}

/// A part of all runs: every N-th, so that parts take about as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard(usize, usize);

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').map(|(part, of)| [part, of].map(|n| n.parse().ok()));
        match parts {
            Some([Some(part), Some(of)]) if (1..=of).contains(&part) => Ok(Self(part, of)),
            _ => Err("expected I/N with I from 1 to N, for example 1/4".into()),
        }
    }
}

impl SweepArgs {
    /// Whether a run is asked for, by its number. Fails if there are fewer than --run says. If runs go on from one
    /// another, a part has all runs of its `flocks`.
    pub(super) fn chosen(
        &self,
        all: usize,
        flocks: Option<usize>,
    ) -> anyhow::Result<Box<dyn Fn(usize) -> bool>> {
        let (run, shard) = (self.run, self.shard);
        if let Some(Numbers(_, last)) = run.filter(|run| run.1 > all) {
            let all = counted(all as u64, "run");
            return Err(wrong(format!("--run {last}: the plan has {all}")));
        }
        Ok(Box::new(move |number| {
            let place = (number - 1) % flocks.unwrap_or(usize::MAX);
            run.is_none_or(|run| (run.0..=run.1).contains(&number))
                && shard.is_none_or(|shard| place % shard.1 == shard.0 - 1)
        }))
    }

    /// The folder of the results.
    pub(super) fn out(&self) -> anyhow::Result<&Path> {
        self.out
            .as_deref()
            .ok_or_else(|| wrong("--out DIR is missing; name a folder for the results"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: SweepArgs,
    }

    fn numbers(line: &str) -> Vec<usize> {
        let args = Line::parse_from(["sweep"].into_iter().chain(line.split_whitespace())).args;
        let chosen = args.chosen(10, None).unwrap();
        (1..=10).filter(|number| chosen(*number)).collect()
    }

    #[test]
    fn shards_share_all_runs() {
        assert_eq!(numbers(""), (1..=10).collect::<Vec<_>>());
        assert_eq!(numbers("--run 3"), [3]);
        assert_eq!(numbers("--run 3..5"), [3, 4, 5]);
        let mut all: Vec<usize> =
            (1..=4).flat_map(|i| numbers(&format!("--shard {i}/4"))).collect();
        assert_eq!(all[..3], [1, 5, 9]);
        all.sort_unstable();
        assert_eq!(all, (1..=10).collect::<Vec<_>>());
    }

    #[test]
    fn parts_that_are_not_there_are_refused() {
        for wrong in ["0/0", "5/4", "0/4", "1", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("1/4"), "{wrong}");
        }
        for wrong in ["0", "5..3", "..", "a", "1..", ""] {
            assert!(wrong.parse::<Numbers>().unwrap_err().contains("I..J"), "{wrong}");
        }
    }
}
