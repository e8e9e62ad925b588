//! Large rows as references to chunks.
//!
//! A snapshot repeats what the log of its thread already holds. A row with a large event is therefore cut into chunks
//! at places that its content decides, so that equal passages give equal chunks wherever they are. Each chunk is
//! stored once per thread; the row holds their numbers.

use bytes::Bytes;
use rusqlite::Connection;

use super::message_texts::{self, HashedTexts};
use crate::error::{Result, StoreError};
use crate::log::MAX_EVENT_BYTES;
use crate::varint;

/// Shortest event that makes its row a chunked row, in bytes.
pub(super) const LARGE_EVENT: usize = 32 << 10;
/// Shortest chunk, in bytes.
const MIN_CHUNK: usize = 1 << 10;
/// Longest chunk, in bytes.
const MAX_CHUNK: usize = 16 << 10;
/// Bits of the rolling hash that are zero at the end of a chunk: one place of 4,096.
const BOUNDARY_MASK: u64 = 0xfff << 52;

/// Row that is cut into chunks.
pub(super) struct ChunkedRow {
    /// Compressed chunks with the hashes of their compressed form.
    chunks: HashedTexts,
    /// Number of bytes before compression.
    pub(super) size: usize,
}

impl ChunkedRow {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut chunks = HashedTexts::default();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(chunk_end(rest));
            chunks.push(Bytes::from(lz4_flex::block::compress_prepend_size(chunk)));
            rest = after;
        }
        Self {
            chunks,
            size: bytes.len(),
        }
    }

    /// Stores the chunks that the thread does not have. Returns the numbers of all.
    pub(super) fn store(&self, connection: &Connection, thread: i64) -> Result<Vec<u8>> {
        let mut numbers = Vec::new();
        for (position, chunk) in self.chunks.texts.iter().enumerate() {
            let hash = self.chunks.hash(position);
            let number = message_texts::find_or_insert(connection, thread, hash, chunk)?;
            varint::push_number(&mut numbers, number);
        }
        Ok(numbers)
    }
}

/// Reads a chunked row from the numbers of its chunks.
pub(super) fn read_chunks(connection: &Connection, numbers: &[u8], size: usize) -> Result<Vec<u8>> {
    let damaged = || StoreError::corrupt("a row in chunks");
    // No batch is longer, so a larger size is damage.
    if size > 2 * MAX_EVENT_BYTES {
        return Err(damaged());
    }
    let mut bytes = Vec::with_capacity(size);
    let mut select = connection.prepare_cached("SELECT json FROM texts WHERE number = ?1")?;
    for number in varint::numbers(numbers) {
        let chunk: Vec<u8> = select.query_row([number], |row| row.get(0))?;
        let (length, compressed) =
            lz4_flex::block::uncompressed_size(&chunk).map_err(|_| damaged())?;
        if length > MAX_CHUNK {
            return Err(damaged());
        }
        let chunk = lz4_flex::block::decompress(compressed, length).map_err(|_| damaged())?;
        bytes.extend_from_slice(&chunk);
    }
    match bytes.len() == size {
        true => Ok(bytes),
        false => Err(damaged()),
    }
}

/// Returns the length of the first chunk: it ends where the hash of the last 64 bytes has the form of a boundary.
fn chunk_end(bytes: &[u8]) -> usize {
    let end = bytes.len().min(MAX_CHUNK);
    let mut hash = 0u64;
    for (at, byte) in bytes[..end].iter().enumerate() {
        // Each shift drops the oldest byte from the hash.
        hash = (hash << 1).wrapping_add(GEAR[usize::from(*byte)]);
        if at + 1 >= MIN_CHUNK && hash & BOUNDARY_MASK == 0 {
            return at + 1;
        }
    }
    end
}

/// Random number for each byte. They are part of the format: other numbers find no earlier chunks.
const GEAR: [u64; 256] = random_numbers();

/// Returns the first numbers of the generator SplitMix64.
const fn random_numbers() -> [u64; 256] {
    let mut numbers = [0; 256];
    let mut state = 0u64;
    let mut at = 0;
    while at < numbers.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[at] = mixed ^ (mixed >> 31);
        at += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(bytes: &[u8]) -> Vec<usize> {
        let mut lengths = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = chunk_end(rest);
            lengths.push(end);
            rest = &rest[end..];
        }
        lengths
    }

    fn noise(length: usize, mut seed: u64) -> Vec<u8> {
        let next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    #[test]
    fn chunks_have_bounded_lengths() {
        for bytes in [noise(1 << 20, 1), vec![b'a'; 100_000], b"short".to_vec()] {
            let lengths = lengths(&bytes);
            assert_eq!(lengths.iter().sum::<usize>(), bytes.len());
            let (_, full) = lengths.split_last().expect("a chunk");
            assert!(full.iter().all(|len| (MIN_CHUNK..=MAX_CHUNK).contains(len)));
        }
    }

    #[test]
    fn an_insertion_changes_few_chunks() {
        let before = noise(1 << 20, 2);
        let mut after = before.clone();
        after.splice(500_000..500_000, noise(100, 3));
        let (before, after) = (ChunkedRow::new(&before), ChunkedRow::new(&after));
        let known: Vec<&Bytes> = before.chunks.texts.iter().collect();
        let new = after
            .chunks
            .texts
            .iter()
            .filter(|chunk| !known.contains(chunk));
        assert!(new.count() <= 3);
    }
}
