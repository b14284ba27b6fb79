//! Plain words: a comment begins with the noun that it explains.

use std::path::{Path, PathBuf};

use super::rules::{files, root};

/// Folders and files whose comments and pages are read.
const READ: [&str; 22] = [
    "src",
    "scenes",
    "shaders",
    "tests",
    "docs",
    "benches",
    "examples",
    "packaging",
    "python",
    "web/Cargo.toml",
    "web/book",
    "web/build.sh",
    "web/test.sh",
    "web/bindings",
    "web/src",
    "web/tests",
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "Cargo.toml",
    "test.sh",
    "test_mpi.sh",
];

fn texts() -> impl Iterator<Item = (PathBuf, String)> {
    let endings = ["rs", "wgsl", "md", "toml", "sh", "py"];
    READ.iter().flat_map(move |path| files(&root(path), &endings))
}

/// The paragraphs of a page, without its headings; of a source, its comments.
fn paragraphs(path: &Path, text: &str) -> Vec<String> {
    let is =
        |endings: &[&str]| path.extension().is_some_and(|e| endings.iter().any(|own| e == *own));
    let (page, by_hash) = (is(&["md"]), is(&["toml", "sh", "py"]));
    let prose = |line: &str| -> Option<String> {
        let line = line.trim();
        let text = if page {
            line.trim_start_matches(['-', '*', '|', '>', ' '])
        } else if by_hash {
            line.strip_prefix('#')?
        } else {
            let mut slashes = line.match_indices("//");
            let (at, _) = slashes.find(|(at, _)| !line[..*at].ends_with([':', '"']))?;
            line[at..].trim_start_matches(['/', '!'])
        };
        let heading = page && line.starts_with('#');
        (!text.trim().is_empty() && !heading).then(|| text.trim().to_owned())
    };
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        let start = page && line.trim_start().starts_with(['-', '*', '|', '>']);
        let line = prose(line);
        if line.is_none() || start {
            paragraphs.push(String::new());
        }
        if let (Some(line), Some(last)) = (line, paragraphs.last_mut()) {
            *last += &format!(" {line}");
        }
    }
    paragraphs
}

/// The places of a paragraph that a reader must read twice: a sentence that begins with a pronoun in place
/// of its noun, or a pronoun that points back to one.
fn unclear(paragraph: &str) -> Vec<String> {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let ends = |word: &str| word.ends_with(['.', ':', ';', '!', '?', '|']);
    let is = |place: &usize| {
        let (word, before) = (words[*place], place.checked_sub(1).map(|place| words[place]));
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let next = words.get(place + 1) == Some(&"of");
        word == "What" && before.is_none_or(ends) || next && ["that", "those"].contains(&&*bare)
    };
    let shown = |place: usize| words[place..words.len().min(place + 6)].join(" ");
    (0..words.len()).filter(is).map(shown).collect()
}

#[test]
fn sentences_begin_with_their_nouns() {
    let files: Vec<_> = texts().collect();
    assert!(files.len() > 300, "{}", files.len());
    let found = files.iter().flat_map(|(path, text)| {
        let unclear = paragraphs(path, text).into_iter().flat_map(|text| unclear(&text));
        unclear.map(|words| format!("{}: {words}", path.display())).collect::<Vec<_>>()
    });
    let found: Vec<_> = found.collect();
    assert!(found.is_empty(), "name the thing: {found:#?}");
}

/// The superlatives that `MAX` and `MIN` stand for in names.
const SUPERLATIVES: [&str; 12] = [
    "most",
    "least",
    "longest",
    "largest",
    "fastest",
    "strongest",
    "farthest",
    "highest",
    "fewest",
    "shortest",
    "smallest",
    "lowest",
];

/// The constants that a text declares with another superlative than `MAX` and `MIN`.
fn odd_limits(text: &str) -> Vec<&str> {
    let declared = text.match_indices("const ").map(|(at, word)| &text[at + word.len()..]);
    let names = declared.filter_map(|rest| rest.split([':', ' ', '=']).next());
    let is_odd = |name: &&str| {
        let first = name.split('_').next().unwrap_or(name);
        SUPERLATIVES.iter().any(|word| word.to_uppercase() == first)
    };
    names.filter(is_odd).collect()
}

/// The constants whose comments begin with a superlative, and whose names have neither `MAX` nor `MIN`. One that has
/// both ends of a range is none.
fn unnamed_limits(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut comment: Option<bool> = None;
    for line in text.lines().map(str::trim) {
        if let Some(prose) = line.strip_prefix("///").map(str::trim) {
            let mut words =
                prose.split(' ').map(str::to_lowercase).skip_while(|word| word == "the");
            let is_limit = |word: String| SUPERLATIVES.contains(&&*word);
            comment = comment.or(Some(
                words.next().is_some_and(is_limit) && words.next().as_deref() != Some("and"),
            ));
            continue;
        }
        let declared = line
            .split_once("const ")
            .filter(|(before, _)| ["", "pub ", "pub(super) ", "pub(crate) "].contains(before));
        let declared = declared.and_then(|(_, rest)| rest.split(':').next());
        let is_odd = |name: &&str| !["MAX", "MIN", "fn "].iter().any(|usual| name.contains(usual));
        found.extend(declared.filter(|_| comment == Some(true)).filter(is_odd));
        if !line.starts_with("#[") {
            comment = None;
        }
    }
    found
}

#[test]
fn limits_are_called_max_and_min() {
    for (path, text) in texts() {
        let (odd, unnamed) = match path.ends_with("words.rs") {
            true => Default::default(),
            false => (odd_limits(&text), unnamed_limits(&text)),
        };
        assert!(unnamed.is_empty(), "{}: MAX_… or MIN_… for {unnamed:?}", path.display());
        assert!(odd.is_empty(), "{}: MAX_… or MIN_… in place of {odd:?}", path.display());
    }
    let found = odd_limits("pub const MOST_AGENTS: u64 = 1;\n@if(flat) const FARTHEST = 1e12;");
    assert_eq!(found, ["MOST_AGENTS", "FARTHEST"]);
    assert_eq!(odd_limits("const MAX_AGENTS: u64 = 1; const fn most() {}"), [""; 0]);
    let found = unnamed_limits(
        "/// The most agents.\n///\n/// Or so.\n#[doc(hidden)]\npub const FEW: u64 = 1;",
    );
    assert_eq!(found, ["FEW"]);
    let both =
        "/// Shortest and longest.\nconst ENDS: u64 = 1;\n/// The most.\nconst MAX_A: u64 = 1;";
    assert_eq!(unnamed_limits(both), [""; 0]);
}

#[test]
fn a_sentence_without_its_noun_is_found() {
    // This file is read too.
    let count = |name: &str, text: &str| -> usize {
        paragraphs(Path::new(name), &text.replace("%%", "//"))
            .iter()
            .map(|text| unclear(text).len())
            .sum()
    };
    for (name, text) in [
        ("a.rs", "/// What the panel shows.\nfn f() {}"),
        ("a.rs", "let a = 1; %% The size is that of b."),
        ("a.rs", "//! Sizes are those\n%%! of b."),
        ("a.rs", "// It is gone. What follows is not."),
        ("a.wgsl", "    %% Those of b."),
        ("a.sh", "# What it does.\nrun # What follows."),
        ("a.md", "# A\n\n- What it does.\n"),
        ("a.md", "| a | What it does. |"),
    ] {
        assert_eq!(count(name, text), 1, "{text}");
    }
    for (name, text) in [
        ("a.rs", "/// The content of the panel.\nlet a = \"What of it? That of b\";"),
        ("a.rs", "/// Says what it shows: the place\n%%/ that offers\nfn of() {}"),
        ("a.md", "## What is drawn\n\nAll that others see."),
    ] {
        assert_eq!(count(name, text), 0, "{text}");
    }
}
