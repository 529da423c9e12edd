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
        "after.js" => asset!(SCRIPT, "after.js"),
        "busy.js" => asset!(SCRIPT, "busy.js"),
        "diff.js" => asset!(SCRIPT, "diff.js"),
        "listing-output.js" => asset!(SCRIPT, "listing-output.js"),
        "listing-steps.js" => asset!(SCRIPT, "listing-steps.js"),
        "memory.js" => asset!(SCRIPT, "memory.js"),
        "page-commands.js" => asset!(SCRIPT, "page-commands.js"),
        "pages.js" => asset!(SCRIPT, "pages.js"),
        "report.js" => asset!(SCRIPT, "report.js"),
        "step-drawings.js" => asset!(SCRIPT, "step-drawings.js"),
        "step-text.js" => asset!(SCRIPT, "step-text.js"),
        "versions.js" => asset!(SCRIPT, "versions.js"),
        "bench.js" => asset!(SCRIPT, "bench.js"),
        "changes.js" => asset!(SCRIPT, "changes.js"),
        "codemirror.js" => asset!(SCRIPT, "codemirror/codemirror.js"),
        "block-map.js" => asset!(SCRIPT, "block-map.js"),
        "drawing.js" => asset!(SCRIPT, "drawing.js"),
        "editor.js" => asset!(SCRIPT, "editor.js"),
        "editor-commands.js" => asset!(SCRIPT, "editor-commands.js"),
        "header-commands.js" => asset!(SCRIPT, "header-commands.js"),
        "editor-look.js" => asset!(SCRIPT, "editor-look.js"),
        "editor-marks.js" => asset!(SCRIPT, "editor-marks.js"),
        "element.js" => asset!(SCRIPT, "element.js"),
        "file.js" => asset!(SCRIPT, "file.js"),
        "hosted.js" => asset!(SCRIPT, "hosted.js"),
        "indices.js" => asset!(SCRIPT, "indices.js"),
        "listing.js" => asset!(SCRIPT, "listing.js"),
        "listings.css" => asset!(STYLE, "listings.css"),
        "lines.js" => asset!(SCRIPT, "lines.js"),
        "look.js" => asset!(SCRIPT, "look.js"),
        "output.js" => asset!(SCRIPT, "output.js"),
        "race.js" => asset!(SCRIPT, "race.js"),
        "server.js" => asset!(SCRIPT, "server.js"),
        "sha256.js" => asset!(SCRIPT, "sha256.js"),
        "sidebar.js" => asset!(SCRIPT, "sidebar.js"),
        "store.js" => asset!(SCRIPT, "store.js"),
        "tabs.js" => asset!(SCRIPT, "tabs.js"),
        "threads.js" => asset!(SCRIPT, "threads.js"),
        "timeline.js" => asset!(SCRIPT, "timeline.js"),
        "transfer.js" => asset!(SCRIPT, "transfer.js"),
        "vault.js" => asset!(SCRIPT, "vault.js"),
        "verdict.js" => asset!(SCRIPT, "verdict.js"),
        "warp.js" => asset!(SCRIPT, "warp.js"),
        "workbook-zip.js" => asset!(SCRIPT, "workbook-zip.js"),
        "zip.js" => asset!(SCRIPT, "zip.js"),
        "live.css" => asset!(STYLE, "live.css"),
        "views.css" => asset!(STYLE, "views.css"),
        "report.css" => (STYLE, html::STYLE),
        _ => return None,
    })
}
