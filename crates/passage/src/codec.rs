//! An index as bytes, and back.
//!
//! The bytes may come from anywhere: every length is checked before memory is taken, and every fact
//! the search relies on is checked before it is used.

use crate::bits::Bits;
use crate::bytes::{Reader, checksum, write_number, write_text};
use crate::dates::DateMark;
use crate::grams::Grams;
use crate::index::Index;
use crate::numbers::Comma;
use crate::text::{MAX_SOURCE, Piece, Spans, Text};

const MAGIC: &[u8; 4] = b"pasg";
/// Changes with the format and with the rules of folding.
const VERSION: u8 = 1;

/// Why bytes are no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
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

impl Index {
    /// Writes the index, its text included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.text();
        let mut out = Vec::with_capacity(text.source.len() * 4);
        out.extend_from_slice(MAGIC);
        out.push(VERSION);
        out.push(match text.comma {
            Comma::Unsure => 0,
            Comma::Thousands => 1,
            Comma::Decimal => 2,
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
        for bucket in self.grams().iter() {
            write_number(&mut out, bucket.len() as u64);
            let mut at = 0;
            for &position in bucket {
                write_number(&mut out, u64::from(position - at));
                at = position;
            }
        }
        let sum = checksum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads an index that [`Index::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(ReadError::NotAnIndex)?;
        let (&version, _) = rest.split_first().ok_or(ReadError::Damaged)?;
        if version != VERSION {
            return Err(ReadError::Version(version));
        }
        read(bytes).ok_or(ReadError::Damaged)
    }
}

fn read(bytes: &[u8]) -> Option<Index> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = Reader::new(body.get(MAGIC.len() + 1..)?);
    let comma = match reader.take(1)? {
        [0] => Comma::Unsure,
        [1] => Comma::Thousands,
        [2] => Comma::Decimal,
        _ => return None,
    };
    let source = reader.text().filter(|source| source.len() <= MAX_SOURCE)?;
    let source = source.to_owned();
    let folded = reader.text()?.to_owned();
    u32::try_from(folded.len()).ok()?;
    let spans = Spans {
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
    let text = Text {
        source,
        folded,
        spans,
        comma,
        pieces,
        dates,
    };
    reader.is_empty().then(|| Index::with_grams(text, grams))
}

fn read_bits(reader: &mut Reader<'_>, len: usize) -> Option<Bits> {
    let bytes = reader.take(len.div_ceil(64) * 8)?;
    let words = bytes
        .chunks_exact(8)
        .map(|word| word.try_into().map_or(0, u64::from_le_bytes))
        .collect();
    Bits::read(words, len)
}

fn read_pieces(reader: &mut Reader<'_>, source: &str) -> Option<Vec<Piece>> {
    let count = reader.count()?;
    let mut pieces = Vec::with_capacity(count);
    let mut at = 0usize;
    for _ in 0..count {
        let id = reader.small()?;
        let start = at.checked_add(reader.size()?)?;
        at = start.checked_add(reader.size()?)?;
        source.get(start..at)?;
        pieces.push(Piece {
            id,
            range: start..at,
        });
    }
    Some(pieces)
}

fn read_dates(reader: &mut Reader<'_>, edges: &Bits) -> Option<Vec<DateMark>> {
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

fn read_grams(reader: &mut Reader<'_>, len: usize) -> Option<Grams> {
    let count = Grams::count(len);
    let buckets = Grams::buckets(count);
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut positions: Vec<u32> = Vec::with_capacity(count);
    for _ in 0..buckets {
        starts.push(positions.len() as u32);
        let size = reader.size()?;
        if size > count - positions.len() {
            return None;
        }
        let mut at = 0u32;
        for nth in 0..size {
            let step = reader.small()?;
            at = at.checked_add(step)?;
            if at as usize >= count || (nth > 0 && step == 0) {
                return None;
            }
            positions.push(at);
        }
    }
    starts.push(positions.len() as u32);
    (positions.len() == count).then(|| Grams::from_parts(starts, positions))
}

impl Spans {
    /// Whether the map is one: units in order in both texts, on character boundaries.
    fn hold(&self, source: &str, folded: &str) -> bool {
        let count = self.units.ones();
        let mut last_end = 0;
        let in_order = self
            .starts
            .iter()
            .zip(self.ends.iter())
            .all(|(start, end)| {
                let fits = start >= last_end
                    && end >= start
                    && source.is_char_boundary(start)
                    && source.is_char_boundary(end + 1);
                last_end = end + 1;
                fits
            });
        in_order
            && self.starts.ones() == count
            && self.ends.ones() == count
            && (folded.is_empty() || self.units.get(0))
            && self.units.iter().all(|at| folded.is_char_boundary(at))
            && self.edges.get(0)
            && self.edges.get(folded.len())
            && self
                .edges
                .iter()
                .all(|at| at == folded.len() || self.units.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Finder, Nearness, Quote, Wanted};
    use proptest::prelude::*;

    proptest! {
        /// Damage that the checksum does not show is found by the checks, or does no harm.
        #[test]
        fn forged_bytes_never_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in 0..30usize,
        ) {
            let source = "On 3 March 2024 the ﬁrst co-\noperation cost −1,234 €, é and 東京 and 12 34.";
            let text = Text::new(source.repeat(2)).expect("short");
            let written = Index::new(text).to_bytes();
            let mut body = written[..written.len() - 8].to_vec();
            body.truncate(body.len() - cut.saturating_sub(20));
            for (at, byte) in changes {
                let at = 6 + at.index(body.len() - 6);
                body[at] = byte;
            }
            let sum = checksum(&body);
            body.extend_from_slice(&sum.to_le_bytes());
            if let Ok(index) = Index::from_bytes(&body) {
                for quoted in [source, "first", "2024-03-03 the", "cooperation cost", "東京 and"] {
                    let quote = Quote::new(quoted, index.text()).expect("short");
                    let found = index.occurrences(&quote, &Wanted::default());
                    prop_assert!(found.matches.len() <= found.count);
                    let located = Finder::new(&index).locate(&quote, &Nearness::within_distance(9));
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
