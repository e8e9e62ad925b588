//! Writer of a story: takes text, breaks and properties, and makes lines of them.

use super::super::numbering::ListMarker;
use super::super::styles::{CharacterStyle, DocxStyle, ParagraphStyle};
use super::super::symbols::{SymbolFont, is_of_symbol_font};
use super::super::xml::XmlElement;
use super::StoryContext;
use super::blocks::{PageBreak, ParagraphBlock, StoryBlocks};
use super::lines::{NoteKind, StoryLine};
use crate::digit_position::DigitPosition;
use crate::document::LineRole;
use crate::layout::FontFace;

/// Properties of the letters of the current run.
#[derive(Debug, Clone, Default)]
struct LetterRun {
    is_hidden: bool,
    digits: DigitPosition,
    font: Option<SymbolFont>,
    language: Option<String>,
    face: FontFace,
}

/// Properties that text has from the elements around its run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TextScope {
    /// True for the reading of a character, which is set beside the line.
    pub(super) is_ruby: bool,
    pub(super) is_link: bool,
    /// Position of digits in a formula; runs have their own.
    pub(super) digits: DigitPosition,
}

/// Properties of a paragraph, as its element states them.
#[derive(Debug, Default)]
pub(super) struct ParagraphProperties {
    pub(super) style: ParagraphStyle,
    /// True if the next paragraph continues it: its end is deleted, or it is a drop cap.
    pub(super) joins_next: bool,
    /// True if it ends a section after which a page begins.
    pub(super) ends_page: bool,
}

/// Deepest nesting of fields.
const MAX_FIELDS: usize = 256;

/// Writer of the lines of a story.
pub(super) struct StoryWriter<'s> {
    context: &'s mut StoryContext,
    /// Role of lines that are no headings.
    role: LineRole,
    pub(super) blocks: StoryBlocks,
    pub(super) block: ParagraphBlock,
    run: LetterRun,
    /// Open fields; true while the result of one is read, false while its instruction is.
    fields: Vec<bool>,
}

impl<'s> StoryWriter<'s> {
    pub(super) fn new(context: &'s mut StoryContext, role: LineRole) -> Self {
        Self {
            context,
            role,
            blocks: StoryBlocks::default(),
            block: ParagraphBlock::default(),
            run: LetterRun::default(),
            fields: Vec::new(),
        }
    }

    /// Returns true outside of instructions of fields.
    fn is_shown(&self) -> bool {
        !self.fields.contains(&false)
    }

    /// Adds text of the file.
    pub(super) fn push(&mut self, text: &str, scope: TextScope) {
        if self.is_shown() && !self.run.is_hidden {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let language = self.run.language.as_deref();
            self.context.languages.count(language, letters);
        }
        self.push_generated(text, scope);
    }

    /// Adds text that is not in the file, such as the bar of a fraction.
    pub(super) fn push_generated(&mut self, text: &str, scope: TextScope) {
        if !self.is_shown() {
            return;
        }
        let digits = match scope.digits {
            DigitPosition::Normal => self.run.digits,
            digits => digits,
        };
        let face = FontFace {
            link: scope.is_link,
            ..self.run.face
        };
        let block = &mut self.block;
        let line = match (self.run.is_hidden, scope.is_ruby) {
            (true, _) => block.hidden(),
            (false, true) => block.ruby(),
            (false, false) => block.line(),
        };
        if self.run.font.is_none() && !text.contains(is_of_symbol_font) {
            return line.push(text, digits, face);
        }
        for c in text.chars() {
            let shown = match self.run.font {
                Some(font) if is_of_symbol_font(c) || c.is_ascii_graphic() => {
                    font.character(c.into())
                }
                _ => (!is_of_symbol_font(c)).then_some(c),
            };
            if let Some(c) = shown {
                line.push_char(c, digits, face);
            }
        }
    }

    /// Adds a character of a symbol font.
    pub(super) fn push_symbol(&mut self, element: &XmlElement<'_>, scope: TextScope) {
        let number = element.attribute("char");
        let number = number.and_then(|number| u32::from_str_radix(&number, 16).ok());
        let font = element.attribute("font");
        let font = font.and_then(|name| SymbolFont::of_name(&name));
        let shown = match (font, number) {
            (Some(font), Some(number)) => font.character(number),
            (None, Some(number)) => char::from_u32(number).filter(|c| !is_of_symbol_font(*c)),
            (_, None) => None,
        };
        if let Some(c) = shown {
            let font = self.run.font.take();
            self.push(c.encode_utf8(&mut [0; 4]), scope);
            self.run.font = font;
        }
    }

    /// Adds a tab. In a row of a table it is a space, because tabs separate cells.
    pub(super) fn push_tab(&mut self) {
        if !self.is_shown() || self.run.is_hidden {
            return;
        }
        match self.blocks.is_in_row() {
            true => self.block.line().space(),
            false => self.block.line().tab(),
        }
    }

    /// Ends the line, but not the paragraph. A heading stays one line.
    pub(super) fn break_line(&mut self) {
        if !self.is_shown() || self.run.is_hidden {
            return;
        }
        if self.block.depth.is_some() || self.block.is_title {
            return self.block.line().space();
        }
        self.count_in_list();
        self.blocks.push(self.block.take_line(self.role));
        self.block.is_continuation = true;
    }

    /// Ends the page. Headings and rows of tables are not broken.
    pub(super) fn break_page(&mut self, kind: PageBreak) {
        if !self.is_shown() {
            return;
        }
        if self.block.is_begun() && !self.blocks.is_in_row() {
            self.break_line();
        }
        self.block.end_page(kind);
    }

    /// Begins, separates or ends a field.
    pub(super) fn read_field(&mut self, element: &XmlElement<'_>) {
        match element.attribute("fldCharType").as_deref() {
            Some("begin") if self.fields.len() < MAX_FIELDS => self.fields.push(false),
            Some("separate") => {
                if let Some(is_result) = self.fields.last_mut() {
                    *is_result = true;
                }
            }
            Some("end") => {
                self.fields.pop();
            }
            _ => {}
        }
    }

    /// Ends the instructions of all fields, so that no text is lost to a field without an end.
    pub(super) fn end_instructions(&mut self) {
        self.fields.fill(true);
    }

    /// Adds the lines of a note after the paragraph that refers to it.
    pub(super) fn add_note(&mut self, kind: NoteKind, id: String) {
        if self.is_shown()
            && let Some(lines) = self.context.notes.remove(&(kind, id))
        {
            self.block.apart.extend(lines);
        }
    }

    /// Begins a run with these properties.
    pub(super) fn begin_run(&mut self, mut letters: CharacterStyle) {
        let styles = &self.context.styles;
        let paragraph: &DocxStyle = styles.paragraph(self.block.style.as_deref());
        styles.apply(&mut letters, paragraph);
        // English is the default of programs whose language was never set.
        let default = styles.language.as_deref();
        let default = default.filter(|tag| !tag.to_ascii_lowercase().starts_with("en"));
        self.run = LetterRun {
            is_hidden: letters.hidden.unwrap_or(false),
            digits: letters.digits.unwrap_or_default(),
            font: letters.font.flatten(),
            face: FontFace {
                bold: letters.bold.unwrap_or(false),
                italic: letters.italic.unwrap_or(false),
                struck: letters.struck.unwrap_or(false),
                mono: letters.mono.unwrap_or(false),
                ..FontFace::default()
            },
            language: letters.language.or_else(|| default.map(str::to_owned)),
        };
    }

    /// Ends the run.
    pub(super) fn end_run(&mut self) {
        self.run = LetterRun::default();
    }

    /// Begins a paragraph.
    pub(super) fn begin_paragraph(&mut self) {
        if !self.block.joins_next {
            self.end_paragraph();
        }
        self.block.begin(self.context.styles.paragraph(None));
    }

    /// Sets the properties of the paragraph.
    pub(super) fn set_paragraph(&mut self, properties: ParagraphProperties) {
        let ParagraphProperties {
            style: own,
            joins_next,
            ends_page,
        } = properties;
        let style = self.context.styles.paragraph(own.style.as_deref());
        let list = own.list.or(style.paragraph.list).filter(|list| *list > 0);
        let outline = own.outline.or(style.paragraph.outline);
        let page_before = own.page_before.or(style.paragraph.page_before);
        let block = &mut self.block;
        block.depth = outline.filter(|depth| *depth < 9);
        block.is_title = style.is_title;
        block.list = list.map(|list| (list, own.level.or(style.paragraph.level)));
        block.style = own.style;
        block.joins_next = joins_next;
        block.ends_page = ends_page;
        if page_before == Some(true) && !self.blocks.is_empty() {
            self.break_page(PageBreak::Implied);
        }
    }

    /// Ends the paragraph.
    pub(super) fn end_paragraph(&mut self) {
        self.count_in_list();
        self.block.joins_next = false;
        self.blocks.push(self.block.take_line(self.role));
        if std::mem::take(&mut self.block.ends_page) {
            self.break_page(PageBreak::Implied);
        }
        self.block.begin(self.context.styles.paragraph(None));
    }

    /// Counts the paragraph in its list, once.
    fn count_in_list(&mut self) {
        let Some((list, level)) = self.block.list.take() else {
            return;
        };
        let StoryContext {
            styles, numbering, ..
        } = &mut *self.context;
        let marker = numbering.count(list, level, self.block.style.as_deref(), styles);
        let level = level.map_or(0, |level| level.min(8) as usize);
        self.block.level = level + 1;
        match marker {
            Some(ListMarker::Number(number)) => self.block.number = Some(number),
            Some(ListMarker::Bullet) => self.block.has_bullet = true,
            None => {}
        }
    }

    /// Ends the paragraph and returns the lines so far.
    pub(super) fn take_lines(&mut self) -> Vec<StoryLine> {
        self.end_paragraph();
        self.blocks.take()
    }
}
