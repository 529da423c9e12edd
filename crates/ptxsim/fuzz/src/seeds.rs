//! Splits the simulator's test kernels into small modules, one kernel each, as seeds for the
//! fuzzer.
//!
//! `seeds FROM TO`: every `.ptx` below `FROM`; at most 6 KiB each, without line tables and
//! comments.

use std::fs;
use std::path::{Path, PathBuf};

/// The parts of a module that a kernel may refer to.
struct Piece {
    name: String,
    text: String,
    kernel: bool,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        panic!("seeds FROM TO");
    };
    fs::create_dir_all(&to).expect("a folder for the seeds");
    let mut files = vec![];
    collect(Path::new(&from), &mut files);
    files.sort();
    let mut written = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("a PTX file");
        let stem = file.with_extension("").display().to_string().replace(['/', '.'], "_");
        for (name, seed) in cut(&text) {
            if seed.len() <= 6 << 10 {
                fs::write(Path::new(&to).join(format!("{stem}_{name}")), seed).expect("a seed");
                written += 1;
            }
        }
    }
    println!("{written} seeds");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            files.push(path);
        }
    }
}

/// Each kernel with everything that it refers to.
fn cut(text: &str) -> Vec<(String, String)> {
    let (mut header, mut pieces, mut open) = (String::new(), vec![], String::new());
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim_end();
        let word = line.split_whitespace().next().unwrap_or_default();
        if line.is_empty() || [".loc", ".file", ".section"].contains(&word) {
            continue;
        }
        if [".version", ".target", ".address_size"].contains(&word) {
            header += line;
            header.push('\n');
            continue;
        }
        open += line;
        open.push('\n');
        let function = open.contains(".entry") || open.contains(".func");
        if line == "}"
            || line.ends_with(';') && !open.contains('{') && line.starts_with(['.', ')'])
            || !function && line.ends_with(';')
        {
            let text = std::mem::take(&mut open);
            pieces.push(Piece { name: name(&text), kernel: text.contains(".entry "), text });
        }
    }
    let kernels = pieces.iter().filter(|p| p.kernel);
    kernels
        .map(|kernel| {
            let mut body = kernel.text.clone();
            // adds what it names, and what that names; later pieces first, so that definitions
            // precede their uses
            let mut used = vec![false; pieces.len()];
            for _ in 0..3 {
                for (piece, used) in pieces.iter().zip(&mut used) {
                    if !*used
                        && !piece.kernel
                        && !piece.name.is_empty()
                        && body.contains(&piece.name)
                    {
                        *used = true;
                        body += &piece.text;
                    }
                }
            }
            let needed: String = pieces
                .iter()
                .zip(&used)
                .filter(|(_, u)| **u)
                .map(|(p, _)| p.text.as_str())
                .collect();
            (kernel.name.clone(), format!("{header}{needed}{}", kernel.text))
        })
        .collect()
}

/// The name that a piece defines: the last word before its bracket, list or value.
fn name(text: &str) -> String {
    let after = text.split_once(".entry").map_or(text, |(_, after)| after);
    // a function's result is in parentheses before its name
    let after = match after.split_once(".func") {
        Some((_, rest)) if rest.trim_start().starts_with('(') => {
            rest.split_once(')').map_or(rest, |(_, rest)| rest)
        }
        Some((_, rest)) => rest,
        None => after,
    };
    let end = after.find(['(', '[', '=', ';']).unwrap_or(after.len());
    after[..end].split_whitespace().last().unwrap_or_default().to_owned()
}
