//! The single declaration of a metric: name, meaning, unit, axis and function.
//!
//! The columns of metrics files, the table of `docs/formats.md` and the window's plots all come from
//! it.

use super::Metrics;
use super::sums::Sums;

/// The axis of a metric's plot; it begins at 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// The window does not plot the metric.
    None,
    /// It ends at this value.
    To(f64),
    /// It ends at the largest value so far.
    ToLargest,
}

/// Needs of a metric beside the agents at one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricNeeds {
    /// Nothing else.
    State,
    /// A world with edges.
    Edges,
    /// How far each agent has come.
    Travels,
}

/// One metric of a flock.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Name of the column.
    pub name: &'static str,
    /// Its meaning, line by line, in Markdown.
    pub about: &'static [&'static str],
    /// Its formula in Markdown, or nothing.
    pub formula: &'static str,
    /// Unit, for documents; `–` if it has none.
    pub unit: &'static str,
    /// Its needs beside a state.
    pub needs: MetricNeeds,
    /// Its value, for a flock with at least one agent.
    pub(super) of: fn(&Sums<'_>) -> f64,
}

/// A metric that is a field of [`Metrics`].
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name and meaning.
    pub metric: Metric,
    /// Its plot.
    pub axis: Axis,
    /// Its value; parsing its text gives the same bits.
    pub value: fn(&Metrics) -> f64,
}

/// Declares the metrics. Each is a doc comment and a line `name: type => "formula", "unit", axis,
/// function;`, and behind `more`, without a field, `name => "formula", "unit", needs, function;`. The
/// function takes the sums over the flock.
macro_rules! metrics {
    (
        $(#[doc = $about:literal])+
        $name:ident of $sums:ty {
            $(
                $(#[doc = $doc:literal])*
                $field:ident : $type:ty => $formula:literal, $unit:literal, $axis:expr, $of:expr;
            )*
        }
        more {
            $(
                $(#[doc = $more_doc:literal])*
                $more:ident => $more_formula:literal, $more_unit:literal, $needs:expr,
                    $more_of:expr;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl $name {
            /// Its fields, in the order of the columns.
            pub const TABLE: &'static [Column] = &[
                $( Column {
                    metric: Metric {
                        name: stringify!($field),
                        about: &[$($doc),*],
                        formula: $formula,
                        unit: $unit,
                        needs: MetricNeeds::State,
                        of: |sums| {
                            let of: fn(&$sums) -> $type = $of;
                            of(sums) as f64
                        },
                    },
                    axis: $axis,
                    value: |metrics| metrics.$field as f64,
                }, )*
            ];

            /// Metrics outside the usual columns: they are computed only when they are named.
            pub const MORE: &'static [Metric] = &[
                $( Metric {
                    name: stringify!($more),
                    about: &[$($more_doc),*],
                    formula: $more_formula,
                    unit: $more_unit,
                    needs: $needs,
                    of: $more_of,
                }, )*
            ];

            fn of_sums(sums: &$sums) -> Self {
                if sums.state.is_empty() {
                    return Self { tick: sums.state.tick, ..Self::default() };
                }
                $( let $field: fn(&$sums) -> $type = $of; )*
                Self { $( $field: $field(sums) ),* }
            }
        }
    };
}
pub(super) use metrics;
