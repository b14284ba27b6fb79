//! From the tree of a formula to a program: types and names.

mod calls;

use std::cell::Cell;

use calls::FUNCTIONS;

use super::STATE;
use super::operation::Given;
use super::parse::{Expression, FormulaError, MAX_OPERATIONS, Operator, Term, is_name, too_many};
use super::program::{Draft, Node, Truth};
use crate::quote::{cut, nearest, suggest};
use crate::real::Real;
use crate::vector::{Axes, Space, Vector};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Number,
    /// A vector of the world's axes.
    Vector,
    /// True or false.
    Truth,
}

impl Type {
    fn words(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Vector => "a vector",
            Self::Truth => "a comparison",
        }
    }
}

/// A value of a formula in a world of `D` axes.
#[derive(Clone, Copy)]
pub enum Value<'a, const D: usize> {
    Number(Node<'a>),
    Vector(Vector<Node<'a>, D>),
    Truth(Truth<'a>),
}

impl<const D: usize> Value<'_, D> {
    pub fn of_type(&self) -> Type {
        match self {
            Self::Number(_) => Type::Number,
            Self::Vector(_) => Type::Vector,
            Self::Truth(_) => Type::Truth,
        }
    }

    /// The problem of an expression with this value, which must be of another type.
    fn instead_of(&self, wanted: Type, column: usize) -> FormulaError {
        let found = self.of_type();
        let (example, help) = match (wanted, found) {
            (Type::Vector, Type::Number) => ("", "; `zero` is the vector of length 0"),
            (Type::Truth, _) => (" such as speed > 1", ""),
            _ => ("", ""),
        };
        let (wanted, found) = (wanted.words(), found.words());
        let problem = format!("expected {wanted}{example}, found {found}{help}");
        FormulaError::new(column, problem)
    }
}

/// The beginning of the name by which formulas call a number that the neighbour keeps.
pub const OTHER: &str = "other_";

/// Names that belong to one neighbour.
const OF_NEIGHBOUR: [&str; 10] = [
    "offset",
    "distance",
    "distance_squared",
    "direction",
    "other_position",
    "other_velocity",
    "other_heading",
    "other_speed",
    "other_species",
    "other_size",
];
/// Names that every formula may use.
const OF_AGENT: [&str; 9] =
    ["position", "velocity", "heading", "speed", "max_speed", "max_force", "size", "tick", "zero"];
/// Names of the force alone.
const OF_FORCE: [&str; 2] = ["neighbours", "spread"];

/// Agents nearer than the root of this are at the same spot; world units².
const SAME_SPOT_SQUARED: f32 = 1e-20;

/// True for a word that cannot be the name of a sum or parameter.
#[must_use]
pub fn is_taken(name: &str) -> bool {
    OF_NEIGHBOUR.iter().chain(&OF_AGENT).chain(&OF_FORCE).any(|known| *known == name)
        || FUNCTIONS.iter().any(|(known, ..)| *known == name)
        || ["and", "or", "not", "radius"].contains(&name)
}

/// A name of the rule itself.
#[derive(Clone, Debug)]
pub struct Own {
    /// The name.
    pub name: String,
    /// Its type.
    pub of_type: Type,
    /// Its inputs: one, or one for each axis, or one for each set of species.
    pub given: Vec<Given>,
    /// The sets of species, if it depends on the neighbour's.
    pub sets: Option<Vec<Given>>,
}

/// The names and the budget of a formula in a world of `D` axes.
pub struct Checker<'a, const D: usize> {
    /// The program.
    pub draft: &'a Draft,
    /// Names of the rule: its parameters, and in a force its sums.
    pub own: &'a [Own],
    /// True for a sum, which sees one neighbour; false for the force.
    pub of_neighbour: bool,
    /// The names and formulas of the rule's sums.
    pub sums: &'a [(String, String)],
    /// The operations of the rule so far.
    pub operations: &'a Cell<usize>,
}

impl<'a, const D: usize> Checker<'a, D>
where
    Axes<D>: Space<D>,
{
    /// The value of an expression, which must be a number.
    pub fn number(&self, expression: &Expression) -> Result<Node<'a>, FormulaError> {
        match self.value(expression)? {
            Value::Number(number) => Ok(number),
            other => Err(other.instead_of(Type::Number, expression.column)),
        }
    }

    /// The value of an expression, which must be a vector.
    pub fn vector(&self, expression: &Expression) -> Result<Vector<Node<'a>, D>, FormulaError> {
        match self.value(expression)? {
            Value::Vector(vector) => Ok(vector),
            other => Err(other.instead_of(Type::Vector, expression.column)),
        }
    }

    /// The value of an expression, which must be true or false.
    fn truth(&self, expression: &Expression) -> Result<Truth<'a>, FormulaError> {
        match self.value(expression)? {
            Value::Truth(truth) => Ok(truth),
            other => Err(other.instead_of(Type::Truth, expression.column)),
        }
    }

    fn count(&self, column: usize, operations: usize) -> Result<(), FormulaError> {
        let all = self.operations.get() + operations;
        self.operations.set(all);
        if all > MAX_OPERATIONS {
            return Err(FormulaError::new(column, too_many(all)));
        }
        Ok(())
    }

    /// The value of an expression.
    pub fn value(&self, expression: &Expression) -> Result<Value<'a, D>, FormulaError> {
        let column = expression.column;
        let value = match &expression.term {
            Term::Number(number) => Value::Number(self.draft.constant(*number)),
            Term::Name(name) => self.named(name, column)?,
            Term::Negative(inner) => {
                self.count(column, 1)?;
                match self.value(inner)? {
                    Value::Number(number) => Value::Number(-number),
                    Value::Vector(vector) => Value::Vector(-vector),
                    Value::Truth(_) => {
                        let problem = "a comparison has no sign; write `not`";
                        return Err(FormulaError::new(column, problem));
                    }
                }
            }
            Term::Not(inner) => {
                self.count(column, 1)?;
                Value::Truth(!self.truth(inner)?)
            }
            Term::Pair(operator, sides) => {
                self.count(column, 1)?;
                self.pair(*operator, sides, column)?
            }
            Term::Call(name, inputs) => self.call(name, inputs, column)?,
        };
        let known = match value {
            Value::Number(number) => number.number().is_some_and(|number| !number.is_finite()),
            _ => false,
        };
        if known {
            let problem = "this is no number: it divides by 0, is too large, or is the root of a negative number";
            return Err(FormulaError::new(column, problem));
        }
        Ok(value)
    }

    fn given(&self, given: fn(usize) -> Given) -> Vector<Node<'a>, D> {
        Vector(std::array::from_fn(|axis| self.draft.given(given(axis))))
    }

    fn named(&self, name: &str, column: usize) -> Result<Value<'a, D>, FormulaError> {
        if let Some(own) = self.own.iter().find(|own| own.name == name) {
            if let Some(sets) = &own.sets {
                return self.by_species(own, sets, column).map(Value::Number);
            }
            let node = |axis: usize| self.draft.given(own.given[axis]);
            return Ok(match own.of_type {
                Type::Vector => Value::Vector(Vector(std::array::from_fn(node))),
                _ => Value::Number(node(0)),
            });
        }
        let only = if self.of_neighbour { &OF_NEIGHBOUR[..] } else { &OF_FORCE };
        let is_known = only.contains(&name) || OF_AGENT.contains(&name);
        // A rule with sums has its number of neighbours among its own names.
        if !is_known || name == "neighbours" {
            return Err(self.unknown(name, column));
        }
        let one = |given: Given| self.draft.given(given);
        let distance = || one(Given::DistanceSquared).sqrt();
        // At the same spot there is none.
        let direction = || {
            let (squared, least) =
                (one(Given::DistanceSquared), self.draft.constant(SAME_SPOT_SQUARED));
            let scale = least.constant(1.0) / distance();
            let scale = scale.where_or(least.less_than(squared), least.constant(0.0));
            self.given(Given::Offset) * scale
        };
        Ok(match name {
            "offset" => Value::Vector(self.given(Given::Offset)),
            "distance" => Value::Number(distance()),
            "distance_squared" => Value::Number(one(Given::DistanceSquared)),
            "direction" => Value::Vector(direction()),
            "other_position" => Value::Vector(self.given(Given::OtherPosition)),
            "other_velocity" => Value::Vector(self.given(Given::OtherVelocity)),
            "other_heading" => Value::Vector(self.given(Given::OtherVelocity).heading()),
            "other_speed" => Value::Number(self.given(Given::OtherVelocity).length()),
            "other_species" => Value::Number(one(Given::OtherSpecies)),
            "other_size" => Value::Number(one(Given::OtherSize)),
            "position" => Value::Vector(self.given(Given::Position)),
            "velocity" => Value::Vector(self.given(Given::Velocity)),
            "heading" => Value::Vector(self.given(Given::Velocity).heading()),
            "speed" => Value::Number(self.given(Given::Velocity).length()),
            "max_speed" => Value::Number(one(Given::MaxSpeed)),
            "max_force" => Value::Number(one(Given::MaxForce)),
            "size" => Value::Number(one(Given::Size)),
            "tick" => Value::Number(one(Given::Tick)),
            "spread" => Value::Vector(self.given(Given::Spread)),
            _ => Value::Vector(Vector::zero(self.draft.constant(0.0))),
        })
    }

    /// The value of a parameter for the neighbour's species.
    fn by_species(
        &self,
        own: &Own,
        sets: &[Given],
        column: usize,
    ) -> Result<Node<'a>, FormulaError> {
        if !self.of_neighbour {
            let problem = format!(
                "`{}` has a value for each species of neighbours; take it in a `sum`",
                own.name
            );
            return Err(FormulaError::new(column, problem));
        }
        self.count(column, sets.len())?;
        let zero = self.draft.constant(0.0);
        let all = own.given.iter().zip(sets).rev();
        Ok(all.fold(zero, |others, (value, set)| {
            let is_in = zero.less_than(self.draft.given(*set));
            self.draft.given(*value).where_or(is_in, others)
        }))
    }

    fn unknown(&self, name: &str, column: usize) -> FormulaError {
        let shown = cut(name);
        let of_kept = name.strip_prefix(OTHER);
        let of_kept = of_kept.is_some_and(|kept| self.own.iter().any(|own| own.name == kept));
        if OF_NEIGHBOUR.contains(&name) || of_kept && !self.of_neighbour {
            let problem = format!(
                "`{shown}` is of one neighbour; add it up in a `sum`, and use the sum here"
            );
            return FormulaError::new(column, problem);
        }
        if ["radius", "inner"].contains(&name) {
            let why = match (self.sums.is_empty(), name) {
                (true, "radius") => "with a `sum`",
                (true, _) => "with a `sum` and that key",
                (false, _) => "that gives it as a number",
            };
            return FormulaError::new(column, format!("`{shown}` is known in a rule {why} alone"));
        }
        if OF_FORCE.contains(&name) {
            let why = if self.of_neighbour { "forces and states" } else { "a rule with a `sum`" };
            return FormulaError::new(column, format!("`{shown}` is known in {why} alone"));
        }
        if FUNCTIONS.iter().any(|(known, ..)| *known == name) {
            let problem = format!("`{shown}` is a function; its inputs follow in brackets");
            return FormulaError::new(column, problem);
        }
        if self.of_neighbour && self.sums.iter().any(|(sum, _)| sum == name) {
            let problem = format!("`{shown}` is a sum, which no sum takes; write its formula here");
            return FormulaError::new(column, problem);
        }
        let only = match (self.of_neighbour, self.sums.is_empty()) {
            (true, _) => &OF_NEIGHBOUR[..],
            // It may stand among the sums already.
            (_, false) if self.own.iter().any(|own| own.name == OF_FORCE[0]) => &OF_FORCE[1..],
            (_, false) => &OF_FORCE[..],
            _ => &[],
        };
        let own = self.own.iter().map(|own| own.name.as_str());
        let known: Vec<&str> = own.chain(OF_AGENT).chain(only.iter().copied()).collect();
        let mut help = suggest(name, &known);
        if nearest(name, known.iter().copied()).is_none() {
            help += "; of states a rule reads only its own";
        }
        // All of these begin alike, so any would be near.
        let mut others = known.iter().filter_map(|own| own.strip_prefix(OTHER));
        if let Some(kept) = name.strip_prefix(OTHER)
            && self.of_neighbour
            && is_name(kept)
        {
            help = match nearest(kept, &mut others) {
                Some(near) => format!("did you mean `{OTHER}{near}`?"),
                None => format!(
                    "a rule hears only the states that it keeps itself, as with {STATE}.{kept} = \"{kept}\""
                ),
            };
        }
        FormulaError::new(column, format!("nothing is called `{shown}`; {help}"))
    }

    fn pair(
        &self,
        operator: Operator,
        sides: &[Expression; 2],
        column: usize,
    ) -> Result<Value<'a, D>, FormulaError> {
        use Operator::{And, Minus, Or, Over, Plus, Times};
        if matches!(operator, And | Or) {
            let [a, b] = [self.truth(&sides[0])?, self.truth(&sides[1])?];
            return Ok(Value::Truth(if operator == And { a & b } else { a | b }));
        }
        let (left, right) = (self.value(&sides[0])?, self.value(&sides[1])?);
        if let (Over, Value::Number(divisor)) = (operator, right)
            && divisor.number() == Some(0.0)
        {
            return Err(FormulaError::new(column, "this divides by 0"));
        }
        Ok(match (operator, left, right) {
            (Plus, Value::Number(a), Value::Number(b)) => Value::Number(a + b),
            (Minus, Value::Number(a), Value::Number(b)) => Value::Number(a - b),
            (Times, Value::Number(a), Value::Number(b)) => Value::Number(a * b),
            (Over, Value::Number(a), Value::Number(b)) => Value::Number(a / b),
            (Plus, Value::Vector(a), Value::Vector(b)) => Value::Vector(a + b),
            (Minus, Value::Vector(a), Value::Vector(b)) => Value::Vector(a - b),
            (Times, Value::Vector(a), Value::Number(b))
            | (Times, Value::Number(b), Value::Vector(a)) => Value::Vector(a * b),
            (Over, Value::Vector(a), Value::Number(b)) => Value::Vector(a / b),
            (_, Value::Number(a), Value::Number(b)) => Value::Truth(match operator {
                Operator::Less => a.less_than(b),
                Operator::Greater => b.less_than(a),
                Operator::LessOrEqual => a.less_than(b) | a.equals(b),
                Operator::GreaterOrEqual => b.less_than(a) | a.equals(b),
                Operator::Equal => a.equals(b),
                _ => !a.equals(b),
            }),
            (_, left, right) => {
                let [left, right] = [left, right].map(|side| side.of_type().words());
                let help = match operator {
                    Times if left == right && left == Type::Vector.words() => {
                        "; for two vectors write dot(a, b)"
                    }
                    _ if [left, right].contains(&Type::Truth.words()) => {
                        "; comparisons are joined with `and`, `or`, `not`"
                    }
                    _ => "",
                };
                let text = operator.text();
                let problem = format!("`{text}` cannot take {left} and {right}{help}");
                return Err(FormulaError::new(column, problem));
            }
        })
    }
}
