//! A text with its normalised form, the map between them, and the pieces it was built from.

use std::ops::Range;

use crate::char_classes::{CharClass, class};
use crate::dates::{self, DateMark};
use crate::normalise::{Normalisation, normalise};
use crate::numbers::{CommaMeaning, GroupSpaces, NumberRules};
use crate::span_map::SpanMap;

/// Maximum size of a text in bytes.
///
/// Normalisation may make a text longer; with this limit its positions still fit into 32 bits.
pub const MAX_SOURCE: usize = 1 << 28;

/// Error for a text that is longer than [`MAX_SOURCE`]. Holds its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text has {0} bytes; split it into texts of at most {MAX_SOURCE} bytes")]
pub struct TextTooLong(pub usize);

/// A part of a text that the caller identifies by a number, such as a word or a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPiece {
    /// Number that the caller gave it.
    pub id: u32,
    /// Range of the piece in the source, in bytes.
    pub range: Range<usize>,
}

/// Separator between a piece and the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PieceBreak {
    /// No separator: the pieces touch.
    None,
    /// A space.
    #[default]
    Space,
    /// End of a line; a hyphen before it may divide a word.
    Line,
    /// Border between two cells of a table. No match extends over it.
    Cell,
}

/// A text with its normalised form and the map between them.
///
/// Two passages are *the same* if their normalised forms are equal. Letter case, white space, kinds
/// of quotation marks and dashes, ligatures, the composition of accents and invisible characters
/// make no difference; numbers, signs and words do.
///
/// ```
/// use passage::NormalisedText;
///
/// let text = NormalisedText::new("The “eﬃcient” co-\noperation cost −5 %.")?;
/// assert_eq!(text.normalised(), "the\"efficient\"cooperationcost−5%.");
/// # Ok::<(), passage::TextTooLong>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalisedText {
    pub(crate) source: String,
    pub(crate) normalised: String,
    pub(crate) spans: SpanMap,
    pub(crate) comma: CommaMeaning,
    pub(crate) pieces: Vec<TextPiece>,
    /// Dates in the order of the text.
    pub(crate) dates: Vec<DateMark>,
}

impl NormalisedText {
    /// Creates a text from a string. The meaning of a comma is derived from its numbers and words.
    pub fn new(source: impl Into<String>) -> Result<Self, TextTooLong> {
        NormalisedTextBuilder::from_source(source.into()).finish()
    }

    /// Creates a text with a known meaning of the comma. [`CommaMeaning::Unsure`] derives it from
    /// the text.
    pub fn with_comma(source: impl Into<String>, comma: CommaMeaning) -> Result<Self, TextTooLong> {
        let mut builder = NormalisedTextBuilder::from_source(source.into());
        builder.comma(comma);
        builder.finish()
    }

    /// Returns the source. For a text from a [`NormalisedTextBuilder`] that is the pieces with
    /// their separators.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the normalised text.
    pub fn normalised(&self) -> &str {
        &self.normalised
    }

    /// Returns the meaning of a comma between digits in this text.
    pub fn comma(&self) -> CommaMeaning {
        self.comma
    }

    /// Returns the pieces that the text was built from, in order.
    pub fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }

    /// Returns the pieces that overlap a range of the source.
    pub fn pieces_in(&self, range: Range<usize>) -> &[TextPiece] {
        let first = self
            .pieces
            .partition_point(|piece| piece.range.end <= range.start);
        let last = self
            .pieces
            .partition_point(|piece| piece.range.start < range.end);
        self.pieces.get(first..last).unwrap_or_default()
    }

    /// Returns the range of the source from the first to the last piece that has its number in
    /// `ids`.
    ///
    /// The numbers of the pieces must be ascending, as those of pages and lines are.
    pub fn range_of_pieces(&self, ids: Range<u32>) -> Option<Range<usize>> {
        let first = self.pieces.partition_point(|piece| piece.id < ids.start);
        let last = self.pieces.partition_point(|piece| piece.id < ids.end);
        let pieces = self.pieces.get(first..last)?;
        Some(pieces.first()?.range.start..pieces.last()?.range.end)
    }

    /// Maps a range of the normalised text to bytes of the source.
    ///
    /// Units are never divided: half a ligature maps to the whole ligature.
    pub fn source_range(&self, normalised: Range<usize>) -> Range<usize> {
        let spans = &self.spans;
        let first = spans
            .units
            .rank(normalised.start.saturating_add(1))
            .saturating_sub(1);
        let Some(start) = spans.starts.select(first) else {
            return self.source.len()..self.source.len();
        };
        let after = spans.units.rank(normalised.end);
        match after
            .checked_sub(1)
            .and_then(|last| spans.ends.select(last))
        {
            Some(end) if after > first => start..end + 1,
            _ => start..start,
        }
    }

    /// Maps a range of the source to the normalised text of the units that begin in it.
    pub fn normalised_range(&self, source: Range<usize>) -> Range<usize> {
        let place = |at| {
            let unit = self.spans.starts.rank(at);
            self.spans
                .units
                .select(unit)
                .unwrap_or(self.normalised.len())
        };
        let start = place(source.start);
        start..place(source.end).max(start)
    }

    /// Returns true if a token begins or ends at a position of the normalised text.
    pub(crate) fn is_edge(&self, normalised: usize) -> bool {
        self.spans.edges.get(normalised)
    }

    /// Extends a range of the normalised text to whole tokens.
    pub(crate) fn whole_tokens(&self, normalised: Range<usize>) -> Range<usize> {
        let edges = &self.spans.edges;
        let start = edges.previous(normalised.start).unwrap_or(0);
        let end = edges.next(normalised.end).unwrap_or(self.normalised.len());
        start..end
    }
}

/// Builder of a text from pieces that the caller identifies by numbers.
///
/// ```
/// use passage::{PieceBreak, NormalisedTextBuilder};
///
/// let mut builder = NormalisedTextBuilder::new();
/// builder.push(1, "the co-", PieceBreak::Line);
/// builder.push(2, "operation of both", PieceBreak::Line);
/// let text = builder.finish()?;
/// assert_eq!(text.normalised(), "thecooperationofboth");
/// assert_eq!(text.pieces_in(0..20).len(), 2);
/// # Ok::<(), passage::TextTooLong>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NormalisedTextBuilder {
    source: String,
    pieces: Vec<TextPiece>,
    comma: Option<CommaMeaning>,
}

impl NormalisedTextBuilder {
    /// Creates a builder without pieces.
    pub fn new() -> Self {
        Self::default()
    }

    fn from_source(source: String) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Sets the meaning of a comma between digits. Without it the meaning is derived from the text.
    pub fn comma(&mut self, comma: CommaMeaning) -> &mut Self {
        self.comma = Some(comma);
        self
    }

    /// Appends a piece.
    pub fn push(&mut self, id: u32, text: &str, then: PieceBreak) -> &mut Self {
        let start = self.source.len();
        self.source.push_str(text);
        self.pieces.push(TextPiece {
            id,
            range: start..self.source.len(),
        });
        match then {
            PieceBreak::None => {}
            PieceBreak::Space => self.source.push(' '),
            PieceBreak::Line => self.source.push('\n'),
            PieceBreak::Cell => self.source.push('│'),
        }
        self
    }

    /// Normalises the collected pieces.
    pub fn finish(self) -> Result<NormalisedText, TextTooLong> {
        if self.source.len() > MAX_SOURCE {
            return Err(TextTooLong(self.source.len()));
        }
        let comma = match self.comma {
            None | Some(CommaMeaning::Unsure) => CommaMeaning::of_text(&self.source),
            Some(known) => known,
        };
        Ok(NormalisedText::with_exact_comma(
            self.source,
            self.pieces,
            comma,
        ))
    }
}

impl NormalisedText {
    /// Normalises a text with exactly this meaning of a comma.
    pub(crate) fn with_exact_comma(
        source: String,
        pieces: Vec<TextPiece>,
        comma: CommaMeaning,
    ) -> Self {
        Self::with_group_spaces(source, pieces, comma, GroupSpaces::NoBreak).0
    }

    /// Normalises a text with rules for spaces inside numbers. Returns also the normalised
    /// positions at which such spaces were removed.
    pub(crate) fn with_group_spaces(
        source: String,
        pieces: Vec<TextPiece>,
        comma: CommaMeaning,
        spaces: GroupSpaces,
    ) -> (Self, Vec<u32>) {
        let Normalisation {
            text,
            spans,
            years,
            group_spaces,
        } = normalise(&source, NumberRules { comma, spaces });
        let dates = dates::find_dates(&text, &spans.edges, &years);
        let text = Self {
            source,
            normalised: text,
            spans,
            comma,
            pieces,
            dates,
        };
        (text, group_spaces)
    }

    /// Returns true if the source has white space before a unit of the normalised text.
    pub(crate) fn has_space_before(&self, normalised: usize) -> bool {
        let unit = self.spans.units.rank(normalised);
        let before = unit
            .checked_sub(1)
            .and_then(|last| self.spans.ends.select(last));
        match (before, self.spans.starts.select(unit)) {
            (Some(end), Some(start)) => self.source[end + 1..start]
                .contains(|c| matches!(class(c), CharClass::Space | CharClass::Line)),
            _ => false,
        }
    }
}
