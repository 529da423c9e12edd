//! What the lines of a program's files cost.

use std::path::Path;

use ptxsim::Observations;

use super::{Files, SourceFile};

/// The counts of each file of the program. Code of headers that belong to no file of the user is
/// with the first.
pub fn by_file(files: &Files, observed: &Observations) -> Vec<(SourceFile, Observations)> {
    let mut all: Vec<(SourceFile, Observations)> = vec![];
    for line in &observed.lines {
        // A header of the system or of the toolkit has an absolute path.
        let found = files.at(Some(&line.source));
        let own = files.compiled().contains(&found) || Path::new(&found.name).is_relative();
        let file = if own { found } else { files.first().clone() };
        let index = all.iter().position(|(known, _)| *known == file).unwrap_or_else(|| {
            all.push((file, Observations { completed: true, ..Observations::default() }));
            all.len() - 1
        });
        let Some((_, counted)) = all.get_mut(index) else { continue };
        counted.totals.add(&line.counters);
        counted.lines.push(line.clone());
    }
    all
}
