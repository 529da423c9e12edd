//! Converts text to HTML.

/// Escapes text for HTML, also inside attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

/// Escapes text and turns `code` in backquotes into code elements. An unpaired backquote stays as
/// it is.
pub fn inline(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() % 2 == 1;
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        let code = i % 2 == 1 && (paired || i + 1 < parts.len());
        match (code, i) {
            (true, _) => out.push_str(&format!("<code>{}</code>", escape(part))),
            (false, i) if i % 2 == 1 => out.push_str(&format!("`{}", escape(part))),
            _ => out.push_str(&escape(part)),
        }
    }
    out
}

/// A folded element. `inside` is HTML or, after an empty line, Markdown.
pub fn folded(class: &str, summary: &str, inside: &str) -> String {
    format!(
        "<details class=\"{class}\">\n<summary>{}</summary>\n\n{inside}\n\n</details>\n",
        inline(summary)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_text_is_escaped() {
        assert_eq!(inline("`a<b>` & \"c\""), "<code>a&lt;b&gt;</code> &amp; &quot;c&quot;");
        assert_eq!(inline("one ` alone"), "one ` alone");
    }
}
