//! The compute shader `steer` of every scene on AMD's compiler: registers, waves and instructions, for
//! before and after a change of the shaders. Needs no such hardware.
//!
//! `cargo bench -p benches --bench compilers [-- CHIP … | CHIP SCENE]`: CHIP is a name that RADV knows;
//! `vega10` and `navi21` if there is none. With a SCENE it prints the machine code. `child` prints what the Vulkan
//! driver in the environment says of every shader.

#[cfg(target_os = "linux")]
#[path = "../tests/compilers/mod.rs"]
mod compilers;

#[cfg(target_os = "linux")]
fn main() {
    use flockwork::model::scene::BuiltIn;

    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let arguments: Vec<String> = arguments.collect();
    let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match given[..] {
        ["child"] => compilers::compile_all(),
        [chip, scene] if BuiltIn::named(scene).is_some() => {
            let steers = steers(chip).into_iter().filter(|built| built.scene == scene);
            steers.flat_map(|built| built.assembly).for_each(|line| println!("{line}"));
        }
        [] => ["vega10", "navi21"].into_iter().for_each(print_table),
        _ => given.into_iter().for_each(print_table),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("skipped: RADV, AMD's compiler without hardware, is a driver for Linux");
}

/// `steer` of all scenes, without their other variants.
#[cfg(target_os = "linux")]
fn steers(chip: &str) -> Vec<compilers::Built> {
    let all = compilers::built_for(chip, &["child"], "steer").into_iter();
    all.filter(|built| built.shader == "steer" && !built.scene.contains(':')).collect()
}

#[cfg(target_os = "linux")]
fn print_table(chip: &str) {
    // RDNA counts waves of 32 lanes, and compiles for 64.
    let lanes = if ["navi", "gfx1"].iter().any(|name| chip.starts_with(name)) { 2 } else { 1 };
    println!("| {chip}: steer | VGPRs | waves | instructions | loop | of them VALU |");
    println!("|---|--:|--:|--:|--:|--:|");
    for built in steers(chip) {
        let [registers, waves, instructions] =
            ["VGPRs", "Subgroups per SIMD", "Instructions"].map(|name| built.number(name));
        let (all, vector) = candidate_loop(&built.assembly).unwrap_or_default();
        let waves = waves / lanes;
        println!("| {} | {registers} | {waves} | {instructions} | {all} | {vector} |", built.scene);
    }
}

/// Numbers of instructions and of vector instructions in the loop over candidates: the first innermost loop
/// that loads. In scenes without neighbours it is the loop over obstacles or along a path, if there is one.
#[cfg(target_os = "linux")]
fn candidate_loop(assembly: &[String]) -> Option<(usize, usize)> {
    let (mut labels, mut code) = (std::collections::BTreeMap::new(), Vec::new());
    for line in assembly.iter().filter(|line| !line.is_empty()) {
        match line.strip_suffix(':') {
            Some(label) => drop(labels.insert(label, code.len())),
            None => code.push(line.as_str()),
        }
    }
    let mut loops = std::collections::BTreeMap::new();
    for (at, line) in code.iter().enumerate().filter(|(_, line)| line.contains("branch")) {
        let target = line.split_whitespace().nth(1).and_then(|label| labels.get(label));
        if let Some(&head) = target.filter(|head| **head <= at) {
            loops.insert(head, at + 1);
        }
    }
    let innermost = loops
        .iter()
        .filter(|(head, end)| !loops.iter().any(|(other, last)| other > *head && last <= *end));
    let mut bodies = innermost.map(|(head, end)| &code[*head..*end]);
    let body = bodies.find(|body| body.iter().any(|line| line.starts_with("buffer_")))?;
    Some((body.len(), body.iter().filter(|line| line.starts_with("v_")).count()))
}
