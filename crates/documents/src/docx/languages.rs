//! The languages that a document is written in.

use std::collections::HashMap;

/// How many letters are in which language.
#[derive(Debug, Default)]
pub(super) struct LanguageCounts {
    /// By the first part of the tag with its region.
    letters: HashMap<String, usize>,
    all: usize,
}

/// More languages than a document has.
const MAX_LANGUAGES: usize = 64;

impl LanguageCounts {
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

    /// The language that nearly all is in.
    pub(super) fn main(&self) -> Option<&str> {
        let most = self
            .letters
            .iter()
            .max_by_key(|(tag, count)| (**count, *tag));
        most.filter(|(_, count)| **count * 10 > self.all * 9)
            .map(|(tag, _)| tag.as_str())
    }
}
