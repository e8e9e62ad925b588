//! Sources of a verification: files, folders and URLs.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

use citations::Citation;
use citations::resolve::{SourceCandidate, SourceMatch, SourceQuery};
use documents::{Document, ReadWarning};

use super::VerifyNotice;
use super::aliases::{SourceAliases, mentions};
use super::own_files::OwnFiles;
use crate::command_error::CommandError;
use crate::document_reader::{DocumentReader, ReaderContext, UnusableFile, file_name, is_url};
use crate::progress::ProgressLine;

/// Limit on the files of all folders together.
const MAX_FILES: usize = 10_000;

/// A source that was read.
pub(super) struct SourceFile {
    /// Id from the command line, or the file name.
    pub(super) id: String,
    pub(super) path: PathBuf,
    /// Position among the files given, from 0.
    pub(super) number: u64,
    pub(super) document: Document,
    password: String,
    /// Bytes of a source that was downloaded.
    fetched: Option<Vec<u8>>,
}

/// A document, with its bytes if it was downloaded.
type ReadResult = Result<(Document, Option<Vec<u8>>), UnusableFile>;

impl SourceFile {
    /// Returns the bytes of the source; a file is read again.
    pub(super) fn bytes(&self) -> std::io::Result<Cow<'_, [u8]>> {
        match &self.fetched {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => fs::read(&self.path).map(Cow::Owned),
        }
    }

    pub(super) fn file_name(&self) -> String {
        file_name(&self.path)
    }

    pub(super) fn password(&self) -> &str {
        &self.password
    }

    /// Returns the names by which a citation can refer to this source.
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

/// Sources of a verification.
pub(super) struct SourceSet {
    all: Vec<SourceFile>,
    aliases: SourceAliases,
}

impl SourceSet {
    /// Reads the sources. Adds a notice for each that cannot be read. The answer itself is left out.
    pub(super) fn read(
        given: &[String],
        own: &OwnFiles,
        context: &ReaderContext,
        notices: &mut Vec<VerifyNotice>,
    ) -> Result<Self, CommandError> {
        let files = files_of(given, own, notices)?;
        let ids: Vec<&str> = files.iter().filter_map(|(id, _)| id.as_deref()).collect();
        let opened = read_all(&files, &ids, context);
        let passwords: Vec<String> = files
            .iter()
            .map(|(id, path)| context.password_of(path, id.as_deref(), &ids).to_owned())
            .collect();
        let mut all = Vec::new();
        let files = files.into_iter().zip(passwords).zip(opened).enumerate();
        for (number, (((id, path), password), opened)) in files {
            match opened {
                Ok((document, fetched)) => {
                    if let Some(notice) = own.refuse_document(&path, &document) {
                        notices.push(notice);
                        continue;
                    }
                    let id = id.unwrap_or_else(|| file_name(&path));
                    for warning in document.warnings() {
                        let code = match warning {
                            ReadWarning::NoPdf => "other_kind",
                            ReadWarning::ImagesNotShown { .. } => "image_not_shown",
                            _ => "unreadable_page",
                        };
                        notices.push(
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
                Err(UnusableFile { reason, hint }) => notices.push(
                    VerifyNotice::new(
                        "unreadable_source",
                        format!("cannot read {}: {reason}; {hint}", path.display()),
                    )
                    .with("source", path.display().to_string())
                    .with("reason", reason)
                    .with("hint", hint),
                ),
            }
        }
        let is_left_out = |notice: &VerifyNotice| notice.code == "answer_as_source";
        if all.is_empty() && !notices.is_empty() && notices.iter().all(is_left_out) {
            return Err(CommandError::Usage(
                "the only source is the answer itself; name the documents that it quotes with --source",
            ));
        }
        let aliases = SourceAliases::default();
        Ok(Self { all, aliases })
    }

    /// Sets the names that the answer uses for sources.
    pub(super) fn with_aliases(mut self, aliases: SourceAliases) -> Self {
        self.aliases = aliases;
        self
    }

    /// Returns the sources that were read.
    pub(super) fn all(&self) -> &[SourceFile] {
        &self.all
    }

    /// Returns the sources that a citation names, by their index in [`SourceSet::all`].
    pub(super) fn find(&self, query: &SourceQuery<'_>) -> SourceMatch {
        let candidates: Vec<SourceCandidate<'_>> =
            self.all.iter().map(SourceFile::candidate).collect();
        query.find(&candidates)
    }

    /// Returns the name of the source that an alias means, if the name is one.
    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        self.aliases.target(name)
    }

    /// Returns the name under which to look for the source of a reference that a person wrote: an alias, a name of a
    /// source, or a text that mentions either. Returns `None` if it means no source that was given.
    pub(super) fn name_of_reference<'n>(&'n self, reference: &'n str) -> Option<&'n str> {
        let name = self.aliases.target(reference).unwrap_or(reference);
        if self.has_source(name) {
            return Some(name);
        }
        let mentioned = self.aliases.mentioned(reference);
        if let Some(name) = mentioned.filter(|name| self.has_source(name)) {
            return Some(name);
        }
        let mut titled = self.all.iter().filter(|source| {
            let stem = source.path.file_stem().and_then(OsStr::to_str);
            let names = [source.document.title(), stem, Some(source.id.as_str())];
            names
                .into_iter()
                .flatten()
                .any(|name| mentions(reference, name))
        });
        // A reference that mentions several sources is ambiguous.
        let found = titled.next().filter(|_| titled.next().is_none());
        found.map(|source| source.id.as_str())
    }

    fn has_source(&self, name: &str) -> bool {
        let citation = Citation {
            attachment_id: Some(name.to_owned()),
            ..Citation::default()
        };
        let found = self.find(&SourceQuery::new(&citation, None));
        matches!(found, SourceMatch::Named(_))
    }
}

/// Checks the sources of the command line: every file exists, and no two have the same id.
pub(super) fn check_given(given: &[String]) -> Result<(), CommandError> {
    let mut ids = Vec::new();
    for given in given {
        let (id, path) = split(given);
        if is_url(&path) {
            continue;
        }
        if !path.exists() {
            let similar = similar_name(&path);
            return Err(CommandError::NoSuchSource { path, similar });
        }
        if let Some(id) = id {
            if ids.contains(&id) {
                return Err(CommandError::Configuration(format!(
                    "two sources have the id '{id}'; give each --source an id of its own"
                )));
            }
            ids.push(id);
        }
    }
    Ok(())
}

/// Returns the path of a file in the same folder with a similar name.
fn similar_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = entries
        .take(MAX_FILES)
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let scored = names.map(|other| (strsim::jaro_winkler(name, &other), other));
    let (score, best) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let best = folder.map_or_else(|| PathBuf::from(&best), |folder| folder.join(&best));
    (score > 0.85).then(|| best.display().to_string())
}

/// Returns the files of all arguments with their ids; folders are replaced by their files.
///
/// The answer itself and reports about it are left out.
pub(super) fn files_of(
    given: &[String],
    own: &OwnFiles,
    notices: &mut Vec<VerifyNotice>,
) -> Result<Vec<(Option<String>, PathBuf)>, CommandError> {
    let mut files = Vec::new();
    for given in given {
        let (id, path) = split(given);
        if fs::metadata(&path).is_ok_and(|found| found.is_dir()) {
            collect_folder(&path, own, &mut files, notices)?;
        } else if let Some(notice) = own.refuse_path(&path) {
            notices.push(notice);
        } else {
            files.push((id, path));
        }
    }
    Ok(files)
}

/// Returns true if a name can be the id of a source on the command line.
pub(super) fn is_source_id(name: &str) -> bool {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    !name.is_empty() && name.chars().all(is_allowed)
}

/// Splits `ID=FILE`; the id is optional.
fn split(given: &str) -> (Option<String>, PathBuf) {
    if let Some((id, path)) = given.split_once('=') {
        // An existing file may have `=` in its name.
        if is_source_id(id) && !Path::new(given).exists() {
            return (Some(id.to_owned()), PathBuf::from(path));
        }
    }
    (None, PathBuf::from(given))
}

/// Reads files on several threads. The results have the order of the files.
fn read_all(
    files: &[(Option<String>, PathBuf)],
    ids: &[&str],
    context: &ReaderContext,
) -> Vec<ReadResult> {
    let next = AtomicUsize::new(0);
    let progress = Mutex::new(ProgressLine::new("sources read", files.len()));
    let opened: Vec<OnceLock<ReadResult>> = files.iter().map(|_| OnceLock::new()).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers.min(files.len()) {
            scope.spawn(|| {
                let mut reader = DocumentReader::new(context);
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((id, path)) = files.get(at) else {
                        break;
                    };
                    let document = reader.open(path, id.as_deref(), ids, |detail| {
                        if let Ok(mut progress) = progress.try_lock() {
                            progress.set_detail(detail);
                        }
                    });
                    // Only one thread takes each number, so this cannot fail.
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

/// Adds the files of a folder and its subfolders in alphabetical order, without hidden ones.
fn collect_folder(
    folder: &Path,
    own: &OwnFiles,
    files: &mut Vec<(Option<String>, PathBuf)>,
    notices: &mut Vec<VerifyNotice>,
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
            notices.push(VerifyNotice::new(
                "unreadable_source",
                format!(
                    "more than {MAX_FILES} source files; skipped the rest of {}",
                    folder.display()
                ),
            ));
            break;
        }
        // Folders that are symbolic links may form cycles.
        if path.is_dir() && !path.is_symlink() {
            collect_folder(&path, own, files, notices)?;
        } else if let Some(notice) = own.refuse_listed(&path) {
            notices.push(notice);
        } else if !path.is_dir() {
            files.push((None, path));
        }
    }
    Ok(())
}
