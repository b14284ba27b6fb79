// Which invocation of a dispatch this is.

// For the parameter of an entry point without workgroup memory. Hand on its members, never all of it: Direct3D knows
// no number of workgroups, and naga gives one only where the member is read. A pass with workgroup memory takes the
// values one by one: a validator calls no part of a struct uniform, so no barrier may depend on it.
struct Invocation {
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
}

// Dispatches of more than 65,535 workgroups are two-dimensional.
fn linear_workgroup(workgroup: vec3<u32>, workgroups: vec3<u32>) -> u32 {
    return workgroup.y * workgroups.x + workgroup.x;
}
