//! Bit-parallel edit distance (Myers): 64 cells of a column in a few instructions.

/// Prepared pattern, one bit per character.
#[derive(Clone, Debug, Default)]
pub(crate) struct MyersPattern {
    /// Length in characters.
    len: usize,
    /// 64-bit words per column.
    blocks: usize,
    /// For each distinct character the bits of its positions; entry 0 is for all characters that do
    /// not occur.
    occurs: Vec<u64>,
    /// Entries of the ASCII characters.
    ascii: Vec<u32>,
    /// Entries of the other characters, ordered by character.
    others: Vec<(char, u32)>,
}

/// Treatment of the text before a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnStart {
    /// A match may begin anywhere in the text.
    Free,
    /// A match begins with the text.
    Fixed,
}

/// Vertical differences of 64 rows: bits of those that increase by one, and of those that decrease.
type Cell = (u64, u64);

/// Initial column: each row is one more than the row above.
const EMPTY: Cell = (!0, 0);

/// Vertical differences of a whole column.
pub(crate) type Column = Vec<Cell>;

impl MyersPattern {
    /// Prepares a pattern, reusing the buffers of the previous one.
    pub(crate) fn set(&mut self, chars: impl Iterator<Item = char> + Clone) {
        self.ascii.clear();
        self.ascii.resize(128, 0);
        self.others.clear();
        self.others
            .extend(chars.clone().filter(|c| !c.is_ascii()).map(|c| (c, 0)));
        self.others.sort_unstable();
        self.others.dedup();
        let mut numbers = 0;
        for (_, number) in &mut self.others {
            numbers += 1;
            *number = numbers;
        }
        self.len = 0;
        for c in chars.clone() {
            self.len += 1;
            if c.is_ascii() && self.ascii[c as usize] == 0 {
                numbers += 1;
                self.ascii[c as usize] = numbers;
            }
        }
        self.blocks = self.len.div_ceil(64);
        self.occurs.clear();
        self.occurs.resize((numbers as usize + 1) * self.blocks, 0);
        for (at, c) in chars.enumerate() {
            let number = self.number(c);
            self.occurs[number * self.blocks + at / 64] |= 1 << (at % 64);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    #[inline]
    fn number(&self, c: char) -> usize {
        if c.is_ascii() {
            self.ascii[c as usize] as usize
        } else {
            self.others
                .binary_search_by_key(&c, |&(known, _)| known)
                .map_or(0, |at| self.others[at].1 as usize)
        }
    }

    /// Calls `report` after each character with the distance of the pattern to the best match that
    /// ends there.
    pub(crate) fn scan(
        &self,
        text: impl Iterator<Item = char>,
        start: ColumnStart,
        column: &mut Column,
        report: impl FnMut(char, usize),
    ) {
        // Columns of a known small size stay in registers.
        match self.blocks {
            0 => {}
            1 => self.scan_column(text, start, &mut [EMPTY; 1], report),
            2 => self.scan_column(text, start, &mut [EMPTY; 2], report),
            3 => self.scan_column(text, start, &mut [EMPTY; 3], report),
            4 => self.scan_column(text, start, &mut [EMPTY; 4], report),
            blocks => {
                column.clear();
                column.resize(blocks, EMPTY);
                self.scan_column(text, start, column.as_mut_slice(), report);
            }
        }
    }

    #[inline(always)]
    fn scan_column<C: AsMut<[Cell]> + ?Sized>(
        &self,
        text: impl Iterator<Item = char>,
        start: ColumnStart,
        column: &mut C,
        mut report: impl FnMut(char, usize),
    ) {
        let column = column.as_mut();
        let blocks = column.len();
        let top = (self.len - 1) % 64;
        let mut score = self.len;
        for c in text {
            let number = self.number(c);
            let occurs = &self.occurs[number * blocks..][..blocks];
            // Horizontal difference that enters a block from above, as plus and minus.
            let mut above = (u64::from(start == ColumnStart::Fixed), 0);
            let mut last = (0, 0);
            for (cell, &equal) in column.iter_mut().zip(occurs) {
                let (plus, minus) = *cell;
                let vertical = equal | minus;
                let equal = equal | above.1;
                let horizontal = ((equal & plus).wrapping_add(plus) ^ plus) | equal;
                let up = minus | !(horizontal | plus);
                let down = plus & horizontal;
                last = (up, down);
                let shifted_up = up << 1 | above.0;
                let shifted_down = down << 1 | above.1;
                above = (up >> 63, down >> 63);
                *cell = (
                    shifted_down | !(vertical | shifted_up),
                    shifted_up & vertical,
                );
            }
            score += (last.0 >> top & 1) as usize;
            score -= (last.1 >> top & 1) as usize;
            report(c, score);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computes the distance of `pattern` to the best end at each character with the textbook
    /// table.
    fn table(pattern: &[char], text: &[char], start: ColumnStart) -> Vec<usize> {
        let mut column: Vec<usize> = (0..=pattern.len()).collect();
        let mut ends = Vec::new();
        for (at, c) in text.iter().enumerate() {
            let mut diagonal = column[0];
            column[0] = if start == ColumnStart::Fixed {
                at + 1
            } else {
                0
            };
            for row in 1..column.len() {
                let best = (diagonal + usize::from(pattern[row - 1] != *c))
                    .min(column[row] + 1)
                    .min(column[row - 1] + 1);
                diagonal = column[row];
                column[row] = best;
            }
            ends.push(column[pattern.len()]);
        }
        ends
    }

    proptest! {
        #[test]
        fn bits_agree_with_the_table(
            pattern in prop::collection::vec(prop::sample::select(vec!['a', 'b', 'é', '東']), 1..200),
            text in prop::collection::vec(prop::sample::select(vec!['a', 'b', 'c', 'é', '東', '京']), 0..300),
            fixed in any::<bool>(),
        ) {
            let start = if fixed { ColumnStart::Fixed } else { ColumnStart::Free };
            let mut ready = MyersPattern::default();
            ready.set(pattern.iter().copied());
            let mut column = Column::new();
            let mut ends = Vec::new();
            ready.scan(text.iter().copied(), start, &mut column, |_, score| ends.push(score));
            prop_assert_eq!(ends, table(&pattern, &text, start));
        }
    }
}
