//! What a parameter's row says, and the ends of its slider.

use flockwork_model::parameter::{FULL_CIRCLE, Meaning, Parameter, UNLIMITED};
use flockwork_model::scene::Law;

/// A slider runs from 0 to this many times the value at the start.
const REACH: f32 = 4.0;

/// The ends of a parameter's slider. `start` is its value at the start.
#[must_use]
pub fn reach(parameter: &Parameter, start: f32) -> (f32, f32) {
    let (low, high) = parameter.range;
    // The range of an angle suits a slider.
    if matches!(parameter.meaning, Meaning::Angle | Meaning::FieldOfView) {
        return (low, high.min(FULL_CIRCLE));
    }
    let scale = [start, parameter.default].map(f32::abs).into_iter();
    let scale = scale.filter(|scale| *scale < UNLIMITED).fold(0.0, f32::max);
    let scale = if scale > 0.0 { scale } else { no_scale(parameter) };
    (low.max(if low < 0.0 { -REACH * scale } else { 0.0 }), high.min(REACH * scale))
}

/// The scale of a parameter that is off or unlimited by default.
fn no_scale(parameter: &Parameter) -> f32 {
    match parameter.unit {
        "world units" => 100.0,
        "1/tick" => 0.05,
        _ => 0.25,
    }
}

/// Describes a law in words.
#[must_use]
pub fn law_in_words(law: Law) -> String {
    match law {
        Law::Noise { amplitude, period } => {
            format!("± {amplitude} by noise that changes in {period} ticks")
        }
        Law::GrowsWithSize { scale } => format!("times 1 − e^(−size/{scale})"),
        Law::ShrinksWithSize { scale } => format!("times e^(−size/{scale})"),
        Law::PerAgent { from } => format!("from {from} to the base, drawn by each agent"),
    }
}

/// The sentence of a parameter, with its unit, its range and its default.
#[must_use]
pub fn about(parameter: &Parameter) -> String {
    let doc = parameter.doc.trim();
    if !matches!(parameter.meaning, Meaning::Number | Meaning::Angle | Meaning::FieldOfView) {
        return doc.into();
    }
    let unit = match parameter.unit {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let (low, high) = parameter.range;
    let [low, high, default] = [low, high, parameter.default].map(|end| shown(end.into(), 4));
    format!("{doc}\nFrom {low} to {high}{unit}; {default} by default.")
}

/// What a behaviour does, with its formula and its sources.
#[must_use]
pub fn story(about: &[&str]) -> String {
    let lines = about.iter().map(|line| line.trim());
    // An empty line ends a paragraph; the others are broken for the source file alone.
    let mut text = String::new();
    for line in lines {
        match line {
            "" => text += "\n\n",
            line if text.is_empty() || text.ends_with('\n') => text += line,
            line => text += &format!(" {line}"),
        }
    }
    text
}

/// A number, as short as possible.
#[must_use]
pub fn shown(value: f64, decimals: usize) -> String {
    if value >= f64::from(UNLIMITED) {
        return "any".into();
    }
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::behaviours::Kind;

    #[test]
    fn every_slider_holds_its_value_and_stays_in_range() {
        let quantity = |p: &&Parameter| {
            matches!(p.meaning, Meaning::Number | Meaning::Angle | Meaning::FieldOfView)
        };
        for kind in Kind::ALL {
            for parameter in kind.info().parameters.iter().filter(quantity) {
                for start in [0.0, parameter.default, parameter.range.1.min(1e3)] {
                    let start = start.clamp(parameter.range.0, parameter.range.1);
                    let (low, high) = reach(parameter, start);
                    // An unlimited value stands as a number beside its slider.
                    assert!(low <= start && (start <= high || start >= UNLIMITED), "{parameter:?}");
                    assert!(low < high && high < UNLIMITED, "{parameter:?}");
                    assert!(parameter.range.0 <= low && high <= parameter.range.1);
                }
            }
        }
    }

    #[test]
    fn numbers_are_short_and_unlimited_distances_are_words() {
        let texts = [0.0, 1.5, 100.0, 0.016_67, 1e18].map(|value| shown(value, 4));
        assert_eq!(texts, ["0", "1.5", "100", "0.0167", "any"]);
    }

    #[test]
    fn a_tooltip_has_range_unit_and_default_and_a_behaviour_its_source() {
        for kind in Kind::ALL {
            let info = kind.info();
            let story = story(info.about);
            assert!(story.contains("\n\n") && story.contains("Source"), "{story}");
            for parameter in info.parameters {
                assert!(about(parameter).starts_with(parameter.doc.trim()));
            }
        }
        let parameter = Kind::ALL[0].info().parameters.iter().find(|p| p.key == "radius").unwrap();
        let text = about(parameter);
        assert!(text.contains(" world units; ") && text.contains(" by default"), "{text}");
    }
}
