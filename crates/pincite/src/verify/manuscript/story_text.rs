//! Text of a story with the position of every piece in the XML, and the marks of comments.

use std::ops::Range;

use super::marked_xml::{CommentMark, MarkedXml};

/// Run of a paragraph: text with one style.
#[derive(Debug, Clone, Default)]
pub(super) struct RunRange {
    /// Range of the element.
    pub(super) range: Range<usize>,
    /// Range of its properties; empty if it has none.
    pub(super) properties: Range<usize>,
    /// Range of its content after the properties.
    pub(super) content: Range<usize>,
}

/// Piece of the text with its range in the XML.
#[derive(Debug, Clone)]
pub(super) struct ManuscriptPiece {
    pub(super) text: Range<usize>,
    pub(super) xml: Range<usize>,
    pub(super) run: usize,
    pub(super) place: PiecePlace,
}

/// Place of a piece in its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PiecePlace {
    /// Text in a text element, whose start tag ends at this position.
    Text { tag_end: usize, keeps_space: bool },
    /// Element such as a tab.
    Element,
    /// Text outside the story, such as a text box. Its comments are at the whole run.
    Outside,
}

/// Text of a story.
#[derive(Debug, Default)]
pub(super) struct StoryText {
    pub(super) text: String,
    /// Prefix of the names of elements, with a colon.
    pub(super) prefix: String,
    /// True for the strict edition of the standard.
    pub(super) is_strict: bool,
    /// Pieces of the story in the order of the text.
    pub(super) pieces: Vec<ManuscriptPiece>,
    /// Texts of the notes, with the places of their marks.
    pub(super) notes: Vec<ManuscriptPiece>,
    pub(super) runs: Vec<RunRange>,
}

impl StoryText {
    /// Adds the marks of a comment around a range of the text. Returns false if the range has no place in the story.
    pub(super) fn mark_comment(
        &self,
        range: Range<usize>,
        id: usize,
        xml: &mut MarkedXml<'_>,
    ) -> bool {
        let is_note = self
            .notes
            .first()
            .is_some_and(|note| note.text.start <= range.start);
        let pieces = if is_note { &self.notes } else { &self.pieces };
        let first = pieces.partition_point(|piece| piece.text.end <= range.start);
        let after = pieces.partition_point(|piece| piece.text.start < range.end);
        let Some((first, last)) = pieces
            .get(first..after)
            .and_then(|found| found.first().zip(found.last()))
        else {
            return false;
        };
        let prefix = &self.prefix;
        let start = format!("<{prefix}commentRangeStart {prefix}id=\"{id}\"/>");
        let end = format!(
            "<{prefix}commentRangeEnd {prefix}id=\"{id}\"/><{prefix}r><{prefix}commentReference {prefix}id=\"{id}\"/></{prefix}r>"
        );
        self.insert(first, range.start, CommentMark::Start, &start, xml);
        self.insert(last, range.end, CommentMark::End, &end, xml);
        true
    }

    /// Inserts a mark at an offset of the text in a piece. A run with text before and after the offset is split.
    fn insert(
        &self,
        piece: &ManuscriptPiece,
        offset: usize,
        mark: CommentMark,
        tag: &str,
        xml: &mut MarkedXml<'_>,
    ) {
        let run = &self.runs[piece.run];
        let at = match (&piece.place, mark) {
            (PiecePlace::Text { .. }, _) if piece.xml.len() == piece.text.len() => {
                piece.xml.start + offset.clamp(piece.text.start, piece.text.end) - piece.text.start
            }
            (_, CommentMark::Start) => piece.xml.start,
            (_, CommentMark::End) => piece.xml.end,
        };
        let none = (String::new(), String::new());
        let is_outside = piece.place == PiecePlace::Outside;
        if mark == CommentMark::Start && (is_outside || self.is_first(piece.run, at)) {
            return xml.insert(run.range.start, mark, tag, none);
        }
        if mark == CommentMark::End && (is_outside || self.is_last(piece.run, at)) {
            return xml.insert(run.range.end, mark, tag, none);
        }
        let prefix = &self.prefix;
        let properties = xml.text(run.properties.clone());
        let around = match piece.place {
            PiecePlace::Text {
                tag_end,
                keeps_space,
            } => {
                if !keeps_space {
                    xml.insert_once(tag_end - 1, " xml:space=\"preserve\"");
                }
                (
                    format!("</{prefix}t></{prefix}r>"),
                    format!("<{prefix}r>{properties}<{prefix}t xml:space=\"preserve\">"),
                )
            }
            _ => (format!("</{prefix}r>"), format!("<{prefix}r>{properties}")),
        };
        xml.insert(at, mark, tag, around);
    }

    /// Returns true if no piece of a run begins before a position.
    fn is_first(&self, run: usize, at: usize) -> bool {
        !self.pieces_of(run).any(|piece| piece.xml.start < at)
    }

    /// Returns true if no piece of a run ends after a position.
    fn is_last(&self, run: usize, at: usize) -> bool {
        !self.pieces_of(run).any(|piece| piece.xml.end > at)
    }

    /// Returns the pieces of a run, which are in succession.
    fn pieces_of(&self, run: usize) -> impl Iterator<Item = &ManuscriptPiece> {
        let first = self.pieces.partition_point(|piece| piece.run < run);
        self.pieces[first..]
            .iter()
            .take_while(move |piece| piece.run == run)
    }
}
