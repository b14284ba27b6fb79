//! Rules in text as WGSL: one operation a `let`, in the order of the program. No name of the scene file is
//! in it.

use flockwork_model::formula::{Formula, Given, Operation, Program};
use flockwork_model::random::FIRST_OF_RULES;

/// The letters of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The member of a rule's parameters that is 0, which no compiler knows.
pub const ZERO: &str = "zero_bits";

/// For each operation whether its result must be hidden from compilers.
///
/// They may compute `(x * 2) * y` as `(x * y) * 2`, or `a * b + a * c` as `a * (b + c)`: WGSL has no
/// word against it, and a result would then differ in its last bit from the CPU's. So each result of an
/// addition or multiplication that another operation could be merged with goes through integers.
/// Scalar products of different vectors have no other order, and stay as they are.
fn hidden(program: &Program) -> Vec<bool> {
    let operations = &program.operations[..];
    let of = |id: u32| operations[id as usize];
    let is_constant = |id: u32| matches!(of(id), Operation::Constant(_));
    let factors = |id: u32| match of(id) {
        Operation::Multiply(a, b) if !is_constant(a) && !is_constant(b) => Some([a, b]),
        _ => None,
    };
    // The sums of products whose factors all differ, but for squares.
    let mut products: Vec<Option<Vec<u32>>> = Vec::with_capacity(operations.len());
    for (number, operation) in operations.iter().enumerate() {
        let of_product = factors(number as u32).map(|factors| factors.to_vec());
        products.push(of_product.or_else(|| match *operation {
            Operation::Add(a, b) => {
                let (one, other) = (products[a as usize].as_ref()?, products[b as usize].as_ref()?);
                let differ = one.iter().all(|factor| !other.contains(factor));
                differ.then(|| one.iter().chain(other).copied().collect())
            }
            _ => None,
        }));
    }
    let mut hidden = vec![false; operations.len()];
    for (number, operation) in operations.iter().enumerate() {
        let merges = match operation {
            Operation::Add(..) => products[number].is_none(),
            Operation::Subtract(..)
            | Operation::Multiply(..)
            | Operation::Negate(_)
            | Operation::Choose(..) => true,
            _ => false,
        };
        for input in operation.inputs().filter(|_| merges) {
            use Operation::{Add, Multiply, Subtract};
            hidden[input as usize] |= matches!(of(input), Add(..) | Subtract(..) | Multiply(..));
        }
        // The product of two roots could become the root's own input.
        if let Operation::Multiply(a, b) | Operation::Divide(a, b) = *operation
            && [a, b].into_iter().all(|id| matches!(of(id), Operation::Root(_)))
        {
            hidden[a as usize] = true;
        }
    }
    hidden
}

/// The operations of a program. `given` are the texts of its inputs, `zero` the text of a hidden 0.
fn printed(program: &Program, zero: &str, given: impl Fn(Given) -> String) -> String {
    let mut text = String::new();
    let hidden = hidden(program);
    for (number, operation) in program.operations.iter().enumerate() {
        let value = match *operation {
            Operation::Constant(bits) => number_text(f32::from_bits(bits)),
            Operation::Truth(truth) => truth.to_string(),
            Operation::Given(input) => given(input),
            Operation::Add(a, b) => format!("v{a} + v{b}"),
            Operation::Subtract(a, b) => format!("v{a} - v{b}"),
            Operation::Multiply(a, b) => format!("v{a} * v{b}"),
            Operation::Divide(a, b) => format!("v{a} / v{b}"),
            Operation::Negate(a) => format!("-v{a}"),
            Operation::Root(a) => format!("sqrt(v{a})"),
            Operation::Floor(a) => format!("floor(v{a})"),
            Operation::Less(a, b) => format!("v{a} < v{b}"),
            Operation::Equal(a, b) => format!("v{a} == v{b}"),
            Operation::Choose(condition, a, b) => format!("select(v{b}, v{a}, v{condition})"),
        };
        text += &match hidden[number] {
            true => format!("    let v{number} = bitcast<f32>(bitcast<u32>({value}) ^ {zero});\n"),
            false => format!("    let v{number} = {value};\n"),
        };
    }
    text
}

/// A number with all its digits, in WGSL. A formula has no infinite constants.
fn number_text(number: f32) -> String {
    // The digits of an f64, because that is what compilers read first.
    format!("f32({:e})", f64::from(number))
}

/// The text of an input that belongs to the agent, in the struct `agent`.
fn of_agent(given: Given, number: usize, formula: &Formula) -> String {
    match given {
        Given::MaxSpeed => "max_speed".into(),
        Given::MaxForce => "max_force".into(),
        Given::Size => "size".into(),
        Given::Parameter(index) => format!("rule{number}.{}", formula.parameters[index].member()),
        _ => String::new(),
    }
}

/// The module of rule `number`.
pub fn module(formula: &Formula, number: usize, axes: usize, several_species: bool) -> String {
    let members = formula.parameters.iter().map(|parameter| {
        let of_type = if parameter.key == "with" { "u32" } else { "f32" };
        format!("    {}: {of_type},\n", parameter.member())
    });
    let mut text = format!(
        "import package::clock::clock;\nimport package::flock::flock;\n\
         import package::random::{{draw, spread_direction}};\nimport package::rules::Species;\n\
         import package::space::Vector;\nimport package::vehicle::{{Agent, Neighbour, allowed}};\n\n\
         struct Parameters {{\n{}    {ZERO}: u32,\n}}\n\n",
        members.collect::<String>()
    );
    let sums = formula.sums.results.len();
    let zero = format!("species.rule{number}.{ZERO}");
    if formula.sees_neighbours() {
        let members: String = (0..sums).map(|sum| format!("    s{sum}: f32,\n")).collect();
        text += &format!("struct Sums {{\n{members}}}\n\n");
        let operations = printed(&formula.sums, &zero, |given| match given {
            Given::Offset(axis) => format!("neighbour.offset.{}", AXES[axis]),
            Given::DistanceSquared => "neighbour.distance_squared".into(),
            Given::OtherVelocity(axis) => format!("neighbour.velocity.{}", AXES[axis]),
            Given::OtherSpecies if several_species => {
                "f32(firstTrailingBit(neighbour.species))".into()
            }
            Given::OtherSpecies => "0.0".into(),
            Given::Position(axis) => format!("neighbour.own_position.{}", AXES[axis]),
            Given::Velocity(axis) => format!("neighbour.own_velocity.{}", AXES[axis]),
            Given::Tick => "f32(clock)".into(),
            other => format!("species.{}", of_agent(other, number, formula)),
        });
        let inner = match formula.text.has_inner {
            true => format!(
                " && !(neighbour.distance_squared < species.rule{number}.inner * species.rule{number}.inner)"
            ),
            false => String::new(),
        };
        let adds = formula.sums.results.iter().enumerate().map(|(sum, result)| {
            format!(
                "        select(sums.s{sum}, sums.s{sum} + v{result} * neighbour.share, seen),\n"
            )
        });
        text += &format!(
            "fn observe(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {{\n{operations}    \
             let seen = neighbour.share > 0.0{inner};\n    return Sums(\n{}    );\n}}\n\n",
            adds.collect::<String>()
        );
    }
    let operations = printed(&formula.force, &zero, |given| match given {
        Given::Position(axis) => format!("agent.position.{}", AXES[axis]),
        Given::Velocity(axis) => format!("agent.velocity.{}", AXES[axis]),
        Given::Sum(sum) => format!("sums.s{sum}"),
        Given::Tick => "f32(clock)".into(),
        Given::Spread(axis) => format!("spread_direction(agent.id).{}", AXES[axis]),
        Given::Random(draw) => {
            format!("draw(flock.seed, agent.id, clock, {}u)", FIRST_OF_RULES + draw)
        }
        Given::Parameter(_) => format!("species.{}", of_agent(given, number, formula)),
        other => format!("agent.{}", of_agent(other, number, formula)),
    });
    let results: Vec<String> =
        formula.force.results[..axes].iter().map(|v| format!("v{v}")).collect();
    let sums = if formula.sees_neighbours() { ", sums: Sums" } else { "" };
    text += &format!(
        "fn force(species: Species, agent: Agent{sums}) -> Vector {{\n{operations}    \
         return allowed(agent, Vector({}));\n}}\n",
        results.join(", ")
    );
    text
}
