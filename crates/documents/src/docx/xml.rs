//! XML as a stream of elements and texts, within a budget, without declared entities.

use std::borrow::Cow;
use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::damaged;
use crate::error::DocumentError;
use crate::read_options::ReadOptions;

/// Budget of reading, for all parts of a file together.
pub(super) struct XmlBudget<'r> {
    options: &'r ReadOptions<'r>,
    elements: usize,
    decompressed: usize,
}

/// Number of elements between two calls of [`ReadOptions::give_up`].
const GIVE_UP_INTERVAL: usize = 4096;

impl<'r> XmlBudget<'r> {
    pub(super) fn new(options: &'r ReadOptions<'r>) -> Self {
        Self {
            options,
            elements: 0,
            decompressed: 0,
        }
    }

    /// Returns the number of bytes that may still be decompressed.
    pub(super) fn bytes_left(&self) -> usize {
        self.options.limits.decompressed - self.decompressed
    }

    /// Counts decompressed bytes.
    pub(super) fn count_bytes(&mut self, bytes: usize) -> Result<(), DocumentError> {
        let limit = self.options.limits.decompressed;
        if bytes > self.bytes_left() {
            return Err(DocumentError::TooMuchData { limit });
        }
        self.decompressed += bytes;
        Ok(())
    }

    /// Counts an element or text.
    fn count_element(&mut self) -> Result<(), DocumentError> {
        let limit = self.options.limits.elements;
        if self.elements >= limit {
            return Err(DocumentError::TooManyElements { limit });
        }
        self.elements += 1;
        if self.elements.is_multiple_of(GIVE_UP_INTERVAL) && (self.options.give_up)() {
            return Err(DocumentError::GivenUp { page: 1 });
        }
        Ok(())
    }
}

/// Vocabulary of an element name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum XmlVocabulary {
    /// Text documents.
    Word,
    /// Formulas.
    Math,
    /// Content in several forms.
    Compatibility,
    Other,
}

impl XmlVocabulary {
    /// Returns the vocabulary of a namespace, in either edition of the standard.
    fn of_namespace(name: &str) -> Self {
        match name {
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
            | "http://purl.oclc.org/ooxml/wordprocessingml/main" => Self::Word,
            "http://schemas.openxmlformats.org/officeDocument/2006/math"
            | "http://purl.oclc.org/ooxml/officeDocument/math" => Self::Math,
            "http://schemas.openxmlformats.org/markup-compatibility/2006" => Self::Compatibility,
            _ => Self::Other,
        }
    }
}

/// Start of an element.
pub(super) struct XmlElement<'t> {
    pub(super) vocabulary: XmlVocabulary,
    start: BytesStart<'t>,
}

impl XmlElement<'_> {
    /// Returns the name without a prefix.
    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// Returns true for elements of text documents.
    pub(super) fn is_word(&self) -> bool {
        self.vocabulary == XmlVocabulary::Word
    }

    /// Returns the value of an attribute by its name without a prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        // The check for duplicates is off: it would compare each attribute with each.
        let mut attributes = self.start.attributes();
        let found = attributes
            .with_checks(false)
            .flatten()
            .find(|attribute| attribute.key.local_name().into_inner() == name)?;
        Some(match quick_xml::escape::unescape(&found.value) {
            Ok(value) => Cow::Owned(value.into_owned()),
            Err(_) => Cow::Owned(found.value.into_owned()),
        })
    }

    /// Returns the attribute `val`.
    pub(super) fn value(&self) -> Option<Cow<'_, str>> {
        self.attribute("val")
    }

    /// Returns the attribute `val` as a number.
    pub(super) fn number(&self) -> Option<u32> {
        self.value()?.trim().parse().ok()
    }

    /// Returns true if the element turns a property on.
    pub(super) fn is_on(&self) -> bool {
        !matches!(self.value().as_deref(), Some("0" | "false" | "off"))
    }
}

/// Node of a part.
pub(super) enum XmlNode<'t> {
    Open(XmlElement<'t>),
    Close,
    Text(Cow<'t, str>),
    End,
}

/// Part that is being read.
pub(super) struct XmlPart<'t, 'b, 'r> {
    reader: Reader<&'t [u8]>,
    budget: &'b mut XmlBudget<'r>,
    /// Vocabularies of prefixes. No program uses one prefix for two vocabularies.
    prefixes: HashMap<String, XmlVocabulary>,
    depth: usize,
}

impl<'t, 'b, 'r> XmlPart<'t, 'b, 'r> {
    pub(super) fn new(text: &'t str, budget: &'b mut XmlBudget<'r>) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self {
            reader,
            budget,
            prefixes: HashMap::new(),
            depth: 0,
        }
    }

    /// Returns the next node.
    pub(super) fn next(&mut self) -> Result<XmlNode<'t>, DocumentError> {
        loop {
            let event = self.reader.read_event();
            match event.map_err(|_| damaged("its XML is not well formed"))? {
                Event::Start(start) => return self.open(start),
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(XmlNode::Close);
                }
                Event::Text(text) => {
                    self.budget.count_element()?;
                    return Ok(XmlNode::Text(text.into_inner()));
                }
                Event::CData(text) => {
                    self.budget.count_element()?;
                    return Ok(XmlNode::Text(text.into_inner()));
                }
                Event::GeneralRef(reference) => {
                    self.budget.count_element()?;
                    return Ok(XmlNode::Text(resolved(&reference)));
                }
                // The standard allows no document type, and entities could expand to anything.
                Event::DocType(_) => {
                    return Err(damaged(
                        "its XML declares entities, which DOCX does not allow",
                    ));
                }
                Event::Eof if self.depth > 0 => return Err(damaged("its XML is cut off")),
                Event::Eof => return Ok(XmlNode::End),
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
    }

    fn open(&mut self, start: BytesStart<'t>) -> Result<XmlNode<'t>, DocumentError> {
        self.budget.count_element()?;
        let limit = self.budget.options.limits.nesting;
        if self.depth >= limit {
            return Err(DocumentError::TooDeep { limit });
        }
        self.depth += 1;
        for attribute in start.attributes().with_checks(false).flatten() {
            let key = attribute.key.into_inner();
            let prefix = match key.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) => match rest.strip_prefix(':') {
                    Some(prefix) => prefix,
                    None => continue,
                },
                None => continue,
            };
            let vocabulary = XmlVocabulary::of_namespace(&attribute.value);
            self.prefixes.insert(prefix.to_owned(), vocabulary);
        }
        let prefix = start
            .name()
            .prefix()
            .map_or("", |prefix| prefix.into_inner());
        let vocabulary = self.prefixes.get(prefix).copied();
        Ok(XmlNode::Open(XmlElement {
            vocabulary: vocabulary.unwrap_or(XmlVocabulary::Other),
            start,
        }))
    }

    /// Skips the rest of the element that was opened last.
    pub(super) fn skip(&mut self) -> Result<(), DocumentError> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            if let XmlNode::End = self.next()? {
                break;
            }
        }
        Ok(())
    }

    /// Passes each element inside the one that was opened last to `show`, and reads that one to its end. `show`
    /// decides if the elements inside are shown, too.
    pub(super) fn inside(
        &mut self,
        mut show: impl FnMut(&XmlElement<'t>) -> DescendChoice,
    ) -> Result<(), DocumentError> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            match self.next()? {
                XmlNode::Open(element) => {
                    if show(&element) == DescendChoice::Skip {
                        self.skip()?;
                    }
                }
                XmlNode::End => break,
                XmlNode::Close | XmlNode::Text(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the text of the element that was opened last, and reads it to its end.
    pub(super) fn text(&mut self) -> Result<String, DocumentError> {
        let outside = self.depth.saturating_sub(1);
        let mut text = String::new();
        while self.depth > outside {
            match self.next()? {
                XmlNode::Text(part) => text.push_str(&part),
                XmlNode::End => break,
                XmlNode::Open(_) | XmlNode::Close => {}
            }
        }
        Ok(text)
    }

    /// Returns the number of open elements.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }
}

/// Choice to enter or skip the content of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DescendChoice {
    Enter,
    Skip,
}

/// Returns the character of a numeric reference or one of the five predefined entities; nothing for others.
fn resolved<'t>(reference: &BytesRef<'t>) -> Cow<'t, str> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Cow::Owned(c.to_string());
    }
    let named = quick_xml::escape::resolve_predefined_entity(&reference.clone().into_inner());
    Cow::Borrowed(named.unwrap_or_default())
}
