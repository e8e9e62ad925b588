//! Reader of Markdown: the text without its markup, and the file as it was written.
//!
//! Lines are those of the file. The parser gives the position of each text in the file and thereby its line; a
//! paragraph of three lines is three pieces of the body.

mod embedded_html;
mod front_matter;
mod source;
mod stream_writer;
mod style;

use std::ops::Range;

use passage::{CommaMeaning, PieceBreak};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::builder::DocumentDraft;
use crate::document::TextStreamRole;
use crate::error::DocumentError;
use crate::html::elements;
use crate::layout::BlockShape;
use embedded_html::{EmbeddedHtml, HtmlTagEffect};
use front_matter::FrontMatter;
use source::MarkdownSource;
use stream_writer::StreamWriters;
use style::MarkdownStyle;

/// Largest number of markers of block quotes and lists before a line. The parser checks all open ones for every line.
const MAX_MARKERS: usize = 256;
/// Largest number of block quote characters that are skipped before the next line of a code span.
const MAX_PREFIX: usize = 64;

/// Reads a Markdown file.
pub(crate) fn read(text: &str, draft: &mut DocumentDraft<'_>) -> Result<(), DocumentError> {
    let source = MarkdownSource::new(text, draft)?;
    let limit = draft.limits.nesting.min(MAX_MARKERS);
    if source
        .text
        .split('\n')
        .any(|line| source::count_markers(line) > limit)
    {
        return Err(DocumentError::TooDeep { limit });
    }
    let style = MarkdownStyle::new(draft.limits.pixels);
    let mut reader = MarkdownReader {
        source: &source,
        draft,
        streams: StreamWriters::new(),
        embedded: EmbeddedHtml::new(),
        start: 0,
        depth: 0,
        images: 0,
        notes: 0,
        heading: None,
        title: None,
        style,
    };
    if let Some(front) = FrontMatter::find(&source.text) {
        reader.front_matter(front);
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(&source.text[reader.start..], options);
    for (event, range) in parser.into_offset_iter() {
        reader.event(event, range.start + reader.start..range.end + reader.start)?;
    }
    reader.finish();
    Ok(())
}

/// File that is being read.
struct MarkdownReader<'a, 'd, 'l> {
    source: &'a MarkdownSource<'a>,
    draft: &'d mut DocumentDraft<'l>,
    streams: StreamWriters,
    embedded: EmbeddedHtml,
    /// Beginning of the text after the front matter, in bytes.
    start: usize,
    /// Number of open tags.
    depth: usize,
    /// Number of open images.
    images: u32,
    /// Number of open footnotes.
    notes: u32,
    /// Text of the first heading, while it is read.
    heading: Option<String>,
    title: Option<String>,
    style: MarkdownStyle,
}

impl MarkdownReader<'_, '_, '_> {
    /// Adds the front matter: text apart from the body, shown as code.
    fn front_matter(&mut self, front: FrontMatter) {
        let mut at = front.inside.start;
        self.draft.sketch.begin_block(BlockShape::Code);
        for line in self.source.text[front.inside].split_inclusive('\n') {
            self.push_as(TextStreamRole::Apart, at, line);
            self.streams
                .get(TextStreamRole::Apart)
                .end(PieceBreak::Line);
            self.draft.sketch.begin_row();
            at += line.len();
        }
        self.draft.sketch.end_block();
        if let Some(language) = front.language {
            self.draft
                .builder
                .comma(CommaMeaning::of_language(&language));
        }
        self.title = front.title;
        self.start = front.end;
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), DocumentError> {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                let limit = self.draft.limits.nesting;
                if self.depth > limit {
                    return Err(DocumentError::TooDeep { limit });
                }
                self.style.enter(&tag, &mut self.draft.sketch);
                self.enter(&tag, range.start);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.leave(tag);
                self.style.leave(tag, &mut self.draft.sketch);
            }
            Event::Text(text) => self.push_lines(&text, range.start),
            Event::Code(code) => {
                self.style.is_code = true;
                self.push_code(&code, range);
                self.style.is_code = false;
            }
            Event::Html(html) | Event::InlineHtml(html) => self.push_html(&html, range.start)?,
            Event::SoftBreak => {
                self.end(PieceBreak::Line);
                self.show(range.start, " ");
            }
            Event::HardBreak => {
                self.end(PieceBreak::Line);
                self.draft.sketch.begin_row();
            }
            Event::Rule => {
                self.end(PieceBreak::Line);
                self.draft.sketch.add_rule();
            }
            // Without a gap, the texts on both sides could make another number.
            Event::FootnoteReference(label) => {
                self.end(PieceBreak::Space);
                self.style.is_raised = true;
                self.show(range.start, &label);
                self.style.is_raised = false;
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(range.start, &text),
            Event::TaskListMarker(done) => {
                self.show(range.start, if done { "☑ " } else { "☐ " });
            }
        }
        Ok(())
    }

    fn enter(&mut self, tag: &Tag<'_>, at: usize) {
        match tag {
            Tag::Emphasis | Tag::Strong => {}
            Tag::Strikethrough | Tag::Superscript | Tag::Subscript => self.end(PieceBreak::Space),
            Tag::Link { title, .. } => self.push_hidden(at, title),
            Tag::Image { title, .. } => {
                self.end(PieceBreak::Space);
                self.streams
                    .get(TextStreamRole::Hidden)
                    .end(PieceBreak::Line);
                self.push_hidden(at, title);
                self.images += 1;
            }
            Tag::FootnoteDefinition(_) => {
                self.end_block();
                self.notes += 1;
            }
            Tag::Heading { level, .. } => {
                self.end_block();
                if *level == HeadingLevel::H1 && self.title.is_none() && self.notes == 0 {
                    self.heading = Some(String::new());
                }
            }
            Tag::TableCell => self.end(PieceBreak::Space),
            _ => self.end_block(),
        }
    }

    fn leave(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link => {}
            TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript => {
                self.end(PieceBreak::Space);
            }
            TagEnd::Image => {
                self.streams
                    .get(TextStreamRole::Hidden)
                    .end(PieceBreak::Line);
                self.images = self.images.saturating_sub(1);
            }
            TagEnd::FootnoteDefinition => {
                self.end_block();
                self.notes = self.notes.saturating_sub(1);
            }
            TagEnd::Heading(_) => {
                self.end_block();
                if let Some(heading) = self.heading.take() {
                    let heading = heading.trim();
                    self.title = (!heading.is_empty()).then(|| heading.to_owned());
                }
            }
            TagEnd::TableCell => {
                self.end(PieceBreak::Space);
                self.embedded.end_block();
            }
            _ => self.end_block(),
        }
    }

    /// Returns the role of the text at the current position.
    fn role(&self) -> TextStreamRole {
        if self.images > 0 || self.embedded.is_hidden() {
            TextStreamRole::Hidden
        } else if self.notes > 0 {
            TextStreamRole::Apart
        } else {
            TextStreamRole::Body
        }
    }

    /// Ends the current piece of text.
    fn end(&mut self, end: PieceBreak) {
        self.end_as(self.role(), end);
    }

    fn end_as(&mut self, role: TextStreamRole, end: PieceBreak) {
        self.streams.get(role).end(end);
        if role == TextStreamRole::Body
            && let Some(heading) = &mut self.heading
        {
            heading.push(' ');
        }
    }

    fn end_block(&mut self) {
        self.streams.end_all();
        self.embedded.end_block();
    }

    /// Adds text that is at a byte position of the file.
    fn push(&mut self, at: usize, text: &str) {
        if self.embedded.is_ignored() {
            return;
        }
        let role = self.role();
        match self.embedded.set_digits(text) {
            Some(set) => self.push_as(role, at, &set),
            None => self.push_as(role, at, text),
        }
    }

    fn push_as(&mut self, role: TextStreamRole, at: usize, text: &str) {
        // Character references may be control characters, which could move the cursor of a terminal.
        if text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
            let clean: String = text
                .chars()
                .filter(|c| !c.is_control() || c.is_whitespace())
                .collect();
            return self.push_as(role, at, &clean);
        }
        if role == TextStreamRole::Body
            && let Some(heading) = &mut self.heading
        {
            heading.push_str(text);
        }
        let line = self.source.line_at(at);
        match role {
            TextStreamRole::Hidden => self.style.add_label(text),
            TextStreamRole::Body
            | TextStreamRole::Apart
            | TextStreamRole::Markup
            | TextStreamRole::Alternative => {
                self.draft.sketch_pages_to(line);
                let range = self.style.range_in_line(line, self.source, at, text);
                let face = self.style.face();
                self.draft.sketch.add_text(line, range, text, face);
            }
        }
        let stream = self.streams.get(role);
        stream.push(&mut self.draft.builder, line, text);
    }

    /// Shows text that is in no text stream, at a byte position of the file.
    fn show(&mut self, at: usize, text: &str) {
        if self.role() != TextStreamRole::Hidden && !self.embedded.is_ignored() {
            let line = self.source.line_at(at);
            let face = self.style.face();
            self.draft.sketch.add_text(line, 0..0, text, face);
        }
    }

    /// Adds hidden text: the title of a link or an image.
    fn push_hidden(&mut self, at: usize, text: &str) {
        if !text.is_empty() {
            self.streams
                .get(TextStreamRole::Hidden)
                .end(PieceBreak::Line);
            self.push_as(TextStreamRole::Hidden, at, text);
            self.streams
                .get(TextStreamRole::Hidden)
                .end(PieceBreak::Line);
        }
    }

    /// Adds text whose line ends are those of the file.
    fn push_lines(&mut self, text: &str, mut at: usize) {
        let mut lines = text.split('\n');
        if let Some(first) = lines.next() {
            self.push(at, first);
        }
        for line in lines {
            self.end(PieceBreak::Line);
            self.draft.sketch.begin_row();
            at = self.source.next_line(at);
            self.push(at, line);
        }
    }

    /// Adds a code span. It may continue over lines, whose ends are spaces in it.
    fn push_code(&mut self, code: &str, range: Range<usize>) {
        let source = self.source;
        let written = &source.text[range.clone()];
        if !written.contains('\n') {
            return self.push(range.start, code);
        }
        let fence = |c: char| c == '`';
        let mut rest = code;
        let mut at = range.start;
        let last = range.end - written.rsplit('\n').next().map_or(0, str::len);
        for line in written.split('\n') {
            let from = at;
            at += line.len() + 1;
            let mut part = line;
            if from == range.start {
                part = part.trim_start_matches(fence);
            }
            if from == last {
                part = part.trim_end_matches(fence);
            }
            rest = rest.trim_start();
            if from > range.start {
                self.end(PieceBreak::Line);
                self.show(from, " ");
            }
            match code_on_line(rest, part.trim(), from == range.start) {
                Some(length) => {
                    let (here, after) = rest.split_at(length);
                    self.push(from, here);
                    rest = after;
                }
                None => return self.push(from, rest),
            }
        }
        self.push(range.start, rest);
    }

    /// Adds HTML whose line ends are those of the file.
    fn push_html(&mut self, html: &str, mut at: usize) -> Result<(), DocumentError> {
        for line in html.split_inclusive('\n') {
            self.push_html_line(line, at)?;
            if line.ends_with('\n') {
                at = self.source.next_line(at);
            }
        }
        Ok(())
    }

    fn push_html_line(&mut self, html: &str, at: usize) -> Result<(), DocumentError> {
        let mut embedded = std::mem::replace(&mut self.embedded, EmbeddedHtml::new());
        let result = embedded.read(html, |html, effect| {
            let role = match html.is_hidden() {
                true => TextStreamRole::Hidden,
                false => self.role(),
            };
            match effect {
                HtmlTagEffect::Text(text) => {
                    let set = html.set_digits(&text);
                    let text = set.as_deref().unwrap_or(&text);
                    for (nth, line) in text.split('\n').enumerate() {
                        if nth > 0 {
                            self.end_as(role, PieceBreak::Line);
                            self.show(at, " ");
                        }
                        self.push_as(role, at, line);
                    }
                }
                HtmlTagEffect::Hidden(text) => self.push_hidden(at, &text),
                HtmlTagEffect::Image(attributes) if role != TextStreamRole::Hidden => {
                    let (sketch, pixels) = (&mut self.draft.sketch, self.style.pixels);
                    if let Some(image) = elements::image(&attributes, sketch, pixels) {
                        self.style.add_image(image);
                    }
                }
                HtmlTagEffect::Image(_) => {}
                HtmlTagEffect::Line => {
                    self.end_as(role, PieceBreak::Line);
                    self.draft.sketch.begin_row();
                }
                HtmlTagEffect::Word => {
                    self.end_as(role, PieceBreak::Space);
                    self.show(at, " ");
                }
            }
        });
        self.embedded = embedded;
        result
    }

    fn finish(mut self) {
        self.end_block();
        self.streams.flush_all(&mut self.draft.builder);
        if let Some(title) = self.title {
            self.draft.builder.title(title);
        }
    }
}

/// Returns the number of bytes of `code` that are on a line. Block quote markers may precede them, except on the
/// first line.
fn code_on_line(code: &str, line: &str, first: bool) -> Option<usize> {
    let mut part = line;
    for _ in 0..MAX_PREFIX {
        if code.starts_with(part) {
            return Some(part.len());
        }
        if first {
            break;
        }
        part = part.strip_prefix(['>', ' ', '\t'])?;
    }
    None
}
