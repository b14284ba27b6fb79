// Dispatches of more than 65,535 workgroups are two-dimensional.

fn linear_workgroup(workgroup: vec3<u32>, workgroups: vec3<u32>) -> u32 {
    return workgroup.y * workgroups.x + workgroup.x;
}
