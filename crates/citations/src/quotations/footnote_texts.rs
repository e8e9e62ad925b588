//! Footnotes of a Markdown text: `[^label]: text`.

use std::collections::HashMap;
use std::ops::Range;

/// Longest label, in bytes.
const LONGEST_LABEL: usize = 64;

/// Texts of the footnotes of an answer.
pub(super) struct FootnoteTexts<'t> {
    text: &'t str,
    notes: HashMap<&'t str, Range<usize>>,
}

impl<'t> FootnoteTexts<'t> {
    pub(super) fn find(text: &'t str) -> Self {
        let mut notes = HashMap::new();
        let mut last: Option<&str> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let start = at + line.len() - content.len();
            at += line.len();
            match definition(content) {
                Some((label, length)) => {
                    notes.entry(label).or_insert(start + length..at);
                    last = Some(label);
                }
                // An indented line continues the note.
                None if line.starts_with(' ') || line.starts_with('\t') => {
                    if let Some(range) = last.and_then(|label| notes.get_mut(label)) {
                        range.end = at;
                    }
                }
                None => last = None,
            }
        }
        Self { text, notes }
    }

    /// Returns the text of a footnote. One that begins with a quotation is a citation by itself.
    pub(super) fn get(&self, label: &str) -> Option<&'t str> {
        let range: Range<usize> = self.notes.get(label)?.clone();
        let note = self.text.get(range)?.trim();
        let begins_with_words = note.starts_with(['"', '“', '„', '«', '‘', '\'']);
        (!begins_with_words).then_some(note)
    }
}

/// Returns the label of a footnote that a line defines, and the length before its text.
fn definition(line: &str) -> Option<(&str, usize)> {
    let (label, length) = mark(line)?;
    line[length..]
        .starts_with(':')
        .then_some((label, length + 1))
}

/// Returns the label and the length of a mark such as `[^1]` at the start of a text.
pub(super) fn footnote_mark(text: &str) -> Option<(&str, usize)> {
    mark(text).filter(|(_, length)| !text[*length..].starts_with(':'))
}

fn mark(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix("[^")?;
    let end = inside
        .find(']')
        .filter(|end| (1..=LONGEST_LABEL).contains(end))?;
    let label = &inside[..end];
    (!label.contains(char::is_whitespace)).then_some((label, end + 3))
}
