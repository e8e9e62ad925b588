//! Query language: words, phrases in quotes, excluded words.

use crate::analysis::{SearchToken, TokenShape, tokens};

/// Longest query in bytes.
pub const MAX_QUERY_BYTES: usize = 16 << 10;
/// Largest number of different words of a query; further words are left out.
pub const MAX_QUERY_WORDS: usize = 128;

/// Query that cannot be searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is too long. Holds its size in bytes.
    #[error("the query has {0} bytes; shorten it to at most {MAX_QUERY_BYTES}")]
    TooLong(usize),
    /// It has no word to search for.
    #[error("the query has no words; write at least one word or number to search for")]
    NoWords,
}

/// Word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    pub(crate) token: SearchToken,
    /// True if words that begin with it are searched too.
    pub(crate) is_prefix: bool,
}

/// Parsed query.
///
/// Words are alternatives: a passage with more of them, and with rarer ones, comes first. A passage must contain the
/// phrases in quotes. A word or phrase after a space and a minus sign excludes passages. The last word also finds
/// longer words that begin with it, unless something follows it.
///
/// ```
/// use search::SearchQuery;
///
/// let query = SearchQuery::parse("tide \"Port Aven\" -fish harb")?;
/// assert_eq!(query.words(), ["tide", "port", "aven", "harb"]);
/// # Ok::<(), search::QueryError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    pub(crate) words: Vec<QueryWord>,
    pub(crate) phrases: Vec<Vec<SearchToken>>,
    pub(crate) excluded: Vec<Vec<SearchToken>>,
    pub(crate) is_truncated: bool,
    /// Query without excluded words, for embedding.
    text: String,
}

/// Part of a query.
enum QueryPart<'a> {
    Text(&'a str),
    Phrase(&'a str),
    Excluded(&'a str),
}

impl SearchQuery {
    /// Parses a query. Every text of limited size with at least one word or number is a query.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY_BYTES {
            return Err(QueryError::TooLong(text.len()));
        }
        let clean: String = text
            .chars()
            .map(|char| if char.is_control() { ' ' } else { char })
            .collect();
        let mut query = Self::default();
        for part in split(&clean) {
            if let QueryPart::Text(text) | QueryPart::Phrase(text) = part {
                query.text.push_str(text);
                query.text.push(' ');
            }
            match part {
                QueryPart::Text(text) => query.add_words(text, false),
                QueryPart::Phrase(text) => {
                    let phrase = tokens(text);
                    query.add_words(text, true);
                    if phrase.len() > 1 {
                        query.phrases.push(phrase);
                    }
                }
                QueryPart::Excluded(text) => {
                    let phrase = tokens(text);
                    if !phrase.is_empty() {
                        query.excluded.push(phrase);
                    }
                }
            }
        }
        if query.words.is_empty() {
            return Err(QueryError::NoWords);
        }
        query.mark_prefix(&clean);
        query.text = query.text.trim().to_owned();
        Ok(query)
    }

    /// Returns the query without excluded words, quotes and control characters, as it is embedded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the words that are searched for, in lower case and without accents.
    pub fn words(&self) -> Vec<&str> {
        let words = self.words.iter();
        words.map(|word| word.token.folded.as_str()).collect()
    }

    fn add_words(&mut self, text: &str, is_phrase: bool) {
        for token in tokens(text) {
            if self
                .words
                .iter()
                .any(|word| word.token.folded == token.folded)
            {
                continue;
            }
            if self.words.len() >= MAX_QUERY_WORDS {
                self.is_truncated = true;
                return;
            }
            // Bigrams of one text are parts of a word; a phrase word is complete.
            let is_prefix = !is_phrase;
            self.words.push(QueryWord { token, is_prefix });
        }
    }

    /// Leaves the mark of a prefix only at the last word, if the query ends with it.
    fn mark_prefix(&mut self, text: &str) {
        let ends_with_word = text.ends_with(|char: char| char.is_alphanumeric());
        let last = tokens(text).pop();
        for word in &mut self.words {
            let is_last = last
                .as_ref()
                .is_some_and(|last| last.folded == word.token.folded);
            let chars = word.token.folded.chars().count();
            let is_complete = word.token.shape == TokenShape::Bigram && chars > 1;
            word.is_prefix &= ends_with_word && is_last && !is_complete;
        }
    }
}

/// Splits a query into texts, phrases and exclusions. A quotation mark without a partner is punctuation.
fn split(text: &str) -> Vec<QueryPart<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut before = '\u{0}';
    while let Some(char) = text[at..].chars().next() {
        let after = at + char.len_utf8();
        let is_start = before == '\u{0}' || before.is_whitespace();
        let found = if char == '-' && before.is_whitespace() {
            excluded(text, after)
        } else if is_start || before == '(' {
            phrase(text, at).map(|(range, end)| (QueryPart::Phrase(&text[range]), end))
        } else {
            None
        };
        match found {
            Some((part, end)) => {
                parts.push(QueryPart::Text(&text[start..at]));
                parts.push(part);
                before = text[..end].chars().next_back().unwrap_or(' ');
                (start, at) = (end, end);
            }
            None => (before, at) = (char, after),
        }
    }
    parts.push(QueryPart::Text(&text[start..]));
    parts
}

/// Returns the word or phrase that is excluded by a minus sign before `at`.
fn excluded(text: &str, at: usize) -> Option<(QueryPart<'_>, usize)> {
    if let Some((range, end)) = phrase(text, at) {
        return Some((QueryPart::Excluded(&text[range]), end));
    }
    let rest = &text[at..];
    rest.chars().next().filter(|char| char.is_alphanumeric())?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    Some((QueryPart::Excluded(&rest[..end]), at + end))
}

/// Returns the range inside the quotation marks that begin at a position, and the position after them.
fn phrase(text: &str, at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    let open = text[at..].chars().next()?;
    let closing: &[char] = match open {
        '"' => &['"'],
        '“' | '„' => &['”', '“', '"'],
        '«' => &['»'],
        '「' => &['」'],
        '『' => &['』'],
        _ => return None,
    };
    let start = at + open.len_utf8();
    let end = start + text[start..].find(closing)?;
    let close = text[end..].chars().next()?;
    Some((start..end, end + close.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(tokens: &[SearchToken]) -> Vec<&str> {
        tokens.iter().map(|token| token.folded.as_str()).collect()
    }

    #[test]
    fn phrases_and_exclusions_are_recognised() {
        let query = SearchQuery::parse("sea \"high tide\" -harbour -\"low water\" well-known")
            .expect("a query");
        assert_eq!(query.words(), ["sea", "high", "tide", "well", "known"]);
        assert_eq!(folded(&query.phrases[0]), ["high", "tide"]);
        assert_eq!(folded(&query.excluded[0]), ["harbour"]);
        assert_eq!(folded(&query.excluded[1]), ["low", "water"]);
    }

    #[test]
    fn a_minus_sign_excludes_only_after_a_space() {
        for query in ["-harbour", "sea-harbour", "sea - harbour", "sea (-harbour)"] {
            let query = SearchQuery::parse(query).expect("a query");
            assert!(query.excluded.is_empty() && query.words().contains(&"harbour"));
        }
    }

    #[test]
    fn unbalanced_quotes_are_punctuation() {
        for query in [
            "\"high tide",
            "high\" tide",
            "5\" pipe 6\" pipe",
            "“high tide",
        ] {
            assert!(
                SearchQuery::parse(query)
                    .expect("a query")
                    .phrases
                    .is_empty(),
                "{query}"
            );
        }
        let typographic = SearchQuery::parse("„hohe Flut“ «marée haute»").expect("a query");
        assert_eq!(typographic.phrases.len(), 2);
    }

    #[test]
    fn only_the_last_word_is_a_prefix() {
        let prefixes = |query: &str| -> Vec<String> {
            let query = SearchQuery::parse(query).expect("a query");
            let words = query.words.iter().filter(|word| word.is_prefix);
            words.map(|word| word.token.folded.clone()).collect()
        };
        assert_eq!(prefixes("high ti"), ["ti"]);
        assert_eq!(prefixes("high ti "), [""; 0]);
        assert_eq!(prefixes("high \"low tide\""), [""; 0]);
        assert_eq!(prefixes("東京"), [""; 0]);
        assert_eq!(prefixes("東"), ["東"]);
    }

    #[test]
    fn queries_without_words_or_too_long_are_refused() {
        for query in ["", "  ", "?!…", "\u{0}\u{1b}", "\"\"", "-"] {
            assert_eq!(
                SearchQuery::parse(query),
                Err(QueryError::NoWords),
                "{query:?}"
            );
        }
        let long = "a ".repeat(1 << 20);
        assert_eq!(SearchQuery::parse(&long), Err(QueryError::TooLong(2 << 20)));
        let many: String = (0..2_000).map(|number| format!("{number} ")).collect();
        let query = SearchQuery::parse(&many).expect("a query");
        assert!(query.words.len() == MAX_QUERY_WORDS && query.is_truncated);
    }
}
