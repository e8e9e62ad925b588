//! Styles: what paragraphs and letters look like that do not say it themselves.

use std::collections::HashMap;

use super::symbols::SymbolFont;
use super::xml::{DescendChoice, XmlElement, XmlNode, XmlPart};
use crate::error::DocumentError;

/// How a letter stands on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum VerticalAlign {
    #[default]
    Normal,
    Raised,
    Lowered,
}

/// What is said of letters; what is not said comes from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CharacterStyle {
    pub(super) style: Option<String>,
    pub(super) hidden: Option<bool>,
    pub(super) height: Option<VerticalAlign>,
    /// A font whose letters have other meanings; `Some(None)` is a font like any other.
    pub(super) font: Option<Option<SymbolFont>>,
    pub(super) language: Option<String>,
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) struck: Option<bool>,
    /// Whether all letters are equally wide.
    pub(super) mono: Option<bool>,
}

/// What fonts with letters of one width are called.
const MONO: &[&str] = &["Courier", "Consolas", "Mono", "Menlo", "Typewriter"];

impl CharacterStyle {
    /// Takes what an element inside `rPr` says.
    pub(super) fn take(&mut self, element: &XmlElement<'_>) {
        if !element.is_word() {
            return;
        }
        match element.name() {
            "rStyle" => self.style = element.value().map(|style| style.into_owned()),
            "vanish" => self.hidden = Some(element.is_on()),
            "vertAlign" => {
                self.height = Some(match element.value().as_deref() {
                    Some("superscript") => VerticalAlign::Raised,
                    Some("subscript") => VerticalAlign::Lowered,
                    _ => VerticalAlign::Normal,
                });
            }
            "rFonts" => {
                if let Some(name) = element.attribute("ascii") {
                    self.font = Some(SymbolFont::of_name(&name));
                    self.mono = Some(MONO.iter().any(|mono| name.contains(mono)));
                }
            }
            "b" => self.bold = Some(element.is_on()),
            "i" => self.italic = Some(element.is_on()),
            "strike" | "dstrike" => self.struck = Some(element.is_on()),
            "lang" => self.language = element.value().map(|tag| tag.into_owned()),
            _ => {}
        }
    }

    /// Takes from a style what is not said here.
    fn inherit(&mut self, style: &Self) {
        self.hidden = self.hidden.or(style.hidden);
        self.height = self.height.or(style.height);
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

/// What is said of a paragraph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ParagraphStyle {
    pub(super) style: Option<String>,
    /// How many headings it stands below; 9 and more is no heading.
    pub(super) outline: Option<u32>,
    /// Its list; 0 is none.
    pub(super) list: Option<u32>,
    /// How deep in the list it is.
    pub(super) level: Option<u32>,
    /// Whether a page begins with it.
    pub(super) page_before: Option<bool>,
}

impl ParagraphStyle {
    /// Takes what an element inside `pPr` says.
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

/// A style, with what it has from those it is based on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DocxStyle {
    based_on: Option<String>,
    /// What people call it, in small letters.
    name: String,
    pub(super) paragraph: ParagraphStyle,
    pub(super) letters: CharacterStyle,
    /// Whether it is the title of a document.
    pub(super) title: bool,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    by_id: HashMap<String, DocxStyle>,
    /// What paragraphs without a style have.
    usual: DocxStyle,
    /// What letters are in unless something is said.
    pub(super) language: Option<String>,
}

/// How many styles a style may be based on, one on the other.
const MAX_BASES: usize = 24;

impl StyleSheet {
    pub(super) fn read(mut xml: XmlPart<'_, '_, '_>) -> Result<Self, DocumentError> {
        let mut said: HashMap<String, DocxStyle> = HashMap::new();
        let mut usual = None;
        let mut language = None;
        loop {
            match xml.next()? {
                XmlNode::Open(element) if element.is_word() && element.name() == "style" => {
                    let id = element
                        .attribute("styleId")
                        .unwrap_or_default()
                        .into_owned();
                    let is_usual = element.attribute("type").as_deref() == Some("paragraph")
                        && matches!(element.attribute("default").as_deref(), Some("1" | "true"));
                    if is_usual {
                        usual = Some(id.clone());
                    }
                    said.insert(id, Self::style(&mut xml)?);
                }
                XmlNode::Open(element) if element.is_word() && element.name() == "rPrDefault" => {
                    let mut letters = CharacterStyle::default();
                    xml.inside(|element| {
                        letters.take(element);
                        DescendChoice::Look
                    })?;
                    language = letters.language;
                }
                XmlNode::End => break,
                _ => {}
            }
        }
        let by_id: HashMap<String, DocxStyle> = said
            .keys()
            .map(|id| (id.clone(), resolved(&said, id)))
            .collect();
        let usual = usual.and_then(|id| by_id.get(&id)).cloned();
        Ok(Self {
            usual: usual.unwrap_or_default(),
            by_id,
            language,
        })
    }

    fn style(xml: &mut XmlPart<'_, '_, '_>) -> Result<DocxStyle, DocumentError> {
        let mut style = DocxStyle::default();
        xml.inside(|element| {
            match element.name() {
                "basedOn" => style.based_on = element.value().map(|id| id.into_owned()),
                "name" => style.name = element.value().unwrap_or_default().to_lowercase(),
                // What a table does to its first row says nothing of the style as a whole.
                "tblStylePr" | "pPrChange" | "rPrChange" => return DescendChoice::Skip,
                _ => {}
            }
            style.paragraph.take(element);
            style.letters.take(element);
            DescendChoice::Look
        })?;
        if let Some(number) = style.name.strip_prefix("heading ")
            && let Ok(number @ 1..=9) = number.trim().parse::<u32>()
        {
            style.paragraph.outline.get_or_insert(number - 1);
        }
        style.title = style.name == "title";
        Ok(style)
    }

    /// The style of a paragraph.
    pub(super) fn paragraph(&self, id: Option<&str>) -> &DocxStyle {
        id.and_then(|id| self.by_id.get(id)).unwrap_or(&self.usual)
    }

    /// What letters look like, in a paragraph of a style.
    pub(super) fn letters(&self, letters: &mut CharacterStyle, paragraph: &DocxStyle) {
        if let Some(style) = letters.style.as_deref().and_then(|id| self.by_id.get(id)) {
            letters.inherit(&style.letters);
        }
        letters.inherit(&paragraph.letters);
    }

    /// The list that a style belongs to.
    pub(super) fn list_of(&self, id: &str) -> Option<u32> {
        self.by_id.get(id)?.paragraph.list
    }
}

/// A style with what it has from others.
fn resolved(said: &HashMap<String, DocxStyle>, id: &str) -> DocxStyle {
    let mut style = said.get(id).cloned().unwrap_or_default();
    let mut base = style.based_on.clone();
    for _ in 0..MAX_BASES {
        let Some(below) = base.as_ref().and_then(|id| said.get(id)) else {
            break;
        };
        style.letters.inherit(&below.letters);
        let (paragraph, from) = (&mut style.paragraph, &below.paragraph);
        paragraph.outline = paragraph.outline.or(from.outline);
        paragraph.page_before = paragraph.page_before.or(from.page_before);
        paragraph.list = paragraph.list.or(from.list);
        paragraph.level = paragraph.level.or(from.level);
        style.title |= below.title;
        base.clone_from(&below.based_on);
    }
    style
}
