// Size of a subgroup, on devices where passes use subgroups.

const LANES = 8u;
