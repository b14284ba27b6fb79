// A tag: the id of an agent, and its species above. src/engine/gpu/row.rs has the same numbers.

const SPECIES_SHIFT = 27u;
const ID_MASK = 0x07ffffffu;

fn species_in(tag: u32) -> u32 {
    return tag >> SPECIES_SHIFT;
}

fn id_in(tag: u32) -> u32 {
    return tag & ID_MASK;
}
