//! Binary form of an index.
//!
//! The input is untrusted: every length is checked before memory is allocated, and every property
//! that the search relies on is validated before use. The format is written by hand and not
//! derived, because the bit sets and gram positions are copied without decoding each element;
//! opening a large document is dominated by them.

use crate::bit_set::BitSet;
use crate::bytes::{ByteReader, checksum, write_number, write_text};
use crate::dates::DateMark;
use crate::gram_index::GramIndex;
use crate::normalised_text::{MAX_SOURCE, NormalisedText, TextPiece};
use crate::numbers::CommaMeaning;
use crate::span_map::SpanMap;
use crate::text_index::PassageTextIndex;

const MAGIC: &[u8; 4] = b"pasg";
/// Format version. It also changes with the rules of normalisation.
const VERSION: u8 = 3;

/// Error of reading an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexCodecError {
    /// The bytes do not begin like an index.
    #[error("the bytes are not a text index")]
    NotAnIndex,
    /// Another version wrote it; build the index again from the text.
    #[error(
        "the text index has version {0}, but this program reads version {VERSION}; build it again from the text"
    )]
    Version(u8),
    /// It is damaged; build the index again from the text.
    #[error("the text index is damaged; build it again from the text")]
    Damaged,
}

impl PassageTextIndex {
    /// Writes the index including its text.
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
        for part in [&text.source, &text.normalised] {
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
        // Bucket sizes are mostly one byte. Positions are fixed-size, so that they are copied when
        // the index is read.
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
    let normalised = reader.text()?.to_owned();
    u32::try_from(normalised.len()).ok()?;
    let spans = SpanMap {
        starts: read_bits(&mut reader, source.len())?,
        ends: read_bits(&mut reader, source.len())?,
        units: read_bits(&mut reader, normalised.len())?,
        edges: read_bits(&mut reader, normalised.len() + 1)?,
    };
    if !spans.is_valid(&source, &normalised) {
        return None;
    }
    let pieces = read_pieces(&mut reader, &source)?;
    let dates = read_dates(&mut reader, &spans.edges)?;
    let grams = read_grams(&mut reader, normalised.len())?;
    let text = NormalisedText {
        source,
        normalised,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MatchRequest, PassageFinder, Quote, SearchTolerance};
    use proptest::prelude::*;

    proptest! {
        /// Forged bytes with a correct checksum are rejected or do no harm.
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
