//! Verdicts as a Markdown table.

use std::io::{BufWriter, Write};

use super::check::CheckedCitation;
use super::table::{cut, phrase, place, summary};
use crate::failure::CommandError;

/// How much of a quote is shown.
const QUOTE: usize = 200;

/// Prints a table and one honest line.
pub(super) fn print(outcomes: &[CheckedCitation]) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    if !outcomes.is_empty() {
        writeln!(out, "| | state | quote | place |\n|---|---|---|---|")?;
    }
    for outcome in outcomes {
        let mut state = outcome.words().to_owned();
        if let Some(reason) = outcome.reason() {
            state.push_str(&format!(": {}", cell(&cut(&reason, QUOTE))));
        }
        writeln!(
            out,
            "| {} | {state} | {} | {} |",
            outcome.state().sign(),
            cell(&cut(phrase(outcome), QUOTE)),
            cell(&place(outcome).unwrap_or_default())
        )?;
    }
    if !outcomes.is_empty() {
        writeln!(out, "\n{}", summary(outcomes))?;
    }
    out.flush()?;
    Ok(())
}

/// A text that Markdown leaves as it is.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for char in text.chars() {
        if matches!(
            char,
            '|' | '\\' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '~'
        ) {
            cell.push('\\');
        }
        cell.push(char);
    }
    cell
}
