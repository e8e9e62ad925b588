//! An index as bytes, and back.
//!
//! The bytes may come from anywhere: every length is checked before memory is taken, and every fact
//! the search relies on is checked before it is used.

use crate::bits::BitSet;
use crate::bytes::{ByteReader, checksum, write_number, write_text};
use crate::dates::DateMark;
use crate::grams::GramIndex;
use crate::index::PassageTextIndex;
use crate::numbers::CommaMeaning;
use crate::text::{MAX_SOURCE, NormalisedText, SpanMap, TextPiece};

const MAGIC: &[u8; 4] = b"pasg";
/// Changes with the format and with the rules of folding.
const VERSION: u8 = 2;

/// Why bytes are no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexCodecError {
    /// They begin differently.
    #[error("these bytes are no index of a text")]
    NotAnIndex,
    /// They were written by another version; build the index anew from the text.
    #[error("the index has version {0}, this program reads version {VERSION}; build it anew")]
    Version(u8),
    /// They are damaged; build the index anew from the text.
    #[error("the index is damaged; build it anew")]
    Damaged,
}

impl PassageTextIndex {
    /// Writes the index, its text included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.text();
        let mut out = Vec::with_capacity(text.source.len() * 4);
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        out.push(match text.comma {
            CommaMeaning::Unsure => 0,
            CommaMeaning::Thousands => 1,
            CommaMeaning::Decimal => 2,
        });
        for part in [&text.source, &text.folded] {
            write_text(&mut out, part);
        }
        let spans = &text.spans;
        for bits in [&spans.starts, &spans.ends, &spans.units, &spans.edges] {
            for word in bits.words() {
                out.extend_from_slice(&word.to_le_bytes());
            }
        }
        write_number(&mut out, text.pieces.len() as u64);
        let mut at = 0;
        for piece in &text.pieces {
            write_number(&mut out, u64::from(piece.id));
            write_number(&mut out, (piece.range.start - at) as u64);
            write_number(&mut out, piece.range.len() as u64);
            at = piece.range.end;
        }
        write_number(&mut out, text.dates.len() as u64);
        let mut at = 0;
        for date in &text.dates {
            write_number(&mut out, u64::from(date.start - at));
            write_number(&mut out, u64::from(date.end - date.start));
            write_number(&mut out, u64::from(date.day));
            at = date.end;
        }
        // Sizes are mostly one byte; positions are copied as they are when the index is opened.
        for bucket in self.grams().iter() {
            write_number(&mut out, bucket.len() as u64);
        }
        for position in self.grams().iter().flatten() {
            out.extend_from_slice(&position.to_le_bytes());
        }
        let sum = checksum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads an index that [`PassageTextIndex::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IndexCodecError> {
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or(IndexCodecError::NotAnIndex)?;
        let (&version, _) = rest.split_first().ok_or(IndexCodecError::Damaged)?;
        if version != VERSION {
            return Err(IndexCodecError::Version(version));
        }
        read(bytes).ok_or(IndexCodecError::Damaged)
    }
}

fn read(bytes: &[u8]) -> Option<PassageTextIndex> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = ByteReader::new(body.get(MAGIC.len() + 1..)?);
    let comma = match reader.take(1)? {
        [0] => CommaMeaning::Unsure,
        [1] => CommaMeaning::Thousands,
        [2] => CommaMeaning::Decimal,
        _ => return None,
    };
    let source = reader.text().filter(|source| source.len() <= MAX_SOURCE)?;
    let source = source.to_owned();
    let folded = reader.text()?.to_owned();
    u32::try_from(folded.len()).ok()?;
    let spans = SpanMap {
        starts: read_bits(&mut reader, source.len())?,
        ends: read_bits(&mut reader, source.len())?,
        units: read_bits(&mut reader, folded.len())?,
        edges: read_bits(&mut reader, folded.len() + 1)?,
    };
    if !spans.hold(&source, &folded) {
        return None;
    }
    let pieces = read_pieces(&mut reader, &source)?;
    let dates = read_dates(&mut reader, &spans.edges)?;
    let grams = read_grams(&mut reader, folded.len())?;
    let text = NormalisedText {
        source,
        folded,
        spans,
        comma,
        pieces,
        dates,
    };
    reader
        .is_empty()
        .then(|| PassageTextIndex::with_grams(text, grams))
}

fn read_bits(reader: &mut ByteReader<'_>, len: usize) -> Option<BitSet> {
    let bytes = reader.take(len.div_ceil(64) * 8)?;
    let words = bytes
        .chunks_exact(8)
        .map(|word| word.try_into().map_or(0, u64::from_le_bytes))
        .collect();
    BitSet::read(words, len)
}

fn read_pieces(reader: &mut ByteReader<'_>, source: &str) -> Option<Vec<TextPiece>> {
    let count = reader.count()?;
    let mut pieces = Vec::with_capacity(count);
    let mut at = 0usize;
    for _ in 0..count {
        let id = reader.small()?;
        let start = at.checked_add(reader.size()?)?;
        at = start.checked_add(reader.size()?)?;
        source.get(start..at)?;
        pieces.push(TextPiece {
            id,
            range: start..at,
        });
    }
    Some(pieces)
}

fn read_dates(reader: &mut ByteReader<'_>, edges: &BitSet) -> Option<Vec<DateMark>> {
    let count = reader.count()?;
    let mut dates = Vec::with_capacity(count);
    let mut at = 0u32;
    for _ in 0..count {
        let start = at.checked_add(reader.small()?)?;
        let end = start.checked_add(reader.small()?)?;
        let day = reader.small()?;
        if start >= end || !edges.get(start as usize) || !edges.get(end as usize) {
            return None;
        }
        dates.push(DateMark { start, end, day });
        at = end;
    }
    Some(dates)
}

fn read_grams(reader: &mut ByteReader<'_>, len: usize) -> Option<GramIndex> {
    let count = GramIndex::count(len);
    let buckets = GramIndex::buckets(count);
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut total = 0;
    for _ in 0..buckets {
        starts.push(total as u32);
        total += reader.size().filter(|size| *size <= count - total)?;
    }
    starts.push(total as u32);
    if total != count {
        return None;
    }
    let bytes = reader.take(count.checked_mul(4)?)?.chunks_exact(4);
    let positions: Vec<u32> = bytes
        .map(|position| position.try_into().map_or(0, u32::from_le_bytes))
        .collect();
    let inside = positions.iter().all(|at| (*at as usize) < count);
    let ascending = starts.windows(2).all(|bucket| {
        positions[bucket[0] as usize..bucket[1] as usize]
            .windows(2)
            .all(|pair| pair[0] < pair[1])
    });
    (inside && ascending).then(|| GramIndex::from_parts(starts, positions))
}

impl SpanMap {
    /// Whether the map is one: units in order in both texts, on character boundaries.
    ///
    /// All of it is asked for 64 bytes at once.
    fn hold(&self, source: &str, folded: &str) -> bool {
        let count = self.units.ones();
        self.starts.ones() == count
            && self.ends.ones() == count
            && self.units_in_order()
            && no_others(self.starts.words(), boundaries(source))
            // A unit ends with the byte before a boundary.
            && no_others(self.ends.words(), shifted(boundaries(source)))
            && no_others(self.units.words(), boundaries(folded))
            && (folded.is_empty() || self.units.get(0))
            && self.edges.get(0)
            && self.edges.get(folded.len())
            && self.edges_are_units(folded.len())
    }

    /// Whether each unit ends before the next one begins.
    fn units_in_order(&self) -> bool {
        // All ones while a unit is open.
        let mut open = 0u64;
        for (&starts, &ends) in self.starts.words().iter().zip(self.ends.words()) {
            // A unit of one byte opens and closes; other starts and ends take turns.
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

    /// Whether edges are where units begin, and at the end of the folded text.
    fn edges_are_units(&self, len: usize) -> bool {
        let units = self.units.words().iter().copied().chain([0]);
        let edges = self.edges.words().iter().enumerate();
        edges.zip(units).all(|((nth, edges), units)| {
            let end = if nth == len / 64 { 1 << (len % 64) } else { 0 };
            edges & !units & !end == 0
        })
    }
}

/// Whether every bit is allowed.
fn no_others(bits: &[u64], allowed: impl Iterator<Item = u64>) -> bool {
    bits.iter()
        .zip(allowed)
        .all(|(bits, allowed)| bits & !allowed == 0)
}

/// A bit for each byte of a text: whether a character begins or the text ends there.
fn boundaries(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.as_bytes().chunks(64).map(|bytes| {
        if bytes.is_ascii() {
            return !0;
        }
        let mut inside = 0;
        for (nth, bytes) in bytes.chunks(8).enumerate() {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            let eight = u64::from_le_bytes(eight);
            // Bytes inside a character begin with the bits 10; the product gathers the eight answers.
            let each = eight & !(eight << 1) & 0x8080_8080_8080_8080;
            inside |= (each.wrapping_mul(0x0002_0408_1020_4081) >> 56) << (nth * 8);
        }
        !inside
    })
}

/// The same bits, each one place lower; the end of a text is a boundary.
fn shifted(bits: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    let mut bits = bits.peekable();
    std::iter::from_fn(move || {
        let word = bits.next()?;
        Some(word >> 1 | bits.peek().map_or(1, |next| next & 1) << 63)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatchRequest, PassageFinder, Quote, SearchTolerance};
    use proptest::prelude::*;

    /// The same question, asked unit by unit.
    fn hold_one_by_one(spans: &SpanMap, source: &str, folded: &str) -> bool {
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
            && (folded.is_empty() || spans.units.get(0))
            && spans.units.iter().all(|at| folded.is_char_boundary(at))
            && spans.edges.get(0)
            && spans.edges.get(folded.len())
            && spans
                .edges
                .iter()
                .all(|at| at == folded.len() || spans.units.get(at))
    }

    proptest! {
        /// Looking at 64 places at once gives the answer of looking at each.
        #[test]
        fn maps_are_checked_alike(
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
                    2 => text.folded.len(),
                    _ => text.folded.len() + 1,
                };
                if len > 0 {
                    let at = at.index(len);
                    let mut words = bits.words().to_vec();
                    words[at / 64] ^= 1 << (at % 64);
                    *bits = BitSet::read(words, len).expect("it fits");
                }
            }
            prop_assert_eq!(
                text.spans.hold(&text.source, &text.folded),
                hold_one_by_one(&text.spans, &text.source, &text.folded)
            );
        }

        /// Damage that the checksum does not show is found by the checks, or does no harm.
        #[test]
        fn forged_bytes_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in 0..30usize,
        ) {
            let source = "On 3 March 2024 the ﬁrst co-\noperation cost −1,234 €, é and 東京 and 12 34.";
            let text = NormalisedText::new(source.repeat(2)).expect("short");
            let written = PassageTextIndex::new(text).to_bytes();
            let mut body = written[..written.len() - 8].to_vec();
            body.truncate(body.len() - cut.saturating_sub(20));
            for (at, byte) in changes {
                let at = 6 + at.index(body.len() - 6);
                body[at] = byte;
            }
            let sum = checksum(&body);
            body.extend_from_slice(&sum.to_le_bytes());
            if let Ok(index) = PassageTextIndex::from_bytes(&body) {
                for quoted in [source, "first", "2024-03-03 the", "cooperation cost", "東京 and"] {
                    let quote = Quote::new(quoted, index.text()).expect("short");
                    let found = index.occurrences(&quote, &MatchRequest::default());
                    prop_assert!(found.matches.len() <= found.count);
                    let located = PassageFinder::new(&index).locate(&quote, &SearchTolerance::within_distance(9));
                    prop_assert!(located.places.len() <= 3);
                    let fragments = index.fragments(&quote, 11, None);
                    prop_assert!(fragments.covered() <= quoted.len());
                    let all = 0..index.text().source().len();
                    prop_assert!(quote.diff(index.text(), all).quote.len() < quoted.len());
                }
            }
        }
    }
}
