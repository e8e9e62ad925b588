//! Text with provenance: normalised with a map back to the source, indexed once, and searched
//! exactly, in normalised form and approximately.
//!
//! A [`NormalisedText`] keeps a source, its normalised form and the map between the two.
//! Normalisation removes differences that do not change the meaning of a passage: letter case,
//! white space, kinds of quotation marks and dashes, ligatures, the composition of accents,
//! invisible characters, hyphens at line ends. It never touches digits, decimal marks, signs or
//! words. The rules are an allow-list. If a reading is uncertain ("1,234" in a text that does not
//! show if its comma is decimal), the text stays as it is.
//!
//! A [`PassageTextIndex`] is a text with tables that make the cost of a lookup depend on the quote
//! and not on the text. A [`Quote`] is normalised by the rules of its text;
//! [`PassageTextIndex::find`] and [`PassageTextIndex::occurrences`] search for it verbatim and
//! normalised, and a [`PassageFinder`] searches for the most similar passages.
//!
//! | question | answer |
//! |---|---|
//! | Is the quote in the text, and in which places? | [`PassageTextIndex::find`], [`PassageTextIndex::occurrences`] |
//! | Which passages are most similar to it? | [`PassageFinder::locate`] |
//! | Which words differ from such a passage? | [`Quote::diff`] |
//! | Does it consist of parts that are in the text? | [`PassageTextIndex::fragments`], [`parts_between_ellipses`] |
//! | Which piece of the document is that? | [`QuoteMatch::range`], [`NormalisedText::pieces_in`] |
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
//! # Differences that are ignored
//!
//! | | the same | not the same |
//! |---|---|---|
//! | white space | `wellknown`, `well known` | `12 34`, `1234`; `12. 5`, `12.5` |
//! | letters | `É`, `e` + accent; `ﬁ`, `fi`; `Ａ`, `a`; `ß`, `ss` | `é`, `e` |
//! | quotation marks | `“a”`, `'a'`, `«a»` | `5'`, `5"` |
//! | dashes | `a—b`, `a - b`, `a b`; `a-` at a line end, then `b`, and `ab` | `re-sign`, `resign`; `5-6`, `56`; `-5`, `5` |
//! | numbers | `1,234,567`, `1'234'567`, `1234567`; `２`, `2`; `3½`, `3 1/2` | `1.234`, `1234`; `1,5`, `1.5`; `x²`, `x2`; `3 1/2`, `1/2` |
//! | currencies | `€120`, `EUR 120` | `€120`, `$120` |
//! | ends of a sentence | `so.`, `so!`, `so` | `so.`, `so?` |
//! | dates | `3 March 2024`, `March 3, 2024`, `2024-03-03` | `03/04/2024` and any other form |
//! | invisible characters | with, without | |
//!
//! A single comma before three digits separates thousands only if the language or the text itself
//! shows it ([`CommaMeaning`]). Subscript digits after a letter are digits (CO₂). Superscript
//! digits stay, because only a reader can tell a footnote mark from an exponent.
//!
//! # Boundaries of a match
//!
//! Matches begin and end at token boundaries: "cat" is not in "cats", "12" is not in "12.5", "5" is
//! not in "−5", "can" is not in "can't". A word that is hyphenated at a line end is one word. In
//! scripts without spaces a match may begin and end at any character. Punctuation at the edges of a
//! quote is optional, except that a question is not a statement; a sign, a currency symbol or a
//! percent sign is not optional.
//!
//! The crate reads no files, clocks or environment variables, and no input makes it panic.

mod approximate_search;
mod bit_set;
pub mod bytes;
mod char_classes;
mod dated_quote;
mod dates;
mod diff;
mod edit_distance;
mod exact_search;
mod fragments;
mod gram_index;
mod index_codec;
mod normalise;
mod normalised_text;
mod numbers;
mod quote;
mod roman_numerals;
mod same_reading;
mod span_map;
mod text_index;
mod tokens;

pub use approximate_search::{CandidatePlace, NearestPassage, PassageFinder, SearchTolerance};
pub use diff::{ChangeKind, DiffChange, QuoteDiff};
pub use exact_search::{MatchRequest, QuoteMatch, QuoteOccurrences};
pub use fragments::{QuoteFragment, QuoteFragments};
pub use index_codec::IndexCodecError;
pub use normalised_text::{
    MAX_SOURCE, NormalisedText, NormalisedTextBuilder, PieceBreak, TextPiece, TextTooLong,
};
pub use numbers::CommaMeaning;
pub use quote::{Quote, parts_between_ellipses};
pub use roman_numerals::{format_roman, parse_roman};
pub use text_index::PassageTextIndex;
pub use tokens::{Token, TokenKind};
