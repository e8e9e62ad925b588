//! A source as a frontend shows it.

use agui::json::{Number, Value};

use crate::citation::{Citation, Kind};

/// A passage that an answer rests on.
#[derive(Debug, Clone, Default)]
pub struct SourceReference {
    /// The document, for machines.
    pub document_id: String,
    /// Where the document is.
    pub document_uri: String,
    /// What the passage says.
    pub content: String,
    /// The passage, for machines.
    pub chunk_id: String,
    /// What the document is called.
    pub document_title: Option<String>,
    /// The headings above the passage, the outermost first.
    pub headings: Vec<String>,
    /// The pages it is on.
    pub page_numbers: Vec<i64>,
    /// The number to show.
    pub index: Option<i64>,
    /// Where the document came from: a web address.
    pub source_url: Option<String>,
    /// The parts of the document that the model saw.
    pub doc_item_refs: Vec<String>,
    /// Pictures in the passage.
    pub figures: Vec<Figure>,
    /// All passages that were joined into this one.
    pub chunk_ids: Vec<String>,
}

/// A picture in a passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figure {
    /// The part of the document it is.
    pub reference: String,
    /// The picture in base64.
    pub data: String,
    /// What stands below it.
    pub caption: Option<String>,
}

/// Two are the same if they say the same; the bytes of pictures do not count.
impl PartialEq for SourceReference {
    fn eq(&self, other: &Self) -> bool {
        let figures = |source: &Self| -> Vec<(String, Option<String>)> {
            let figures = source.figures.iter();
            figures
                .map(|figure| (figure.reference.clone(), figure.caption.clone()))
                .collect()
        };
        self.document_id == other.document_id
            && self.document_uri == other.document_uri
            && self.content == other.content
            && self.chunk_id == other.chunk_id
            && self.document_title == other.document_title
            && self.headings == other.headings
            && self.page_numbers == other.page_numbers
            && self.index == other.index
            && self.source_url == other.source_url
            && self.doc_item_refs == other.doc_item_refs
            && self.chunk_ids == other.chunk_ids
            && figures(self) == figures(other)
    }
}

impl SourceReference {
    /// Reads one. The two ids, the address and the content must be texts; anything else that is wrong is
    /// left out by itself.
    pub fn from_json(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let texts = |name: &str| -> Vec<String> {
            let items = value
                .get(name)
                .and_then(Value::as_array)
                .unwrap_or_default();
            items
                .iter()
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect()
        };
        let pages = value.get("page_numbers").and_then(Value::as_array);
        Some(Self {
            chunk_id: text("chunk_id")?,
            content: text("content")?,
            document_id: text("document_id")?,
            document_uri: text("document_uri")?,
            document_title: text("document_title"),
            headings: texts("headings"),
            page_numbers: pages.unwrap_or_default().iter().filter_map(int).collect(),
            index: value.get("index").and_then(int),
            source_url: value
                .get("document_meta")
                .and_then(|meta| meta.get("source_url")?.as_str())
                .filter(|url| is_web_address(url))
                .map(str::to_owned),
            doc_item_refs: texts("doc_item_refs"),
            figures: Vec::new(),
            chunk_ids: texts("chunk_ids"),
        })
    }

    /// The pages in words, as the specification has it: `p.5`, `p.1-3`, `p.1, 5, 10`.
    pub fn formatted_page_numbers(&self) -> Option<String> {
        let mut pages = self.page_numbers.clone();
        pages.sort_unstable();
        let (first, last) = (pages.first()?, pages.last()?);
        let in_a_row = pages
            .windows(2)
            .all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        Some(if pages.len() == 1 {
            format!("p.{first}")
        } else if in_a_row {
            format!("p.{first}-{last}")
        } else {
            let pages: Vec<String> = pages.iter().map(i64::to_string).collect();
            format!("p.{}", pages.join(", "))
        })
    }

    /// The pages in words, each once and ranges where there are any: `p.1-3, 7`.
    pub fn page_label(&self) -> Option<String> {
        let mut pages = self.page_numbers.clone();
        pages.sort_unstable();
        pages.dedup();
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for page in pages {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(page) => *last = page,
                _ => ranges.push((page, page)),
            }
        }
        let ranges: Vec<String> = ranges
            .iter()
            .map(|(first, last)| match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            })
            .collect();
        (!ranges.is_empty()).then(|| format!("p.{}", ranges.join(", ")))
    }

    /// What to call the document, as the specification has it: its title, or the last part of its address.
    pub fn display_title(&self) -> &str {
        let title = self.document_title.as_deref();
        let title = title.filter(|title| !title.is_empty());
        title
            .or_else(|| last_segment(&self.document_uri))
            .unwrap_or(UNKNOWN)
    }

    /// What to call the document if its file name comes first, as newer clients have it.
    pub fn file_title(&self) -> String {
        if let Some(name) = file_name(&self.document_uri) {
            return name;
        }
        let title = self.document_title.as_deref().map(str::trim);
        title
            .filter(|title| !title.is_empty())
            .unwrap_or(UNKNOWN)
            .to_owned()
    }

    /// Whether the document is a PDF, by its name.
    pub fn is_pdf(&self) -> bool {
        let ends = |name: &str| {
            let tail = name.len().checked_sub(4).and_then(|at| name.get(at..));
            tail.is_some_and(|tail| tail.eq_ignore_ascii_case(".pdf"))
        };
        match attachment(&self.document_uri) {
            Some(name) => ends(&name),
            None => {
                ends(&self.document_uri) || file_name(&self.document_uri).is_some_and(|n| ends(&n))
            }
        }
    }

    /// The number to show for the source at this place of a list, counted from 0.
    pub fn badge(&self, place: usize) -> i64 {
        let place = || i64::try_from(place).unwrap_or(i64::MAX - 1) + 1;
        self.index.unwrap_or_else(place)
    }

    /// A citation that can be checked, and other names of its source.
    pub fn to_citation(&self) -> (Citation, Vec<String>) {
        let citation = Citation {
            kind: Kind::Document,
            attachment_id: Some(self.document_id.clone()),
            full_phrase: Some(self.content.clone()),
            page_number: self.page_numbers.first().map(|page| Number::Int(*page)),
            citation_number: self.index.map(Number::Int),
            ..Citation::default()
        };
        let mut names = vec![self.document_uri.clone()];
        names.extend(last_segment(&self.document_uri).map(str::to_owned));
        names.extend(self.document_title.clone());
        (citation, names)
    }
}

const UNKNOWN: &str = "Unknown Document";

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(Number::Int(int)) => Some(*int),
        _ => None,
    }
}

/// The last part of an address's path that is not empty.
fn last_segment(address: &str) -> Option<&str> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => path,
    };
    path.rsplit('/').find(|segment| !segment.is_empty())
}

/// The name of a file inside of a document, if the address names one.
fn attachment(address: &str) -> Option<String> {
    let (_, name) = address.rsplit_once("#attachment=")?;
    let name = decoded(name);
    (!name.is_empty()).then_some(name)
}

/// The file name in an address; a bare UUID is none, and neither is a folder.
fn file_name(address: &str) -> Option<String> {
    if let Some(name) = attachment(address) {
        return Some(name);
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    if path.ends_with('/') {
        return None;
    }
    let name = decoded(last_segment(address)?);
    let uuid = name.len() == 36
        && name.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    (!uuid || path.contains('/')).then_some(name)
}

/// Takes percent signs out; what is no escape, or no text then, stays.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = |at: usize| {
            bytes
                .get(at)
                .and_then(|byte| char::from(*byte).to_digit(16))
        };
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// `http` or `https`, with a host.
fn is_web_address(address: &str) -> bool {
    let rest = ["http://", "https://"].iter().find_map(|scheme| {
        let head = address.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme)
            .then(|| &address[scheme.len()..])
    });
    rest.is_some_and(|rest| rest.starts_with(|first: char| !matches!(first, '/' | '?' | '#' | ':')))
}
