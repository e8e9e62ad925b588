//! Words, numbers and marks of a text.

use std::ops::Range;

use crate::chars::{CharClass, class};
use crate::fold::{LEADING_POINT, SIGN};
use crate::text::NormalisedText;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word, apostrophes inside it included.
    Word,
    /// A number with its sign, points and separators.
    Number,
    /// Letters and digits in one: `12km`, `H2O`.
    Mixed,
    /// A character of a script that writes words without spaces.
    Character,
    /// A day that is written in full; only in a [`Diff`](crate::Diff).
    Date,
    /// A raised or lowered digit that stands alone, such as a footnote mark.
    Raised,
    /// A quotation mark.
    Quotation,
    /// A dash that is neither a sign nor between letters.
    Dash,
    /// A mark of punctuation.
    Punctuation,
    /// A currency symbol.
    Currency,
    /// A percent or per mille sign.
    Percent,
    /// Any other symbol.
    Symbol,
}

impl TokenKind {
    /// Whether it makes no difference at the edge of a quote.
    pub fn is_free_at_edge(self) -> bool {
        matches!(self, Self::Quotation | Self::Dash | Self::Punctuation)
    }
}

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// Its folded form.
    pub folded: &'a str,
    /// Where it is in the folded text.
    pub folded_range: Range<usize>,
    /// Where it is in the source.
    pub range: Range<usize>,
}

impl NormalisedText {
    /// The tokens of the text, in order.
    ///
    /// What folding drops (white space, a dash between letters) is no token. In scripts without
    /// spaces every character is one; no dictionary guesses at words.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Token<'_>> {
        self.tokens_in(0..self.folded.len())
    }

    /// The tokens that lie in a range of the folded text.
    pub fn tokens_in(&self, folded: Range<usize>) -> impl DoubleEndedIterator<Item = Token<'_>> {
        self.token_ranges(folded).map(|range| Token {
            kind: self.kind_of(&range),
            folded: &self.folded[range.clone()],
            range: self.source_range(range.clone()),
            folded_range: range,
        })
    }

    /// Where the tokens in a range of the folded text are.
    pub(crate) fn token_ranges(&self, folded: Range<usize>) -> TokenRanges<'_> {
        let edges = &self.spans.edges;
        let end = edges.previous(folded.end).unwrap_or(0);
        let start = edges.next(folded.start).unwrap_or(end).min(end);
        TokenRanges {
            text: self,
            rest: start..end,
        }
    }

    /// What the token in a folded range is.
    pub(crate) fn kind_of(&self, range: &Range<usize>) -> TokenKind {
        let folded = &self.folded[range.clone()];
        let mut chars = folded.chars();
        let first = chars.next().unwrap_or(' ');
        let second = chars.next();
        let begins_number = class(first) == CharClass::Digit
            || folded.starts_with(SIGN)
            || folded.starts_with(LEADING_POINT)
            || (matches!(first, '±' | '∓') && second.is_some_and(|c| class(c) == CharClass::Digit));
        if begins_number {
            return if folded.chars().any(char::is_alphabetic) {
                TokenKind::Mixed
            } else {
                TokenKind::Number
            };
        }
        match class(first) {
            CharClass::Letter | CharClass::Mark => {
                if folded.chars().any(|c| class(c) == CharClass::Digit) {
                    TokenKind::Mixed
                } else {
                    TokenKind::Word
                }
            }
            CharClass::Dense => TokenKind::Character,
            CharClass::Digit | CharClass::Numeral => TokenKind::Number,
            CharClass::Superscript | CharClass::Subscript => TokenKind::Raised,
            CharClass::Quotation => TokenKind::Quotation,
            CharClass::Dash => TokenKind::Dash,
            CharClass::Currency => TokenKind::Currency,
            CharClass::Percent => TokenKind::Percent,
            CharClass::Punctuation => TokenKind::Punctuation,
            CharClass::Symbol | CharClass::Space | CharClass::Line | CharClass::Ignored => {
                TokenKind::Symbol
            }
        }
    }
}

/// Iterates over the folded ranges of tokens.
#[derive(Clone)]
pub(crate) struct TokenRanges<'a> {
    text: &'a NormalisedText,
    /// Both ends are edges.
    rest: Range<usize>,
}

impl TokenRanges<'_> {
    /// A kept space between two digits is no token.
    fn is_token(&self, range: &Range<usize>) -> bool {
        self.text.folded.as_bytes().get(range.clone()) != Some(b" ")
    }
}

impl Iterator for TokenRanges<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.rest.start < self.rest.end {
            let start = self.rest.start;
            let end = self.text.spans.edges.next(start + 1)?;
            self.rest.start = end;
            if self.is_token(&(start..end)) {
                return Some(start..end);
            }
        }
        None
    }
}

impl DoubleEndedIterator for TokenRanges<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        while self.rest.start < self.rest.end {
            let end = self.rest.end;
            let start = self.text.spans.edges.previous(end - 1)?;
            self.rest.end = start;
            if self.is_token(&(start..end)) {
                return Some(start..end);
            }
        }
        None
    }
}
