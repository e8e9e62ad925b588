//! Markdown: the text without its markup, and the file as it was written.
//!
//! Lines are those of the file. The parser says where in the file each text stands, and so on which
//! line; a paragraph over three lines is three pieces of the body.

mod embedded;
mod front_matter;
mod look;
mod source;
mod strand;

use std::ops::Range;

use passage::{CommaMeaning, PieceBreak};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::document::TextStreamRole;
use crate::draft::DocumentDraft;
use crate::error::DocumentError;
use crate::html::elements;
use crate::layout::BlockShape;
use embedded::{EmbeddedHtml, HtmlTagEffect};
use front_matter::FrontMatter;
use look::MarkdownStyle;
use source::MarkdownSource;
use strand::StreamWriter;

/// How many marks of block quotes and lists may stand before a line. The parser looks at all that are
/// open for every line.
const MAX_MARKS: usize = 256;
/// How many ways to continue code on the next line of a block quote are tried.
const MAX_PREFIX: usize = 64;

/// Reads a Markdown file.
pub(crate) fn read(text: &str, draft: &mut DocumentDraft<'_>) -> Result<(), DocumentError> {
    let source = MarkdownSource::new(text, draft)?;
    let limit = draft.limits.nesting.min(MAX_MARKS);
    if source
        .text
        .split('\n')
        .any(|line| source::marks_before(line) > limit)
    {
        return Err(DocumentError::TooDeep { limit });
    }
    let look = MarkdownStyle::new(draft.limits.pixels);
    let mut reader = MarkdownReader {
        source: &source,
        draft,
        body: StreamWriter::new(TextStreamRole::Body),
        apart: StreamWriter::new(TextStreamRole::Apart),
        hidden: StreamWriter::new(TextStreamRole::Hidden),
        embedded: EmbeddedHtml::new(),
        start: 0,
        depth: 0,
        images: 0,
        notes: 0,
        heading: None,
        title: None,
        look,
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

struct MarkdownReader<'a, 'd, 'l> {
    source: &'a MarkdownSource<'a>,
    draft: &'d mut DocumentDraft<'l>,
    body: StreamWriter,
    apart: StreamWriter,
    hidden: StreamWriter,
    embedded: EmbeddedHtml,
    /// Where the text begins, after the front matter.
    start: usize,
    depth: usize,
    /// How many images, and how many footnotes, we are in.
    images: u32,
    notes: u32,
    /// The text of the first heading while it is read.
    heading: Option<String>,
    title: Option<String>,
    /// How the text looks here.
    look: MarkdownStyle,
}

impl MarkdownReader<'_, '_, '_> {
    fn front_matter(&mut self, front: FrontMatter) {
        let mut at = front.inside.start;
        self.draft.sketch.block(BlockShape::Code);
        for line in self.source.text[front.inside].split_inclusive('\n') {
            self.push_as(TextStreamRole::Apart, at, line);
            self.apart.end(PieceBreak::Line);
            self.draft.sketch.new_row();
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
                self.look.enter(&tag, &mut self.draft.sketch);
                self.enter(&tag, range.start);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.leave(tag);
                self.look.leave(tag, &mut self.draft.sketch);
            }
            Event::Text(text) => self.lines(&text, range.start),
            Event::Code(code) => {
                self.look.code = true;
                self.code(&code, range);
                self.look.code = false;
            }
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html, range.start)?,
            Event::SoftBreak => {
                self.end(PieceBreak::Line);
                self.show(range.start, " ");
            }
            Event::HardBreak => {
                self.end(PieceBreak::Line);
                self.draft.sketch.new_row();
            }
            Event::Rule => {
                self.end(PieceBreak::Line);
                self.draft.sketch.rule();
            }
            // Without a gap, the texts on both sides might make another number.
            Event::FootnoteReference(label) => {
                self.end(PieceBreak::Space);
                self.look.raised = true;
                self.show(range.start, &label);
                self.look.raised = false;
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
            Tag::Link { title, .. } => self.note(at, title),
            Tag::Image { title, .. } => {
                self.end(PieceBreak::Space);
                self.hidden.end(PieceBreak::Line);
                self.note(at, title);
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
                self.hidden.end(PieceBreak::Line);
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

    /// Which flow text belongs to here.
    fn role(&self) -> TextStreamRole {
        if self.images > 0 || self.embedded.is_concealed() {
            TextStreamRole::Hidden
        } else if self.notes > 0 {
            TextStreamRole::Apart
        } else {
            TextStreamRole::Body
        }
    }

    fn strand(&mut self, role: TextStreamRole) -> &mut StreamWriter {
        match role {
            TextStreamRole::Apart => &mut self.apart,
            TextStreamRole::Hidden => &mut self.hidden,
            TextStreamRole::Body | TextStreamRole::Markup | TextStreamRole::Alternative => {
                &mut self.body
            }
        }
    }

    fn end(&mut self, end: PieceBreak) {
        self.end_as(self.role(), end);
    }

    fn end_as(&mut self, role: TextStreamRole, end: PieceBreak) {
        self.strand(role).end(end);
        if role == TextStreamRole::Body
            && let Some(heading) = &mut self.heading
        {
            heading.push(' ');
        }
    }

    fn end_block(&mut self) {
        for strand in [&mut self.body, &mut self.apart, &mut self.hidden] {
            strand.end(PieceBreak::Line);
        }
        self.embedded.end_block();
    }

    /// Text that stands at a byte of the file.
    fn push(&mut self, at: usize, text: &str) {
        if self.embedded.is_left() {
            return;
        }
        let role = self.role();
        match self.embedded.set(text) {
            Some(set) => self.push_as(role, at, &set),
            None => self.push_as(role, at, text),
        }
    }

    fn push_as(&mut self, role: TextStreamRole, at: usize, text: &str) {
        // Character references may stand for anything; what is shown must not move cursors.
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
            TextStreamRole::Hidden => self.look.conceal(text),
            TextStreamRole::Body
            | TextStreamRole::Apart
            | TextStreamRole::Markup
            | TextStreamRole::Alternative => {
                self.draft.reach(line);
                let range = self.look.after(line, self.source, at, text);
                let face = self.look.face();
                self.draft.sketch.text(line, range, text, face);
            }
        }
        let strand = match role {
            TextStreamRole::Apart => &mut self.apart,
            TextStreamRole::Hidden => &mut self.hidden,
            TextStreamRole::Body | TextStreamRole::Markup | TextStreamRole::Alternative => {
                &mut self.body
            }
        };
        strand.push(&mut self.draft.builder, line, text);
    }

    /// Shows text that is in no flow, at a byte of the file.
    fn show(&mut self, at: usize, text: &str) {
        if self.role() != TextStreamRole::Hidden && !self.embedded.is_left() {
            let line = self.source.line_at(at);
            let face = self.look.face();
            self.draft.sketch.text(line, 0..0, text, face);
        }
    }

    /// A title of a link or an image: text that is not shown.
    fn note(&mut self, at: usize, text: &str) {
        if !text.is_empty() {
            self.hidden.end(PieceBreak::Line);
            self.push_as(TextStreamRole::Hidden, at, text);
            self.hidden.end(PieceBreak::Line);
        }
    }

    /// Text whose lines are lines of the file.
    fn lines(&mut self, text: &str, mut at: usize) {
        let mut lines = text.split('\n');
        if let Some(first) = lines.next() {
            self.push(at, first);
        }
        for line in lines {
            self.end(PieceBreak::Line);
            self.draft.sketch.new_row();
            at = self.source.next_line(at);
            self.push(at, line);
        }
    }

    /// Code in a line, which may go on over lines: then their ends are spaces in it.
    fn code(&mut self, code: &str, range: Range<usize>) {
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

    /// HTML whose lines are lines of the file.
    fn html(&mut self, html: &str, mut at: usize) -> Result<(), DocumentError> {
        for line in html.split_inclusive('\n') {
            self.html_line(line, at)?;
            if line.ends_with('\n') {
                at = self.source.next_line(at);
            }
        }
        Ok(())
    }

    fn html_line(&mut self, html: &str, at: usize) -> Result<(), DocumentError> {
        let mut embedded = std::mem::replace(&mut self.embedded, EmbeddedHtml::new());
        let result = embedded.read(html, |now, effect| {
            let role = match now.is_concealed() {
                true => TextStreamRole::Hidden,
                false => self.role(),
            };
            match effect {
                HtmlTagEffect::Text(text) => {
                    let set = now.set(&text);
                    let text = set.as_deref().unwrap_or(&text);
                    for (nth, line) in text.split('\n').enumerate() {
                        if nth > 0 {
                            self.end_as(role, PieceBreak::Line);
                            self.show(at, " ");
                        }
                        self.push_as(role, at, line);
                    }
                }
                HtmlTagEffect::Hidden(text) => self.note(at, &text),
                HtmlTagEffect::Image(attributes) if role != TextStreamRole::Hidden => {
                    let (sketch, pixels) = (&mut self.draft.sketch, self.look.pixels);
                    if let Some(figure) = elements::figure(&attributes, sketch, pixels) {
                        self.look.figure(figure);
                    }
                }
                HtmlTagEffect::Image(_) => {}
                HtmlTagEffect::Line => {
                    self.end_as(role, PieceBreak::Line);
                    self.draft.sketch.new_row();
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
        for strand in [&mut self.body, &mut self.apart, &mut self.hidden] {
            strand.flush(&mut self.draft.builder);
        }
        if let Some(title) = self.title {
            self.draft.builder.title(title);
        }
    }
}

/// How much of some code stands on a line, before which marks of block quotes may stand.
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
