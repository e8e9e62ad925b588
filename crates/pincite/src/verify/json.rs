//! Report as JSON.

use std::io::{BufWriter, Write};

use citations::SdkVersion;
use citations::check::{DiffSpan, SourcePassage};
use json::{Map, Value};
use passage::ChangeKind;

use super::VerifyNotice;
use super::check::CheckedCitation;
use crate::command_error::CommandError;

/// Writes `{"verifications":{…},"problems":[…]}`, entry by entry.
pub(super) fn print(
    checked: &[CheckedCitation],
    notices: &[VerifyNotice],
    names: SdkVersion,
) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    out.write_all(b"{\"verifications\":{")?;
    for (at, citation) in checked.iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        let key = Value::from(citation.claim.key.as_str()).to_json();
        write!(out, "{key}:{}", entry(citation, names).to_json())?;
    }
    let problems: Vec<Value> = notices.iter().map(problem).collect();
    writeln!(
        out,
        "}},\"problems\":{}}}",
        Value::Array(problems).to_json()
    )?;
    out.flush()?;
    Ok(())
}

fn problem(notice: &VerifyNotice) -> Value {
    let mut map = Map::new();
    map.insert("code".to_owned(), notice.code.into());
    map.insert("message".to_owned(), notice.message.as_str().into());
    for (key, value) in &notice.details {
        map.insert((*key).to_owned(), value.clone());
    }
    Value::Object(map)
}

fn entry(citation: &CheckedCitation, names: SdkVersion) -> Value {
    let verdict = &citation.verdict;
    let mut verification = verdict.verification.clone();
    verification.label.clone_from(&citation.source);
    let mut map = match verification.to_json(names) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", citation.claim.id.to_string().into());
    if let Some(position) = citation.claim.position {
        put("position", position.to_value());
    }
    if let Some(difference) = verdict.difference {
        put("difference", difference.as_str().into());
    }
    if let Some(doubt) = &verdict.doubt {
        let doubt = [
            ("word", doubt.word.as_str().into()),
            ("confidence", usize::from(doubt.confidence).into()),
        ];
        put("doubt", Value::from(doubt));
    }
    if !verdict.diff.is_empty() {
        put(
            "diff",
            Value::Array(verdict.diff.iter().map(diff_span).collect()),
        );
    }
    if let Some(nearest) = &verdict.nearest {
        put("nearest", passage(nearest));
    }
    if verdict.passages.len() > 1 {
        put(
            "passages",
            Value::Array(verdict.passages.iter().map(passage).collect()),
        );
    }
    Value::Object(map)
}

fn passage(passage: &SourcePassage) -> Value {
    let lines = passage.place.lines.iter();
    Value::from([
        ("text", passage.text.as_str().into()),
        ("pageNumber", (passage.place.first.0 as usize).into()),
        (
            "lineIds",
            Value::Array(lines.map(|&line| (line as usize).into()).collect()),
        ),
    ])
}

fn diff_span(span: &DiffSpan) -> Value {
    let op = match span.kind {
        ChangeKind::Same => "same",
        ChangeKind::OnlyInQuote => "onlyInQuote",
        ChangeKind::OnlyInPassage => "onlyInSource",
        ChangeKind::Replaced => "replaced",
    };
    Value::from([
        ("op", op.into()),
        ("quote", span.quote.as_str().into()),
        ("source", span.source.as_str().into()),
    ])
}
