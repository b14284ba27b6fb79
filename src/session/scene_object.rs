//! Things that the pointer can drag: targets, obstacles, points of paths.

use flockwork_model::behaviours::Target;
use flockwork_model::scene::{Click, POINTER, Scene};
use flockwork_model::scenery::Obstacle;
use flockwork_model::vector::Point;

/// An object that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneObject {
    /// A target, by its index.
    Target(usize),
    /// An obstacle, by its index.
    Obstacle(usize),
    /// A point of a path, by the indices of both.
    PathPoint(usize, usize),
}

impl SceneObject {
    /// The object that a drag from `place` moves: the nearest target of the scene file (one that
    /// moves by itself only if none is at rest), or the obstacle with the nearest edge.
    #[must_use]
    pub fn nearest(scene: &Scene, place: Point) -> Option<Self> {
        let distance = |to: Point| scene.world.shortest_between(place, to).length();
        match scene.click {
            Click::Target => {
                let targets = scene.targets.iter().enumerate().filter(|(_, t)| t.name != POINTER);
                // Targets at rest come first, however far away.
                let far = |t: &Target| (t.velocity != Point::ZERO, distance(t.position));
                let further =
                    |a: (bool, f32), b: (bool, f32)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
                let nearest = targets.min_by(|a, b| further(far(a.1), far(b.1)));
                nearest.map(|(index, _)| Self::Target(index))
            }
            Click::Obstacle => {
                let edge = |o: &Obstacle| distance(o.position) - o.radius;
                let obstacles = scene.obstacles.iter().enumerate();
                let nearest = obstacles.min_by(|a, b| edge(a.1).total_cmp(&edge(b.1)));
                nearest.map(|(index, _)| Self::Obstacle(index))
            }
            Click::Call | Click::Path | Click::Flee | Click::Add | Click::Follow => None,
        }
    }

    /// The points of the paths that are shown.
    pub fn path_points(scene: &Scene) -> impl Iterator<Item = (Self, Point)> + '_ {
        let paths = scene.paths.iter().enumerate().filter(|(_, path)| path.shown);
        paths.flat_map(|(index, path)| {
            let points = path.points.iter().enumerate();
            points.map(move |(number, point)| (Self::PathPoint(index, number), *point))
        })
    }

    /// The targets of the file, the obstacles and the points of the paths that are shown; each with its
    /// place and its radius, which only obstacles have. World units.
    pub fn all(scene: &Scene) -> impl Iterator<Item = (Self, Point, f32)> + '_ {
        let targets = scene.targets.iter().enumerate().filter(|(_, t)| t.name != POINTER);
        let targets = targets.map(|(index, t)| (Self::Target(index), t.position, 0.0));
        let obstacles = scene.obstacles.iter().enumerate();
        let obstacles = obstacles.map(|(index, o)| (Self::Obstacle(index), o.position, o.radius));
        let points = Self::path_points(scene).map(|(object, point)| (object, point, 0.0));
        targets.chain(obstacles).chain(points)
    }

    /// The object that a press at `place` takes hold of: it is within `reach` of the place, or its circle
    /// contains the place. World units.
    #[must_use]
    pub fn at(scene: &Scene, place: Point, reach: f32) -> Option<Self> {
        let distance = |object: Self, to: Point| match object {
            // A path may leave the world: its points are not wrapped.
            Self::PathPoint(..) => place.distance(to),
            _ => scene.world.shortest_between(place, to).length(),
        };
        let near = Self::all(scene).filter_map(|(object, to, radius)| {
            let distance = distance(object, to);
            (distance <= radius.max(reach)).then_some((object, distance))
        });
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(object, _)| object)
    }

    /// Where it is; `None` if the scene does not have it.
    #[must_use]
    pub fn place(self, scene: &Scene) -> Option<Point> {
        match self {
            Self::Target(index) => scene.targets.get(index).map(|target| target.position),
            Self::Obstacle(index) => scene.obstacles.get(index).map(|o| o.position),
            Self::PathPoint(index, number) => {
                scene.paths.get(index).and_then(|path| path.points.get(number).copied())
            }
        }
    }

    /// Moves the object to `place`.
    pub(crate) fn put(self, scene: &mut Scene, place: Point) {
        let own = match self {
            Self::Target(index) => scene.targets.get_mut(index).map(|target| &mut target.position),
            Self::Obstacle(index) => scene.obstacles.get_mut(index).map(|o| &mut o.position),
            Self::PathPoint(index, number) => {
                scene.paths.get_mut(index).and_then(|path| path.points.get_mut(number))
            }
        };
        if let Some(own) = own {
            *own = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flockwork_model::vector::flat;

    #[test]
    fn a_press_takes_hold_of_what_is_under_it() {
        let text = "[[targets]]\nposition = [60, 50]\n[[obstacles]]\nposition = [50, 50]\n\
                    radius = 30\n[[paths]]\npoints = [[150, 100], [200, 100]]\n[species.a]\n";
        let scene = Scene::parse("test", text).unwrap();
        let (mut scene, _) = scene.populate(&flockwork_model::scene::Request::default()).unwrap();
        let at = |x: f32, y: f32| SceneObject::at(&scene, flat(x, y), 6.0);
        assert_eq!(at(62.0, 50.0), Some(SceneObject::Target(1)));
        assert_eq!(at(203.0, 99.0), Some(SceneObject::PathPoint(0, 1)));

        assert_eq!(at(40.0, 60.0), Some(SceneObject::Obstacle(0)));
        assert_eq!([at(90.0, 90.0), at(0.0, 0.0)], [None; 2], "not the pointer");
        assert_eq!(SceneObject::Obstacle(0).place(&scene), Some(flat(50.0, 50.0)));
        SceneObject::PathPoint(0, 1).put(&mut scene, flat(-30.0, 5.0));
        assert_eq!(SceneObject::PathPoint(0, 1).place(&scene), Some(flat(-30.0, 5.0)));
        scene.paths[0].shown = false;
        assert_eq!(SceneObject::at(&scene, flat(-30.0, 5.0), 6.0), None, "it is not seen");
    }

    #[test]
    fn the_nearest_object_is_taken() {
        let text = "click = \"target\"\n[[targets]]\nname = \"fast\"\nvelocity = [3, 0]\n\
                    [[targets]]\nposition = [600, 100]\n[[targets]]\nposition = [300, 100]\n\
                    [[obstacles]]\nposition = [100, 100]\nradius = 80\n\
                    [[obstacles]]\nposition = [250, 100]\n[species.a]\ncount = 1\n";
        let scene = Scene::parse("test", text).unwrap();
        let (mut scene, _) = scene.populate(&flockwork_model::scene::Request::default()).unwrap();
        // Across the seam; the pointer and the target that moves by itself are nearer.
        assert_eq!(SceneObject::nearest(&scene, flat(5.0, 100.0)), Some(SceneObject::Target(2)));
        let edit = crate::Edit::moving(&scene, SceneObject::Target(2), flat(-1.0, 370.0));
        edit.put(&mut scene).unwrap();
        assert_eq!(scene.targets[2].position, flat(639.0, 10.0));
        scene.click = Click::Obstacle;
        // Nearer to the edge of the large obstacle.
        assert_eq!(
            SceneObject::nearest(&scene, flat(190.0, 100.0)),
            Some(SceneObject::Obstacle(0))
        );
        scene.click = Click::Call;
        assert_eq!(SceneObject::nearest(&scene, Point::ZERO), None);
    }
}
