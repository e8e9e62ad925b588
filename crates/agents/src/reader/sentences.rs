//! Sentences of a passage, with the form in which they are quoted.

use std::ops::Range;

use search::split_sentences;

/// Sentence of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Range in the text of the passage, in bytes.
    pub(super) range: Range<usize>,
    /// Text in one line, as it is quoted.
    pub(super) text: String,
}

/// Longest heading inside a passage, in characters.
const MAX_HEADING: usize = 50;
/// Limit on the sentences of one passage.
const MAX_SENTENCES: usize = 400;

/// Returns the sentences of a passage. Headings at its beginning are left out.
pub(super) fn passage_sentences(text: &str, headings: &[String]) -> Vec<Sentence> {
    let mut start = 0;
    for heading in headings {
        let rest = &text[start..];
        let trimmed = rest.trim_start().trim_start_matches('#').trim_start();
        if let Some(after) = trimmed.strip_prefix(heading.as_str())
            && (after.is_empty() || after.starts_with('\n'))
        {
            start = text.len() - after.len();
        }
    }
    let mut sentences = Vec::new();
    let mut from = start;
    let mut before = "";
    let mut lines = lines(text, start).peekable();
    while let Some((line_start, line)) = lines.next() {
        let after = lines.peek().map_or("", |(_, next)| next.trim());
        let is_heading = is_heading_line(before, line.trim(), after);
        let is_alone = is_heading || is_table_row(line) || line.trim().is_empty();
        // A bullet, a heading or a table row is a sentence of its own.
        if (is_alone || is_block_start(line)) && line_start > from {
            push_sentences(text, from..line_start, &mut sentences);
            from = line_start;
        }
        if is_alone {
            let end = line_start + line.len();
            push_sentences(text, from..end, &mut sentences);
            from = end;
        }
        before = if is_heading { "" } else { line.trim() };
    }
    push_sentences(text, from..text.len(), &mut sentences);
    sentences.truncate(MAX_SENTENCES);
    sentences
}

/// Returns true for a short line without an end mark, between the end of a paragraph and the beginning of another.
fn is_heading_line(before: &str, line: &str, after: &str) -> bool {
    let is_end = |char: char| matches!(char, '.' | '!' | '?' | ':' | '”' | '"' | ')');
    let is_short = line.chars().count() <= MAX_HEADING && line.split_whitespace().count() <= 6;
    let starts_upper = |text: &str| text.starts_with(char::is_uppercase);
    // “1. Object” is a heading; “It grew. In” is the end of a sentence and the beginning of another.
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_end = line
        .split_once(". ")
        .is_some_and(|(first, _)| !is_number(first));
    is_short
        && !has_end
        && (before.is_empty() || before.ends_with(is_end))
        && !line.ends_with(|char: char| is_end(char) || matches!(char, ',' | ';' | '-'))
        && (starts_upper(line) || line.starts_with(|char: char| char.is_ascii_digit()))
        && starts_upper(after)
}

/// Returns true for a line with cells.
fn is_table_row(line: &str) -> bool {
    let line = line.trim();
    let mut gaps = line.match_indices("  ");
    // Two spaces after a full stop are an old custom and no gap between cells.
    let is_gap = |(at, _): (usize, &str)| !line[..at].ends_with(['.', '!', '?', ':', ' ']);
    line.contains(['│', '\t']) || gaps.any(is_gap)
}

fn lines(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = start;
    text[start..].split_inclusive('\n').map(move |line| {
        let from = at;
        at += line.len();
        (from, line)
    })
}

fn is_block_start(line: &str) -> bool {
    let line = line.trim_start();
    let is_bullet = line.starts_with(['•', '–', '▪', '◦', '‣'])
        || line.starts_with("- ")
        || line.starts_with("* ");
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = (1..=2).contains(&digits)
        && (line[digits..].starts_with(". ") || line[digits..].starts_with(") "));
    is_bullet || is_numbered
}

fn push_sentences(text: &str, range: Range<usize>, sentences: &mut Vec<Sentence>) {
    for sentence in split_sentences(text, range) {
        push_sentence(text, sentence, sentences);
    }
}

fn push_sentence(text: &str, range: Range<usize>, sentences: &mut Vec<Sentence>) {
    let inside = &text[range.clone()];
    let trimmed = inside.trim();
    let quoted = quote_form(trimmed);
    if quoted.chars().filter(|char| char.is_alphanumeric()).count() < 2 {
        return;
    }
    let start = range.start + (inside.len() - inside.trim_start().len());
    sentences.push(Sentence {
        range: start..start + trimmed.len(),
        text: quoted,
    });
}

/// Returns a piece of a source in one line: words hyphenated at a line end are joined, white space becomes one space.
pub(super) fn quote_form(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{ad}' | '\u{200b}' | '\u{feff}' => {}
            '-' | '\u{2010}'
                if chars.peek() == Some(&'\n') && out.ends_with(char::is_lowercase) =>
            {
                let mut rest = chars.clone();
                rest.next();
                let next = rest.peek().copied();
                if next.is_some_and(char::is_lowercase) {
                    chars.next();
                } else {
                    out.push(char);
                }
            }
            '│' => push_space(&mut out),
            char if char.is_whitespace() || char.is_control() => {
                // Lines of scripts without spaces are joined without one.
                let is_wide = |char: Option<char>| char.is_some_and(|char| char >= '\u{2e80}');
                let next = chars.clone().find(|char| !char.is_whitespace());
                if !(is_wide(out.chars().next_back()) && is_wide(next)) {
                    push_space(&mut out);
                }
            }
            char => out.push(char),
        }
    }
    let trimmed = out.trim_start_matches(['•', '▪', '◦', '‣']).trim();
    trimmed.to_owned()
}

fn push_space(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, headings: &[&str]) -> Vec<String> {
        let headings: Vec<String> = headings
            .iter()
            .map(|heading| (*heading).to_owned())
            .collect();
        let sentences = passage_sentences(text, &headings);
        for sentence in &sentences {
            assert!(text.get(sentence.range.clone()).is_some());
        }
        sentences
            .into_iter()
            .map(|sentence| sentence.text)
            .collect()
    }

    #[test]
    fn sentences_end_at_marks_but_not_at_abbreviations_and_ordinals() {
        assert_eq!(
            texts(
                "Dr. Berg kam am 3. März. Sie blieb im 19. Jahrhundert. Ja!",
                &[]
            ),
            [
                "Dr. Berg kam am 3. März.",
                "Sie blieb im 19. Jahrhundert.",
                "Ja!"
            ]
        );
        assert_eq!(
            texts("港は閉鎖された。船は戻れなかった。", &[]),
            ["港は閉鎖された。", "船は戻れなかった。"]
        );
    }

    #[test]
    fn headings_are_left_out_and_lines_are_joined() {
        assert_eq!(
            texts(
                "Tides\nHigh tide is at noon in the har-\nbour of the\ntown.",
                &["Tides"]
            ),
            ["High tide is at noon in the harbour of the town."]
        );
        assert_eq!(texts("A│12│3\nB│4│5\n", &[]), ["A 12 3", "B 4 5"]);
        assert_eq!(
            texts("- one thing\n- another thing", &[]),
            ["- one thing", "- another thing"]
        );
        assert_eq!(texts("潮位は\n高い。", &[]), ["潮位は高い。"]);
        assert_eq!(
            texts(
                "Report of 2023\nLetter to all\nIn 2023 the town grew. It\nHelped Lunde.\nRisks\nThere are none.",
                &[]
            ),
            [
                "Report of 2023",
                "Letter to all",
                "In 2023 the town grew.",
                "It Helped Lunde.",
                "Risks",
                "There are none."
            ]
        );
        assert_eq!(
            texts("Code  Remedy\nE1  Clean it\nIt rains.  We\nstay.", &[]),
            ["Code Remedy", "E1 Clean it", "It rains.", "We stay."]
        );
    }
}
