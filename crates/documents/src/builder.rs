//! Builder of documents.

mod draft;

use passage::{CommaMeaning, NormalisedTextBuilder, PassageTextIndex, PieceBreak, TextTooLong};

use crate::content_id::ContentId;
use crate::document::{Document, Line, LineRole, Page, TextStream, TextStreamRole};
use crate::geometry::{PageSize, Word};
use crate::layout::{PlacedWord, SketchedHeading};
use crate::metadata::{DocumentMetadata, OutlineHeading, ReadWarning};

pub(crate) use draft::DocumentDraft;

/// Builder of a document, line by line.
#[derive(Debug)]
pub struct DocumentBuilder {
    id: Option<ContentId>,
    media_type: String,
    title: Option<String>,
    comma: Option<CommaMeaning>,
    metadata: DocumentMetadata,
    outline: Vec<OutlineHeading>,
    warnings: Vec<ReadWarning>,
    pages: Vec<Page>,
    lines: Vec<Line>,
    words: Vec<Word>,
    rendered_pages: u32,
    confidences: Vec<u8>,
    text_streams: Vec<(TextStreamRole, NormalisedTextBuilder)>,
}

impl DocumentBuilder {
    /// Returns a builder of a document with this media type, one page and no lines.
    pub fn new(media_type: impl Into<String>) -> Self {
        Self {
            id: None,
            media_type: media_type.into(),
            title: None,
            comma: None,
            metadata: DocumentMetadata::default(),
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
            rendered_pages: 0,
            confidences: Vec::new(),
            text_streams: vec![(TextStreamRole::Body, NormalisedTextBuilder::new())],
        }
    }

    /// Sets the id. Without one, it is made from the lines.
    pub fn id(&mut self, id: ContentId) -> &mut Self {
        self.id = Some(id);
        self
    }

    /// Sets the title.
    pub fn title(&mut self, title: impl Into<String>) -> &mut Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the meaning of a comma between digits, if the language is known.
    pub fn comma(&mut self, comma: CommaMeaning) -> &mut Self {
        self.comma = Some(comma);
        self
    }

    /// Sets author, dates and other facts.
    pub fn metadata(&mut self, metadata: DocumentMetadata) -> &mut Self {
        self.metadata = metadata;
        self
    }

    /// Begins a page.
    pub fn begin_page(&mut self) -> &mut Self {
        let at = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.pages.push(Page {
            number: u32::try_from(self.pages.len() + 1).unwrap_or(u32::MAX),
            label: None,
            size: None,
            lines: at..at,
        });
        self
    }

    /// Sets the printed number of the last page, if it differs, and its size.
    pub fn set_page(&mut self, label: Option<String>, size: Option<PageSize>) -> &mut Self {
        if let Some(page) = self.pages.last_mut() {
            (page.label, page.size) = (label, size);
        }
        self
    }

    /// Adds a heading to the outline.
    pub fn add_heading(&mut self, heading: OutlineHeading) -> &mut Self {
        self.outline.push(heading);
        self
    }

    /// Adds a warning.
    pub fn add_warning(&mut self, warning: ReadWarning) -> &mut Self {
        self.warnings.push(warning);
        self
    }

    /// Adds a line to the last page. Returns its position among all lines.
    pub fn add_line(&mut self, text: impl Into<String>) -> u32 {
        let at = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let words = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        if let Some(page) = self.pages.last_mut() {
            page.lines.end = at + 1;
            self.lines.push(Line {
                page: page.number,
                number: at - page.lines.start + 1,
                text: text.into(),
                role: LineRole::Text,
                words: words..words,
            });
        }
        at
    }

    /// Sets the number of the last line on its page, for files whose lines have numbers of their own. Numbers must
    /// ascend.
    pub fn set_line_number(&mut self, number: u32) -> &mut Self {
        if let Some(line) = self.lines.last_mut() {
            line.number = number;
        }
        self
    }

    /// Sets the role of the last line and its words, whose boxes are on the page of the line.
    pub fn set_line(&mut self, role: LineRole, words: impl IntoIterator<Item = Word>) -> &mut Self {
        if let Some(line) = self.lines.last_mut() {
            let rendered_page = line.page;
            let on_page = |word| Word {
                rendered_page,
                ..word
            };
            self.words.extend(words.into_iter().map(on_page));
            line.role = role;
            line.words.end = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        }
        self
    }

    /// Sets the confidences of the last words, in percent.
    pub fn set_confidences(&mut self, of_last: &[u8]) -> &mut Self {
        if of_last.is_empty() {
            return self;
        }
        let before = self.words.len().saturating_sub(of_last.len());
        self.confidences.resize(before, 100);
        self.confidences.extend(of_last);
        self
    }

    /// Adds text of a line to a text stream. Lines must come in order.
    pub fn add_text(
        &mut self,
        role: TextStreamRole,
        line: u32,
        text: &str,
        then: PieceBreak,
    ) -> &mut Self {
        let at = match self.text_streams.iter().position(|stream| stream.0 == role) {
            Some(at) => at,
            None => {
                self.text_streams.push((role, NormalisedTextBuilder::new()));
                self.text_streams.len() - 1
            }
        };
        self.text_streams[at].1.push(line, text, then);
        self
    }

    /// Returns the page of a line, from 1.
    fn page_of(&self, line: u32) -> u32 {
        self.lines.get(line as usize).map_or(1, |line| line.page)
    }

    /// Sets the pages of outline headings that were unknown when they were added.
    ///
    /// They come in the order of their lines. A line has the text of its heading, or its beginning if a page
    /// break cut the heading.
    fn locate_headings(&mut self) {
        // At most a few lines come between: the rest of a heading that was cut, or a title.
        const LOOKAHEAD: usize = 16;
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
            let ahead = lines[at..].iter().take(LOOKAHEAD);
            let mut found = ahead.enumerate();
            if let Some((nth, line)) = found.find(|(_, line)| heading.title.starts_with(&line.text))
            {
                heading.page = Some(line.page);
                at += nth + 1;
            }
        }
    }

    /// Makes an outline of the headings of the sketch, if the file has none of its own.
    fn add_missing_outline(&mut self, headings: Vec<SketchedHeading>) {
        if !self.outline.is_empty() {
            return;
        }
        self.outline = { headings.into_iter() }
            .map(|heading| {
                let line = self.lines.get(heading.line as usize);
                let word = line.and_then(|line| self.words.get(line.words.start as usize));
                OutlineHeading {
                    title: heading.title,
                    page: word.map(|word| word.rendered_page),
                    depth: u32::from(heading.level.saturating_sub(1)),
                }
            })
            .collect();
    }

    /// Sets the words from our layout, which has this many pages.
    ///
    /// Words come sorted by line and position. Parts that overlap the word before, or are blank, are left out.
    fn set_layout(&mut self, rendered_pages: usize, words: &[PlacedWord]) {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.rendered_pages = number(rendered_pages);
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
                    rendered_page: word.page + 1,
                    x: word.x,
                    y: word.y,
                    width: word.width,
                    height: word.height,
                });
            }
            line.words = first..number(self.words.len());
        }
    }

    /// Builds the document with the indexes of its text streams.
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
        let text_streams = self.text_streams.into_iter().map(|(role, mut text)| {
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
            metadata: self.metadata,
            outline: self.outline,
            warnings: self.warnings,
            words: self.words,
            rendered_pages: self.rendered_pages,
            confidences,
            pages: self.pages,
            lines: self.lines,
            text_streams: text_streams.collect::<Result<_, TextTooLong>>()?,
        })
    }
}
