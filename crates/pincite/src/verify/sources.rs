//! The sources: files and folders of them.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

use citations::resolve::{SourceCandidate, SourceMatch, SourceQuery};
use documents::{Document, ReadWarning};

use super::VerifyNotice;
use crate::failure::CommandError;
use crate::opening::{FileOpener, OpenContext, UnusableFile, file_name};
use crate::progress::ProgressLine;

/// How many files a folder may hold, with all below it.
const MAX_FILES: usize = 10_000;

/// A source that could be read.
pub(super) struct SourceFile {
    /// What it is called on the command line, or else its file name.
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// Which of the files given it is, from 0.
    pub(super) number: u64,
    pub(super) document: Document,
    password: String,
    /// Its bytes, if it is no file.
    fetched: Option<Vec<u8>>,
}

/// A document, and its bytes if it is no file.
type Opened = Result<(Document, Option<Vec<u8>>), UnusableFile>;

impl SourceFile {
    /// Its bytes.
    pub(super) fn bytes(&self) -> std::io::Result<Cow<'_, [u8]>> {
        match &self.fetched {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => fs::read(&self.path).map(Cow::Owned),
        }
    }

    /// What its file is called.
    pub(super) fn file_name(&self) -> String {
        file_name(&self.path)
    }

    /// What it was opened with.
    pub(super) fn password(&self) -> &str {
        &self.password
    }

    /// Returns everything that a citation may name this source by.
    fn candidate(&self) -> SourceCandidate<'_> {
        SourceCandidate {
            document_id: Some(self.document.id()),
            attachment_id: Some(&self.id),
            file_name: self.path.file_name().and_then(OsStr::to_str),
            title: self.document.title(),
            path: self.path.to_str(),
            index: Some(self.number + 1),
            ..SourceCandidate::default()
        }
    }
}

/// All sources.
pub(super) struct SourceSet {
    all: Vec<SourceFile>,
}

impl SourceSet {
    /// Reads the sources. What cannot be read is said, and the rest is used.
    pub(super) fn read(
        given: &[String],
        opening: &OpenContext,
        troubles: &mut Vec<VerifyNotice>,
    ) -> Result<Self, CommandError> {
        let files = files_of(given, troubles)?;
        let ids: Vec<&str> = files.iter().filter_map(|(id, _)| id.as_deref()).collect();
        let opened = open_all(&files, &ids, opening);
        let passwords: Vec<String> = files
            .iter()
            .map(|(id, path)| opening.password_of(path, id.as_deref(), &ids).to_owned())
            .collect();
        let mut all = Vec::new();
        let files = files.into_iter().zip(passwords).zip(opened).enumerate();
        for (number, (((id, path), password), opened)) in files {
            match opened {
                Ok((document, fetched)) => {
                    let id = id.unwrap_or_else(|| file_name(&path));
                    for warning in document.warnings() {
                        let code = match warning {
                            ReadWarning::NoPdf => "other_kind",
                            ReadWarning::ImagesNotShown { .. } => "image_not_shown",
                            _ => "unreadable_page",
                        };
                        troubles.push(
                            VerifyNotice::new(code, format!("{id}: {warning}"))
                                .with("source", path.display().to_string()),
                        );
                    }
                    all.push(SourceFile {
                        id,
                        path,
                        number: number as u64,
                        document,
                        password,
                        fetched,
                    });
                }
                Err(UnusableFile { reason, hint }) => troubles.push(
                    VerifyNotice::new(
                        "unreadable_source",
                        format!("{} cannot be used: {reason}; {hint}", path.display()),
                    )
                    .with("source", path.display().to_string())
                    .with("reason", reason)
                    .with("hint", hint),
                ),
            }
        }
        Ok(Self { all })
    }

    /// Those that could be read.
    pub(super) fn all(&self) -> &[SourceFile] {
        &self.all
    }

    /// Finds the sources that a citation means, by their positions in [`SourceSet::all`].
    pub(super) fn find(&self, query: &SourceQuery<'_>) -> SourceMatch {
        let candidates: Vec<SourceCandidate<'_>> =
            self.all.iter().map(SourceFile::candidate).collect();
        query.find(&candidates)
    }
}

/// The files that are meant, those of folders among them, with the names given to them.
pub(super) fn files_of(
    given: &[String],
    troubles: &mut Vec<VerifyNotice>,
) -> Result<Vec<(Option<String>, PathBuf)>, CommandError> {
    let mut files = Vec::new();
    for given in given {
        let (id, path) = split(given);
        if fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
            collect(&path, &mut files, troubles)?;
        } else {
            files.push((id, path));
        }
    }
    Ok(files)
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

/// Reads files, several at a time, and keeps their order.
fn open_all(
    files: &[(Option<String>, PathBuf)],
    ids: &[&str],
    opening: &OpenContext,
) -> Vec<Opened> {
    let next = AtomicUsize::new(0);
    let progress = Mutex::new(ProgressLine::new("sources read", files.len()));
    let opened: Vec<OnceLock<Opened>> = files.iter().map(|_| OnceLock::new()).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers.min(files.len()) {
            scope.spawn(|| {
                let mut opener = FileOpener::new(opening);
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((id, path)) = files.get(at) else {
                        break;
                    };
                    let document = opener.open(path, id.as_deref(), ids, |said| {
                        if let Ok(mut progress) = progress.try_lock() {
                            progress.say(said);
                        }
                    });
                    // Each is set once, by whoever took its number.
                    let _ = opened[at].set(document);
                    if let Ok(mut progress) = progress.lock() {
                        progress.step();
                    }
                }
            });
        }
    });
    let lost = || UnusableFile {
        reason: "it was not read".to_owned(),
        hint: "try again".to_owned(),
    };
    opened
        .into_iter()
        .map(|document| document.into_inner().unwrap_or_else(|| Err(lost())))
        .collect()
}

/// The files of a folder and of those in it, in order; hidden ones are left out.
fn collect(
    folder: &Path,
    files: &mut Vec<(Option<String>, PathBuf)>,
    troubles: &mut Vec<VerifyNotice>,
) -> Result<(), CommandError> {
    let unreadable = |error| CommandError::Unreadable {
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
            troubles.push(VerifyNotice::new(
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
