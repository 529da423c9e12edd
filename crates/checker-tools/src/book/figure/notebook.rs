//! Figures as images, which a notebook shows without scripts and without the book's style sheet.

use std::fmt::Write;
use std::path::Path;

use super::super::{Problem, read};
use super::panels;
use crate::book::html::escape;

/// The width of an image in pixels. A narrower page scales it down.
const WIDTH_PIXELS: u32 = 540;

/// The panels of the figure called `name` as Markdown: an image, and its caption with the
/// descriptions of the steps.
///
/// # Errors
/// When there is no such figure, or a file that it needs can't be read.
pub fn images(name: &str, root: &Path) -> Result<String, Problem> {
    let style = style(&read(root.join("widgets").join("workbook.css"))?);
    let mut out = String::new();
    for panel in panels(name, root)? {
        let alt = panel.caption.replace('`', "");
        let svg = document(&panel.svg.finish(&alt), &style);
        let _ = writeln!(
            out,
            "<img alt=\"{}\" width=\"{WIDTH_PIXELS}\" src=\"data:image/svg+xml;base64,{}\">\n\n**{}.** {}\n",
            escape(&alt),
            base64(svg.as_bytes()),
            panel.title,
            panel.caption
        );
        for step in panel.svg.steps() {
            let _ = writeln!(out, "1. {step}");
        }
        out.push('\n');
    }
    Ok(out)
}

/// The drawing as a document of its own. Its background is white in dark notebooks, too, because an
/// image can't know the colours around it.
fn document(svg: &str, style: &str) -> String {
    let (start, rest) = svg.split_once('>').unwrap_or((svg, ""));
    let attributes = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH_PIXELS}\" ");
    let start = with_margin(&start.replacen("<svg ", &attributes, 1));
    format!("{start}><style>{style}</style>{rest}")
}

/// The start of the drawing's element with a margin around the drawing.
fn with_margin(start: &str) -> String {
    const MARGIN: f64 = 8.0;
    let Some((before, rest)) = start.split_once("viewBox=\"0 0 ") else { return start.to_owned() };
    let Some((size, after)) = rest.split_once('"') else { return start.to_owned() };
    let size: Vec<f64> = size.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [width, height] = size[..] else { return start.to_owned() };
    let (width, height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    format!("{before}viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\"{after}")
}

/// The rules of the book's style sheet that are about drawings, with the colours of its light
/// theme.
fn style(sheet: &str) -> String {
    let mut out = String::from("svg{background:#fff;font-family:monospace;--fg:#000;--bg:#fff;");
    let root = sheet.split_once(":root {").and_then(|(_, rest)| rest.split_once('}'));
    for variable in root.map_or("", |(root, _)| root).lines() {
        out.push_str(variable.trim());
    }
    out.push_str("}\n");
    for rule in sheet.lines().filter_map(|line| line.strip_prefix("wb-steps ")) {
        if ["text", "rect", "line"].iter().any(|element| rule.starts_with(element)) {
            out.push_str(rule);
            out.push('\n');
        }
    }
    out
}

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let index = (bits >> (18 - 6 * i)) & 63;
            out.push(if i <= chunk.len() { char::from(ALPHABET[index as usize]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn bytes_are_encoded() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// An image has no style sheet around it, so it needs a colour for each class of its drawing.
    #[test]
    fn drawings_have_their_colours() {
        let style = style(include_str!("../../../../../book/widgets/workbook.css"));
        for rule in ["--wb-0: #3b82c4;", "rect.g0 {", "text.middle {", "line.wrong {"] {
            assert!(style.contains(rule), "{rule}: {style}");
        }
        assert!(!style.contains("figcaption") && !style.contains("@media"), "{style}");
        let svg = document("<svg viewBox=\"0 0 360 1.5\"><g/></svg>", "a");
        assert!(svg.ends_with("viewBox=\"-8 -8 376 17.5\"><style>a</style><g/></svg>"), "{svg}");
    }
}
