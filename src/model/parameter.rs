//! The single declaration of a parameter: key, default, unit, range and doc.
//!
//! The scene file's key, the tables of `docs/behaviours.md`, the window's sliders and (through naga's
//! reflection) the shader's offset all come from it.

use super::real::Real;

/// The most species in one scene: a set of species is a bit mask, and `f32` holds this many bits
/// exactly.
pub const MAX_SPECIES: usize = 16;

/// The set of all species, as a parameter's value.
pub const ALL_SPECIES: f32 = 65_535.0;

/// Value of a target parameter: the nearest of all targets.
pub const NEAREST_TARGET: f32 = -1.0;

/// Value of a target parameter: no target. Only behaviours that also work without one accept it.
pub const NO_TARGET: f32 = -2.0;

/// The most neighbours that a behaviour can choose.
pub const MAX_NEAREST: f32 = 16.0;

/// Value of a number of nearest neighbours: all within the radius.
pub const ALL_NEIGHBOURS: f32 = 0.0;

/// Value of a number of nearest neighbours: any one of those within the radius, drawn in each tick. Files call it
/// `pick = "one"`.
pub const PICK_ONE: f32 = MAX_NEAREST + 1.0;

/// Value of a path parameter: the nearest of all paths.
pub const NEAREST_PATH: f32 = -1.0;

/// The meaning of a parameter's value. Every value is stored as `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// A number in the unit of the parameter.
    Number,
    /// An angle in degrees; engines read turns.
    Angle,
    /// The full angle that an agent sees, in degrees around its heading; engines read the cosine of
    /// half of it, or [`SEES_ALL`] for the full circle.
    FieldOfView,
    /// An index into these names.
    Choice(&'static [&'static str]),
    /// An index into the scene's targets, [`NEAREST_TARGET`] or [`NO_TARGET`].
    Target,
    /// An index into the scene's paths, or [`NEAREST_PATH`].
    Path,
    /// A whole number of neighbours: the nearest ones, up to [`MAX_NEAREST`], [`ALL_NEIGHBOURS`] or [`PICK_ONE`].
    Nearest,
    /// A bit mask of species.
    SpeciesSet {
        /// True if the default is only the agent's own species.
        own: bool,
    },
}

/// One parameter of a species or a behaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Name in scene files, and name of the WGSL struct's member.
    pub key: &'static str,
    /// Its effect, in one sentence.
    pub doc: &'static str,
    /// The meaning of its value.
    pub meaning: Meaning,
    /// Value if the scene does not give one.
    pub default: f32,
    /// Unit, for documents and messages.
    pub unit: &'static str,
    /// Smallest and largest value allowed, both inclusive.
    pub range: (f32, f32),
}

/// The value that engines read for a field of view of 360 degrees: smaller than any cosine.
pub const SEES_ALL: f32 = -2.0;

/// Degrees of the full circle.
pub const FULL_CIRCLE: f32 = 360.0;

/// Windows and pictures show a parameter of this size as unlimited; world units.
pub const UNLIMITED: f32 = 1e9;

impl Parameter {
    /// The engines' encoding of a value in a scene file.
    #[must_use]
    pub fn encoded(&self, value: f32) -> f32 {
        match self.meaning {
            Meaning::Angle => value / FULL_CIRCLE,
            Meaning::FieldOfView if value >= FULL_CIRCLE => SEES_ALL,
            Meaning::FieldOfView => (f64::from(value) / 2.0).to_radians().cos() as f32,
            _ => value,
        }
    }

    /// True for a quantity, which may vary; false for a choice among names.
    #[must_use]
    pub fn is_quantity(&self) -> bool {
        matches!(self.meaning, Meaning::Number | Meaning::Angle)
    }

    /// The member's name in WGSL: a trailing underscore avoids WGSL's reserved words.
    #[must_use]
    pub fn member(&self) -> String {
        match self.key {
            "with" | "target" => format!("{}_", self.key),
            // The path of a rule's own parameter. A name of a species in it may have any letters.
            key => match key.split_once('.') {
                Some((_, name)) if name.contains('.') => {
                    let plain = |c: char| match c.is_ascii_alphanumeric() {
                        true => c.to_string(),
                        false => format!("_{:x}_", u32::from(c)),
                    };
                    format!("by_species_{}", name.chars().map(plain).collect::<String>())
                }
                _ => key.replace('.', "_"),
            },
        }
    }
}

/// A struct of parameters whose values are stored in a row of `f32`.
pub trait Parameters<R: Real> {
    /// The parameters, in the order of the struct's fields.
    const TABLE: &'static [Parameter];

    /// Builds the struct from `value(i)`, the value of `TABLE[i]`.
    fn read(value: impl Fn(usize) -> R) -> Self;
}

/// Declares a struct of parameters. Each field is a doc comment and a line `name: Meaning =>
/// default, "unit", smallest, largest;`.
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
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name<R = f32> {
            $( $(#[doc = $doc])+ pub $field: R, )*
        }

        impl<R: Copy> $name<R> {
            /// Its effect, in one sentence, from the doc comment.
            pub const ABOUT: &'static [&'static str] = &[$($about),+];

            /// Number of parameters.
            pub const COUNT: usize = [$(stringify!($field)),*].len();

            /// The values, in the order of the table.
            #[inline(always)]
            pub fn values(self) -> [R; [$(stringify!($field)),*].len()] {
                [$( self.$field ),*]
            }
        }

        impl<R: $crate::real::Real> $crate::parameter::Parameters<R> for $name<R> {
            const TABLE: &'static [$crate::parameter::Parameter] = &[
                $( $crate::parameter::Parameter {
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
                // Fields read the row of values in order.
                let mut next = || value(index.next().unwrap_or_default());
                Self { $( $field: next() ),* }
            }
        }
    };
}
