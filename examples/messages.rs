//! How long messages take between the processes that move one flock: the constants of the model in
//! `docs/scaling.md`.
//!
//! ```text
//! cargo build --release --features mpi --example messages
//! mpirun -n 2 target/release/examples/messages
//! ```

use std::time::Instant;

use flockwork::distributed::{MpiRanks, Ranks};

/// Rounds that are timed at once, and how often; the best is printed, for others may use the cores.
const ROUNDS: u32 = 200;
const TRIES: u32 = 7;

/// Microseconds of one round.
fn time(mut round: impl FnMut()) -> f64 {
    let once = |round: &mut dyn FnMut()| {
        let begin = Instant::now();
        (0..ROUNDS).for_each(|_| round());
        begin.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS)
    };
    (0..TRIES).map(|_| once(&mut round)).fold(f64::MAX, f64::min)
}

fn main() {
    let Some(ranks) = MpiRanks::start() else {
        eprintln!("cannot start MPI");
        std::process::exit(1);
    };
    let (rank, size) = (ranks.rank(), ranks.size());
    let say = |text: String| {
        if rank == 0 {
            println!("{text}");
        }
    };
    // Every rank talks to the next and the one before, as slabs do.
    let mut beside = vec![(rank + 1) % size, (rank + size - 1) % size];
    beside.sort_unstable();
    beside.dedup();
    beside.retain(|other| *other != rank);
    say(format!("{size} ranks; microseconds"));
    say(format!("{:>12} {:>12} {:>12}", "bytes", "exchange", "MB/s a rank"));
    for bytes in [0, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
        let to: Vec<(usize, Vec<u8>)> =
            beside.iter().map(|other| (*other, vec![1; bytes])).collect();
        let took = time(|| drop(ranks.exchange(&to, &beside, &mut || {})));
        let speed = (bytes * beside.len()) as f64 / took;
        say(format!("{bytes:>12} {took:>12.1} {speed:>12.0}"));
    }
    let empty = time(|| drop(ranks.all_to_all(vec![Vec::new(); size])));
    say(format!("all to all, empty: {empty:.1}"));
    let one = time(|| ranks.sum(&mut [1]));
    say(format!("sum of one number: {one:.1}"));
}
