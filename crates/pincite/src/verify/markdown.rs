//! Report as a Markdown table.

use std::io::Write;

use super::check::CheckedCitation;
use super::table::{cut, phrase, place, summary};
use crate::command_error::CommandError;

/// Limit on the characters of a quote.
const MAX_QUOTE: usize = 200;

/// Prints the table and the summary.
pub(super) fn print(checked: &[CheckedCitation], out: &mut impl Write) -> Result<(), CommandError> {
    if !checked.is_empty() {
        writeln!(out, "| | state | quote | place |\n|---|---|---|---|")?;
    }
    for citation in checked {
        let mut state = citation.words().to_owned();
        if let Some(reason) = citation.reason() {
            state.push_str(&format!(": {}", escape_cell(&cut(&reason, MAX_QUOTE))));
        }
        writeln!(
            out,
            "| {} | {state} | {} | {} |",
            citation.state().sign(),
            escape_cell(&cut(phrase(citation), MAX_QUOTE)),
            escape_cell(&place(citation).unwrap_or_default())
        )?;
    }
    if !checked.is_empty() {
        writeln!(out, "\n{}", summary(checked))?;
    }
    out.flush()?;
    Ok(())
}

/// Escapes the special characters of Markdown.
fn escape_cell(text: &str) -> String {
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
