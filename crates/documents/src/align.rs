//! Where the text of a flow stands in a line that is written with markup.

use std::ops::Range;

/// How far ahead a character is looked for.
const AHEAD: usize = 48;

/// A line, and how far it has been gone through.
pub(crate) struct LineAligner<'l> {
    /// What is shown of the line: characters that are not white space, by their place in it.
    shown: Vec<(usize, char)>,
    at: usize,
    line: &'l str,
}

impl<'l> LineAligner<'l> {
    /// A line, of which some parts are shown.
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

    /// Where the next piece of a flow stands in the line: pairs of places in the piece and in the line,
    /// both rising; none if it is not in the line.
    pub(crate) fn next(&mut self, piece: &str) -> Vec<(usize, usize)> {
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
        // Text that is not shown on the line has a few letters in common with it at most.
        if pairs.len() * 10 < letters * 7 {
            self.at = before;
            pairs.clear();
        }
        pairs
    }

    /// The part of the line that a part of a piece stands on.
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
    fn text_is_found_among_its_markup() {
        let line = "The **high** tide, see [here](http://high.example) &amp; there";
        let shown = [0..3, 6..10, 13..18, 19..22, 24..28, 51..56, 57..62];
        let mut aligner = LineAligner::new(line, shown.into_iter());
        let pairs = aligner.next("The high tide, see ");
        let part = |aligner: &LineAligner<'_>, pairs: &[_], range| {
            aligner.part(pairs, range).map(|range| &line[range])
        };
        assert_eq!(part(&aligner, &pairs, 4..8), Some("high"));
        assert_eq!(part(&aligner, &pairs, 0..13), Some("The **high** tide"));
        let pairs = aligner.next("here & there");
        assert_eq!(part(&aligner, &pairs, 0..4), Some("here"));
        assert_eq!(part(&aligner, &pairs, 5..6), Some("&"));
        assert_eq!(part(&aligner, &pairs, 7..12), Some("there"));
    }

    #[test]
    fn text_that_is_not_there_is_not_found() {
        let mut aligner = LineAligner::new("The high tide", [0..3, 4..8, 9..13].into_iter());
        assert_eq!(aligner.next("Quite another title"), []);
        assert_eq!(aligner.next("high").len(), 4);
        assert_eq!(aligner.part(&[], 0..4), None);
    }
}
