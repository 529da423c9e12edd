//! The commonest mistakes of beginners (`proof/mistakes`): each gets its diagnostic, and a report
//! that names the cause.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

use crate::cli::common::{checker, run};

/// One mistake.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    mistake: String,
    source: String,
    tried: Vec<Tried>,
}

/// One place where it is tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tried {
    /// An exercise, or `run`.
    #[serde(rename = "in")]
    place: String,
    find: String,
    replace: String,
    gets: Option<String>,
    says: Vec<String>,
}

const FOLDER: &str = "proof/mistakes";

fn mistakes() -> BTreeMap<String, Mistake> {
    let text = fs::read_to_string(format!("{FOLDER}/mistakes.toml")).expect("the mistakes");
    toml::from_str(&text).expect("tables of mistakes")
}

/// The file that is edited.
fn base(place: &str) -> PathBuf {
    if place == "run" {
        return format!("{FOLDER}/program.cu").into();
    }
    let chapters = fs::read_dir("../solutions").expect("the solutions").flatten();
    let mut files = chapters.map(|chapter| chapter.path().join(format!("{place}.cu")));
    files.find(|file| file.is_file()).unwrap_or_else(|| panic!("no exercise is called {place}"))
}

/// What is wrong with the report about a mistake; `None` if it is as expected.
fn complaint(name: &str, tried: &Tried, folder: &Path) -> Option<String> {
    let text = fs::read_to_string(base(&tried.place)).expect("a source");
    if !text.contains(&tried.find) {
        return Some(format!("{name} in {}: `{}` is not there", tried.place, tried.find));
    }
    let file = folder.join(format!("{name}.{}.cu", tried.place));
    fs::write(&file, text.replacen(&tried.find, &tried.replace, 1)).expect("writes");
    let root = fs::canonicalize("..").expect("the repository");
    let mut command = checker(&root);
    match tried.place.as_str() {
        "run" => command.args(["run", "--backend", "sim"]).arg(&file),
        exercise => command.args(["check", exercise, "--backend", "sim", "--file"]).arg(&file),
    };
    let ran = run(command.env("NO_COLOR", "1"));
    let report = format!("{}{}", ran.out, ran.err);
    let words: Vec<&str> = report.split_whitespace().collect();
    let flat = words.join(" ");
    let found = flat.split_once("error[").and_then(|(_, rest)| rest.split(']').next());
    let found = found.or((ran.code == 0).then_some("passed"));
    let as_expected = tried.gets.is_none() || tried.gets.as_deref() == found;
    let silent = tried.says.iter().find(|text| !flat.contains(text.as_str()));
    if !as_expected {
        return Some(format!(
            "{name} in {}: {found:?}, not {:?}\n{report}",
            tried.place, tried.gets
        ));
    }
    silent.map(|text| format!("{name} in {}: no `{text}`\n{report}", tried.place))
}

#[test]
fn every_mistake_gets_its_cause() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = mistakes();
    let rows: Vec<(&String, &Tried)> = all
        .iter()
        .flat_map(|(name, mistake)| mistake.tried.iter().map(move |t| (name, t)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || rows.get(next.fetch_add(1, Ordering::Relaxed));
        std::iter::from_fn(take)
            .filter_map(|(name, tried)| complaint(name, tried, folder.path()))
            .collect::<Vec<String>>()
    };
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get().min(4));
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// The table covers what it promises, and says where each mistake is from.
#[test]
fn the_table_is_complete() {
    let all = mistakes();
    assert!(all.len() >= 80, "{} mistakes", all.len());
    for (name, Mistake { mistake, source, tried }) in &all {
        assert!(mistake.ends_with('.') && !source.is_empty(), "{name}");
        assert!(!tried.is_empty() && tried.iter().all(|t| t.find != t.replace), "{name}");
    }
    let in_run = all.values().filter(|m| m.tried.iter().any(|t| t.place == "run")).count();
    assert!(in_run >= 60, "{in_run} of them as programs");
}
