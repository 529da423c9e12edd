//! What a folder on the command line is: one submission, a class, or a folder around a class.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::find::{Finder, id};
use super::naming::{Naming, Platform};
use super::{Reason, gradescope, names, of_io, own_name};
use crate::course::Course;
use crate::text::shown;

/// What a folder has directly in it, without what is hidden.
pub(super) struct Children(pub(super) Vec<(PathBuf, fs::FileType)>);

impl Children {
    pub(super) fn of(folder: &Path) -> Result<Self, Reason> {
        let mut children = vec![];
        for child in fs::read_dir(folder).map_err(|error| of_io(&error))? {
            let child = child.map_err(|error| of_io(&error))?;
            let kind = child.file_type().map_err(|error| of_io(&error))?;
            let name = own_name(&child.path());
            if !name.starts_with('.') && name != "__MACOSX" {
                children.push((child.path(), kind));
            }
        }
        children.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self(children))
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter(|(_, kind)| kind.is_dir()).map(|(path, _)| path.as_path())
    }

    /// Files and folders that make the folder around them one submission.
    fn mirrors<'c>(
        &'c self,
        course: &'c Course,
    ) -> impl Iterator<Item = &'c (PathBuf, fs::FileType)> {
        self.0.iter().filter(|(child, kind)| begins_a_mirror(child, kind.is_dir(), course))
    }
}

impl Finder<'_, '_> {
    /// Whether a folder is one submission.
    pub(super) fn is_one(&self, path: &Path, children: &Children) -> Result<bool, Reason> {
        let course = self.search.course;
        let mut mirrors = children.mirrors(course).peekable();
        let Some((first, _)) = mirrors.peek() else { return Ok(false) };
        if self.platform().is_some() {
            let name = own_name(path);
            return Ok(self.search.naming.is_some_and(|naming| naming.read(&name).is_some()));
        }
        let is_student = |path: &Path| self.own_form(&id(path)).is_some();
        let mut others = children.0.iter().filter(|(child, kind)| {
            (kind.is_dir() || names::without_archive_ending(&own_name(child)).is_some())
                && !begins_a_mirror(child, kind.is_dir(), course)
        });
        if !is_student(path) && others.any(|(child, _)| is_student(child)) {
            return Ok(false);
        }
        if mirrors.any(|(_, kind)| kind.is_dir()) || self.is_same_exercise_twice(children) {
            return Ok(true);
        }
        let first = shown(own_name(first).as_bytes());
        Err(Reason::Export(format!(
            "`{first}` lies beside folders that look like several students': move it away to grade each of them, or \
             give a roster that has their ids"
        )))
    }

    /// Whether at most two folders have the same exercise, as a student's old versions do.
    fn is_same_exercise_twice(&self, children: &Children) -> bool {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for folder in children.folders() {
            let Ok(inner) = Children::of(folder) else { continue };
            let files = inner.mirrors(self.search.course).filter(|(_, kind)| !kind.is_dir());
            files.for_each(|(file, _)| *times.entry(own_name(file)).or_default() += 1);
        }
        times.values().all(|times| *times <= 2)
    }

    /// The folder that has the submissions, when it is alone in the one that was given.
    pub(super) fn inner(&self, path: &Path, children: &Children) -> Option<PathBuf> {
        let mut folders = children.folders();
        let (Some(inner), None) = (folders.next(), folders.next()) else { return None };
        let reads = |path: &Path| {
            let name = own_name(path);
            self.own_form(&id(path)).is_some()
                || self.search.naming.is_some_and(|naming| naming.read(&name).is_some())
        };
        if path.join(gradescope::FILE).exists() || children.0.iter().any(|(child, _)| reads(child))
        {
            return None;
        }
        let deeper = Children::of(inner).ok()?;
        let is_download = match self.platform() {
            Some(Platform::Gradescope) => {
                inner.join(gradescope::FILE).exists() || deeper.folders().count() == 1
            }
            Some(_) => {
                deeper.0.iter().any(|(child, _)| reads(child)) || deeper.folders().count() == 1
            }
            // Without a platform's names, only the roster can say that this is no student.
            None => deeper.0.iter().any(|(child, _)| self.own_form(&id(child)).is_some()),
        };
        is_download.then(|| inner.to_path_buf())
    }

    /// Why a folder has no submission.
    pub(super) fn why_nothing(&self, children: &Children) -> Reason {
        let Some(platform) = self.platform() else { return Reason::NoExercise };
        let names: Vec<String> = children.0.iter().map(|(child, _)| own_name(child)).collect();
        let other =
            Naming::guess(names.iter().map(String::as_str)).filter(|other| *other != platform);
        Reason::Export(match other {
            Some(other) => format!(
                "these are names of {}'s downloads: give `--from {}`",
                other.name(),
                other.name().to_lowercase()
            ),
            None => format!(
                "none of its names is one of {}'s downloads, such as `{}`",
                platform.name(),
                platform.example()
            ),
        })
    }
}

pub(super) fn begins_a_mirror(child: &Path, is_folder: bool, course: &Course) -> bool {
    let name = own_name(child);
    if is_folder {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        is("exercises") || course.chapters().into_iter().any(is)
    } else {
        name.strip_suffix(".cu").is_some_and(|stem| course.exercise(stem).is_some())
    }
}
