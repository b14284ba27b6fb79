//! The processor's name: no figure means anything without it.

/// What the system calls the processor; its architecture where the system does not say.
#[must_use]
pub fn processor() -> String {
    let listed = std::fs::read_to_string("/proc/cpuinfo").ok();
    let named = listed.as_deref().and_then(model_name).map(str::to_string);
    let named = named.or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok());
    named.unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// The first name in Linux' list of processors.
fn model_name(list: &str) -> Option<&str> {
    let mut lines = list.lines().filter_map(|line| line.split_once(':'));
    let (_, name) = lines.find(|(key, _)| key.trim() == "model name")?;
    Some(name.trim()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_list() {
        let list = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(model_name(list), Some("Some CPU @ 2 GHz"));
        assert_eq!(model_name("processor : 0\n"), None);
        assert!(!processor().is_empty());
    }
}
