//! Citations of other agents.

use citations::dialects::{ExtractMode, Extraction, extract_new};
use json::Value;

mod bridge;
mod content;
mod passages;
mod recordings;
mod sources;
mod specification;
mod turns;

fn value(text: &str) -> Value {
    Value::parse(text).expect("a test writes JSON")
}

fn cited(id: &str) -> String {
    format!(
        r#"{{"index":1,"chunk_id":"{id}","document_id":"d","document_uri":"s3://b/{id}.pdf","document_title":"Test Doc","content":"text of {id}","headings":["Chapter 1"],"page_numbers":[1,2]}}"#
    )
}

/// Returns a state with one entry per question, each with its citations.
fn history(entries: &[(&str, &[&str])]) -> String {
    let entries: Vec<String> = entries
        .iter()
        .map(|(question, ids)| {
            let ids: Vec<String> = ids.iter().map(|id| cited(id)).collect();
            let ids = ids.join(",");
            format!(r#"{{"question":"{question}","answer":"a","citations":[{ids}]}}"#)
        })
        .collect();
    format!(r#"{{"rag":{{"qa_history":[{}]}}}}"#, entries.join(","))
}

fn chunks(extraction: &Extraction) -> Vec<&str> {
    let references = extraction.references.iter();
    references
        .map(|reference| reference.chunk_id.as_str())
        .collect()
}

fn extract(before: &str, after: &str, how: ExtractMode) -> Extraction {
    extract_new(&value(before), &value(after), how)
}
