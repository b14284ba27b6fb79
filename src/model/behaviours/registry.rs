//! What the list of behaviours in `behaviours/mod.rs` expands to.

/// Makes, from one line a behaviour: its module, its [`Kind`](super::Kind), its entry in the table
/// of infos, and its part of [`Rules`](super::Rules), the struct that steers.
macro_rules! behaviours {
    (
        neighbour { $( $near:ident: $Near:ident, )* }
        solitary { $( $alone:ident: $Alone:ident, )* }
    ) => {
        $( pub mod $near; pub use $near::$Near; )*
        $( pub mod $alone; pub use $alone::$Alone; )*

        /// A behaviour.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $( #[doc = concat!("See [`", stringify!($near), "`].")] $Near, )*
            $( #[doc = concat!("See [`", stringify!($alone), "`].")] $Alone, )*
        }

        impl Kind {
            /// Every behaviour: those that look at neighbours first.
            pub const ALL: [Self; [$( stringify!($near), )* $( stringify!($alone), )*].len()] =
                [$( Self::$Near, )* $( Self::$Alone, )*];

            /// How many look at neighbours.
            pub const WITH_NEIGHBOURS: usize = [$( stringify!($near), )*].len();

            /// What the registry knows of it.
            #[must_use]
            pub fn info(self) -> BehaviourInfo {
                match self {
                    $( Self::$Near => BehaviourInfo {
                        key: stringify!($near),
                        about: $Near::<f32>::ABOUT,
                        sees_neighbours: true,
                        needs: <$Near<f32> as NeighbourBehaviour<f32>>::NEEDS,
                        parameters: <$Near<f32> as Parameters<f32>>::TABLE,
                    }, )*
                    $( Self::$Alone => BehaviourInfo {
                        key: stringify!($alone),
                        about: $Alone::<f32>::ABOUT,
                        sees_neighbours: false,
                        needs: <$Alone<f32> as SolitaryBehaviour<f32>>::NEEDS,
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

        /// What an agent has summed up of its neighbours.
        ///
        /// Aligned to the widest lanes, so that none of them lies across two lines of the cache.
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        pub struct Sums<R: Real> {
            $( $near: <$Near<R> as NeighbourBehaviour<R>>::Sums, )*
            /// Agents within the largest radius, where they are counted.
            pub neighbours: R,
        }

        impl<R: Real> Rules<R> {
            /// Reads the parameters: `value(behaviour, i)` is the value of its table's row `i`.
            #[inline(always)]
            pub fn read(value: impl Fn(Kind, usize) -> R) -> Self {
                Self {
                    $( $near: Parameters::read(|i| value(Kind::$Near, i)), )*
                    $( $alone: Parameters::read(|i| value(Kind::$Alone, i)), )*
                }
            }

            /// The sums before the first neighbour.
            #[inline(always)]
            pub fn nothing(like: R) -> Sums<R> {
                Sums {
                    $( $near: <$Near<R> as NeighbourBehaviour<R>>::nothing(like), )*
                    neighbours: like.constant(0.0),
                }
            }

            /// Makes the sums of the behaviours in `uses` what they are before the first neighbour.
            #[inline(always)]
            pub fn clear(uses: Uses, sums: &mut Sums<R>, like: R) {
                $( if uses.contains(Kind::$Near) {
                    sums.$near = <$Near<R> as NeighbourBehaviour<R>>::nothing(like);
                } )*
                sums.neighbours = like.constant(0.0);
            }

            /// Shows a neighbour to every behaviour in `uses` that looks at it: within its
            /// radius and field of view, and `perceives(behaviour)`-fold (0 or 1) by its species.
            #[inline(always)]
            pub fn observe(
                &self,
                uses: Uses,
                neighbour: &Neighbour<R>,
                perceives: impl Fn(Kind, R) -> R,
                sums: &mut Sums<R>,
            ) {
                $( if uses.contains(Kind::$Near) {
                    let rule = &self.$near;
                    let near = neighbour.distance_squared.less_than(rule.radius * rule.radius);
                    let mut share = perceives(Kind::$Near, neighbour.share);
                    if uses.has(Uses::SIGHT) {
                        // A full circle's cosine is −2, below that of any angle.
                        let edge = rule.fov * neighbour.distance_squared.sqrt();
                        let outside = neighbour.ahead.less_than(edge);
                        share = share.constant(0.0).where_or(outside, share);
                    }
                    rule.observe(uses, &Neighbour { near, share, ..*neighbour }, &mut sums.$near);
                } )*
            }

            /// True when somebody shares the spot with an agent and a behaviour cares.
            #[inline(always)]
            pub fn crowded(uses: Uses, sums: &Sums<R>, like: R) -> R::Mask {
                let mut crowd = like.constant(0.0);
                $( if uses.contains(Kind::$Near) {
                    crowd = crowd + <$Near<R> as NeighbourBehaviour<R>>::crowded(&sums.$near, like);
                } )*
                like.constant(0.0).less_than(crowd)
            }

            /// Hands the weighted force of each behaviour in `uses` to `take`: those that ask nobody
            /// first, since they may change the agent's limits.
            #[inline(always)]
            fn each_force(
                &self,
                uses: Uses,
                agent: &mut Agent<R>,
                surroundings: &Surroundings,
                spread: Vector<R>,
                sums: &Sums<R>,
                mut take: impl FnMut(Kind, Vector<R>),
            ) {
                $( if uses.contains(Kind::$Alone) {
                    let rule = &self.$alone;
                    take(Kind::$Alone, rule.force(agent, surroundings) * rule.weight);
                } )*
                $( if uses.contains(Kind::$Near) {
                    let rule = &self.$near;
                    let force = rule.force(agent, surroundings, spread, &sums.$near);
                    take(Kind::$Near, force * rule.weight);
                } )*
            }

            /// The steering force of the behaviours in `uses`: their weighted sum, or as much of
            /// each in turn as the limit allows: `in_turn` is positive for the agents that go by
            /// turns, and `turn(behaviour)` counts from 0.
            #[inline(always)]
            pub fn force(
                &self,
                uses: Uses,
                agent: &mut Agent<R>,
                surroundings: &Surroundings,
                spread: Vector<R>,
                sums: &Sums<R>,
                (in_turn, turn): (R, impl Fn(Kind) -> R),
            ) -> Vector<R> {
                let zero = Vector::zero(agent.max_speed);
                let mut sum = zero;
                let mut forces = [zero; Kind::ALL.len()];
                self.each_force(uses, agent, surroundings, spread, sums, |kind, force| {
                    sum = sum + force;
                    if uses.has(Uses::PRIORITY) {
                        forces[kind as usize] = force;
                    }
                });
                let each = agent.limits_each.constant(0.0).less_than(agent.limits_each);
                let sum = sum.where_or(each, sum.limit(agent.max_force));
                if !uses.has(Uses::PRIORITY) {
                    return sum;
                }
                let prioritised = spent_in_turn(&forces, uses, agent.max_force, turn);
                prioritised.where_or(in_turn.constant(0.0).less_than(in_turn), sum)
            }
        }
    };
}
