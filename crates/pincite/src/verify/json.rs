//! Report as JSON.

use std::io::Write;

use citations::SdkVersion;
use citations::check::{DiffSpan, SourcePassage};
use json::{Map, Value};
use passage::ChangeKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::VerifyNotice;
use super::check::CheckedCitation;
use super::positions::AnswerPosition;
use crate::command_error::CommandError;

/// Writes `{"verifications":{…},"problems":[…]}`, entry by entry.
pub(super) fn print(
    checked: &[CheckedCitation],
    notices: &[VerifyNotice],
    names: SdkVersion,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    out.write_all(b"{\"verifications\":{")?;
    for (at, citation) in checked.iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        let key = Value::from(citation.claim.key.as_str()).to_json();
        write!(out, "{key}:{}", entry(citation, names))?;
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

/// Members of an entry besides those of a verification.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryDetails<'a> {
    /// Id of the citation: a hash of everything that it says.
    id: String,
    /// Position of the citation in an answer that is a text file.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<AnswerPosition>,
    /// Difference between quote and source that explains the status, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a str>,
    /// Word of the source that was poorly recognised in an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<EntryDoubt<'a>>,
    /// Difference between quote and source, word by word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diff: Vec<EntryDiff<'a>>,
    /// Nearest passage of a quote that is not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<EntryPassage<'a>>,
    /// Passages of a quote that is found in several parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passages: Vec<EntryPassage<'a>>,
}

/// Word that was poorly recognised.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryDoubt<'a> {
    /// Word as it was recognised.
    word: &'a str,
    /// Confidence in percent.
    confidence: u8,
}

/// Part of a difference.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryDiff<'a> {
    /// Kind of the part.
    op: DiffKind,
    /// Words of the quote.
    quote: &'a str,
    /// Words of the source.
    source: &'a str,
}

/// Kind of a part of a difference.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum DiffKind {
    /// Both have these words.
    Same,
    /// Only the quote has these words.
    OnlyInQuote,
    /// Only the source has these words.
    OnlyInSource,
    /// The source has other words.
    Replaced,
}

/// Passage of a source.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EntryPassage<'a> {
    /// Words of the passage.
    text: &'a str,
    /// Page on which it begins, from 1.
    page_number: u32,
    /// Page on which it ends, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_page_number: Option<u32>,
    /// Lines of the passage on that page.
    line_ids: &'a [u32],
}

/// Returns an entry as JSON: the verification with the details.
fn entry(citation: &CheckedCitation, names: SdkVersion) -> String {
    let mut verification = citation.verdict.verification.clone();
    verification.label.clone_from(&citation.source);
    let mut entry = verification.to_json(names).to_json();
    // Details are never empty, and strings always have a JSON form.
    let details = serde_json::to_string(&details(citation)).unwrap_or_default();
    entry.pop();
    if entry.len() > 1 {
        entry.push(',');
    }
    entry.push_str(details.strip_prefix('{').unwrap_or("}"));
    entry
}

fn details(citation: &CheckedCitation) -> EntryDetails<'_> {
    let verdict = &citation.verdict;
    EntryDetails {
        id: citation.claim.id.to_string(),
        position: citation.claim.position,
        difference: verdict.difference.map(|difference| difference.as_str()),
        doubt: verdict.doubt.as_ref().map(|doubt| EntryDoubt {
            word: &doubt.word,
            confidence: doubt.confidence,
        }),
        diff: verdict.diff.iter().map(diff_span).collect(),
        nearest: verdict.nearest.as_ref().map(passage),
        passages: match verdict.passages.as_slice() {
            [] | [_] => Vec::new(),
            passages => passages.iter().map(passage).collect(),
        },
    }
}

fn passage(passage: &SourcePassage) -> EntryPassage<'_> {
    EntryPassage {
        text: &passage.text,
        page_number: passage.place.first.0,
        end_page_number: passage.place.end_page(),
        line_ids: &passage.place.lines,
    }
}

fn diff_span(span: &DiffSpan) -> EntryDiff<'_> {
    let op = match span.kind {
        ChangeKind::Same => DiffKind::Same,
        ChangeKind::OnlyInQuote => DiffKind::OnlyInQuote,
        ChangeKind::OnlyInPassage => DiffKind::OnlyInSource,
        ChangeKind::Replaced => DiffKind::Replaced,
    };
    EntryDiff {
        op,
        quote: &span.quote,
        source: &span.source,
    }
}
