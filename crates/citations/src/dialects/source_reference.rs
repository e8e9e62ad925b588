//! Sources as frontends show them.

use json::{Number, Value};

use super::document_url::{attachment, file_name, is_web, last_segment};
use crate::citation::{Citation, SourceKind};

/// Passage that supports an answer.
#[derive(Debug, Clone, Default)]
pub struct SourceReference {
    /// Id of the document.
    pub document_id: String,
    /// Address of the document.
    pub document_uri: String,
    /// Text of the passage.
    pub content: String,
    /// Id of the passage.
    pub chunk_id: String,
    /// Title of the document.
    pub document_title: Option<String>,
    /// Headings above the passage, the outermost first.
    pub headings: Vec<String>,
    /// Pages of the passage, from 1.
    pub page_numbers: Vec<i64>,
    /// Number to show.
    pub index: Option<i64>,
    /// Web address from which the document was taken.
    pub source_url: Option<String>,
    /// References to the parts of the document that the model saw.
    pub doc_item_refs: Vec<String>,
    /// Pictures in the passage.
    pub figures: Vec<SourceFigure>,
    /// Ids of all passages that were joined into this one.
    pub chunk_ids: Vec<String>,
}

/// Picture in a passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFigure {
    /// Reference to the picture's part of the document.
    pub reference: String,
    /// Picture in base64.
    pub data: String,
    /// Caption.
    pub caption: Option<String>,
}

/// Compares everything except the bytes of pictures.
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
    /// Reads a source. The two ids, the address and the content must be strings; other invalid fields are left
    /// out.
    pub fn from_json(value: &Value) -> Option<Self> {
        Self::read(value, &mut Vec::new())
    }

    /// Reads a source and records the fields from which something was left out.
    pub(super) fn read(value: &Value, wrong: &mut Vec<&'static str>) -> Option<Self> {
        let required = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut fields = OptionalFields { value, wrong };
        Some(Self {
            chunk_id: required("chunk_id")?,
            content: required("content")?,
            document_id: required("document_id")?,
            document_uri: required("document_uri")?,
            document_title: fields.one("document_title", text),
            headings: fields.many("headings", text),
            page_numbers: fields.many("page_numbers", int),
            index: fields.one("index", int),
            source_url: fields.source_url(),
            doc_item_refs: fields.many("doc_item_refs", text),
            figures: Vec::new(),
            chunk_ids: fields.many("chunk_ids", text),
        })
    }

    /// Returns only the fields that the specification knows.
    pub(super) fn in_specification(self) -> Self {
        Self {
            source_url: None,
            doc_item_refs: Vec::new(),
            chunk_ids: Vec::new(),
            ..self
        }
    }

    /// Returns the pages in the format of the specification: `p.5`, `p.1-3`, `p.1, 5, 10`.
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

    /// Returns the pages without duplicates, with ranges: `p.1-3, 7`.
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

    /// Returns the name of the document by the specification: its title, or the last part of its address.
    pub fn display_title(&self) -> String {
        let title = self.document_title.clone();
        title
            .filter(|title| !title.is_empty())
            .or_else(|| last_segment(&self.document_uri))
            .unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// Returns the name of the document as newer clients show it: the file name first.
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

    /// Returns true if the name of the document is that of a PDF.
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

    /// Returns the number to show for the source at this index of a list, from 0.
    pub fn badge(&self, place: usize) -> i64 {
        let place = || i64::try_from(place).unwrap_or(i64::MAX - 1) + 1;
        self.index.unwrap_or_else(place)
    }

    /// Returns a citation that can be checked, and further names of its source. Numbers below 1 are no pages.
    pub fn to_citation(&self) -> (Citation, Vec<String>) {
        let page = self.page_numbers.iter().find(|page| **page > 0);
        let citation = Citation {
            kind: SourceKind::Document,
            attachment_id: Some(self.document_id.clone()),
            full_phrase: Some(self.content.clone()),
            page_number: page.map(|page| Number::Int(*page)),
            citation_number: self.index.map(Number::Int),
            ..Citation::default()
        };
        let mut names = vec![self.document_uri.clone()];
        names.extend(last_segment(&self.document_uri));
        names.extend(self.document_title.clone());
        (citation, names)
    }
}

const UNKNOWN: &str = "Unknown Document";

/// Reader of the fields that may be absent.
struct OptionalFields<'a> {
    value: &'a Value,
    /// Fields from which something was left out.
    wrong: &'a mut Vec<&'static str>,
}

impl<'a> OptionalFields<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.value.get(name).filter(|value| **value != Value::Null)
    }

    fn one<T>(&mut self, name: &'static str, read: fn(&Value) -> Option<T>) -> Option<T> {
        let value = self.get(name)?;
        let read = read(value);
        if read.is_none() {
            self.wrong.push(name);
        }
        read
    }

    fn many<T>(&mut self, name: &'static str, read: fn(&Value) -> Option<T>) -> Vec<T> {
        let Some(value) = self.get(name) else {
            return Vec::new();
        };
        let items = value.as_array().unwrap_or_default();
        let good: Vec<T> = items.iter().filter_map(read).collect();
        if value.as_array().is_none() || good.len() < items.len() {
            self.wrong.push(name);
        }
        good
    }

    /// Reads the web address. An empty one counts as absent, one that no browser can open as invalid.
    fn source_url(&mut self) -> Option<String> {
        let meta = self.get("document_meta")?;
        if meta.as_object().is_none() {
            self.wrong.push("document_meta");
        }
        let url = meta.get("source_url").filter(|url| **url != Value::Null)?;
        let text = url.as_str();
        let web = text.filter(|text| is_web(text));
        if web.is_none() && text != Some("") {
            self.wrong.push("document_meta.source_url");
        }
        web.map(str::to_owned)
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(Number::Int(int)) => Some(*int),
        _ => None,
    }
}
