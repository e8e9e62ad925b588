//! Report as text: one line per citation, with the difference below it.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use citations::DisplayState;
use citations::check::{DiffSpan, SourcePassage};
use passage::ChangeKind;

use super::check::CheckedCitation;
use crate::command_error::{CommandError, printable};

/// Limit on the characters of a quote.
const MAX_QUOTE: usize = 100;
/// Limit on the bytes of a difference.
const MAX_DIFF: usize = 400;

const GOOD: Style = AnsiColor::Green.on_default();
const FAIR: Style = AnsiColor::Yellow.on_default();
const ELSEWHERE: Style = AnsiColor::Blue.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// Prints all citations and the summary.
pub(super) fn print(checked: &[CheckedCitation], out: &mut impl Write) -> Result<(), CommandError> {
    let width = checked.iter().map(|citation| citation.words().len()).max();
    let width = width.unwrap_or(0);
    for citation in checked {
        print_row(citation, width, out)?;
    }
    if !checked.is_empty() {
        writeln!(out, "{}", summary(checked))?;
    }
    out.flush()?;
    Ok(())
}

/// Prints one citation. The result is padded to `width`.
pub(super) fn print_row(
    citation: &CheckedCitation,
    width: usize,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let style = match citation.state() {
        DisplayState::Verified => GOOD,
        DisplayState::Partly => FAIR,
        DisplayState::Elsewhere => ELSEWHERE,
        DisplayState::Missing => BAD,
        DisplayState::Pending => DIM,
    };
    let marker = citation
        .claim
        .marker
        .as_deref()
        .map_or(String::new(), |marker| format!("{} ", cut(marker, 20)));
    writeln!(
        out,
        "{style}{} {:width$}{style:#}  {marker}“{}”{}",
        citation.state().sign(),
        citation.words(),
        cut(phrase(citation), MAX_QUOTE),
        place(citation).map_or(String::new(), |place| format!("  {DIM}{place}{DIM:#}")),
    )?;
    print_explanation(citation, out)
}

/// Returns the last line, such as "2 of 3 quotes verified, 1 not found".
pub(super) fn summary(checked: &[CheckedCitation]) -> String {
    let count = |state| {
        checked
            .iter()
            .filter(|citation| citation.state() == state)
            .count()
    };
    let quotes = if checked.len() == 1 {
        "quote"
    } else {
        "quotes"
    };
    let mut line = format!(
        "{} of {} {quotes} verified",
        count(DisplayState::Verified),
        checked.len()
    );
    for (state, words) in [
        (DisplayState::Elsewhere, "elsewhere"),
        (DisplayState::Partly, "partly"),
        (DisplayState::Missing, "not found"),
    ] {
        let count = count(state);
        if count > 0 {
            line.push_str(&format!(", {count} {words}"));
        }
    }
    line
}

/// Returns the quote, or the anchor words if there is none.
pub(super) fn phrase(citation: &CheckedCitation) -> &str {
    let claim = &citation.claim.citation;
    let has_text = |text: &&String| !text.trim().is_empty();
    let phrase = claim.full_phrase.as_ref().filter(has_text);
    phrase
        .or(claim.anchor_text.as_ref())
        .map_or("", String::as_str)
}

/// Returns source, page and lines of the match, or of the nearest passage of a quote that was not found.
pub(super) fn place(citation: &CheckedCitation) -> Option<String> {
    let verdict = &citation.verdict;
    let source = printable(citation.source.as_deref()?);
    let passages: Vec<String> = verdict.passages.iter().take(4).map(spot).collect();
    if passages.is_empty() {
        let nearest = verdict.nearest.as_ref();
        return nearest.map(|nearest| format!("nearest: {source}, {}", spot(nearest)));
    }
    let mut place = format!("{source}, {}", passages.join(" and "));
    if let Some(count) = verdict
        .verification
        .ambiguity
        .as_ref()
        .and_then(|ambiguity| ambiguity.total_occurrences)
    {
        place.push_str(&format!(" (one of {count} places)"));
    }
    Some(place)
}

pub(super) fn spot(passage: &SourcePassage) -> String {
    let lines = match passage.place.lines.as_slice() {
        [line] => format!("line {line}"),
        [first, .., last] => format!("lines {first}–{last}"),
        [] => String::new(),
    };
    let label = passage.place.label.as_deref();
    let label = label.map_or(String::new(), |label| format!(" ({})", printable(label)));
    let first = passage.place.first.0;
    match passage.place.end_page() {
        Some(last) => format!("page {first}{label}, {lines}, to page {last}"),
        None => format!("page {first}{label}, {lines}"),
    }
}

/// Prints the reason, the difference and the nearest passage of a quote that is not fully found.
fn print_explanation(citation: &CheckedCitation, out: &mut impl Write) -> std::io::Result<()> {
    let verdict = &citation.verdict;
    if let Some(reason) = citation.reason() {
        writeln!(out, "    {}", printable(&reason))?;
    }
    if citation.state() == DisplayState::Verified || citation.state() == DisplayState::Elsewhere {
        return Ok(());
    }
    if verdict.diff.iter().any(DiffSpan::differs) {
        writeln!(out, "    {}", diff(&verdict.diff))?;
    }
    Ok(())
}

/// Returns the difference as one line: words of the source in green, words of the quote in red.
fn diff(spans: &[DiffSpan]) -> String {
    let mut line = String::new();
    let mut length = 0;
    for span in spans {
        if !line.is_empty() {
            line.push(' ');
        }
        match span.kind {
            ChangeKind::Same => line.push_str(&shorten(&span.source)),
            _ => {
                if !span.quote.is_empty() {
                    line.push_str(&format!("{BAD}[-{}-]{BAD:#}", cut(&span.quote, MAX_QUOTE)));
                }
                if !span.source.is_empty() {
                    line.push_str(&format!(
                        "{GOOD}{{+{}+}}{GOOD:#}",
                        cut(&span.source, MAX_QUOTE)
                    ));
                }
            }
        }
        length += span.quote.len().min(MAX_QUOTE) + span.source.len().min(MAX_QUOTE);
        if length > MAX_DIFF {
            line.push('…');
            break;
        }
    }
    line
}

/// Shortens a long span that both texts share to its ends.
fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= 12 {
        return printable(&words.join(" "));
    }
    let (first, last) = (words[..5].join(" "), words[words.len() - 5..].join(" "));
    printable(&format!("{first} … {last}"))
}

/// Returns the beginning of a text on one line, safe for a terminal.
pub(super) fn cut(text: &str, length: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut cut: String = text.chars().take(length).collect();
    if text.chars().nth(length).is_some() {
        cut.push('…');
    }
    printable(&cut)
}
