//! Assessment of one change between a quote and a passage.

use passage::{DiffChange, NormalisedText, PassageTextIndex, Quote, QuoteDiff, Token, TokenKind};

use super::differences::QuoteDifference;
use super::languages::KnownLanguage;
use super::lexicon::is_function_word;
use super::names::is_name;
use super::quantities::{are_halves_of_day, are_roman_numerals, letters_of, numbers, unit_named};
use super::word_pairs::{KnownWords, WordRelation, relation};
use super::word_weights::{WordWeight, weight};

/// Assessment of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeAssessment {
    /// A footnote mark of the passage that the quote leaves out.
    Mark,
    /// The meaning stays.
    Harmless(QuoteDifference),
    /// The meaning changes.
    Meaning(QuoteDifference),
}

/// Quote, passage and their differences.
pub(super) struct ComparedTexts<'a> {
    pub(super) quote: &'a NormalisedText,
    pub(super) passage: &'a NormalisedText,
    pub(super) index: &'a PassageTextIndex,
    /// Language of the passage.
    pub(super) language: Option<&'static KnownLanguage>,
    pub(super) diff: &'a QuoteDiff<'a>,
}

impl KnownWords for ComparedTexts<'_> {
    fn language(&self) -> Option<&'static KnownLanguage> {
        self.language
    }

    fn is_used(&self, word: &str) -> bool {
        Quote::new(word, self.passage).is_ok_and(|word| self.index.find(&word, None).is_some())
    }
}

/// Returns true for a token that is neither punctuation nor a footnote mark.
pub(super) fn is_word(token: &Token<'_>) -> bool {
    !token.kind.is_optional_at_edge() && token.kind != TokenKind::Raised
}

/// A word of a token: the token without its digits.
#[derive(Clone, Copy)]
struct TokenWord<'a> {
    letters: &'a str,
    token: &'a Token<'a>,
    /// Position of the token in the diff.
    at: usize,
}

impl ComparedTexts<'_> {
    /// Assesses one change.
    pub(super) fn assess(&self, change: &DiffChange) -> ChangeAssessment {
        let quoted = &self.diff.quote[change.quote.clone()];
        let actual = &self.diff.passage[change.passage.clone()];
        if self.is_mark(change, quoted, actual) {
            return ChangeAssessment::Mark;
        }
        if numbers(quoted.iter()) != numbers(actual.iter()) || self.has_range_dash(change) {
            return ChangeAssessment::Meaning(QuoteDifference::Number);
        }
        let difference =
            differ_in_dates(quoted, actual).or_else(|| differ_in_symbols(quoted, actual));
        if let Some(difference) = difference {
            return ChangeAssessment::Meaning(difference);
        }
        let mine = word_parts(quoted, change.quote.start);
        let its = word_parts(actual, change.passage.start);
        if mine.len() == its.len() && !mine.is_empty() {
            return self.assess_pairs(&mine, &its);
        }
        self.assess_words(change, &mine, &its)
    }

    /// Returns true if the change touches a dash between two numbers, as in "3-4".
    fn has_range_dash(&self, change: &DiffChange) -> bool {
        let between = |tokens: &[Token<'_>], range: &std::ops::Range<usize>| {
            range.clone().any(|at| {
                let number = |at: Option<usize>| {
                    let token = at.and_then(|at| tokens.get(at));
                    token.is_some_and(|token| token.kind == TokenKind::Number)
                };
                tokens[at].kind == TokenKind::Dash
                    && number(at.checked_sub(1))
                    && number(at.checked_add(1))
            })
        };
        between(&self.diff.quote, &change.quote) != between(&self.diff.passage, &change.passage)
    }

    fn assess_pairs(&self, quoted: &[TokenWord<'_>], actual: &[TokenWord<'_>]) -> ChangeAssessment {
        let mut harmless = None;
        for (quoted, actual) in quoted.iter().zip(actual) {
            if quoted.letters == actual.letters {
                continue;
            }
            match self.assess_pair(quoted, actual) {
                ChangeAssessment::Harmless(difference) => {
                    harmless = Some(
                        harmless
                            .map_or(difference, |before: QuoteDifference| before.min(difference)),
                    );
                }
                assessment => return assessment,
            }
        }
        ChangeAssessment::Harmless(harmless.unwrap_or(QuoteDifference::Spelling))
    }

    fn assess_pair(&self, quoted: &TokenWord<'_>, actual: &TokenWord<'_>) -> ChangeAssessment {
        let (one, other) = (quoted.letters, actual.letters);
        if are_halves_of_day(one, other) || self.is_half_of_day(quoted, actual) {
            return ChangeAssessment::Meaning(QuoteDifference::Number);
        }
        let letters = one.chars().count().max(other.chars().count());
        let capital = |part: &TokenWord<'_>, text: &NormalisedText| {
            let word = text
                .source()
                .get(part.token.range.clone())
                .unwrap_or_default();
            word.starts_with(char::is_uppercase)
        };
        let roman = letters > 1 || capital(quoted, self.quote) || capital(actual, self.passage);
        if roman && are_roman_numerals(one, other) {
            return ChangeAssessment::Meaning(QuoteDifference::Number);
        }
        if let Some(assessment) = self.assess_units(quoted, actual) {
            return assessment;
        }
        let raised = |c: char| !c.is_alphabetic();
        if one.trim_end_matches(raised) == other.trim_end_matches(raised) && letters > 1 {
            let same = one
                .chars()
                .filter(|c| c.is_numeric())
                .eq(other.chars().filter(|c| c.is_numeric()));
            if !same {
                return ChangeAssessment::Meaning(QuoteDifference::Number);
            }
        }
        match relation(one, other, self) {
            WordRelation::Slip if self.is_other_name(quoted, actual) => {
                ChangeAssessment::Meaning(QuoteDifference::Name)
            }
            WordRelation::Slip => ChangeAssessment::Harmless(QuoteDifference::Spelling),
            WordRelation::Form => ChangeAssessment::Harmless(QuoteDifference::WordForm),
            WordRelation::FunctionWord => {
                ChangeAssessment::Harmless(QuoteDifference::WordExchanged)
            }
            WordRelation::Exchanged => ChangeAssessment::Meaning(self.exchange(quoted, actual)),
        }
    }

    /// Returns true for the letters of "a.m." and "p.m.".
    fn is_half_of_day(&self, quoted: &TokenWord<'_>, actual: &TokenWord<'_>) -> bool {
        let before_m = |tokens: &[Token<'_>], at: usize| {
            let next = tokens.get(at + 1..).unwrap_or_default().iter();
            { next }
                .find(|token| token.normalised != ".")
                .is_some_and(|token| token.normalised == "m")
        };
        matches!((quoted.letters, actual.letters), ("a", "p") | ("p", "a"))
            && before_m(&self.diff.quote, quoted.at)
            && before_m(&self.diff.passage, actual.at)
    }

    /// Compares two words of which at least one is a unit.
    fn assess_units(
        &self,
        quoted: &TokenWord<'_>,
        actual: &TokenWord<'_>,
    ) -> Option<ChangeAssessment> {
        let units = (unit_named(quoted.letters), unit_named(actual.letters));
        let measured = after_number(&self.diff.passage, actual.at)
            && after_number(&self.diff.quote, quoted.at);
        match units {
            (Some(one), Some(other)) if one == other => {
                Some(ChangeAssessment::Harmless(QuoteDifference::WordForm))
            }
            (Some(_), Some(_)) if measured => {
                Some(ChangeAssessment::Meaning(QuoteDifference::Unit))
            }
            (None, Some(_)) | (Some(_), None) if measured => {
                let slip = relation(quoted.letters, actual.letters, self) == WordRelation::Slip
                    && quoted.letters.chars().count() > 3;
                (!slip).then_some(ChangeAssessment::Meaning(QuoteDifference::Unit))
            }
            _ => None,
        }
    }

    /// Returns true if two similar names are too short to be one name with a slip of the pen.
    fn is_other_name(&self, quoted: &TokenWord<'_>, actual: &TokenWord<'_>) -> bool {
        let letters = quoted
            .letters
            .chars()
            .count()
            .min(actual.letters.chars().count());
        letters < 6
            && is_name(quoted.token, self.quote)
            && is_name(actual.token, self.passage)
            && self.language.is_none_or(|language| language.code != "de")
    }

    /// Returns the kind of an exchange of two words.
    fn exchange(&self, quoted: &TokenWord<'_>, actual: &TokenWord<'_>) -> QuoteDifference {
        let weights = [weight(quoted.letters), weight(actual.letters)];
        let has = |kind: WordWeight| weights.contains(&Some(kind));
        // German nouns have capitals, too.
        let common = |letters: &str| {
            let german = self.language.filter(|language| language.code == "de");
            german.is_some_and(|language| language.knows(letters))
        };
        let named = |part: &TokenWord<'_>, text: &NormalisedText| {
            part.token.kind == TokenKind::Word && is_name(part.token, text) && !common(part.letters)
        };
        if has(WordWeight::Negation) {
            QuoteDifference::Negation
        } else if has(WordWeight::Number) {
            QuoteDifference::Number
        } else if weights == [Some(WordWeight::Date), Some(WordWeight::Date)] {
            QuoteDifference::Date
        } else if named(quoted, self.quote) || named(actual, self.passage) {
            QuoteDifference::Name
        } else {
            QuoteDifference::WordExchanged
        }
    }

    /// Assesses a change with different numbers of words on both sides.
    fn assess_words(
        &self,
        change: &DiffChange,
        quoted: &[TokenWord<'_>],
        actual: &[TokenWord<'_>],
    ) -> ChangeAssessment {
        let joined =
            |parts: &[TokenWord<'_>]| parts.iter().map(|part| part.letters).collect::<String>();
        let (one, other) = (joined(quoted), joined(actual));
        let both = !quoted.is_empty() && !actual.is_empty();
        if both && (one == other || relation(&one, &other, self) == WordRelation::Slip) {
            return ChangeAssessment::Harmless(QuoteDifference::Spelling);
        }
        let is_shared = |part: &TokenWord<'_>| {
            let has =
                |parts: &[TokenWord<'_>]| parts.iter().any(|other| other.letters == part.letters);
            has(quoted) && has(actual)
        };
        let content = |part: &&TokenWord<'_>| {
            !is_shared(part) && (weight(part.letters).is_some() || !is_function_word(part.letters))
        };
        let mine: Vec<&TokenWord<'_>> = quoted.iter().filter(content).collect();
        let its: Vec<&TokenWord<'_>> = actual.iter().filter(content).collect();
        let is_weight = |kind: WordWeight| {
            let has = |part: &&TokenWord<'_>| weight(part.letters) == Some(kind);
            mine.iter().any(has) || its.iter().any(has)
        };
        if is_weight(WordWeight::Negation) {
            return ChangeAssessment::Meaning(QuoteDifference::Negation);
        }
        if is_weight(WordWeight::Number) {
            return ChangeAssessment::Meaning(QuoteDifference::Number);
        }
        let unit = |parts: &[&TokenWord<'_>], tokens: &[Token<'_>]| {
            parts
                .iter()
                .any(|part| unit_named(part.letters).is_some() && after_number(tokens, part.at))
        };
        if unit(&mine, &self.diff.quote) || unit(&its, &self.diff.passage) {
            return ChangeAssessment::Meaning(QuoteDifference::Unit);
        }
        let heavy = |parts: &[&TokenWord<'_>], text: &NormalisedText| {
            parts.iter().any(|part| {
                weight(part.letters).is_some()
                    || part.token.kind == TokenKind::Character
                    || is_name(part.token, text)
            })
        };
        let (difference, changes) = match (mine.is_empty(), its.is_empty()) {
            (false, false) => {
                let first = mine.first().zip(its.first());
                let difference = first.map(|(mine, its)| self.exchange(mine, its));
                (difference.unwrap_or(QuoteDifference::WordExchanged), true)
            }
            (true, false) => (QuoteDifference::WordsMissing, heavy(&its, self.passage)),
            (false, true) => (QuoteDifference::WordsAdded, heavy(&mine, self.quote)),
            (true, true) => (
                match change.kind {
                    _ if quoted.is_empty() && actual.is_empty() => QuoteDifference::Punctuation,
                    _ if quoted.len() > actual.len() => QuoteDifference::WordsAdded,
                    _ => QuoteDifference::WordsMissing,
                },
                false,
            ),
        };
        match changes {
            true => ChangeAssessment::Meaning(difference),
            false => ChangeAssessment::Harmless(difference),
        }
    }
}

/// Returns the words of tokens without the digits of mixed tokens.
fn word_parts<'t>(tokens: &'t [Token<'t>], start: usize) -> Vec<TokenWord<'t>> {
    let part = |(nth, token): (usize, &'t Token<'t>)| {
        let letters = match token.kind {
            TokenKind::Word | TokenKind::Character => token.normalised,
            TokenKind::Mixed => letters_of(token.normalised),
            _ => "",
        };
        (!letters.is_empty()).then_some(TokenWord {
            letters,
            token,
            at: start + nth,
        })
    };
    tokens.iter().enumerate().filter_map(part).collect()
}

/// Returns true if a token follows a number, or a unit after a slash, as in "km/h"; or has digits itself.
pub(super) fn after_number(tokens: &[Token<'_>], at: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    if kind(at) == Some(TokenKind::Mixed) {
        return true;
    }
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    let counts = tokens
        .get(before)
        .is_some_and(|token| weight(token.normalised) == Some(WordWeight::Number));
    match tokens.get(before).map(|token| token.normalised) {
        Some("/") => before > 0 && after_number(tokens, before - 1),
        Some("-" | "°") => before > 0 && kind(before - 1) == Some(TokenKind::Number),
        _ => kind(before) == Some(TokenKind::Number) || counts,
    }
}

/// Returns the difference of the dates of both sides: their digits, or the names of months.
fn differ_in_dates(quoted: &[Token<'_>], actual: &[Token<'_>]) -> Option<QuoteDifference> {
    let dates = |tokens: &[Token<'_>]| {
        let dates = tokens.iter().filter(|token| token.kind == TokenKind::Date);
        dates
            .map(|token| token.normalised)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let (mine, its) = (dates(quoted), dates(actual));
    match mine == its {
        true => None,
        false if digits(&mine) == digits(&its) => Some(QuoteDifference::Date),
        false => Some(QuoteDifference::Number),
    }
}

/// Returns the difference of currency symbols, percent signs and other symbols.
fn differ_in_symbols(quoted: &[Token<'_>], actual: &[Token<'_>]) -> Option<QuoteDifference> {
    let symbols = |tokens: &[Token<'_>], kinds: &[TokenKind]| {
        let chosen = tokens.iter().filter(|token| kinds.contains(&token.kind));
        chosen
            .map(|token| token.normalised.to_owned())
            .collect::<Vec<_>>()
    };
    let differ = |kinds: &[TokenKind]| symbols(quoted, kinds) != symbols(actual, kinds);
    if differ(&[TokenKind::Currency]) {
        return Some(QuoteDifference::Unit);
    }
    differ(&[TokenKind::Percent, TokenKind::Symbol]).then_some(QuoteDifference::Number)
}
