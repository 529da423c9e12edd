//! The scripts and style sheets that the server adds to pages.

use checker::report::html;

/// An asset by its name: its media type and its text.
pub fn find(name: &str) -> Option<(&'static str, &'static str)> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    const STYLE: &str = "text/css; charset=utf-8";
    macro_rules! asset {
        ($kind:expr, $name:literal) => {
            ($kind, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/live/", $name)))
        };
    }
    Some(match name {
        "bench.js" => asset!(SCRIPT, "bench.js"),
        "codemirror.js" => asset!(SCRIPT, "codemirror/codemirror.js"),
        "editor.js" => asset!(SCRIPT, "editor.js"),
        "file.js" => asset!(SCRIPT, "file.js"),
        "look.js" => asset!(SCRIPT, "look.js"),
        "server.js" => asset!(SCRIPT, "server.js"),
        "sidebar.js" => asset!(SCRIPT, "sidebar.js"),
        "verdict.js" => asset!(SCRIPT, "verdict.js"),
        "live.css" => asset!(STYLE, "live.css"),
        "report.css" => (STYLE, html::STYLE),
        _ => return None,
    })
}
