//! A display without a screen (Xvfb) and the program in a window on it. xdotool plays the user;
//! ImageMagick's `import` takes screenshots.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

#[cfg(target_os = "linux")]
pub mod drop;
pub mod files;

use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::panic::Location;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use flockwork::view::frame::Frame;
use flockwork::view::recorder::png;

use crate::png_file;

/// The programs that the window tests need.
const TOOLS: [&str; 3] = ["Xvfb", "xdotool", "import"];

/// Tests assert no timings, but a program that has not reacted by now is stuck.
const DEADLINE: Duration = Duration::from_secs(60);

/// Time between two screenshots.
const NAP: Duration = Duration::from_millis(200);

/// The program under test, without a display in its environment.
pub fn flockwork(arguments: &str) -> Command {
    // The tests may run with ignored signals, as with `&` in a script. Reset them.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_flockwork")]);
    command.args(arguments.split_whitespace());
    // Without a home no window keeps edits for another one.
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "HOME", "XDG_STATE_HOME"] {
        command.env_remove(variable);
    }
    command
}

/// The same without a Vulkan driver.
pub fn without_driver(arguments: &str) -> Command {
    let mut command = flockwork(arguments);
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, "/nonexistent");
    }
    command.env_remove("VK_ADD_DRIVER_FILES");
    command
}

/// The output of a program as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs a helper program, which must succeed.
fn call(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    output
}

/// Looks until there is something. Fails with the sentence of `missing` if there is nothing before the deadline.
#[track_caller]
pub fn wait<T>(missing: impl Fn() -> String, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < DEADLINE, "{}", missing());
        std::thread::sleep(NAP / 2);
    }
}

/// A private display. It ends when this value is dropped, also when a test panics.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Starts an X server of `size` pixels (`1280x800`) on a free display number. With
    /// `FLOCKWORK_SKIP_WINDOW=1` it returns none and prints where.
    #[track_caller]
    pub fn open(size: &str) -> Option<Self> {
        let test = Location::caller();
        if std::env::var("FLOCKWORK_SKIP_WINDOW").is_ok_and(|value| value == "1") {
            eprintln!("SKIPPED (FLOCKWORK_SKIP_WINDOW=1): {test}");
            return None;
        }
        for tool in TOOLS {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            let found = std::env::split_paths(&folders).any(|folder| folder.join(tool).is_file());
            assert!(
                found,
                "{test}: `{tool}` is missing. ./test.sh installs what the tests of the window need; \
                 FLOCKWORK_SKIP_WINDOW=1 leaves them out"
            );
        }
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", &format!("{size}x24")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        let said = BufReader::new(server.stdout.take().unwrap()).read_line(&mut number);
        // Built before the check, so that the server ends even when its output is nonsense.
        let display = Self { server, name: format!(":{}", number.trim()) };
        assert!(said.is_ok() && !number.trim().is_empty(), "{test}: Xvfb did not start");
        Some(display)
    }

    /// Moves the mouse and presses keys, with the words of xdotool.
    pub fn xdotool(&self, words: &str) -> String {
        let mut command = Command::new("xdotool");
        text(&call(command.args(words.split_whitespace()).env("DISPLAY", &self.name)).stdout)
    }

    /// Drops a file on the program's window.
    #[cfg(target_os = "linux")]
    pub fn drop_file(&self, program: &Program, path: &std::path::Path) {
        drop::file(&self.name, program.window.parse().unwrap(), path);
    }

    /// Takes a screenshot.
    pub fn look(&self) -> Shot {
        let mut command = Command::new("import");
        command.args(["-window", "root", "-depth", "8", "png:-"]).env("DISPLAY", &self.name);
        Shot(png_file::decode(&call(&mut command).stdout).unwrap())
    }

    /// Takes screenshots until one is `wanted`. Fails with `what` if none is before the deadline.
    pub fn until(&self, what: &str, wanted: impl Fn(&Shot) -> bool) -> Shot {
        let begin = Instant::now();
        loop {
            let shot = self.look();
            if wanted(&shot) {
                return shot;
            }
            if begin.elapsed() > DEADLINE {
                let path = std::env::temp_dir().join("flockwork-window-failed.png");
                png::write(std::fs::File::create(&path).unwrap(), &shot.0, "").unwrap();
                panic!("not seen within {DEADLINE:?}: {what}; the last look is {}", path.display());
            }
            std::thread::sleep(NAP);
        }
    }

    /// Takes screenshots until nothing has changed for longer than any frame takes here.
    pub fn until_still(&self) -> Shot {
        let begin = Instant::now();
        let mut last = self.look();
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let shot = self.look();
            if shot == last {
                return shot;
            }
            assert!(begin.elapsed() < DEADLINE, "the picture does not stand still");
            last = shot;
        }
    }

    /// Starts the program on this display.
    pub fn start(&self, mut command: Command) -> Program {
        command.env("DISPLAY", &self.name).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (send, said) = channel();
        let err = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            // When the test is over, the receiver is gone and sending fails.
            err.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Program { child, said, err: String::new(), window: String::new() }
    }

    /// Starts the program and gives its window the keyboard focus.
    pub fn open_window(&self, command: Command) -> Program {
        let mut program = self.start(command);
        self.focus(&mut program);
        program
    }

    /// Waits until the title of the program's window contains `part`.
    pub fn until_title(&self, program: &Program, part: &str) {
        let missing = || format!("the title never had {part:?}: {}", self.title(program));
        wait(missing, || self.title(program).contains(part).then_some(()));
    }

    /// The title of the program's window.
    pub fn title(&self, program: &Program) -> String {
        self.xdotool(&format!("getwindowname {}", program.window)).trim().to_string()
    }

    /// Waits for the program's window, stores its id and gives it the keyboard focus: there is no
    /// window manager to do it.
    pub fn focus(&self, program: &mut Program) {
        self.focus_beside(program, None);
    }

    /// The same beside another program, which has its window already.
    pub fn focus_beside(&self, program: &mut Program, other: Option<&Program>) {
        let is_other = |id: &str| other.is_some_and(|other| other.window == id);
        program.window = wait(
            || "there is no second window".into(),
            || {
                let ids = self.xdotool("search --sync --onlyvisible --name Flockwork");
                ids.lines().find(|id| !is_other(id)).map(Into::into)
            },
        );
        self.xdotool(&format!("windowfocus --sync {}", program.window));
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program under test. It is killed when this value is dropped, also when a test panics.
pub struct Program {
    child: Child,
    /// Lines on stderr that are still unread, and those that have been read.
    said: Receiver<String>,
    err: String,
    /// The id of its window.
    pub window: String,
}

impl Program {
    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        call(Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]));
    }

    /// Waits for a line on stderr that contains `part`.
    pub fn until_it_says(&mut self, part: &str) -> String {
        let begin = Instant::now();
        loop {
            let left = DEADLINE.saturating_sub(begin.elapsed());
            let line = self.said.recv_timeout(left);
            let line = line.unwrap_or_else(|_| panic!("it never said {part:?}: {}", self.err));
            self.err += &format!("{line}\n");
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Waits for its end. Returns exit code, stdout and stderr.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        let status = wait(|| "the program does not end".into(), || self.child.try_wait().unwrap());
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let mut err = std::mem::take(&mut self.err);
        err.extend(self.said.iter().map(|line| line + "\n"));
        (status.code(), out, err)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A screenshot.
#[derive(Clone, PartialEq)]
pub struct Shot(pub Frame);

impl Shot {
    /// True if the pixel belongs to a dart: darts are bright and coloured, the interface is grey,
    /// the background is nearly black.
    pub fn lit(&self, x: i64, y: i64) -> bool {
        let inside = x >= 0 && y >= 0;
        let pixel = inside.then(|| self.0.rgb(x as u32, y as u32)).flatten();
        pixel.is_some_and(|rgb| rgb.iter().max().unwrap() - rgb.iter().min().unwrap() > 50)
    }

    /// The pixels of darts in a rectangle.
    pub fn darts(&self, x: Range<i64>, y: Range<i64>) -> Vec<(i64, i64)> {
        let rows = y.flat_map(|y| x.clone().map(move |x| (x, y)));
        rows.filter(|(x, y)| self.lit(*x, *y)).collect()
    }

    /// The number of pixels in these rows of a window that have the colour of notices.
    pub fn notices(&self, y: Range<u32>) -> usize {
        self.count(0..900, y, |rgb| rgb == [255, 190, 90])
    }

    /// The number of light grey pixels in a rectangle: the interface.
    pub fn greys(&self, x: Range<u32>, y: Range<u32>) -> usize {
        self.count(x, y, |[r, g, b]| r > 90 && r.abs_diff(g) < 6 && g.abs_diff(b) < 6)
    }

    /// The number of pixels in a rectangle that have a wanted colour.
    pub fn count(&self, x: Range<u32>, y: Range<u32>, wanted: impl Fn([u8; 3]) -> bool) -> usize {
        let places = y.flat_map(|y| x.clone().map(move |x| (x, y)));
        places.filter(|(x, y)| self.0.rgb(*x, *y).is_some_and(&wanted)).count()
    }

    /// The similarity of two screenshots, where `place` maps a pixel of this one to one of `other`:
    /// pixels that are dart in both over pixels that are dart in either, 0 to 1.
    pub fn agreement(&self, other: &Self, place: impl Fn((i64, i64)) -> (f64, f64)) -> f64 {
        let (width, height) = (i64::from(self.0.width), i64::from(self.0.height));
        let (mut both, mut either) = (0_u32, 0_u32);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let (there_x, there_y) = place((x, y));
            let there = (there_x.round() as i64, there_y.round() as i64);
            // Pixels that have left the window cannot be compared.
            if !(0..width).contains(&there.0) || !(0..height).contains(&there.1) {
                continue;
            }
            let lit = (self.lit(x, y), other.lit(there.0, there.1));
            both += u32::from(lit.0 && lit.1);
            either += u32::from(lit.0 || lit.1);
        }
        f64::from(both) / f64::from(either.max(1))
    }
}
