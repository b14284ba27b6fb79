//! The appearance of a flock: style, camera, and the shapes and colours of its species.
//!
//! No tick depends on it. So a change of it can be undone, but it has no tick: the past is shown as it
//! looks now, and a change there cuts nothing that comes after it.

use flockwork_model::scene::{
    BoidShape, CameraPlan, ColourBy, OriginalIndex, Palette, Scene, Species, Style,
};

/// The appearance of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// Background, trails, and the defaults for the appearance of species.
    pub style: Style,
    /// Which part of the world pictures show.
    pub camera: CameraPlan,
    /// Of each species.
    pub species: Vec<SpeciesAppearance>,
}

/// The appearance of the agents of a species.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeciesAppearance {
    /// The name of the species.
    pub name: String,
    /// See [`Species::original`].
    pub original: OriginalIndex,
    /// See [`Species::look`].
    pub look: BoidShape,
    /// See [`Species::colour`].
    pub colour: ColourBy,
    /// See [`Species::palette`].
    pub palette: Palette,
    /// See [`Species::smallest`].
    pub smallest: Option<f32>,
}

impl SpeciesAppearance {
    /// The appearance of `species`.
    #[must_use]
    pub fn of(species: &Species) -> Self {
        Self {
            name: species.name.clone(),
            original: species.original,
            look: species.look,
            colour: species.colour,
            palette: species.palette.clone(),
            smallest: species.smallest,
        }
    }

    /// Gives `species` this appearance, whatever its name is.
    pub fn put(&self, species: &mut Species) {
        (species.look, species.colour) = (self.look, self.colour);
        species.palette.clone_from(&self.palette);
        species.smallest = self.smallest;
    }
}

impl Appearance {
    /// The appearance of `scene`.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        Self {
            style: scene.style.clone(),
            camera: scene.camera.clone(),
            species: scene.species.iter().map(SpeciesAppearance::of).collect(),
        }
    }

    /// Gives `scene` this appearance. A species that is not in it keeps its own.
    pub fn put(&self, scene: &mut Scene) {
        scene.style.clone_from(&self.style);
        scene.camera.clone_from(&self.camera);
        for species in &mut scene.species {
            let all = || self.species.iter();
            // It may have had another name then.
            let numbers = |own: &SpeciesAppearance| own.original.0.zip(species.original.0);
            let same = all().find(|own| numbers(own).is_some_and(|(own, now)| own == now));
            let named = || all().find(|own| numbers(own).is_none() && own.name == species.name);
            if let Some(own) = same.or_else(named) {
                own.put(species);
            }
        }
    }

    /// Changes the style. A species that looked as the old style says follows the new one.
    pub fn set_style(&mut self, style: Style) {
        let before = std::mem::replace(&mut self.style, style);
        for own in &mut self.species {
            if own.look == before.look {
                own.look = self.style.look;
            }
            if own.colour == before.colour {
                own.colour = self.style.colour;
            }
            if own.palette == before.palette {
                own.palette.clone_from(&self.style.palette);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Recording;
    use crate::tests::{TEXT, assert_has};
    use crate::time_tests::{cpu, engines, near, now, reach, replayed, start, start_in};
    use crate::{Edit, RealTime, Session};
    use flockwork_model::scene::{Background, BackgroundName, Rgb};

    fn blue(session: &Session<RealTime>) -> Appearance {
        let mut looks = Appearance::of(session.scene());
        let colour = ColourBy::Fixed(Rgb([0, 0, 255]));
        looks.set_style(Style { colour, trail: Some(9.0), ..looks.style.clone() });
        looks
    }

    #[test]
    fn a_renamed_species_keeps_its_looks_in_the_past_and_in_a_file() {
        let mut session = start(cpu());
        reach(&mut session, 50);
        let first = Appearance::of(session.scene());
        session.rename_species(0, "b").unwrap();
        let blue = blue(&session);
        session.edit(Edit::Appearance(Box::new(blue.clone()))).unwrap();
        let seen = |session: &Session<RealTime>| {
            let species = &session.scene().species[0];
            (species.name.clone(), species.colour)
        };
        reach(&mut session, 60);
        reach(&mut session, 20);
        assert_eq!(seen(&session), ("a".into(), blue.style.colour));
        assert_eq!(session.undo().unwrap(), "undone: looks");
        assert_eq!(seen(&session), ("a".into(), first.species[0].colour));
        assert_eq!(session.redo().unwrap(), "redone: looks");
        reach(&mut session, 60);
        assert_eq!(seen(&session), ("b".into(), blue.style.colour));
        let mut again = replayed(cpu(), &session.recording().unwrap());
        reach(&mut again, 60);
        assert_eq!(seen(&again), ("b".into(), blue.style.colour));
    }

    #[test]
    fn looks_are_undone_but_have_no_tick() {
        for engine in engines() {
            let mut session = start(engine);
            reach(&mut session, 40);
            let seen = now(&mut session);
            let first = Appearance::of(session.scene());
            session.set_max_speed(1.0).unwrap();
            let blue = blue(&session);
            session.edit(Edit::Appearance(Box::new(blue.clone()))).unwrap();
            let colour = session.scene().species[0].colour;
            assert_eq!(colour, blue.style.colour, "it follows the style");
            session.edit(Edit::Appearance(Box::new(blue.clone()))).unwrap();
            reach(&mut session, 60);
            assert_eq!(session.events().len(), 1, "the parameters alone");
            // The past looks as the present, and its looks can be changed there.
            reach(&mut session, 20);
            assert_eq!((Appearance::of(session.scene()), session.span()), (blue.clone(), (0, 60)));
            assert_eq!(session.scene().species[0].body.max_speed, 3.0);
            assert_eq!(session.undo().unwrap(), "undone: looks");
            assert_eq!(Appearance::of(session.scene()), first);
            assert_eq!(session.scene().species[0].body.max_speed, 3.0);
            assert_eq!(session.redo().unwrap(), "redone: looks");
            // On the way past the edit of the parameters the looks stay.
            reach(&mut session, 60);
            assert_eq!(session.scene().species[0].body.max_speed, 1.0);
            assert_eq!((Appearance::of(session.scene()), session.span()), (blue, (0, 60)));
            reach(&mut session, 40);
            assert!(now(&mut session) == seen);
        }
    }

    #[test]
    fn a_colour_that_counts_neighbours_moves_no_agent() {
        // Only agents that perceive others have neighbours.
        let text = TEXT.to_owned() + "[species.a.separation]\n";
        for engine in engines() {
            let mut session = start_in(engine, &text);
            let mut looks = Appearance::of(session.scene());
            looks.set_style(Style { colour: ColourBy::Neighbours, ..looks.style.clone() });
            session.edit(Edit::Appearance(Box::new(looks.clone()))).unwrap();
            reach(&mut session, 30);
            let counting = session.state().unwrap();
            let mut plain = start_in(cpu(), &text);
            reach(&mut plain, 30);
            let plain = plain.state().unwrap();
            assert!(near(&counting, &plain, 1e-2));
            assert!(counting.memory.iter().any(|memory| memory.shown() > 0), "they are counted");
        }
    }

    #[test]
    fn looks_are_saved_with_the_scene_and_with_the_session() {
        let mut session = start(cpu());
        let mut looks = blue(&session);
        looks.style.background = Background::Named(BackgroundName::Paper);
        looks.camera.zoom = 2.5;
        reach(&mut session, 10);
        session.set_max_speed(1.0).unwrap();
        session.edit(Edit::Appearance(Box::new(looks.clone()))).unwrap();
        let lines = ["background = \"paper\"", "colour = \"#0000FF\"", "trail = 9", "zoom = 2.5"];
        assert_has(&session.file(), &lines);
        let recording = Recording::read(&session.recording().unwrap()).unwrap();
        let scene = Scene::parse("test", &recording.source.text).unwrap();
        assert_eq!(Appearance::of(&scene), looks);
        assert_eq!(recording.events(&scene).unwrap().len(), 1);
    }
}
