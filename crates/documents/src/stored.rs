//! Stored form of a document.
//!
//! A header, the document without words and indexes in the format of `postcard`, the packed words, and a checksum;
//! then the indexes of the text streams, each with a header and checksum of its own. Facts that follow from others,
//! such as the number of a line, are not stored. The bytes are untrusted.

mod words;

use std::ops::Range;

use passage::bytes::checksum;
use passage::{IndexCodecError, PassageTextIndex};
use serde::{Deserialize, Serialize};

use crate::content_id::ContentId;
use crate::document::{Document, Line, LineRole, Page, TextStream, TextStreamRole};
use crate::geometry::PageSize;
use crate::metadata::{DocumentMetadata, OutlineHeading, ReadWarning};
use words::{WordReader, WordWriter};

const MAGIC: &[u8; 4] = b"pdoc";
/// Version of the format and of the readers: a change of either needs a new one.
const VERSION: u8 = 7;
/// Bytes before the document: magic, version, and the end of the words as `u64`.
const HEADER: usize = MAGIC.len() + 1 + 8;

/// Error of decoding a stored document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoredDocumentError {
    /// Bytes that begin differently.
    #[error("these bytes are no stored document")]
    NotADocument,
    /// Document that was stored by another version of the program.
    #[error("the document was stored by another version of the program; read its file anew")]
    Version,
    /// Damaged bytes.
    #[error("the stored document is damaged; read its file anew")]
    Damaged,
}

impl From<IndexCodecError> for StoredDocumentError {
    fn from(error: IndexCodecError) -> Self {
        match error {
            IndexCodecError::Version(_) => Self::Version,
            IndexCodecError::NotAnIndex | IndexCodecError::Damaged => Self::Damaged,
        }
    }
}

/// Document without words and indexes, as it is stored.
#[derive(Serialize, Deserialize)]
struct EncodedDocument<'d> {
    id: [u8; 32],
    media_type: &'d str,
    title: Option<&'d str>,
    metadata: DocumentMetadata,
    outline: Vec<OutlineHeading>,
    warnings: Vec<ReadWarning>,
    #[serde(borrow)]
    pages: Vec<StoredPage<'d>>,
    #[serde(borrow)]
    lines: Vec<StoredLine<'d>>,
    /// Numbers of the lines; empty if they count from 1 on each page.
    line_numbers: Vec<u32>,
    rendered_pages: u32,
    confidences: Vec<u8>,
    /// Roles of the text streams with the sizes of their indexes in bytes.
    text_streams: Vec<(TextStreamRole, usize)>,
}

#[derive(Serialize, Deserialize)]
struct StoredPage<'d> {
    label: Option<&'d str>,
    size: Option<PageSize>,
    /// Number of lines.
    lines: u32,
}

#[derive(Serialize, Deserialize)]
struct StoredLine<'d> {
    role: LineRole,
    text: &'d str,
    /// Number of words.
    words: u32,
}

impl Document {
    /// Encodes the document with its indexes. Decoding costs far less than reading the file.
    ///
    /// ```
    /// use documents::{Document, ReadLimits};
    ///
    /// let document = Document::read(b"The tide was high.", "tides.txt", &ReadLimits::default())?;
    /// let stored = document.to_bytes();
    /// assert_eq!(Document::from_bytes(&stored), Ok(document));
    /// # Ok::<(), documents::DocumentError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let indexes: Vec<Vec<u8>> = self
            .text_streams
            .iter()
            .map(|stream| stream.index.to_bytes())
            .collect();
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        // End of the words, set below.
        out.extend_from_slice(&[0; 8]);
        // Writing to memory cannot fail; an empty document would be refused as damaged.
        let mut out = postcard::to_extend(&self.to_stored(&indexes), out).unwrap_or_default();
        let mut words = WordWriter::default();
        for line in &self.lines {
            words.write_line(&mut out, self.words_of(line));
        }
        let end = (out.len() as u64).to_le_bytes();
        if let Some(field) = out.get_mut(HEADER - 8..HEADER) {
            field.copy_from_slice(&end);
        }
        let sum = checksum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        for index in &indexes {
            out.extend_from_slice(index);
        }
        out
    }

    fn to_stored(&self, indexes: &[Vec<u8>]) -> EncodedDocument<'_> {
        let sizes = indexes.iter().map(Vec::len);
        EncodedDocument {
            id: *self.id.as_bytes(),
            media_type: &self.media_type,
            title: self.title.as_deref(),
            metadata: self.metadata.clone(),
            outline: self.outline.clone(),
            warnings: self.warnings.clone(),
            pages: self.pages.iter().map(store_page).collect(),
            lines: self.lines.iter().map(store_line).collect(),
            line_numbers: self.own_line_numbers(),
            rendered_pages: self.rendered_pages,
            confidences: self.confidences.clone(),
            text_streams: self
                .text_streams
                .iter()
                .map(|stream| stream.role)
                .zip(sizes)
                .collect(),
        }
    }

    /// Returns the numbers of the lines, or nothing if they count from 1 on each page.
    fn own_line_numbers(&self) -> Vec<u32> {
        let is_counted = self.pages.iter().all(|page| {
            let on_page = self
                .lines
                .get(page.lines.start as usize..page.lines.end as usize);
            (1..)
                .zip(on_page.unwrap_or_default())
                .all(|(number, line)| line.number == number)
        });
        match is_counted {
            true => Vec::new(),
            false => self.lines.iter().map(|line| line.number).collect(),
        }
    }

    /// Decodes a document that [`Document::to_bytes`] has encoded.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredDocumentError> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or(StoredDocumentError::NotADocument)?;
        if rest.first().ok_or(StoredDocumentError::Damaged)? != &VERSION {
            return Err(StoredDocumentError::Version);
        }
        let (stored, mut indexes) = split(bytes).ok_or(StoredDocumentError::Damaged)?;
        let (stored, words) = postcard::take_from_bytes::<EncodedDocument<'_>>(stored)
            .map_err(|_| StoredDocumentError::Damaged)?;
        let mut text_streams = Vec::new();
        for (role, size) in &stored.text_streams {
            let (index, rest) = indexes
                .split_at_checked(*size)
                .ok_or(StoredDocumentError::Damaged)?;
            let (role, index) = (*role, PassageTextIndex::from_bytes(index)?);
            text_streams.push(TextStream { role, index });
            indexes = rest;
        }
        let has_body = text_streams.first().map(|stream| stream.role) == Some(TextStreamRole::Body);
        if !has_body || !indexes.is_empty() {
            return Err(StoredDocumentError::Damaged);
        }
        restore(stored, words, text_streams).ok_or(StoredDocumentError::Damaged)
    }
}

/// Returns the bytes of the document and its words, if the checksum is right, and those of the indexes.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.get(HEADER - 8..HEADER)?.try_into().ok()?;
    let end = usize::try_from(u64::from_le_bytes(end)).ok()?;
    let (head, rest) = bytes.split_at_checked(end)?;
    let (sum, indexes) = rest.split_first_chunk::<8>()?;
    (checksum(head) == u64::from_le_bytes(*sum)).then_some(())?;
    Some((head.get(HEADER..)?, indexes))
}

fn store_page(page: &Page) -> StoredPage<'_> {
    StoredPage {
        label: page.label.as_deref(),
        size: page.size,
        lines: page.lines.end - page.lines.start,
    }
}

fn store_line(line: &Line) -> StoredLine<'_> {
    StoredLine {
        role: line.role,
        text: &line.text,
        words: line.words.end - line.words.start,
    }
}

/// Makes the document again. Returns `None` if its numbers contradict each other.
fn restore(
    stored: EncodedDocument<'_>,
    packed_words: &[u8],
    text_streams: Vec<TextStream>,
) -> Option<Document> {
    let mut words = Vec::new();
    let mut lines = Vec::with_capacity(stored.lines.len());
    let mut reader = WordReader::new(packed_words);
    for line in stored.lines {
        let first = u32::try_from(words.len()).ok()?;
        reader.read_line(line.words, &mut words)?;
        lines.push(Line {
            page: 0,
            number: 0,
            text: line.text.to_owned(),
            role: line.role,
            words: first..u32::try_from(words.len()).ok()?,
        });
    }
    let mut pages = Vec::with_capacity(stored.pages.len());
    let mut start = 0;
    for (number, page) in (1..).zip(stored.pages) {
        let range = restore_lines(&mut lines, number, start, page.lines)?;
        start = range.end;
        pages.push(Page {
            number,
            label: page.label.map(str::to_owned),
            size: page.size,
            lines: range,
        });
    }
    let has_numbers = restore_line_numbers(&mut lines, &stored.line_numbers);
    let has_all =
        has_numbers && !pages.is_empty() && start as usize == lines.len() && reader.is_empty();
    let confidences = stored.confidences;
    let has_confidences = confidences.is_empty() || confidences.len() == words.len();
    let is_valid = has_all && has_confidences && confidences.iter().all(|percent| *percent <= 100);
    is_valid.then(|| Document {
        id: ContentId::from_bytes(stored.id),
        media_type: stored.media_type.to_owned(),
        title: stored.title.map(str::to_owned),
        metadata: stored.metadata,
        outline: stored.outline,
        warnings: stored.warnings,
        pages,
        lines,
        words,
        rendered_pages: stored.rendered_pages,
        confidences,
        text_streams,
    })
}

/// Numbers the next lines, which are those of a page. Returns their range.
fn restore_lines(lines: &mut [Line], page: u32, start: u32, count: u32) -> Option<Range<u32>> {
    let end = start.checked_add(count)?;
    let on_page = lines.get_mut(start as usize..end as usize)?;
    for (number, line) in (1..).zip(on_page) {
        (line.page, line.number) = (page, number);
    }
    Some(start..end)
}

/// Sets the numbers of lines that have numbers of their own. Returns false if the numbers are invalid.
fn restore_line_numbers(lines: &mut [Line], numbers: &[u32]) -> bool {
    for (line, number) in lines.iter_mut().zip(numbers) {
        line.number = *number;
    }
    numbers.is_empty() || numbers.len() == lines.len()
}

#[cfg(test)]
mod tests;
