//! The shaders on AMD's compiler, without its hardware: RADV's null device compiles for any chip and
//! says what came out. The tests hold the result against a table; `benches/compilers.rs` prints it.
//!
//! The driver reads its environment once, before anything else runs. So a program starts itself again
//! for each chip, and this child compiles.

#![allow(dead_code, reason = "the tests and the benchmark use different parts of this")]

mod null_device;
mod shaders;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use null_device::NullDevice;

/// Where Linux distributions have RADV's description for the Vulkan loader.
const ICDS: [&str; 2] =
    ["/usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "/usr/share/vulkan/icd.d/radeon_icd.json"];
/// Set for a child: the shaders that it shall disassemble too.
const DISASSEMBLE: &str = "FLOCKWORK_DISASSEMBLE";
const REMEDY: &str = "AMD's compiler comes with Mesa 22 to 25 \
    (Debian 12: apt-get install mesa-vulkan-drivers libvulkan1); Mesa 26 has no null device";

/// The name of the control, a shader whose memory no register file holds.
pub const CONTROL: &str = "control";

/// The machine code of one stage of a shader.
#[derive(Debug, Default)]
pub struct Built {
    /// The scene that needs it and its variant: `flock`, `flock:narrow`. Empty for shaders that draw.
    pub scene: String,
    /// The shader's file.
    pub shader: String,
    /// The entry point.
    pub entry: String,
    /// The driver's statistics by their names.
    pub numbers: BTreeMap<String, u64>,
    /// One instruction or label a line, if asked for.
    pub assembly: Vec<String>,
}

impl Built {
    /// A statistic of the driver. Panics if it has none of this name.
    pub fn number(&self, name: &str) -> u64 {
        *self.numbers.get(name).unwrap_or_else(|| panic!("no {name:?} in {:?}", self.numbers))
    }
}

/// All shaders compiled for `chip`, a name that RADV knows, by this program started again with `arguments`,
/// where it must call [`compile_all`]. Disassembles the shaders named `disassemble`. Panics with the remedy
/// without the driver, and with the name of the shader if the compiler crashes.
pub fn built_for(chip: &str, arguments: &[&str], disassemble: &str) -> Vec<Built> {
    let icd = ICDS.into_iter().find(|path| Path::new(path).exists());
    let icd = icd.unwrap_or_else(|| panic!("none of {ICDS:?} is there. {REMEDY}"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(arguments)
        .env("VK_DRIVER_FILES", icd)
        .env("VK_ICD_FILENAMES", icd)
        .env("RADV_FORCE_FAMILY", chip)
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .env("XDG_RUNTIME_DIR", folder.path())
        .env(DISASSEMBLE, disassemble)
        .output()
        .expect("this program starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut found, mut last) = (Vec::new(), ["", ""]);
    for line in text.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["shader", scene, shader] => last = [scene, shader],
            ["stage", entry] => found.push(Built {
                scene: last[0].into(),
                shader: last[1].into(),
                entry: entry.into(),
                ..Built::default()
            }),
            ["number", name, value] => {
                let built = found.last_mut().expect("a stage comes first");
                built.numbers.insert(name.into(), value.parse().expect("a number"));
            }
            ["code", line] => {
                found.last_mut().expect("a stage comes first").assembly.push(line.into());
            }
            _ => {}
        }
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{chip}: the compiler ended with {} after it began {last:?}: {errors}",
        output.status
    );
    found
}

/// Compiles all shaders for the chip in the environment. Prints each before it is compiled.
pub fn compile_all() {
    let device = NullDevice::open().unwrap_or_else(|error| panic!("{error}. {REMEDY}"));
    let disassemble = std::env::var(DISASSEMBLE).unwrap_or_default();
    let mut known = BTreeMap::new();
    // After the line with the name of the test.
    println!();
    for shader in shaders::all() {
        println!("shader\t{}\t{}", shader.scene, shader.name);
        let stages = shader.stages();
        // Many scenes share a shader.
        let text = known.entry(stages.code.clone()).or_insert_with(|| {
            let code = device.compile(&stages, shader.name == disassemble);
            code.unwrap_or_else(|error| panic!("{} for {}: {error}", shader.name, shader.scene))
        });
        print!("{text}");
    }
}
