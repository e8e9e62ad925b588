//! Text with provenance: folded with a map back to the source, indexed once, searched exactly, folded
//! and approximately.
//!
//! A [`NormalisedText`] keeps a source, its *folded* form and the map between the two. Folding removes what does
//! not change the meaning of a passage: letter case, white space, kinds of quotation marks and dashes,
//! ligatures, the composition of accents, invisible characters, hyphens at line ends. It never touches
//! what does: digits, decimal marks, signs, words. What is folded is an allow-list; when a reading is
//! unsure ("1,234" in a text that does not say whether its comma is decimal) nothing is folded.
//!
//! An [`PassageTextIndex`] is a text with tables that make a lookup cost what the quote costs. A [`Quote`] is
//! folded the way its text was; [`PassageTextIndex::find`] and [`PassageTextIndex::occurrences`] look for it word for word
//! and folded, and a [`PassageFinder`] looks for the places that are nearest to it.
//!
//! | question | answer |
//! |---|---|
//! | Is it there, and where? | [`PassageTextIndex::find`], [`PassageTextIndex::occurrences`] |
//! | What is most like it? | [`PassageFinder::locate`] |
//! | How does it differ from that? | [`Quote::diff`] |
//! | Is it made of parts that are there? | [`PassageTextIndex::fragments`], [`parts_between_ellipses`] |
//! | Where in the document is that? | [`QuoteMatch::range`], [`NormalisedText::pieces_in`] |
//!
//! ```
//! use passage::{PassageFinder, PassageTextIndex, SearchTolerance, Quote, NormalisedText};
//!
//! let index = PassageTextIndex::new(NormalisedText::new("The e\u{301}lan of the “ﬁrst” quar-\nter cost 1,234,567 francs.")?);
//! let quote = Quote::new("Élan of the 'first' quarter cost 1234567 francs", index.text())?;
//! let found = index.find(&quote, None).expect("it says the same");
//! assert!(!found.verbatim);
//!
//! let wrong = Quote::new("the first quarter cost 1234568 francs", index.text())?;
//! assert_eq!(index.find(&wrong, None), None);
//! let located = PassageFinder::new(&index).locate(&wrong, &SearchTolerance::within_distance(4));
//! assert_eq!(located.places[0].distance, 3); // a digit and two quotation marks
//! # Ok::<(), passage::TextTooLong>(())
//! ```
//!
//! # What is the same
//!
//! | | the same | not the same |
//! |---|---|---|
//! | white space | `wellknown`, `well known` | `12 34`, `1234`; `12. 5`, `12.5` |
//! | letters | `É`, `e` + accent; `ﬁ`, `fi`; `Ａ`, `a` | `é`, `e`; `ß`, `ss` |
//! | quotation marks | `“a”`, `'a'`, `«a»` | `5'`, `5"` |
//! | dashes | `a—b`, `a - b`; between letters none at all | `5-6`, `56`; `-5`, `5` |
//! | numbers | `1,234,567`, `1'234'567`, `1234567`; `２`, `2` | `1.234`, `1234`; `1,5`, `1.5`; `x²`, `x2`; `½`, `1/2` |
//! | dates | `3 March 2024`, `March 3, 2024`, `2024-03-03` | `03/04/2024` and any other form |
//! | invisible characters | with, without | |
//!
//! A single comma before three digits separates thousands only if the language or the text itself says
//! so ([`CommaMeaning`]). Lowered digits after a letter are digits (CO₂); raised ones stay, because only a
//! reader knows a footnote mark from an exponent.
//!
//! # Where a match may begin and end
//!
//! Matches begin and end with tokens: "cat" is not in "cats", "12" is not in "12.5", "5" is not in
//! "−5", "can" is not in "can't". A word that a hyphen divides at a line end is one word. In scripts
//! without spaces a match may begin and end at any character. Punctuation at the edges of a quote is
//! free; a sign, a currency symbol or a percent sign is not.
//!
//! Nothing here reads files, clocks or the environment, and nothing panics on any input.

mod bits;
pub mod bytes;
mod chars;
mod codec;
mod dates;
mod diff;
mod find;
mod fold;
mod fragments;
mod grams;
mod index;
mod locate;
mod myers;
mod numbers;
mod quote;
mod text;
mod tokens;

pub use codec::IndexCodecError;
pub use diff::{ChangeKind, DiffChange, QuoteDiff};
pub use find::{MatchRequest, QuoteMatch, QuoteOccurrences};
pub use fragments::{QuoteFragment, QuoteFragments};
pub use index::PassageTextIndex;
pub use locate::{CandidatePlace, NearestPassage, PassageFinder, SearchTolerance};
pub use numbers::CommaMeaning;
pub use quote::{Quote, parts_between_ellipses};
pub use text::{
    MAX_SOURCE, NormalisedText, NormalisedTextBuilder, PieceBreak, TextPiece, TextTooLong,
};
pub use tokens::{Token, TokenKind};
