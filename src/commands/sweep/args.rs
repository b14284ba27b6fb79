//! The arguments of `flockwork sweep`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::plan::SweepPlan;
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
    #[command(flatten)]
    pub plan: SweepPlan,
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
    #[arg(long, value_name = "I[..J]", conflicts_with = "shard", value_parser = numbers)]
    pub run: Option<(usize, usize)>,
    /// Compute the I-th of N parts; the first is 1/N
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<(usize, usize)>,
    /// Compute nothing; write results.csv, results.npz and the plot of what is there
    #[arg(long, conflicts_with_all = ["run", "shard", "list"])]
    pub collect: bool,
}

/// A clap parser for numbers of runs: `I`, or `I..J` with both ends.
fn numbers(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match [first, last].map(|number| number.parse().ok()) {
        [Some(first), Some(last)] if (1..=last).contains(&first) => Ok((first, last)),
        _ => Err("expected the number of a run, from 1 on, or I..J with I up to J".into()),
    }
}

/// A clap parser for a part of all runs, `I/N`: every N-th, so that parts take about as long.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').map(|(part, of)| [part, of].map(|n| n.parse().ok()));
    match parts {
        Some([Some(part), Some(of)]) if (1..=of).contains(&part) => Ok((part, of)),
        _ => Err("expected I/N with I from 1 to N, for example 1/4".into()),
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
        if let Some((_, last)) = run.filter(|(_, last)| *last > all) {
            let all = counted(all as u64, "run");
            return Err(wrong(format!("--run {last}: the plan has {all}")));
        }
        Ok(Box::new(move |number| {
            let place = (number - 1) % flocks.unwrap_or(usize::MAX);
            run.is_none_or(|(first, last)| (first..=last).contains(&number))
                && shard.is_none_or(|(part, of)| place % of == part - 1)
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
    use super::*;
    use crate::commands::host::arg_parsers::arguments;

    fn chosen(line: &str) -> Vec<usize> {
        let words = ["sweep"].into_iter().chain(line.split_whitespace());
        let args: SweepArgs = arguments(words).unwrap();
        let is_chosen = args.chosen(10, None).unwrap();
        (1..=10).filter(|number| is_chosen(*number)).collect()
    }

    #[test]
    fn shards_share_all_runs() {
        assert_eq!(chosen(""), (1..=10).collect::<Vec<_>>());
        assert_eq!(chosen("--run 3"), [3]);
        assert_eq!(chosen("--run 3..5"), [3, 4, 5]);
        let mut all: Vec<usize> = (1..=4).flat_map(|i| chosen(&format!("--shard {i}/4"))).collect();
        assert_eq!(all[..3], [1, 5, 9]);
        all.sort_unstable();
        assert_eq!(all, (1..=10).collect::<Vec<_>>());
    }

    #[test]
    fn parts_that_are_not_there_are_refused() {
        for wrong in ["0/0", "5/4", "0/4", "1", "a/b", "-1/2"] {
            assert!(shard(wrong).unwrap_err().contains("1/4"), "{wrong}");
        }
        for wrong in ["0", "5..3", "..", "a", "1..", ""] {
            assert!(numbers(wrong).unwrap_err().contains("I..J"), "{wrong}");
        }
    }
}
