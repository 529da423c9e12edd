//! `checker explain`: what a diagnostic means, with an example and a way to fix it.

use crate::diagnostic::Slug;
use crate::error::Usage;
use crate::exit::Exit;
use crate::report::terminal::entry;
use crate::session;

/// Prints the page of one diagnostic, or a list of all diagnostics.
pub fn run(name: Option<&str>) -> anyhow::Result<Exit> {
    let Some(name) = name else {
        let command = session::command();
        for slug in Slug::ALL {
            say!("{}", entry(slug.as_str(), 24, slug.meaning()));
        }
        say!();
        say!("`{command} explain NAME` explains one of them.");
        return Ok(Exit::Passed);
    };
    let slug = Slug::parse(name).ok_or_else(|| Usage(unknown(name)))?;
    say!("{}", slug.page().trim_end());
    Ok(Exit::Passed)
}

fn unknown(name: &str) -> String {
    let score = |slug: &Slug| strsim::jaro_winkler(slug.as_str(), name);
    let nearest = Slug::ALL.iter().copied().max_by(|a, b| score(a).total_cmp(&score(b)));
    match nearest {
        Some(slug) if score(&slug) > 0.7 => {
            format!("no diagnostic is called `{name}`: did you mean `{}`?", slug.as_str())
        }
        _ => {
            format!("no diagnostic is called `{name}`: `{} explain` lists them", session::command())
        }
    }
}
