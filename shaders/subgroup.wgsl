// Invocations of a subgroup, on the devices where passes use them.

const LANES = 8u;
