//! The scripts of `docs/sweeps.md` that spread a sweep: each gives the table that one process gives. GNU parallel is run
//! itself; the arrays of Slurm and HyperQueue are played by a loop. Needs no GPU.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::shell::{Folder, done};

/// The code block behind a line of the page.
fn block<'a>(page: &'a str, before: &str) -> &'a str {
    let rest = page.split_once(before).unwrap_or_else(|| panic!("{before}: not in the page")).1;
    let code = rest.split_once("```sh\n").unwrap().1;
    code.split_once("\n```").unwrap().0
}

/// Runs a script in a folder in which `flockwork` is the program under test.
fn script(folder: &Path, text: &str, variables: &[(&str, String)]) {
    let program = Path::new(env!("CARGO_BIN_EXE_flockwork")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-ec", text]).envs(variables.iter().cloned());
    let output = command.env("PATH", format!("{}:{path}", program.display())).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}\n{told}");
}

#[test]
fn scripts_that_spread_a_sweep_give_one_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sweeps.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = Folder::empty();
    let plan = "scene = 'flock'\ncount = 30\nticks = 20\nmetric = 'polarisation'\nseeds = 2\n\
                vary = { 'starling.separation.weight' = '1..5:5' }\n";
    folder.write("plan.toml", plan);
    done(&folder, "sweep plan.toml --engine cpu --out whole");
    let results = folder.join("results");
    let read = |out: &str| folder.bytes(format!("{out}/results.csv"));
    let check = |name: &str| {
        assert!(read("results") == read("whole"), "{name}");
        fs::remove_dir_all(&results).unwrap();
    };
    script(&folder, block(&page, "Two shells"), &[]);
    check("two shells");
    script(&folder, block(&page, "GNU parallel"), &[]);
    check("GNU parallel");
    for (name, variable) in [("Slurm", "SLURM_ARRAY_TASK_ID"), ("HyperQueue", "HQ_TASK_ID")] {
        let text = block(&page, name);
        // HyperQueue runs the command behind its own options.
        let text = text.replace("hq submit --array 1-16 --cpus 4", "env");
        for task in 1..=16 {
            script(&folder, &text, &[(variable, task.to_string())]);
        }
        check(name);
    }
}
