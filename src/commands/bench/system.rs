//! The names of the processor and of the operating system. Figures mean nothing without them.

/// The system's name of the processor, or its architecture where the system does not say.
pub fn processor() -> String {
    let listed = std::fs::read_to_string("/proc/cpuinfo").ok();
    let named = listed.as_deref().and_then(model_name).map(str::to_string);
    let named = named.or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok());
    named.unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// Name and version of the operating system, where known.
pub fn operating_system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").ok();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let system = std::env::consts::OS;
    let kernel =
        kernel.map_or_else(|| system.into(), |kernel| format!("{system} {}", kernel.trim()));
    match release.as_deref().and_then(pretty_name) {
        Some(name) => format!("{name}, {kernel}"),
        None => kernel,
    }
}

/// The `PRETTY_NAME` in the file that Linux distributions describe themselves with.
fn pretty_name(release: &str) -> Option<&str> {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim().trim_matches('"')).filter(|name| !name.is_empty())
}

/// The first name in Linux's list of processors.
fn model_name(list: &str) -> Option<&str> {
    let mut lines = list.lines().filter_map(|line| line.split_once(':'));
    let (_, name) = lines.find(|(key, _)| key.trim() == "model name")?;
    Some(name.trim()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_comes_from_the_list() {
        let list = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(model_name(list), Some("Some CPU @ 2 GHz"));
        assert_eq!(model_name("processor : 0\n"), None);
        assert!(!processor().is_empty());
    }

    #[test]
    fn the_system_is_named_with_its_version() {
        let release = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(pretty_name(release), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(pretty_name("ID=debian\n"), None);
        assert!(operating_system().contains(std::env::consts::OS));
    }
}
