//! Answer to check: a text, or a DOCX, PDF or HTML document.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use documents::{Document, decode_text, is_pdf};

use super::html_answer::{html_text, with_footnote_marks};
use super::manuscript::Manuscript;
use super::own_files::OwnFiles;
use super::pdf_answer::pdf_text;
use crate::command_error::CommandError;
use crate::document_reader::{DocumentReader, ReaderContext, UnusableFile};

/// Byte order mark of UTF-8.
const MARK: &str = "\u{feff}";

/// Answer to check.
pub(super) struct AnswerFile {
    path: Option<PathBuf>,
    bytes: Vec<u8>,
    /// Text with its citations.
    pub(super) text: String,
    /// Number of bytes of the file before the text, or `None` if the text is not that of the file.
    pub(super) offset: Option<usize>,
    document: Option<Document>,
    /// Content of a DOCX.
    pub(super) manuscript: Option<Manuscript>,
}

impl AnswerFile {
    /// Reads a file, or standard input without a path.
    pub(super) fn read(path: Option<&Path>, context: &ReaderContext) -> Result<Self, CommandError> {
        let is_named = path.is_some();
        let path = path.filter(|path| path.as_os_str() != "-");
        let bytes = read_bytes(path, is_named)?;
        let mut answer = Self {
            path: path.map(Path::to_owned),
            bytes,
            text: String::new(),
            offset: None,
            document: None,
            manuscript: None,
        };
        let name = path.unwrap_or(Path::new("standard input")).to_owned();
        answer
            .read_content(&name, context)
            .map_err(
                |UnusableFile { reason, hint }| CommandError::UnusableAnswer {
                    path: name,
                    reason,
                    hint,
                },
            )?;
        Ok(answer)
    }

    fn read_content(&mut self, name: &Path, context: &ReaderContext) -> Result<(), UnusableFile> {
        if self.bytes.starts_with(b"PK\x03\x04") {
            let document = open_document(&self.bytes, name, context)?;
            let limit = context.limits().limits.decompressed;
            let manuscript =
                Manuscript::read(&self.bytes, limit).map_err(|error| UnusableFile {
                    reason: error.to_string(),
                    hint: "save it again as DOCX".to_owned(),
                })?;
            self.text = manuscript.text().to_owned();
            self.document = Some(document);
            self.manuscript = Some(manuscript);
            return Ok(());
        }
        if is_pdf(&self.bytes) {
            let document = open_document(&self.bytes, name, context)?;
            self.text = pdf_text(&document);
            self.document = Some(document);
            return Ok(());
        }
        let decoded = decode_text(&self.bytes, &name.to_string_lossy());
        // Control characters do not make UTF-8 a binary file, except the null character.
        let utf8 = std::str::from_utf8(&self.bytes)
            .ok()
            .filter(|text| !text.contains('\0'));
        let text = match (decoded, utf8) {
            (Ok(_) | Err(documents::DocumentError::NotText { .. }), Some(text)) => {
                let plain = text.strip_prefix(MARK).unwrap_or(text);
                self.offset = Some(text.len() - plain.len());
                plain.to_owned()
            }
            (Ok(text), None) => text,
            (Err(error), _) => {
                return Err(UnusableFile {
                    reason: error.to_string(),
                    hint: error.hint().to_owned(),
                });
            }
        };
        self.text = text;
        if is_html(&self.text, name) {
            let marked = with_footnote_marks(&self.text);
            let document = open_document(marked.as_bytes(), Path::new("answer.html"), context)?;
            self.text = html_text(&document);
            self.offset = None;
            self.document = Some(document);
        }
        Ok(())
    }

    /// Returns the path of the file; `None` for standard input.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the files that are never sources of this answer.
    pub(super) fn own_files(&self) -> OwnFiles {
        let mut own = OwnFiles::default();
        if let Some(path) = &self.path {
            own.add_path(path, "is the answer itself");
        }
        own.add_content(&self.bytes, &self.text);
        if let Some(document) = &self.document {
            own.add_document(document);
        }
        own
    }
}

/// Reads bytes as a document, in the sandbox.
fn open_document(
    bytes: &[u8],
    name: &Path,
    context: &ReaderContext,
) -> Result<Document, UnusableFile> {
    DocumentReader::new(context).read_bytes(bytes, name)
}

/// Returns true for an HTML page. One with citations of models is read as text, because its tags are the citations.
fn is_html(text: &str, name: &Path) -> bool {
    let extension = name
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    let is_named = extension
        .is_some_and(|extension| extension == "html" || extension == "htm" || extension == "xhtml");
    let start = text.trim_start().as_bytes();
    let begins_with = |tag: &str| {
        let tag = tag.as_bytes();
        start
            .get(..tag.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(tag))
    };
    let has_citations = text.contains("<<<CITATION_DATA>>>") || text.contains("attachment_id=");
    (is_named || begins_with("<!doctype html") || begins_with("<html")) && !has_citations
}

/// Reads a file, or standard input, which may be a terminal only if it was named.
fn read_bytes(path: Option<&Path>, is_named: bool) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    match path {
        Some(path) => {
            bytes = std::fs::read(path).map_err(|error| CommandError::Unreadable {
                path: path.to_owned(),
                error,
            })?;
        }
        None if !is_named && std::io::stdin().is_terminal() => {
            return Err(CommandError::Usage(
                "no answer to check; name a file or pipe the answer in (see --help)",
            ));
        }
        None => drop(std::io::stdin().read_to_end(&mut bytes)?),
    }
    Ok(bytes)
}
