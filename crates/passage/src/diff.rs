//! Differences between a quote and a passage, token by token.

use std::ops::Range;

use imara_diff::{Algorithm, InternedInput};

use crate::normalised_text::NormalisedText;
use crate::quote::Quote;
use crate::tokens::{Token, TokenKind};

/// Product of token counts up to which the shortest difference is computed; beyond it a fast
/// heuristic is used.
const MAX_MINIMAL: usize = 1 << 22;

/// Relation of two stretches of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// Both are equal, apart from spaces, hyphens or the form of dates.
    Same,
    /// Tokens that only the quote has.
    OnlyInQuote,
    /// Tokens that only the passage has.
    OnlyInPassage,
    /// Tokens of the passage that the quote replaces with others.
    Replaced,
}

/// A stretch of a [`QuoteDiff`], as ranges of the two token lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffChange {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Range in [`QuoteDiff::quote`].
    pub quote: Range<usize>,
    /// Range in [`QuoteDiff::passage`].
    pub passage: Range<usize>,
}

/// Differences between a quote and a passage.
///
/// ```
/// use passage::{ChangeKind, Quote, NormalisedText, TokenKind};
///
/// let text = NormalisedText::new("Profit did not rise by 12 %.")?;
/// let quote = Quote::new("Profit did rise by 15 %", &text)?;
/// let diff = quote.diff(&text, 0..text.source().len());
/// let changed: Vec<_> = diff.changes.iter().filter(|change| change.kind != ChangeKind::Same).collect();
/// assert_eq!(changed[0].kind, ChangeKind::OnlyInPassage);
/// assert_eq!(diff.passage[changed[0].passage.start].normalised, "not");
/// assert_eq!(changed[1].kind, ChangeKind::Replaced);
/// assert_eq!(diff.quote[changed[1].quote.start].kind, TokenKind::Number);
/// # Ok::<(), passage::TextTooLong>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteDiff<'a> {
    /// Tokens of the quote's core; their ranges refer to the quote.
    pub quote: Vec<Token<'a>>,
    /// Tokens of the passage; their ranges refer to its text.
    pub passage: Vec<Token<'a>>,
    /// Stretches that cover all tokens of both in order. Neighbours differ in kind.
    pub changes: Vec<DiffChange>,
}

impl QuoteDiff<'_> {
    /// Returns true if quote and passage do not differ.
    pub fn is_same(&self) -> bool {
        self.changes
            .iter()
            .all(|change| change.kind == ChangeKind::Same)
    }
}

/// Key for comparing tokens: the normalised text, or the day that a date denotes.
#[derive(Default, PartialEq, Eq, Hash)]
struct TokenKey<'a> {
    normalised: &'a str,
    day: u32,
}

impl Quote {
    /// Compares the quote's core with a passage, given as a range of the source of `text`.
    pub fn diff<'a>(&'a self, text: &'a NormalisedText, passage: Range<usize>) -> QuoteDiff<'a> {
        let mut input = InternedInput::default();
        let (quote, keys) = self.text().dated_tokens(self.core());
        input.update_before(keys.into_iter());
        let (passage, keys) = text.dated_tokens(text.normalised_range(passage));
        input.update_after(keys.into_iter());
        let minimal = quote.len().saturating_mul(passage.len()) <= MAX_MINIMAL;
        let algorithm = if minimal {
            Algorithm::MyersMinimal
        } else {
            Algorithm::Histogram
        };
        let mut changes = DiffChanges {
            list: Vec::new(),
            at: (0, 0),
        };
        for hunk in imara_diff::Diff::compute(algorithm, &input).hunks() {
            let before = hunk.before.start as usize..hunk.before.end as usize;
            let after = hunk.after.start as usize..hunk.after.end as usize;
            changes.push(ChangeKind::Same, before.start, after.start);
            let same = is_same_text(
                (self.text(), &quote[before.clone()]),
                (text, &passage[after.clone()]),
            );
            let kind = match (before.is_empty(), after.is_empty()) {
                (true, _) => ChangeKind::OnlyInPassage,
                (_, true) => ChangeKind::OnlyInQuote,
                _ if same => ChangeKind::Same,
                _ => ChangeKind::Replaced,
            };
            changes.push(kind, before.end, after.end);
        }
        changes.push(ChangeKind::Same, quote.len(), passage.len());
        QuoteDiff {
            quote,
            passage,
            changes: changes.list,
        }
    }
}

/// Returns true if two lists of tokens are the same text, apart from spaces and the borders of words.
fn is_same_text(
    (one, tokens): (&NormalisedText, &[Token<'_>]),
    (other, other_tokens): (&NormalisedText, &[Token<'_>]),
) -> bool {
    let (Some(range), Some(other_range)) = (range_of(tokens), range_of(other_tokens)) else {
        return false;
    };
    one.normalised().get(range.clone()) == other.normalised().get(other_range.clone())
        && !one.differs_in_hyphens(range, other, other_range.start)
}

/// Returns the normalised range from the first to the last of the tokens.
fn range_of(tokens: &[Token<'_>]) -> Option<Range<usize>> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    Some(first.normalised_range.start..last.normalised_range.end)
}

struct DiffChanges {
    list: Vec<DiffChange>,
    /// Numbers of tokens of quote and passage that are covered so far.
    at: (usize, usize),
}

impl DiffChanges {
    /// Adds a stretch up to the given numbers of tokens.
    fn push(&mut self, kind: ChangeKind, quote: usize, passage: usize) {
        if (quote, passage) == self.at {
            return;
        }
        match self.list.last_mut() {
            Some(last) if last.kind == kind => {
                last.quote.end = quote;
                last.passage.end = passage;
            }
            _ => self.list.push(DiffChange {
                kind,
                quote: self.at.0..quote,
                passage: self.at.1..passage,
            }),
        }
        self.at = (quote, passage);
    }
}

impl NormalisedText {
    /// Returns the tokens of a normalised range and their keys. A date is one token.
    fn dated_tokens(&self, normalised: Range<usize>) -> (Vec<Token<'_>>, Vec<TokenKey<'_>>) {
        let mut tokens: Vec<Token<'_>> = Vec::new();
        let mut keys = Vec::new();
        let first = self
            .dates
            .partition_point(|date| (date.start as usize) < normalised.start);
        let mut dates = self.dates[first..]
            .iter()
            .take_while(|date| date.end as usize <= normalised.end)
            .peekable();
        for token in self.tokens_in(normalised.clone()) {
            let start = token.normalised_range.start;
            if let Some(date) = dates.next_if(|date| date.start as usize == start) {
                let range = date.start as usize..date.end as usize;
                keys.push(TokenKey {
                    normalised: "",
                    day: date.day,
                });
                tokens.push(Token {
                    kind: TokenKind::Date,
                    normalised: &self.normalised()[range.clone()],
                    range: self.source_range(range.clone()),
                    normalised_range: range,
                });
            } else if tokens
                .last()
                .is_none_or(|last| last.normalised_range.end <= start)
            {
                keys.push(TokenKey {
                    normalised: token.normalised,
                    day: 0,
                });
                tokens.push(token);
            }
        }
        (tokens, keys)
    }
}
