//! The single declaration of a parameter: key, default, unit, range and doc.
//!
//! From it come the scene file's key, the tables of `README.md`, the window's sliders, and (through
//! naga's reflection) the place where the shader reads it.

use super::real::Real;

/// Most species in one scene: a set of species fits a bit mask that `f32` holds exactly.
pub const MAX_SPECIES: usize = 16;

/// The set of all species, as a parameter's value.
pub const ALL_SPECIES: f32 = 65_535.0;

/// Which target a behaviour goes by: any of them, the nearest first.
pub const NEAREST_TARGET: f32 = -1.0;

/// What a parameter's value means. Values are stored as `f32`, whatever they mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// A number in the unit of the parameter.
    Number,
    /// An index into the scene's targets, or [`NEAREST_TARGET`].
    Target,
    /// A bit mask of species.
    SpeciesSet {
        /// True when the default is the agent's own species alone.
        own: bool,
    },
}

/// One parameter of a species or a behaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name in scene files, and of the member of the WGSL struct.
    pub key: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// What its value means.
    pub meaning: Meaning,
    /// Value when the scene does not say.
    pub default: f32,
    /// Unit, for people.
    pub unit: &'static str,
    /// Smallest and largest value allowed, both inclusive.
    pub range: (f32, f32),
}

impl Parameter {
    /// The member's name in WGSL: a trailing underscore keeps clear of WGSL's reserved words.
    #[must_use]
    pub fn member(&self) -> String {
        match self.key {
            "with" | "target" => format!("{}_", self.key),
            key => key.into(),
        }
    }
}

/// A struct of parameters whose values stand in a row of `f32`.
pub trait Parameters<R: Real> {
    /// The parameters, in the order of the struct's fields.
    const TABLE: &'static [Parameter];

    /// Builds the struct from `value(i)`, the value of `TABLE[i]`.
    fn read(value: impl Fn(usize) -> R) -> Self;
}

/// Declares a struct of parameters. One line a field:
/// `name: Meaning = default, "unit", smallest..=largest;` under its doc comment.
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident : $meaning:expr => $default:expr, $unit:literal, $low:expr, $high:expr;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name<R = f32> {
            $( $(#[doc = $doc])+ pub $field: R, )*
        }

        impl<R> $name<R> {
            /// What it does, in one sentence, from the doc comment.
            pub const ABOUT: &'static [&'static str] = &[$($about),+];
        }

        impl<R: $crate::model::real::Real> $crate::model::parameter::Parameters<R> for $name<R> {
            const TABLE: &'static [$crate::model::parameter::Parameter] = &[
                $( $crate::model::parameter::Parameter {
                    key: stringify!($field),
                    doc: concat!($($doc),+),
                    meaning: $meaning,
                    default: $default,
                    unit: $unit,
                    range: ($low, $high),
                }, )*
            ];

            #[inline(always)]
            fn read(value: impl Fn(usize) -> R) -> Self {
                let mut index = 0..;
                // The row of values is read front to back, one a field.
                let mut next = || value(index.next().unwrap_or_default());
                Self { $( $field: next() ),* }
            }
        }
    };
}
