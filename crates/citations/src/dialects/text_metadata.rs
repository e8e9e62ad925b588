//! Citations in the metadata of text events and messages, as agents built on Strands send them.

use json::{Number, Value};

use crate::citation::{Citation, SourceKind, WebSource};

/// Returns the citations that a metadata object lists: one for each text of a source.
///
/// An entry has `sourceContent` with the cited texts, and may have the `title` or `source` of the document and a
/// `location`. An entry without text cannot be checked and is left out.
pub fn metadata_citations(metadata: &Value) -> Vec<Citation> {
    let entries = metadata.get("citations").and_then(Value::as_array);
    let entries = entries.unwrap_or_default().iter();
    entries.flat_map(entry_citations).collect()
}

fn entry_citations(entry: &Value) -> Vec<Citation> {
    let text = |value: &Value, name: &str| {
        let text = value.get(name).and_then(Value::as_str);
        text.filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    let location = entry.get("location");
    let url = location.and_then(|location| text(location, "url"));
    let web = WebSource {
        url: url.clone().or_else(|| text(entry, "source")),
        title: text(entry, "title"),
        ..WebSource::default()
    };
    let template = Citation {
        kind: match url {
            Some(_) => SourceKind::Url,
            None => SourceKind::Document,
        },
        attachment_id: text(entry, "title").filter(|_| url.is_none()),
        page_number: page(entry),
        web: (web != WebSource::default()).then(|| Box::new(web)),
        ..Citation::default()
    };
    let contents = entry.get("sourceContent").and_then(Value::as_array);
    let texts = contents.unwrap_or_default().iter();
    texts
        .filter_map(|content| text(content, "text"))
        .map(|phrase| Citation {
            full_phrase: Some(phrase),
            ..template.clone()
        })
        .collect()
}

/// Returns the page that an entry names: its own, or the first of its location.
fn page(entry: &Value) -> Option<Number> {
    let location = entry.get("location");
    let is_page = |location: &&Value| location["type"].as_str() == Some("documentPage");
    let pages = [
        entry.get("page"),
        entry.get("pageNumber"),
        location
            .filter(is_page)
            .and_then(|location| location.get("start")),
    ];
    let mut numbers = pages.into_iter().flatten().filter_map(|page| match page {
        Value::Number(number) => Some(number.clone()),
        _ => None,
    });
    numbers.find(|number| number.as_safe_int().is_some_and(|number| number > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_citation_of_each_of_its_texts() {
        let metadata = Value::parse(
            r#"{"citations":[
            {"title":"report.pdf","location":{"type":"documentPage","documentIndex":0,"start":2,"end":3},
             "sourceContent":[{"text":"One."},{"text":" "},{"text":"Two."}],"textOffset":7},
            {"source":"s3://b/log.txt","location":{"type":"documentChar","start":5,"end":9},"sourceContent":[{"text":"Three."}]},
            {"location":{"type":"web","url":"https://x.example/a"},"page":4,"sourceContent":[{"text":"Four."}]},
            {"title":"without text"},"odd",null]}"#,
        );
        let read: Vec<_> = metadata_citations(&metadata.expect("JSON"))
            .into_iter()
            .map(|citation| {
                let web = citation.web.clone().unwrap_or_default();
                let quote = citation.full_phrase.clone().unwrap_or_default();
                (
                    quote,
                    citation.attachment_id.clone(),
                    citation.page(),
                    web.url,
                )
            })
            .collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            read,
            [
                (text("One."), Some(text("report.pdf")), Some(2), None),
                (text("Two."), Some(text("report.pdf")), Some(2), None),
                (text("Three."), None, None, Some(text("s3://b/log.txt"))),
                (
                    text("Four."),
                    None,
                    Some(4),
                    Some(text("https://x.example/a"))
                ),
            ]
        );
        assert!(metadata_citations(&Value::Null).is_empty());
    }
}
