//! The shaders: WGSL files, and the composition of a pass from the files that its scene needs.
//!
//! `shaders/rules.wgsl` is a template whose lines are repeated for each behaviour of a scene.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

mod compose;
mod formula;

use flockwork_model::behaviours::{Kind, Uses};
use flockwork_model::formula::Formula;
use flockwork_model::kept::KeptNames;
use flockwork_model::parameter::{Meaning, Parameter, Parameters};
use flockwork_model::scene::{Body, Scene, Slot};
use flockwork_model::world::Boundary;
pub use formula::{KEEPS, ZERO as ZERO_OF_RULES};
use include_dir::{Dir, DirEntry, include_dir};

static SHADERS: Dir = include_dir!("$CARGO_MANIFEST_DIR");

// Shaders that import nothing, so no scene composes them.
/// The text of `shaders/bloom.wgsl`.
pub const BLOOM: &str = include_str!("bloom.wgsl");
/// The text of `shaders/draw_background.wgsl`.
pub const DRAW_BACKGROUND: &str = include_str!("draw_background.wgsl");
/// The text of `shaders/draw_solids.wgsl`.
pub const DRAW_SOLIDS: &str = include_str!("draw_solids.wgsl");
/// The text of `shaders/expose.wgsl`.
pub const EXPOSE: &str = include_str!("expose.wgsl");
/// The text of `shaders/trails.wgsl`.
pub const TRAILS: &str = include_str!("trails.wgsl");

/// The module that is the template.
const TEMPLATE: &str = "rules";

/// The names that the neighbour loops take from `rules`, and those that their copies take.
const OF_SUMS: &str = "import package::rules::{Species, Sums, observe};";
const OF_RANKING: &str =
    "import package::ranking::{Choice as Species, Ranking as Sums, rank as observe};";

/// The features that a pass is compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// True for a plane, false for a space.
    pub flat: bool,
    /// The built-in behaviours of the scene.
    pub uses: Uses,
    /// Its rules in text.
    pub formulas: Vec<&'static Formula>,
    /// The rules in text whose sums all agents share.
    pub shared: Vec<&'static Formula>,
    /// The behaviours and rules that look at neighbours within a radius, each with one that perceives alike.
    pub leaders: Vec<(Kind, Kind)>,
    /// The behaviours that choose the nearest neighbours: groups of those that choose alike, the chooser first.
    pub choices: Vec<Vec<Kind>>,
    /// The numbers that agents draw.
    pub traits: Vec<Slot>,
    /// The edge of the world.
    pub boundary: Boundary,
    /// True if shaders must read the agents' species.
    pub several_species: bool,
    /// True if the cells around an agent wrap around the world and overlap.
    pub narrow: bool,
    /// True if a subgroup reads its joint runs; see `shaders/neighbours_subgroup.wgsl`.
    pub by_subgroup: bool,
    /// True if long loops take several steps per round; see `shaders/sort_crowds.wgsl`.
    pub unrolled: bool,
    /// True if sums may be packed into 64-bit integers; see `shaders/canvas.wgsl`.
    pub packs: bool,
    /// True if colours are lists of stops instead of circles; see `shaders/picture.wgsl`.
    pub stops: bool,
    /// True if pictures are sums of linear light, not of sRGB colours; see `shaders/expose.wgsl`.
    pub as_light: bool,
    /// True if agents in space cast shade on one another; see `shaders/shade.wgsl`.
    pub shade: bool,
    /// True if the flock is the part of one of several processes; see `shaders/grid.wgsl`.
    pub slab: bool,
}

impl Variant {
    /// The variant for `scene`, with plain loops.
    #[must_use]
    pub fn of(scene: &Scene, narrow: bool, by_subgroup: bool) -> Self {
        Self {
            // A subgroup hands on only the motion of the agents that it reads.
            by_subgroup: by_subgroup && !scene.uses().has(Uses::OTHER_KEPT),
            narrow,
            flat: scene.world.is_flat(),
            uses: scene.uses(),
            formulas: scene.formulas(),
            shared: scene.shared(),
            leaders: scene.leaders(),
            choices: scene.choices(),
            traits: scene.traits(),
            boundary: scene.world.boundary,
            several_species: scene.tells_species(),
            ..Self::of_drawing(false, false, false)
        }
    }

    /// The variant of the passes that do not steer: passes between two ticks, and passes of a slab alone.
    /// Of the scene they need its axes, its boundary, what agents remember and keep, and whether they
    /// differ in species.
    #[must_use]
    pub fn between_ticks(&self) -> Self {
        let uses = self.uses.and(Uses::MEMORY.with(Uses::KEPT));
        let Self { flat, boundary, several_species, slab, .. } = *self;
        let plain = Self::of_drawing(false, false, false);
        Self { flat, uses, boundary, several_species, slab, ..plain }
    }

    /// The variant of the drawing shaders. They do not depend on the scene, except that agents may
    /// have `own_sizes`, and that colours may be lists of `stops`.
    #[must_use]
    pub fn of_drawing(packs: bool, own_sizes: bool, stops: bool) -> Self {
        Self {
            uses: if own_sizes { Uses::TRAITS } else { Uses::default() },
            formulas: Vec::new(),
            shared: Vec::new(),
            leaders: Vec::new(),
            choices: Vec::new(),
            traits: Vec::new(),
            boundary: Boundary::Open,
            several_species: false,
            by_subgroup: false,
            unrolled: false,
            packs,
            stops,
            as_light: false,
            shade: false,
            slab: false,
            narrow: false,
            flat: true,
        }
    }

    fn kinds(&self) -> impl Iterator<Item = Kind> {
        let built_in = Kind::ALL.into_iter().filter(move |kind| self.uses.contains(*kind));
        built_in.chain(self.formulas.iter().copied().map(Kind::Formula))
    }

    /// The leader of a behaviour, if that looks at neighbours within a radius.
    fn leader(&self, kind: Kind) -> Option<Kind> {
        self.leaders.iter().find(|(own, _)| *own == kind).map(|(_, leader)| *leader)
    }

    /// True if the shaders' condition `feature` holds.
    fn has(&self, feature: &str) -> bool {
        match feature {
            "flat" => self.flat,
            "wrap" => self.boundary == Boundary::Wrap,
            "walls" => self.boundary == Boundary::Walls,
            "open" => self.boundary == Boundary::Open,
            "by_subgroup" => self.by_subgroup,
            "unrolled" => self.unrolled,
            "packs" => self.packs,
            "stops" => self.stops,
            "as_light" => self.as_light,
            "shade" => self.shade,
            "slab" => self.slab,
            "narrow" => self.narrow,
            "several_species" => self.several_species,
            "neighbours" => self.looks_around(),
            "texts" => !self.formulas.is_empty(),
            extra => {
                Uses::EXTRAS.iter().any(|(name, uses)| *name == extra && self.uses.has(*uses))
                    || self.kinds().any(|kind| kind.info().key == extra)
            }
        }
    }

    /// True if agents look at neighbours within a radius.
    fn looks_around(&self) -> bool {
        self.uses.and(Uses::AROUND) != Uses::default()
    }
}

/// A shader that does not compile, because of a bug or of a driver's validation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("shader `{shader}`: {message}")]
pub struct ShaderError {
    /// The root file.
    pub shader: String,
    /// The compiler's message.
    pub message: String,
}

/// Composes the WGSL of shader `name` and parses it.
pub fn compose(name: &str, variant: &Variant) -> Result<(String, naga::Module), ShaderError> {
    let fail = |message: String| ShaderError { shader: name.into(), message };
    let expanded = |(path, text): (String, &str)| {
        let text = if path == TEMPLATE { expand(text, variant) } else { text.to_string() };
        (path, text)
    };
    let mut files: Vec<(String, String)> = files(&SHADERS).into_iter().map(expanded).collect();
    // The neighbour loops once more, to rank the neighbours in place of summing them up.
    for name in ["neighbours", "neighbours_subgroup"] {
        let own = files.iter().find(|(path, _)| path == name);
        let ranked = own.map(|(_, text)| text.replace(OF_SUMS, OF_RANKING));
        files.push((format!("ranked_{name}"), ranked.unwrap_or_default()));
    }
    let names = variant.formulas.iter().flat_map(|rule| rule.states.iter().copied());
    let names = KeptNames::of(names);
    for (number, rule) in variant.formulas.iter().enumerate() {
        let axes = if variant.flat { 2 } else { 3 };
        let text = formula::module(rule, number, (axes, variant.several_species), names);
        files.push((format!("behaviours/rule{number}"), text));
    }
    // The pass itself is a feature, too.
    let has = |feature: &str| feature == name || variant.has(feature);
    let wgsl = compose::compose(&files, name, &has).map_err(fail)?;
    let module =
        naga::front::wgsl::parse_str(&wgsl).map_err(|error| fail(error.emit_to_string(&wgsl)))?;
    Ok((wgsl, module))
}

/// Path without extension and text of every shader file.
fn files(directory: &'static Dir) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for entry in directory.entries() {
        match entry {
            DirEntry::Dir(inner) => found.extend(files(inner)),
            DirEntry::File(file) if file.path().extension().is_some_and(|e| e == "wgsl") => {
                let path = file.path().with_extension("").to_string_lossy().replace('\\', "/");
                found.extend(file.contents_utf8().map(|text| (path, text)));
            }
            DirEntry::File(_) => {}
        }
    }
    found
}

/// Names of the shaders with an entry point: passes and draws.
#[must_use]
pub fn roots() -> Vec<String> {
    let stages = ["@compute", "@vertex"];
    let root = |text: &str| stages.iter().any(|stage| text.contains(stage));
    files(&SHADERS).into_iter().filter(|(_, text)| root(text)).map(|(path, _)| path).collect()
}

/// The name of a behaviour in shaders: its key, or the place of a rule in text among `formulas`.
#[must_use]
pub fn name_of(kind: Kind, formulas: &[&'static Formula]) -> String {
    let number = kind.formula().and_then(|formula| formulas.iter().position(|own| *own == formula));
    number.map_or_else(|| kind.info().key.into(), |number| format!("rule{number}"))
}

/// The names of two members of a species' record: the number that agents draw, and its least value.
#[must_use]
pub fn members_of_trait(slot: Slot, formulas: &[&'static Formula]) -> (String, String) {
    let member = match slot {
        Slot::Body(_) => slot.parameter().member(),
        Slot::Rule(kind, _) => format!("{}.{}", name_of(kind, formulas), slot.parameter().member()),
    };
    let least = format!("least_{}", member.replace('.', "_"));
    (member, least)
}

/// The template's line for a number that agents draw.
fn line_of_trait(line: &str, slot: Slot, formulas: &[&'static Formula]) -> String {
    let (member, least) = members_of_trait(slot, formulas);
    let line = line.replace("least_TRAIT_NAME", &least).replace("TRAIT_MEMBER", &member);
    line.replace("TRAIT_KEY", &format!("{}u", slot.noise_key()))
}

/// Repeats the template's lines for the variant's behaviours, for the parameters of the body, and for
/// the numbers that its agents draw.
fn expand(template: &str, variant: &Variant) -> String {
    template.lines().flat_map(|line| expanded(line, variant)).map(|line| line + "\n").collect()
}

/// The lines that take the place of a template's line.
fn expanded(line: &str, variant: &Variant) -> Vec<String> {
    let has = |placeholder: &str| !line.starts_with("//") && line.contains(placeholder);
    if has("BODY_MEMBER") {
        let of_body = |parameter: &Parameter| {
            let kind = if matches!(parameter.meaning, Meaning::Choice(_)) { "u32" } else { "f32" };
            line.replace("BODY_MEMBER", &parameter.member()).replace("BODY_TYPE", kind)
        };
        return <Body as Parameters<f32>>::TABLE.iter().map(of_body).collect();
    }
    if has("least_TRAIT_NAME") {
        let of_slot = |slot: &Slot| line_of_trait(line, *slot, &variant.formulas);
        return variant.traits.iter().map(of_slot).collect();
    }
    if has("BEHAVIOUR_COUNT") {
        return vec![line.replace("BEHAVIOUR_COUNT", &variant.kinds().count().to_string())];
    }
    let leads = |kind: Kind| variant.leader(kind) == Some(kind);
    let group = |kind: Kind| variant.choices.iter().find(|group| group.contains(&kind));
    let chooser = |kind: Kind| group(kind).map(|group| group[0]);
    let sees = |kind: Kind| kind.info().sees_neighbours;
    let is_shared = |formula: &Formula| variant.shared.contains(&formula);
    let looks = |formula: &Formula| formula.hears_everybody() && !is_shared(formula);
    let lone = |formula: &Formula| !formula.sees_neighbours();
    let placeholders: [(&str, &dyn Fn(Kind) -> bool); 12] = [
        ("LEADING_BEHAVIOUR", &leads),
        ("CHOOSING_BEHAVIOUR", &|kind| leads(kind) && chooser(kind).is_some()),
        ("CHOOSER", &|kind| chooser(kind) == Some(kind)),
        ("EACH_BEHAVIOUR", &|_| true),
        ("NEAR_RULE", &|kind| kind.formula().is_some_and(Formula::sees_neighbours)),
        ("RADIUS_RULE", &|kind| kind.formula().is_some_and(Formula::has_radius)),
        ("EVERYBODY_RULE", &|kind| kind.formula().is_some_and(looks)),
        ("SHARED_RULE", &|kind| kind.formula().is_some_and(is_shared)),
        ("LONE_RULE", &|kind| kind.formula().is_some_and(lone)),
        ("NEAR_SUMS", &sees),
        ("NEAR_BEHAVIOUR", &|kind| sees(kind) && kind.formula().is_none()),
        ("LONE_BEHAVIOUR", &|kind| !sees(kind) && kind.formula().is_none()),
    ];
    let found = placeholders.into_iter().find(|(placeholder, _)| has(placeholder));
    let Some((placeholder, is_wanted)) = found else { return vec![line.into()] };
    let name = |kind: Kind| name_of(kind, &variant.formulas);
    let repeated = |kind: Kind| {
        let leader = variant.leader(kind).map_or_else(String::new, name);
        let chooser = chooser(kind).map_or_else(String::new, name);
        let inner = kind.info().needs.ignores_within;
        let inner = inner.map_or("0.0".into(), |key| format!("species.{}.{key}", name(kind)));
        let line = line.replace("ITS_LEADER", &leader).replace("ITS_CHOOSER", &chooser);
        let line = line.replace("ITS_INNER", &inner);
        line.replace(placeholder, &name(kind))
    };
    variant.kinds().filter(|kind| is_wanted(*kind)).map(repeated).collect()
}
