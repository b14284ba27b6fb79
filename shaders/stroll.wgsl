// The random walk of a wanderer: what it remembers changes by up to `turn` turns.

@if(!flat) import package::space::{dot, on_circle, on_sphere, with_length};
import package::space::{Vector, at_angle};
import package::vehicle::Agent;

// Turns what the agent remembers. Returns the place on the unit circle or sphere round it, in its own frame.
fn strolled(agent: ptr<function, Agent>, turn: f32) -> Vector {
    let noise = (*agent).noise;
    @if(flat) {
        var angle = (*agent).remembered.angle + turn * (noise.x + noise.x - 1.0);
        angle = select(angle, angle - 1.0, angle > 0.5);
        angle = select(angle, angle + 1.0, angle < -0.5);
        (*agent).remembered.angle = angle;
        return at_angle(angle);
    }
    // The place moves on its sphere in a random direction, by an angle drawn evenly up to `turn`.
    @if(!flat) {
        let own = (*agent).remembered.direction;
        let other = on_sphere(noise.y, noise.z);
        let along = with_length(other - own * dot(own, other), 1.0);
        let circle = on_circle(turn * noise.x);
        (*agent).remembered.direction = with_length(own * circle.x + along * circle.y, 1.0);
        return (*agent).remembered.direction;
    }
}
