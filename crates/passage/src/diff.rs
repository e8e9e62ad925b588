//! How a quote and a passage differ, token by token.

use std::ops::Range;

use imara_diff::{Algorithm, InternedInput};

use crate::quote::Quote;
use crate::text::NormalisedText;
use crate::tokens::{Token, TokenKind};

/// Up to this many pairs of tokens the shortest difference is found; beyond, one that is found fast.
const MAX_MINIMAL: usize = 1 << 22;

/// What a stretch of two token lists has to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// Both say the same, perhaps with other spaces, hyphens or forms of dates.
    Same,
    /// The quote adds these tokens.
    OnlyInQuote,
    /// The quote leaves these tokens out.
    OnlyInPassage,
    /// The quote has other tokens.
    Replaced,
}

/// A stretch of a [`QuoteDiff`]: which tokens of the quote stand for which of the passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffChange {
    /// What happened.
    pub kind: ChangeKind,
    /// Which of [`QuoteDiff::quote`].
    pub quote: Range<usize>,
    /// Which of [`QuoteDiff::passage`].
    pub passage: Range<usize>,
}

/// How a quote and a passage differ.
///
/// ```
/// use passage::{ChangeKind, Quote, NormalisedText, TokenKind};
///
/// let text = NormalisedText::new("Profit did not rise by 12 %.")?;
/// let quote = Quote::new("Profit did rise by 15 %", &text)?;
/// let diff = quote.diff(&text, 0..text.source().len());
/// let changed: Vec<_> = diff.changes.iter().filter(|change| change.kind != ChangeKind::Same).collect();
/// assert_eq!(changed[0].kind, ChangeKind::OnlyInPassage);
/// assert_eq!(diff.passage[changed[0].passage.start].folded, "not");
/// assert_eq!(changed[1].kind, ChangeKind::Replaced);
/// assert_eq!(diff.quote[changed[1].quote.start].kind, TokenKind::NumberSpan);
/// # Ok::<(), passage::TextTooLong>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteDiff<'a> {
    /// The tokens of the quote's core; ranges refer to the quote.
    pub quote: Vec<Token<'a>>,
    /// The tokens of the passage; ranges refer to its text.
    pub passage: Vec<Token<'a>>,
    /// Stretches that cover all tokens of both, in order; no two neighbours are of one kind.
    pub changes: Vec<DiffChange>,
}

impl QuoteDiff<'_> {
    /// Whether quote and passage say the same.
    pub fn is_same(&self) -> bool {
        self.changes
            .iter()
            .all(|change| change.kind == ChangeKind::Same)
    }
}

/// What makes two tokens the same: their folded text, or the day that a date names.
#[derive(Default, PartialEq, Eq, Hash)]
struct TokenKey<'a> {
    folded: &'a str,
    day: u32,
}

impl Quote {
    /// How the quote's core differs from a passage, given as a range of a text's source.
    pub fn diff<'a>(&'a self, text: &'a NormalisedText, passage: Range<usize>) -> QuoteDiff<'a> {
        let mut input = InternedInput::default();
        let (quote, keys) = self.text().dated_tokens(self.core());
        input.update_before(keys.into_iter());
        let (passage, keys) = text.dated_tokens(text.folded_range(passage));
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
            let same = folded_of(self.text(), &quote[before.clone()])
                == folded_of(text, &passage[after.clone()]);
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

/// The folded text from the first to the last of some tokens.
fn folded_of<'a>(text: &'a NormalisedText, tokens: &[Token<'_>]) -> Option<&'a str> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    text.folded()
        .get(first.folded_range.start..last.folded_range.end)
}

struct DiffChanges {
    list: Vec<DiffChange>,
    /// Tokens of quote and passage that are covered.
    at: (usize, usize),
}

impl DiffChanges {
    /// Covers the tokens up to the given ones.
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
    /// The tokens of a folded range and what makes them the same; a date is one token.
    fn dated_tokens(&self, folded: Range<usize>) -> (Vec<Token<'_>>, Vec<TokenKey<'_>>) {
        let mut tokens: Vec<Token<'_>> = Vec::new();
        let mut keys = Vec::new();
        let first = self
            .dates
            .partition_point(|date| (date.start as usize) < folded.start);
        let mut dates = self.dates[first..]
            .iter()
            .take_while(|date| date.end as usize <= folded.end)
            .peekable();
        for token in self.tokens_in(folded.clone()) {
            let start = token.folded_range.start;
            if let Some(date) = dates.next_if(|date| date.start as usize == start) {
                let range = date.start as usize..date.end as usize;
                keys.push(TokenKey {
                    folded: "",
                    day: date.day,
                });
                tokens.push(Token {
                    kind: TokenKind::Date,
                    folded: &self.folded()[range.clone()],
                    range: self.source_range(range.clone()),
                    folded_range: range,
                });
            } else if tokens
                .last()
                .is_none_or(|last| last.folded_range.end <= start)
            {
                keys.push(TokenKey {
                    folded: token.folded,
                    day: 0,
                });
                tokens.push(token);
            }
        }
        (tokens, keys)
    }
}
