//! A document: pages, lines, flows.

use std::ops::Range;

use passage::{Break, Comma, Index, TextBuilder, TooLong};

use crate::about::{About, Heading, Warning};
use crate::align::Aligner;
use crate::content_id::ContentId;
use crate::geometry::{PageSize, Word};
use crate::layout::{PAGE, Placed, Shape, Sketch};

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// From 1.
    pub number: u32,
    /// What is printed on it, where that is something else.
    pub label: Option<String>,
    /// How large it is, where that is known.
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
pub enum FlowRole {
    /// The text itself, running on over lines and pages.
    Body,
    /// What stands apart from it and may be quoted: running heads, footnotes, captions.
    Apart,
    /// What a reader does not see: hidden elements, alternative texts.
    Hidden,
    /// The file as it was written, with its markup.
    Markup,
}

/// Text that is read in one go. The number of a piece is the line it stands on, as a place in
/// [`Document::lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// What it is.
    pub role: FlowRole,
    /// Where passages are looked for.
    pub index: Index,
}

/// Where a passage stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
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
    pub(crate) about: About,
    pub(crate) outline: Vec<Heading>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) pages: Vec<Page>,
    pub(crate) lines: Vec<Line>,
    pub(crate) words: Vec<Word>,
    /// How sure each word is, in percent; empty if all are.
    pub(crate) confidences: Vec<u8>,
    pub(crate) flows: Vec<Flow>,
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
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The headings that its file lists, in order.
    pub fn outline(&self) -> &[Heading] {
        &self.outline
    }

    /// What could not be read.
    pub fn warnings(&self) -> &[Warning] {
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
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Where a range of a flow's source stands.
    pub fn place(&self, flow: &Flow, range: Range<usize>) -> Option<Place> {
        let pieces = flow.index.text().pieces_in(range);
        let line = |piece: &passage::Piece| self.lines.get(piece.id as usize);
        let (first, last) = (line(pieces.first()?)?, line(pieces.last()?)?);
        let mut lines: Vec<u32> = pieces
            .iter()
            .filter_map(line)
            .filter(|line| line.page == first.page)
            .map(|line| line.number)
            .collect();
        lines.dedup();
        Some(Place {
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
    pub fn range_of_pages(&self, flow: &Flow, pages: Range<u32>) -> Option<Range<usize>> {
        let page = |number: u32| self.pages.get(number.checked_sub(1)? as usize);
        let first = page(pages.start.max(1))?.lines.start;
        let last = pages.end.min(u32::try_from(self.pages.len()).ok()? + 1);
        let end = page(last.checked_sub(1)?)?.lines.end;
        flow.index.text().range_of(first..end)
    }
}

/// Builds a document line by line.
#[derive(Debug)]
pub struct DocumentBuilder {
    id: Option<ContentId>,
    media_type: String,
    title: Option<String>,
    comma: Option<Comma>,
    about: About,
    outline: Vec<Heading>,
    warnings: Vec<Warning>,
    pages: Vec<Page>,
    lines: Vec<Line>,
    words: Vec<Word>,
    confidences: Vec<u8>,
    flows: Vec<(FlowRole, TextBuilder)>,
}

impl DocumentBuilder {
    /// A document of that kind, with one page and no line.
    pub fn new(media_type: impl Into<String>) -> Self {
        Self {
            id: None,
            media_type: media_type.into(),
            title: None,
            comma: None,
            about: About::default(),
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
            confidences: Vec::new(),
            flows: vec![(FlowRole::Body, TextBuilder::new())],
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
    pub fn comma(&mut self, comma: Comma) -> &mut Self {
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
    pub fn about(&mut self, about: About) -> &mut Self {
        self.about = about;
        self
    }

    /// Adds a heading to the outline.
    pub fn heading(&mut self, heading: Heading) -> &mut Self {
        self.outline.push(heading);
        self
    }

    /// Says that something could not be read.
    pub fn warning(&mut self, warning: Warning) -> &mut Self {
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

    /// Says what the last line is and where its words stand.
    pub fn line_is(&mut self, role: LineRole, words: impl IntoIterator<Item = Word>) -> &mut Self {
        if let Some(line) = self.lines.last_mut() {
            self.words.extend(words);
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
    pub fn text(&mut self, role: FlowRole, line: u32, text: &str, then: Break) -> &mut Self {
        let at = match self.flows.iter().position(|flow| flow.0 == role) {
            Some(at) => at,
            None => {
                self.flows.push((role, TextBuilder::new()));
                self.flows.len() - 1
            }
        };
        self.flows[at].1.push(line, text, then);
        self
    }

    /// Says how the document looks, by its lines alone.
    pub(crate) fn sketch(&self, sketch: &mut Sketch) {
        for (at, line) in (0..).zip(&self.lines) {
            let shape = match line.role {
                LineRole::Heading => Shape::Heading(2),
                LineRole::Text => Shape::Paragraph,
                _ => Shape::Note,
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

    /// Sets the lines on pages, by where their words stand. A line that goes on over pages is a line on
    /// each of them.
    pub(crate) fn lay_out(&mut self, pages: usize, words: &[Placed]) {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let of_file = std::mem::take(&mut self.lines);
        let mut spread = Spread {
            page: 1,
            cuts: Vec::new(),
            lines: Vec::with_capacity(of_file.len()),
            words: Vec::with_capacity(words.len()),
        };
        let mut rest = words;
        for (at, line) in of_file.iter().enumerate() {
            let count = rest
                .iter()
                .take_while(|word| word.line <= number(at))
                .count();
            let (own, others) = rest.split_at(count);
            rest = others;
            spread.line(number(at), line, own);
        }
        let Spread {
            cuts, lines, words, ..
        } = spread;
        self.pages = (1..=number(pages))
            .map(|number| Page {
                number,
                label: None,
                size: Some(PAGE),
                lines: 0..0,
            })
            .collect();
        (self.lines, self.words) = (lines, words);
        let mut at = 0;
        for page in &mut self.pages {
            let start = at;
            while let Some(line) = self
                .lines
                .get_mut(at)
                .filter(|line| line.page == page.number)
            {
                at += 1;
                line.number = number(at - start);
            }
            page.lines = number(start)..number(at);
        }
        if !cuts.is_empty() {
            let lines = &self.lines;
            let words = &self.words;
            for (_, text) in &mut self.flows {
                renumber(text, &of_file, &cuts, lines, words);
            }
        }
    }

    /// The document, with its indexes.
    pub fn finish(self) -> Result<Document, TooLong> {
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
            Ok(Flow {
                role,
                index: Index::new(text.finish()?),
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
            confidences,
            pages: self.pages,
            lines: self.lines,
            flows: flows.collect::<Result<_, TooLong>>()?,
        })
    }
}

/// Lines that are being spread over pages.
struct Spread {
    /// The page of the last line, from 1.
    page: u32,
    /// The lines of the file that are cut, and where, in order.
    cuts: Vec<(u32, usize)>,
    lines: Vec<Line>,
    words: Vec<Word>,
}

impl Spread {
    fn line(&mut self, at: u32, line: &Line, words: &[Placed]) {
        // Where the part of the line begins, and where the last word has ended.
        let (mut start, mut end) = (0, 0);
        self.page = self.page.max(words.first().map_or(1, |word| word.page + 1));
        let mut first_word = self.words.len();
        for word in words {
            let from = (word.range.start as usize).max(end);
            let to = word.range.end as usize;
            if from >= to || line.text.get(from..to).is_none() {
                continue;
            }
            if word.page + 1 > self.page {
                if from > start {
                    self.push(line, start..from, first_word);
                    self.cuts.push((at, from));
                    start = from;
                    first_word = self.words.len();
                }
                self.page = word.page + 1;
            }
            // A word that stands before its line cannot be shown with it.
            if word.page + 1 == self.page {
                end = to;
                self.words.push(Word {
                    range: (from - start) as u32..(to - start) as u32,
                    x: word.x,
                    y: word.y,
                    width: word.width,
                    height: word.height,
                });
            }
        }
        self.push(line, start..line.text.len(), first_word);
    }

    fn push(&mut self, line: &Line, range: Range<usize>, first_word: usize) {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let text = line.text.get(range).unwrap_or_default();
        self.lines.push(Line {
            page: self.page,
            number: 0,
            text: text.trim_end().to_owned(),
            role: line.role,
            words: number(first_word)..number(self.words.len()),
        });
    }
}

/// Gives the pieces of a flow the numbers of the lines after some were cut.
fn renumber(
    text: &mut TextBuilder,
    of_file: &[Line],
    cuts: &[(u32, usize)],
    lines: &[Line],
    words: &[Word],
) {
    let mut aligned: Option<(u32, Aligner<'_>)> = None;
    let mut last = None;
    text.renumber(|piece, text, pieces| {
        let before = cuts.partition_point(|cut| cut.0 < piece.id);
        let own = cuts[before..].partition_point(|cut| cut.0 == piece.id);
        let mut id = piece.id + u32::try_from(before).unwrap_or(u32::MAX);
        let mut start = 0;
        if own > 0
            && let Some(line) = of_file.get(piece.id as usize)
        {
            let is_first = last.replace(piece.id) != Some(piece.id);
            let is_line = is_first && line.text.starts_with(text.trim_end());
            let pairs = match is_line {
                true => Vec::new(),
                false => {
                    if aligned.as_ref().is_none_or(|(line, _)| *line != piece.id) {
                        let parts = (0..=own).flat_map(|part| {
                            let offset = if part == 0 {
                                0
                            } else {
                                cuts[before + part - 1].1
                            };
                            let line = lines.get(id as usize + part);
                            let words = line.and_then(|line| {
                                words.get(line.words.start as usize..line.words.end as usize)
                            });
                            words.unwrap_or_default().iter().map(move |word| {
                                word.range.start as usize + offset..word.range.end as usize + offset
                            })
                        });
                        aligned = Some((piece.id, Aligner::new(&line.text, parts)));
                    }
                    aligned
                        .as_mut()
                        .map_or_else(Vec::new, |(_, aligner)| aligner.next(text))
                }
            };
            for (_, cut) in &cuts[before..before + own] {
                let at = match is_line {
                    true => *cut,
                    false => {
                        let after = pairs.partition_point(|(_, line)| line < cut);
                        match pairs.get(after) {
                            Some((at, _)) => *at,
                            // All of the piece is before the cut, or it is nowhere on the line.
                            None => break,
                        }
                    }
                };
                if at >= text.len() {
                    break;
                }
                if at > start && text.is_char_boundary(at) {
                    pieces.push(passage::Piece {
                        id,
                        range: piece.range.start + start..piece.range.start + at,
                    });
                    start = at;
                }
                id += 1;
            }
        }
        pieces.push(passage::Piece {
            id,
            range: piece.range.start + start..piece.range.end,
        });
    });
}
