//! Files that are never sources of the answer: the answer itself, its copies, and reports about it.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use documents::{ContentId, Document, LineRole};

use super::VerifyNotice;

/// Bytes at the beginning of a file in which the signs of a report are searched.
const REPORT_START: usize = 4096;

/// Texts at the beginning of the reports that this program writes.
const REPORT_SIGNS: [&str; 5] = [
    "<meta name=\"generator\" content=\"pincite ",
    "{\"verifications\":{",
    "{\"driver\":{\"name\":\"pincite\"",
    "<testsuite name=\"pincite verify\"",
    "| | state | quote | place |",
];

/// Files of the answer: by path, by content and by their letters.
#[derive(Debug, Default)]
pub(super) struct OwnFiles {
    /// Paths with the reasons why they are not sources.
    paths: Vec<(PathBuf, &'static str)>,
    contents: Vec<ContentId>,
    letters: Vec<ContentId>,
}

impl OwnFiles {
    /// Adds a file by its path. The reason continues a sentence that begins with the path.
    pub(super) fn add_path(&mut self, path: &Path, reason: &'static str) {
        self.paths
            .extend(fs::canonicalize(path).map(|path| (path, reason)));
    }

    /// Adds a content. `text` is the text in it.
    pub(super) fn add_content(&mut self, bytes: &[u8], text: &str) {
        self.contents.push(ContentId::of(bytes));
        self.letters.extend(letters_id(text.chars()));
    }

    /// Adds the text of a document.
    pub(super) fn add_document(&mut self, document: &Document) {
        self.letters.extend(document_letters(document));
    }

    /// Returns a notice if the file at a path is not a source.
    pub(super) fn refuse_path(&self, path: &Path) -> Option<VerifyNotice> {
        let found = fs::canonicalize(path).ok()?;
        let own = self.paths.iter().find(|(own, _)| *own == found);
        own.map(|(_, reason)| own_notice(path, reason))
    }

    /// Returns a notice if a file of a folder is not a source: it is the answer or a report of this program.
    pub(super) fn refuse_listed(&self, path: &Path) -> Option<VerifyNotice> {
        let refused = self.refuse_path(path);
        refused.or_else(|| is_report(path).then(|| own_notice(path, "is a report about an answer")))
    }

    /// Returns a notice if a document has the content of the answer.
    pub(super) fn refuse_document(&self, path: &Path, document: &Document) -> Option<VerifyNotice> {
        let is_own = self.contents.contains(&document.id())
            || document_letters(document).is_some_and(|letters| self.letters.contains(&letters));
        is_own.then(|| own_notice(path, "has the content of the answer"))
    }
}

fn own_notice(path: &Path, reason: &str) -> VerifyNotice {
    let shown = path.display().to_string();
    VerifyNotice::new(
        "answer_as_source",
        format!("{shown} {reason} and was not used as a source"),
    )
    .with("source", shown)
}

/// Returns true if a file is a report of this program.
fn is_report(path: &Path) -> bool {
    let mut start = Vec::new();
    let Ok(file) = File::open(path) else {
        return false;
    };
    // A file that cannot be read is reported when it is read as a source.
    let _ = file.take(REPORT_START as u64).read_to_end(&mut start);
    let start = String::from_utf8_lossy(&start);
    REPORT_SIGNS.iter().any(|sign| start.contains(sign))
}

/// Returns the letters of a document without comments and running lines.
fn document_letters(document: &Document) -> Option<ContentId> {
    let lines = document.lines().iter().filter(|line| {
        !matches!(
            line.role,
            LineRole::Aside | LineRole::Running | LineRole::PageNumber
        )
    });
    letters_id(lines.flat_map(|line| line.text.chars()))
}

/// Returns the hash of the letters and digits of a text; `None` if it has none.
fn letters_id(chars: impl Iterator<Item = char>) -> Option<ContentId> {
    let letters: String = chars.filter(|char| char.is_alphanumeric()).collect();
    (!letters.is_empty()).then(|| ContentId::of(letters.as_bytes()))
}
