//! Markdown of mdBook that Jupyter doesn't render: call-outs, lists of definitions.

/// The page for Jupyter's Markdown. Cells and other fenced blocks stay as they are.
pub fn for_jupyter(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose(&mut out, line);
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn prose(out: &mut String, line: &str) {
    if let Some(kind) = line.strip_prefix("> [!").and_then(|rest| rest.strip_suffix(']')) {
        let mut name = kind.to_ascii_lowercase();
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        out.push_str(&format!("> **{name}**\n>\n"));
        return;
    }
    if let Some(definition) = line.strip_prefix(": ") {
        // The term stands in the line before. Jupyter has no lists of definitions.
        out.truncate(out.trim_end().len());
        out.push_str(&format!(": {definition}\n"));
        return;
    }
    // Readers copy commands into a cell.
    let line = line.replace("`cargo checker ", "`%checker ").replace("`checker ", "`%checker ");
    out.push_str(&line);
    out.push('\n');
}
