//! Reader of PDF files: words with boxes, in reading order.
//!
//! ```text
//! content ──▶ PageGlyphs ──▶ LineSegment ──▶ SegmentRow ──▶ PdfLine ──▶ LineRole ──▶ DocumentDraft
//! content     glyphs         line_segments   reading_order  line        line_roles
//! ```
//!
//! Pages are read one by one, and only their lines are kept. Running heads can be recognised only
//! with all pages, so roles and text streams are assigned last.

mod accents;
mod alternate_order;
mod bidi;
mod bounded_streams;
mod catalog;
mod content;
mod dot_leaders;
mod font;
mod glyph_names;
mod glyphs;
mod hidden_layers;
mod line;
mod line_numbers;
mod line_roles;
mod line_segments;
mod margin_notes;
mod reading_order;
mod ruled_tables;
mod text_strings;
mod words;

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use passage::PieceBreak;

use self::bidi::is_right_to_left;
use self::bounded_streams::check_object_streams;
use self::catalog::{PdfCatalog, read_metadata, read_title};
use self::content::{ContentInterpreter, FormDefaults};
use self::glyphs::{PageGlyphs, TextDirection};
use self::hidden_layers::HiddenLayers;
use self::line::{PdfLine, page_lines, recognised_lines};
use self::line_roles::{BodyMetrics, Margins, assign_roles, outline_titles};
use self::margin_notes::TextArea;
use self::ruled_tables::{CellPart, ruled_rows};
use crate::builder::DocumentDraft;
use crate::document::{LineRole, TextStreamRole};
use crate::error::DocumentError;
use crate::geometry::PageSize;
use crate::metadata::ReadWarning;
use crate::read_options::ReadOptions;

/// Reads a PDF.
pub(crate) fn read(
    bytes: &[u8],
    reading: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Result<(), DocumentError> {
    let pdf = open(bytes, reading)?;
    let count = pdf.pages().len();
    let catalog = PdfCatalog::new(&pdf);
    if let Some(title) = read_title(pdf.metadata()) {
        draft.builder.title(title);
    }
    draft.builder.metadata(read_metadata(pdf.metadata()));
    if !is_complete(bytes) {
        draft.builder.add_warning(ReadWarning::CutOff);
    }
    // The language of a PDF is ignored: it is too often the default of the program that wrote the
    // file to decide the meaning of a comma.
    let outline = catalog.outline();
    let (pages, tables): (Vec<_>, Vec<_>) = read_pages(&pdf, reading, draft)?.into_iter().unzip();
    let body = BodyMetrics::of_pages(&pages);
    let margins = Margins::of_pages(&pages, &body);
    let titles = outline_titles(&outline);
    for heading in outline {
        draft.builder.add_heading(heading);
    }
    let labels = catalog.page_labels(count);
    let pages = pages.into_iter().zip(tables).enumerate();
    for ((at, (lines, table)), label) in pages.zip(labels) {
        if at > 0 {
            draft.begin_page()?;
        }
        let size = pdf.pages().get(at).map(|page| {
            let (width, height) = page.render_dimensions();
            PageSize { width, height }
        });
        draft.builder.set_page(label, size);
        // Sizes of recognised lines are too inexact to derive roles from them.
        let roles: Vec<LineRole> = assign_roles(&lines, at as u32 + 1, &body, &margins, &titles)
            .into_iter()
            .zip(&lines)
            .map(|(role, line)| match line.confidences.is_empty() {
                true => role,
                false => LineRole::Text,
            })
            .collect();
        add_page(lines, roles, table, draft)?;
    }
    Ok(())
}

/// Lines of a page, and the rows of its ruled tables.
type PageLines = (Vec<PdfLine>, Vec<CellPart>);

/// Reads the lines of all pages, and the rows of their ruled tables.
fn read_pages(
    pdf: &Pdf,
    reading: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Result<Vec<PageLines>, DocumentError> {
    let count = pdf.pages().len() as u32;
    let mut pages = Vec::new();
    let mut area = TextArea::default();
    let xref = pdf.xref();
    let forms = FormDefaults::of_catalog(&xref.get(xref.root_id()).unwrap_or_default());
    let mut interpreter = ContentInterpreter::new(reading, HiddenLayers::of_file(xref), forms);
    for (number, page) in (1..).zip(pdf.pages().iter()) {
        if (reading.give_up)() {
            return Err(DocumentError::GivenUp { page: number });
        }
        let glyphs = interpreter.page(page, number)?;
        let lines = match glyphs.shows_unreadable() {
            true => unreadable_page_lines(&glyphs, &mut area, number, reading, draft),
            false => page_lines(&glyphs, &mut area, number),
        };
        let words: usize = lines.iter().map(|line| line.words.len()).sum();
        let limit = reading.limits.words_per_page;
        if words > limit {
            return Err(DocumentError::TooManyWords {
                page: number,
                limit,
            });
        }
        let right_to_left = is_right_to_left(&glyphs, TextDirection::Right);
        let table = ruled_rows(&lines, &glyphs.rules, right_to_left);
        pages.push((lines, table));
        (reading.progress)(number, count);
    }
    Ok(pages)
}

/// Adds the lines of a page to the document, and its alternate reading orders.
fn add_page(
    lines: Vec<PdfLine>,
    roles: Vec<LineRole>,
    table: Vec<CellPart>,
    draft: &mut DocumentDraft<'_>,
) -> Result<(), DocumentError> {
    let is_body: Vec<bool> = roles.iter().map(|role| role.is_body()).collect();
    let first = draft.line_count();
    for passage in alternate_order::alternate_passages(&lines, &is_body) {
        let last = passage.len() - 1;
        for (at, cell) in passage.into_iter().enumerate() {
            let text = &lines[cell.line].text[cell.range];
            let then = if at == last {
                PieceBreak::Cell
            } else {
                PieceBreak::Line
            };
            let line = first + cell.line as u32;
            draft
                .builder
                .add_text(TextStreamRole::Alternative, line, text, then);
        }
    }
    for part in table {
        let text = &lines[part.line].text[part.range];
        let line = first + part.line as u32;
        draft
            .builder
            .add_text(TextStreamRole::Alternative, line, text, part.then);
    }
    for (line, role) in lines.into_iter().zip(roles) {
        let at = draft.add_line(&line.text)?;
        draft.builder.set_line(role, line.words);
        draft.builder.set_confidences(&line.confidences);
        let stream = if role.is_body() {
            TextStreamRole::Body
        } else {
            TextStreamRole::Apart
        };
        for (cell, then) in split_cells(&line.text) {
            draft.builder.add_text(stream, at, cell, then);
        }
    }
    Ok(())
}

/// Number of bytes at the end of a file in which readers search for the position of the
/// cross-reference table.
const TRAILER_BYTES: usize = 1024;

/// Returns true if the file is complete up to the position of its cross-reference table. The parser
/// repairs incomplete files from the objects that remain.
fn is_complete(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"startxref";
    let end = &bytes[bytes.len().saturating_sub(TRAILER_BYTES)..];
    let mut words = end.windows(WORD.len()).enumerate();
    words
        .rfind(|(_, word)| *word == WORD)
        .is_some_and(|(at, _)| {
            // A linearised file has the keyword near its beginning, too, followed by a zero.
            let place = end[at + WORD.len()..].trim_ascii_start();
            place
                .first()
                .is_some_and(|digit| (b'1'..=b'9').contains(digit))
        })
}

/// Returns the lines of a page that consists of pictures or unreadable glyphs: the recognised
/// lines, or the readable rest with a warning.
fn unreadable_page_lines(
    glyphs: &PageGlyphs,
    area: &mut TextArea,
    page: u32,
    reading: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Vec<PdfLine> {
    let page_result = reading.recognised.and_then(|all| all.pages.get(&page));
    let recognised = page_result.and_then(Option::as_ref).map(recognised_lines);
    if let Some(found) = recognised.as_ref().filter(|found| !found.is_empty()) {
        return found.clone();
    }
    draft.builder.add_warning(match (page_result, recognised) {
        (None, _) => ReadWarning::NoText { page },
        (_, Some(_)) => ReadWarning::NoWords { page },
        (_, None) => ReadWarning::NotRecognised { page },
    });
    page_lines(glyphs, area, page)
}

/// Number of words up to which a cell is not a sentence.
const MAX_CELL_WORDS: usize = 3;

/// Splits a line into parts that are read in one go. Two long cells with a wide gap between them do
/// not continue each other.
fn split_cells(line: &str) -> impl Iterator<Item = (&str, PieceBreak)> {
    let is_long = |cell: &str| cell.split_whitespace().nth(MAX_CELL_WORDS).is_some();
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut tabs = text.match_indices('\t').map(|(at, _)| at);
        let mut start = 0;
        let wall = tabs.find(|at| {
            let next = text[at + 1..].split('\t').next().unwrap_or_default();
            let is_wall = is_long(&text[start..*at]) && is_long(next);
            start = at + 1;
            is_wall
        });
        rest = wall.map(|at| &text[at + 1..]);
        Some(match wall {
            Some(at) => (&text[..at], PieceBreak::Cell),
            None => (text, PieceBreak::Line),
        })
    })
}

/// Opens a PDF and checks the limits.
pub(crate) fn open(bytes: &[u8], reading: &ReadOptions<'_>) -> Result<Pdf, DocumentError> {
    let limits = &reading.limits;
    if check_object_streams(bytes, limits.decompressed).is_err() {
        return Err(DocumentError::TooMuchData {
            limit: limits.decompressed,
        });
    }
    let open = |password: &str| Pdf::new_with_password(bytes.to_vec(), password);
    let pdf = match open(reading.password) {
        // The configured password may be meant for other files, so the file is tried without one.
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected))
            if !reading.password.is_empty() =>
        {
            open("").map_err(|_| DocumentError::WrongPassword)?
        }
        Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) => {
            return Err(DocumentError::NeedsPassword);
        }
        Err(LoadPdfError::Decryption(_)) => return Err(DocumentError::Encryption),
        Err(LoadPdfError::Invalid) => return Err(DocumentError::Broken { kind: "PDF" }),
        Ok(pdf) => pdf,
    };
    if pdf.len() > limits.objects {
        return Err(DocumentError::TooManyObjects {
            objects: pdf.len(),
            limit: limits.objects,
        });
    }
    if pdf.pages().len() > limits.pages {
        return Err(DocumentError::TooManyPages {
            limit: limits.pages,
        });
    }
    if pdf.pages().is_empty() {
        return Err(DocumentError::Broken { kind: "PDF" });
    }
    Ok(pdf)
}

impl PageGlyphs {
    /// Returns true if the page shows content that cannot be read as text.
    fn shows_unreadable(&self) -> bool {
        let unreadable = self.unreadable > self.all.len();
        unreadable || (self.images > 0 && self.runs.is_empty())
    }
}
