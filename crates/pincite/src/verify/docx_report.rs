//! Report as a copy of a DOCX answer with a comment at each quote.

use std::io::Write;
use std::ops::Range;

use citations::DisplayState;
use citations::check::DiffSpan;
use passage::ChangeKind;

use super::VerifyInput;
use super::check::CheckedCitation;
use super::html::HtmlReport;
use super::manuscript::{CommentText, CommentWords};
use super::table::{cut, place};
use crate::command_error::CommandError;

/// Limit on the characters of a difference.
const MAX_WORDS: usize = 600;

/// Writes the copy. Only answers that are DOCX files have one.
pub(super) fn print(
    input: &VerifyInput<'_>,
    report: &HtmlReport<'_>,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let VerifyInput::Answer(answer) = input else {
        return Ok(());
    };
    let Some(manuscript) = &answer.manuscript else {
        return Ok(());
    };
    let chips = report
        .claims
        .visible
        .iter()
        .flat_map(|answer| &answer.chips);
    let comments: Vec<(Range<usize>, CommentText)> = chips
        .filter_map(|chip| {
            Some((
                chip.anchor.clone(),
                comment(report.checked.get(chip.claim)?),
            ))
        })
        .collect();
    let copy = manuscript.with_comments(&comments).map_err(|error| {
        let path = answer
            .path()
            .unwrap_or("standard input".as_ref())
            .to_owned();
        CommandError::UnusableAnswer {
            path,
            reason: error.to_string(),
            hint: "save it again as DOCX".to_owned(),
        }
    })?;
    out.write_all(&copy)?;
    out.flush()?;
    Ok(())
}

/// Returns the comment on a citation: result, place, difference.
fn comment(citation: &CheckedCitation) -> CommentText {
    let mut paragraphs = Vec::new();
    let mut line = |text: String| paragraphs.push(vec![CommentWords::Plain(text)]);
    let reason = citation
        .reason()
        .map_or(String::new(), |reason| format!(": {reason}"));
    line(format!(
        "{} {}{reason}",
        citation.state().sign(),
        citation.words()
    ));
    if let Some(place) = place(citation) {
        line(place);
    } else if citation.is_source_missing() {
        let name = citation.claim.citation.attachment_id.as_deref();
        line(format!(
            "“{}” is not among the sources.",
            cut(name.unwrap_or("The source"), MAX_WORDS)
        ));
    }
    if let Some(page) = &citation.verdict.page_outside {
        line(format!("The source has no page {page}."));
    }
    let is_other = matches!(
        citation.state(),
        DisplayState::Partly | DisplayState::Missing
    );
    if is_other && citation.verdict.diff.iter().any(DiffSpan::differs) {
        paragraphs.push(difference(&citation.verdict.diff));
    }
    CommentText { paragraphs }
}

/// Returns the difference as words: those of the quote struck through, those of the source bold.
fn difference(spans: &[DiffSpan]) -> Vec<CommentWords> {
    let mut words = Vec::new();
    let mut length = 0;
    for span in spans {
        let mut push = |kind: fn(String) -> CommentWords, text: &str| {
            if !text.is_empty() {
                words.push(kind(cut(text, MAX_WORDS)));
                words.push(CommentWords::Plain(" ".to_owned()));
            }
        };
        match span.kind {
            ChangeKind::Same => push(CommentWords::Plain, &span.source),
            _ => {
                push(CommentWords::Deleted, &span.quote);
                push(CommentWords::Inserted, &span.source);
            }
        }
        length += span.quote.len() + span.source.len();
        if length > MAX_WORDS * 4 {
            words.push(CommentWords::Plain("…".to_owned()));
            break;
        }
    }
    words
}
