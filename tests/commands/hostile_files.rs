//! Files that are made to take memory, or to write on the terminal.

use std::process::Stdio;

use zip::CompressionMethod::Deflated;

use crate::archives::{self, array, header};
use crate::shell::{Folder, exits, flockwork};

/// Zeros are deflated to a thousandth. The program has memory for some thousand agents.
#[cfg(unix)]
#[test]
fn a_deflated_archive_takes_memory_only_for_what_a_state_has() {
    const ROWS: usize = 20_000_000;
    let folder = Folder::empty();
    let path = folder.join("big.npz");
    let zeros =
        |kind: &str, shape: &str, bytes: usize| array(&header(kind, shape), &vec![0; bytes]);
    let rows = |of: usize| {
        let motion = || zeros("<f4", &format!("{of}, 2"), of * 8);
        let id = zeros("|u1", &format!("{of},"), of);
        vec![("id.npy", id), ("position.npy", motion()), ("velocity.npy", motion())]
    };
    let ticks: Vec<u8> = (0..ROWS).map(|row| (row % 2) as u8).collect();
    let ticks = ("tick.npy", array(&header("|u1", &format!("{ROWS},")), &ticks));
    let few = |more: (&'static str, Vec<u8>)| {
        let run = (
            "run.toml",
            b"version = 1\nname = \"a\"\ncount = 1\nworld = [640, 360]\nscene = \
                                 \"[species.a]\"\n"
                .to_vec(),
        );
        let hits = ("target_hits.npy", zeros("<u4", "1, 20000000", 80_000_000));
        let mut all = rows(1);
        all.extend([run, more, hits]);
        all
    };
    let flow = ("flow.npy", zeros("<f4", "20000000, 2", 160_000_000));
    let cases = [
        (rows(ROWS), "does not hold 20000000 agents"),
        ([rows(ROWS), vec![ticks]].concat(), "does not hold"),
        (few(flow), "a flow field has 16777216 at most"),
        (few(("target_velocity.npy", Vec::new())), "a scene has 64 at most"),
    ];
    for (arrays, words) in cases {
        archives::write(&path, arrays, Deflated);
        let line = "flockwork simulate --engine cpu --ticks 0 --out a.csv --init big.npz";
        let message = exits(&folder, 1, &format!("ulimit -v 500000; {line}"));
        assert!(message.contains(words), "{message}");
    }
}

/// The names and the texts of a file reach the terminal without the characters that control it.
#[test]
fn control_characters_are_escaped_in_messages() {
    let folder = Folder::empty();
    let evil = "\u{1b}[2J\u{7}\u{9b}31m\r";
    let id = array(&header(evil, "1,"), &[0; 8]);
    let motion = || array(&header("<f4", "1, 2"), &[0; 8]);
    let arrays = [("id.npy", id), ("position.npy", motion()), ("velocity.npy", motion())];
    archives::write(&folder.join("kind.npz"), arrays, Deflated);
    let id = array(evil, &[0; 8]);
    archives::write(&folder.join("header.npz"), [("id.npy", id)], Deflated);
    let name = format!("{evil}.npy");
    archives::write(&folder.join("name.npz"), [(name, [0_u8])], Deflated);
    let escaped = "\"\\u001b[2J\\u0007\\u009b\"";
    let session = |rest: &str| format!("session = 2\nticks = 1\nscene = \"[species.a]\"\n{rest}\n");
    folder.write("key.toml", session(&format!("{escaped} = 1")));
    folder.write("species.toml", session(&format!("[[event]]\ntick = 0\nwithout = {escaped}")));
    folder.write("set.toml", session(&format!("[[event]]\ntick = 0\nset = [{escaped}]")));
    folder.write("scene.toml", format!("session = 2\nticks = 1\nscene = '{escaped} = 1'\n"));
    folder.write("column.csv", format!("id,x,y,{}\n", &evil[..4]));
    for name in ["kind.npz", "header.npz", "name.npz", "column.csv"] {
        let line = format!("flockwork simulate --ticks 0 --out a.csv --init {name}");
        check(&exits(&folder, 1, &line));
    }
    for name in ["key.toml", "species.toml", "set.toml", "scene.toml"] {
        check(&exits(&folder, 1, &format!("flockwork capture --out a.png --replay {name}")));
    }
    fn check(message: &str) {
        let raw = |c: char| c.is_control() && c != '\n';
        assert!(!message.contains(raw), "{message:?}");
        assert!(message.contains("[2J"), "the control: {message:?} shows the text");
    }
}

/// An event that is kept as the parts of the scene that it changes takes a hundred times its text.
#[cfg(unix)]
#[test]
fn a_session_takes_memory_by_its_length() {
    let folder = Folder::empty();
    let targets: String = (0..60).map(|n| format!("[[targets]]\nname = \"t{n}\"\n")).collect();
    let scene = format!("{targets}[species.a]\ncount = 9\n");
    let event = |n: u32| {
        format!("[[event]]\ntick = 1\nmove = {{ target = \"t{}\", to = [5, 6] }}\n", n % 60)
    };
    let events: String = (0..60_000).map(event).collect();
    let text = format!("session = 2\nticks = 1\nscene = '''\n{scene}'''\n{events}");
    folder.write("many.toml", text);
    let line = "flockwork capture --engine cpu --replay many.toml --size 32x32 --out a.png";
    exits(&folder, 0, &format!("ulimit -v 400000; {line}"));
}

/// The parser takes thirty to sixty times the length of a list of numbers.
#[cfg(target_os = "linux")]
#[test]
fn one_event_of_a_million_numbers_takes_memory_by_its_length() {
    let folder = Folder::empty();
    // The most memory while the event is read; the one after it is wrong, so nothing else happens.
    let peak = |event: &str| {
        let text = format!(
            "session = 2\nticks = 1\nscene = '[species.a]'\n[[event]]\ntick = 1\n{event}\n\
             [[event]]\ntick = 1\nafter = 1\n"
        );
        folder.write("one.toml", text);
        let line = "capture --engine cpu --replay one.toml --size 32x32 --out a.png";
        let mut program = flockwork(&folder, line);
        let mut program = program.stderr(Stdio::piped()).spawn().unwrap();
        let mut peak = 0;
        while program.try_wait().unwrap().is_none() {
            let status = std::fs::read_to_string(format!("/proc/{}/status", program.id()));
            let status = status.unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
            peak = kilobytes.unwrap_or(0).max(peak);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let output = program.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("unknown key `after`"), "{error}");
        1000 * peak
    };
    let base: usize = peak("remove = [1]");
    let ids: Vec<u32> = (0..1_000_000).collect();
    let places: Vec<[f32; 2]> = (0..500_000).map(|n| [n as f32 % 640.0, 20.25]).collect();
    for event in
        [format!("remove = {ids:?}"), format!("add = [{{ species = \"a\", places = {places:?} }}]")]
    {
        let (more, most) = (peak(&event) - base, 8 * event.len());
        assert!(more > event.len() && more <= most, "{more}, not {most} bytes: {}", &event[..30]);
    }
}
