//! Verdicts for people: a state, a quote and a place on each line, and the difference where there is one.

use std::io::{BufWriter, Write};

use anstyle::{AnsiColor, Style};
use citations::DisplayState;
use citations::check::{DiffSpan, SourcePassage};
use passage::ChangeKind;

use super::check::CheckedCitation;
use crate::failure::{CommandError, shown};

/// How much of a quote is shown.
const QUOTE: usize = 100;
/// How much of a difference is shown.
const DIFF: usize = 400;

const GOOD: Style = AnsiColor::Green.on_default();
const FAIR: Style = AnsiColor::Yellow.on_default();
const ELSEWHERE: Style = AnsiColor::Blue.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// Prints all verdicts and one honest line.
pub(super) fn print(outcomes: &[CheckedCitation]) -> Result<(), CommandError> {
    let mut out = BufWriter::new(anstream::stdout());
    let width = outcomes.iter().map(|outcome| outcome.words().len()).max();
    let width = width.unwrap_or(0);
    for outcome in outcomes {
        row(outcome, width, &mut out)?;
    }
    if !outcomes.is_empty() {
        writeln!(out, "{}", summary(outcomes))?;
    }
    out.flush()?;
    Ok(())
}

/// A verdict with what is to be said of it; the state is padded to a width.
pub(super) fn row(
    outcome: &CheckedCitation,
    width: usize,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let style = match outcome.state() {
        DisplayState::Verified => GOOD,
        DisplayState::Partly => FAIR,
        DisplayState::Elsewhere => ELSEWHERE,
        DisplayState::Missing => BAD,
        DisplayState::Pending => DIM,
    };
    let marker = outcome
        .claim
        .marker
        .as_deref()
        .map_or(String::new(), |marker| format!("{} ", cut(marker, 20)));
    writeln!(
        out,
        "{style}{} {:width$}{style:#}  {marker}“{}”{}",
        outcome.state().sign(),
        outcome.words(),
        cut(phrase(outcome), QUOTE),
        place(outcome).map_or(String::new(), |place| format!("  {DIM}{place}{DIM:#}")),
    )?;
    explain(outcome, out)
}

/// What one says at the end.
pub(super) fn summary(outcomes: &[CheckedCitation]) -> String {
    let count = |state| {
        outcomes
            .iter()
            .filter(|outcome| outcome.state() == state)
            .count()
    };
    let quotes = if outcomes.len() == 1 {
        "quote"
    } else {
        "quotes"
    };
    let mut line = format!(
        "{} of {} {quotes} verified",
        count(DisplayState::Verified),
        outcomes.len()
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

/// The words that were checked.
pub(super) fn phrase(outcome: &CheckedCitation) -> &str {
    let citation = &outcome.claim.citation;
    let given = |text: &&String| !text.trim().is_empty();
    let phrase = citation.full_phrase.as_ref().filter(given);
    phrase
        .or(citation.anchor_text.as_ref())
        .map_or("", String::as_str)
}

/// Where the words stand.
pub(super) fn place(outcome: &CheckedCitation) -> Option<String> {
    let verdict = &outcome.verdict;
    let passages: Vec<String> = verdict.passages.iter().take(4).map(spot).collect();
    if passages.is_empty() {
        return None;
    }
    let source = outcome.source.as_deref().map_or(String::new(), shown);
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
    let label = label.map_or(String::new(), |label| format!(" ({})", shown(label)));
    format!("page {}{label}, {lines}", passage.place.first.0)
}

/// What is to be said of a quote that is not simply there.
fn explain(outcome: &CheckedCitation, out: &mut impl Write) -> std::io::Result<()> {
    let verdict = &outcome.verdict;
    if let Some(reason) = outcome.reason() {
        writeln!(out, "    {}", shown(&reason))?;
    }
    if outcome.state() == DisplayState::Verified || outcome.state() == DisplayState::Elsewhere {
        return Ok(());
    }
    if verdict.diff.iter().any(DiffSpan::differs) {
        writeln!(out, "    {}", diff(&verdict.diff))?;
    }
    if let Some(nearest) = &verdict.nearest {
        writeln!(out, "    {DIM}nearest: {}{DIM:#}", spot(nearest))?;
    }
    Ok(())
}

/// Both texts in one: what the source has is green, what the quote has instead red.
fn diff(stretches: &[DiffSpan]) -> String {
    let mut line = String::new();
    let mut length = 0;
    for stretch in stretches {
        if !line.is_empty() {
            line.push(' ');
        }
        match stretch.kind {
            ChangeKind::Same => line.push_str(&middle(&stretch.source)),
            _ => {
                if !stretch.quote.is_empty() {
                    line.push_str(&format!("{BAD}[-{}-]{BAD:#}", cut(&stretch.quote, QUOTE)));
                }
                if !stretch.source.is_empty() {
                    line.push_str(&format!(
                        "{GOOD}{{+{}+}}{GOOD:#}",
                        cut(&stretch.source, QUOTE)
                    ));
                }
            }
        }
        length += stretch.quote.len().min(QUOTE) + stretch.source.len().min(QUOTE);
        if length > DIFF {
            line.push('…');
            break;
        }
    }
    line
}

/// A stretch that both have: its ends are enough.
fn middle(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= 12 {
        return shown(&words.join(" "));
    }
    let (first, last) = (words[..5].join(" "), words[words.len() - 5..].join(" "));
    shown(&format!("{first} … {last}"))
}

/// The beginning of a text, on one line.
pub(super) fn cut(text: &str, length: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut cut: String = text.chars().take(length).collect();
    if text.chars().nth(length).is_some() {
        cut.push('…');
    }
    shown(&cut)
}
