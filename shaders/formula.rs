//! Rules in text as WGSL: one operation a `let`, in the order of the program. No name of the scene file is
//! in it.

use std::collections::HashSet;

use flockwork_model::formula::{Formula, Given, Operation, Program};
use flockwork_model::kept::KeptNames;
use flockwork_model::parameter::Meaning;
use flockwork_model::random::FIRST_OF_RULES;

/// The letters of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The member of a rule's parameters that is 0, which no compiler knows.
pub const ZERO: &str = "zero_bits";

/// The member of a rule's parameters that is 1 for species with the rule, if their agents keep numbers for it.
pub const KEEPS: &str = "keeps_bits";

/// For each operation whether its result must be hidden from compilers.
///
/// They may compute `(x * 2) * y` as `(x * y) * 2`, `a * b + a * c` as `a * (b + c)`, `√x · √x` as `x`,
/// `1 / (1 / x)` as `x`, and `x * 0` as 0, even of a NaN: WGSL has no word against it, and a result would
/// then differ from the CPU's. So what another operation could be merged with goes through integers, and
/// so do constants. Scalar products of different vectors have no other order, and stay as they are; so do
/// quotients of what stands in no product with their own divisor.
fn hidden(program: &Program) -> Vec<bool> {
    use Operation::{
        Add, Choose, Constant, Divide, Floor, Given, Multiply, Negate, Root, Subtract,
    };
    let operations = &program.operations[..];
    let of = |id: u32| operations[id as usize];
    let products = scalar_products(operations);
    let mut hidden = vec![false; operations.len()];
    for (number, operation) in operations.iter().enumerate() {
        if !matches!(
            operation,
            Add(..) | Subtract(..) | Multiply(..) | Divide(..) | Root(_) | Floor(_)
        ) {
            continue;
        }
        for input in operation.inputs() {
            // The compiler looks through signs and choices.
            let (mut behind, mut seen) = (vec![input], HashSet::new());
            while let Some(id) = behind.pop() {
                if !seen.insert(id) {
                    continue;
                }
                match of(id) {
                    Negate(a) => behind.push(a),
                    Choose(_, a, b) => behind.extend([a, b]),
                    _ => {}
                }
                let is_plain = |other: u32| matches!(of(other), Given(_));
                let stays = match (of(id), *operation) {
                    (Multiply(..) | Add(..), Add(..)) if id == input => products[number].is_some(),
                    (Divide(..), Multiply(a, b)) => {
                        let other = if a == input { b } else { a };
                        is_plain(other) && of(id).inputs().all(|own| own != other)
                    }
                    (Root(own), Divide(a, b)) => {
                        b == input && a != own && (is_plain(a) || matches!(of(a), Constant(_)))
                    }
                    (
                        Constant(_) | Add(..) | Subtract(..) | Multiply(..) | Divide(..) | Root(_),
                        _,
                    ) => {
                        matches!(operation, Root(_) | Floor(_))
                            && !matches!(of(id), Constant(_) | Root(_))
                    }
                    _ => true,
                };
                hidden[id as usize] |= !stays;
            }
        }
    }
    hidden
}

/// For each operation that is a product, or a sum of products, of factors that all differ, but for squares:
/// the factors. A product with a constant is none.
fn scalar_products(operations: &[Operation]) -> Vec<Option<Vec<u32>>> {
    let is_constant = |id: u32| matches!(operations[id as usize], Operation::Constant(_));
    let mut products: Vec<Option<Vec<u32>>> = Vec::with_capacity(operations.len());
    for operation in operations {
        products.push(match *operation {
            Operation::Multiply(a, b) if !is_constant(a) && !is_constant(b) => Some(vec![a, b]),
            Operation::Add(a, b) => products[a as usize]
                .as_ref()
                .zip(products[b as usize].as_ref())
                .and_then(|(one, other)| {
                    let differ = one.iter().all(|factor| !other.contains(factor));
                    differ.then(|| one.iter().chain(other).copied().collect())
                }),
            _ => None,
        });
    }
    products
}

/// The operations of a program. `given` are the texts of its inputs, `zero` the text of a hidden 0.
fn printed(program: &Program, zero: &str, given: impl Fn(Given) -> String) -> String {
    let mut text = String::new();
    let hidden = hidden(program);
    let hide = |value: &str| format!("bitcast<f32>(bitcast<u32>({value}) ^ {zero})");
    // Of `x - x` and `x / x` one side is hidden, and the other is not.
    let twice = |a: u32, b: u32| if a == b { hide(&format!("v{a}")) } else { format!("v{a}") };
    for (number, operation) in program.operations.iter().enumerate() {
        let value = match *operation {
            Operation::Constant(bits) => match f64::from(f32::from_bits(bits)) {
                // All digits of an f64, because that is what compilers read first.
                number if number.is_finite() => format!("f32({number:e})"),
                // WGSL has no word for it, and forbids constants that have its bits.
                _ => format!("bitcast<f32>({bits}u ^ {zero})"),
            },
            Operation::Truth(truth) => truth.to_string(),
            Operation::Given(input) => given(input),
            Operation::Add(a, b) => format!("v{a} + v{b}"),
            Operation::Subtract(a, b) => format!("{} - v{b}", twice(a, b)),
            Operation::Multiply(a, b) => format!("v{a} * v{b}"),
            Operation::Divide(a, b) => format!("{} / v{b}", twice(a, b)),
            Operation::Negate(a) => format!("-v{a}"),
            Operation::Root(a) => format!("sqrt(v{a})"),
            Operation::Floor(a) => format!("floor(v{a})"),
            Operation::Less(a, b) => format!("v{a} < v{b}"),
            Operation::Equal(a, b) => format!("v{a} == v{b}"),
            Operation::Choose(condition, a, b) => format!("select(v{b}, v{a}, v{condition})"),
        };
        let value = if hidden[number] { hide(&value) } else { value };
        text += &format!("    let v{number} = {value};\n");
    }
    text
}

/// For each operation whether its result is finite, whatever the neighbour: places, velocities and parameters are.
fn finite(program: &Program) -> Vec<bool> {
    let mut finite: Vec<bool> = Vec::with_capacity(program.operations.len());
    for operation in &program.operations {
        finite.push(match *operation {
            Operation::Constant(bits) => f32::from_bits(bits).is_finite(),
            Operation::Given(Given::DistanceSquared | Given::Kept(_) | Given::OtherKept(_)) => {
                false
            }
            Operation::Given(_) => true,
            Operation::Negate(a) => finite[a as usize],
            Operation::Choose(_, a, b) => finite[a as usize] && finite[b as usize],
            _ => false,
        });
    }
    finite
}

/// A sum with a neighbour in it. One that is not heard has a share of 0, which leaves a sum as it is unless the
/// neighbour's number is infinite or none.
fn added(program: &Program, sum: usize, finite: &[bool]) -> String {
    let result = program.results[sum] as usize;
    let ones = program.operations[result] == Operation::Constant(1.0_f32.to_bits());
    let number = if ones { "share".into() } else { format!("v{result} * share") };
    match finite[result] {
        true => format!("sums.s{sum} + {number}"),
        false => format!("select(sums.s{sum}, sums.s{sum} + {number}, share > 0.0)"),
    }
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
pub fn module(
    formula: &Formula,
    number: usize,
    (axes, several_species): (usize, bool),
    names: KeptNames,
) -> String {
    let kept = |index: usize| {
        let place = names.place(formula.states[index]).unwrap_or_default();
        ["x", "y", "z", "w"][place.min(3)]
    };
    let members = formula.parameters.iter().map(|parameter| {
        let is_whole = matches!(parameter.meaning, Meaning::Nearest | Meaning::SpeciesSet { .. });
        let of_type = if is_whole { "u32" } else { "f32" };
        format!("    {}: {of_type},\n", parameter.member())
    });
    let mut text = format!(
        "import package::clock::clock;\nimport package::flock::flock;\n\
         import package::random::{{draw, spread_direction}};\nimport package::rules::Species;\n\
         import package::space::Vector;\nimport package::total::total;\n\
         import package::vehicle::{{Agent, Neighbour, allowed}};\n\n\
         struct Parameters {{\n{}    {ZERO}: u32,\n{}}}\n\n",
        members.collect::<String>(),
        if formula.states.is_empty() { String::new() } else { format!("    {KEEPS}: u32,\n") }
    );
    let sums = formula.sums.results.len();
    let zero = format!("species.rule{number}.{ZERO}");
    if formula.sees_neighbours() {
        let members: String = (0..sums).map(|sum| format!("    s{sum}: f32,\n")).collect();
        text += &format!("struct Sums {{\n{members}}}\n\n");
        let operations = printed(&formula.sums, &zero, |given| match given {
            Given::Offset(axis) => format!("neighbour.offset.{}", AXES[axis]),
            Given::DistanceSquared => "neighbour.distance_squared".into(),
            Given::OtherPosition(axis) => format!("neighbour.place.{}", AXES[axis]),
            Given::OtherVelocity(axis) => format!("neighbour.velocity.{}", AXES[axis]),
            Given::OtherSpecies if several_species => {
                "f32(firstTrailingBit(neighbour.species))".into()
            }
            Given::OtherSpecies => format!("bitcast<f32>({zero})"),
            Given::InSet(place) => {
                let set = formula.parameters[formula.sets[place]].member();
                let species = if several_species { "neighbour.species" } else { "1u" };
                format!("f32((species.rule{number}.{set} & {species}) != 0u)")
            }
            Given::OtherSize => "neighbour.size".into(),
            Given::MaxForce => {
                "select(species.max_force, species.max_speed, species.motion == 1u)".into()
            }
            Given::OtherKept(index) => format!("neighbour.kept.{}", kept(index)),
            Given::Kept(index) => format!("neighbour.own_kept.{}", kept(index)),
            Given::Position(axis) => format!("neighbour.own_position.{}", AXES[axis]),
            Given::Velocity(axis) => format!("neighbour.own_velocity.{}", AXES[axis]),
            Given::Tick => "f32(clock)".into(),
            other => format!("species.{}", of_agent(other, number, formula)),
        });
        let mut share = "neighbour.share".to_string();
        if formula.text.has_inner {
            let near = format!("species.rule{number}.inner * species.rule{number}.inner");
            share = format!("select({share}, 0.0, neighbour.distance_squared < {near})");
        }
        let finite = finite(&formula.sums);
        let adds: String = (0..sums)
            .map(|sum| format!("        {},\n", added(&formula.sums, sum, &finite)))
            .collect();
        text += &format!(
            "fn observe(species: Species, neighbour: Neighbour, sums: Sums) -> Sums {{\n{operations}    \
             let share = {share};\n    return Sums(\n{adds}    );\n}}\n\n"
        );
    }
    if formula.is_separable() {
        let each =
            |text: &dyn Fn(usize) -> String| (0..sums).map(text).collect::<Vec<_>>().join(", ");
        text += &format!(
            "fn added_up(sums: Sums, lane: u32) -> Sums {{\n    return Sums({});\n}}\n\n",
            each(&|sum| format!("total(sums.s{sum}, lane)"))
        );
        text += &format!(
            "fn without(all: Sums, part: Sums) -> Sums {{\n    return Sums({});\n}}\n\n",
            each(&|sum| format!("all.s{sum} - part.s{sum}"))
        );
    }
    let of_force = |given| match given {
        Given::Position(axis) => format!("agent.position.{}", AXES[axis]),
        Given::Velocity(axis) => format!("agent.velocity.{}", AXES[axis]),
        Given::Sum(sum) => format!("sums.s{sum}"),
        Given::Tick => "f32(clock)".into(),
        Given::Spread(axis) => format!("spread_direction(agent.id).{}", AXES[axis]),
        Given::Random(draw) => {
            format!("draw(flock.seed, agent.id, clock, {}u)", FIRST_OF_RULES + draw)
        }
        Given::Parameter(_) => format!("species.{}", of_agent(given, number, formula)),
        Given::Kept(index) => format!("agent.kept.{}", kept(index)),
        other => format!("agent.{}", of_agent(other, number, formula)),
    };
    let operations = printed(&formula.force, &zero, of_force);
    let results: Vec<String> =
        formula.force.results[..axes].iter().map(|v| format!("v{v}")).collect();
    let sums = if formula.sees_neighbours() { ", sums: Sums" } else { "" };
    text += &format!(
        "const BIT = {}u;\n\nfn force(species: Species, agent: Agent, \
         broken: ptr<function, bool>{sums}) -> Vector {{\n{operations}    \
         *broken = !v{} && species.rule{number}.weight != 0.0;\n    \
         return allowed(agent, Vector({}));\n}}\n",
        1_u32 << number,
        formula.force.results[axes],
        results.join(", ")
    );
    let next = formula.next.results.iter().enumerate().map(|(index, result)| {
        let place = kept(index);
        let has = format!("species.rule{number}.{KEEPS} == 1u");
        format!("    next.{place} = select(next.{place}, v{result}, {has});\n")
    });
    text += &format!(
        "\nfn keep(species: Species, agent: Agent{sums}) -> vec4<f32> {{\n    \
         var next = agent.next_kept;\n{}{}    return next;\n}}\n",
        printed(&formula.next, &zero, of_force),
        next.collect::<String>()
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::scene::Scene;

    /// The texts of the sums of a rule with one sum, the number of neighbours last.
    fn sums(text: &str) -> Vec<String> {
        let text = format!(
            "[species.a]\nrules.r = {{ radius = 9, sum = {{ s = '{text}' }}, \
             state = {{ k = 'k + 1' }}, force = 's * neighbours * velocity' }}"
        );
        let scene = Scene::parse("test", &text).unwrap();
        let program = &scene.formulas()[0].sums;
        let finite = finite(program);
        (0..program.results.len()).map(|sum| added(program, sum, &finite)).collect()
    }

    #[test]
    fn only_numbers_that_may_be_infinite_are_added_by_choice() {
        for (text, is_finite) in [
            ("x(other_velocity)", true),
            ("if(distance_squared > 4, 2, -x(offset))", true),
            ("1 / distance_squared", false),
            ("distance_squared", false),
            ("x(offset) * x(offset)", false),
            ("other_k", false),
        ] {
            let sums = sums(text);
            assert_eq!(!sums[0].starts_with("select("), is_finite, "{text}: {}", sums[0]);
            assert_eq!(sums[1], "sums.s1 + share", "{text}");
        }
    }

    /// The operations of a rule without neighbours.
    fn force(text: &str) -> String {
        let text = format!("[species.a]\nrules.r.force = '{text}'");
        let scene = Scene::parse("test", &text).unwrap();
        printed(&scene.formulas()[0].force, "zero", |_| "input".into())
    }

    #[test]
    fn numbers_without_a_word_are_printed_by_their_bits() {
        for (text, bits) in [
            ("limit(velocity, 1e20)", f32::INFINITY.to_bits()),
            ("vector(-3e38, 0) * 2", f32::NEG_INFINITY.to_bits()),
        ] {
            let printed = force(text);
            let number = format!(" = bitcast<f32>({bits}u ^ zero);");
            assert!(printed.contains(&number), "{text}: {printed}");
            assert!(!printed.contains("inf"), "{text}: {printed}");
        }
    }

    #[test]
    fn nested_choices_are_printed() {
        let nested = format!("velocity * {}speed{}", "abs(".repeat(40), ")".repeat(40));
        assert!(force(&nested).matches("select(").count() > 40);
    }
}
