//! Text that only some readers see. A reader of built pages has an editor and a terminal beside
//! them, a reader of a live page has the page's own editor, and a notebook has cells.
//!
//! ```text
//! <!-- for live pages -->
//! Write your code into the editor on this page.
//! <!-- end -->
//! ```

use super::Edition;

/// The line that ends text for some readers.
const END: &str = "<!-- end -->";

/// The lines that begin such text, each with the editions that have it.
const BEGINNINGS: [(&str, &[Edition]); 7] = [
    ("<!-- not in notebooks -->", &[Edition::Pages, Edition::Served, Edition::Hosted]),
    ("<!-- not on live pages -->", &[Edition::Pages, Edition::Notebooks]),
    ("<!-- for editors -->", &[Edition::Pages]),
    ("<!-- for workbooks -->", &[Edition::Pages, Edition::Served]),
    ("<!-- for live pages -->", &[Edition::Served, Edition::Hosted]),
    ("<!-- for served pages -->", &[Edition::Served]),
    ("<!-- for hosted pages -->", &[Edition::Hosted]),
];

/// The section of an exercise's page about the command, which the scripts of a live page replace.
const REPLACED: &str = "## Check as you go";

/// The text of a page that this edition has. Fenced blocks stay as they are, but a live page has no
/// block that only starts the checker in a terminal.
pub fn text_for(edition: Edition, markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let (mut is_shown, mut is_fenced, mut is_replaced) = (true, false, false);
    let is_live = matches!(edition, Edition::Served | Edition::Hosted);
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if !is_fenced {
            if let Some((_, editions)) = BEGINNINGS.iter().find(|(beginning, _)| *beginning == line)
            {
                is_shown = editions.contains(&edition);
                continue;
            }
            if line == END {
                is_shown = true;
                continue;
            }
            if line.starts_with("## ") {
                is_replaced = line == REPLACED;
            }
            if is_live && !is_replaced && line == "```console" {
                let mut ahead = lines.clone();
                let is_start =
                    ahead.next().is_some_and(|line| line.starts_with("cargo checker watch "));
                if is_start && ahead.next() == Some("```") {
                    lines = ahead;
                    continue;
                }
            }
        }
        is_fenced ^= line.trim_start().starts_with("```");
        if is_shown {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Edition; 4] =
        [Edition::Pages, Edition::Served, Edition::Hosted, Edition::Notebooks];

    #[test]
    fn each_edition_has_its_own_text() {
        let shown = |beginning: &str| {
            let page = format!("a\n{beginning}\nb\n<!-- end -->\nc\n");
            ALL.map(|edition| match text_for(edition, &page).as_str() {
                "a\nb\nc\n" => true,
                "a\nc\n" => false,
                other => panic!("{other}"),
            })
        };
        assert_eq!(shown("<!-- not in notebooks -->"), [true, true, true, false]);
        assert_eq!(shown("<!-- not on live pages -->"), [true, false, false, true]);
        assert_eq!(shown("<!-- for editors -->"), [true, false, false, false]);
        assert_eq!(shown("<!-- for workbooks -->"), [true, true, false, false]);
        assert_eq!(shown("<!-- for live pages -->"), [false, true, true, false]);
        assert_eq!(shown("<!-- for served pages -->"), [false, true, false, false]);
        assert_eq!(shown("<!-- for hosted pages -->"), [false, false, true, false]);
        let code = "```text\n<!-- for editors -->\n```\n";
        assert!(ALL.iter().all(|edition| text_for(*edition, code) == code));
    }

    #[test]
    fn a_live_page_starts_no_checker_in_a_terminal() {
        let block = "```console\ncargo checker watch guard\n```\n";
        let other = "```console\ncargo checker run x.cu\n```\n";
        let page = format!("a\n{block}{other}## Check as you go\n{block}");
        assert_eq!(text_for(Edition::Pages, &page), page);
        assert_eq!(text_for(Edition::Notebooks, &page), page);
        let live = format!("a\n{other}## Check as you go\n{block}");
        assert_eq!(text_for(Edition::Served, &page), live);
    }
}
