//! Texts of formulas: from letters to a tree.

use std::fmt;

use crate::quote::cut;

/// The longest text of a formula; bytes.
pub const MAX_TEXT: usize = 4096;

/// The deepest nesting of brackets, calls and signs.
const MAX_DEPTH: usize = 64;

/// The most operations of a rule.
pub const MAX_OPERATIONS: usize = 256;

/// The problem of a rule that takes `count` operations.
pub(super) fn too_many(count: usize) -> String {
    format!("a rule takes at most {MAX_OPERATIONS} operations, this one {count} up to here")
}

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The line of the text, counted from 1. 0: the text has one line.
    pub line: usize,
    /// The place in the line, or in a text of one line: letters are counted from 1. 0: it is not about the text.
    pub column: usize,
    /// The problem and the remedy.
    pub problem: String,
}

impl FormulaError {
    pub(super) fn new(column: usize, problem: impl Into<String>) -> Self {
        Self { line: 0, column, problem: problem.into() }
    }

    /// The same, with its place in `text` as lines and columns. It was counted over all lines.
    pub(super) fn within(self, text: &str) -> Self {
        let [line, column] = place(text, self.column);
        Self { line, column, ..self }
    }
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.column == 0 {
            return f.write_str(&self.problem);
        }
        write!(f, "{}: {}", words([self.line, self.column]), self.problem)
    }
}

/// The line and the column of a letter. The line is 0 in a text of one line.
fn place(text: &str, letter: usize) -> [usize; 2] {
    if letter == 0 || !text.contains('\n') {
        return [0, letter];
    }
    let before: String = text.chars().take(letter - 1).collect();
    let in_line = before.rsplit('\n').next().unwrap_or_default();
    [before.matches('\n').count() + 1, in_line.chars().count() + 1]
}

/// A place in words.
fn words([line, column]: [usize; 2]) -> String {
    match line {
        0 => format!("column {column}"),
        line => format!("line {line} of the formula, column {column}"),
    }
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
    Plus,
    Minus,
    Times,
    Over,
}

impl Operator {
    /// Every operator, with its text.
    const ALL: [(&'static str, Self); 12] = [
        ("or", Self::Or),
        ("and", Self::And),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("==", Self::Equal),
        ("!=", Self::Unequal),
        ("<", Self::Less),
        (">", Self::Greater),
        ("+", Self::Plus),
        ("-", Self::Minus),
        ("*", Self::Times),
        ("/", Self::Over),
    ];

    /// How firmly it binds; the smallest binds last.
    fn level(self) -> usize {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Plus | Self::Minus => 3,
            Self::Times | Self::Over => 4,
            _ => COMPARISON,
        }
    }

    /// Its text.
    pub fn text(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, own)| *own == self).map_or("", |(text, _)| text)
    }
}

/// The level of comparisons, of which one stands alone.
const COMPARISON: usize = 2;

/// The level of signs and `not`.
const SIGN: usize = 5;

/// A node of the tree, and the column of what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub column: usize,
    pub term: Term,
    /// True if it stands in brackets.
    pub bracketed: bool,
}

impl Expression {
    fn new(column: usize, term: Term) -> Self {
        Self { column, term, bracketed: false }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Number(f32),
    Name(String),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Pair(Operator, Box<[Expression; 2]>),
    Call(String, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Number(f32),
    Name(&'a str),
    Sign(&'a str),
    End,
}

/// The remedy for a power as other languages write it.
const NO_POWER: &str = "write pow(x, y), or x * x";

/// True for a letter that may begin a name.
fn begins_name(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_'
}

/// True for a name that formulas can use: of a sum, a parameter or a rule.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(begins_name)
        && text.len() <= 32
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Splits a text into tokens, each with its column.
fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, FormulaError> {
    let mut found = Vec::new();
    let mut rest = text;
    let column = |rest: &str| text[..text.len() - rest.len()].chars().count() + 1;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let at = column(rest);
        let Some(first) = rest.chars().next() else {
            found.push((at, Token::End));
            return Ok(found);
        };
        if rest.starts_with("**") {
            return Err(FormulaError::new(at, NO_POWER));
        }
        let behind = rest.get(1..).unwrap_or_default();
        if first == '.' && behind.starts_with(begins_name) {
            return Err(FormulaError::new(at, "write a component as in x(velocity)"));
        }
        let (token, length) = if begins_name(first) {
            let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
            let name = name.unwrap_or_default();
            (Token::Name(name), name.len())
        } else if first.is_ascii_digit() || first == '.' {
            number(rest, at)?
        } else {
            let signs = Operator::ALL.into_iter().map(|(sign, _)| sign).chain(["(", ")", ","]);
            let sign = signs.into_iter().find(|sign| rest.starts_with(*sign));
            let Some(sign) = sign else {
                let shown = first.escape_default();
                let problem = match first {
                    '×' | '·' => "write `*`".into(),
                    '÷' => "write `/`".into(),
                    '−' | '–' => "write `-`".into(),
                    '^' => NO_POWER.into(),
                    '=' => "a formula sets nothing; compare with `==`".into(),
                    '&' | '|' | '!' => "write `and`, `or`, `not`".into(),
                    _ => format!("`{shown}` belongs to no formula"),
                };
                return Err(FormulaError::new(at, problem));
            };
            (Token::Sign(sign), sign.len())
        };
        found.push((at, token));
        rest = &rest[length..];
    }
}

/// The number at the beginning of a text, and its length.
fn number(text: &str, column: usize) -> Result<(Token<'_>, usize), FormulaError> {
    let digits = |from: usize| {
        from + text[from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - from)
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let behind = digits(end + 1 + sign);
        if behind > end + 1 + sign {
            end = behind;
        }
    }
    let value: Option<f32> = text[..end].parse().ok();
    match value.filter(|value| value.is_finite()) {
        Some(_) if text[end..].starts_with(begins_name) => {
            let problem = format!("`{}` is followed by a letter; write a `*`", cut(&text[..end]));
            Err(FormulaError::new(column, problem))
        }
        Some(value) => Ok((Token::Number(value), end)),
        None => {
            Err(FormulaError::new(column, format!("`{}` is no number", cut(&text[..end.max(1)]))))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    next: usize,
    depth: usize,
    /// So far, so that a tree is never deep.
    operations: usize,
}

/// Reads the text of a formula.
pub fn parse(text: &str) -> Result<Expression, FormulaError> {
    if text.len() > MAX_TEXT {
        let problem = format!("a formula has at most {MAX_TEXT} bytes, this one {}", text.len());
        return Err(FormulaError::new(1, problem));
    }
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, depth: 0, operations: 0 };
    let expression = parser.expression(0)?;
    match parser.peek() {
        (_, Token::End) => Ok(expression),
        (column, Token::Sign(")")) => {
            Err(FormulaError::new(column, "this `)` closes nothing; remove it"))
        }
        (column, _) => Err(FormulaError::new(column, "expected an operator, such as `*`")),
    }
}

impl<'a> Parser<'a> {
    fn peek(&self) -> (usize, Token<'a>) {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> (usize, Token<'a>) {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// The operator that stands next.
    fn operator(&self) -> Option<Operator> {
        let (Token::Sign(text) | Token::Name(text)) = self.peek().1 else { return None };
        Operator::ALL.into_iter().find(|(own, _)| *own == text).map(|(_, operator)| operator)
    }

    /// Operators of this level and of those that bind more firmly.
    fn expression(&mut self, level: usize) -> Result<Expression, FormulaError> {
        if level == SIGN {
            return self.signed();
        }
        if level == COMPARISON && self.peek().1 == Token::Name("not") {
            let (column, _) = self.take();
            let inner = self.nested(column, |parser| parser.expression(COMPARISON))?;
            return Ok(Expression::new(column, Term::Not(Box::new(inner))));
        }
        let mut left = self.expression(level + 1)?;
        while let Some(operator) = self.operator().filter(|operator| operator.level() == level) {
            let (column, _) = self.take();
            self.count(column)?;
            let right = self.expression(level + 1)?;
            let chained = |side: &Expression| {
                let compares =
                    matches!(&side.term, Term::Pair(own, _) if own.level() == COMPARISON);
                compares && !side.bracketed
            };
            if level == COMPARISON && chained(&left) {
                let problem = "two comparisons in a row; join them with `and`";
                return Err(FormulaError::new(column, problem));
            }
            left = Expression::new(column, Term::Pair(operator, Box::new([left, right])));
        }
        Ok(left)
    }

    fn count(&mut self, column: usize) -> Result<(), FormulaError> {
        self.operations += 1;
        if self.operations > MAX_OPERATIONS {
            return Err(FormulaError::new(column, too_many(self.operations)));
        }
        Ok(())
    }

    fn nested<T>(
        &mut self,
        column: usize,
        read: impl FnOnce(&mut Self) -> Result<T, FormulaError>,
    ) -> Result<T, FormulaError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let problem = format!(
                "more than {MAX_DEPTH} levels of nesting; remove brackets and signs that change nothing"
            );
            return Err(FormulaError::new(column, problem));
        }
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn signed(&mut self) -> Result<Expression, FormulaError> {
        let (column, token) = self.take();
        match token {
            Token::Sign("-") => {
                let inner = self.nested(column, Self::signed)?;
                Ok(Expression::new(column, Term::Negative(Box::new(inner))))
            }
            Token::Number(number) => Ok(Expression::new(column, Term::Number(number))),
            Token::Name(name) if self.peek().1 == Token::Sign("(") => {
                self.take();
                self.count(column)?;
                let inputs = self.nested(column, |parser| parser.inputs(column))?;
                Ok(Expression::new(column, Term::Call(name.into(), inputs)))
            }
            Token::Name(name) if !["and", "or", "not"].contains(&name) => {
                Ok(Expression::new(column, Term::Name(name.into())))
            }
            Token::Sign("(") => {
                let inner = self.nested(column, |parser| parser.expression(0))?;
                self.close(column)?;
                Ok(Expression { bracketed: true, ..inner })
            }
            Token::End => Err(FormulaError::new(column, "a value is missing at the end")),
            _ => Err(FormulaError::new(column, "expected a value: a number, a name or a `(`")),
        }
    }

    /// The inputs of a function, and its closing bracket.
    fn inputs(&mut self, open: usize) -> Result<Vec<Expression>, FormulaError> {
        let mut inputs = Vec::new();
        if self.peek().1 == Token::Sign(")") {
            self.take();
            return Ok(inputs);
        }
        loop {
            inputs.push(self.expression(0)?);
            if self.peek().1 != Token::Sign(",") {
                self.close(open)?;
                return Ok(inputs);
            }
            self.take();
        }
    }

    /// Takes the `)` of the bracket or call at column `open`.
    fn close(&mut self, open: usize) -> Result<(), FormulaError> {
        match self.take() {
            (_, Token::Sign(")")) => Ok(()),
            (column, Token::End) => {
                let open = words(place(self.text, open));
                let problem = format!("a `)` is missing for what begins at {open}");
                Err(FormulaError::new(column, problem))
            }
            (column, _) => Err(FormulaError::new(column, "expected an operator or a `)`")),
        }
    }
}
