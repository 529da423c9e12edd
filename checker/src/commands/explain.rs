//! `checker explain`: what a diagnostic means, with an example and what to do.

use crate::diagnostic::Slug;
use crate::error::Usage;
use crate::exit::Exit;
use crate::explain;
use crate::report::terminal::entry;
use crate::session;

/// Prints the page of one diagnostic, or the list of all.
pub fn run(name: Option<&str>) -> anyhow::Result<Exit> {
    let Some(name) = name else {
        let command = session::command();
        for slug in explain::slugs() {
            say!("{}", entry(slug.as_str(), 24, &headline(slug)));
        }
        say!();
        say!("`{command} explain NAME` says more.");
        return Ok(Exit::Passed);
    };
    let slug = Slug::parse(name).ok_or_else(|| Usage(unknown(name)))?;
    say!("{}", explain::page(slug).trim_end());
    Ok(Exit::Passed)
}

/// The page's first sentence.
fn headline(slug: Slug) -> String {
    let lines = explain::page(slug).lines().map(str::trim);
    let text = lines.skip_while(|line| line.is_empty() || line.starts_with('#'));
    let paragraph = text.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    paragraph.split_inclusive(". ").next().unwrap_or_default().trim().to_owned()
}

fn unknown(name: &str) -> String {
    let score = |slug: &Slug| strsim::jaro_winkler(slug.as_str(), name);
    let nearest = explain::slugs().max_by(|a, b| score(a).total_cmp(&score(b)));
    match nearest {
        Some(slug) if score(&slug) > 0.7 => {
            format!("no diagnostic is called `{name}`: did you mean `{}`?", slug.as_str())
        }
        _ => {
            format!("no diagnostic is called `{name}`: `{} explain` lists them", session::command())
        }
    }
}
