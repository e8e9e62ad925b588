//! Word pieces: the vocabulary of BERT models without upper case.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Longest word in characters; a longer one is unknown.
const MAX_WORD_CHARS: usize = 100;
/// Prefix of a piece that continues a word.
const CONTINUATION: &str = "##";

/// Vocabulary of a model.
#[derive(Debug)]
pub(crate) struct WordPieces {
    pieces: HashMap<String, u32>,
    unknown: u32,
    start: u32,
    end: u32,
}

impl WordPieces {
    /// Reads a vocabulary with one piece per line. Returns `None` if it lacks a special piece.
    pub(crate) fn parse(vocabulary: &str) -> Option<Self> {
        let lines = (0..).zip(vocabulary.lines());
        let pieces: HashMap<String, u32> = lines
            .map(|(id, piece)| (piece.trim_end().to_owned(), id))
            .collect();
        let special = |name: &str| pieces.get(name).copied();
        Some(Self {
            unknown: special("[UNK]")?,
            start: special("[CLS]")?,
            end: special("[SEP]")?,
            pieces,
        })
    }

    /// Returns the largest id and one.
    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns the ids of a text, at most `limit`, with those of start and end.
    pub(crate) fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut ids = vec![self.start];
        for word in words(text) {
            if ids.len() >= limit {
                break;
            }
            self.add_word(&word, &mut ids);
        }
        ids.truncate(limit.saturating_sub(1));
        ids.push(self.end);
        ids
    }

    /// Adds the longest known pieces of a word, from left to right; a word with an unknown part is unknown as a whole.
    fn add_word(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut rest = word;
        if word.chars().count() > MAX_WORD_CHARS {
            rest = "";
            ids.push(self.unknown);
        }
        let mut piece = String::new();
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, char)| at + char.len_utf8());
            let ends: Vec<usize> = ends.collect();
            let longest = ends.into_iter().rev().find_map(|end| {
                piece.clear();
                if rest.len() < word.len() {
                    piece.push_str(CONTINUATION);
                }
                piece.push_str(&rest[..end]);
                self.pieces.get(&piece).map(|id| (end, *id))
            });
            let Some((end, id)) = longest else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[end..];
        }
    }
}

/// Returns the words of a text in lower case and without accents. Punctuation and ideographs are words of their own.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for char in text.chars().filter(|char| !is_removed(*char)) {
        let is_alone = is_ideograph(char);
        if char.is_whitespace() || is_alone {
            words.extend(take(&mut word));
            if is_alone {
                words.push(char.to_string());
            }
            continue;
        }
        for char in char.to_lowercase().nfd() {
            if is_punctuation(char) {
                words.extend(take(&mut word));
                words.push(char.to_string());
            } else if !is_combining_mark(char) {
                word.push(char);
            }
        }
    }
    words.extend(take(&mut word));
    words.into_iter()
}

fn take(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
}

fn is_removed(char: char) -> bool {
    let is_control = char.general_category_group() == GeneralCategoryGroup::Other;
    char == '\u{fffd}' || (is_control && !matches!(char, '\t' | '\n' | '\r'))
}

fn is_punctuation(char: char) -> bool {
    char.is_ascii_punctuation()
        || char.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// Returns true for the ideographs that BERT separates.
fn is_ideograph(char: char) -> bool {
    matches!(u32::from(char),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b820..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces() -> WordPieces {
        let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhar\n##bour\nthe\n,\ncafe\n東\n##s\n";
        WordPieces::parse(vocabulary).expect("the special pieces are there")
    }

    #[test]
    fn words_are_divided_into_the_longest_pieces() {
        let ids = pieces().encode("The HARBOURS, café東 zz", 32);
        assert_eq!(ids, [2, 6, 4, 5, 10, 7, 8, 9, 1, 3]);
    }

    #[test]
    fn long_texts_are_cut_and_keep_their_end() {
        assert_eq!(pieces().encode("the the the the", 4), [2, 6, 6, 3]);
        assert_eq!(pieces().encode(&"a".repeat(1_000_000), 4), [2, 1, 3]);
        assert_eq!(pieces().encode("\0\u{fffd}", 4), [2, 3]);
    }

    #[test]
    fn a_vocabulary_without_special_pieces_is_refused() {
        assert!(WordPieces::parse("a\nb\n").is_none());
    }
}
