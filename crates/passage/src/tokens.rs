//! Tokens of a text: words, numbers and marks.

use std::ops::Range;

use crate::char_classes::{CharClass, class};
use crate::normalise::{LEADING_POINT, SIGN};
use crate::normalised_text::NormalisedText;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A word, including apostrophes inside it.
    Word,
    /// A number with its sign, points and separators.
    Number,
    /// Letters and digits without a space between them: `12km`, `H2O`.
    Mixed,
    /// A character of a script that writes words without spaces.
    Character,
    /// A complete date; occurs only in a [`QuoteDiff`](crate::QuoteDiff).
    Date,
    /// A separate superscript or subscript digit, such as a footnote mark.
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
    /// Returns true if a token of this kind makes no difference at the edge of a quote.
    pub fn is_optional_at_edge(self) -> bool {
        matches!(self, Self::Quotation | Self::Dash | Self::Punctuation)
    }
}

/// A token of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Kind of the token.
    pub kind: TokenKind,
    /// Normalised form.
    pub normalised: &'a str,
    /// Range in the normalised text.
    pub normalised_range: Range<usize>,
    /// Range in the source.
    pub range: Range<usize>,
}

impl NormalisedText {
    /// Returns the tokens of the text, in order.
    ///
    /// Characters that normalisation drops (white space, a dash between letters) are no tokens. In
    /// scripts without spaces every character is a token; no dictionary is used.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Token<'_>> {
        self.tokens_in(0..self.normalised.len())
    }

    /// Returns the tokens that lie in a range of the normalised text.
    pub fn tokens_in(
        &self,
        normalised: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = Token<'_>> {
        self.token_ranges(normalised).map(|range| Token {
            kind: self.kind_of(&range),
            normalised: &self.normalised[range.clone()],
            range: self.source_range(range.clone()),
            normalised_range: range,
        })
    }

    /// Returns the ranges of the tokens in a range of the normalised text.
    pub(crate) fn token_ranges(&self, normalised: Range<usize>) -> TokenRanges<'_> {
        let edges = &self.spans.edges;
        let end = edges.previous(normalised.end).unwrap_or(0);
        let start = edges.next(normalised.start).unwrap_or(end).min(end);
        TokenRanges {
            text: self,
            rest: start..end,
        }
    }

    /// Returns the kind of the token in a normalised range.
    pub(crate) fn kind_of(&self, range: &Range<usize>) -> TokenKind {
        let normalised = &self.normalised[range.clone()];
        let mut chars = normalised.chars();
        let first = chars.next().unwrap_or(' ');
        let second = chars.next();
        let begins_number = class(first) == CharClass::Digit
            || normalised.starts_with(SIGN)
            || normalised.starts_with(LEADING_POINT)
            || (matches!(first, '±' | '∓') && second.is_some_and(|c| class(c) == CharClass::Digit));
        if begins_number {
            return if normalised.chars().any(char::is_alphabetic) {
                TokenKind::Mixed
            } else {
                TokenKind::Number
            };
        }
        match class(first) {
            CharClass::Letter | CharClass::Mark => {
                if normalised.chars().any(|c| class(c) == CharClass::Digit) {
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

/// Iterator over the normalised ranges of tokens.
#[derive(Clone)]
pub(crate) struct TokenRanges<'a> {
    text: &'a NormalisedText,
    /// Range that is not yet visited. Both ends are token boundaries.
    rest: Range<usize>,
}

impl TokenRanges<'_> {
    /// Returns false for the space that is kept between two digits.
    fn is_token(&self, range: &Range<usize>) -> bool {
        self.text.normalised.as_bytes().get(range.clone()) != Some(b" ")
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
