//! Links between pages: each leads to the notebook that has the page, and there to the heading.

use std::collections::HashMap;

use super::Part;

/// Where the pages are.
pub struct Pages<'a> {
    /// Path of a page -> its notebook, and the headings of the page: mdBook's id -> Jupyter's.
    found: HashMap<&'a str, (&'a str, Headings)>,
    book_url: Option<&'a str>,
}

#[derive(Default)]
struct Headings {
    first: String,
    by_id: HashMap<String, String>,
}

impl<'a> Pages<'a> {
    /// The pages of these notebooks. Other pages are in the built book at `book_url`.
    pub fn new(parts: &'a [Part], book_url: Option<&'a str>) -> Self {
        let pages = parts.iter().flat_map(|part| {
            part.pages
                .iter()
                .map(|page| (page.path.as_str(), (part.file.as_str(), headings(&page.markdown))))
        });
        Self { found: pages.collect(), book_url: book_url.map(|url| url.trim_end_matches('/')) }
    }

    /// A page with other targets for its links, those of its HTML included.
    pub fn rewrite(&self, markdown: &str, page: &str) -> String {
        let mut out = String::with_capacity(markdown.len());
        let mut fenced = false;
        for line in markdown.split_inclusive('\n') {
            fenced ^= line.trim_start().starts_with("```");
            if fenced {
                out.push_str(line);
            } else {
                out.push_str(&self.html_links(&self.markdown_links(line, page), page));
            }
        }
        out
    }

    /// `[text](target)`. Text of two lines begins on the line before, so only the target is here.
    fn markdown_links(&self, line: &str, page: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        let mut quoted = false;
        while let Some((before, after)) = rest.split_once("](") {
            quoted ^= before.matches('`').count() % 2 == 1;
            let last = before.rfind("<code").zip(Some(before.rfind("</code>").unwrap_or(0)));
            let in_html_code = last.is_some_and(|(open, close)| open > close);
            if quoted || in_html_code {
                // A lambda in code, `[](int i)`, is no link.
                out.push_str(&format!("{before}]("));
                rest = after;
                continue;
            }
            let Some((target, after)) = after.split_once(')') else { break };
            match self.target(target, page) {
                Target::At(url) => {
                    let (before, text) = before.rsplit_once('[').unwrap_or(("", before));
                    out.push_str(&format!("{before}[{}]({url})", without_code(text)));
                }
                Target::Explained(name) => {
                    let (before, text) = before.rsplit_once('[').unwrap_or(("", before));
                    out.push_str(&format!("{before}{text} (`%checker explain {name}`)"));
                }
                Target::Nowhere => {
                    let (before, text) = before.rsplit_once('[').unwrap_or(("", before));
                    out.push_str(&format!("{before}{text}"));
                }
            }
            rest = after;
        }
        out + rest
    }

    fn html_links(&self, line: &str, page: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("href=\"") {
            let Some((target, after)) = after.split_once('"') else { break };
            out.push_str(before);
            if let Target::At(url) = self.target(target, page) {
                out.push_str(&format!("href=\"{url}\""));
            }
            rest = after;
            let code =
                after.strip_prefix("><code>").and_then(|code| code.split_once("</code></a>"));
            if let Some((text, after)) = code {
                out.push_str(&format!(">{text}</a>"));
                rest = after;
            }
        }
        out + rest
    }

    fn target(&self, target: &str, page: &str) -> Target {
        if target.contains(':') {
            return Target::At(target.to_owned());
        }
        let (path, id) = target.split_once('#').unwrap_or((target, ""));
        let path = match path.strip_suffix(".html") {
            Some(stem) => format!("{stem}.md"),
            None => path.to_owned(),
        };
        let path = if path.is_empty() { page.to_owned() } else { resolve(page, &path) };
        let own = self.found.get(page).map_or("", |(file, _)| file);
        if let Some((file, headings)) = self.found.get(path.as_str()) {
            let heading = if id.is_empty() { &headings.first } else { headings.get(id) };
            let file = if *file == own { "" } else { file };
            return Target::At(format!("{file}#{}", encoded(heading)));
        }
        let name = path.strip_suffix(".md").unwrap_or(&path);
        match (self.book_url, name.strip_prefix("diagnostics/")) {
            (Some(url), _) if path.ends_with(".md") => {
                let id = if id.is_empty() { String::new() } else { format!("#{id}") };
                Target::At(format!("{url}/{name}.html{id}"))
            }
            (_, Some(diagnostic)) => Target::Explained(diagnostic.to_owned()),
            _ => Target::Nowhere,
        }
    }
}

/// The text of a link, not as code: Jupyter shows code in the colour of other code, so a reader
/// would not see that it is a link.
fn without_code(text: &str) -> String {
    let code = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    let Some(code) = code.filter(|code| !code.contains('`')) else { return text.to_owned() };
    let mut plain = String::with_capacity(code.len());
    for c in code.chars() {
        if matches!(c, '_' | '*' | '<' | '>' | '[' | ']' | '\\' | '&' | '~' | '$') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

enum Target {
    At(String),
    /// The page of a diagnostic, which a command prints.
    Explained(String),
    Nowhere,
}

impl Headings {
    fn get(&self, id: &str) -> &String {
        self.by_id.get(id).unwrap_or(&self.first)
    }
}

/// A path relative to a page, from the book's `src`.
fn resolve(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The headings of a page. Jupyter's id of a heading is its text with `-` for each space.
fn headings(markdown: &str) -> Headings {
    let mut headings = Headings::default();
    let mut fenced = false;
    for line in markdown.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let hashes = line.chars().take_while(|c| *c == '#').count();
        let Some(text) = line.get(hashes..).and_then(|rest| rest.strip_prefix(' ')) else {
            continue;
        };
        if fenced || !(1..=6).contains(&hashes) {
            continue;
        }
        let text = text.trim().replace(['`', '*'], "");
        let jupyter = text.replace(' ', "-");
        if headings.first.is_empty() {
            headings.first = jupyter.clone();
        }
        headings.by_id.entry(id(&text)).or_insert(jupyter);
    }
    headings
}

/// mdBook's id of a heading.
fn id(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

/// Encodes what a link in Markdown can't contain. JupyterLab compares the rest with its ids as it
/// stands, so nothing else may be encoded. Parentheses are fine if each one has its partner
/// (CommonMark, "Links").
fn encoded(heading: &str) -> String {
    let paired = heading.matches('(').count() == heading.matches(')').count();
    let mut out = String::new();
    for c in heading.chars() {
        match c {
            '(' | ')' if paired => out.push(c),
            '(' | ')' | '<' | '>' | '"' | '%' | '[' | ']' | '\\' => {
                out.push_str(&format!("%{:02X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}
