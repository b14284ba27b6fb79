//! The functions of formulas.

use super::{Checker, Value};
use crate::formula::functions::{atan2, exp2, log2};
use crate::formula::operation::Given;
use crate::formula::parse::{Expression, FormulaError};
use crate::formula::program::Node;
use crate::plane::at_any_angle;
use crate::quote::{cut, suggest};
use crate::real::Real;
use crate::vector::{Axes, Space, Vector};

/// The operations that a polynomial counts as.
const POLYNOMIAL: usize = 16;

/// Functions, with the number of their inputs and the operations that they count as.
pub(super) const FUNCTIONS: [(&str, usize, usize); 31] = [
    ("if", 3, 1),
    ("min", 2, 1),
    ("max", 2, 1),
    ("abs", 1, 1),
    ("floor", 1, 1),
    ("sqrt", 1, 1),
    ("clamp", 3, 1),
    ("mix", 3, 1),
    ("step", 2, 1),
    ("smoothstep", 3, 1),
    ("dot", 2, 1),
    ("length", 1, 1),
    ("unit", 1, 1),
    ("with_length", 2, 1),
    ("limit", 2, 1),
    ("perp", 1, 1),
    ("cross", 2, 1),
    ("rotate", 0, POLYNOMIAL),
    ("vector", 0, 1),
    ("x", 1, 1),
    ("y", 1, 1),
    ("z", 1, 1),
    ("sin", 1, POLYNOMIAL),
    ("cos", 1, POLYNOMIAL),
    ("tan", 1, POLYNOMIAL),
    ("atan2", 2, POLYNOMIAL),
    ("exp", 1, POLYNOMIAL),
    ("log", 1, POLYNOMIAL),
    ("pow", 2, POLYNOMIAL),
    ("random", 1, 1),
    ("gauss", 1, POLYNOMIAL),
];

/// The largest number of a random number.
const MAX_RANDOM: f32 = 255.0;

impl<'a, const D: usize> Checker<'a, D>
where
    Axes<D>: Space<D>,
{
    /// The value of a call of `name` at a column.
    pub(super) fn call(
        &self,
        name: &str,
        inputs: &[Expression],
        column: usize,
    ) -> Result<Value<'a, D>, FormulaError> {
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let Some((_, wanted, operations)) = known else {
            let all: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
            let help = suggest(name, &all);
            let problem = format!("there is no function `{}`; {help}", cut(name));
            return Err(FormulaError::new(column, problem));
        };
        let wanted = match name {
            "vector" => D,
            // About an axis, which in a plane is the only one.
            "rotate" => D.max(2),
            _ => *wanted,
        };
        if inputs.len() != wanted {
            let problem = format!(
                "`{name}` takes {wanted} input{}, here are {}",
                if wanted == 1 { "" } else { "s" },
                inputs.len()
            );
            return Err(FormulaError::new(column, problem));
        }
        let only_in = |axes: usize, help: &str| match D == axes {
            true => Ok(()),
            false => Err(FormulaError::new(column, help)),
        };
        match name {
            "perp" => only_in(2, "`perp` is for planes; in space write cross(a, b)")?,
            "cross" => only_in(3, "`cross` is for spaces; in a plane write dot(perp(v), w)")?,
            "z" => only_in(3, "a plane has no z")?,
            _ => {}
        }
        self.count(column, *operations)?;
        let number = |at: usize| self.number(&inputs[at]);
        let vector = |at: usize| self.vector(&inputs[at]);
        Ok(match name {
            "if" => return self.choice(inputs),
            "mix" => {
                let part = number(2)?;
                match self.value(&inputs[0])? {
                    Value::Number(a) => Value::Number(a + (number(1)? - a) * part),
                    Value::Vector(a) => Value::Vector(a + (vector(1)? - a) * part),
                    Value::Truth(_) => {
                        self.truth(&inputs[1])?;
                        return Err(FormulaError::new(column, "expected numbers or vectors"));
                    }
                }
            }
            "with_length" => Value::Vector(vector(0)?.with_length(number(1)?)),
            "limit" => Value::Vector(vector(0)?.limit(number(1)?)),
            "unit" => Value::Vector(vector(0)?.with_length(self.draft.constant(1.0))),
            "perp" => Value::Vector(Axes::sideways(vector(0)?)),
            "cross" => Value::Vector(cross(vector(0)?, vector(1)?)),
            "rotate" => Value::Vector(self.rotated(inputs)?),
            "vector" => {
                let mut all = [self.draft.constant(0.0); D];
                for (at, component) in all.iter_mut().enumerate() {
                    *component = number(at)?;
                }
                Value::Vector(Vector(all))
            }
            "random" => Value::Number(self.random(&inputs[0])?.0),
            "gauss" => {
                let (one, other) = self.random(&inputs[0])?;
                // Box and Muller: 1 − u is above 0.
                let ln = log2(one.constant(1.0) - one) * one.constant(std::f32::consts::LN_2);
                Value::Number((ln * one.constant(-2.0)).sqrt() * at_any_angle(other)[0])
            }
            "dot" => Value::Number(vector(0)?.dot(vector(1)?)),
            "length" => Value::Number(vector(0)?.length()),
            "x" => Value::Number(vector(0)?.0[0]),
            "y" => Value::Number(vector(0)?.0[1]),
            "z" => Value::Number(vector(0)?.0[D - 1]),
            "pow" => Value::Number(power(number(0)?, number(1)?)),
            "min" => Value::Number(number(0)?.min(number(1)?)),
            "max" => Value::Number(number(0)?.max(number(1)?)),
            "atan2" => Value::Number(atan2(number(0)?, number(1)?)),
            "clamp" => Value::Number(number(0)?.max(number(1)?).min(number(2)?)),
            "step" => {
                let (edge, x) = (number(0)?, number(1)?);
                Value::Number(x.constant(0.0).where_or(x.less_than(edge), x.constant(1.0)))
            }
            "smoothstep" => {
                let (low, high, x) = (number(0)?, number(1)?, number(2)?);
                let part = (x - low) / (high - low);
                let part = part.max(x.constant(0.0)).min(x.constant(1.0));
                Value::Number(part * part * (x.constant(3.0) - part * x.constant(2.0)))
            }
            _ => Value::Number(of_number(name, number(0)?)),
        })
    }

    fn choice(&self, inputs: &[Expression]) -> Result<Value<'a, D>, FormulaError> {
        let condition = self.truth(&inputs[0])?;
        Ok(match self.value(&inputs[1])? {
            Value::Number(a) => Value::Number(a.where_or(condition, self.number(&inputs[2])?)),
            Value::Vector(a) => Value::Vector(a.where_or(condition, self.vector(&inputs[2])?)),
            Value::Truth(a) => Value::Truth(condition.choose(a, self.truth(&inputs[2])?)),
        })
    }

    /// A vector turned by an angle: in a plane towards the left, in space about an axis (Rodrigues).
    fn rotated(&self, inputs: &[Expression]) -> Result<Vector<Node<'a>, D>, FormulaError> {
        let vector = self.vector(&inputs[0])?;
        if D == 2 {
            let [cos, sin] = at_any_angle(self.number(&inputs[1])?);
            return Ok(vector * cos + Axes::sideways(vector) * sin);
        }
        let one = self.draft.constant(1.0);
        let axis = self.vector(&inputs[1])?.with_length(one);
        let [cos, sin] = at_any_angle(self.number(&inputs[2])?);
        let along = axis * (axis.dot(vector) * (one - cos));
        Ok(vector * cos + cross(axis, vector) * sin + along)
    }

    /// The random numbers of a use: two that are independent.
    fn random(&self, number: &Expression) -> Result<(Node<'a>, Node<'a>), FormulaError> {
        let problem = if self.of_neighbour {
            "random numbers belong to the agent; use them in the force"
        } else {
            let known = self.number(number)?.number();
            let known = known.filter(|k| (0.0..=MAX_RANDOM).contains(k) && k.fract() == 0.0);
            if let Some(known) = known {
                let own = |stream: u32| self.draft.given(Given::Random(stream + known as u32));
                return Ok((own(0), own(1 + MAX_RANDOM as u32)));
            }
            "expected the number of the draw, a whole number from 0 to 255"
        };
        Err(FormulaError::new(number.column, problem))
    }
}

/// The vector product. The engines' other vectors are twins of WGSL; this one's text is made from it.
fn cross<'a, const D: usize>(
    a: Vector<Node<'a>, D>,
    b: Vector<Node<'a>, D>,
) -> Vector<Node<'a>, D> {
    let next = |axis: usize, by: usize| (axis + by) % D;
    Vector(std::array::from_fn(|axis| {
        let (one, other) = (next(axis, 1), next(axis, 2));
        a.0[one] * b.0[other] - a.0[other] * b.0[one]
    }))
}

/// A power. Small whole exponents and a half are exact products and roots.
fn power<'a>(base: Node<'a>, exponent: Node<'a>) -> Node<'a> {
    let one = base.constant(1.0);
    match exponent.number() {
        Some(0.5) => return base.sqrt(),
        Some(known) if known.fract() == 0.0 && known.abs() <= 8.0 => {
            let product = (0..known.abs() as u32)
                .fold(one, |product, nth| if nth == 0 { base } else { product * base });
            return if known < 0.0 { one / product } else { product };
        }
        _ => {}
    }
    exp2(exponent * log2(base))
}

fn of_number<'a>(name: &str, x: Node<'a>) -> Node<'a> {
    let [cos, sin] = at_any_angle(x);
    match name {
        "abs" => (-x).where_or(x.less_than(x.constant(0.0)), x),
        "floor" => x.floor(),
        "sqrt" => x.sqrt(),
        "sin" => sin,
        "cos" => cos,
        "tan" => sin / cos,
        "exp" => exp2(x * x.constant(std::f32::consts::LOG2_E)),
        _ => log2(x) * x.constant(std::f32::consts::LN_2),
    }
}
