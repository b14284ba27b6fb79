//! The table of a number that varies.

use super::fields::{Field, Fields, any, section, unit};
use super::key::{Key, MAX_EXTENT, Section, Values};
use super::reader::Reader;
use super::tree::Value;
use crate::parameter::Parameter;
use crate::scene::{Law, SceneError};

section! {
    /// A number of a body or a behaviour (except a field of view) may be a table, and then it
    /// varies. `{ base, amplitude, period }` is `base + amplitude · noise(tick/period)` with Perlin
    /// noise from −1 to 1, the same for all agents of the species. `{ base, grows_with_size }` is
    /// `base · (1 − e^(−size/s))` and `{ base, shrinks_with_size }` is `base · e^(−size/s)`. The
    /// base must be within the range of the key, and the result is clamped to it. With
    /// `{ from, to }` each agent draws its own number once, evenly between the two; it depends on the
    /// seed, the agent's id and the key. A value of a whole species uses `to`: the cells of the
    /// grid, the neighbours that a colour counts, the colour by speed. Each number follows one law;
    /// other numbers of the same species may follow other laws, but none may follow a `size` that
    /// is drawn.
    LAW "a number that varies" struct LawKeys (any) {
        /// The number that the law varies.
        base: Option<f32> = None, Values::OfTheKey => "the key's", "the key's";
        /// How far the noise moves it up or down.
        amplitude: Option<f32> = None, Values::Number(0.0, MAX_EXTENT) => "none", "the key's";
        /// Ticks in which the noise changes much.
        period: Option<f32> = None, Values::Number(1.0, 1e9) => "100", "ticks";
        /// The size s.
        grows_with_size: Option<f32> = None, Values::Number(1e-3, MAX_EXTENT) => "none", "world units";
        /// The size s.
        shrinks_with_size: Option<f32> = None, Values::Number(1e-3, MAX_EXTENT) => "none", "world units";
        /// The smallest number that an agent may draw.
        from: Option<f32> = None, Values::OfTheKey => "none", "the key's";
        /// The largest; not below `from`.
        to: Option<f32> = None, Values::OfTheKey => "none", "the key's";
    }
}

/// Default of `period`: ticks in which the noise changes much.
const PERIOD: f32 = 100.0;

impl LawKeys {
    /// The table of a number with this base and `law`.
    #[must_use]
    pub fn from_law(base: f32, law: Law) -> Self {
        let around = Self { base: Some(base), ..Self::default() };
        match law {
            Law::Noise { amplitude, period } => {
                Self { amplitude: Some(amplitude), period: Some(period), ..around }
            }
            Law::GrowsWithSize { scale } => Self { grows_with_size: Some(scale), ..around },
            Law::ShrinksWithSize { scale } => Self { shrinks_with_size: Some(scale), ..around },
            Law::PerAgent { from } => Self { from: Some(from), to: Some(base), ..Self::default() },
        }
    }

    /// The defaults of the table's keys, for a number whose default is `base`.
    #[must_use]
    pub fn unwritten(base: f32) -> Self {
        Self { base: Some(base), period: Some(PERIOD), ..Self::default() }
    }
}

/// A base value and its law: `{ base, amplitude, period }`, `{ base, grows_with_size }`, `{ base,
/// shrinks_with_size }` or `{ from, to }`.
pub fn law(table: &Reader, parameter: &Parameter) -> Result<(f32, Law), SceneError> {
    let mut keys = LawKeys::default();
    for (key, value) in table.section(&LAW)? {
        keys.read_key(&key.for_parameter(parameter), &value)?;
    }
    let LawKeys { base, amplitude, period, grows_with_size, shrinks_with_size, from, to } = keys;
    let noise = |amplitude| Law::Noise { amplitude, period: period.unwrap_or(PERIOD) };
    let laws: Vec<Law> = [
        grows_with_size.map(|scale| Law::GrowsWithSize { scale }),
        shrinks_with_size.map(|scale| Law::ShrinksWithSize { scale }),
        amplitude.map(noise),
    ]
    .into_iter()
    .flatten()
    .collect();
    if from.is_some() || to.is_some() {
        let (Some(from), Some(to)) = (from, to) else {
            let problem = "`from` and `to` belong together, as in { from = 2, to = 4 }: each agent \
                           draws a number between them";
            return Err(table.fail(problem));
        };
        if !laws.is_empty() || base.is_some() || period.is_some() {
            let problem = "a number is drawn for each agent or follows a law, not both; remove \
                           `from` and `to`, or all other keys";
            return Err(table.fail(problem));
        }
        if from > to {
            let problem = format!("`from` is {from}, which is above `to`, {to}; exchange them");
            return Err(table.fail(problem));
        }
        return Ok((to, Law::PerAgent { from }));
    }
    let base = base.unwrap_or(parameter.default);
    match laws[..] {
        [Law::GrowsWithSize { .. } | Law::ShrinksWithSize { .. }] if parameter.key == "size" => {
            Err(table.fail("a size cannot depend on itself; write a number"))
        }
        [law] => Ok((base, law)),
        _ => Err(table.fail(
            "expected one law: { base, amplitude, period } for noise in time, { base, \
             grows_with_size } or { base, shrinks_with_size } with a size in world units, or { from, \
             to } for a number that each agent draws",
        )),
    }
}
