//! Names in texts that write them with capitals.

use passage::{NormalisedText, Token};

/// Returns true if a word is written like a name: with a capital that does not begin a sentence.
pub(super) fn is_name(token: &Token<'_>, text: &NormalisedText) -> bool {
    let source = text.source();
    let word = source.get(token.range.clone()).unwrap_or_default();
    if !word.starts_with(char::is_uppercase) {
        return false;
    }
    let before = source.get(..token.range.start).unwrap_or_default();
    let before = before.trim_end_matches(|char: char| {
        char.is_whitespace()
            || matches!(
                char,
                '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»' | '(' | '[' | '*' | '_'
            )
    });
    let starts_sentence =
        before.is_empty() || before.ends_with(['.', '!', '?', ':', '•', '#', '>']);
    let is_all_capitals = |word: &str| {
        word.chars().filter(|char| char.is_alphabetic()).count() > 1
            && !word.chars().any(char::is_lowercase)
    };
    let after = source.get(token.range.end..).unwrap_or_default();
    let beside = [
        before.split_whitespace().next_back(),
        after.split_whitespace().next(),
    ];
    // In a text that is all in capitals they mean nothing.
    if is_all_capitals(word) {
        return !beside.into_iter().flatten().any(is_all_capitals);
    }
    !starts_sentence
}
