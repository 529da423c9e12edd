//! Converts text to HTML.

pub use checker::report::html::{escape, inline};

/// A folded element. `inside` is HTML or, after an empty line, Markdown.
pub fn folded(class: &str, summary: &str, inside: &str) -> String {
    format!(
        "<details class=\"{class}\">\n<summary>{}</summary>\n\n{inside}\n\n</details>\n",
        inline(summary)
    )
}
