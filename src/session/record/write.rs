//! Writes the file of a recorded session.

use super::{HEAD, Head, RecordingError, VERSION};
use crate::edit::{Counts, Returned, Splice, number, unfit};
use crate::editor::Editor;
use crate::history::Keyframe;
use crate::original_scene::before_edits;
use crate::timeline::Timeline;
use crate::{Appearance, Clock, Edit, Recorded, Session, Source};
use flockwork_model::scene::{Scene, Species, edit_toml};

/// The events of the file.
#[derive(serde::Serialize)]
struct Events {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    event: Vec<Recorded>,
}

/// A flock with edits that are not saved.
#[derive(Clone, Debug)]
pub struct Unsaved {
    /// The name of its scene.
    pub name: String,
    /// Its session as the text of a file, or else its scene.
    pub text: String,
    /// False if there is only the scene: without its state and the agents that were added.
    pub is_session: bool,
}

impl<C: Clock> Session<C> {
    /// The session from its start to its last tick as the text of a TOML file; or why no file can
    /// describe it.
    pub fn recording(&self) -> Result<String, RecordingError> {
        Ok(self.editor.recording(&self.timeline, self.runner.tick)?)
    }

    /// The flocks with edits that are not saved: those that undo and redo come back to, and last the one
    /// that is shown.
    #[must_use]
    pub fn unsaved(&self) -> Vec<Unsaved> {
        let shown = (&self.editor, &self.timeline, (self.runner.tick, self.runner.agents));
        let all = self.scenes.others().chain([shown]);
        let unsaved = all.filter(|(editor, ..)| !editor.undo.is_saved());
        let texts = unsaved.map(|(editor, timeline, (tick, agents))| {
            let session = editor.recording(timeline, tick);
            let (name, is_session) = (editor.scene.name.clone(), session.is_ok());
            Unsaved { name, text: session.unwrap_or_else(|_| editor.file(agents)), is_session }
        });
        texts.collect()
    }
}

impl Editor {
    /// [`Session::recording`] of a flock at a tick.
    fn recording(&self, timeline: &Timeline, tick: u64) -> Result<String, String> {
        let start = timeline.history.start().ok_or("this run keeps no past")?;
        let (source, mut scene, species) = self.base(start).ok_or(
            "this flock began with a state that no scene makes; a session is saved only if it began \
             with its scene",
        )?;
        let first_tick = start.state.tick;
        let mut edited = scene.clone();
        start.meta.scene.put(&mut edited);
        Appearance::of(&self.scene).put(&mut edited);
        edited.targets.clone_from(&start.targets);
        edited.species = species;
        let first = before_the_start(&scene, &edited).into_iter();
        // The user may press while the flock goes back to its start.
        let pressed = start.meta.pointer.map(|at| Edit::Pointer(Some(at)));
        let at_first = |edit| Recorded { tick: first_tick, edit };
        let first: Vec<_> = first.chain(pressed).map(at_first).collect();
        let mut event = Vec::new();
        for Recorded { tick, edit } in first.iter().chain(&timeline.history.events) {
            let mut edit = edit.in_text(&scene)?;
            edit.put(&mut scene)?;
            unfit(&mut edit, &scene.world);
            event.push(Recorded { tick: *tick, edit });
        }
        let Source { argument, text, request, .. } = source;
        // Its text says files relative to the current folder where the scene has none.
        let name = || self.scene.name.rsplit(['/', '\\']).next().map(Into::into);
        let head = Head {
            session: VERSION,
            ticks: timeline.history.end.max(tick),
            from: argument.or_else(name),
            count: request.count,
            density: request.density.map(number),
            seed: request.seed,
            scene: text,
        };
        let problem = |error| format!("no session: {error}");
        let head = toml::to_string(&head).map_err(problem)?;
        Ok(format!("{HEAD}{head}\n{}", toml::to_string(&Events { event }).map_err(problem)?))
    }

    /// The origin of the first state, its scene, and the species at the start as that says them: the source of the
    /// flock, or the same with its edits.
    fn base(&self, start: &Keyframe) -> Option<(Source, Scene, Vec<Species>)> {
        let own = &self.source;
        let mut edited = self.original.clone();
        start.meta.scene.put(&mut edited);
        // The appearance is the present one: it has no tick.
        let appearance = Appearance::of(&self.scene);
        appearance.put(&mut edited);
        let agents = start.state.len() as u64;
        let whole = Source { text: own.edited(&edited, agents), ..Source::default() };
        let plain = Scene::parse_with(&self.scene.name, &own.text, &own.overrides).ok();
        let text = plain.and_then(|mut plain| {
            plain = before_edits(&plain);
            appearance.put(&mut plain);
            edit_toml(&own.text, &plain).ok()
        });
        let own = text.map(|text| Source { text, overrides: Vec::new(), ..own.clone() });
        let makes = |(source, edited): (Source, Scene)| {
            let mut scene = Scene::parse(&self.scene.name, &source.text).ok()?;
            // A file beside the scene was read when the flock was made.
            scene.flow.clone_from(&self.original.flow);
            let (scene, state) = scene.populate(&source.request).ok()?;
            let spawns = |scene: &Scene| scene.species.iter().map(|s| s.spawn).collect::<Vec<_>>();
            let same = state == *start.state && spawns(&scene) == spawns(&edited);
            let same = same && scene.world == self.original.world;
            same.then_some((source, scene, edited.species))
        };
        // The whole text says the counts of this flock, and where agents of a flock so large begin.
        let fixed = edited.fixed(agents);
        own.and_then(|own| makes((own, edited))).or_else(|| makes((whole, fixed)))
    }
}

/// The edits that make `edited` of `scene`: the ones before the start of the record.
fn before_the_start(scene: &Scene, edited: &Scene) -> Vec<Edit> {
    fn all<T: Clone + PartialEq>(from: usize, now: &[T], then: &[T]) -> Option<Splice<T>> {
        let (now, then) = (now.get(from..)?, then.get(from..)?);
        let splice = Splice { at: Some(from), remove: now.len(), insert: then.to_vec() };
        (now != then).then_some(splice)
    }
    let counted = edited.species.iter().any(|species| species.counted);
    let each = edited.species.iter().map(|species| species.count).collect();
    [
        all(0, &scene.obstacles, &edited.obstacles).map(Edit::Obstacles),
        all(0, &scene.paths, &edited.paths).map(Edit::Paths),
        all(1, &scene.targets, &edited.targets).map(Edit::Targets),
        (scene.species != edited.species).then(|| Edit::Set(edited.species.clone().into())),
        counted.then_some(Edit::Counts(Counts { each, counted })),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Edit {
    /// The same edit of a scene as a text can say it, or why none can.
    fn in_text(&self, scene: &Scene) -> Result<Self, String> {
        Ok(match self {
            Self::Set(parameters) => Self::Set(parameters.in_text(scene)?),
            Self::Return(own) => {
                let set = own.set.in_text(scene)?;
                Self::Return(Box::new(Returned { set, ..(**own).clone() }))
            }
            edit => edit.clone(),
        })
    }
}
