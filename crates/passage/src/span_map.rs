//! Map between a source and its normalised text.

use crate::bit_set::BitSet;

/// Map between a source and its normalised text, as four bit sets.
///
/// The n-th unit begins at the n-th bit of `starts` and ends at the n-th bit of `ends` (its last
/// byte) in the source, and begins at the n-th bit of `units` in the normalised text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SpanMap {
    pub(crate) starts: BitSet,
    pub(crate) ends: BitSet,
    pub(crate) units: BitSet,
    /// Positions in the normalised text, its end included, at which a token begins or ends.
    pub(crate) edges: BitSet,
}

impl SpanMap {
    /// Returns true if the map is valid: units in order in both texts, on character boundaries.
    ///
    /// The checks work on 64 positions at a time.
    pub(crate) fn is_valid(&self, source: &str, normalised: &str) -> bool {
        let count = self.units.ones();
        self.starts.ones() == count
            && self.ends.ones() == count
            && self.units_in_order()
            && is_subset(self.starts.words(), char_boundaries(source))
            // `ends` marks the last byte of a unit, which is before a boundary.
            && is_subset(self.ends.words(), shift_down(char_boundaries(source)))
            && is_subset(self.units.words(), char_boundaries(normalised))
            && (normalised.is_empty() || self.units.get(0))
            && self.edges.get(0)
            && self.edges.get(normalised.len())
            && self.edges_are_at_units(normalised.len())
    }

    /// Returns true if each unit ends before the next one begins.
    fn units_in_order(&self) -> bool {
        // All bits are set while a unit is open.
        let mut open = 0u64;
        for (&starts, &ends) in self.starts.words().iter().zip(self.ends.words()) {
            // A unit of one byte opens and closes at once; otherwise starts and ends alternate.
            let mut after = starts ^ ends;
            for shift in [1, 2, 4, 8, 16, 32] {
                after ^= after << shift;
            }
            after ^= open;
            let before = after << 1 | open & 1;
            if starts & before != 0 || ends & !starts & !before != 0 {
                return false;
            }
            open = if after >> 63 == 1 { !0 } else { 0 };
        }
        open == 0
    }

    /// Returns true if token boundaries are only at the starts of units and at the end of the text.
    fn edges_are_at_units(&self, len: usize) -> bool {
        let units = self.units.words().iter().copied().chain([0]);
        let edges = self.edges.words().iter().enumerate();
        edges.zip(units).all(|((nth, edges), units)| {
            let end = if nth == len / 64 { 1 << (len % 64) } else { 0 };
            edges & !units & !end == 0
        })
    }
}

/// Returns true if every set bit is allowed.
fn is_subset(bits: &[u64], allowed: impl Iterator<Item = u64>) -> bool {
    bits.iter()
        .zip(allowed)
        .all(|(bits, allowed)| bits & !allowed == 0)
}

/// Returns a bit for each byte of a text, set at the starts of characters.
fn char_boundaries(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.as_bytes().chunks(64).map(|bytes| {
        if bytes.is_ascii() {
            return !0;
        }
        let mut inside = 0;
        for (nth, bytes) in bytes.chunks(8).enumerate() {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            let eight = u64::from_le_bytes(eight);
            // Bytes inside a character begin with the bits 10. The multiplication gathers eight
            // results in one byte.
            let each = eight & !(eight << 1) & 0x8080_8080_8080_8080;
            inside |= (each.wrapping_mul(0x0002_0408_1020_4081) >> 56) << (nth * 8);
        }
        !inside
    })
}

/// Shifts all bits down by one position; the end of a text counts as a boundary.
fn shift_down(bits: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let mut bits = bits.peekable();
    std::iter::from_fn(move || {
        let word = bits.next()?;
        Some(word >> 1 | bits.peek().map_or(1, |next| next & 1) << 63)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NormalisedText;
    use proptest::prelude::*;

    /// Validates a map unit by unit.
    fn is_valid_unit_by_unit(spans: &SpanMap, source: &str, normalised: &str) -> bool {
        let count = spans.units.ones();
        let mut last_end = 0;
        let units = spans.starts.iter().zip(spans.ends.iter());
        let mut in_order = true;
        for (start, end) in units {
            in_order &= start >= last_end
                && end >= start
                && source.is_char_boundary(start)
                && source.is_char_boundary(end + 1);
            last_end = end + 1;
        }
        in_order
            && spans.starts.ones() == count
            && spans.ends.ones() == count
            && (normalised.is_empty() || spans.units.get(0))
            && spans.units.iter().all(|at| normalised.is_char_boundary(at))
            && spans.edges.get(0)
            && spans.edges.get(normalised.len())
            && spans
                .edges
                .iter()
                .all(|at| at == normalised.len() || spans.units.get(at))
    }

    proptest! {
        /// Validating 64 positions at a time gives the result of validating each.
        #[test]
        fn validation_by_words_equals_validation_by_units(
            source in "(é|a|ab |東|ﬁ|1,2|-\n){0,90}",
            changes in prop::collection::vec((0..4usize, any::<prop::sample::Index>()), 0..3),
        ) {
            let mut text = NormalisedText::new(source).expect("short");
            for (which, at) in changes {
                let spans = &mut text.spans;
                let bits = [&mut spans.starts, &mut spans.ends, &mut spans.units, &mut spans.edges]
                    .into_iter()
                    .nth(which)
                    .expect("one of four");
                let len = match which {
                    0 | 1 => text.source.len(),
                    2 => text.normalised.len(),
                    _ => text.normalised.len() + 1,
                };
                if len > 0 {
                    let at = at.index(len);
                    let mut words = bits.words().to_vec();
                    words[at / 64] ^= 1 << (at % 64);
                    *bits = BitSet::read(words, len).expect("it fits");
                }
            }
            prop_assert_eq!(
                text.spans.is_valid(&text.source, &text.normalised),
                is_valid_unit_by_unit(&text.spans, &text.source, &text.normalised)
            );
        }
    }
}
