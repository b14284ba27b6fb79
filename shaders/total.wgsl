// The sum of a number over the lanes of a workgroup.

const PARTS = 256u;

var<workgroup> parts: array<f32, PARTS>;

// The sum of all lanes' numbers: pairs are added until one is left. All lanes must call this.
fn total(own: f32, lane: u32) -> f32 {
    parts[lane] = own;
    for (var half = PARTS / 2u; half > 0u; half >>= 1u) {
        workgroupBarrier();
        if lane < half {
            parts[lane] += parts[lane + half];
        }
    }
    workgroupBarrier();
    let all = parts[0];
    // The next call overwrites it.
    workgroupBarrier();
    return all;
}
