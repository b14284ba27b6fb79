//! The macro behind the list of behaviours in `behaviours/mod.rs`.

/// From one line per behaviour it makes the module, the [`Kind`](super::Kind), the entry in the
/// table of infos, and the part of [`Rules`](super::Rules), the struct that steers.
macro_rules! behaviours {
    (
        neighbour { $( $near:ident: $Near:ident, )* }
        solitary { $( $alone:ident: $Alone:ident, )* }
    ) => {
        $( pub mod $near; pub use $near::$Near; )*
        $( pub mod $alone; pub use $alone::$Alone; )*

        /// A behaviour.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $( #[doc = concat!("See [`", stringify!($near), "`].")] $Near, )*
            $( #[doc = concat!("See [`", stringify!($alone), "`].")] $Alone, )*
            /// A rule in text of a scene file.
            Formula(&'static Formula),
        }

        /// The numbers of the built-in behaviours.
        enum Number {
            $( $Near, )*
            $( $Alone, )*
        }

        impl Kind {
            /// Every built-in behaviour: those that look at neighbours first.
            pub const ALL: [Self; [$( stringify!($near), )* $( stringify!($alone), )*].len()] =
                [$( Self::$Near, )* $( Self::$Alone, )*];

            /// How many look at neighbours.
            pub const WITH_NEIGHBOURS: usize = [$( stringify!($near), )*].len();

            /// Those that look at neighbours.
            pub const NEAR: [Self; Self::WITH_NEIGHBOURS] = [$( Self::$Near, )*];

            /// Its place in [`Kind::ALL`]; behind the last one for all rules in text together.
            #[must_use]
            #[inline(always)]
            pub const fn number(self) -> usize {
                match self {
                    $( Self::$Near => Number::$Near as usize, )*
                    $( Self::$Alone => Number::$Alone as usize, )*
                    Self::Formula(_) => Self::ALL.len(),
                }
            }

            /// Its entry in the registry.
            #[must_use]
            pub fn info(self) -> BehaviourInfo {
                match self {
                    Self::Formula(formula) => BehaviourInfo {
                        key: formula.key,
                        about: formula.about,
                        sees_neighbours: formula.sees_neighbours(),
                        needs: Needs::NOTHING,
                        parameters: formula.parameters,
                    },
                    $( Self::$Near => BehaviourInfo {
                        key: stringify!($near),
                        about: $Near::<f32>::ABOUT,
                        sees_neighbours: true,
                        needs: <$Near<f32> as NeighbourBehaviour<f32, 2>>::NEEDS,
                        parameters: <$Near<f32> as Parameters<f32>>::TABLE,
                    }, )*
                    $( Self::$Alone => BehaviourInfo {
                        key: stringify!($alone),
                        about: $Alone::<f32>::ABOUT,
                        sees_neighbours: false,
                        needs: <$Alone<f32> as SolitaryBehaviour<f32, 2>>::NEEDS,
                        parameters: <$Alone<f32> as Parameters<f32>>::TABLE,
                    }, )*
                }
            }
        }

        /// The parameters of every behaviour, for one agent or one lane each.
        #[derive(Clone, Copy)]
        pub struct Rules<R> {
            $( $near: $Near<R>, )*
            $( $alone: $Alone<R>, )*
        }

        /// An agent's sums over its neighbours.
        ///
        /// Aligned to the widest lanes, so that no vector crosses a cache line.
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        pub struct Sums<R: Real, const D: usize>
        where
            Axes<D>: Space<D>,
        {
            $( $near: <$Near<R> as NeighbourBehaviour<R, D>>::Sums, )*
            /// Number of agents within the largest radius, if they are counted.
            pub neighbours: R,
        }

        impl<R: Real, const D: usize> Sums<R, D>
        where
            Axes<D>: Space<D>,
        {
            /// How nearly the neighbours head one way, 0 to 1; see alignment.
            #[inline(always)]
            pub fn order(&self, max_speed: R) -> R {
                self.alignment.order(max_speed)
            }

            /// The empty sums.
            #[inline(always)]
            pub fn nothing(like: R) -> Self {
                Self {
                    $( $near: <$Near<R> as NeighbourBehaviour<R, D>>::nothing(like), )*
                    neighbours: like.constant(0.0),
                }
            }

            /// Empties the sums of the behaviours in `uses`.
            #[inline(always)]
            pub fn clear(&mut self, uses: Uses, like: R) {
                $( if uses.contains(Kind::$Near) {
                    self.$near = <$Near<R> as NeighbourBehaviour<R, D>>::nothing(like);
                } )*
                self.neighbours = like.constant(0.0);
            }

            /// True if another agent is at the same spot and a behaviour in `uses` uses it.
            #[inline(always)]
            pub fn crowded(&self, uses: Uses, like: R) -> R::Mask {
                let mut crowd = like.constant(0.0);
                $( if uses.contains(Kind::$Near) {
                    let own = <$Near<R> as NeighbourBehaviour<R, D>>::crowded(&self.$near, like);
                    crowd = crowd + own;
                } )*
                like.constant(0.0).less_than(crowd)
            }
        }

        impl<R: Real> Rules<R> {
            /// Reads the parameters: `value(behaviour, i)` is the value of row `i` of its table.
            #[inline(always)]
            pub fn read(value: impl Fn(Kind, usize) -> R) -> Self {
                Self {
                    $( $near: Parameters::read(|i| value(Kind::$Near, i)), )*
                    $( $alone: Parameters::read(|i| value(Kind::$Alone, i)), )*
                }
            }

            /// The square of the radius of each behaviour that looks at neighbours, in the order of
            /// [`Kind::ALL`].
            #[inline(always)]
            pub fn squared_radii(&self) -> [R; Kind::WITH_NEIGHBOURS] {
                [$( self.$near.radius * self.$near.radius, )*]
            }

            /// Adds a neighbour to the sums of every behaviour in `uses`, if it is within the
            /// radius and the field of view. `perceives(behaviour, share)` is the share, or 0 for a
            /// species that the behaviour ignores.
            #[inline(always)]
            pub fn observe<const D: usize>(
                &self,
                uses: Uses,
                neighbour: &Neighbour<R, D>,
                squared_radii: &[R; Kind::WITH_NEIGHBOURS],
                perceives: impl Fn(Kind, R) -> R,
                sums: &mut Sums<R, D>,
            ) where
                Axes<D>: Space<D>,
            {
                $( if uses.contains(Kind::$Near) {
                    let rule = &self.$near;
                    let squared = squared_radii[Number::$Near as usize];
                    let near = neighbour.distance_squared.less_than(squared);
                    let mut share = perceives(Kind::$Near, neighbour.share);
                    if uses.has(Uses::SIGHT) {
                        // A full circle is stored as −2, below any cosine.
                        let edge = rule.fov * neighbour.distance_squared.sqrt();
                        let outside = neighbour.ahead.less_than(edge);
                        share = share.constant(0.0).where_or(outside, share);
                    }
                    rule.observe(uses, &Neighbour { near, share, ..*neighbour }, &mut sums.$near);
                } )*
            }

            /// The steering force of the behaviours in `uses`, and of the rules in text: their weighted
            /// sum, or as `in_turn` combines them in order of `turn(behaviour)`, from 0, if the body's
            /// `combine` is positive. `observe` gets each of the forces.
            #[inline(always)]
            pub fn force<const D: usize>(
                &self,
                (uses, surroundings): (Uses, &Surroundings),
                agent: &mut Agent<R, D>,
                (spread, sums): (Vector<R, D>, &Sums<R, D>),
                texts: &mut impl TextForces<R, D>,
                (combine, turn): (R, impl Fn(Kind) -> R),
                observe: impl FnMut(Kind, Vector<R, D>),
            ) -> Vector<R, D>
            where
                Axes<D>: Space<D>,
            {
                let (sum, has_turns) = (Vector::zero(agent.body.max_speed), uses.has(Uses::PRIORITY));
                let mut all = ForceSum { sum, forces: Vec::new(), has_turns, turn, observe };
                // Without neighbours first, because they may change the agent's limits.
                $( if uses.contains(Kind::$Alone) {
                    let rule = &self.$alone;
                    all.take(Kind::$Alone, lone_force(rule, agent, surroundings) * rule.weight);
                } )*
                texts.each_force(agent, spread, false, &mut all);
                $( if uses.contains(Kind::$Near) {
                    let rule = &self.$near;
                    let force = rule.force(agent, surroundings, spread, &sums.$near);
                    all.take(Kind::$Near, force * rule.weight);
                } )*
                texts.each_force(agent, spread, true, &mut all);
                let ForceSum { sum, forces, .. } = all;
                let sum = sum.where_or(agent.limits_each(), sum.limit(agent.budget()));
                if !uses.has(Uses::PRIORITY) {
                    return sum;
                }
                let ordered = in_turn(&forces, agent, combine);
                ordered.where_or(combine.constant(0.0).less_than(combine), sum)
            }
        }
    };
}
