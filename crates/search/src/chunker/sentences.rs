//! Borders of sentences and words.

use std::ops::Range;

/// Abbreviations before which a sentence does not end, without their last full stop.
const ABBREVIATIONS: &[&str] = &[
    "a", "abs", "al", "approx", "art", "av", "bd", "bzw", "ca", "capt", "cf", "chap", "co", "col",
    "d", "dept", "dr", "e", "ed", "eds", "eq", "eqs", "est", "et", "etc", "evtl", "fig", "figs",
    "g", "geb", "gen", "gest", "h", "hon", "hr", "i", "inc", "inkl", "jh", "jhd", "jr", "lt",
    "ltd", "mio", "mlle", "mme", "mr", "mrd", "mrs", "ms", "no", "nr", "op", "p", "pp", "prof",
    "ref", "refs", "rev", "sec", "sgt", "sog", "sr", "st", "tab", "u", "usw", "vgl", "vol", "vs",
    "z", "zzgl",
];

/// Words before a number with a full stop that is an ordinal, as in “am 3. März”.
const BEFORE_ORDINALS: &[&str] = &[
    "am", "beim", "bis", "das", "dem", "den", "der", "des", "die", "im", "seit", "vom", "zum",
];

/// Returns the sentences of a range of a text. They cover everything except white space at their borders.
pub fn split_sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = range.start;
    let mut chars = text[range.clone()].char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let at = range.start + at;
        let is_wide = matches!(char, '。' | '！' | '？' | '｡');
        if !is_wide && !matches!(char, '.' | '!' | '?' | '…') {
            continue;
        }
        while chars.next_if(|(_, next)| is_closing(*next)).is_some() {}
        let end = chars
            .peek()
            .map_or(range.end, |(next, _)| range.start + next);
        if is_wide || ends_sentence(&text[start..at], char, &text[end..range.end]) {
            sentences.push(start..end);
            start = end;
        }
    }
    if !text[start..range.end].trim().is_empty() {
        sentences.push(start..range.end);
    }
    sentences
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
    let mut words = before.rsplit(|char: char| !char.is_alphanumeric());
    let word = words.next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let is_short_number =
        (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_ordinal = is_short_number
        && words
            .next()
            .is_some_and(|previous| BEFORE_ORDINALS.contains(&previous.to_lowercase().as_str()));
    !is_initial && !is_ordinal && !ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// Returns the number of words. In scripts without spaces two characters count as one.
pub(super) fn count_words(text: &str) -> usize {
    let (mut words, mut unspaced) = (0_usize, 0_usize);
    let mut is_inside = false;
    for char in text.chars() {
        if is_unspaced(char) {
            unspaced += 1;
            is_inside = false;
        } else if char.is_whitespace() {
            is_inside = false;
        } else if !is_inside && char.is_alphanumeric() {
            words += 1;
            is_inside = true;
        }
    }
    words + unspaced.div_ceil(2)
}

/// Returns true for characters of scripts without spaces between words.
pub(super) fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Divides a range of more than `max_words` words between words; any other is returned whole.
pub(super) fn split_long(text: &str, range: Range<usize>, max_words: usize) -> Vec<Range<usize>> {
    let total = count_words(&text[range.clone()]);
    if total <= max_words {
        return vec![range];
    }
    let goal = total.div_ceil(total.div_ceil(max_words));
    let mut pieces = Vec::new();
    let (mut start, mut words, mut halves) = (range.start, 0, 0);
    let mut is_inside = false;
    for (at, char) in text[range.clone()].char_indices() {
        let at = range.start + at;
        let begins_word = is_unspaced(char) || (!is_inside && !char.is_whitespace());
        if begins_word && words + halves / 2 >= goal && at > start {
            pieces.push(trim(text, start..at));
            (start, words, halves) = (at, 0, 0);
        }
        if is_unspaced(char) {
            halves += 1;
        } else if begins_word && char.is_alphanumeric() {
            words += 1;
        }
        is_inside = !char.is_whitespace() && !is_unspaced(char);
    }
    pieces.push(trim(text, start..range.end));
    pieces
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    range.start..range.start + text[range].trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        split_sentences(text, 0..text.len())
            .into_iter()
            .map(|range| text[range].trim())
            .collect()
    }

    #[test]
    fn sentences_end_at_marks_before_capitals() {
        assert_eq!(
            sentences("It rose by 3.5 m. “Why?” J. Smith et al. knew. See Fig. 3! done"),
            [
                "It rose by 3.5 m.",
                "“Why?”",
                "J. Smith et al. knew.",
                "See Fig. 3! done"
            ]
        );
        assert_eq!(
            sentences("雨です。「晴れ。」次"),
            ["雨です。", "「晴れ。」", "次"]
        );
        assert_eq!(
            sentences("Dr. Berg kam am 3. März. Sie blieb im 19. Jahrhundert. Ja! Es waren 7. Nun"),
            [
                "Dr. Berg kam am 3. März.",
                "Sie blieb im 19. Jahrhundert.",
                "Ja!",
                "Es waren 7.",
                "Nun"
            ]
        );
        assert_eq!(sentences(""), [""; 0]);
    }

    #[test]
    fn long_sentences_are_divided_between_words() {
        let text = "word ".repeat(500);
        let pieces = split_long(&text, 0..text.len(), 220);
        assert_eq!(pieces.len(), 3);
        assert!(
            pieces
                .iter()
                .all(|piece| text[piece.clone()].split(' ').all(|word| word == "word"))
        );
        let text = "水".repeat(1_000);
        assert!(split_long(&text, 0..text.len(), 220).len() == 3);
    }

    #[test]
    fn words_are_counted_in_all_scripts() {
        assert_eq!(count_words("one two-three, 4."), 3);
        assert_eq!(count_words("東京都は GPU"), 3);
    }
}
