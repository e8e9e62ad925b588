//! Text of an answer that is a PDF or an HTML page, as Markdown with footnotes.

use std::collections::HashMap;
use std::ops::Range;

use documents::{Document, Line, LineRole};

/// Part of the usual length of a line below which it ends a paragraph, in percent.
const SHORT_LINE: usize = 80;
/// Longest text of a link that is the mark of a footnote, in characters.
const LONGEST_MARK: usize = 6;

/// Returns the text of an HTML page. Every line is a paragraph.
pub(super) fn html_text(document: &Document) -> String {
    let mut text = String::new();
    for line in document.lines().iter().filter(|line| line.role.is_body()) {
        let line = with_plain_labels(&line.text);
        text.push_str(&line);
        // The text of a footnote may be a paragraph inside its list item.
        let is_label = line.starts_with("[^") && line.trim_end().ends_with("]:");
        text.push_str(if is_label { " " } else { "\n\n" });
    }
    text
}

/// Replaces raised digits in the labels of footnotes: marks are raised, definitions are not.
fn with_plain_labels(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut is_label = false;
    for char in line.chars() {
        is_label = match char {
            '^' if plain.ends_with('[') => true,
            ']' => false,
            _ => is_label,
        };
        plain.push(if is_label { plain_digit(char) } else { char });
    }
    plain
}

fn plain_digit(char: char) -> char {
    match char {
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁰' => '0',
        '⁴'..='⁹' => char::from_digit(u32::from(char) - u32::from('⁰'), 10).unwrap_or(char),
        char => char,
    }
}

/// Start tag of an HTML page.
struct HtmlTag {
    range: Range<usize>,
    is_link: bool,
    id: Option<String>,
    /// Id that a link refers to.
    target: Option<String>,
}

/// Returns an HTML page whose footnotes have the marks of Markdown: links such as `<a href="#fn1">1</a>` become `[^1]`,
/// and the elements that they refer to begin with `[^1]:`.
pub(super) fn with_footnote_marks(html: &str) -> String {
    let tags = tags(html);
    let ids: HashMap<&str, usize> = tags
        .iter()
        .enumerate()
        .filter_map(|(at, tag)| Some((tag.id.as_deref()?, at)))
        .collect();
    let mut labels: HashMap<usize, usize> = HashMap::new();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (at, tag) in tags.iter().enumerate().filter(|(_, tag)| tag.is_link) {
        let Some(&target) = tag.target.as_deref().and_then(|id| ids.get(id)) else {
            continue;
        };
        let Some(inside) = link_text(html, tag.range.end) else {
            continue;
        };
        if !is_footnote_mark(&html[inside.clone()]) {
            continue;
        }
        if target > at {
            let next = labels.len() + 1;
            let label = *labels.entry(target).or_insert(next);
            edits.push((inside, format!("[^{label}]")));
        } else {
            // A link back to the mark.
            edits.push((inside, String::new()));
        }
    }
    for (target, label) in labels {
        let end = tags[target].range.end;
        edits.push((end..end, format!("[^{label}]: ")));
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut marked = String::with_capacity(html.len() + edits.len() * 8);
    let mut copied = 0;
    for (range, text) in edits {
        marked.push_str(html.get(copied..range.start).unwrap_or_default());
        marked.push_str(&text);
        copied = copied.max(range.end);
    }
    marked.push_str(html.get(copied..).unwrap_or_default());
    marked
}

/// Returns the start tags of a page.
fn tags(html: &str) -> Vec<HtmlTag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find('<') {
        let start = at + open;
        let Some(length) = html[start..].find('>') else {
            break;
        };
        let end = start + length + 1;
        at = end;
        let inside = &html[start + 1..end - 1];
        let name = inside
            .split(|char: char| char.is_whitespace() || char == '/')
            .next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) {
            continue;
        }
        let is_link = name == "a";
        let named = || is_link.then(|| attribute(inside, "name")).flatten();
        let target =
            attribute(inside, "href").and_then(|to| Some(to.strip_prefix('#')?.to_owned()));
        tags.push(HtmlTag {
            range: start..end,
            is_link,
            id: attribute(inside, "id").or_else(named),
            target: target.filter(|_| is_link),
        });
    }
    tags
}

/// Returns the value of an attribute in a start tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let found = lower.match_indices(name).find(|(at, _)| {
        let before = lower[..*at].chars().next_back();
        before.is_some_and(char::is_whitespace)
            && lower[at + name.len()..].trim_start().starts_with('=')
    });
    let (at, _) = found?;
    let value = tag[at + name.len()..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    let quote = value
        .chars()
        .next()
        .filter(|char| matches!(char, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next(),
        None => value.split(char::is_whitespace).next(),
    };
    value.map(str::to_owned)
}

/// Returns the range between a link's start tag, which ends at `start`, and its end tag.
fn link_text(html: &str, start: usize) -> Option<Range<usize>> {
    // Marks are short, also with tags inside of them.
    const NEAR: usize = 400;
    let near = html.get(start..html.floor_char_boundary(html.len().min(start + NEAR)))?;
    let end = near.to_ascii_lowercase().find("</a")?;
    Some(start..start + end)
}

/// Returns true for the text of a link that is the mark of a footnote, or the arrow back to it.
fn is_footnote_mark(inside: &str) -> bool {
    let mut text = String::new();
    let mut in_tag = false;
    for char in inside.chars() {
        match char {
            '<' => in_tag = true,
            '>' => in_tag = false,
            char if !in_tag && !char.is_whitespace() => text.push(char),
            _ => {}
        }
    }
    let text = text
        .replace("&nbsp;", "")
        .replace("&#8617;", "↩")
        .replace("&#x21a9;", "↩");
    let text = text.trim_matches(['[', ']', '(', ')', '.', '\u{fe0e}', '\u{a0}']);
    let is_number = text.chars().all(|char| plain_digit(char).is_ascii_digit());
    let is_sign = text.chars().all(|char| "*†‡§¶↩↑^⏎←".contains(char));
    let is_letter = text.chars().count() == 1 && text.chars().all(|char| char.is_ascii_lowercase());
    !text.is_empty() && text.chars().count() <= LONGEST_MARK && (is_number || is_sign || is_letter)
}

/// Returns the text of a PDF: paragraphs, and the footnotes of all pages at the end.
pub(super) fn pdf_text(document: &Document) -> String {
    let mut text = String::new();
    let mut notes: Vec<(String, String)> = Vec::new();
    let usual = usual_length(document);
    let lines = document.lines();
    let endnotes = endnotes_start(lines);
    let mut last_notes = PageNotes::default();
    if let Some(start) = endnotes {
        let on_page = lines[start..].iter().filter(|line| line.role.is_body());
        last_notes = PageNotes::read(on_page, 0, &mut notes);
    }
    for page in document.pages() {
        let range = page.lines.start as usize..page.lines.end as usize;
        let on_page = lines.get(range.clone()).unwrap_or_default();
        let footnotes = on_page
            .iter()
            .filter(|line| line.role == LineRole::Footnote);
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

/// Footnotes of a page: labels by the number that is printed.
#[derive(Default)]
struct PageNotes(HashMap<String, String>);

impl PageNotes {
    /// Reads lines that begin with a number, and the lines that continue them. Adds the notes to `notes`.
    fn read<'l>(
        lines: impl Iterator<Item = &'l Line>,
        page: u32,
        notes: &mut Vec<(String, String)>,
    ) -> Self {
        let mut labels = HashMap::new();
        for line in lines {
            match numbered(&line.text) {
                Some((number, words)) => {
                    let is_new = notes.iter().all(|(label, _)| *label != number);
                    let label = if is_new {
                        number.clone()
                    } else {
                        format!("{page}-{number}")
                    };
                    notes.push((label.clone(), words.to_owned()));
                    labels.insert(number, label);
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

/// Splits a line of a footnote into its number and its words.
fn numbered(line: &str) -> Option<(String, &str)> {
    let line = line.trim_start_matches('[');
    let end = line.find(|char: char| !plain_digit(char).is_ascii_digit())?;
    let number: String = line[..end].chars().map(plain_digit).collect();
    let words = line[end..].trim_start_matches([']', ')', '.', ':', ' ', '\u{a0}', '\t']);
    let is_note =
        (1..=3).contains(&number.len()) && words.starts_with(|char: char| !char.is_ascii_digit());
    is_note.then_some((number, words))
}

/// Returns the line with footnote marks instead of the numbers after quotations and sentences.
fn with_marks(line: &str, page: &PageNotes, last: &PageNotes) -> String {
    let mut marked = String::with_capacity(line.len());
    let mut at = 0;
    while at < line.len() {
        let digits = &line[at..];
        let length = digits
            .find(|char: char| !plain_digit(char).is_ascii_digit())
            .unwrap_or(digits.len());
        if length == 0 {
            marked.extend(digits.chars().next());
            at += digits.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let number: String = digits[..length].chars().map(plain_digit).collect();
        let label = page.0.get(&number).or_else(|| last.0.get(&number));
        let is_raised = !digits[..length].is_ascii();
        match label.filter(|_| is_raised || follows_sentence(&marked)) {
            Some(label) if number.len() <= 3 => marked.push_str(&format!("[^{label}]")),
            _ => marked.push_str(&digits[..length]),
        }
        at += length;
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
    fn links_of_footnotes_become_marks() {
        for (html, expected) in [
            (
                "<p>“Tide”<sup><a href=\"#fn1\" id=\"r1\">1</a></sup></p><li id=\"fn1\">Log, p. 3 <a href=\"#r1\">↩</a></li>",
                "<p>“Tide”<sup><a href=\"#fn1\" id=\"r1\">[^1]</a></sup></p><li id=\"fn1\">[^1]: Log, p. 3 <a href=\"#r1\"></a></li>",
            ),
            (
                "<a href='#_ftn1' name='_ftnref1'><span>[1]</span></a> <a href=\"#_ftnref1\" name=\"_ftn1\">[1]</a> Log",
                "<a href='#_ftn1' name='_ftnref1'>[^1]</a> <a href=\"#_ftnref1\" name=\"_ftn1\">[^1]: </a> Log",
            ),
            (
                "<a href=\"#top\">Up</a><p id=top>",
                "<a href=\"#top\">Up</a><p id=top>",
            ),
        ] {
            assert_eq!(with_footnote_marks(html), expected);
        }
    }

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
        assert_eq!(
            numbered("12 Larsen, p. 3"),
            Some(("12".to_owned(), "Larsen, p. 3"))
        );
        assert_eq!(numbered("1911 was"), None);
    }

    #[test]
    fn raised_labels_are_read() {
        assert_eq!(
            with_plain_labels("“a”[^¹²] x² [^3]: b"),
            "“a”[^12] x² [^3]: b"
        );
    }
}
