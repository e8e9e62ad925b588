//! Document model: pages, lines, words and text streams.

mod alignment;
mod passage_boxes;

use std::ops::Range;

use passage::PassageTextIndex;
use serde::{Deserialize, Serialize};

use crate::content_id::ContentId;
use crate::geometry::{A4, PageSize, Word};
use crate::metadata::{DocumentMetadata, OutlineHeading, ReadWarning};

pub use passage_boxes::DoubtfulWord;

/// Page of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Number, from 1.
    pub number: u32,
    /// Printed page number, if it differs from `number`.
    pub label: Option<String>,
    /// Size, if the file has one.
    pub size: Option<PageSize>,
    /// Range of its lines in [`Document::lines`].
    pub lines: Range<u32>,
}

/// Line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Page number, from 1.
    pub page: u32,
    /// Number on its page, from 1. In text and Markdown files blank lines count, so that it is the number that an
    /// editor shows.
    pub number: u32,
    /// Text, trimmed and not empty.
    pub text: String,
    /// Role on its page.
    pub role: LineRole,
    /// Range of its words in [`Document::words`]; empty if their positions are unknown.
    pub words: Range<u32>,
}

/// Role of a line on its page.
///
/// In a PDF it follows from position and font, in a DOCX from the markup. Lines of other files are all
/// [`Text`](Self::Text).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LineRole {
    /// Line of the text.
    #[default]
    Text,
    /// Line of the text that is set as a heading.
    Heading,
    /// Running header or footer.
    Running,
    /// Page number.
    PageNumber,
    /// Number beside a line.
    LineNumber,
    /// Line of a footnote or of a note in the margin.
    Footnote,
    /// Line of the caption of a figure or table.
    Caption,
    /// Line beside the text: in a text box or a comment.
    Aside,
}

impl LineRole {
    /// Returns true if the line belongs to the body, which continues from page to page.
    pub fn is_body(self) -> bool {
        matches!(self, Self::Text | Self::Heading)
    }
}

/// Role of a text stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextStreamRole {
    /// Text of the document, continuing over lines and pages.
    Body,
    /// Text outside the body that may be quoted: running headers, footnotes, captions.
    Apart,
    /// Text that a reader does not see: hidden elements, alternative texts.
    Hidden,
    /// The file as it was written, with its markup.
    Markup,
    /// Parts of pages a second time, in another possible reading order: down the columns of a table, or from
    /// a caption to the text below it. Its lines are in order page by page only.
    Alternative,
}

/// Text that is read in one go, such as the body or the footnotes.
///
/// The id of a piece of its text is the position of its line in [`Document::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStream {
    /// Role in the document.
    pub role: TextStreamRole,
    /// Index that finds passages in the text.
    pub index: PassageTextIndex,
}

/// Location of a passage by pages and lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageLocation {
    /// Pages it touches, from 1; at least one.
    pub pages: Range<u32>,
    /// Page and line number of its first line.
    pub first: (u32, u32),
    /// Printed number of its first page, if it differs.
    pub label: Option<String>,
    /// Numbers of its lines on its first page.
    pub lines: Vec<u32>,
}

impl PassageLocation {
    /// Returns the page on which the passage ends, if it begins on another one.
    pub fn end_page(&self) -> Option<u32> {
        let last = self.pages.end.saturating_sub(1);
        (last > self.first.0).then_some(last)
    }
}

/// Content of a file. It is built once and does not change.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub(crate) id: ContentId,
    pub(crate) media_type: String,
    pub(crate) title: Option<String>,
    pub(crate) metadata: DocumentMetadata,
    pub(crate) outline: Vec<OutlineHeading>,
    pub(crate) warnings: Vec<ReadWarning>,
    pub(crate) pages: Vec<Page>,
    pub(crate) lines: Vec<Line>,
    pub(crate) words: Vec<Word>,
    /// Number of pages of our layout; zero if the file has positions of its own or was not laid out.
    pub(crate) rendered_pages: u32,
    /// Confidence of each word in percent; empty if all words are certain.
    pub(crate) confidences: Vec<u8>,
    pub(crate) text_streams: Vec<TextStream>,
}

impl Document {
    /// Returns the hash of the file, or of the lines if the document was not made from a file.
    pub fn id(&self) -> ContentId {
        self.id
    }

    /// Returns the media type of the file, such as `text/plain`.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the title, if there is one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Returns author, dates and other facts that the file states about itself.
    pub fn metadata(&self) -> &DocumentMetadata {
        &self.metadata
    }

    /// Returns the headings of the outline, in order.
    pub fn outline(&self) -> &[OutlineHeading] {
        &self.outline
    }

    /// Returns warnings about content that could not be read.
    pub fn warnings(&self) -> &[ReadWarning] {
        &self.warnings
    }

    /// Returns the pages of the file, in order; at least one.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Returns all lines, page by page.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the position in [`Document::lines`] of the line of a page with a number, or of the next line. Pages
    /// count from 1.
    pub fn line_position(&self, page: u32, number: u32) -> Option<u32> {
        let range = self.pages.get(page.checked_sub(1)? as usize)?.lines.clone();
        let on_page = self.lines.get(range.start as usize..range.end as usize)?;
        let at = on_page.partition_point(|line| line.number < number);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        Some((range.start + at).min(range.end.saturating_sub(1)))
    }

    /// Returns all words in the order of the lines; none if their positions are unknown.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Returns the number of rendered pages: those of our layout, or the pages of a file that has positions
    /// of its own. Pages and lines keep the numbers of the file in both cases.
    pub fn rendered_page_count(&self) -> u32 {
        match self.rendered_pages {
            0 => u32::try_from(self.pages.len()).unwrap_or(u32::MAX),
            count => count,
        }
    }

    /// Returns the lines among which are all that have words on a rendered page, counted from 1. Files with positions of
    /// their own know the lines of each page; a layout may have moved notes to any page, so all lines are returned.
    pub fn lines_near_rendered_page(&self, number: u32) -> &[Line] {
        if self.rendered_pages > 0 {
            return &self.lines;
        }
        let page = number
            .checked_sub(1)
            .and_then(|at| self.pages.get(at as usize));
        let lines = page.map(|page| page.lines.start as usize..page.lines.end as usize);
        lines
            .and_then(|range| self.lines.get(range))
            .unwrap_or_default()
    }

    /// Returns the size of a rendered page, counted from 1; `None` if there is no such page or it cannot be
    /// drawn.
    pub fn rendered_page_size(&self, number: u32) -> Option<PageSize> {
        match self.rendered_pages {
            0 => self.pages.get(number.checked_sub(1)? as usize)?.size,
            count => (1..=count).contains(&number).then_some(A4),
        }
    }

    /// Returns the word for rendered pages in texts for people: "page" if they are the pages of the file,
    /// "sheet" if they are those of our layout and have numbers of their own.
    pub fn rendered_page_word(&self) -> &'static str {
        match self.rendered_pages {
            0 => "page",
            _ => "sheet",
        }
    }

    /// Returns the words of a line of this document.
    pub fn words_of(&self, line: &Line) -> &[Word] {
        let range = line.words.start as usize..line.words.end as usize;
        self.words.get(range).unwrap_or_default()
    }

    /// Returns the confidence in percent of a word, given by its position in [`Document::words`]. Only words
    /// that were recognised in an image have less than 100.
    pub fn confidence(&self, word: usize) -> u8 {
        self.confidences.get(word).copied().unwrap_or(100)
    }

    /// Returns the text streams, the body first.
    pub fn text_streams(&self) -> &[TextStream] {
        &self.text_streams
    }

    /// Returns the pages and lines of a byte range of a text stream.
    pub fn locate(&self, stream: &TextStream, range: Range<usize>) -> Option<PassageLocation> {
        let pieces = stream.index.text().pieces_in(range);
        let line = |piece: &passage::TextPiece| self.lines.get(piece.id as usize);
        let (first, last) = (line(pieces.first()?)?, line(pieces.last()?)?);
        let mut lines: Vec<u32> = pieces
            .iter()
            .filter_map(line)
            .filter(|line| line.page == first.page)
            .map(|line| line.number)
            .collect();
        lines.dedup();
        Some(PassageLocation {
            pages: first.page..last.page.max(first.page) + 1,
            first: (first.page, first.number),
            label: self
                .pages
                .get(first.page.saturating_sub(1) as usize)
                .and_then(|page| page.label.clone()),
            lines,
        })
    }

    /// Returns the byte range of a text stream that lies on these pages, counted from 1; `None` if no text
    /// does.
    pub fn range_of_pages(&self, stream: &TextStream, pages: Range<u32>) -> Option<Range<usize>> {
        let page = |number: u32| self.pages.get(number.checked_sub(1)? as usize);
        let first = page(pages.start.max(1))?.lines.start;
        let last = pages.end.min(u32::try_from(self.pages.len()).ok()? + 1);
        let end = page(last.checked_sub(1)?)?.lines.end;
        stream.index.text().range_of_pieces(first..end)
    }
}
