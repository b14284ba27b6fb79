//! The words of a parameter's row, and the ends of its slider.

use std::sync::LazyLock;

use flockwork_model::formula::{ANY, PARAMETERS};
use flockwork_model::parameter::{FULL_CIRCLE, Meaning, Parameter, UNLIMITED};
use flockwork_model::scene::{Law, Scene, Slot, Species, built_in};

/// A slider runs from 0 to this many times the value at the start.
const REACH: f32 = 4.0;

/// True if a parameter's value is a number with a unit, not a choice.
pub fn is_quantity(parameter: &Parameter) -> bool {
    matches!(parameter.meaning, Meaning::Number | Meaning::Angle | Meaning::FieldOfView)
}

/// The ends of a parameter's slider. `start` is its value at the start.
pub fn reach(parameter: &Parameter, start: f32) -> (f32, f32) {
    let (low, high) = parameter.range;
    // The range of an angle suits a slider.
    if matches!(parameter.meaning, Meaning::Angle | Meaning::FieldOfView) {
        return (low, high.min(FULL_CIRCLE));
    }
    // So does the range that a scene gives the parameter of a rule.
    if parameter.key.starts_with(PARAMETERS) && parameter.range != ANY {
        return (low, high);
    }
    let scale = [start, parameter.default].map(f32::abs).into_iter();
    let scale = scale.filter(|scale| *scale < UNLIMITED).fold(0.0, f32::max);
    let scale = if scale > 0.0 { scale } else { no_scale(parameter) };
    // A weight below 0 is typed.
    let low = if parameter.key == "weight" && start >= 0.0 { 0.0 } else { low };
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

/// The species of all built-in scenes.
static BUILT_IN: LazyLock<Vec<Species>> = LazyLock::new(|| {
    let scenes = built_in().filter_map(|scene| Scene::parse(scene.name, scene.text).ok());
    scenes.flat_map(|scene| scene.species).collect()
});

/// The least and the largest value of a parameter in the built-in scenes; half and double of it where
/// there is only one, or the default alone. `None` if there is no limited value but 0.
fn usual(parameter: &Parameter, slot: Slot) -> Option<(f32, f32)> {
    let value = |species: &Species| match slot {
        Slot::Body(index) => species.body.values().get(index).copied(),
        Slot::Rule(kind, index) => species.rule(kind)?.values.get(index).copied(),
    };
    let ends = |species: &'static Species| {
        let drawn = species.variations.iter().filter(move |own| own.slot == slot);
        let drawn = drawn.filter_map(|own| match own.law {
            Law::PerAgent { from } => Some(from),
            _ => None,
        });
        value(species).into_iter().chain(drawn)
    };
    let used = BUILT_IN.iter().flat_map(ends).chain([parameter.default]);
    let used = used.filter(|value| *value < UNLIMITED);
    let ends = used.fold(None, |ends: Option<(f32, f32)>, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    let (low, high) = ends.filter(|ends| *ends != (0.0, 0.0))?;
    let (least, most) = parameter.range;
    Some(if low == high { ((low / 2.0).max(least), (high * 2.0).min(most)) } else { (low, high) })
}

/// A text of the documentation without its marks of code, emphasis and links.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut code = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '`' => code = !code,
            '*' | '[' if !code => {}
            ']' if !code => {
                // The address of a link.
                if letters.as_str().starts_with('(') {
                    letters.by_ref().find(|letter| *letter == ')');
                }
            }
            letter => plain.push(letter),
        }
    }
    plain
}

/// The sentence of a parameter, with its usual and its legal range, its unit and its default.
pub fn about(parameter: &Parameter, slot: Slot) -> String {
    let doc = plain(parameter.doc.trim());
    if !is_quantity(parameter) {
        return doc;
    }
    let unit = match parameter.unit {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let (low, high) = parameter.range;
    let [low, high, default] = [low, high, parameter.default].map(|end| shown(end.into(), 4));
    let usual = usual(parameter, slot).map_or(String::new(), |(low, high)| {
        let [low, high] = [low, high].map(|end| shown(end.into(), 4));
        format!("Usually {low} to {high}{unit}. ")
    });
    format!("{doc}\n{usual}Legal: {low} to {high}{unit}; {default} by default.")
}

/// The description of a behaviour, with its formula and its sources.
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
    plain(&text)
}

/// A number, as short as possible.
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
        for kind in Kind::ALL {
            for parameter in kind.info().parameters.iter().filter(|own| is_quantity(own)) {
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
            for (index, parameter) in info.parameters.iter().enumerate() {
                let about = about(parameter, Slot::Rule(kind, index));
                assert!(about.starts_with(&plain(parameter.doc.trim())));
                for mark in ['`', '*', '['] {
                    assert!(!about.contains(mark) && !story.contains(mark), "{about} {story}");
                }
            }
        }
        let kind = Kind::ALL[0];
        let radius = kind.parameter("radius").unwrap();
        let text = about(&kind.info().parameters[radius], Slot::Rule(kind, radius));
        assert!(text.contains(" world units; ") && text.contains(" by default"), "{text}");
    }

    #[test]
    fn marks_of_code_emphasis_and_links_go() {
        let marked = "*Nearer* than `radius * 2`: see [`Self::x`](super), [Reynolds](http://a/b).";
        assert_eq!(plain(marked), "Nearer than radius * 2: see Self::x, Reynolds.");
    }

    #[test]
    fn a_usual_range_is_what_the_built_in_scenes_use() {
        let found = |key: &str, name: &str| {
            let kind = Kind::ALL.into_iter().find(|kind| kind.info().key == key).unwrap();
            let index = kind.parameter(name).unwrap();
            let parameter = &kind.info().parameters[index];
            (usual(parameter, Slot::Rule(kind, index)), parameter)
        };
        let (Some((low, high)), parameter) = found("separation", "radius") else { panic!() };
        assert!(low <= 6.0 && high >= 25.0 && high < parameter.range.1 / 100.0, "{low} {high}");
        // Leaves of `tornado` draw theirs from 5 on.
        let (Some((low, high)), _) = found("follow_path", "lookahead") else { panic!() };
        assert!(low <= 5.0 && high >= 100.0, "{low} {high}");
        for kind in Kind::ALL {
            let parameters = kind.info().parameters.iter().enumerate();
            for (index, parameter) in parameters.filter(|(_, p)| is_quantity(p)) {
                if let Some((low, high)) = usual(parameter, Slot::Rule(kind, index)) {
                    assert!(low < high && high < UNLIMITED, "{parameter:?}");
                    assert!(parameter.range.0 <= low && high <= parameter.range.1, "{parameter:?}");
                }
            }
        }
    }
}
