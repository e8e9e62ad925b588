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

use passage::{Break, Comma};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::document::FlowRole;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::html::elements;
use crate::layout::Shape;
use embedded::{Effect, Embedded};
use front_matter::FrontMatter;
use look::Look;
use source::Source;
use strand::Strand;

/// How many marks of block quotes and lists may stand before a line. The parser looks at all that are
/// open for every line.
const MAX_MARKS: usize = 256;
/// How many ways to continue code on the next line of a block quote are tried.
const MAX_PREFIX: usize = 64;

/// Reads a Markdown file.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), ReadError> {
    let source = Source::new(text, draft)?;
    let limit = draft.limits.nesting.min(MAX_MARKS);
    if source
        .text
        .split('\n')
        .any(|line| source::marks_before(line) > limit)
    {
        return Err(ReadError::TooDeep { limit });
    }
    let look = Look::new(draft.limits.pixels);
    let mut reader = Reader {
        source: &source,
        draft,
        body: Strand::new(FlowRole::Body),
        apart: Strand::new(FlowRole::Apart),
        hidden: Strand::new(FlowRole::Hidden),
        embedded: Embedded::new(),
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

struct Reader<'a, 'd, 'l> {
    source: &'a Source<'a>,
    draft: &'d mut Draft<'l>,
    body: Strand,
    apart: Strand,
    hidden: Strand,
    embedded: Embedded,
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
    look: Look,
}

impl Reader<'_, '_, '_> {
    fn front_matter(&mut self, front: FrontMatter) {
        let mut at = front.inside.start;
        self.draft.sketch.block(Shape::Code);
        for line in self.source.text[front.inside].split_inclusive('\n') {
            self.push_as(FlowRole::Apart, at, line);
            self.apart.end(Break::Line);
            self.draft.sketch.new_row();
            at += line.len();
        }
        self.draft.sketch.end_block();
        if let Some(language) = front.language {
            self.draft.builder.comma(Comma::of_language(&language));
        }
        self.title = front.title;
        self.start = front.end;
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) -> Result<(), ReadError> {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                let limit = self.draft.limits.nesting;
                if self.depth > limit {
                    return Err(ReadError::TooDeep { limit });
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
                self.end(Break::Line);
                self.show(range.start, " ");
            }
            Event::HardBreak => {
                self.end(Break::Line);
                self.draft.sketch.new_row();
            }
            Event::Rule => {
                self.end(Break::Line);
                self.draft.sketch.rule();
            }
            // Without a gap, the texts on both sides might make another number.
            Event::FootnoteReference(label) => {
                self.end(Break::Space);
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
            Tag::Strikethrough | Tag::Superscript | Tag::Subscript => self.end(Break::Space),
            Tag::Link { title, .. } => self.note(at, title),
            Tag::Image { title, .. } => {
                self.end(Break::Space);
                self.hidden.end(Break::Line);
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
            Tag::TableCell => self.end(Break::Space),
            _ => self.end_block(),
        }
    }

    fn leave(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link => {}
            TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript => {
                self.end(Break::Space);
            }
            TagEnd::Image => {
                self.hidden.end(Break::Line);
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
                self.end(Break::Space);
                self.embedded.end_block();
            }
            _ => self.end_block(),
        }
    }

    /// Which flow text belongs to here.
    fn role(&self) -> FlowRole {
        if self.images > 0 || self.embedded.is_concealed() {
            FlowRole::Hidden
        } else if self.notes > 0 {
            FlowRole::Apart
        } else {
            FlowRole::Body
        }
    }

    fn strand(&mut self, role: FlowRole) -> &mut Strand {
        match role {
            FlowRole::Apart => &mut self.apart,
            FlowRole::Hidden => &mut self.hidden,
            FlowRole::Body | FlowRole::Markup | FlowRole::Alternative => &mut self.body,
        }
    }

    fn end(&mut self, end: Break) {
        self.end_as(self.role(), end);
    }

    fn end_as(&mut self, role: FlowRole, end: Break) {
        self.strand(role).end(end);
        if role == FlowRole::Body
            && let Some(heading) = &mut self.heading
        {
            heading.push(' ');
        }
    }

    fn end_block(&mut self) {
        for strand in [&mut self.body, &mut self.apart, &mut self.hidden] {
            strand.end(Break::Line);
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

    fn push_as(&mut self, role: FlowRole, at: usize, text: &str) {
        // Character references may stand for anything; what is shown must not move cursors.
        if text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
            let clean: String = text
                .chars()
                .filter(|c| !c.is_control() || c.is_whitespace())
                .collect();
            return self.push_as(role, at, &clean);
        }
        if role == FlowRole::Body
            && let Some(heading) = &mut self.heading
        {
            heading.push_str(text);
        }
        let line = self.source.line_at(at);
        match role {
            FlowRole::Hidden => self.look.conceal(text),
            FlowRole::Body | FlowRole::Apart | FlowRole::Markup | FlowRole::Alternative => {
                self.draft.reach(line);
                let range = self.look.after(line, self.source, at, text);
                let face = self.look.face();
                self.draft.sketch.text(line, range, text, face);
            }
        }
        let strand = match role {
            FlowRole::Apart => &mut self.apart,
            FlowRole::Hidden => &mut self.hidden,
            FlowRole::Body | FlowRole::Markup | FlowRole::Alternative => &mut self.body,
        };
        strand.push(&mut self.draft.builder, line, text);
    }

    /// Shows text that is in no flow, at a byte of the file.
    fn show(&mut self, at: usize, text: &str) {
        if self.role() != FlowRole::Hidden && !self.embedded.is_left() {
            let line = self.source.line_at(at);
            let face = self.look.face();
            self.draft.sketch.text(line, 0..0, text, face);
        }
    }

    /// A title of a link or an image: text that is not shown.
    fn note(&mut self, at: usize, text: &str) {
        if !text.is_empty() {
            self.hidden.end(Break::Line);
            self.push_as(FlowRole::Hidden, at, text);
            self.hidden.end(Break::Line);
        }
    }

    /// Text whose lines are lines of the file.
    fn lines(&mut self, text: &str, mut at: usize) {
        let mut lines = text.split('\n');
        if let Some(first) = lines.next() {
            self.push(at, first);
        }
        for line in lines {
            self.end(Break::Line);
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
                self.end(Break::Line);
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
    fn html(&mut self, html: &str, mut at: usize) -> Result<(), ReadError> {
        for line in html.split_inclusive('\n') {
            self.html_line(line, at)?;
            if line.ends_with('\n') {
                at = self.source.next_line(at);
            }
        }
        Ok(())
    }

    fn html_line(&mut self, html: &str, at: usize) -> Result<(), ReadError> {
        let mut embedded = std::mem::replace(&mut self.embedded, Embedded::new());
        let result = embedded.read(html, |now, effect| {
            let role = match now.is_concealed() {
                true => FlowRole::Hidden,
                false => self.role(),
            };
            match effect {
                Effect::Text(text) => {
                    let set = now.set(&text);
                    let text = set.as_deref().unwrap_or(&text);
                    for (nth, line) in text.split('\n').enumerate() {
                        if nth > 0 {
                            self.end_as(role, Break::Line);
                            self.show(at, " ");
                        }
                        self.push_as(role, at, line);
                    }
                }
                Effect::Hidden(text) => self.note(at, &text),
                Effect::Image(attributes) if role != FlowRole::Hidden => {
                    let (sketch, pixels) = (&mut self.draft.sketch, self.look.pixels);
                    if let Some(figure) = elements::figure(&attributes, sketch, pixels) {
                        self.look.figure(figure);
                    }
                }
                Effect::Image(_) => {}
                Effect::Line => {
                    self.end_as(role, Break::Line);
                    self.draft.sketch.new_row();
                }
                Effect::Word => {
                    self.end_as(role, Break::Space);
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
