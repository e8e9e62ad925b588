//! Style sheet: properties of paragraphs and letters by style.

use std::collections::HashMap;

use super::symbols::SymbolFont;
use super::xml::{DescendChoice, XmlElement, XmlNode, XmlPart};
use crate::digit_position::DigitPosition;
use crate::error::DocumentError;

/// Properties of letters; missing ones come from a style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CharacterStyle {
    pub(super) style: Option<String>,
    pub(super) hidden: Option<bool>,
    pub(super) digits: Option<DigitPosition>,
    /// Symbol font; `Some(None)` is any other font.
    pub(super) font: Option<Option<SymbolFont>>,
    pub(super) language: Option<String>,
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) struck: Option<bool>,
    /// True for a monospaced font.
    pub(super) mono: Option<bool>,
}

/// Parts of the names of monospaced fonts.
const MONOSPACED: &[&str] = &["Courier", "Consolas", "Mono", "Menlo", "Typewriter"];

impl CharacterStyle {
    /// Takes the property of an element inside `rPr`.
    pub(super) fn take(&mut self, element: &XmlElement<'_>) {
        if !element.is_word() {
            return;
        }
        match element.name() {
            "rStyle" => self.style = element.value().map(|style| style.into_owned()),
            "vanish" => self.hidden = Some(element.is_on()),
            "vertAlign" => {
                self.digits = Some(match element.value().as_deref() {
                    Some("superscript") => DigitPosition::Raised,
                    Some("subscript") => DigitPosition::Lowered,
                    _ => DigitPosition::Normal,
                });
            }
            "rFonts" => {
                if let Some(name) = element.attribute("ascii") {
                    self.font = Some(SymbolFont::of_name(&name));
                    self.mono = Some(MONOSPACED.iter().any(|mono| name.contains(mono)));
                }
            }
            "b" => self.bold = Some(element.is_on()),
            "i" => self.italic = Some(element.is_on()),
            "strike" | "dstrike" => self.struck = Some(element.is_on()),
            "lang" => self.language = element.value().map(|tag| tag.into_owned()),
            _ => {}
        }
    }

    /// Takes missing properties from a style.
    fn inherit(&mut self, style: &Self) {
        self.hidden = self.hidden.or(style.hidden);
        self.digits = self.digits.or(style.digits);
        self.font = self.font.or(style.font);
        self.bold = self.bold.or(style.bold);
        self.italic = self.italic.or(style.italic);
        self.struck = self.struck.or(style.struck);
        self.mono = self.mono.or(style.mono);
        if self.language.is_none() {
            self.language.clone_from(&style.language);
        }
    }
}

/// Properties of a paragraph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ParagraphStyle {
    pub(super) style: Option<String>,
    /// Outline level from 0; from 9 on it is no heading.
    pub(super) outline: Option<u32>,
    /// Number of its list; 0 is none.
    pub(super) list: Option<u32>,
    /// Level in the list, from 0.
    pub(super) level: Option<u32>,
    /// True if a page begins with it.
    pub(super) page_before: Option<bool>,
}

impl ParagraphStyle {
    /// Takes the property of an element inside `pPr`.
    pub(super) fn take(&mut self, element: &XmlElement<'_>) {
        if !element.is_word() {
            return;
        }
        match element.name() {
            "pStyle" => self.style = element.value().map(|style| style.into_owned()),
            "outlineLvl" => self.outline = element.number(),
            "numId" => self.list = element.number(),
            "ilvl" => self.level = element.number(),
            "pageBreakBefore" => self.page_before = Some(element.is_on()),
            _ => {}
        }
    }
}

/// Style, including properties of the styles it is based on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DocxStyle {
    based_on: Option<String>,
    /// Name in lower case.
    name: String,
    pub(super) paragraph: ParagraphStyle,
    pub(super) letters: CharacterStyle,
    /// True for the title of a document.
    pub(super) is_title: bool,
}

/// Styles of a document.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    by_id: HashMap<String, DocxStyle>,
    /// Style of paragraphs without one.
    default: DocxStyle,
    /// Default language.
    pub(super) language: Option<String>,
}

/// Largest length of a chain of styles, each based on the next.
const MAX_BASES: usize = 24;

impl StyleSheet {
    pub(super) fn read(mut xml: XmlPart<'_, '_, '_>) -> Result<Self, DocumentError> {
        let mut read: HashMap<String, DocxStyle> = HashMap::new();
        let mut default = None;
        let mut language = None;
        loop {
            match xml.next()? {
                XmlNode::Open(element) if element.is_word() && element.name() == "style" => {
                    let id = element
                        .attribute("styleId")
                        .unwrap_or_default()
                        .into_owned();
                    let is_default = element.attribute("type").as_deref() == Some("paragraph")
                        && matches!(element.attribute("default").as_deref(), Some("1" | "true"));
                    if is_default {
                        default = Some(id.clone());
                    }
                    read.insert(id, Self::read_style(&mut xml)?);
                }
                XmlNode::Open(element) if element.is_word() && element.name() == "rPrDefault" => {
                    let mut letters = CharacterStyle::default();
                    xml.inside(|element| {
                        letters.take(element);
                        DescendChoice::Enter
                    })?;
                    language = letters.language;
                }
                XmlNode::End => break,
                _ => {}
            }
        }
        let by_id: HashMap<String, DocxStyle> = read
            .keys()
            .map(|id| (id.clone(), resolved(&read, id)))
            .collect();
        let default = default.and_then(|id| by_id.get(&id)).cloned();
        Ok(Self {
            default: default.unwrap_or_default(),
            by_id,
            language,
        })
    }

    fn read_style(xml: &mut XmlPart<'_, '_, '_>) -> Result<DocxStyle, DocumentError> {
        let mut style = DocxStyle::default();
        xml.inside(|element| {
            match element.name() {
                "basedOn" => style.based_on = element.value().map(|id| id.into_owned()),
                "name" => style.name = element.value().unwrap_or_default().to_lowercase(),
                // Properties of parts of a table are not those of the whole style.
                "tblStylePr" | "pPrChange" | "rPrChange" => return DescendChoice::Skip,
                _ => {}
            }
            style.paragraph.take(element);
            style.letters.take(element);
            DescendChoice::Enter
        })?;
        if let Some(number) = style.name.strip_prefix("heading ")
            && let Ok(number @ 1..=9) = number.trim().parse::<u32>()
        {
            style.paragraph.outline.get_or_insert(number - 1);
        }
        style.is_title = style.name == "title";
        Ok(style)
    }

    /// Returns the style of a paragraph.
    pub(super) fn paragraph(&self, id: Option<&str>) -> &DocxStyle {
        id.and_then(|id| self.by_id.get(id))
            .unwrap_or(&self.default)
    }

    /// Adds to letters the properties of their style and of the style of their paragraph.
    pub(super) fn apply(&self, letters: &mut CharacterStyle, paragraph: &DocxStyle) {
        if let Some(style) = letters.style.as_deref().and_then(|id| self.by_id.get(id)) {
            letters.inherit(&style.letters);
        }
        letters.inherit(&paragraph.letters);
    }

    /// Returns the list that a style belongs to.
    pub(super) fn list_of(&self, id: &str) -> Option<u32> {
        self.by_id.get(id)?.paragraph.list
    }
}

/// Returns a style with the properties of those it is based on.
fn resolved(styles: &HashMap<String, DocxStyle>, id: &str) -> DocxStyle {
    let mut style = styles.get(id).cloned().unwrap_or_default();
    let mut base = style.based_on.clone();
    for _ in 0..MAX_BASES {
        let Some(base_style) = base.as_ref().and_then(|id| styles.get(id)) else {
            break;
        };
        style.letters.inherit(&base_style.letters);
        let (paragraph, from) = (&mut style.paragraph, &base_style.paragraph);
        paragraph.outline = paragraph.outline.or(from.outline);
        paragraph.page_before = paragraph.page_before.or(from.page_before);
        paragraph.list = paragraph.list.or(from.list);
        paragraph.level = paragraph.level.or(from.level);
        style.is_title |= base_style.is_title;
        base.clone_from(&base_style.based_on);
    }
    style
}
