//! Avoid: 1,000 agents from random places among circles.

use super::{Run, on_both};

/// How agents collide with circles.
#[derive(Debug)]
pub struct Collisions {
    /// Agents that were ever inside a circle.
    pub agents: usize,
    /// Share of observations in which an agent was inside.
    pub time: f32,
    /// Greatest depth of any agent inside a circle; world units.
    pub depth: f32,
}

/// Observes every agent every `every` ticks.
pub fn collisions(run: &mut Run, ticks: u32, every: u32) -> Collisions {
    let mut ever = vec![false; run.step(0).len()];
    let (mut inside, mut looks, mut depth) = (0.0_f64, 0.0, 0.0_f32);
    for _ in 0..ticks / every {
        let state = run.step(every);
        for (p, ever) in state.position.iter().zip(&mut ever) {
            let deep = |obstacle: &flockwork::model::scenery::Obstacle| {
                obstacle.radius - run.way(*p, obstacle.position).length()
            };
            let deepest = run.scene.obstacles.iter().map(deep).fold(0.0, f32::max);
            depth = depth.max(deepest);
            *ever |= deepest > 0.0;
            inside += f64::from(deepest > 0.0);
            looks += 1.0;
        }
    }
    let agents = ever.iter().filter(|ever| **ever).count();
    Collisions { agents, time: (inside / looks) as f32, depth }
}

#[test]
fn feelers_keep_all_agents_out() {
    on_both("avoid-feeler", |run| {
        run.start(Some(1000), &[]);
        let with = collisions(run, 5000, 5);
        assert_eq!(with.agents, 0, "{with:?}");
        let speed = super::mean(run.step(0).velocity.iter().map(|v| v.length()));
        assert!(speed > 1.0, "they have come to a halt: {speed}");
        run.start(Some(1000), &["vehicle.avoid.weight=0"]);
        let without = collisions(run, 500, 5);
        assert!(without.agents > 500, "{without:?}");
    });
}

#[test]
fn boxes_keep_all_agents_out_except_for_a_graze() {
    on_both("avoid-box", |run| {
        run.start(Some(1000), &[]);
        // An agent that starts at rest beside a circle may touch it before it has turned.
        let born = collisions(run, 200, 4);
        assert!(born.agents < 50 && born.time < 0.01, "{born:?}");
        let with = collisions(run, 4800, 4);
        // Buckland's lateral force changes its sign beside a circle that its axis just misses.
        assert!(with.depth < 0.1 && with.agents < 400 && with.time < 1e-3, "{with:?}");
        run.start(Some(1000), &["vehicle.avoid.weight=0"]);
        let without = collisions(run, 500, 4);
        assert!(without.depth > 5.0 && without.agents > 500, "{without:?}");
    });
}

#[test]
fn looking_ahead_keeps_some_agents_out() {
    on_both("avoid-ahead", |run| {
        run.start(Some(1000), &[]);
        let with = collisions(run, 600, 2);
        // By then all are at the target and stay there.
        let after = collisions(run, 4400, 44);
        assert_eq!(after.agents, 0, "{after:?}");
        run.start(Some(1000), &["vehicle.avoid.weight=0"]);
        let without = collisions(run, 600, 2);
        // The source's method fails for most agents with a circle in their way: its push is small
        // compared with a desired velocity that grows with the distance to the target.
        assert!(with.agents < 250, "{with:?}");
        assert!((with.agents as f32) < 0.85 * without.agents as f32, "{with:?}, {without:?}");
        assert!(with.time < 0.5 * without.time, "{with:?}, {without:?}");
    });
}
