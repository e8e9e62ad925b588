//! Positions in an answer: lines and columns as an editor shows them, and offsets of the visible text.

use json::Value;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer_file::AnswerFile;

/// Position in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct AnswerPosition {
    /// Line, from 1.
    pub(super) line: usize,
    /// Column in characters, from 1.
    pub(super) column: usize,
    /// Offset in bytes, from 0.
    pub(super) offset: usize,
}

impl AnswerPosition {
    pub(super) fn to_value(self) -> Value {
        Value::from([
            ("line", self.line.into()),
            ("column", self.column.into()),
            ("offset", self.offset.into()),
        ])
    }
}

/// Offsets of the pieces of the visible text: in the visible text and in the input.
#[derive(Default)]
pub(super) struct PieceOffsets(pub(super) Vec<(usize, usize)>);

impl PieceOffsets {
    /// Converts an offset of the visible text to the input.
    pub(super) fn input(&self, at: usize) -> usize {
        let after = self.0.partition_point(|&(visible, _)| visible <= at);
        let (visible, input) = self.piece(after);
        input + at - visible
    }

    /// Converts an offset of the input to the visible text. Hidden input maps to the start of the next piece.
    pub(super) fn visible(&self, at: usize) -> usize {
        let after = self.0.partition_point(|&(_, input)| input <= at);
        let (visible, input) = self.piece(after);
        let next = self.0.get(after).map_or(usize::MAX, |next| next.0);
        (visible + at.saturating_sub(input)).min(next)
    }

    fn piece(&self, after: usize) -> (usize, usize) {
        let last = after.checked_sub(1).and_then(|at| self.0.get(at));
        last.copied().unwrap_or_default()
    }
}

/// Offsets of the line starts of a text.
pub(super) struct LineStarts<'a> {
    pub(super) text: &'a str,
    starts: Vec<usize>,
    /// Bytes of the file before the text; `None` if the text is not that of the file, which then has no lines.
    before: Option<usize>,
}

impl<'a> LineStarts<'a> {
    pub(super) fn of(answer: &'a AnswerFile) -> Self {
        Self::of_text(&answer.text, answer.offset)
    }

    fn of_text(text: &'a str, before: Option<usize>) -> Self {
        let bytes = text.as_bytes();
        // A carriage return ends a line, too, unless a line feed follows.
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
            .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
            .map(|at| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(ends).collect(),
            before,
        }
    }

    /// Returns the position of an offset; `None` if the file has no lines.
    pub(super) fn position(&self, offset: usize) -> Option<AnswerPosition> {
        let before = self.before?;
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let words = self.text.get(start..offset).unwrap_or_default();
        Some(AnswerPosition {
            line,
            column: words.chars().count() + 1,
            offset: before + offset,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "äb\nc\r\nd\re";
        let lines = LineStarts::of_text(text, Some(3));
        let at = |part: &str| {
            let offset = text.find(part).expect("a part");
            let position = lines.position(offset).expect("a text");
            assert_eq!(position.offset, offset + 3);
            (position.line, position.column)
        };
        assert_eq!(
            [at("ä"), at("b"), at("c"), at("d"), at("e")],
            [(1, 1), (1, 2), (2, 1), (3, 1), (4, 1)]
        );
        assert_eq!(LineStarts::of_text(text, None).position(0), None);
    }
}
