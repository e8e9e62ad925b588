//! Letters: what a run looks like, and what is set of it.

use super::super::styles::{CharacterStyle, DocxStyle, VerticalAlign};
use super::super::symbols::{SymbolFont, is_of_symbol_font};
use super::super::xml::XmlElement;
use super::{PageBreak, StoryReader};
use crate::layout::FontFace;

/// Letters of the run that is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct LetterRun {
    pub(super) hidden: bool,
    pub(super) height: VerticalAlign,
    pub(super) font: Option<SymbolFont>,
    pub(super) language: Option<String>,
    pub(super) face: FontFace,
}

/// More fields within fields than there are.
const MAX_FIELDS: usize = 256;

impl StoryReader<'_> {
    /// Whether what is being read is a result and not an instruction.
    pub(super) fn is_shown(&self) -> bool {
        !self.fields.contains(&false)
    }

    /// Sets text; `said` if it is in the file as such.
    pub(super) fn push(&mut self, text: &str, said: bool) {
        if !self.is_shown() {
            return;
        }
        let scope = self.scope();
        let height = match scope.height {
            VerticalAlign::Normal => self.run.height,
            height => height,
        };
        if said && !self.run.hidden {
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let language = self.run.language.as_deref();
            self.shared.languages.count(language, letters);
        }
        let face = FontFace {
            link: scope.link,
            ..self.run.face
        };
        let block = &mut self.block;
        let line = match (self.run.hidden, scope.ruby) {
            (true, _) => block.hidden(),
            (false, true) => block.ruby(),
            (false, false) => block.line(),
        };
        if self.run.font.is_none() && !text.contains(is_of_symbol_font) {
            return line.push(text, height, face);
        }
        for c in text.chars() {
            let shown = match self.run.font {
                Some(font) if is_of_symbol_font(c) || c.is_ascii_graphic() => {
                    font.character(c.into())
                }
                _ => (!is_of_symbol_font(c)).then_some(c),
            };
            if let Some(c) = shown {
                line.push_char(c, height, face);
            }
        }
    }

    pub(super) fn gap(&mut self, tab: bool) {
        if !self.is_shown() || self.run.hidden {
            return;
        }
        // Between cells a tab means something else.
        match tab && !self.blocks.is_in_row() {
            true => self.block.line().tab(),
            false => self.block.line().space(),
        }
    }

    /// A heading is one line, wherever it is broken.
    pub(super) fn line_break(&mut self) {
        if !self.is_shown() || self.run.hidden {
            return;
        }
        if self.block.depth.is_some() || self.block.title {
            return self.gap(false);
        }
        self.number();
        self.blocks.push(self.block.take_line(self.role));
        self.block.continues = true;
    }

    /// A page ends; what comes next is on another one. A heading is not broken, nor is a row of a table.
    pub(super) fn page_break(&mut self, kind: PageBreak) {
        if !self.is_shown() {
            return;
        }
        if self.block.is_begun() && !self.blocks.is_in_row() {
            self.line_break();
        }
        self.block.end_page(kind);
    }

    pub(super) fn symbol(&mut self, element: &XmlElement<'_>) {
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
            self.push(c.encode_utf8(&mut [0; 4]), true);
            self.run.font = font;
        }
    }

    pub(super) fn field(&mut self, element: &XmlElement<'_>) {
        match element.attribute("fldCharType").as_deref() {
            Some("begin") if self.fields.len() < MAX_FIELDS => self.fields.push(false),
            Some("separate") => {
                if let Some(result) = self.fields.last_mut() {
                    *result = true;
                }
            }
            Some("end") => {
                self.fields.pop();
            }
            _ => {}
        }
    }

    /// Letters as they look, from what is said of them.
    pub(super) fn run_of(&self, mut letters: CharacterStyle) -> LetterRun {
        let styles = &self.shared.styles;
        let paragraph: &DocxStyle = styles.paragraph(self.block.style.as_deref());
        styles.letters(&mut letters, paragraph);
        // English is what programs say that were never told.
        let usual = styles.language.as_deref();
        let usual = usual.filter(|tag| !tag.to_ascii_lowercase().starts_with("en"));
        LetterRun {
            hidden: letters.hidden.unwrap_or(false),
            height: letters.height.unwrap_or_default(),
            font: letters.font.flatten(),
            face: FontFace {
                bold: letters.bold.unwrap_or(false),
                italic: letters.italic.unwrap_or(false),
                struck: letters.struck.unwrap_or(false),
                mono: letters.mono.unwrap_or(false),
                ..FontFace::default()
            },
            language: letters.language.or_else(|| usual.map(str::to_owned)),
        }
    }
}
