// Invocations of a subgroup, on the devices where passes go in step.

const LANES = 8u;
