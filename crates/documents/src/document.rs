//! A document: pages, lines, flows.

use std::ops::Range;

use passage::{CommaMeaning, NormalisedTextBuilder, PassageTextIndex, PieceBreak, TextTooLong};

use crate::about::{DocumentMetadata, OutlineHeading, ReadWarning};
use crate::content_id::ContentId;
use crate::geometry::{PageSize, Word};
use crate::layout::{BlockShape, DocumentSketch, PAGE, PlacedWord};

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// From 1.
    pub number: u32,
    /// What is printed on it, where that is something else.
    pub label: Option<String>,
    /// How large it is, where the file says so.
    pub size: Option<PageSize>,
    /// Its lines, as places in [`Document::lines`].
    pub lines: Range<u32>,
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The page, from 1.
    pub page: u32,
    /// The number on its page, from 1.
    pub number: u32,
    /// What stands on it.
    pub text: String,
    /// What it is on its page.
    pub role: LineRole,
    /// Its words, as places in [`Document::words`]; none if the file says nothing of where they stand.
    pub words: Range<u32>,
}

/// What a line is on its page.
///
/// Lines of a PDF are told apart by where and how they are set, lines of a DOCX by what the file calls
/// them; lines of other files are all [`Text`](Self::Text).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineRole {
    /// A line of the text.
    #[default]
    Text,
    /// A line of the text that is set as a heading.
    Heading,
    /// A running head or foot.
    Running,
    /// A page number.
    PageNumber,
    /// A number beside a line.
    LineNumber,
    /// A line of a footnote, or of a note in the margin.
    Footnote,
    /// A line of the caption of a figure or table.
    Caption,
    /// A line beside the text: of a text box or a comment.
    Aside,
}

impl LineRole {
    /// Whether the line belongs to the text that runs on over the pages.
    pub fn is_body(self) -> bool {
        matches!(self, Self::Text | Self::Heading)
    }
}

/// What a flow is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextStreamRole {
    /// The text itself, running on over lines and pages.
    Body,
    /// What stands apart from it and may be quoted: running heads, footnotes, captions.
    Apart,
    /// What a reader does not see: hidden elements, alternative texts.
    Hidden,
    /// The file as it was written, with its markup.
    Markup,
    /// Parts of pages once more, in another order that they may be read in: down the columns of a table,
    /// or from a caption on to the text below it. Its lines are in order page by page only.
    Alternative,
}

/// Text that is read in one go. The number of a piece is the line it stands on, as a place in
/// [`Document::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStream {
    /// What it is.
    pub role: TextStreamRole,
    /// Where passages are looked for.
    pub index: PassageTextIndex,
}

/// Where a passage stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageLocation {
    /// The pages it touches, from 1; at least one.
    pub pages: Range<u32>,
    /// The first line, by page and number.
    pub first: (u32, u32),
    /// What is printed on the first page as its number, where that is something else.
    pub label: Option<String>,
    /// The numbers of its lines on the page where it begins.
    pub lines: Vec<u32>,
}

/// A document, built once.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    pub(crate) id: ContentId,
    pub(crate) media_type: String,
    pub(crate) title: Option<String>,
    pub(crate) about: DocumentMetadata,
    pub(crate) outline: Vec<OutlineHeading>,
    pub(crate) warnings: Vec<ReadWarning>,
    pub(crate) pages: Vec<Page>,
    pub(crate) lines: Vec<Line>,
    pub(crate) words: Vec<Word>,
    /// How many sheets the lines were set on by us; none if the file says where words stand, or nothing does.
    pub(crate) sheets: u32,
    /// How sure each word is, in percent; empty if all are.
    pub(crate) confidences: Vec<u8>,
    pub(crate) flows: Vec<TextStream>,
}

impl Document {
    /// What it is known by: the hash of its file, or of its lines if no file was named.
    pub fn id(&self) -> ContentId {
        self.id
    }

    /// What kind of file it was, `text/plain`.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Its title, if it has one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What its file says about it.
    pub fn about(&self) -> &DocumentMetadata {
        &self.about
    }

    /// The headings that its file lists, in order.
    pub fn outline(&self) -> &[OutlineHeading] {
        &self.outline
    }

    /// What could not be read.
    pub fn warnings(&self) -> &[ReadWarning] {
        &self.warnings
    }

    /// Its pages in order; at least one.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Its lines in order, page by page.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Its words in the order of the lines; none if the file says nothing of where they stand.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// How many sheets it is drawn on: its pages, or, if its file has no places for words, those that we set
    /// its text on. Such text keeps the pages and lines of its file.
    pub fn sheets(&self) -> u32 {
        match self.sheets {
            0 => u32::try_from(self.pages.len()).unwrap_or(u32::MAX),
            sheets => sheets,
        }
    }

    /// How large a sheet is, given from 1; `None` if it cannot be drawn or is not there.
    pub fn sheet_size(&self, sheet: u32) -> Option<PageSize> {
        match self.sheets {
            0 => self.pages.get(sheet.checked_sub(1)? as usize)?.size,
            sheets => (1..=sheets).contains(&sheet).then_some(PAGE),
        }
    }

    /// What its sheets are called: pages, unless they are of our making and have numbers of their own.
    pub fn sheet_word(&self) -> &'static str {
        match self.sheets {
            0 => "page",
            _ => "sheet",
        }
    }

    /// The words of one of its lines.
    pub fn words_of(&self, line: &Line) -> &[Word] {
        let range = line.words.start as usize..line.words.end as usize;
        self.words.get(range).unwrap_or_default()
    }

    /// How sure a word is, given by its place in [`Document::words`], in percent. Only words that were
    /// recognised in a picture are less than certain.
    pub fn confidence(&self, word: usize) -> u8 {
        self.confidences.get(word).copied().unwrap_or(100)
    }

    /// What is read in one go, the body first.
    pub fn flows(&self) -> &[TextStream] {
        &self.flows
    }

    /// Where a range of a flow's source stands.
    pub fn place(&self, flow: &TextStream, range: Range<usize>) -> Option<PassageLocation> {
        let pieces = flow.index.text().pieces_in(range);
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

    /// The part of a flow's source that stands on pages, given from 1; `None` if nothing does.
    pub fn range_of_pages(&self, flow: &TextStream, pages: Range<u32>) -> Option<Range<usize>> {
        let page = |number: u32| self.pages.get(number.checked_sub(1)? as usize);
        let first = page(pages.start.max(1))?.lines.start;
        let last = pages.end.min(u32::try_from(self.pages.len()).ok()? + 1);
        let end = page(last.checked_sub(1)?)?.lines.end;
        flow.index.text().range_of_pieces(first..end)
    }
}

/// Builds a document line by line.
#[derive(Debug)]
pub struct DocumentBuilder {
    id: Option<ContentId>,
    media_type: String,
    title: Option<String>,
    comma: Option<CommaMeaning>,
    about: DocumentMetadata,
    outline: Vec<OutlineHeading>,
    warnings: Vec<ReadWarning>,
    pages: Vec<Page>,
    lines: Vec<Line>,
    words: Vec<Word>,
    sheets: u32,
    confidences: Vec<u8>,
    flows: Vec<(TextStreamRole, NormalisedTextBuilder)>,
}

impl DocumentBuilder {
    /// A document of that kind, with one page and no line.
    pub fn new(media_type: impl Into<String>) -> Self {
        Self {
            id: None,
            media_type: media_type.into(),
            title: None,
            comma: None,
            about: DocumentMetadata::default(),
            outline: Vec::new(),
            warnings: Vec::new(),
            pages: vec![Page {
                number: 1,
                label: None,
                size: None,
                lines: 0..0,
            }],
            lines: Vec::new(),
            words: Vec::new(),
            sheets: 0,
            confidences: Vec::new(),
            flows: vec![(TextStreamRole::Body, NormalisedTextBuilder::new())],
        }
    }

    /// Says which file it is made of.
    pub fn id(&mut self, id: ContentId) -> &mut Self {
        self.id = Some(id);
        self
    }

    /// Gives it a title.
    pub fn title(&mut self, title: impl Into<String>) -> &mut Self {
        self.title = Some(title.into());
        self
    }

    /// Says what a comma between digits means, if the language is known.
    pub fn comma(&mut self, comma: CommaMeaning) -> &mut Self {
        self.comma = Some(comma);
        self
    }

    /// Begins a page.
    pub fn page(&mut self) -> &mut Self {
        let at = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.pages.push(Page {
            number: u32::try_from(self.pages.len() + 1).unwrap_or(u32::MAX),
            label: None,
            size: None,
            lines: at..at,
        });
        self
    }

    /// Says what is printed on the last page as its number, if that is something else, and how large
    /// the page is.
    pub fn page_is(&mut self, label: Option<String>, size: Option<PageSize>) -> &mut Self {
        if let Some(page) = self.pages.last_mut() {
            (page.label, page.size) = (label, size);
        }
        self
    }

    /// Says what the file says about itself.
    pub fn about(&mut self, about: DocumentMetadata) -> &mut Self {
        self.about = about;
        self
    }

    /// Adds a heading to the outline.
    pub fn heading(&mut self, heading: OutlineHeading) -> &mut Self {
        self.outline.push(heading);
        self
    }

    /// Says that something could not be read.
    pub fn warning(&mut self, warning: ReadWarning) -> &mut Self {
        self.warnings.push(warning);
        self
    }

    /// Begins a line on the last page; its place among all lines.
    pub fn line(&mut self, text: impl Into<String>) -> u32 {
        let at = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        if let Some(page) = self.pages.last_mut() {
            page.lines.end = at + 1;
            self.lines.push(Line {
                page: page.number,
                number: at - page.lines.start + 1,
                text: text.into(),
                role: LineRole::Text,
                words: {
                    let at = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
                    at..at
                },
            });
        }
        at
    }

    /// The page of a line, from 1.
    pub(crate) fn page_of(&self, line: u32) -> u32 {
        self.lines.get(line as usize).map_or(1, |line| line.page)
    }

    /// Says what the last line is and where its words stand on its page.
    pub fn line_is(&mut self, role: LineRole, words: impl IntoIterator<Item = Word>) -> &mut Self {
        if let Some(line) = self.lines.last_mut() {
            let sheet = line.page;
            self.words
                .extend(words.into_iter().map(|word| Word { sheet, ..word }));
            line.role = role;
            line.words.end = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        }
        self
    }

    /// Says how sure the last words are, in percent.
    pub fn confidences(&mut self, of_last: &[u8]) -> &mut Self {
        if of_last.is_empty() {
            return self;
        }
        let before = self.words.len().saturating_sub(of_last.len());
        self.confidences.resize(before, 100);
        self.confidences.extend(of_last);
        self
    }

    /// Adds text of a line to a flow; lines must come in order.
    pub fn text(
        &mut self,
        role: TextStreamRole,
        line: u32,
        text: &str,
        then: PieceBreak,
    ) -> &mut Self {
        let at = match self.flows.iter().position(|flow| flow.0 == role) {
            Some(at) => at,
            None => {
                self.flows.push((role, NormalisedTextBuilder::new()));
                self.flows.len() - 1
            }
        };
        self.flows[at].1.push(line, text, then);
        self
    }

    /// Says how the document looks, by its lines alone.
    pub(crate) fn sketch(&self, sketch: &mut DocumentSketch) {
        for (at, line) in (0..).zip(&self.lines) {
            let shape = match line.role {
                LineRole::Heading => BlockShape::Heading(2),
                LineRole::Text => BlockShape::Paragraph,
                _ => BlockShape::Note,
            };
            sketch.line(at, &line.text, shape);
        }
    }

    /// Says where headings lead whose pages were not known when they were read.
    ///
    /// They come in the order of their lines, which say the same or, cut by the end of a page, begin so.
    pub(crate) fn place_headings(&mut self) {
        // Few lines at most stand between: the rest of one that was cut, or a title.
        const AHEAD: usize = 16;
        let lines: Vec<&Line> = self
            .lines
            .iter()
            .filter(|line| line.role == LineRole::Heading)
            .collect();
        let mut at = 0;
        for heading in self
            .outline
            .iter_mut()
            .filter(|heading| heading.page.is_none())
        {
            let ahead = lines[at..].iter().take(AHEAD);
            let mut found = ahead.enumerate();
            if let Some((nth, line)) = found.find(|(_, line)| heading.title.starts_with(&line.text))
            {
                heading.page = Some(line.page);
                at += nth + 1;
            }
        }
    }

    /// Says where the words of the lines stand on sheets that we set them on, and how many sheets there are.
    pub(crate) fn lay_out(&mut self, sheets: usize, words: &[PlacedWord]) {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.sheets = number(sheets);
        self.words = Vec::with_capacity(words.len());
        let mut words = words.iter().peekable();
        for (at, line) in (0..).zip(&mut self.lines) {
            let first = number(self.words.len());
            let mut end = 0;
            while let Some(word) = words.next_if(|word| word.line <= at) {
                let range = word.range.start.max(end)..word.range.end;
                let text = line.text.get(range.start as usize..range.end as usize);
                if text.is_none_or(|text| text.trim().is_empty()) {
                    continue;
                }
                end = range.end;
                self.words.push(Word {
                    range,
                    sheet: word.page + 1,
                    x: word.x,
                    y: word.y,
                    width: word.width,
                    height: word.height,
                });
            }
            line.words = first..number(self.words.len());
        }
    }

    /// The document, with its indexes.
    pub fn finish(self) -> Result<Document, TextTooLong> {
        let id = self.id.unwrap_or_else(|| {
            let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
            ContentId::of(lines.join("\n").as_bytes())
        });
        let comma = self.comma;
        let mut confidences = self.confidences;
        if !confidences.is_empty() {
            confidences.resize(self.words.len(), 100);
        }
        let flows = self.flows.into_iter().map(|(role, mut text)| {
            if let Some(comma) = comma {
                text.comma(comma);
            }
            Ok(TextStream {
                role,
                index: PassageTextIndex::new(text.finish()?),
            })
        });
        Ok(Document {
            id,
            media_type: self.media_type,
            title: self.title,
            about: self.about,
            outline: self.outline,
            warnings: self.warnings,
            words: self.words,
            sheets: self.sheets,
            confidences,
            pages: self.pages,
            lines: self.lines,
            flows: flows.collect::<Result<_, TextTooLong>>()?,
        })
    }
}
