//! CSV state files as they were before the column `run`: what it holds stood in comments.

/// The text of a field of the column `run`.
pub fn decoded(field: &str) -> String {
    let mut parts = field.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// The lists in `[[1.0, 2.0], [3.0, 4.0]]`, each without spaces.
fn lists(text: &str) -> impl Iterator<Item = String> {
    let inner = text.strip_prefix("[[").unwrap().strip_suffix("]]").unwrap();
    inner.split("], [").map(|list| list.replace(' ', ""))
}

/// The same file without the column: the record and the flow field are comments above the header, and
/// the targets of a tick are comments above its first row.
pub fn as_comments(text: &str) -> String {
    let (header, rows) = text.split_once(",run\n").expect("a header with the column `run`");
    let (mut top, mut below) = (String::new(), String::new());
    for line in rows.lines() {
        let (row, field) = line.rsplit_once(',').unwrap();
        let tick = row.split(',').next().unwrap();
        for line in decoded(field).lines() {
            if let Some(targets) = line.strip_prefix("targets = ") {
                for (number, target) in lists(targets).enumerate() {
                    below += &format!("#target,{tick},{number},{target}\n");
                }
            } else if line.starts_with("flow.") {
                let vectors = line.split_once(" = ").unwrap().1;
                lists(vectors).for_each(|vector| top += &format!("#flow,{vector}\n"));
            } else {
                if top.is_empty() {
                    top += "# flockwork run, in TOML\n";
                }
                top += &format!("# {line}\n");
            }
        }
        below += &format!("{row}\n");
    }
    format!("{top}{header}\n{below}")
}
