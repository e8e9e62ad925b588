//! Kinds of paragraphs by style: headings and quotations.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::ManuscriptError;

/// Kind of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParagraphKind {
    /// Heading of a level, from 1.
    Heading(usize),
    /// Quotation set off from the text.
    BlockQuote,
}

/// Kinds of paragraphs by the id of their style.
#[derive(Debug, Default)]
pub(super) struct ParagraphKinds(HashMap<String, ParagraphKind>);

impl ParagraphKinds {
    /// Returns the kind of a paragraph with a style.
    pub(super) fn get(&self, style: &str) -> Option<ParagraphKind> {
        self.0.get(style).copied().or_else(|| kind_of(style))
    }
}

/// Reads the styles of a document.
pub(super) fn read(text: &str) -> Result<ParagraphKinds, ManuscriptError> {
    let mut kinds = HashMap::new();
    let mut style = None;
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event()? {
            Event::Start(start) | Event::Empty(start) => match start.local_name().into_inner() {
                "style" => style = attribute(&start, "styleId"),
                "name" => {
                    let kind = attribute(&start, "val").and_then(|name| kind_of(&name));
                    kinds.extend(style.clone().zip(kind));
                }
                _ => {}
            },
            Event::Eof => return Ok(ParagraphKinds(kinds)),
            _ => {}
        }
    }
}

/// Returns the kind of a style by its name. The names of the styles of word processors do not depend on the language.
fn kind_of(name: &str) -> Option<ParagraphKind> {
    let name = name.to_ascii_lowercase();
    if let Some(level) = name.strip_prefix("heading") {
        let level = level
            .trim()
            .parse()
            .ok()
            .filter(|level| (1..=9).contains(level));
        return Some(ParagraphKind::Heading(level.unwrap_or(1)));
    }
    match name.as_str() {
        "title" => Some(ParagraphKind::Heading(1)),
        "subtitle" => Some(ParagraphKind::Heading(2)),
        "quote" | "intense quote" | "intensequote" | "quotations" | "block text" | "blocktext" => {
            Some(ParagraphKind::BlockQuote)
        }
        _ => None,
    }
}

/// Returns the value of an attribute by its name without a prefix.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let found = attributes.find(|attribute| attribute.key.local_name().into_inner() == name)?;
    let value = quick_xml::escape::unescape(&found.value).map(|value| value.into_owned());
    Some(value.unwrap_or_else(|_| found.value.clone().into_owned()))
}
