//! Text of an answer that is a PDF, as Markdown with footnotes.

use std::collections::HashMap;

use documents::{Document, Line, LineRole};

use super::html_answer::plain_digit;

/// Part of the usual length of a line below which it ends a paragraph, in percent.
const SHORT_LINE: usize = 80;

/// Returns the text of a PDF: paragraphs, and the footnotes of all pages at the end.
pub(super) fn pdf_text(document: &Document) -> String {
    let mut text = String::new();
    let mut notes: Vec<(String, String)> = Vec::new();
    let usual = usual_length(document);
    let lines = document.lines();
    let endnotes = endnotes_start(lines).or_else(|| endnote_pages(document));
    let mut last_notes = PageNotes::default();
    if let Some(start) = endnotes {
        let on_page = lines[start..].iter().filter(|line| is_note_line(line));
        last_notes = PageNotes::read(on_page, 0, &mut notes);
    }
    for page in document.pages() {
        let range = page.lines.start as usize..page.lines.end as usize;
        let on_page = lines.get(range.clone()).unwrap_or_default();
        let is_footnote = |(at, line): &(usize, &Line)| {
            line.role == LineRole::Footnote && endnotes.is_none_or(|start| *at < start)
        };
        let footnotes = range.clone().zip(on_page).filter(is_footnote);
        let footnotes = footnotes.map(|(_, line)| line);
        let page_notes = PageNotes::read(footnotes, page.number, &mut notes);
        for (at, line) in range.zip(on_page) {
            if !line.role.is_body() || endnotes.is_some_and(|start| at >= start) {
                continue;
            }
            text.push_str(&with_marks(&line.text, &page_notes, &last_notes));
            let is_short = line.text.chars().count() * 100 < usual * SHORT_LINE;
            let ends = line
                .text
                .trim_end()
                .ends_with(|char: char| !char.is_alphanumeric() && char != ',' && char != '-');
            let is_last = line.role == LineRole::Heading || (is_short && ends);
            text.push_str(if is_last { "\n\n" } else { "\n" });
        }
    }
    text.push('\n');
    for (label, note) in notes {
        text.push_str(&format!("\n[^{label}]: {note}\n"));
    }
    text
}

/// Footnotes of a page: labels by the mark that is printed.
#[derive(Default)]
struct PageNotes(HashMap<String, String>);

impl PageNotes {
    /// Reads lines that begin with a mark, and the lines that continue them. Adds the notes to `notes`.
    fn read<'l>(
        lines: impl Iterator<Item = &'l Line>,
        page: u32,
        notes: &mut Vec<(String, String)>,
    ) -> Self {
        let mut labels = HashMap::new();
        let mut last = None;
        for line in lines {
            let note = numbered(&line.text);
            // Letters at the start of a line are a mark only if they count on.
            let note = note.filter(|note| {
                let is_next = last.is_none_or(|last: u32| note.number == last + 1);
                note.mark.starts_with(|char: char| char.is_ascii_digit()) || is_next
            });
            match note {
                Some(note) => {
                    let is_new = notes.iter().all(|(label, _)| *label != note.mark);
                    let label = if is_new {
                        note.mark.clone()
                    } else {
                        format!("{page}-{}", note.mark)
                    };
                    last = Some(note.number);
                    notes.push((label.clone(), note.words.to_owned()));
                    labels.insert(note.mark, label);
                }
                None if !labels.is_empty() => {
                    if let Some((_, note)) = notes.last_mut() {
                        note.push(' ');
                        note.push_str(&line.text);
                    }
                }
                None => {}
            }
        }
        Self(labels)
    }
}

/// Line that begins a footnote.
#[derive(Debug, PartialEq, Eq)]
struct NoteStart<'l> {
    /// Number in ASCII digits, or Roman numeral in lower case.
    mark: String,
    number: u32,
    words: &'l str,
}

/// Splits the first line of a footnote into its mark and its words.
fn numbered(line: &str) -> Option<NoteStart<'_>> {
    let line = line.trim_start_matches('[');
    let (mark, rest) = leading_mark(line)?;
    let number = match mark.parse() {
        Ok(number) => number,
        Err(_) => passage::parse_roman(&mark)?,
    };
    let words = rest.trim_start_matches([']', ')', '.', ':', ' ', '\u{a0}', '\t']);
    let is_apart = words.len() < rest.len() || mark.starts_with(|char: char| char.is_ascii_digit());
    let is_note = is_apart && words.starts_with(|char: char| !char.is_ascii_digit());
    is_note.then_some(NoteStart {
        mark,
        number,
        words,
    })
}

/// Returns the mark of a footnote at the start of a text, and the text after it: up to three digits, or a Roman numeral
/// in lower case.
fn leading_mark(text: &str) -> Option<(String, &str)> {
    let digits = text
        .find(|char: char| !plain_digit(char).is_ascii_digit())
        .unwrap_or(text.len());
    if digits > 0 {
        let mark: String = text[..digits].chars().map(plain_digit).collect();
        return (mark.len() <= 3).then_some((mark, &text[digits..]));
    }
    let letters = text
        .find(|char: char| !"ivxlc".contains(char))
        .unwrap_or(text.len());
    let (mark, rest) = text.split_at(letters);
    let is_word = rest.starts_with(|char: char| char.is_alphanumeric());
    passage::parse_roman(mark).filter(|_| !is_word)?;
    Some((mark.to_owned(), rest))
}

/// Returns the line with footnote marks instead of the numbers after quotations and sentences.
fn with_marks(line: &str, page: &PageNotes, last: &PageNotes) -> String {
    let mut marked = String::with_capacity(line.len());
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        let is_inside = first.is_ascii_lowercase() && !follows_sentence(&marked);
        let found = leading_mark(rest).filter(|_| !is_inside);
        let Some((mark, after)) = found else {
            // Numbers that are too long for a mark are skipped as a whole.
            let digits = rest
                .find(|char: char| !plain_digit(char).is_ascii_digit())
                .unwrap_or(rest.len());
            let length = digits.max(first.len_utf8());
            marked.push_str(&rest[..length]);
            at += length;
            continue;
        };
        let written = &rest[..rest.len() - after.len()];
        let label = page.0.get(&mark).or_else(|| last.0.get(&mark));
        let is_raised = !written.is_ascii();
        match label.filter(|_| is_raised || follows_sentence(&marked)) {
            Some(label) => marked.push_str(&format!("[^{label}]")),
            None => marked.push_str(written),
        }
        at += written.len();
    }
    marked
}

/// Returns true if a number after this text is the mark of a footnote: it directly follows a quotation or a sentence.
fn follows_sentence(before: &str) -> bool {
    let mut chars = before.chars().rev();
    match chars.next() {
        Some('”' | '“' | '"' | '’' | '»' | '«' | '›' | '‹' | '」' | ')') => true,
        Some('.' | ',' | ';' | '!' | '?') => chars
            .next()
            .is_some_and(|char| !char.is_ascii_digit() && !char.is_whitespace()),
        _ => false,
    }
}

/// Returns the position of the first line after the heading of endnotes.
fn endnotes_start(lines: &[Line]) -> Option<usize> {
    let is_heading = |line: &Line| {
        let text = line.text.trim().trim_end_matches(':').to_lowercase();
        let names = [
            "notes",
            "endnotes",
            "anmerkungen",
            "endnoten",
            "fußnoten",
            "notas",
            "note",
            "footnotes",
        ];
        line.role.is_body() && names.contains(&text.as_str())
    };
    lines.iter().rposition(is_heading).map(|at| at + 1)
}

/// Returns true for a line of endnotes. Those of short notes at the foot of a page look like footnotes.
fn is_note_line(line: &Line) -> bool {
    line.role.is_body() || line.role == LineRole::Footnote
}

/// Returns the position of the first line of endnotes without a heading: the last pages, if they begin with note 1 and
/// their notes count on to the end.
fn endnote_pages(document: &Document) -> Option<usize> {
    let lines = document.lines();
    let mut pages = document.pages().iter().skip(1).rev();
    pages.find_map(|page| {
        let start = page.lines.start as usize;
        let mut notes = lines.get(start..)?.iter().filter(|line| is_note_line(line));
        let first = numbered(&notes.next()?.text)?;
        let mut next = 2;
        for note in notes.filter_map(|line| numbered(&line.text)) {
            match note.number == next {
                true => next += 1,
                // A line that continues a note may begin with a number.
                false if note.number > next => return None,
                false => {}
            }
        }
        (first.number == 1).then_some(start)
    })
}

/// Returns the length in characters that most lines of the body do not exceed.
fn usual_length(document: &Document) -> usize {
    let body = document.lines().iter().filter(|line| line.role.is_body());
    let mut lengths: Vec<usize> = body.map(|line| line.text.chars().count()).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() * 3 / 4).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_after_quotations_become_marks() {
        let notes = PageNotes(HashMap::from([
            ("1".to_owned(), "1".to_owned()),
            ("5".to_owned(), "5".to_owned()),
        ]));
        let marked = |line: &str| with_marks(line, &notes, &PageNotes::default());
        assert_eq!(
            marked("“High tide.”1 It was 3.5 metres, 1 more.5"),
            "“High tide.”[^1] It was 3.5 metres, 1 more.[^5]"
        );
        assert_eq!(marked("tide² and tide¹"), "tide² and tide[^1]");
        for (line, expected) in [
            ("12 Larsen, p. 3", Some(("12", 12, "Larsen, p. 3"))),
            ("iv Larsen, p. 3", Some(("iv", 4, "Larsen, p. 3"))),
            ("[xiv] Larsen", Some(("xiv", 14, "Larsen"))),
            ("1911 was", None),
            ("village", None),
            ("ic Larsen", None),
        ] {
            let note = numbered(line);
            let note = note.as_ref();
            let found = note.map(|note| (note.mark.as_str(), note.number, note.words));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn roman_numerals_after_quotations_become_marks() {
        let labels = ["i", "ii", "iii"].map(|mark| (mark.to_owned(), mark.to_owned()));
        let notes = PageNotes(HashMap::from(labels));
        let marked = |line: &str| with_marks(line, &PageNotes::default(), &notes);
        assert_eq!(
            marked("“High tide.”i Later “a quay”iii, and chapter ii ended.ii"),
            "“High tide.”[^i] Later “a quay”[^iii], and chapter ii ended.[^ii]"
        );
        assert_eq!(marked("“High tide.”village"), "“High tide.”village");
        assert_eq!(marked("It ended.vi"), "It ended.vi");
    }
}
