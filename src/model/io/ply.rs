//! Points for 3D programs: a binary PLY file of one tick, with a property for each number of an agent.

use std::io::{self, Write};

use crate::kept::KeptNames;
use crate::state::FlockState;

/// Bytes of a header: always as many, so that it can be written again when the count is known.
const HEADER: usize = 768;

/// The properties of an agent, in order; each with its type. In a plane `z` and `vz` are 0.
const PROPERTIES: [(&str, &str); 8] = [
    ("x", "float"),
    ("y", "float"),
    ("z", "float"),
    ("vx", "float"),
    ("vy", "float"),
    ("vz", "float"),
    ("id", "uint"),
    ("species", "uchar"),
];

/// Begins the name of the property of a number that agents keep for rules in text, which has the type float.
const STATE: &str = "state_";

/// Bytes of an agent without those.
const ROW: usize = 6 * 4 + 4 + 1;

/// Agents that are turned into bytes at a time.
const ROWS_AT_ONCE: usize = 16_384;

/// Writes the header of a file with `agents` agents, which keep the numbers `kept`.
pub fn write_ply_header(
    out: &mut impl Write,
    tick: u64,
    agents: u64,
    kept: KeptNames,
) -> io::Result<()> {
    let properties = PROPERTIES.map(|(name, kind)| format!("property {kind} {name}\n")).concat();
    let kept: String = kept.iter().map(|name| format!("property float {STATE}{name}\n")).collect();
    let begin = format!(
        "ply\nformat binary_little_endian 1.0\ncomment Flockwork, tick {tick}: world units, and world \
         units a tick\ncomment "
    );
    let end = format!("\nelement vertex {agents}\n{properties}{kept}end_header\n");
    let padding = ".".repeat(HEADER.saturating_sub(begin.len() + end.len()));
    write!(out, "{begin}{padding}{end}")
}

/// Adds the agents of a state, in its order.
pub fn write_ply_rows(out: &mut impl Write, state: &FlockState) -> io::Result<()> {
    let row = ROW + 4 * state.kept_names.len();
    let mut bytes = Vec::with_capacity(row * state.len().min(ROWS_AT_ONCE));
    for agent in 0..state.len() {
        let (place, velocity) = (state.position[agent], state.velocity[agent]);
        for number in place.to_array().into_iter().chain(velocity.to_array()) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(state.id[agent].to_le_bytes());
        bytes.push(state.species[agent]);
        let kept = state.kept.get(agent).copied().unwrap_or_default();
        for number in &kept[..state.kept_names.len()] {
            bytes.extend(number.to_le_bytes());
        }
        if bytes.len() >= row * ROWS_AT_ONCE {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::interned;

    #[test]
    fn every_header_is_as_long() {
        for (tick, agents) in [(0, 0), (60, 12_345), (u64::MAX, u64::MAX)] {
            let mut header = Vec::new();
            let longest = ["a", "b", "c", "d"].map(|letter| interned(&letter.repeat(32)));
            let kept = KeptNames::of(longest.into_iter().take(agents.min(4) as usize));
            write_ply_header(&mut header, tick, agents, kept).unwrap();
            assert_eq!(header.len(), HEADER);
            let text = String::from_utf8(header).unwrap();
            assert!(text.contains(&format!("\nelement vertex {agents}\nproperty float x\n")));
        }
    }
}
