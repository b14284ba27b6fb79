//! The record of the run in a CSV file, in the column `run` or in the comments of older files.

use std::path::Path;

use clap::Parser;
use flockwork::commands::options::Prepared;
use flockwork::commands::state_file::{StateWriter, read_state};
use flockwork::model::state::FlockState;

use super::{Line, files_of_a_run, refused, resume, scene};
use crate::older_files::{as_comments, decoded};

/// Replaces parts of a file, and fails unless the program then refuses it with these words.
fn check_refusals(path: &Path, whole: &str, cases: &[(&str, &str, &[&str])]) {
    for (from, to, hints) in cases {
        let text = whole.replace(from, to);
        assert_ne!(text, whole, "{from}");
        std::fs::write(path, text).unwrap();
        let message = refused(path);
        for hint in *hints {
            assert!(message.contains(hint), "{from} to {to}: {message} without {hint}");
        }
    }
}

#[test]
fn plain_readers_find_the_header_and_as_many_columns_on_every_line() {
    let folder = tempfile::tempdir().unwrap();
    let [path, _] = files_of_a_run(folder.path());
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].join(","), "tick,id,species,x,y,vx,vy,angle,neighbours,run");
    assert!(text.is_ascii() && !text.contains(['"', '\'', ';', '#', '\t', '\r']), "{text}");
    assert!(lines.iter().all(|line| line.len() == 10), "{text}");
    assert!(lines[1..].iter().all(|line| line[..9].iter().all(|v| v.parse::<f64>().is_ok())));
    // Only the first row of each of the two ticks says something, and the text is TOML.
    let fields: Vec<&str> = lines[1..].iter().map(|line| line[9]).collect();
    let empty: Vec<bool> = fields.iter().map(|field| field.is_empty()).collect();
    assert_eq!(empty, [false, true, true, true, false, true, true, true]);
    let first: toml::Table = decoded(fields[0]).parse().unwrap();
    let scene: toml::Table = first["scene"].as_str().unwrap().parse().unwrap();
    assert_eq!(scene["species"]["a"]["count"].as_integer(), Some(4));
    assert_eq!(first["flow"]["0"][1][0].as_float(), Some(3.0));
    let second: toml::Table = decoded(fields[4]).parse().unwrap();
    assert_eq!(second["targets"].as_array().unwrap().len(), 2);
    assert_eq!(second.len(), 1);
}

#[test]
fn a_csv_of_a_run_that_is_cut_or_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [path, _] = files_of_a_run(folder.path());
    let whole = std::fs::read_to_string(&path).unwrap();
    assert_eq!(resume(&path).unwrap().state.tick, 7);
    // After the rows of its first tick it is a whole file.
    let first = whole.find("\n7,").unwrap() + 1;
    for length in (0..whole.len()).filter(|length| *length != first) {
        std::fs::write(&path, &whole[..length]).unwrap();
        refused(&path);
    }
    std::fs::write(&path, &whole[..first]).unwrap();
    assert_eq!(resume(&path).unwrap().state.tick, 0);

    let row = whole.lines().last().unwrap();
    let fields: Vec<&str> = row.split(',').collect();
    let remembers =
        |angle: &str, neighbours: &str| [&fields[..7], &[angle, neighbours, ""]].concat().join(",");
    let with_id = |tick: &str, id: &str| [&[tick, id], &fields[2..]].concat().join(",");
    let last = whole.lines().count();
    let line = &*format!("line {last}: ");
    check_refusals(
        &path,
        &whole,
        &[
            ("version = 1", "version = 2", &["line 2: run, line 1", "version 2", "--scene"]),
            ("version = 1", "version", &["line 2: run, line 1", "--scene"]),
            ("count = 4", "count = -4", &["line 2: run, line 3", "--scene"]),
            ("count = 4", "counts = 4", &["unknown key `counts`", "--scene"]),
            ("%0Acount = 4%0Aw", "%0Acount = 5%0Aw", &["4 rows", "5 agents", "not whole"]),
            ("[species.a]", "[specie.a]", &["scene.toml", "did you mean `species`"]),
            ("[species.a]", "[species.a", &["scene.toml"]),
            ("size = [90%2C 60]", "size = [9%2C 6]", &["outside the world", "--set"]),
            (
                "%0A",
                "%",
                &["line 2: run: ", "two hexadecimal digits after the %", "\"na\"", "--scene"],
            ),
            ("%0A\n", "%\n", &["line 2: run: ", "two hexadecimal digits", "found \"\""]),
            ("%22", "%ff", &["line 2: run: ", "UTF-8", "--scene"]),
            ("%22", "%2g", &["line 2: run: ", "\"2g\""]),
            ("0]]%0Aflow", "0]%0Aflow", &["line 2: run", "--scene"]),
            ("]]%0A\n", "]%0A\n", &["line 2: run: flow: ", "lists of 2 numbers", "\"[3.0, 4.0\""]),
            (
                "0,targets = [",
                "0,targets = [[1]%2C ",
                &["run: targets: expected lists of 5 numbers"],
            ),
            ("%2C 0]]%0A\n", "]]%0A\n", &["lists of 5 numbers", "--scene"]),
            ("flow.0", "flow.1", &["line 2: run: expected vector 0", "found vector 1"]),
            ("flow.0", "flow.x", &["line 2: run: ", "as in flow.0 = "]),
            ("[3.0%2C", "[three%2C", &["line 2: run: flow: ", "\"three, 4.0\""]),
            ("%2C [3.0%2C 4.0]", "", &["1 vector,", "grid = [2, 1]", "flow.file"]),
            ("[3.0%2C", "[nan%2C", &["vector 1", "NaN", "1e9"]),
            (",neighbours,", ",", &["\"neighbours\" is missing", "angle and neighbours together"]),
            (",run\n", ",runs\n", &["line 1: unknown column \"runs\"", "did you mean `run`"]),
            (row, &remembers("0.6", "0"), &[line, "angle is 0.6", "-0.5 to 0.5"]),
            (row, &remembers("NaN", "0"), &[line, "angle is NaN"]),
            (row, &remembers("0", "256"), &[line, "neighbours is 256", "0 to 255"]),
            (row, &with_id("9007199254740993", "3"), &[line, "tick is 9007199254740993", "to 900"]),
            (
                row,
                &with_id("18446744073709551616", "3"),
                &[line, "tick is \"18446744073709551616\""],
            ),
            (row, &with_id("7", "0"), &[line, "agent 0", &format!("line {}", last - 3)]),
        ],
    );
    // The targets of the last tick: none, too few, twice, and one that is nowhere.
    let line = whole.lines().nth(5).unwrap();
    let (row, field) = line.rsplit_once(',').unwrap();
    let one = field.split("%2C [").next().unwrap().to_owned() + "]%0A";
    let twice = format!("{line}{field}");
    let nowhere = line.replacen("[[0.0%2C", "[[inf%2C", 1);
    check_refusals(
        &path,
        &whole,
        &[
            (line, &format!("{row},"), &["0 targets", "has 2", "--scene"]),
            (line, &format!("{row},{one}"), &["1 target,", "has 2", "--scene"]),
            (line, &twice, &["line 6: run: tick 7 has targets on an earlier line too"]),
            (line, &nowhere, &["positions and velocities are numbers from"]),
        ],
    );
}

/// The longest fields: refused or read, in any case quickly and with a short message.
#[test]
fn fields_of_megabytes_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [path, _] = files_of_a_run(folder.path());
    let whole = std::fs::read_to_string(&path).unwrap();
    let long = |part: &str| part.repeat((10 << 20) / part.len());
    let many = format!("0,targets = [{}", long("[1.0%2C 1.0%2C 1.0%2C 1.0%2C 1]%2C "));
    check_refusals(
        &path,
        &whole,
        &[
            ("version = 1", &long("x"), &["line 2: run, line 1", "--scene"]),
            ("version = 1", &long("%"), &["line 2: run: ", "two hexadecimal digits"]),
            ("version = 1", &long("%0A"), &["line 2: run, line 1", "the key `version` is missing"]),
            ("version = 1", &long("["), &["line 2: run, line 1", "--scene"]),
            ("0,targets = [", &many, &["line 6: run: targets: expected at most 64"]),
            (
                "flow.0 = [",
                &format!("flow.0 = [{}", long("[1%2C1]%2C")),
                &["vectors", "grid = [2, 1]"],
            ),
        ],
    );
    // In a comment of the scene it does no harm.
    let text = whole.replace("[species.a]", &format!("%23{}%0A[species.a]", long("x")));
    std::fs::write(&path, text).unwrap();
    assert_eq!(resume(&path).unwrap().state.tick, 7);
}

#[test]
fn a_flow_field_is_spread_over_the_rows_of_the_first_tick() {
    let folder = tempfile::tempdir().unwrap();
    let wind: String = (0..6000).map(|n| format!("{},{}\n", n as f32 * 1e-7, -n)).collect();
    std::fs::write(folder.path().join("wind.csv"), format!("x,y\n{wind}")).unwrap();
    let scene = "flow = { kind = \"file\", file = \"wind.csv\", grid = [100, 60] }\n[species.a]\n\
                 [species.a.follow_flow]\n";
    std::fs::write(folder.path().join("scene.toml"), scene).unwrap();
    let scene = folder.path().join("scene.toml");
    let given = |count: &str| {
        let line = ["flockwork", "--scene", scene.to_str().unwrap(), "--count", count];
        Line::parse_from(line).flock.prepare(None).unwrap()
    };
    for (count, rows, longest) in [("50", 12, 32_000), ("7", 7, 100_000)] {
        let prepared = given(count);
        let path = folder.path().join("run.csv");
        let mut writer = StateWriter::create(&path).unwrap();
        writer.describe(prepared.record()).unwrap();
        for tick in [0, 1] {
            writer.write(&FlockState { tick, ..prepared.state.clone() }, &[]).unwrap();
        }
        writer.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let fields = || text.lines().map(|line| line.rsplit_once(',').unwrap().1);
        assert_eq!(fields().filter(|field| field.contains("flow.")).count(), rows);
        assert!(fields().all(|field| field.len() < longest), "a field is too long");
        assert_eq!(fields().skip(1 + rows).filter(|field| !field.is_empty()).count(), 0);
        let flow = |prepared: &Prepared| prepared.scene.flow.as_ref().unwrap().vectors.clone();
        assert_eq!(flow(&prepared).len(), 6000);
        // Whatever the order of the rows.
        let mut lines: Vec<&str> = text.lines().collect();
        for reverse in [false, true] {
            if reverse {
                lines[1..].reverse();
            }
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            let resumed = resume(&path).unwrap();
            assert!(flow(&resumed) == flow(&prepared), "another flow field");
            assert_eq!((resumed.state.tick, resumed.record()), (1, prepared.record()));
        }
        lines.remove(lines.len() - 2);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        assert!(refused(&path).contains("run: expected vector"), "{}", refused(&path));
    }
}

#[test]
fn a_column_run_that_says_nothing_is_as_good_as_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "id,run,x,y,vx,vy\n9,,2,3,4,1\n3,,6,7,8,5\n").unwrap();
    let message = refused(&path);
    assert!(
        message.contains("does not say which scene") && message.contains("--scene NAME"),
        "{message}"
    );
    let line = ["flockwork", "--scene", "flock", "--init", path.to_str().unwrap()];
    assert_eq!(Line::parse_from(line).flock.prepare(None).unwrap().state.id, [3, 9]);
    // A column of the user's own.
    std::fs::write(&path, "id,run,x,y,vx,vy\n9,first try,2,3,4,1\n3,,6,7,8,5\n").unwrap();
    let message = refused(&path);
    assert!(message.contains("line 2: run, line 1") && message.contains("--scene"), "{message}");
    assert_eq!(read_state(&path, &scene("wrap")).unwrap().id, [3, 9]);
}

#[test]
fn an_older_csv_of_a_run_that_is_cut_or_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [path, _] = files_of_a_run(folder.path());
    let whole = as_comments(&std::fs::read_to_string(&path).unwrap());
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(resume(&path).unwrap().state.tick, 7);
    // After the rows of its first tick it is a whole file, but for the targets that follow.
    let first = whole.find("#target,7,").unwrap();
    for length in (0..whole.len()).filter(|length| *length != first) {
        std::fs::write(&path, &whole[..length]).unwrap();
        refused(&path);
    }
    check_refusals(
        &path,
        &whole,
        &[
            ("# version = 1", "# version = 2", &["line 2", "version 2", "--scene"]),
            ("# version = 1", "# version", &["line 2", "--scene"]),
            ("# count = 4\n# w", "# count = -4\n# w", &["line 4", "--scene"]),
            ("# count = 4\n# w", "# counts = 4\n# w", &["unknown key `counts`", "--scene"]),
            ("# count = 4\n# w", "# count = 5\n# w", &["4 rows", "5 agents", "not whole"]),
            ("# [species.a]\n", "# [specie.a]\n", &["scene.toml", "did you mean `species`"]),
            ("# [species.a]\n", "# [species.a\n", &["scene.toml"]),
            ("# size = [90, 60]", "# size = [9, 6]", &["outside the world", "--set"]),
            ("#target,7,1,", "#target,6,1,", &["1 target,", "has 2", "--scene"]),
            ("#target,7,1,", "#target,7,2,", &["expected target 1 of tick 7, found target 2"]),
            ("#target,7,1,", "#target,7,one,", &["\"#target,7,one,", "as in #target,"]),
            ("#target,7,1,0", "#target,7,1,inf,0", &["is no target"]),
            ("#flow,3.0,4.0\n", "", &["1 vector,", "grid = [2, 1]", "flow.file"]),
            ("#flow,3.0,4.0\n", "#flow,3,nan\n", &["vector 1", "NaN", "1e9"]),
            ("#flow,3.0,4.0\n", "#flow,3\n", &["\"#flow,3\" is no vector"]),
        ],
    );
}
