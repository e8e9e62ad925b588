//! Document catalog of a PDF: title, dates, outline, page labels.

use std::collections::{HashMap, HashSet};

use hayro_syntax::object::{
    Array, DateTime, Dict, MaybeRef, Name, Object, ObjectIdentifier, String as PdfString,
};
use hayro_syntax::page::Page;
use hayro_syntax::xref::XRef;
use hayro_syntax::{Pdf, metadata::Metadata};

use super::text_strings::text_string;
use crate::metadata::{DocumentMetadata, MetadataDate, OutlineHeading};

/// Maximum number of outline entries and of page label ranges.
const MAX_ENTRIES: usize = 100_000;

/// Maximum depth of name and number trees.
const MAX_DEPTH: usize = 32;

/// Document catalog, the root of the objects of a file.
pub(super) struct PdfCatalog<'a> {
    xref: &'a XRef,
    root: Dict<'a>,
    pages: HashMap<ObjectIdentifier, u32>,
}

/// Decodes a text field; `None` if it is empty.
fn text_field(bytes: Option<&[u8]>) -> Option<String> {
    let text = text_string(bytes?);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the title of a file.
pub(super) fn read_title(metadata: &Metadata) -> Option<String> {
    text_field(metadata.title.as_deref())
}

/// Returns the metadata of a file.
pub(super) fn read_metadata(metadata: &Metadata) -> DocumentMetadata {
    DocumentMetadata {
        author: text_field(metadata.author.as_deref()),
        subject: text_field(metadata.subject.as_deref()),
        keywords: text_field(metadata.keywords.as_deref()),
        created: metadata.creation_date.and_then(date),
        modified: metadata.modification_date.and_then(date),
    }
}

fn date(stated: DateTime) -> Option<MetadataDate> {
    let minutes = i16::from(stated.utc_offset_minute) % 60;
    let hours = i16::from(stated.utc_offset_hour);
    let offset = hours * 60 + if hours < 0 { -minutes } else { minutes };
    let plausible = (1..=12).contains(&stated.month) && (1..=31).contains(&stated.day);
    plausible.then_some(MetadataDate {
        year: stated.year,
        month: stated.month,
        day: stated.day,
        hour: stated.hour,
        minute: stated.minute,
        second: stated.second,
        offset,
    })
}

impl<'a> PdfCatalog<'a> {
    pub(super) fn new(pdf: &'a Pdf) -> Self {
        let xref = pdf.xref();
        let number = |(at, page): (usize, &Page<'_>)| Some((page.raw().obj_id()?, at as u32 + 1));
        Self {
            xref,
            root: xref.get(xref.root_id()).unwrap_or_default(),
            pages: pdf.pages().iter().enumerate().filter_map(number).collect(),
        }
    }

    /// Returns the entries of the outline, in order.
    pub(super) fn outline(&self) -> Vec<OutlineHeading> {
        let mut headings = Vec::new();
        let names = self.named_destinations();
        let Some(top) = self.root.get::<Dict<'_>>("Outlines") else {
            return headings;
        };
        let mut seen = HashSet::new();
        let mut open = vec![(top.get_ref("First"), 0)];
        while let Some((next, depth)) = open.pop() {
            let Some(id) = next.map(ObjectIdentifier::from) else {
                continue;
            };
            if !seen.insert(id) || headings.len() >= MAX_ENTRIES {
                continue;
            }
            let Some(item) = self.xref.get::<Dict<'_>>(id) else {
                continue;
            };
            if let Some(title) = text_field(item.get::<PdfString<'_>>("Title").as_deref()) {
                let page = self.destination(&item, &names);
                headings.push(OutlineHeading { title, page, depth });
            }
            open.push((item.get_ref("Next"), depth));
            open.push((item.get_ref("First"), depth + 1));
        }
        headings
    }

    /// Returns the page to which an outline entry leads.
    fn destination(&self, item: &Dict<'a>, names: &HashMap<Vec<u8>, u32>) -> Option<u32> {
        let target = item.get::<Object<'_>>("Dest").or_else(|| {
            let action = item.get::<Dict<'_>>("A")?;
            (action.get::<Name<'_>>("S").as_deref() == Some(b"GoTo")).then_some(())?;
            action.get::<Object<'_>>("D")
        })?;
        match target {
            Object::String(name) => names.get(name.as_bytes()).copied(),
            Object::Name(name) => names.get(&*name).copied(),
            target => self.destination_page(target),
        }
    }

    /// Returns the page of an explicit destination.
    fn destination_page(&self, target: Object<'a>) -> Option<u32> {
        let array = match target {
            Object::Array(array) => array,
            Object::Dict(dict) => dict.get::<Array<'_>>("D")?,
            _ => return None,
        };
        match array.raw_iter().next()? {
            MaybeRef::Ref(page) => self.pages.get(&page.into()).copied(),
            MaybeRef::NotRef(object) => u32::try_from(object.into_i32()?).ok()?.checked_add(1),
        }
    }

    /// Returns the pages of the named destinations.
    fn named_destinations(&self) -> HashMap<Vec<u8>, u32> {
        let mut names = HashMap::new();
        let older = self.root.get::<Dict<'_>>("Dests");
        for (name, target) in older.iter().flat_map(Dict::entries).take(MAX_ENTRIES) {
            let target = match target {
                MaybeRef::Ref(id) => self.xref.get::<Object<'_>>(id.into()),
                MaybeRef::NotRef(object) => Some(object),
            };
            if let Some(page) = target.and_then(|target| self.destination_page(target)) {
                names.insert(name.to_vec(), page);
            }
        }
        let tree = self.root.get::<Dict<'_>>("Names");
        if let Some(tree) = tree.and_then(|tree| tree.get::<Dict<'_>>("Dests")) {
            visit_leaves(&tree, "Names", &mut |array| {
                let mut items = array.flex_iter();
                while let Some(name) = items.next::<PdfString<'_>>() {
                    let Some(target) = items.next::<Object<'_>>() else {
                        break;
                    };
                    if names.len() < MAX_ENTRIES
                        && let Some(page) = self.destination_page(target)
                    {
                        names.insert(name.as_bytes().to_vec(), page);
                    }
                }
            });
        }
        names
    }

    /// Returns the page labels (printed page numbers) that the file defines.
    pub(super) fn page_labels(&self, count: usize) -> Vec<Option<String>> {
        let mut ranges: Vec<(usize, Dict<'a>)> = Vec::new();
        if let Some(tree) = self.root.get::<Dict<'_>>("PageLabels") {
            visit_leaves(&tree, "Nums", &mut |array| {
                let mut items = array.flex_iter();
                while let Some(first) = items.next::<i32>() {
                    let Some(style) = items.next::<Dict<'_>>() else {
                        break;
                    };
                    if let Ok(first) = usize::try_from(first)
                        && ranges.len() < MAX_ENTRIES
                    {
                        ranges.push((first, style));
                    }
                }
            });
        }
        ranges.sort_by_key(|(first, _)| *first);
        let mut labels = vec![None; count];
        for (at, (first, style)) in ranges.iter().enumerate() {
            let end = ranges
                .get(at + 1)
                .map_or(count, |(next, _)| *next)
                .min(count);
            let prefix = text_field(style.get::<PdfString<'_>>("P").as_deref()).unwrap_or_default();
            let begin = style.get::<u32>("St").unwrap_or(1);
            let kind = style.get::<Name<'_>>("S");
            for (number, label) in (begin..).zip(labels.get_mut(*first..end).into_iter().flatten())
            {
                *label = Some(format!("{prefix}{}", format_label(kind.as_deref(), number)));
            }
        }
        // A label that equals the page number carries no information.
        for (label, number) in labels.iter_mut().zip(1..) {
            let number: u32 = number;
            label.take_if(|label| label.is_empty() || *label == number.to_string());
        }
        labels
    }
}

/// Calls `leaf` for each array of leaves of a name or number tree.
fn visit_leaves<'a>(tree: &Dict<'a>, key: &str, leaf: &mut impl FnMut(Array<'a>)) {
    let mut seen = HashSet::new();
    let mut open = vec![(tree.clone(), 0)];
    while let Some((node, depth)) = open.pop() {
        if let Some(array) = node.get::<Array<'_>>(key) {
            leaf(array);
        }
        let is_new = node.obj_id().is_none_or(|id| seen.insert(id));
        if depth < MAX_DEPTH && is_new && seen.len() < MAX_ENTRIES {
            let kids = node.get::<Array<'_>>("Kids");
            let kids: Vec<_> = kids.iter().flat_map(Array::iter::<Dict<'_>>).collect();
            open.extend(kids.into_iter().rev().map(|kid| (kid, depth + 1)));
        }
    }
}

/// Formats a number in the style of a page label.
fn format_label(style: Option<&[u8]>, number: u32) -> String {
    match style {
        Some(b"D") => number.to_string(),
        Some(b"R") => roman(number).to_uppercase(),
        Some(b"r") => roman(number),
        Some(b"A") => format_letters(number),
        Some(b"a") => format_letters(number).to_lowercase(),
        _ => String::new(),
    }
}

/// Formats a Roman numeral in lower case. Absurd numbers, whose numerals are long, are written in digits.
fn roman(number: u32) -> String {
    match number {
        0..=9999 => passage::format_roman(number),
        _ => number.to_string(),
    }
}

/// Formats a number as A, B, … Z, AA, BB.
fn format_letters(number: u32) -> String {
    let Some(from_zero) = number.checked_sub(1) else {
        return String::new();
    };
    let letter = char::from(b'A' + (from_zero % 26) as u8);
    // The length is limited, because numbers in a file may be absurd.
    String::from(letter).repeat((from_zero / 26 + 1).min(40) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_page_labels() {
        for (style, number, text) in [
            (&b"D"[..], 12, "12"),
            (b"r", 1994, "mcmxciv"),
            (b"R", 40, "XL"),
            (b"A", 26, "Z"),
            (b"a", 28, "bb"),
            (b"A", 0, ""),
            (b"x", 3, ""),
        ] {
            assert_eq!(format_label(Some(style), number), text);
        }
        assert_eq!(format_label(None, 3), "");
    }
}
