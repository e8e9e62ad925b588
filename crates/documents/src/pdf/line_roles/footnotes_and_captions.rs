//! Footnotes and captions.

use super::super::line::PdfLine;
use super::BodyMetrics;
use crate::document::LineRole;

/// Maximum size of a footnote relative to the body.
const MAX_NOTE_SIZE: f32 = 0.93;

/// Marks footnotes: small lines at the bottom of a column, starting with one that begins with a
/// mark.
pub(super) fn mark_footnotes(lines: &[PdfLine], body: &BodyMetrics, roles: &mut [LineRole]) {
    // A raised mark begins only footnotes, whatever its size.
    let is_small = |line: &PdfLine| line.size < MAX_NOTE_SIZE * body.size;
    let is_text = |role: LineRole| role == LineRole::Text;
    // Footnotes are below the text.
    let first_body = lines
        .iter()
        .zip(roles.iter())
        .filter(|(line, role)| !is_small(line) && is_text(**role))
        .map(|(line, _)| line.base)
        .fold(f32::INFINITY, f32::min);
    // A few of the lowest lines of text are enough for the comparison.
    let mut lowest: Vec<usize> = (0..lines.len())
        .filter(|at| is_text(roles[*at]) && !is_small(&lines[*at]))
        .collect();
    lowest.sort_by(|a, b| lines[*b].base.total_cmp(&lines[*a].base));
    lowest.truncate(64);
    let mut end = lines.len();
    while end > 0 {
        let column = lines[end - 1].column;
        let mut start = end;
        while start > 0 && lines[start - 1].column == column {
            start -= 1;
        }
        let small = (start..end)
            .rev()
            .take_while(|at| !is_text(roles[*at]) || is_small(&lines[*at]))
            .last()
            .unwrap_or(end);
        // A list of sources ends the text. Small lines below a column, with more text behind them,
        // are footnotes.
        let mut behind = (end..lines.len()).filter(|at| is_text(roles[*at]));
        let text_follows = behind.next().is_some_and(|at| !is_small(&lines[at]));
        let mut notes = (small..end).filter(|at| is_text(roles[*at]));
        let first = notes.clone().next();
        let marked = notes.find(|at| {
            let text = &lines[*at].text;
            let is_listed = is_numbered(text) || is_entry(text) && text_follows;
            let is_marked = begins_with_mark(text) && !continues_text(lines, *at)
                || first == Some(*at) && is_listed && is_set_off(lines, *at, body);
            lines[*at].base > first_body && is_marked
        });
        let from = match raised_note(&lines[start..end], &roles[start..end]) {
            Some(raised) => marked.unwrap_or(end).min(start + raised),
            None => marked.unwrap_or(end),
        };
        let ends_column = lines.get(from).is_some_and(|note| {
            let mut others = lowest.iter().filter(|at| !(from..end).contains(*at));
            !others.any(|at| is_below(&lines[*at], note))
        });
        if ends_column && marks_differ(&lines[from..end]) {
            for role in &mut roles[from..end] {
                if is_text(*role) {
                    *role = LineRole::Footnote;
                }
            }
        }
        end = start;
    }
    for at in 1..lines.len() {
        let (before, line) = (&lines[at - 1], &lines[at]);
        let gap = line.base - before.base;
        let continues_text = is_small(line)
            && before.margin_text.is_none()
            && (before.size - line.size).abs() < 0.02 * line.size
            && gap > 0.0
            && gap < 1.35 * line.size
            && is_below(line, before);
        if roles[at - 1] == LineRole::Footnote && is_text(roles[at]) && continues_text {
            roles[at] = LineRole::Footnote;
        }
    }
}

/// Returns true if a line closely follows a line of its size, so that a number at its start belongs
/// to the text.
fn continues_text(lines: &[PdfLine], at: usize) -> bool {
    let line = &lines[at];
    let is_raised = line.begins_raised || line.text.starts_with(|c| NOTE_MARKS.contains(c));
    let before = at.checked_sub(1).map(|before| &lines[before]);
    before.is_some_and(|before| {
        let gap = line.base - before.base;
        let is_close = before.column == line.column && gap > 0.0 && gap < 1.35 * line.size;
        is_close && !is_raised && (before.size - line.size).abs() < 0.02 * line.size
    })
}

/// Returns true if no mark begins many lines, as bullets and comment signs do.
fn marks_differ(notes: &[PdfLine]) -> bool {
    let mut marks: Vec<&str> = notes
        .iter()
        .filter(|line| begins_with_mark(&line.text))
        .filter_map(|line| line.text.split_whitespace().next())
        .collect();
    marks.sort_unstable();
    marks.chunk_by(|a, b| a == b).all(|same| same.len() < 3)
}

/// Returns the first line of a column that begins with a raised mark, if the following lines are
/// not larger.
fn raised_note(column: &[PdfLine], roles: &[LineRole]) -> Option<usize> {
    let is_marked = |line: &PdfLine| {
        let is_mark = |c: &char| c.is_numeric() || NOTE_MARKS.contains(*c);
        let marks = line.text.chars().take_while(is_mark);
        line.begins_raised && (1..=3).contains(&marks.count())
    };
    let text =
        || (column.iter().zip(roles).enumerate()).filter(|(_, (_, role))| **role == LineRole::Text);
    let (first, (note, _)) = text().skip(1).find(|(_, (line, _))| is_marked(line))?;
    let follow = text().filter(|(at, _)| *at > first);
    let mut before = text().filter(|(at, _)| *at < first);
    let is_alone = follow
        .clone()
        .all(|(_, (line, _))| line.size < 1.02 * note.size);
    (is_alone && before.any(|(_, (line, _))| line.size > 0.98 * note.size)).then_some(first)
}

/// Returns true if a line is below another in the same column.
fn is_below(line: &PdfLine, above: &PdfLine) -> bool {
    line.direction == above.direction
        && line.base > above.base + 1.0
        && line.extent.start < above.extent.end
        && above.extent.start < line.extent.end
}

/// Marks of footnotes.
const NOTE_MARKS: &str = "*∗†‡§¶‖¹²³⁰⁴⁵⁶⁷⁸⁹";

fn begins_with_mark(text: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || NOTE_MARKS.contains(c);
    let rest = text.trim_start_matches(is_mark);
    let length = text.len() - rest.len();
    let begins = rest.trim_start().chars().next();
    // A number that is neither raised nor small belongs to the text: "112 of them".
    let is_large = text.bytes().take_while(u8::is_ascii_digit).count() > 2;
    (1..=9).contains(&length)
        && begins.is_some_and(|c| c.is_alphabetic() || "“\"'(‘«".contains(c))
        && !(is_large && begins.is_some_and(char::is_lowercase))
        // "3rd" and "2D" are words.
        && (rest.starts_with(' ') || begins.is_some_and(|c| !c.is_lowercase()))
}

/// Returns true if a text begins with a number of a footnote or list: "1. One", "(1) One".
fn is_numbered(text: &str) -> bool {
    let is_number = |c: char| c.is_numeric();
    let rest = match text.strip_prefix(['(', '（']) {
        Some(rest) => {
            let end = rest
                .char_indices()
                .take(10)
                .find(|(_, c)| ")）".contains(*c));
            let Some((end, _)) = end.filter(|(end, _)| rest[..*end].contains(is_number)) else {
                return false;
            };
            rest[end..].trim_start_matches([')', '）'])
        }
        None => {
            let rest = text.trim_start_matches(is_number);
            let count = text[..text.len() - rest.len()].chars().count();
            let Some(rest) = rest.strip_prefix('.').filter(|_| (1..=3).contains(&count)) else {
                return false;
            };
            rest
        }
    };
    let begins = rest.trim_start().chars().next();
    begins.is_some_and(|c| c.is_alphabetic() || "“\"'(‘«".contains(c))
}

/// Returns true if a text begins like an entry of a list of sources: "[1] One".
fn is_entry(text: &str) -> bool {
    let inner = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inner.is_some_and(|(number, rest)| {
        (1..=3).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(' ')
    })
}

/// Returns true if the distance of a line to the one before it is larger than between lines of the
/// text.
fn is_set_off(lines: &[PdfLine], at: usize, body: &BodyMetrics) -> bool {
    at.checked_sub(1).is_some_and(|before| {
        lines[before].column == lines[at].column
            && lines[at].base - lines[before].base > 1.25 * body.leading
    })
}

/// First words of captions, in small letters.
const CAPTION_WORDS: &[&str] = &[
    "figure",
    "fig.",
    "fig",
    "table",
    "tab.",
    "chart",
    "exhibit",
    "scheme",
    "plate",
    "listing",
    "algorithm",
    "abbildung",
    "abb.",
    "tabelle",
    "tableau",
    "figura",
    "tabla",
    "tabela",
    "tabella",
    "図",
    "表",
    "图",
    "рис.",
    "рисунок",
    "таблица",
];

/// Marks captions: from a line that begins like a caption to the last of its lines.
pub(super) fn mark_captions(lines: &[PdfLine], body: &BodyMetrics, roles: &mut [LineRole]) {
    let mut at = 0;
    while at < lines.len() {
        let begins = roles[at] == LineRole::Text
            && is_caption(&lines[at].text, lines[at].size < 0.97 * body.size)
            && is_separate(lines, at, body);
        if !begins {
            at += 1;
            continue;
        }
        let first = &lines[at];
        roles[at] = LineRole::Caption;
        let leading = (1.35 * first.size.max(0.8 * body.size)).max(1.08 * body.leading);
        mark_labels(&lines[..at], body, &mut roles[..at]);
        let mut last = first;
        at += 1;
        while let Some(line) = lines.get(at)
            && roles[at] == LineRole::Text
            && line.column == first.column
            && (line.size - first.size).abs() < 0.06 * first.size
            && line.base - last.base > 0.0
            && line.base - last.base < leading
        {
            roles[at] = LineRole::Caption;
            last = line;
            at += 1;
        }
    }
}

/// Marks the small labels of a figure, which are above its caption.
fn mark_labels(before: &[PdfLine], body: &BodyMetrics, roles: &mut [LineRole]) {
    for (line, role) in before.iter().zip(roles.iter_mut()).rev() {
        if *role != LineRole::Text || line.size > MAX_NOTE_SIZE * body.size {
            break;
        }
        *role = LineRole::Caption;
    }
}

/// Returns true if a line does not continue the one before it.
fn is_separate(lines: &[PdfLine], at: usize, body: &BodyMetrics) -> bool {
    let line = &lines[at];
    match at.checked_sub(1).map(|before| &lines[before]) {
        Some(before) if before.column == line.column => {
            let gap = line.base - before.base;
            let differs = (line.size - before.size).abs() > 0.06 * body.size;
            gap > 1.25 * body.leading || gap < 0.0 || differs
        }
        _ => true,
    }
}

/// Returns true if a text begins like a caption: a word, a number and a sign. In small type the
/// sign is optional.
pub(super) fn is_caption(text: &str, is_small: bool) -> bool {
    let lower: String = text.chars().take(24).flat_map(char::to_lowercase).collect();
    let Some(word) = CAPTION_WORDS.iter().find(|word| lower.starts_with(*word)) else {
        return false;
    };
    let rest: String = text.chars().skip(word.chars().count()).collect();
    let rest = rest.trim_start();
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "ABCDEIVXS".contains(c));
    if number.len() == rest.len() {
        return false;
    }
    let part =
        number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == '–');
    let has_sign = part.starts_with([':', '|', '—', '.', '–'])
        || number.len() > part.len()
            && number.starts_with(['.', '-', '–'])
            && part.starts_with(' ');
    part.is_empty() || has_sign || is_small && part.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_captions() {
        for text in [
            "Figure 3: Tides",
            "Fig. 3. Tides",
            "Table 2.1 | Tides",
            "TABLE IV",
            "Abb. 3: Gezeiten",
            "表 3：潮".replace('：', ":").as_str(),
        ] {
            assert!(is_caption(text, false), "{text}");
        }
        for text in [
            "Figure 3 shows the tides",
            "Tables are",
            "Figures 3 and 4",
            "Table of contents",
            "Fig trees",
        ] {
            assert!(!is_caption(text, false), "{text}");
        }
        assert!(is_caption("Figure 3 The tides at noon", true));
    }

    #[test]
    fn recognises_numbered_notes() {
        for text in ["14. Ou la", "(1) One", "(訳注 ¹)段落", "2. “So”"] {
            assert!(is_numbered(text), "{text}");
        }
        for text in [
            "1.5 m",
            "2024. It",
            "(see 1)",
            "(One) two",
            "One.",
            "(1",
            "",
        ] {
            assert!(!is_numbered(text), "{text}");
        }
    }

    #[test]
    fn recognises_note_marks() {
        for text in [
            "1 See below.",
            "1See below.",
            "* See below.",
            "†Both.",
            "12 “So”",
        ] {
            assert!(begins_with_mark(text), "{text}");
        }
        for text in [
            "See below.",
            "3rd of May",
            "2024",
            "1. One",
            "",
            "(1) One",
            "112 of them",
        ] {
            assert!(!begins_with_mark(text), "{text}");
        }
    }
}
