// What the three passes of the prefix sum over the cells share: reduce, then scan the sums of the
// blocks, then scan each block. Decoupled look-back would save a pass, but nothing promises that
// workgroups make progress while others wait.

const THREADS = 64u;
const CELLS_PER_THREAD = 16u;
const BLOCK = 1024u;

var<workgroup> partial: array<u32, THREADS>;

// The inclusive sum over the workgroup's values up to this thread's own.
fn inclusive_sum(value: u32, thread: u32) -> u32 {
    var sum = value;
    partial[thread] = sum;
    workgroupBarrier();
    for (var distance = 1u; distance < THREADS; distance <<= 1u) {
        var before = 0u;
        if thread >= distance {
            before = partial[thread - distance];
        }
        workgroupBarrier();
        sum += before;
        partial[thread] = sum;
        workgroupBarrier();
    }
    return sum;
}
