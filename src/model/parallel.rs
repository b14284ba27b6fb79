//! Loops over threads. They take their work as a reference: for each closure that it gets, rayon compiles some 14 kB
//! of machine code.

use rayon::prelude::*;

/// Values of a part. The calling thread works on as few before others would have started.
const PART: usize = 8192;

/// Works on a list in parts, on all threads; `work` gets the index of a part's first value.
pub fn in_parts<T: Send>(values: &mut [T], work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    if values.len() <= PART {
        return work(0, values);
    }
    let parts = values.par_chunks_mut(PART).enumerate();
    parts.for_each(|(number, part)| work(number * PART, part));
}

/// The results of `of` for the numbers below `count`, in order, on all threads.
pub fn each<T: Send>(count: usize, of: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..count).into_par_iter().map(of).collect()
}
