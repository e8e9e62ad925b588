//! The sources: files and folders of them.

use std::fs;
use std::path::{Path, PathBuf};

use documents::{Document, Limits};

use super::Trouble;
use crate::failure::Failure;
use crate::progress::Progress;

/// How many files a folder may hold, with all below it.
const MAX_FILES: usize = 10_000;

/// A source that could be read.
pub(super) struct Source {
    /// What it is called on the command line, or else its file name.
    pub(super) id: String,
    path: PathBuf,
    /// Which of the files given it is, from 0.
    number: u64,
    pub(super) document: Document,
}

impl Source {
    /// Whether a citation means this one.
    fn is(&self, name: &str) -> bool {
        self.id == name
            || self.path == Path::new(name)
            || self.path.file_name().is_some_and(|file| file == name)
            || self.document.id().to_string() == name
    }
}

/// All sources.
pub(super) struct Sources {
    all: Vec<Source>,
    /// Files that are there and could not be read: a citation of one is no citation of nothing.
    given: usize,
}

/// Where to look for a citation.
pub(super) enum Found<'a> {
    /// In these.
    In(Vec<&'a Source>),
    /// In the only one there is, though it has another name.
    InTheOnly(&'a Source),
    /// Nowhere.
    Nowhere,
}

impl Sources {
    /// Reads the sources. What cannot be read is said, and the rest is used.
    pub(super) fn read(given: &[String], troubles: &mut Vec<Trouble>) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for given in given {
            let (id, path) = split(given);
            if fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
                collect(&path, &mut files, troubles)?;
            } else {
                files.push((id, path));
            }
        }
        let mut all = Vec::new();
        let count = files.len();
        let mut progress = Progress::new("sources read", count);
        for (number, (id, path)) in files.into_iter().enumerate() {
            progress.step();
            match read(&path) {
                Ok(document) => all.push(Source {
                    id: id.unwrap_or_else(|| file_name(&path)),
                    path,
                    number: number as u64,
                    document,
                }),
                Err((reason, hint)) => troubles.push(
                    Trouble::new(
                        "unreadable_source",
                        format!("{} cannot be used: {reason}; {hint}", path.display()),
                    )
                    .with("source", path.display().to_string())
                    .with("reason", reason)
                    .with("hint", hint),
                ),
            }
        }
        Ok(Self { all, given: count })
    }

    /// Where to look for a citation that names a source, or the number of one, or none.
    pub(super) fn find(&self, name: Option<&str>, number: Option<u64>) -> Found<'_> {
        let numbered: Vec<&Source> = match number {
            Some(number) => self
                .all
                .iter()
                .filter(|source| source.number == number)
                .collect(),
            None => Vec::new(),
        };
        let Some(name) = name else {
            return match number {
                Some(_) if numbered.is_empty() => Found::Nowhere,
                Some(_) => Found::In(numbered),
                None => Found::In(self.all.iter().collect()),
            };
        };
        let mut named: Vec<&Source> = self.all.iter().filter(|source| source.is(name)).collect();
        if named.is_empty() {
            // A title is no file name; the number still says which one is meant.
            named = numbered;
        }
        match (named.is_empty(), self.all.as_slice()) {
            (false, _) => Found::In(named),
            (true, [only]) if self.given == 1 => Found::InTheOnly(only),
            (true, _) => Found::Nowhere,
        }
    }
}

/// `ID=FILE`, or a file alone.
fn split(given: &str) -> (Option<String>, PathBuf) {
    if let Some((id, path)) = given.split_once('=') {
        let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
        // A file of that very name is meant as it is.
        if !id.is_empty() && id.chars().all(plain) && !Path::new(given).exists() {
            return (Some(id.to_owned()), PathBuf::from(path));
        }
    }
    (None, PathBuf::from(given))
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Reads a document, or says why not and what to do.
pub(crate) fn read(path: &Path) -> Result<Document, (String, String)> {
    let plain = |error: std::io::Error| {
        (
            error.to_string(),
            "check the path and the permissions".to_owned(),
        )
    };
    let limits = Limits::default();
    let length = fs::metadata(path).map_err(plain)?.len();
    if length > limits.bytes as u64 {
        return Err((
            format!("it has {length} bytes, {} are the most", limits.bytes),
            "split it into smaller files".to_owned(),
        ));
    }
    let bytes = fs::read(path).map_err(plain)?;
    Document::read(&bytes, &file_name(path), &limits)
        .map_err(|error| (error.to_string(), error.hint().to_owned()))
}

/// The files of a folder and of those in it, in order; hidden ones are left out.
fn collect(
    folder: &Path,
    files: &mut Vec<(Option<String>, PathBuf)>,
    troubles: &mut Vec<Trouble>,
) -> Result<(), Failure> {
    let unreadable = |error| Failure::Unreadable {
        path: folder.to_owned(),
        error,
    };
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    entries.sort();
    for path in entries {
        if file_name(&path).starts_with('.') {
            continue;
        }
        if files.len() >= MAX_FILES {
            troubles.push(Trouble::new(
                "unreadable_source",
                format!(
                    "{} holds more than {MAX_FILES} files; the rest is left out",
                    folder.display()
                ),
            ));
            break;
        }
        // Folders that are links may lead in circles.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files, troubles)?;
        } else if !path.is_dir() {
            files.push((None, path));
        }
    }
    Ok(())
}
