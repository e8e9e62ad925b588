//! Languages of a document.

use std::collections::HashMap;

/// Numbers of letters in each language.
#[derive(Debug, Default)]
pub(super) struct LanguageCounts {
    /// Numbers of letters by language tag.
    letters: HashMap<String, usize>,
    all: usize,
}

/// Largest number of languages that are counted.
const MAX_LANGUAGES: usize = 64;

impl LanguageCounts {
    /// Counts letters of a language.
    pub(super) fn count(&mut self, tag: Option<&str>, letters: usize) {
        self.all += letters;
        let Some(tag) = tag else {
            return;
        };
        if let Some(count) = self.letters.get_mut(tag) {
            *count += letters;
        } else if self.letters.len() < MAX_LANGUAGES {
            self.letters.insert(tag.to_owned(), letters);
        }
    }

    /// Returns the language of more than nine tenths of the letters.
    pub(super) fn main(&self) -> Option<&str> {
        let most = self
            .letters
            .iter()
            .max_by_key(|(tag, count)| (**count, *tag));
        most.filter(|(_, count)| **count * 10 > self.all * 9)
            .map(|(tag, _)| tag.as_str())
    }
}
