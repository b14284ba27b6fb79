//! Formulas that are made up: their texts, and their values in f64 with bounds of what an f32 may be off.

use super::dice::Dice;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    Vector,
    Truth,
}

/// A formula.
#[derive(Clone, Debug)]
pub enum Tree {
    /// A number, or a name.
    Leaf(String, Kind),
    /// Operator and sides.
    Pair(&'static str, Box<[Tree; 2]>),
    /// Function and inputs.
    Call(&'static str, Vec<Tree>),
    Negative(Box<Tree>),
}

/// Numbers with the bounds of their errors; a truth is 1 or 0.
#[derive(Clone, Debug)]
pub struct Value(Vec<(f64, f64)>);

impl Value {
    pub fn component(&self, axis: usize) -> (f64, f64) {
        self.0[axis]
    }
}

/// Half the distance of two f32 beside 1, and a little more.
const ROUNDING: f64 = 6.1e-8;

/// How far the polynomials of angles, powers and logarithms may be off.
const OF_POLYNOMIAL: f64 = 4e-7;

/// Below this the square of a length may count as zero.
const TINY: f64 = 1e-30;

fn rounded((value, bound): (f64, f64)) -> (f64, f64) {
    (value, bound + ROUNDING * value.abs() + 1e-42)
}

type Number = (f64, f64);

fn sum(a: Number, b: Number) -> Number {
    rounded((a.0 + b.0, a.1 + b.1))
}

fn product(a: Number, b: Number) -> Number {
    rounded((a.0 * b.0, a.0.abs() * b.1 + b.0.abs() * a.1 + a.1 * b.1))
}

/// False if rounding may make them equal, or exchange them.
fn are_apart(a: Number, b: Number) -> bool {
    (a.0 - b.0).abs() > a.1 + b.1
}

/// None if the divisor may be 0.
fn quotient(a: Number, b: Number) -> Option<Number> {
    let least = b.0.abs() - b.1;
    let value = a.0 / b.0;
    (least > 0.0).then(|| rounded((value, (a.1 + value.abs() * b.1) / least)))
}

/// None if the square root may be of a negative number.
fn root(a: Number) -> Option<Number> {
    let least = a.0 - a.1;
    (least > 0.0).then(|| rounded((a.0.sqrt(), a.1 / (2.0 * least.sqrt()))))
}

fn dot(a: &[Number], b: &[Number]) -> Number {
    let products = a.iter().zip(b).map(|(a, b)| product(*a, *b));
    products.reduce(sum).unwrap()
}

/// The value of a function with this slope, for an input that may be off.
fn smooth(value: f64, slope: f64, input: Number, own: f64) -> Number {
    (value, slope * input.1 + own)
}

impl Tree {
    pub fn text(&self) -> String {
        match self {
            Self::Leaf(text, _) => text.clone(),
            Self::Negative(inner) => format!("-{}", inner.in_brackets(5)),
            Self::Pair(operator, sides) => {
                let level = level(operator);
                // The right side of an equal operator needs brackets, the left one does not.
                let left = sides[0].in_brackets(level + usize::from(level == 2));
                format!("{left} {operator} {}", sides[1].in_brackets(level + 1))
            }
            Self::Call(name, inputs) => {
                let inputs: Vec<String> = inputs.iter().map(Self::text).collect();
                format!("{name}({})", inputs.join(", "))
            }
        }
    }

    fn in_brackets(&self, least: usize) -> String {
        let own = match self {
            Self::Pair(operator, _) => level(operator),
            Self::Negative(_) => 5,
            _ => 6,
        };
        if own < least { format!("({})", self.text()) } else { self.text() }
    }

    /// The value for the inputs of an agent; none where a small error could lead another way.
    pub fn value(&self, agent: &[f32; 8], axes: usize) -> Option<Value> {
        let exact = |numbers: &[f32]| {
            Some(Value(numbers.iter().map(|number| (f64::from(*number), 0.0)).collect()))
        };
        let all = match self {
            Self::Leaf(text, _) => {
                return match text.as_str() {
                    "position" => exact(&agent[..axes]),
                    "velocity" => exact(&agent[3..3 + axes]),
                    "max_speed" => exact(&agent[6..7]),
                    "max_force" => exact(&agent[7..]),
                    "zero" => exact(&[0.0; 3][..axes]),
                    number => exact(&[number.parse().unwrap()]),
                };
            }
            Self::Negative(inner) => inner
                .value(agent, axes)?
                .0
                .into_iter()
                .map(|(value, bound)| (-value, bound))
                .collect(),
            Self::Pair(operator, sides) => {
                let [a, b] = [&sides[0], &sides[1]].map(|side| side.value(agent, axes));
                pair(operator, &a?.0, &b?.0)?
            }
            Self::Call("if", inputs) => {
                let condition = inputs[0].value(agent, axes)?.0[0].0;
                return inputs[if condition == 1.0 { 1 } else { 2 }].value(agent, axes);
            }
            Self::Call(name, inputs) => {
                let inputs: Option<Vec<Value>> =
                    inputs.iter().map(|input| input.value(agent, axes)).collect();
                let inputs: Vec<Vec<Number>> = inputs?.into_iter().map(|value| value.0).collect();
                called(name, &inputs)?
            }
        };
        Some(Value(all))
    }
}

fn level(operator: &str) -> usize {
    ["or", "and", "<", "+", "*"].iter().position(|own| *own == operator).unwrap_or(match operator {
        "-" => 3,
        "/" => 4,
        _ => 2,
    })
}

fn pair(operator: &str, a: &[Number], b: &[Number]) -> Option<Vec<Number>> {
    let truth = |truth: bool| Some(vec![(f64::from(u8::from(truth)), 0.0)]);
    let both = || a.iter().copied().zip(b.iter().copied());
    let scaled = || if a.len() == 1 { (b, a[0]) } else { (a, b[0]) };
    match operator {
        "+" => Some(both().map(|(a, b)| sum(a, b)).collect()),
        "-" => Some(both().map(|(a, b)| sum(a, (-b.0, b.1))).collect()),
        "*" => {
            let (vector, factor) = scaled();
            Some(vector.iter().map(|one| product(*one, factor)).collect())
        }
        "/" => a.iter().map(|one| quotient(*one, b[0])).collect(),
        "and" => truth(a[0].0 == 1.0 && b[0].0 == 1.0),
        "or" => truth(a[0].0 == 1.0 || b[0].0 == 1.0),
        _ => {
            let (a, b) = (a[0], b[0]);
            are_apart(a, b).then_some(())?;
            truth(match operator {
                "<" | "<=" => a.0 < b.0,
                ">" | ">=" => a.0 > b.0,
                "==" => false,
                _ => true,
            })
        }
    }
}

fn called(name: &str, inputs: &[Vec<Number>]) -> Option<Vec<Number>> {
    let number = |at: usize| inputs[at][0];
    let x = number(0);
    let tau = std::f64::consts::TAU;
    let least = |a: Number, b: Number| are_apart(a, b).then_some(if a.0 < b.0 { a } else { b });
    let most = |a: Number, b: Number| are_apart(a, b).then_some(if a.0 > b.0 { a } else { b });
    let vector = &inputs[0][..];
    let one = |value: Number| Some(vec![value]);
    match name {
        "min" => one(least(x, number(1))?),
        "max" => one(most(x, number(1))?),
        "abs" => one((x.0.abs(), x.1)),
        "floor" => {
            let whole = (x.0 - x.1).floor() == (x.0 + x.1).floor();
            whole.then(|| vec![(x.0.floor(), 0.0)])
        }
        "sqrt" => one(root(x)?),
        "clamp" => one(least(most(x, number(1))?, number(2))?),
        "mix" => {
            let part = number(2);
            let mixed = inputs[0].iter().zip(&inputs[1]);
            Some(mixed.map(|(a, b)| sum(*a, product(sum(*b, (-a.0, a.1)), part))).collect())
        }
        "dot" => one(dot(vector, &inputs[1])),
        "length" => one(root(dot(vector, vector))?),
        "with_length" | "unit" => {
            let squared = dot(vector, vector);
            let length = if name == "unit" { (1.0, 0.0) } else { number(1) };
            (squared.0 > TINY && squared.0 < 1e30).then_some(())?;
            let scale = quotient(length, root(squared)?)?;
            Some(vector.iter().map(|own| product(*own, scale)).collect())
        }
        "limit" => {
            let (squared, length) = (dot(vector, vector), number(1));
            let most = product(length, length);
            are_apart(squared, most).then_some(())?;
            (squared.0 > TINY && squared.0 < 1e30).then_some(())?;
            if squared.0 < most.0 {
                return Some(vector.to_vec());
            }
            let scale = quotient(length, root(squared)?)?;
            Some(vector.iter().map(|own| product(*own, scale)).collect())
        }
        "perp" => Some(vec![(-vector[1].0, vector[1].1), vector[0]]),
        "cross" => {
            let other = &inputs[1];
            let minor = |i: usize, j: usize| {
                let (a, b) = (product(vector[i], other[j]), product(vector[j], other[i]));
                sum(a, (-b.0, b.1))
            };
            Some(vec![minor(1, 2), minor(2, 0), minor(0, 1)])
        }
        "sin" | "cos" => {
            (x.0.abs() < 1e3).then_some(())?;
            let angle = x.0 * tau;
            let value = if name == "sin" { angle.sin() } else { angle.cos() };
            one(smooth(value, tau, x, OF_POLYNOMIAL + x.0.abs() * 4e-7))
        }
        "exp" => {
            (x.0.abs() < 60.0).then_some(())?;
            let value = x.0.exp();
            let off = (x.1 + x.0.abs() * 1.3e-7).exp_m1();
            one((value, value * (off + OF_POLYNOMIAL)))
        }
        "log" => {
            let least = x.0 - x.1;
            (least > 1e-30).then_some(())?;
            let value = x.0.ln();
            one((value, x.1 / least + OF_POLYNOMIAL * value.abs().max(1.0)))
        }
        "atan2" => {
            let other = number(1);
            let far = x.0.hypot(other.0) - x.1 - other.1;
            // Across the seam of half a turn a small error is a large one.
            (far > 1e-20 && x.0.abs() > x.1).then_some(())?;
            let off = (x.1 + other.1) / far / tau;
            one((x.0.atan2(other.0) / tau, off + OF_POLYNOMIAL))
        }
        "vector" => Some(inputs.iter().map(|input| input[0]).collect()),
        "x" => one(vector[0]),
        "y" => one(vector[1]),
        _ => panic!("no function {name}"),
    }
}

/// Makes up formulas.
pub struct Generator {
    dice: Dice,
    axes: usize,
}

impl Generator {
    pub fn new(number: u64, axes: usize) -> Self {
        Self { dice: Dice::new(number), axes }
    }

    /// Position, velocity, and two limits.
    pub fn agent(&mut self) -> [f32; 8] {
        std::array::from_fn(|nth| match nth {
            0..3 => self.dice.between(0.0, 100.0),
            3..6 => self.dice.between(-4.0, 4.0),
            _ => self.dice.between(0.1, 5.0),
        })
    }

    fn name(&mut self, names: &[&str], kind: Kind) -> Tree {
        Tree::Leaf(self.dice.one_of(names).to_string(), kind)
    }

    fn call(&mut self, name: &'static str, kinds: &[Kind], depth: usize, names: &Names) -> Tree {
        let inputs = kinds.iter().map(|kind| self.made(*kind, depth - 1, names)).collect();
        Tree::Call(name, inputs)
    }

    fn pair(
        &mut self,
        operators: &[&'static str],
        kinds: [Kind; 2],
        depth: usize,
        names: &Names,
    ) -> Tree {
        let operator = self.dice.one_of(operators);
        let sides = kinds.map(|kind| self.made(kind, depth - 1, names));
        Tree::Pair(operator, Box::new(sides))
    }

    /// A formula over an agent alone.
    pub fn tree(&mut self, kind: Kind, depth: usize) -> Tree {
        let names = Names {
            numbers: &["max_speed", "max_force", "2", "0.5", "3.25", "10"],
            vectors: &["position", "velocity", "velocity", "zero"],
        };
        self.made(kind, depth, &names)
    }

    /// A sum over neighbours.
    pub fn sum(&mut self, kind: Kind) -> Tree {
        let names = Names {
            numbers: &["distance", "distance_squared", "other_speed", "max_speed", "radius", "0.5"],
            vectors: &["offset", "direction", "other_velocity", "velocity", "other_heading"],
        };
        self.made(kind, 3, &names)
    }

    /// The force of the rule of number `nth`, whose sums are numbers and vectors in turn.
    pub fn force_of_sums(&mut self, nth: usize) -> Tree {
        let names = match nth % 2 {
            0 => {
                Names { numbers: &["s0", "s2", "random(3)", "speed"], vectors: &["s1", "velocity"] }
            }
            _ => Names { numbers: &["s1", "gauss(7)", "tick"], vectors: &["s0", "s2", "heading"] },
        };
        let inner = self.made(Kind::Vector, 3, &names);
        Tree::Call("limit", vec![inner, Tree::Leaf("0.2".into(), Kind::Number)])
    }

    fn made(&mut self, kind: Kind, depth: usize, names: &Names) -> Tree {
        use Kind::{Number, Truth, Vector};
        let leaf = depth == 0 || self.dice.below(6) == 0;
        let choice = self.dice.below(12);
        match kind {
            Truth if depth == 0 => {
                let sides = [Number; 2].map(|kind| self.made(kind, 0, names));
                Tree::Pair("<", Box::new(sides))
            }
            Truth => match choice {
                0..3 => self.pair(&["and", "or"], [Truth; 2], depth, names),
                _ => self.pair(&["<", ">", "<=", ">=", "!="], [Number; 2], depth, names),
            },
            Number if leaf => self.name(names.numbers, Number),
            Vector if leaf => self.name(names.vectors, Vector),
            Number => match choice {
                0..4 => self.pair(&["+", "-", "*", "/"], [Number; 2], depth, names),
                4 => self.call("if", &[Truth, Number, Number], depth, names),
                5 => {
                    let name = self.dice.one_of(&["min", "max", "atan2"]);
                    self.call(name, &[Number; 2], depth, names)
                }
                6 => self.call("dot", &[Vector; 2], depth, names),
                7 => {
                    let name = self.dice.one_of(&["length", "x", "y"]);
                    self.call(name, &[Vector], depth, names)
                }
                8 => Tree::Negative(Box::new(self.made(Number, depth - 1, names))),
                9 => self.call("mix", &[Number; 3], depth, names),
                _ => {
                    let all = ["abs", "floor", "sqrt", "sin", "cos", "exp", "log"];
                    let name = self.dice.one_of(&all);
                    self.call(name, &[Number], depth, names)
                }
            },
            Vector => match choice {
                0..3 => self.pair(&["+", "-"], [Vector; 2], depth, names),
                3 => self.pair(&["*", "/"], [Vector, Number], depth, names),
                4 => self.pair(&["*"], [Number, Vector], depth, names),
                5 => self.call("if", &[Truth, Vector, Vector], depth, names),
                6 => self.call("with_length", &[Vector, Number], depth, names),
                7 => self.call("limit", &[Vector, Number], depth, names),
                8 => match self.axes {
                    2 => self.call("perp", &[Vector], depth, names),
                    _ => self.call("cross", &[Vector, Vector], depth, names),
                },
                9 => self.call("unit", &[Vector], depth, names),
                10 => {
                    let kinds = vec![Number; self.axes];
                    self.call("vector", &kinds, depth, names)
                }
                _ => Tree::Negative(Box::new(self.made(Vector, depth - 1, names))),
            },
        }
    }
}

/// The names that a formula may use.
struct Names {
    numbers: &'static [&'static str],
    vectors: &'static [&'static str],
}
