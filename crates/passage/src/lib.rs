//! Text with provenance: folded with a map back to the source, indexed once, searched exactly, folded
//! and approximately.
//!
//! A [`Text`] keeps a source, its *folded* form and the map between the two. Folding removes what does
//! not change the meaning of a passage: letter case, white space, kinds of quotation marks and dashes,
//! ligatures, the composition of accents, invisible characters, hyphens at line ends. It never touches
//! what does: digits, decimal marks, signs, words. What is folded is an allow-list; when a reading is
//! unsure ("1,234" in a text that does not say whether its comma is decimal) nothing is folded.
//!
//! An [`Index`] is a text with tables that make a lookup cost what the quote costs. A [`Quote`] is
//! folded the way its text was; [`Index::find`] and [`Index::occurrences`] look for it word for word
//! and folded, and a [`Finder`] looks for the places that are nearest to it.
//!
//! | question | answer |
//! |---|---|
//! | Is it there, and where? | [`Index::find`], [`Index::occurrences`] |
//! | What is most like it? | [`Finder::locate`] |
//! | How does it differ from that? | [`Quote::diff`] |
//! | Is it made of parts that are there? | [`Index::fragments`], [`parts_between_ellipses`] |
//! | Where in the document is that? | [`Match::range`], [`Text::pieces_in`] |
//!
//! Matches begin and end with tokens: "cat" is not in "cats", "12" is not in "12.5", and "5" is not in
//! "−5". In scripts without spaces they begin and end at any character.
//!
//! Nothing here reads files, clocks or the environment, and nothing panics on any input.

mod bits;
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

pub use codec::ReadError;
pub use diff::{Change, ChangeKind, Diff};
pub use find::{Match, Occurrences, Wanted};
pub use fragments::{Fragment, Fragments};
pub use index::Index;
pub use locate::{Finder, Located, Nearness, Place};
pub use numbers::Comma;
pub use quote::{Quote, parts_between_ellipses};
pub use text::{Break, MAX_SOURCE, Piece, Text, TextBuilder, TooLong};
pub use tokens::{Token, TokenKind};
