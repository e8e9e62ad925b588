//! Elements of an XML stream, one subtree at a time.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// Largest number of elements in one subtree.
const MAX_ELEMENTS: usize = 200_000;
/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// Element with its text and children.
#[derive(Debug, Default)]
pub(super) struct DumpElement {
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    pub(super) text: String,
    pub(super) children: Vec<DumpElement>,
}

impl DumpElement {
    /// Returns an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the first child of this name.
    pub(super) fn child(&self, name: &str) -> Option<&DumpElement> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text of the first child of this name, unless it is empty.
    pub(super) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name)
            .map(|child| child.text.trim())
            .filter(|text| !text.is_empty())
    }

    /// Returns the children of a list: `list("tracklist")` for the tracks.
    pub(super) fn list(&self, name: &str) -> &[DumpElement] {
        self.child(name)
            .map_or(&[], |child| child.children.as_slice())
    }
}

/// Reads the elements of the given names, one after the other, and hands each subtree to a function.
pub(super) fn read_elements<E>(
    input: impl BufRead,
    names: &[&str],
    mut each: impl FnMut(Result<DumpElement, String>) -> Result<(), E>,
) -> Result<Result<(), E>, String> {
    let mut reader = Reader::from_reader(input);
    let mut buffer = Vec::new();
    let mut depth = 0usize;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let position = reader.buffer_position();
        match event.map_err(|error| format!("at byte {position}: {error}"))? {
            // The elements are children of the root; the same name deeper down is something else.
            Event::Start(start) if depth == 1 && is_one_of(&start, names) => {
                let start = start.into_owned();
                let element = read_subtree(&mut reader, &start);
                let is_broken = element.is_err();
                if let Err(stopped) = each(element) {
                    return Ok(Err(stopped));
                }
                if is_broken {
                    return Err(format!(
                        "at byte {position}: the element is broken or too large"
                    ));
                }
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::DocType(_) => {
                return Err("the XML declares entities, which dumps do not".to_owned());
            }
            Event::Eof if depth > 0 => {
                return Err(format!("the XML is cut off at byte {position}"));
            }
            Event::Eof => return Ok(Ok(())),
            _ => {}
        }
    }
}

fn is_one_of(start: &BytesStart<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| start.name().as_ref() == *name)
}

fn open(start: &BytesStart<'_>) -> DumpElement {
    let attributes = start.attributes().flatten().map(|attribute| {
        let key = attribute.key.as_ref().to_owned();
        let value = attribute
            .normalized_value(XmlVersion::Explicit1_0)
            .unwrap_or_default()
            .into_owned();
        (key, value)
    });
    DumpElement {
        name: start.name().as_ref().to_owned(),
        attributes: attributes.collect(),
        ..DumpElement::default()
    }
}

fn read_subtree(
    reader: &mut Reader<impl BufRead>,
    start: &BytesStart<'_>,
) -> Result<DumpElement, String> {
    let mut stack = vec![open(start)];
    let mut buffer = Vec::new();
    let mut count = 0usize;
    loop {
        buffer.clear();
        let event = reader
            .read_event_into(&mut buffer)
            .map_err(|error| error.to_string())?;
        count += 1;
        if count > MAX_ELEMENTS || stack.len() > MAX_DEPTH {
            return Err("the element is too large".to_owned());
        }
        let Some(top) = stack.last_mut() else {
            return Err("the element is not closed".to_owned());
        };
        match event {
            Event::Start(start) => stack.push(open(&start)),
            Event::Empty(start) => top.children.push(open(&start)),
            Event::Text(text) => top.text.push_str(&text),
            Event::CData(text) => top.text.push_str(&text),
            Event::GeneralRef(reference) => top.text.push_str(&resolve_reference(&reference)),
            Event::End(_) => {
                let Some(done) = stack.pop() else {
                    return Err("the element is not closed".to_owned());
                };
                match stack.last_mut() {
                    Some(parent) => parent.children.push(done),
                    None => return Ok(done),
                }
            }
            Event::Eof => return Err("the element is cut off".to_owned()),
            _ => {}
        }
    }
}

/// Returns the text of a reference. Unknown entities become nothing.
fn resolve_reference(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    match &**reference {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
    .to_owned()
}
