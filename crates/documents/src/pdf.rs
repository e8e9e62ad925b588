//! PDF: words with boxes, in the order they are read.
//!
//! ```text
//! content ──▶ Glyphs ──▶ Segments ──▶ Rows ──▶ SetLines ──▶ roles ──▶ Draft
//! content     glyphs     segments     order    line         roles
//! ```
//!
//! Pages are read one by one, and only their lines are kept. What is a running head can be told only
//! when all pages are known, so roles and flows come last.

mod accents;
mod asides;
mod below;
mod bidi;
mod catalog;
mod content;
mod font;
mod glyphs;
mod layers;
mod leaders;
mod line;
mod names;
mod numbers;
mod order;
mod roles;
mod segments;
mod stream;
mod strings;
mod words;

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use passage::PieceBreak;

use self::asides::TextArea;
use self::catalog::{PdfCatalog, about, title};
use self::content::ContentInterpreter;
use self::glyphs::PageGlyphs;
use self::layers::HiddenLayers;
use self::line::{PdfLine, lines, recognised_lines};
use self::roles::{BodyMetrics, Margins, roles, titles};
use self::stream::check_object_streams;
use crate::about::ReadWarning;
use crate::document::{LineRole, TextStreamRole};
use crate::draft::DocumentDraft;
use crate::error::DocumentError;
use crate::geometry::PageSize;
use crate::read::ReadOptions;

/// Reads a PDF.
pub(crate) fn read(
    bytes: &[u8],
    reading: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Result<(), DocumentError> {
    let pdf = open(bytes, reading)?;
    let count = pdf.pages().len();
    let catalog = PdfCatalog::new(&pdf);
    if let Some(title) = title(pdf.metadata()) {
        draft.builder.title(title);
    }
    draft.builder.about(about(pdf.metadata()));
    if !has_its_end(bytes) {
        draft.builder.warning(ReadWarning::CutOff);
    }
    // The language a PDF states is too often the default of the program that wrote it to decide what a
    // comma means.
    let outline = catalog.outline();
    let mut pages: Vec<Vec<PdfLine>> = Vec::new();
    let mut area = TextArea::default();
    let mut interpreter = ContentInterpreter::new(reading, HiddenLayers::of_file(pdf.xref()));
    for (number, page) in (1..).zip(pdf.pages().iter()) {
        if (reading.give_up)() {
            return Err(DocumentError::GivenUp { page: number });
        }
        let glyphs = interpreter.page(page, number)?;
        let lines = match glyphs.shows_unreadable() {
            true => unreadable(&glyphs, &mut area, number, reading, draft),
            false => lines(&glyphs, &mut area, number),
        };
        let words: usize = lines.iter().map(|line| line.words.len()).sum();
        let limit = reading.limits.words_per_page;
        if words > limit {
            return Err(DocumentError::TooManyWords {
                page: number,
                limit,
            });
        }
        pages.push(lines);
        (reading.progress)(number, count as u32);
    }
    let body = BodyMetrics::of_pages(&pages);
    let margins = Margins::of_pages(&pages, &body);
    let titles = titles(&outline);
    for heading in outline {
        draft.builder.heading(heading);
    }
    let labels = catalog.labels(count);
    for ((at, lines), label) in pages.into_iter().enumerate().zip(labels) {
        if at > 0 {
            draft.page()?;
        }
        let size = pdf.pages().get(at).map(|page| {
            let (width, height) = page.render_dimensions();
            PageSize { width, height }
        });
        draft.builder.page_is(label, size);
        // The sizes of recognised lines are too rough to tell what these are.
        let roles: Vec<LineRole> = roles(&lines, at as u32 + 1, &body, &margins, &titles)
            .into_iter()
            .zip(&lines)
            .map(|(role, line)| match line.confidences.is_empty() {
                true => role,
                false => LineRole::Text,
            })
            .collect();
        let is_body: Vec<bool> = roles.iter().map(|role| role.is_body()).collect();
        let first = draft.lines();
        for column in below::columns(&lines, &is_body) {
            let last = column.len() - 1;
            for (at, cell) in column.into_iter().enumerate() {
                let text = &lines[cell.line].text[cell.range];
                let then = if at == last {
                    PieceBreak::Cell
                } else {
                    PieceBreak::Line
                };
                let line = first + cell.line as u32;
                draft
                    .builder
                    .text(TextStreamRole::Alternative, line, text, then);
            }
        }
        for (line, role) in lines.into_iter().zip(roles) {
            let at = draft.line(&line.text)?;
            draft.builder.line_is(role, line.words);
            draft.builder.confidences(&line.confidences);
            let flow = if role.is_body() {
                TextStreamRole::Body
            } else {
                TextStreamRole::Apart
            };
            for (cell, then) in cells(&line.text) {
                draft.builder.text(flow, at, cell, then);
            }
        }
    }
    Ok(())
}

/// Bytes at the end of a file in which others look for where its list of objects is.
const END: usize = 1024;

/// Whether a file goes on to where it says where its list of objects is. What is found in a file that does not was
/// put together from what is left.
fn has_its_end(bytes: &[u8]) -> bool {
    const WORD: &[u8] = b"startxref";
    let end = &bytes[bytes.len().saturating_sub(END)..];
    let mut words = end.windows(WORD.len()).enumerate();
    words
        .rfind(|(_, word)| *word == WORD)
        .is_some_and(|(at, _)| {
            // A file made for the web has such a word near its beginning too, with a zero behind it.
            let place = end[at + WORD.len()..].trim_ascii_start();
            place
                .first()
                .is_some_and(|digit| (b'1'..=b'9').contains(digit))
        })
}

/// The lines of a page that shows something that is no text: what was recognised, or what there is.
fn unreadable(
    glyphs: &PageGlyphs,
    area: &mut TextArea,
    page: u32,
    reading: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Vec<PdfLine> {
    let looked_at = reading.recognised.and_then(|all| all.pages.get(&page));
    let recognised = looked_at.and_then(Option::as_ref).map(recognised_lines);
    if let Some(found) = recognised.as_ref().filter(|found| !found.is_empty()) {
        return found.clone();
    }
    draft.builder.warning(match (looked_at, recognised) {
        (None, _) => ReadWarning::NoText { page },
        (_, Some(_)) => ReadWarning::NoWords { page },
        (_, None) => ReadWarning::NotRecognised { page },
    });
    lines(glyphs, area, page)
}

/// A cell with more words than this is a sentence, or a line of one.
const FEW_WORDS: usize = 3;

/// A line in parts that are read in one go: what stands beside a text of several words, with a wide gap
/// between, does not go on from it.
fn cells(line: &str) -> impl Iterator<Item = (&str, PieceBreak)> {
    let is_long = |cell: &str| cell.split_whitespace().nth(FEW_WORDS).is_some();
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

/// Opens a PDF within limits, for drawing its pages.
pub(crate) fn open(bytes: &[u8], reading: &ReadOptions<'_>) -> Result<Pdf, DocumentError> {
    let limits = &reading.limits;
    if check_object_streams(bytes, limits.decompressed).is_err() {
        return Err(DocumentError::TooMuchData {
            limit: limits.decompressed,
        });
    }
    let open = |password: &str| Pdf::new_with_password(bytes.to_vec(), password);
    let pdf = match open(reading.password) {
        // The password that was given may be for other files.
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
    /// Whether the page shows something that cannot be read as text.
    fn shows_unreadable(&self) -> bool {
        let unreadable = self.unreadable > self.all.len();
        unreadable || (self.images > 0 && self.pieces.is_empty())
    }
}
