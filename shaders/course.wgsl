// The course of an agent after its forces: noise, and the widest turn. src/model/behaviours/course.rs computes
// the same.

@if(noise) import package::random::{Deviates, random_direction};
@if(noise) import package::space::at_any_angle;
@if(max_turn || noise && flat) import package::space::left_of;
@if(max_turn || noise && !flat) import package::space::on_circle;
import package::space::{MIN_SQUARE, Vector, dot, length, with_length};
import package::vehicle::heading_of;

// A heading whose sideways part is smaller is straight back: rounding would choose the side.
@if(max_turn) const STRAIGHT = 1e-5;
// A driver may round a quotient in another way, but not a product.
@if(max_turn) const TURNS_PER_DEGREE = 2.7777778e-3;

// The velocity, turned back where it is farther than `max_turn` degrees from the heading before the tick.
@if(max_turn)
fn turned(velocity: Vector, max_turn: f32, time_step: f32, before: Vector) -> Vector {
    let degrees = max_turn * time_step;
    let moves = dot(before, before) >= MIN_SQUARE && dot(velocity, velocity) >= MIN_SQUARE;
    // Half a circle is no limit, whatever the time step.
    if max(degrees, max_turn) >= 180.0 || !moves {
        return velocity;
    }
    let most = on_circle(degrees * TURNS_PER_DEGREE);
    let heading = heading_of(before);
    let wish = heading_of(velocity);
    let ahead = dot(heading, wish);
    let aside = wish - heading * ahead;
    let beside = length(aside);
    if most.x * beside < most.y * ahead {
        return velocity;
    }
    // Of a small vector rounding leaves a part along the heading.
    var way = with_length(aside, 1.0);
    way = with_length(way - heading * dot(heading, way), 1.0);
    if ahead < 0.0 && beside < STRAIGHT {
        way = left_of(heading);
    }
    return with_length(heading * most.x + way * most.y, length(velocity));
}

// A heading turned by noise of `amount` turns: by an angle as likely as any other up to half of it, or by a
// normal one. In space it turns towards `way`, a random direction.
@if(noise && flat)
fn tilted(heading: Vector, way: Vector, amount: f32, is_even: bool, numbers: Deviates) -> Vector {
    let even = min(amount, 1.0) * (numbers.even - 0.5);
    let turn = at_any_angle(select(amount * numbers.normal.x, even, is_even));
    return heading * turn.x + left_of(heading) * turn.y;
}

// Directions in a cone are as likely as one another where the cosines of their angles are. The difference of a
// cosine from 1 is twice the square of the sine of half the angle.
@if(noise && !flat)
fn tilted(heading: Vector, way: Vector, amount: f32, is_even: bool, numbers: Deviates) -> Vector {
    let widest = on_circle(min(amount, 1.0) * 0.25).y;
    let less = numbers.even * (widest * widest * 2.0);
    let beside = sqrt(max(less * (2.0 - less), 0.0));
    let normal = numbers.normal;
    let angle = at_any_angle(amount * sqrt(normal.x * normal.x + normal.y * normal.y));
    let turn = select(angle, vec2<f32>(1.0 - less, beside), is_even);
    let across = with_length(way - heading * dot(heading, way), 1.0);
    return heading * turn.x + across * turn.y;
}

// The velocity, turned by noise of this amount and kind.
@if(noise)
fn disturbed(velocity: Vector, amount: f32, kind: u32, numbers: Deviates) -> Vector {
    let heading = heading_of(velocity);
    let way = random_direction(numbers.around);
    var course = heading + way * amount;
    if kind < 2u {
        course = tilted(heading, way, amount, kind == 0u, numbers);
    }
    let moves = dot(velocity, velocity) >= MIN_SQUARE && dot(course, course) >= MIN_SQUARE;
    if amount > 0.0 && moves {
        return with_length(course, length(velocity));
    }
    return velocity;
}
