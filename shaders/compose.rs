//! One WGSL text from several files: imports and conditions are resolved, and what is not used is left out.
//!
//! The syntax is a part of [WESL](https://wesl-lang.dev): `import package::grid::{cell_of, key_of as key};`,
//! paths in code such as `package::behaviours::seek::force`, and `@if(flat && !slab)` before a declaration,
//! a member, a parameter, a statement or a block. The same files and features always give the same text, by
//! which drivers find the shader in their caches. The WESL library orders declarations at random, and took a
//! seventh of a clean build.

use std::collections::{BTreeMap, BTreeSet};

/// A word, number or symbol, behind white space and comments.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    space: &'a str,
    text: &'a str,
}

impl Token<'_> {
    fn is_name(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

fn end_of_comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/").map_or(text.len(), |end| end + 4))
}

fn tokens(mut text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut space = "";
    loop {
        let trimmed = text.trim_start();
        if trimmed.len() < text.len() {
            space = &text[..text.len() - trimmed.len()];
            text = trimmed;
        }
        if let Some(end) = end_of_comment(text) {
            space = if space.is_empty() { " " } else { space };
            text = &text[end..];
            continue;
        }
        let Some(first) = text.chars().next() else { return tokens };
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if in_word(first) {
            // With the dot of a number, so that no name begins behind it.
            let in_number = |c: char| in_word(c) || (c == '.' && first.is_ascii_digit());
            text.find(|c| !in_number(c)).unwrap_or(text.len())
        } else if text.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(Token { space, text: &text[..end] });
        (space, text) = ("", &text[end..]);
    }
}

/// The index behind the bracket that closes the one at `open`.
fn behind_brackets(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The index behind the attributes that begin at `at`.
fn behind_attributes(tokens: &[Token], mut at: usize) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    while text(at) == "@" {
        at = if text(at + 2) == "(" { behind_brackets(tokens, at + 2) } else { at + 2 };
    }
    at
}

/// The index behind the declaration, member, parameter, statement or block that begins at `begin`.
fn behind_node(tokens: &[Token], begin: usize) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let first = behind_attributes(tokens, begin);
    let is_member = text(first + 1) == ":";
    let (mut at, mut angles) = (first, 0);
    while at < tokens.len() {
        match text(at) {
            "{" => {
                at = behind_brackets(tokens, at);
                if text(at) != "else" {
                    return at;
                }
            }
            "(" | "[" => at = behind_brackets(tokens, at),
            ")" | "}" => return at,
            ";" => return at + 1,
            "," if is_member && angles == 0 => return at + 1,
            other => {
                angles += i32::from(other == "<") - i32::from(other == ">");
                at += 1;
            }
        }
    }
    at
}

/// The value of a condition: names of features with `!`, `&&` and `||`, without brackets.
fn holds(condition: &[Token], has: &dyn Fn(&str) -> bool) -> bool {
    let text: String = condition.iter().map(|token| token.text).collect();
    let term = |term: &str| term.strip_prefix('!').map_or_else(|| has(term), |name| !has(name));
    text.split("||").any(|all| all.split("&&").all(term))
}

/// The tokens without those whose condition does not hold.
fn chosen<'a>(tokens: &[Token<'a>], has: &dyn Fn(&str) -> bool) -> Vec<Token<'a>> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let is_condition =
            tokens[at].text == "@" && tokens.get(at + 1).is_some_and(|t| t.text == "if");
        if !is_condition {
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        let begin = behind_brackets(tokens, at + 2);
        let holds = holds(&tokens[at + 3..begin - 1], has);
        at = if holds { begin } else { behind_node(tokens, begin) };
    }
    kept
}

/// A file: its imports by the name that they have in it, and its declarations by name.
#[derive(Default)]
struct File<'a> {
    imports: BTreeMap<&'a str, Place<'a>>,
    declarations: BTreeMap<&'a str, (usize, Vec<Token<'a>>)>,
}

impl<'a> File<'a> {
    fn read(tokens: &[Token<'a>]) -> Result<Self, String> {
        let mut file = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            let end = behind_node(tokens, at);
            // A struct may end with a semicolon, and an import has brackets before its own.
            let end = end + usize::from(tokens.get(end).is_some_and(|token| token.text == ";"));
            let node = &tokens[at..end];
            if node.is_empty() {
                return Err(format!("`{}` closes nothing", tokens[at].text));
            }
            if node[0].text == "import" {
                file.import(&node[1..])?;
            } else if let Some(name) = declared(node) {
                let number = file.declarations.len();
                if file.declarations.insert(name, (number, node.to_vec())).is_some() {
                    return Err(format!("`{name}` is declared twice"));
                }
            }
            at = end;
        }
        Ok(file)
    }

    /// Adds `package::a::b;` or `package::a::{b, c as d};`.
    fn import(&mut self, tokens: &[Token<'a>]) -> Result<(), String> {
        let words: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        let open = words.iter().position(|word| *word == "{");
        let names = words.iter().rposition(|word| *word == "::").map_or(0, |at| at + 1);
        let path = words[..names].iter().filter(|word| **word != "::");
        let path: Vec<&str> = path.copied().collect();
        let ["package", path @ ..] = &path[..] else {
            return Err(format!("expected `import package::…`, found `{}`", words.concat()));
        };
        let path = path.join("/");
        let names = &words[open.map_or(names, |open| open + 1)..];
        for name in names.split(|word| [",", "}", ";"].contains(word)) {
            let (name, local) = match name {
                [] => continue,
                [name] => (*name, *name),
                [name, "as", local] => (*name, *local),
                _ => return Err(format!("no import: `{}`", name.join(" "))),
            };
            self.imports.insert(local, (path.clone(), name));
        }
        Ok(())
    }
}

/// The name that a declaration declares.
fn declared<'a>(node: &[Token<'a>]) -> Option<&'a str> {
    let at = behind_attributes(node, 0);
    let keywords = ["fn", "struct", "alias", "const", "override", "var"];
    keywords.contains(&node.get(at)?.text).then_some(())?;
    let has_template = node.get(at + 1)?.text == "<";
    let end = node.iter().position(|token| token.text == ">").filter(|_| has_template);
    Some(node.get(end.unwrap_or(at) + 1)?.text)
}

fn has_attribute(node: &[Token], names: &[&str]) -> bool {
    let attributes = &node[..behind_attributes(node, 0)];
    attributes.windows(2).any(|pair| pair[0].text == "@" && names.contains(&pair[1].text))
}

/// A declaration: its file, and its name there.
type Place<'a> = (String, &'a str);

struct Composer<'a> {
    files: BTreeMap<&'a str, File<'a>>,
    root: &'a str,
}

impl<'a> Composer<'a> {
    /// The declaration `name` of `file`.
    fn declaration(&self, file: &str, name: &str) -> Result<&(usize, Vec<Token<'a>>), String> {
        let found = self.files.get(file).and_then(|file| file.declarations.get(name));
        found.ok_or_else(|| format!("{file}.wgsl declares no `{name}`"))
    }

    /// The name in the composed text. Names of other files than the root get the file's in front, but
    /// buffers keep theirs.
    fn unique(&self, file: &str, name: &str, node: &[Token]) -> String {
        if file == self.root || has_attribute(node, &["binding"]) {
            return name.into();
        }
        format!("{}_{name}", file.replace('/', "_"))
    }

    /// The text of a declaration, and the declarations that it uses.
    fn rendered(&self, file: &str, node: &[Token<'a>]) -> Result<(String, Vec<Place<'a>>), String> {
        let own = self.files.get(file).ok_or_else(|| format!("{file}.wgsl is missing"))?;
        let text = |at: usize| node.get(at).map_or("", |token| token.text);
        let is_struct = text(behind_attributes(node, 0)) == "struct";
        let (mut out, mut used, mut at) = (String::new(), Vec::new(), 0);
        while at < node.len() {
            let token = node[at];
            // The last line break and what follows it.
            let space = token.space.rfind('\n').map_or(token.space, |line| &token.space[line..]);
            out += if at == 0 { "" } else { space };
            let before = if at == 0 { "" } else { text(at - 1) };
            let is_value = before == "(" && text(at.saturating_sub(2)) == "builtin";
            let is_member = is_struct && text(at + 1) == ":";
            let mut end = at + 1;
            let place = if !token.is_name() || [".", "@"].contains(&before) || is_value || is_member
            {
                None
            } else if token.text == "package" {
                let mut path = path_behind(&node[end..]);
                end += 2 * path.len();
                path.pop().map(|name| (path.join("/"), name))
            } else if own.declarations.contains_key(token.text) {
                Some((file.into(), token.text))
            } else {
                own.imports.get(token.text).cloned()
            };
            match place {
                Some((file, name)) => {
                    out += &self.unique(&file, name, &self.declaration(&file, name)?.1);
                    used.push((file, name));
                }
                None => out += token.text,
            }
            at = end;
        }
        Ok((out, used))
    }
}

/// The names behind the word `package`.
fn path_behind<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let pairs = tokens.chunks_exact(2);
    let pairs = pairs.take_while(|pair| pair[0].text == "::" && pair[1].is_name());
    pairs.map(|pair| pair[1].text).collect()
}

/// The paths behind `package`, and all that they begin with: one of these is a file.
fn named_paths(tokens: &[Token]) -> Vec<String> {
    let begins = (0..tokens.len()).filter(|at| tokens[*at].text == "package");
    let paths = begins.map(|at| path_behind(&tokens[at + 1..]));
    let parts = |path: Vec<&str>| -> Vec<String> {
        (1..=path.len()).map(|end| path[..end].join("/")).collect()
    };
    paths.flat_map(parts).collect()
}

/// Composes the entry points of the file `root` and all that they use. `files` are texts by path without
/// extension, `has` says which features a condition finds.
pub fn compose(
    files: &[(String, String)],
    root: &str,
    has: &dyn Fn(&str) -> bool,
) -> Result<String, String> {
    let mut composer = Composer { files: BTreeMap::new(), root };
    // Only the files that the root leads to are read.
    let mut paths = vec![root.to_string()];
    while let Some(path) = paths.pop() {
        let Some((path, text)) = files.iter().find(|(known, _)| *known == path) else { continue };
        if composer.files.contains_key(path.as_str()) {
            continue;
        }
        let tokens = chosen(&tokens(text), has);
        paths.extend(named_paths(&tokens));
        let file = File::read(&tokens).map_err(|e| format!("{path}: {e}"))?;
        composer.files.insert(path, file);
    }
    let entries = composer.files.get(root).ok_or_else(|| format!("{root}.wgsl is missing"))?;
    let stages = ["compute", "vertex", "fragment"];
    let entries = entries.declarations.iter().filter(|(_, (_, node))| has_attribute(node, &stages));
    let mut wanted: Vec<Place> = entries.map(|(name, _)| (root.into(), *name)).collect();
    let (mut texts, mut names) = (BTreeMap::new(), BTreeSet::new());
    while let Some((file, name)) = wanted.pop() {
        let (number, node) = composer.declaration(&file, name)?;
        if texts.contains_key(&(file.clone(), *number)) {
            continue;
        }
        let unique = composer.unique(&file, name, node);
        if !names.insert(unique.clone()) {
            return Err(format!("two declarations are called `{unique}`"));
        }
        let (text, used) =
            composer.rendered(&file, node).map_err(|error| format!("{file}, `{name}`: {error}"))?;
        texts.insert((file, *number), text);
        wanted.extend(used);
    }
    Ok(texts.into_values().collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::compose;

    #[test]
    fn a_bracket_too_many_is_an_error() {
        let of = |text: &str| compose(&[("a".into(), text.into())], "a", &|_| false);
        assert_eq!(of("@compute fn f() {}").as_deref(), Ok("@compute fn f() {}"));
        assert_eq!(of("@compute fn f() {} }"), Err("a: `}` closes nothing".into()));
    }
}
