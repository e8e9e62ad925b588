//! A text, its folded form, and the map between the two.

use std::ops::Range;

use crate::bits::BitSet;
use crate::chars::{CharClass, class};
use crate::dates::{self, DateMark};
use crate::fold::{FoldedText, fold};
use crate::numbers::{CommaMeaning, GroupSpaces, NumberRules};

/// The longest text that can be folded, in bytes.
///
/// Folding may make a text longer; positions in the folded text still fit 32 bits.
pub const MAX_SOURCE: usize = 1 << 28;

/// Why a text could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text has {0} bytes; split it into texts of at most {MAX_SOURCE} bytes")]
pub struct TextTooLong(pub usize);

/// The map between a source and its folded text, as four sets of bits.
///
/// The n-th unit begins at the n-th bit of `starts` and ends at the n-th bit of `ends` (its last
/// byte) in the source, and begins at the n-th bit of `units` in the folded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpanMap {
    pub(crate) starts: BitSet,
    pub(crate) ends: BitSet,
    pub(crate) units: BitSet,
    /// Folded positions, the end included, where a token begins or ends.
    pub(crate) edges: BitSet,
}

/// A part of a text that the caller knows by a number: a word, a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPiece {
    /// The caller's number.
    pub id: u32,
    /// Where the piece is in the source, in bytes.
    pub range: Range<usize>,
}

/// What stands between a piece and the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PieceBreak {
    /// Nothing: the pieces touch.
    None,
    /// A space.
    #[default]
    Space,
    /// The end of a line; a hyphen before it may divide a word.
    Line,
    /// The line between two cells of a table: no passage runs over it.
    Cell,
}

/// A text with its folded form and the map between them.
///
/// Two passages are *the same* if their folded forms are equal: letter case, white space, kinds of
/// quotation marks and dashes, ligatures, accents composed or not and invisible characters make no
/// difference; numbers, signs and words do.
///
/// ```
/// use passage::NormalisedText;
///
/// let text = NormalisedText::new("The “eﬃcient” co-\noperation cost −5 %.")?;
/// assert_eq!(text.folded(), "the\"efficient\"cooperationcost−5%.");
/// # Ok::<(), passage::TextTooLong>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalisedText {
    pub(crate) source: String,
    pub(crate) folded: String,
    pub(crate) spans: SpanMap,
    pub(crate) comma: CommaMeaning,
    pub(crate) pieces: Vec<TextPiece>,
    /// In the order of the text.
    pub(crate) dates: Vec<DateMark>,
}

impl NormalisedText {
    /// A text from a string; its own numbers and words decide what a comma means.
    pub fn new(source: impl Into<String>) -> Result<Self, TextTooLong> {
        NormalisedTextBuilder::from_source(source.into()).finish()
    }

    /// A text in which the meaning of a comma is known; with [`CommaMeaning::Unsure`] the text decides.
    pub fn with_comma(source: impl Into<String>, comma: CommaMeaning) -> Result<Self, TextTooLong> {
        let mut builder = NormalisedTextBuilder::from_source(source.into());
        builder.comma(comma);
        builder.finish()
    }

    /// The text as it was given; with [`NormalisedTextBuilder`], the pieces and what was put between them.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The folded text.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// What a comma between digits means here.
    pub fn comma(&self) -> CommaMeaning {
        self.comma
    }

    /// The pieces the text was built from, in order.
    pub fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }

    /// The pieces that a range of the source touches.
    pub fn pieces_in(&self, range: Range<usize>) -> &[TextPiece] {
        let first = self
            .pieces
            .partition_point(|piece| piece.range.end <= range.start);
        let last = self
            .pieces
            .partition_point(|piece| piece.range.start < range.end);
        self.pieces.get(first..last).unwrap_or_default()
    }

    /// The source from the first to the last piece that has a number in `ids`.
    ///
    /// The numbers must have been given in ascending order, as those of pages and lines are.
    pub fn range_of(&self, ids: Range<u32>) -> Option<Range<usize>> {
        let first = self.pieces.partition_point(|piece| piece.id < ids.start);
        let last = self.pieces.partition_point(|piece| piece.id < ids.end);
        let pieces = self.pieces.get(first..last)?;
        Some(pieces.first()?.range.start..pieces.last()?.range.end)
    }

    /// Where a folded range comes from, in bytes of the source.
    ///
    /// Units are taken whole: half a ligature is the ligature.
    pub fn source_range(&self, folded: Range<usize>) -> Range<usize> {
        let spans = &self.spans;
        let first = spans
            .units
            .rank(folded.start.saturating_add(1))
            .saturating_sub(1);
        let Some(start) = spans.starts.select(first) else {
            return self.source.len()..self.source.len();
        };
        let after = spans.units.rank(folded.end);
        match after
            .checked_sub(1)
            .and_then(|last| spans.ends.select(last))
        {
            Some(end) if after > first => start..end + 1,
            _ => start..start,
        }
    }

    /// The folded text of the units that begin in a range of the source.
    pub fn folded_range(&self, source: Range<usize>) -> Range<usize> {
        let place = |at| {
            let unit = self.spans.starts.rank(at);
            self.spans.units.select(unit).unwrap_or(self.folded.len())
        };
        let start = place(source.start);
        start..place(source.end).max(start)
    }

    /// Whether a token begins or ends at a position of the folded text.
    pub(crate) fn is_edge(&self, folded: usize) -> bool {
        self.spans.edges.get(folded)
    }

    /// A folded range, grown to whole tokens.
    pub(crate) fn whole_tokens(&self, folded: Range<usize>) -> Range<usize> {
        let edges = &self.spans.edges;
        let start = edges.previous(folded.start).unwrap_or(0);
        let end = edges.next(folded.end).unwrap_or(self.folded.len());
        start..end
    }
}

/// Builds a text from pieces that the caller knows by numbers.
///
/// ```
/// use passage::{PieceBreak, NormalisedTextBuilder};
///
/// let mut builder = NormalisedTextBuilder::new();
/// builder.push(1, "the co-", PieceBreak::Line);
/// builder.push(2, "operation of both", PieceBreak::Line);
/// let text = builder.finish()?;
/// assert_eq!(text.folded(), "thecooperationofboth");
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
    /// A builder without pieces.
    pub fn new() -> Self {
        Self::default()
    }

    fn from_source(source: String) -> Self {
        Self {
            source,
            ..Self::default()
        }
    }

    /// Says what a comma between digits means, if it is known; otherwise the text decides.
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

    /// Folds what was collected.
    pub fn finish(self) -> Result<NormalisedText, TextTooLong> {
        if self.source.len() > MAX_SOURCE {
            return Err(TextTooLong(self.source.len()));
        }
        let comma = match self.comma {
            None | Some(CommaMeaning::Unsure) => CommaMeaning::of_text(&self.source),
            Some(known) => known,
        };
        Ok(NormalisedText::fold(self.source, self.pieces, comma))
    }
}

impl NormalisedText {
    /// A text in which a comma means just what is said.
    pub(crate) fn fold(source: String, pieces: Vec<TextPiece>, comma: CommaMeaning) -> Self {
        Self::read(source, pieces, comma, GroupSpaces::NoBreak).0
    }

    /// A text in which certain spaces separate groups of numbers, and where such spaces were.
    pub(crate) fn read(
        source: String,
        pieces: Vec<TextPiece>,
        comma: CommaMeaning,
        spaces: GroupSpaces,
    ) -> (Self, Vec<u32>) {
        let FoldedText {
            text,
            spans,
            years,
            joints,
        } = fold(&source, NumberRules { comma, spaces });
        let dates = dates::find(&text, &spans.edges, &years);
        let text = Self {
            source,
            folded: text,
            spans,
            comma,
            pieces,
            dates,
        };
        (text, joints)
    }

    /// Whether white space stands in the source before a unit of the folded text.
    pub(crate) fn has_space_before(&self, folded: usize) -> bool {
        let unit = self.spans.units.rank(folded);
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
