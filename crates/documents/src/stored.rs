//! A document as bytes, and back.
//!
//! A header, what the document is made of, a checksum; then the indexes of the flows, each with a header
//! and checksum of its own. What follows from something else (the number of a line, its page) is not written.
//! The bytes may come from anywhere: nothing is taken on trust.

mod lines;

use passage::bytes::{ByteReader, checksum, write_number, write_text};
use passage::{IndexCodecError as IndexError, PassageTextIndex};

use crate::content_id::ContentId;
use crate::document::{Document, LineRole, TextStream, TextStreamRole};
use crate::metadata::{DocumentMetadata, MetadataDate, OutlineHeading, ReadWarning};
use lines::{read_line, read_page, write_line, write_page};

const MAGIC: &[u8; 4] = b"pdoc";
/// Changes with the format, and with what the readers make of a file.
const VERSION: u8 = 5;

/// Roles by the numbers that are written for them; a new one goes last.
const LINE_ROLES: &[LineRole] = &[
    LineRole::Text,
    LineRole::Heading,
    LineRole::Running,
    LineRole::PageNumber,
    LineRole::LineNumber,
    LineRole::Footnote,
    LineRole::Caption,
    LineRole::Aside,
];

/// The place of a role in `LINE_ROLES`.
fn line_role_number(role: LineRole) -> u8 {
    match role {
        LineRole::Text => 0,
        LineRole::Heading => 1,
        LineRole::Running => 2,
        LineRole::PageNumber => 3,
        LineRole::LineNumber => 4,
        LineRole::Footnote => 5,
        LineRole::Caption => 6,
        LineRole::Aside => 7,
    }
}

/// Roles by the numbers that are written for them; a new one goes last.
const FLOW_ROLES: &[TextStreamRole] = &[
    TextStreamRole::Body,
    TextStreamRole::Apart,
    TextStreamRole::Hidden,
    TextStreamRole::Markup,
    TextStreamRole::Alternative,
];

/// The place of a role in `FLOW_ROLES`.
fn flow_role_number(role: TextStreamRole) -> u8 {
    match role {
        TextStreamRole::Body => 0,
        TextStreamRole::Apart => 1,
        TextStreamRole::Hidden => 2,
        TextStreamRole::Markup => 3,
        TextStreamRole::Alternative => 4,
    }
}

/// Why bytes are no stored document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoredDocumentError {
    /// They begin differently.
    #[error("these bytes are no stored document")]
    NotADocument,
    /// They were written by another version of the program.
    #[error("the document was stored by another version of the program; read its file anew")]
    Version,
    /// They are damaged.
    #[error("the stored document is damaged; read its file anew")]
    Damaged,
}

impl From<IndexError> for StoredDocumentError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Version(_) => Self::Version,
            IndexError::NotAnIndex | IndexError::Damaged => Self::Damaged,
        }
    }
}

impl Document {
    /// The document as bytes, its indexes included: opening them costs far less than reading the file.
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
        let Self {
            id,
            media_type,
            title,
            metadata,
            outline,
            warnings,
            pages,
            lines,
            words: _,
            rendered_pages,
            confidences,
            text_streams,
        } = self;
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        // The length of this part, known at its end.
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(id.as_bytes());
        write_text(&mut out, media_type);
        write_option(&mut out, title.as_deref());
        write_about(&mut out, metadata);
        write_number(&mut out, outline.len() as u64);
        for heading in outline {
            write_heading(&mut out, heading);
        }
        write_number(&mut out, warnings.len() as u64);
        for warning in warnings {
            write_warning(&mut out, *warning);
        }
        write_number(&mut out, lines.len() as u64);
        let mut sheet = 0;
        for line in lines {
            write_line(&mut out, line, self.words_of(line), &mut sheet);
        }
        write_number(&mut out, u64::from(*rendered_pages));
        write_number(&mut out, pages.len() as u64);
        for page in pages {
            write_page(&mut out, page);
        }
        write_number(&mut out, confidences.len() as u64);
        out.extend_from_slice(confidences);
        let indexes: Vec<Vec<u8>> = text_streams
            .iter()
            .map(|flow| flow.index.to_bytes())
            .collect();
        write_number(&mut out, text_streams.len() as u64);
        for (TextStream { role, index: _ }, index) in text_streams.iter().zip(&indexes) {
            out.push(flow_role_number(*role));
            write_number(&mut out, index.len() as u64);
        }
        let length = (out.len() as u64).to_le_bytes();
        out[HEADER - 8..HEADER].copy_from_slice(&length);
        let sum = checksum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        for index in &indexes {
            out.extend_from_slice(index);
        }
        out
    }

    /// The document that [`Document::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredDocumentError> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or(StoredDocumentError::NotADocument)?;
        if rest.first().ok_or(StoredDocumentError::Damaged)? != &VERSION {
            return Err(StoredDocumentError::Version);
        }
        let (head, mut indexes) = split(bytes).ok_or(StoredDocumentError::Damaged)?;
        let mut head = ByteReader::new(head);
        let (mut document, flows) = read_document(&mut head).ok_or(StoredDocumentError::Damaged)?;
        for (role, size) in flows {
            let index = indexes.take(size).ok_or(StoredDocumentError::Damaged)?;
            let index = PassageTextIndex::from_bytes(index)?;
            document.text_streams.push(TextStream { role, index });
        }
        let has_body =
            document.text_streams.first().map(|flow| flow.role) == Some(TextStreamRole::Body);
        if !has_body || !head.is_empty() || !indexes.is_empty() {
            return Err(StoredDocumentError::Damaged);
        }
        Ok(document)
    }
}

/// Bytes before the first part: magic, version, length.
const HEADER: usize = MAGIC.len() + 1 + 8;

/// What the checksum covers, without the header; and what follows it.
fn split(bytes: &[u8]) -> Option<(&[u8], ByteReader<'_>)> {
    let length = bytes.get(HEADER - 8..HEADER)?.try_into().ok()?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    let (head, rest) = bytes.split_at_checked(length)?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    (checksum(head) == u64::from_le_bytes(*sum))
        .then(|| head.get(HEADER..).map(|head| (head, ByteReader::new(rest))))?
}

fn read_entry<T: Copy>(reader: &mut ByteReader<'_>, table: &[T]) -> Option<T> {
    table.get(*reader.take(1)?.first()? as usize).copied()
}

fn write_option(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => {
            out.push(1);
            write_text(out, text);
        }
        None => out.push(0),
    }
}

fn read_flag(reader: &mut ByteReader<'_>) -> Option<bool> {
    match reader.take(1)? {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

/// `None` if the bytes are wrong, `Some(None)` if there is no text.
#[expect(
    clippy::option_option,
    reason = "a text that is missing is not a fault"
)]
fn read_option(reader: &mut ByteReader<'_>) -> Option<Option<String>> {
    Some(match read_flag(reader)? {
        true => Some(reader.text()?.to_owned()),
        false => None,
    })
}

fn write_about(out: &mut Vec<u8>, about: &DocumentMetadata) {
    let DocumentMetadata {
        author,
        subject,
        keywords,
        created,
        modified,
    } = about;
    for text in [author, subject, keywords] {
        write_option(out, text.as_deref());
    }
    for date in [created, modified] {
        write_date(out, *date);
    }
}

fn read_about(reader: &mut ByteReader<'_>) -> Option<DocumentMetadata> {
    Some(DocumentMetadata {
        author: read_option(reader)?,
        subject: read_option(reader)?,
        keywords: read_option(reader)?,
        created: read_date(reader)?,
        modified: read_date(reader)?,
    })
}

fn write_date(out: &mut Vec<u8>, date: Option<MetadataDate>) {
    let Some(date) = date else {
        return out.push(0);
    };
    let MetadataDate {
        year,
        month,
        day,
        hour,
        minute,
        second,
        offset,
    } = date;
    out.push(1);
    out.extend_from_slice(&year.to_le_bytes());
    out.extend_from_slice(&[month, day, hour, minute, second]);
    out.extend_from_slice(&offset.to_le_bytes());
}

#[expect(
    clippy::option_option,
    reason = "a date that is missing is not a fault"
)]
fn read_date(reader: &mut ByteReader<'_>) -> Option<Option<MetadataDate>> {
    if !read_flag(reader)? {
        return Some(None);
    }
    let &[y0, y1, month, day, hour, minute, second, o0, o1] = reader.take(9)? else {
        return None;
    };
    Some(Some(MetadataDate {
        year: u16::from_le_bytes([y0, y1]),
        month,
        day,
        hour,
        minute,
        second,
        offset: i16::from_le_bytes([o0, o1]),
    }))
}

fn write_heading(out: &mut Vec<u8>, heading: &OutlineHeading) {
    let OutlineHeading { title, page, depth } = heading;
    write_text(out, title);
    write_number(out, page.map_or(0, |page| u64::from(page) + 1));
    write_number(out, u64::from(*depth));
}

fn read_heading(reader: &mut ByteReader<'_>) -> Option<OutlineHeading> {
    Some(OutlineHeading {
        title: reader.text()?.to_owned(),
        page: match reader.number()? {
            0 => None,
            page => Some(u32::try_from(page - 1).ok()?),
        },
        depth: reader.small()?,
    })
}

fn write_warning(out: &mut Vec<u8>, warning: ReadWarning) {
    match warning {
        ReadWarning::NoText { page } => {
            out.push(0);
            write_number(out, u64::from(page));
        }
        ReadWarning::NoWords { page } => {
            out.push(1);
            write_number(out, u64::from(page));
        }
        ReadWarning::NotRecognised { page } => {
            out.push(2);
            write_number(out, u64::from(page));
        }
        ReadWarning::NoPdf => out.push(3),
        ReadWarning::ImagesNotShown { images } => {
            out.push(4);
            write_number(out, u64::from(images));
        }
        ReadWarning::CutOff => out.push(5),
    }
}

fn read_warning(reader: &mut ByteReader<'_>) -> Option<ReadWarning> {
    match reader.take(1)? {
        [0] => Some(ReadWarning::NoText {
            page: reader.small()?,
        }),
        [1] => Some(ReadWarning::NoWords {
            page: reader.small()?,
        }),
        [2] => Some(ReadWarning::NotRecognised {
            page: reader.small()?,
        }),
        [3] => Some(ReadWarning::NoPdf),
        [4] => Some(ReadWarning::ImagesNotShown {
            images: reader.small()?,
        }),
        [5] => Some(ReadWarning::CutOff),
        _ => None,
    }
}

/// A list of entries, each of which takes at least one byte.
fn read_list<T>(
    reader: &mut ByteReader<'_>,
    mut read: impl FnMut(&mut ByteReader<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let count = reader.count()?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(read(reader)?);
    }
    Some(list)
}

/// A document that lacks its flows; and these: what each is, and how many bytes its index has.
fn read_document(reader: &mut ByteReader<'_>) -> Option<(Document, Vec<(TextStreamRole, usize)>)> {
    let id = ContentId::from_bytes(reader.take(32)?.try_into().ok()?);
    let media_type = reader.text()?.to_owned();
    let title = read_option(reader)?;
    let metadata = read_about(reader)?;
    let outline = read_list(reader, read_heading)?;
    let warnings = read_list(reader, read_warning)?;
    let mut words = Vec::new();
    let mut sheet = 0;
    let mut lines = read_list(reader, |reader| read_line(reader, &mut words, &mut sheet))?;
    let rendered_pages = reader.small()?;
    let (mut number, mut at) = (0u32, 0);
    let pages = read_list(reader, |reader| {
        number = number.checked_add(1)?;
        let page = read_page(reader, number, at, &mut lines)?;
        at = page.lines.end;
        Some(page)
    })?;
    if pages.is_empty() || at as usize != lines.len() {
        return None;
    }
    let count = reader.count()?;
    let confidences = reader.take(count)?.to_vec();
    let fits = confidences.is_empty() || confidences.len() == words.len();
    if !fits || confidences.iter().any(|sure| *sure > 100) {
        return None;
    }
    let flows = read_list(reader, |reader| {
        Some((read_entry(reader, FLOW_ROLES)?, reader.size()?))
    })?;
    let document = Document {
        id,
        media_type,
        title,
        metadata,
        outline,
        warnings,
        pages,
        lines,
        words,
        rendered_pages,
        confidences,
        text_streams: Vec::new(),
    };
    Some((document, flows))
}

#[cfg(test)]
mod tests;
