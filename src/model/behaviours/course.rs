//! The course of an agent after its forces: noise, and the widest turn.

use super::Agent;
use super::bounds::{HALF_CIRCLE, STRAIGHT, TURNS_PER_DEGREE};
use crate::plane::on_circle;
use crate::real::Real;
use crate::vector::{Axes, Deviates, Space, Vector};

impl<R: Real, const D: usize> Agent<R, D>
where
    Axes<D>: Space<D>,
{
    /// The velocity, turned back where it is farther than max_turn from the heading before the tick.
    #[inline(always)]
    pub fn turned(&self, next: Vector<R, D>, step: R) -> Vector<R, D> {
        let (zero, one) = (step.constant(0.0), step.constant(1.0));
        let degrees = self.body.max_turn * step;
        let [cosine, sine] = on_circle(degrees * step.constant(TURNS_PER_DEGREE));
        let (heading, wish) = (self.velocity.heading(), next.heading());
        let ahead = heading.dot(wish);
        let aside = wish - heading * ahead;
        let beside = aside.length();
        // Of a small vector rounding leaves a part along the heading.
        let way = aside.with_length(one);
        let way = (way - heading * heading.dot(way)).with_length(one);
        let back = ahead.less_than(zero) & beside.less_than(zero.constant(STRAIGHT));
        let way = Axes::left(heading).where_or(back, way);
        let turned = (heading * cosine + way * sine).with_length(next.length());
        let turned = next.where_or((cosine * beside).less_than(sine * ahead), turned);
        let moves = self.velocity.has_direction() & next.has_direction();
        // Half a circle is no limit, whatever the time step.
        let widest = degrees.max(self.body.max_turn);
        turned.where_or(widest.less_than(zero.constant(HALF_CIRCLE)) & moves, next)
    }

    /// The velocity, turned by chance as the body's noise says.
    #[inline(always)]
    pub fn disturbed(&self, next: Vector<R, D>, numbers: Deviates<R>, step: R) -> Vector<R, D> {
        let (zero, two) = (step.constant(0.0), step.constant(2.0));
        let amount = self.body.noise * step.sqrt();
        let (heading, way) = (next.heading(), Axes::random_direction(numbers.around));
        let is_even = self.body.noise_kind.less_than(step.constant(1.0));
        let tilted = Axes::tilted((heading, way), amount, is_even, numbers);
        let added = heading + way * amount;
        let course = tilted.where_or(self.body.noise_kind.less_than(two), added);
        let acts = zero.less_than(amount) & next.has_direction() & course.has_direction();
        course.with_length(next.length()).where_or(acts, next)
    }
}
