//! Meaning of the differences between a quote and a passage.

use std::collections::HashSet;

use passage::{
    ChangeKind, DiffChange, NormalisedText, PassageTextIndex, Quote, QuoteDiff, Token, TokenKind,
};

use super::word_weights::{WordWeight, english, weight};

/// Largest share of changed words in a passage that still counts as partly the quote.
const MAX_CHANGED: f64 = 0.34;

/// Share of a changed word that a misspelling counts for.
const MISSPELLING: f64 = 0.5;

/// Kind of difference that changes the meaning of a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeaningChange {
    /// A number, a sign or a percent sign.
    Number,
    /// A unit or a currency.
    Unit,
    /// A date.
    Date,
    /// A negation.
    Negation,
    /// A comparison or a direction.
    Comparison,
    /// A modal verb such as may, must or will.
    Modal,
    /// A quantity or a degree.
    Quantity,
    /// A name.
    Name,
    /// The order of words.
    Order,
}

impl MeaningChange {
    /// Returns the difference in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "a number differs",
            Self::Unit => "a unit or currency differs",
            Self::Date => "a date differs",
            Self::Negation => "a negation differs",
            Self::Comparison => "a comparison differs",
            Self::Modal => "a word like may or must differs",
            Self::Quantity => "a quantity differs",
            Self::Name => "a name differs",
            Self::Order => "the order of words differs",
        }
    }
}

/// Assessment of a diff.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DiffAssessment {
    /// The words are the same.
    Same,
    /// Misspellings, and words that do not change the meaning.
    Harmless,
    /// The meaning changes.
    ChangesMeaning(MeaningChange),
    /// Too much differs: the passage is not the one that was quoted.
    Other,
}

/// Assessment of one change.
enum ChangeWeight {
    /// A misspelling.
    Misspelling,
    /// Words that do not change the meaning.
    Plain,
    /// The meaning changes.
    ChangesMeaning(MeaningChange),
}

impl From<Option<MeaningChange>> for ChangeWeight {
    fn from(meaning_change: Option<MeaningChange>) -> Self {
        meaning_change.map_or(Self::Plain, Self::ChangesMeaning)
    }
}

/// Assesses the differences between a quote and a passage of `index`.
pub(super) fn assess(
    diff: &QuoteDiff<'_>,
    quote: &Quote,
    index: &PassageTextIndex,
) -> DiffAssessment {
    if diff.is_same() {
        return DiffAssessment::Same;
    }
    let sides = ComparedTexts {
        quote: quote.text(),
        passage: index.text(),
        index,
    };
    let mut changed = 0.0;
    let mut meaning_change = None;
    let (mut only_quote, mut only_passage) = (HashSet::new(), HashSet::new());
    for change in &diff.changes {
        if change.kind == ChangeKind::Same {
            continue;
        }
        let (quoted, actual) = (
            &diff.quote[change.quote.clone()],
            &diff.passage[change.passage.clone()],
        );
        let words = |tokens: &[Token<'_>]| tokens.iter().filter(|token| is_word(token)).count();
        let count = words(quoted).max(words(actual)) as f64;
        match sides.assess_change(change, quoted, actual) {
            // The words are in the source, only misspelled.
            ChangeWeight::Misspelling => changed += count * MISSPELLING,
            ChangeWeight::ChangesMeaning(found) => {
                changed += count;
                meaning_change = meaning_change.or(Some(found));
            }
            ChangeWeight::Plain => {
                changed += count;
                let content =
                    |token: &&Token<'_>| is_word(token) && token.normalised.chars().count() > 2;
                only_quote.extend(quoted.iter().filter(content).map(|token| token.normalised));
                only_passage.extend(actual.iter().filter(content).map(|token| token.normalised));
            }
        }
    }
    if meaning_change.is_none() && only_quote.intersection(&only_passage).next().is_some() {
        meaning_change = Some(MeaningChange::Order);
    }
    let words = diff.quote.iter().filter(|token| is_word(token)).count();
    if changed > MAX_CHANGED * words as f64 && changed > 1.0 {
        return DiffAssessment::Other;
    }
    match meaning_change {
        Some(meaning_change) => DiffAssessment::ChangesMeaning(meaning_change),
        None => DiffAssessment::Harmless,
    }
}

/// Returns the change of meaning in those parts of a quote that are nowhere in the source.
pub(super) fn meaning_change_in(
    quote: &Quote,
    left: impl Iterator<Item = std::ops::Range<usize>>,
) -> Option<MeaningChange> {
    let text = quote.text();
    for range in left {
        for token in text.tokens_in(text.normalised_range(range)) {
            if let Some(meaning_change) = meaning_of(&token, text) {
                return Some(meaning_change);
            }
        }
    }
    None
}

fn is_word(token: &Token<'_>) -> bool {
    !token.kind.is_optional_at_edge() && token.kind != TokenKind::Raised
}

/// Quote and passage.
struct ComparedTexts<'a> {
    quote: &'a NormalisedText,
    passage: &'a NormalisedText,
    index: &'a PassageTextIndex,
}

impl ComparedTexts<'_> {
    /// Assesses one change.
    fn assess_change(
        &self,
        change: &DiffChange,
        quoted: &[Token<'_>],
        actual: &[Token<'_>],
    ) -> ChangeWeight {
        if change.kind == ChangeKind::OnlyInPassage && is_reference(actual) {
            return ChangeWeight::Plain;
        }
        if change.kind == ChangeKind::Replaced {
            let mine: Vec<&Token<'_>> = quoted.iter().filter(|token| is_word(token)).collect();
            let other: Vec<&Token<'_>> = actual.iter().filter(|token| is_word(token)).collect();
            if mine.len() == other.len() {
                return self.assess_pairs(&mine, &other);
            }
            if self.is_misspelling(&mine, &other) {
                return ChangeWeight::Misspelling;
            }
        }
        let quoted = quoted
            .iter()
            .find_map(|token| meaning_of(token, self.quote));
        quoted
            .or_else(|| {
                actual
                    .iter()
                    .find_map(|token| meaning_of(token, self.passage))
            })
            .into()
    }

    fn assess_pairs(&self, quoted: &[&Token<'_>], actual: &[&Token<'_>]) -> ChangeWeight {
        let mut assessed = ChangeWeight::Misspelling;
        for (quoted, actual) in quoted.iter().zip(actual) {
            if quoted.normalised == actual.normalised || self.is_misspelling(&[quoted], &[actual]) {
                continue;
            }
            let meaning_change =
                meaning_of(quoted, self.quote).or_else(|| meaning_of(actual, self.passage));
            match meaning_change {
                Some(MeaningChange::Name) if is_inflected(quoted.normalised, actual.normalised) => {
                    assessed = ChangeWeight::Plain;
                }
                Some(meaning_change) => return ChangeWeight::ChangesMeaning(meaning_change),
                None => assessed = ChangeWeight::Plain,
            }
        }
        assessed
    }

    /// Returns true if words of the quote are misspelled words of the passage: the digits are the same, the
    /// letters nearly, and the document does not use the misspelled words itself.
    fn is_misspelling(&self, quoted: &[&Token<'_>], actual: &[&Token<'_>]) -> bool {
        let wordy = |token: &&&Token<'_>| {
            matches!(
                token.kind,
                TokenKind::Word | TokenKind::Mixed | TokenKind::Number | TokenKind::Date
            )
        };
        let all = quoted.iter().chain(actual);
        if all.clone().count() != all.filter(wordy).count() {
            return false;
        }
        let (quoted_text, actual_text) =
            (written(quoted, self.quote), written(actual, self.passage));
        let digits = |text: &str| {
            text.chars()
                .filter(char::is_ascii_digit)
                .collect::<String>()
        };
        is_near(&quoted_text, &actual_text)
            && digits(&quoted_text) == digits(&actual_text)
            && !quoted
                .iter()
                .filter(|token| token.kind == TokenKind::Word)
                .any(|token| self.is_known(token))
    }

    /// Returns true if the document or any English text uses this word, so that it is no misspelling.
    fn is_known(&self, token: &Token<'_>) -> bool {
        // Short words that are also units are misspellings more often than units.
        if english(token.normalised).is_some_and(|weight| weight != WordWeight::Unit) {
            return true;
        }
        let word = &self.quote.source()[token.range.clone()];
        Quote::new(word, self.passage).is_ok_and(|word| self.index.find(&word, None).is_some())
    }
}

/// Returns the letters and digits of tokens, in lower case.
fn written(tokens: &[&Token<'_>], text: &NormalisedText) -> String {
    let mut written = String::new();
    for token in tokens {
        written.push_str(match token.kind {
            // A normalised date is the day it names, so take the original text.
            TokenKind::Date => text.source().get(token.range.clone()).unwrap_or_default(),
            _ => token.normalised,
        });
    }
    let letters = written.to_lowercase();
    letters
        .chars()
        .filter(|char| char.is_alphanumeric())
        .collect()
}

/// Returns true if two words differ in a few letters only.
fn is_near(quoted: &str, actual: &str) -> bool {
    let length = actual.chars().count().max(quoted.chars().count());
    let allowed = match length {
        0 | 1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    length <= 64 && strsim::osa_distance(quoted, actual) <= allowed
}

/// Returns true if one word is the other with an ending, as in "Form" and "Forms".
fn is_inflected(quoted: &str, actual: &str) -> bool {
    let ending = quoted.strip_prefix(actual).or(actual.strip_prefix(quoted));
    ending.is_some_and(|ending| ending.chars().count() <= 2) && quoted.chars().count() > 2
}

/// Returns the change of meaning if this token is changed, added or left out.
fn meaning_of(token: &Token<'_>, text: &NormalisedText) -> Option<MeaningChange> {
    match token.kind {
        TokenKind::Number | TokenKind::Mixed | TokenKind::Percent => Some(MeaningChange::Number),
        TokenKind::Currency => Some(MeaningChange::Unit),
        TokenKind::Date => Some(MeaningChange::Date),
        TokenKind::Word => match weight(token.normalised) {
            Some(WordWeight::Negation) => Some(MeaningChange::Negation),
            Some(WordWeight::Comparison) => Some(MeaningChange::Comparison),
            Some(WordWeight::Modal) => Some(MeaningChange::Modal),
            Some(WordWeight::Quantity) => Some(MeaningChange::Quantity),
            Some(WordWeight::Unit) => Some(MeaningChange::Unit),
            Some(WordWeight::Date) => Some(MeaningChange::Date),
            None => is_name(token, text).then_some(MeaningChange::Name),
        },
        TokenKind::Character => Some(MeaningChange::Name),
        TokenKind::Symbol => Some(MeaningChange::Number),
        TokenKind::Raised | TokenKind::Quotation | TokenKind::Dash | TokenKind::Punctuation => None,
    }
}

/// Returns true if a word is written like a name: with a capital that does not begin a sentence.
fn is_name(token: &Token<'_>, text: &NormalisedText) -> bool {
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

/// Returns true for a reference in brackets such as "[12]" or "(3)", which quotes leave out.
fn is_reference(tokens: &[Token<'_>]) -> bool {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return false;
    };
    let inner = tokens
        .get(1..tokens.len().saturating_sub(1))
        .unwrap_or_default();
    matches!((first.normalised, last.normalised), ("[", "]"))
        && !inner.is_empty()
        && inner.iter().all(|token| match token.kind {
            TokenKind::Number => token.normalised.chars().all(|char| char.is_ascii_digit()),
            kind => kind.is_optional_at_edge(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(quote: &str, source: &str) -> DiffAssessment {
        let index = PassageTextIndex::new(NormalisedText::new(source).expect("short"));
        let quote = Quote::new(quote, index.text()).expect("short");
        let diff = quote.diff(index.text(), 0..source.len());
        assess(&diff, &quote, &index)
    }

    #[test]
    fn numbers_names_and_negations_change_the_meaning() {
        let source = "In 2024 the profit of Acme did not rise by more than 12 % over all regions, she may say.";
        for (from, to, meaning_change) in [
            ("12", "13", MeaningChange::Number),
            ("2024", "2023", MeaningChange::Number),
            (" %", "", MeaningChange::Number),
            ("did not rise", "did rise", MeaningChange::Negation),
            ("more than", "less than", MeaningChange::Comparison),
            ("may", "must", MeaningChange::Modal),
            ("all regions", "some regions", MeaningChange::Quantity),
            ("all regions", "regions", MeaningChange::Quantity),
            ("Acme", "Apex", MeaningChange::Name),
            ("profit of Acme", "Acme of profit", MeaningChange::Name),
        ] {
            let quote = source.replace(from, to);
            assert_ne!(quote, source);
            assert_eq!(
                judge(&quote, source),
                DiffAssessment::ChangesMeaning(meaning_change),
                "{quote}"
            );
        }
    }

    #[test]
    fn the_order_of_words_matters() {
        assert_eq!(
            judge(
                "the river flows past the mill and the tower",
                "the mill flows past the river and the tower"
            ),
            DiffAssessment::ChangesMeaning(MeaningChange::Order)
        );
    }

    #[test]
    fn misspellings_are_harmless() {
        let source = "The committee approved the annual budget of the harbour on a rainy day [12] in autumn.";
        for (from, to) in [
            ("committee", "comittee"),
            ("approved", "aproved"),
            ("the annual", "teh annual"),
            ("rainy day [12] in", "rainy day in"),
            ("the annual budget", "annual budget"),
        ] {
            let quote = source.replace(from, to);
            assert_eq!(judge(&quote, source), DiffAssessment::Harmless, "{quote}");
        }
    }

    #[test]
    fn another_sentence_is_not_the_quote() {
        assert_eq!(
            judge(
                "no sailor knows where those ships went",
                "the committee approved the annual budget"
            ),
            DiffAssessment::Other
        );
    }

    #[test]
    fn a_misspelling_that_is_a_known_word_counts() {
        let source = "it is now closed and was not closed then";
        assert_eq!(
            judge("it is not closed and was not closed then", source),
            DiffAssessment::ChangesMeaning(MeaningChange::Negation)
        );
    }
}
