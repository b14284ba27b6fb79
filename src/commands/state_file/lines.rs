//! The lines of a CSV state file. The reader of CSV gets the rows. Comments are read here: in older
//! files, all of them of planes, they hold what the column `run` holds now.
//!
//! ```text
//! # flockwork run, in TOML          a comment before the header: the run's record, line by line
//! # version = 1
//! # …
//! #flow,0.5,0.25                    one vector of a flow field
//! tick,id,species,x,y,vx,vy         the header
//! #target,500,0,100,80,1.5,0,2      tick, number, position, velocity and hits of a target
//! 500,0,0,32.36,18.2,0.36,0.17      a row
//! ```

use std::io::{self, BufRead, BufReader, Read};

use super::run_record::{LONGEST_RECORD, MOST_VECTORS, RunRecord, TargetRow};
use flockwork_model::quote::quoted;
use flockwork_model::scene::MAX_TARGETS;
use flockwork_model::vector::{Point, flat};

/// How the record of a run begins.
const RECORD: &str = "# flockwork run, in TOML";

/// How a vector of a flow field begins.
const FLOW: &str = "#flow,";

/// How a target begins.
const TARGET: &str = "#target,";

/// Longest row without the column `run`, and longest comment that is no record; bytes. Eleven numbers
/// take about 220.
const LONGEST_LINE: usize = 1 << 16;

/// The content of a file's comments.
#[derive(Debug, Default)]
pub struct Comments {
    /// The lines of the record; `None` if the file has none.
    record: Option<String>,
    /// The line of the file on which the record begins.
    record_line: u64,
    /// True while the lines belong to the record.
    in_record: bool,
    flow: Vec<Point>,
    /// The highest tick that has targets.
    tick: u64,
    /// The targets of that tick.
    targets: Vec<TargetRow>,
}

impl Comments {
    /// Reads one comment.
    fn take(&mut self, line: u64, bytes: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        if self.in_record {
            let Some(record) = self.record.as_mut() else { return Ok(()) };
            let own = text.strip_prefix("# ").or(text.strip_prefix('#').filter(|t| t.is_empty()));
            if let Some(own) = own {
                record.push_str(own);
                record.push('\n');
                return Ok(());
            }
            self.in_record = false;
        }
        if text == RECORD && self.record.is_none() {
            (self.record, self.record_line, self.in_record) = (Some(String::new()), line, true);
        } else if let Some(numbers) = text.strip_prefix(FLOW) {
            if self.flow.len() == MOST_VECTORS {
                return Err(format!(
                    "line {line}: a flow field has at most {MOST_VECTORS} vectors"
                ));
            }
            let vector = (|| {
                let (x, y) = numbers.split_once(',')?;
                Some(flat(x.parse().ok()?, y.parse().ok()?))
            })();
            let wrong =
                || format!("line {line}: {} is no vector, as in {FLOW}0.5,0.25", quoted(text));
            self.flow.push(vector.ok_or_else(wrong)?);
        } else if let Some(numbers) = text.strip_prefix(TARGET) {
            let example = format!("{TARGET}500,0,100,80,1.5,0,2");
            let wrong = || format!("line {line}: {} is no target, as in {example}", quoted(text));
            let (tick, number, target) = target(numbers).ok_or_else(wrong)?;
            if tick > self.tick {
                (self.tick, self.targets) = (tick, Vec::new());
            }
            if tick == self.tick {
                let next = self.targets.len();
                if number != next || next == MAX_TARGETS {
                    return Err(format!(
                        "line {line}: expected target {next} of tick {tick}, found target {number}; \
                         write the file again"
                    ));
                }
                self.targets.push(target);
            }
        }
        Ok(())
    }

    /// The record of the run, if there is one.
    pub fn record(&mut self) -> anyhow::Result<Option<RunRecord>> {
        let Some(text) = self.record.take() else { return Ok(None) };
        let line = |number: usize| format!("line {}", self.record_line + 1 + number as u64);
        let record = RunRecord::parse(&text, line)?;
        Ok(Some(RunRecord { flow: std::mem::take(&mut self.flow), ..record }))
    }

    /// The targets at a tick; empty unless it is the last tick with targets.
    pub fn targets_at(&mut self, tick: u64) -> Vec<TargetRow> {
        if tick == self.tick { std::mem::take(&mut self.targets) } else { Vec::new() }
    }
}

/// Tick, number and values of a target.
fn target(numbers: &str) -> Option<(u64, usize, TargetRow)> {
    let numbers: Vec<&str> = numbers.split(',').collect();
    let [tick, number, x, y, vx, vy, hits] = numbers[..] else { return None };
    let target = TargetRow {
        position: flat(x.parse().ok()?, y.parse().ok()?),
        velocity: flat(vx.parse().ok()?, vy.parse().ok()?),
        hits: hits.parse().ok()?,
    };
    Some((tick.parse().ok()?, number.parse().ok()?, target))
}

/// Passes on the rows of a file and reads its comments. Fails when a line is too long.
#[derive(Debug)]
pub struct Lines<R> {
    inner: BufReader<R>,
    /// The content of the comments so far.
    pub comments: Comments,
    /// The comment that is being read.
    comment: Vec<u8>,
    in_comment: bool,
    /// Bytes since the last line end, and the most that there may be in a row.
    length: usize,
    longest: usize,
    /// Numbers of lines so far: rows and comments.
    passed: u64,
    kept: u64,
    /// For each run of comments: the rows before it, and all comments up to its end.
    runs: Vec<(u64, u64)>,
}

impl<R: Read> Lines<R> {
    /// Wraps `inner`, which is at the beginning of a file.
    pub fn of(inner: R) -> Self {
        Self {
            inner: BufReader::with_capacity(1 << 16, inner),
            comments: Comments::default(),
            comment: Vec::new(),
            in_comment: false,
            length: 0,
            longest: LONGEST_LINE,
            passed: 0,
            kept: 0,
            runs: Vec::new(),
        }
    }

    /// Sets the longest allowed row; bytes.
    pub fn allow(&mut self, longest: usize) {
        self.longest = longest;
    }

    /// The line of the file that is number `line` of those passed on, counted from 1.
    pub fn line(&self, line: u64) -> u64 {
        let before = self.runs.partition_point(|(passed, _)| *passed < line);
        line + before.checked_sub(1).map_or(0, |run| self.runs[run].1)
    }

    /// Counts bytes that were read of a line. `ends` says that the line ends with them.
    fn count(&mut self, bytes: usize, ends: bool) -> io::Result<()> {
        self.length += bytes;
        let of_record = self.in_comment && self.comments.in_record;
        let longest = if self.in_comment { LONGEST_LINE } else { self.longest };
        if self.length > longest && !of_record {
            let line = self.passed + self.kept + 1;
            return Err(invalid(format!("line {line} is longer than {longest} bytes, the limit")));
        }
        let record = self.comments.record.as_ref().map_or(0, String::len);
        if of_record && record + self.length > LONGEST_RECORD {
            return Err(invalid(format!(
                "the comment that begins on line {} is longer than {LONGEST_RECORD} bytes, the \
                 limit; remove it",
                self.comments.record_line
            )));
        }
        if ends { self.end_line() } else { Ok(()) }
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.length = 0;
        if !self.in_comment {
            self.passed += 1;
            self.comments.in_record = false;
            return Ok(());
        }
        self.in_comment = false;
        self.kept += 1;
        match self.runs.last_mut().filter(|run| run.0 == self.passed) {
            Some(run) => run.1 = self.kept,
            None => self.runs.push((self.passed, self.kept)),
        }
        let comment = std::mem::take(&mut self.comment);
        self.comments.take(self.passed + self.kept, &comment).map_err(invalid)
    }
}

fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < out.len() {
            let buffer = self.inner.fill_buf()?;
            if buffer.is_empty() {
                if self.in_comment {
                    self.end_line()?;
                }
                break;
            }
            if self.length == 0 {
                self.in_comment = buffer[0] == b'#';
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let line = end.map_or(buffer.len(), |end| end + 1);
            let part = if self.in_comment { line } else { line.min(out.len() - written) };
            if self.in_comment {
                self.comment.extend_from_slice(&buffer[..part]);
            } else {
                out[written..written + part].copy_from_slice(&buffer[..part]);
                written += part;
            }
            self.inner.consume(part);
            self.count(part, end.is_some() && part == line)?;
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(text: &str) -> (Lines<&[u8]>, String) {
        let mut lines = Lines::of(text.as_bytes());
        let mut rows = String::new();
        lines.read_to_string(&mut rows).unwrap();
        (lines, rows)
    }

    #[test]
    fn rows_go_on_and_comments_are_kept_wherever_they_are() {
        let text = "# mine\n#target,3,0,1,2,3,4,5\na,b\n#\n#target,4,0,1,2,-3,4,6\n1,2\n3,4\n# end";
        let (mut lines, rows) = passed(text);
        assert_eq!(rows, "a,b\n1,2\n3,4\n");
        assert_eq!([1, 2, 3].map(|line| lines.line(line)), [3, 6, 7]);
        assert!(lines.comments.record().unwrap().is_none());
        let target = TargetRow { position: flat(1.0, 2.0), velocity: flat(-3.0, 4.0), hits: 6 };
        assert_eq!(lines.comments.targets_at(3), []);
        assert_eq!(lines.comments.targets_at(4), [target]);
        // The parts may be of any size.
        let mut slow = Lines::of(text.as_bytes());
        let mut bytes = Vec::new();
        while let Ok(1) = slow.read(bytes.spare_byte()) {}
        bytes.pop();
        assert_eq!(String::from_utf8(bytes).unwrap(), rows);
    }

    /// Room for one more byte.
    trait SpareByte {
        fn spare_byte(&mut self) -> &mut [u8];
    }

    impl SpareByte for Vec<u8> {
        fn spare_byte(&mut self) -> &mut [u8] {
            self.push(0);
            let last = self.len() - 1;
            &mut self[last..]
        }
    }

    #[test]
    fn a_record_ends_where_its_comments_end() {
        let scene = "about = \"\"\"a\n\n# b\"\"\"\n[species.a]\n";
        let record = RunRecord {
            name: "a \"b\"\n.toml".into(),
            scene: scene.into(),
            count: 7,
            density: Some(0.1),
            world: flat(640.0, 1e7),
            flow: vec![flat(-0.0, 1e-30)],
            made: None,
        };
        let text: String = record.text().lines().map(|line| format!("# {line}\n")).collect();
        let file = format!("{RECORD}\n{text}#flow,-0,1e-30\nid\n# version = 2\n1\n");
        let (mut lines, rows) = passed(&file);
        assert_eq!(rows, "id\n1\n");
        assert_eq!(lines.comments.record().unwrap(), Some(record));
        let wrong = |text: &str| {
            let file = format!("{RECORD}\n{text}id\n");
            let (mut lines, _) = passed(&file);
            lines.comments.record().unwrap_err().to_string()
        };
        let message = wrong(&text.replace("count = 7", "count = \"x\""));
        // The name has a line break, so it takes three lines.
        assert!(message.starts_with("line 6: ") && message.contains("--scene"), "{message}");
        let message = wrong(&text.replace("version = 1", "version = 2"));
        assert!(message.contains("version 2") && message.contains("--scene"), "{message}");
        assert!(wrong("# version = 1\n").contains("the key `name` is missing"));
    }

    #[test]
    fn what_is_too_long_or_no_number_is_refused() {
        let refused = |text: &str| {
            let mut all = Vec::new();
            Lines::of(text.as_bytes()).read_to_end(&mut all).unwrap_err().to_string()
        };
        let mut all = Vec::new();
        let whole = [vec![b'a'; LONGEST_LINE - 1], vec![b'\n']].concat().repeat(3);
        Lines::of(&whole[..]).read_to_end(&mut all).unwrap();
        assert!(all == whole);
        assert!(Lines::of(io::repeat(0)).read_to_end(&mut all).is_err());
        assert!(Lines::of(io::repeat(b'#')).read_to_end(&mut all).is_err());
        let endless = RECORD.as_bytes().chain(&b"\n"[..]).chain(io::repeat(b'#'));
        let message = Lines::of(endless).read_to_end(&mut all).unwrap_err().to_string();
        assert!(message.contains("line 1 is longer") && message.contains("remove it"), "{message}");
        for (text, place) in [
            ("id\n#flow,1\n", "line 2: \"#flow,1\" is no vector"),
            ("#target,1,0,x,0,0,0,0\n", "is no target, as in #target,500"),
            ("#target,1,1,0,0,0,0,0\n", "expected target 0 of tick 1, found target 1"),
        ] {
            let message = refused(text);
            assert!(message.contains(place), "{message}");
        }
    }
}
