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
    let wanted = name.to_lowercase().replace(['_', ' '], "-");
    let distance = |slug: &Slug| strsim::damerau_levenshtein(slug.as_str(), &wanted);
    let nearest = Slug::ALL.iter().copied().min_by_key(distance);
    // One letter in four may be wrong.
    let near = nearest.filter(|slug| 4 * distance(slug) <= slug.as_str().len());
    let parts = Slug::ALL.iter().map(|slug| slug.as_str());
    let containing: Vec<String> = parts
        .filter(|slug| wanted.len() > 2 && slug.split('-').any(|part| part == wanted))
        .map(|slug| format!("`{slug}`"))
        .collect();
    let command = session::command();
    match (near, containing.as_slice()) {
        (Some(slug), _) => {
            format!("no diagnostic is called `{name}`: did you mean `{}`?", slug.as_str())
        }
        (None, []) => format!(
            "no diagnostic is called `{name}`: `{command} explain` lists them, and the book's \
             glossary explains the terms"
        ),
        (None, some) => {
            format!("no diagnostic is called `{name}`; there are {}", some.join(", "))
        }
    }
}
