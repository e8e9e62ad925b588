//! Sentences of a passage, with the form in which they are quoted.

use std::ops::Range;

use super::lexicon::{Lexicon, has_word, lexicons};

/// Sentence of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Range in the text of the passage, in bytes.
    pub(super) range: Range<usize>,
    /// Text in one line, as it is quoted.
    pub(super) text: String,
}

/// Limit on the sentences of one passage.
const MAX_SENTENCES: usize = 400;

/// Words before a full stop that does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "art", "bd", "bzw", "ca", "cf", "co", "dr", "ed", "eds", "eq", "etc", "fig",
    "figs", "hr", "inc", "jr", "ltd", "mr", "mrs", "ms", "nr", "no", "op", "pp", "prof", "ref",
    "refs", "sec", "sr", "st", "tab", "vgl", "vol", "vs", "z", "e", "g", "i", "u", "a", "d", "h",
    "m", "mme", "mlle", "p", "chap", "gen", "lt", "col", "rev", "hon", "capt", "sgt", "dept",
    "est", "jh", "jhd", "geb", "gest", "abs", "evtl", "inkl", "max", "min", "mio", "mrd", "sog",
    "usw", "zzgl", "av",
];

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
    for (line_start, line) in lines(text, start) {
        // A bullet or a table row is a sentence of its own.
        if is_block_start(line) && line_start > from {
            push_sentences(text, from..line_start, &mut sentences);
            from = line_start;
        }
        if line.contains('│') || line.trim().is_empty() {
            let end = line_start + line.len();
            push_sentences(text, from..end, &mut sentences);
            from = end;
        }
    }
    push_sentences(text, from..text.len(), &mut sentences);
    sentences.truncate(MAX_SENTENCES);
    sentences
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
    let mut start = range.start;
    let mut chars = text[range.clone()].char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let is_wide = matches!(char, '。' | '！' | '？' | '｡');
        if !is_wide && !matches!(char, '.' | '!' | '?' | '…') {
            continue;
        }
        let mark = range.start + at;
        while chars.next_if(|(_, next)| is_closing(*next)).is_some() {}
        let end = chars
            .peek()
            .map_or(range.end, |(next, _)| range.start + next);
        if is_wide || ends_sentence(&text[start..mark], char, &text[end..range.end]) {
            push_sentence(text, start..end, sentences);
            start = end;
        }
    }
    push_sentence(text, start..range.end, sentences);
}

fn is_closing(char: char) -> bool {
    matches!(
        char,
        '"' | '\''
            | '”'
            | '’'
            | '“'
            | '»'
            | ')'
            | ']'
            | '」'
            | '』'
            | '）'
            | '.'
            | '!'
            | '?'
            | '…'
    )
}

/// Returns true if a mark between these texts ends a sentence.
fn ends_sentence(before: &str, mark: char, after: &str) -> bool {
    let rest = after.trim_start();
    if rest.is_empty() {
        return true;
    }
    if rest.len() == after.len() || rest.starts_with(char::is_lowercase) {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = before
        .rsplit(|char: char| !char.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let next: String = rest
        .chars()
        .take_while(|char| char.is_alphabetic())
        .collect();
    // “am 3. März”, “im 19. Jahrhundert”
    let is_ordinal = (1..=2).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && is_date_word(&next.to_lowercase());
    !is_initial && !is_ordinal && !ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn is_date_word(word: &str) -> bool {
    let is_known = |lexicon: &Lexicon| has_word(lexicon.date_words, word);
    lexicons().iter().take(3).any(is_known)
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
    }
}
