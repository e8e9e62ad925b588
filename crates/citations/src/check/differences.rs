//! Meaning of the differences between a quote and a passage.

use std::collections::HashSet;

use passage::{ChangeKind, DiffChange, PassageTextIndex, Quote, QuoteDiff, Token, TokenKind};

use super::change_assessment::{ChangeAssessment, ComparedTexts, is_word};
use super::lexicon::language_of;
use super::quantities::differs_in_unit_case;
use super::word_weights::{WordWeight, weight};

/// Largest share of changed words in a passage that still counts as partly the quote.
const MAX_CHANGED: f64 = 0.34;
/// Largest share of changed words in a passage that the quote contradicts, if it is not the same passage.
const MAX_CONTRADICTED: f64 = 0.5;
/// Share of a changed word that a misspelling or another form of the word counts for.
const SLIP: f64 = 0.5;

/// Kind of difference between a quote and the passage that it is compared with, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuoteDifference {
    /// A number, a sign, a percent sign or the half of the day.
    Number,
    /// A unit or a currency.
    Unit,
    /// The name of a day or a month.
    Date,
    /// A negation.
    Negation,
    /// A name.
    Name,
    /// A word that was exchanged for another one.
    WordExchanged,
    /// Words of the passage that the quote leaves out.
    WordsMissing,
    /// Words that only the quote has.
    WordsAdded,
    /// The order of words.
    Order,
    /// The form of a word, such as its plural.
    WordForm,
    /// The spelling of a word.
    Spelling,
    /// Punctuation.
    Punctuation,
}

impl QuoteDifference {
    /// Returns the difference in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "a number differs",
            Self::Unit => "a unit differs",
            Self::Date => "a date differs",
            Self::Negation => "a negation differs",
            Self::Name => "a name differs",
            Self::WordExchanged => "a word was exchanged",
            Self::WordsMissing => "words are missing",
            Self::WordsAdded => "words were added",
            Self::Order => "the order differs",
            Self::WordForm => "the form of a word differs",
            Self::Spelling => "the spelling differs",
            Self::Punctuation => "the punctuation differs",
        }
    }
}

/// Assessment of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffAssessment {
    /// The passage has footnote marks that the quote leaves out, and nothing else differs.
    SameWithoutMarks,
    /// The difference does not change the meaning.
    Harmless(QuoteDifference),
    /// The difference changes the meaning.
    ChangesMeaning(QuoteDifference),
    /// Too much differs: the passage is not the one that was quoted. The difference contradicts the quote if
    /// the passage has half of its words.
    Other(Option<QuoteDifference>),
}

/// Assesses the differences between a quote and a passage of `index`.
pub(super) fn assess(
    diff: &QuoteDiff<'_>,
    quote: &Quote,
    index: &PassageTextIndex,
) -> DiffAssessment {
    if diff.is_same() {
        let (mine, its) = (diff.quote.iter().cloned(), diff.passage.iter().cloned());
        return match differs_in_unit_case((quote.text(), mine), (index.text(), its)) {
            true => DiffAssessment::ChangesMeaning(QuoteDifference::Unit),
            false => DiffAssessment::Harmless(QuoteDifference::Punctuation),
        };
    }
    let words = diff
        .passage
        .iter()
        .filter(|token| token.kind == TokenKind::Word);
    let texts = ComparedTexts {
        quote: quote.text(),
        passage: index.text(),
        index,
        language: language_of(&words.map(|token| token.normalised)),
        diff,
    };
    let mut total = AssessedChanges::default();
    let last = diff.changes.len().saturating_sub(1);
    for (nth, change) in diff.changes.iter().enumerate() {
        let actual = &diff.passage[change.passage.clone()];
        let is_edge = (nth == 0 || nth == last) && change.kind == ChangeKind::OnlyInPassage;
        let is_outside = is_edge && actual.iter().all(|token| token.kind.is_optional_at_edge());
        if change.kind != ChangeKind::Same && !is_outside {
            total.add(diff, change, texts.assess(change));
        }
    }
    total.conclude(diff)
}

/// Sum of the assessed changes of a diff.
#[derive(Default)]
struct AssessedChanges<'a> {
    /// Number of changed words.
    changed: f64,
    meaning: Option<QuoteDifference>,
    harmless: Option<QuoteDifference>,
    only_quote: HashSet<&'a str>,
    only_passage: HashSet<&'a str>,
}

impl<'a> AssessedChanges<'a> {
    fn add(&mut self, diff: &QuoteDiff<'a>, change: &DiffChange, assessment: ChangeAssessment) {
        let (quoted, actual) = (
            &diff.quote[change.quote.clone()],
            &diff.passage[change.passage.clone()],
        );
        let words = |tokens: &[Token<'_>]| tokens.iter().filter(|token| is_word(token)).count();
        let count = words(quoted).max(words(actual)) as f64;
        let difference = match assessment {
            ChangeAssessment::Mark => return,
            ChangeAssessment::Harmless(difference) | ChangeAssessment::Meaning(difference) => {
                difference
            }
        };
        self.changed += match difference {
            QuoteDifference::Spelling | QuoteDifference::WordForm => count * SLIP,
            _ => count,
        };
        let slot = match assessment {
            ChangeAssessment::Meaning(_) => &mut self.meaning,
            _ => &mut self.harmless,
        };
        // A change of words says more than a change of spelling or punctuation.
        let is_weaker = |before: QuoteDifference| before > difference;
        if slot.is_none_or(is_weaker) {
            *slot = Some(difference);
        }
        if !matches!(
            difference,
            QuoteDifference::Spelling | QuoteDifference::WordForm
        ) {
            let content =
                |token: &&Token<'a>| is_word(token) && token.normalised.chars().count() > 2;
            self.only_quote
                .extend(quoted.iter().filter(content).map(|token| token.normalised));
            self.only_passage
                .extend(actual.iter().filter(content).map(|token| token.normalised));
        }
    }

    fn conclude(mut self, diff: &QuoteDiff<'_>) -> DiffAssessment {
        let moved = self
            .only_quote
            .intersection(&self.only_passage)
            .next()
            .is_some();
        let by_order = matches!(
            self.meaning,
            None | Some(
                QuoteDifference::Name
                    | QuoteDifference::WordExchanged
                    | QuoteDifference::WordsMissing
                    | QuoteDifference::WordsAdded
            )
        );
        if moved && by_order {
            self.meaning = Some(QuoteDifference::Order);
        }
        let words = diff.quote.iter().filter(|token| is_word(token)).count() as f64;
        if self.changed > MAX_CHANGED * words && self.changed > 1.0 {
            return DiffAssessment::Other(
                self.meaning
                    .filter(|_| self.changed <= MAX_CONTRADICTED * words),
            );
        }
        match (self.meaning, self.harmless) {
            (Some(difference), _) => DiffAssessment::ChangesMeaning(difference),
            (None, Some(difference)) => DiffAssessment::Harmless(difference),
            (None, None) => DiffAssessment::SameWithoutMarks,
        }
    }
}

/// Returns the change of meaning in those parts of a quote that are nowhere in the source.
pub(super) fn meaning_change_in(
    quote: &Quote,
    left: impl Iterator<Item = std::ops::Range<usize>>,
) -> Option<QuoteDifference> {
    let text = quote.text();
    for range in left {
        for token in text.tokens_in(text.normalised_range(range)) {
            let difference = match token.kind {
                TokenKind::Number
                | TokenKind::Mixed
                | TokenKind::Percent
                | TokenKind::Symbol
                | TokenKind::Date => Some(QuoteDifference::Number),
                TokenKind::Currency => Some(QuoteDifference::Unit),
                TokenKind::Character => Some(QuoteDifference::WordsAdded),
                TokenKind::Word => match weight(token.normalised) {
                    Some(WordWeight::Negation) => Some(QuoteDifference::Negation),
                    Some(WordWeight::Number) => Some(QuoteDifference::Number),
                    Some(WordWeight::Date) => Some(QuoteDifference::Date),
                    Some(_) => Some(QuoteDifference::WordsAdded),
                    None => {
                        super::names::is_name(&token, text).then_some(QuoteDifference::WordsAdded)
                    }
                },
                TokenKind::Raised
                | TokenKind::Quotation
                | TokenKind::Dash
                | TokenKind::Punctuation => None,
            };
            if difference.is_some() {
                return difference;
            }
        }
    }
    None
}
