// The tag of an agent: its species (5 bits) above its id (27 bits).

const ID_BITS = 27u;

fn species_of(tag: u32) -> u32 {
    @if(several_species)
    return tag >> ID_BITS;
    @if(!several_species)
    return 0u;
}

fn id_of(tag: u32) -> u32 {
    return tag & ((1u << ID_BITS) - 1u);
}
