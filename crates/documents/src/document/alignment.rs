//! Alignment of the text of a stream with a line that contains markup.

use std::ops::Range;

/// Number of visible characters of the line within which the next character must occur.
const AHEAD: usize = 48;

/// Line with the position up to which it was aligned.
pub(crate) struct LineAligner<'l> {
    /// Visible characters of the line with their byte positions, without white space.
    shown: Vec<(usize, char)>,
    at: usize,
    line: &'l str,
}

impl<'l> LineAligner<'l> {
    /// Returns an aligner of a line of which these parts are visible.
    pub(crate) fn new(line: &'l str, shown: impl Iterator<Item = Range<usize>>) -> Self {
        let mut all = Vec::new();
        for part in shown {
            let start = part.start;
            let text = line.get(part).unwrap_or_default();
            let letters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
            all.extend(letters.map(|(at, c)| (start + at, c)));
        }
        Self {
            shown: all,
            at: 0,
            line,
        }
    }

    /// Aligns the next piece of a stream with the line. Returns pairs of byte positions in the piece and in the
    /// line, both rising; none if the piece is not in the line.
    pub(crate) fn align_next(&mut self, piece: &str) -> Vec<(usize, usize)> {
        let before = self.at;
        let mut pairs = Vec::new();
        let mut letters = 0;
        for (place, c) in piece.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            letters += 1;
            let rest = self.shown.get(self.at..).unwrap_or_default();
            let found = rest.iter().take(AHEAD).position(|(_, shown)| *shown == c);
            if let Some(skipped) = found {
                pairs.push((place, rest[skipped].0));
                self.at += skipped + 1;
            }
        }
        // Text that is not on the line has only a few letters in common with it.
        if pairs.len() * 10 < letters * 7 {
            self.at = before;
            pairs.clear();
        }
        pairs
    }

    /// Returns the part of the line that a part of an aligned piece covers.
    pub(crate) fn part(
        &self,
        pairs: &[(usize, usize)],
        range: Range<usize>,
    ) -> Option<Range<usize>> {
        let mut inside = pairs.iter().filter(|(place, _)| range.contains(place));
        let first = inside.next()?.1;
        let last = inside.next_back().map_or(first, |pair| pair.1);
        let end = self
            .line
            .get(last..)?
            .chars()
            .next()
            .map_or(1, char::len_utf8);
        Some(first..last + end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_aligned_with_a_line_that_contains_markup() {
        let line = "The **high** tide, see [here](http://high.example) &amp; there";
        let shown = [0..3, 6..10, 13..18, 19..22, 24..28, 51..56, 57..62];
        let mut aligner = LineAligner::new(line, shown.into_iter());
        let pairs = aligner.align_next("The high tide, see ");
        let part = |aligner: &LineAligner<'_>, pairs: &[_], range| {
            aligner.part(pairs, range).map(|range| &line[range])
        };
        assert_eq!(part(&aligner, &pairs, 4..8), Some("high"));
        assert_eq!(part(&aligner, &pairs, 0..13), Some("The **high** tide"));
        let pairs = aligner.align_next("here & there");
        assert_eq!(part(&aligner, &pairs, 0..4), Some("here"));
        assert_eq!(part(&aligner, &pairs, 5..6), Some("&"));
        assert_eq!(part(&aligner, &pairs, 7..12), Some("there"));
    }

    #[test]
    fn text_that_is_not_on_the_line_is_not_aligned() {
        let mut aligner = LineAligner::new("The high tide", [0..3, 4..8, 9..13].into_iter());
        assert_eq!(aligner.align_next("Quite another title"), []);
        assert_eq!(aligner.align_next("high").len(), 4);
        assert_eq!(aligner.part(&[], 0..4), None);
    }
}
