//! Errors of an engine.

use flockwork_model::scene::PopulateError;
use flockwork_model::vector::Point;

/// An error that stops an engine, or an edit that it refuses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// No adapter, or not the requested one.
    #[error("{0}")]
    NoAdapter(String),
    /// The flock does not fit the device.
    #[error(
        "{count} agents do not fit {adapter}: {limit} allows {largest} at most; \
         lower --count or use --engine cpu"
    )]
    TooMany {
        /// The requested count.
        count: u64,
        /// Name of the adapter.
        adapter: String,
        /// The limit that is too small, with its value.
        limit: String,
        /// Largest count that fits.
        largest: u64,
    },
    /// The device is lost, with all its content: the driver restarted, or the device was unplugged
    /// or destroyed.
    #[error(
        "{adapter}: the device was lost ({reason}); run the command again, or use --engine cpu"
    )]
    Lost {
        /// Name of the adapter.
        adapter: String,
        /// The driver's message.
        reason: String,
    },
    /// The host cannot wait for the device, and the answer has not arrived yet: [`Engine::waits`].
    ///
    /// [`Engine::waits`]: crate::Engine::waits
    #[error("the answer of the GPU has not arrived yet; try again")]
    NotYet,
    /// The device refused a shader or a command.
    #[error("{adapter}: {message}")]
    Device {
        /// Name of the adapter.
        adapter: String,
        /// The driver's message.
        message: String,
    },
    /// The thread pool could not start.
    #[error("cannot start {threads} threads: {message}")]
    Threads {
        /// The requested number.
        threads: usize,
        /// The system's message.
        message: String,
    },
    /// An id is too large for an engine.
    #[error("agent {id}: ids of agents are numbers up to {largest} here; number the agents from 0")]
    LargeId {
        /// The agent's id.
        id: u32,
        /// The largest that this engine takes.
        largest: u32,
    },
    /// An update would turn a plane into a space, or a space into a plane.
    #[error(
        "a flock in a world with {before} axes cannot go on in a world with {after}; load the scene \
         anew"
    )]
    OtherAxes {
        /// Number of axes of the flock's world.
        before: usize,
        /// Number of axes of the new world.
        after: usize,
    },
    /// The engine has no flock.
    #[error("no flock is loaded")]
    NoFlock,
    /// No copy of the flock is there to go on from.
    #[error("no copy of the flock is kept to go on from; begin the session with Session::new")]
    NoCopy,
    /// No agent with this id exists.
    #[error("agent {id}: there is no such agent now")]
    NoAgent {
        /// The requested id.
        id: u32,
    },
    /// An agent's species is not in the scene.
    #[error(
        "agent {id}: its species is {species}, but the scene has {count} species, numbered from 0"
    )]
    UnknownSpecies {
        /// The agent's id.
        id: u32,
        /// Its species.
        species: u8,
        /// Number of species in the scene.
        count: usize,
    },
    /// An agent's position or velocity is no number, or the position is outside the world.
    #[error(
        "agent {id}: its {quantity} is {value}, and must be finite and inside the world of {size} \
         world units"
    )]
    BadAgent {
        /// The agent's id.
        id: u32,
        /// `position` or `velocity`.
        quantity: &'static str,
        /// World units, or world units per tick.
        value: Point,
        /// The world's size.
        size: Point,
    },
    /// A number of a scene is no number, or out of its range.
    #[error("{name} is {value}, and must be from {low} to {high}")]
    BadValue {
        /// The path of the number in a scene file.
        name: String,
        /// The number.
        value: f32,
        /// The smallest value allowed.
        low: f32,
        /// The largest value allowed.
        high: f32,
    },
    /// A path has too few points, or a name that is taken, or there are too many points.
    #[error("the scene's paths: {0}")]
    BadPaths(String),
    /// The world of a scene has no edges that its agents can live in.
    #[error(transparent)]
    World(#[from] PopulateError),
    /// The arrays of a state have different lengths.
    #[error(
        "a state needs equal numbers of ids, species, positions and velocities, but has {lengths:?}"
    )]
    Uneven {
        /// Numbers of ids, species, positions and velocities.
        lengths: [usize; 4],
    },
    /// A state has memories or kept numbers for some of its agents only.
    #[error(
        "a state of {count} agents has memories of {memory} and kept numbers of {kept}; it needs them of \
         all agents, or of none"
    )]
    Partial {
        /// Number of agents.
        count: usize,
        /// Number of memories.
        memory: usize,
        /// Number of rows of kept numbers.
        kept: usize,
    },
    /// Another agent has or had this id.
    #[error(
        "agent {id}: new ids must ascend, and each is used only once; the next free one is {next}"
    )]
    UsedId {
        /// The agent's id.
        id: u32,
        /// The smallest id that was never used.
        next: u32,
    },
    /// Agents of a distributed flock are lost, or there twice.
    #[error("the processes have {found} agents together at tick {tick}, not {wanted}, or others")]
    LostAgents {
        /// Number of agents.
        found: u64,
        /// Number of agents that there were.
        wanted: u64,
        /// Ticks that the flock has run.
        tick: u64,
    },
    /// Another process has sent something that does not fit this flock.
    #[error("another process has sent {problem}: do all processes run the same program?")]
    Message {
        /// The problem.
        problem: String,
    },
    /// Another process of the same flock has failed, and reports it.
    #[error("another process has failed")]
    OtherRank,
    /// Too many agents for a rule in text that hears everybody.
    #[error(
        "{count} agents: species.{species}.{rule} has radius = \"all\", and its agents look at all others, \
         for which {most} agents are the most; lower the count, give the radius as a number, or take \
         nothing of the agent itself in sums"
    )]
    Crowd {
        /// Number of agents.
        count: usize,
        /// Name of a species with the rule.
        species: String,
        /// Key of the rule.
        rule: &'static str,
        /// The most agents.
        most: usize,
    },
    /// A flock over many processes cannot be edited.
    #[error("a flock over several processes cannot be edited or searched; run it in one")]
    Fixed,
}
