//! The two tables of an index: positions of short byte sequences, and of tokens.

use crate::bit_set::BitSet;

/// Length of a gram in bytes.
pub(crate) const GRAM: usize = 8;
/// Distance in bytes between two indexed grams of the normalised text.
pub(crate) const STEP: usize = 4;
/// Length at which every byte sequence of the text contains an indexed gram.
pub(crate) const SPAN: usize = GRAM + STEP - 1;

/// Returns the gram at a position.
#[inline]
pub(crate) fn gram(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + GRAM)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Positions of grams by a hash of the gram. Because of collisions, positions of other grams may be
/// included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GramIndex {
    /// Number of bits by which a hash is shifted to give its bucket.
    shift: u32,
    /// Start of each bucket in `positions`, with the total at the end.
    starts: Vec<u32>,
    /// Positions divided by `STEP`, ascending in each bucket.
    positions: Vec<u32>,
}

impl GramIndex {
    /// Returns the number of indexed grams of a text of `len` bytes.
    pub(crate) fn count(len: usize) -> usize {
        if len < GRAM {
            0
        } else {
            (len - GRAM) / STEP + 1
        }
    }

    /// Returns the number of buckets for a number of grams, a power of two.
    pub(crate) fn buckets(count: usize) -> usize {
        (count / 2).next_power_of_two().max(2)
    }

    pub(crate) fn build(bytes: &[u8]) -> Self {
        let count = Self::count(bytes.len());
        let buckets = Self::buckets(count);
        let shift = 64 - buckets.trailing_zeros();
        let grams = || (0..count).filter_map(|nth| gram(bytes, nth * STEP));
        let mut starts = vec![0u32; buckets + 1];
        for gram in grams() {
            starts[bucket(gram, shift) + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        // Filling moves each start to the start of the next bucket; afterwards they are moved back.
        let mut positions = vec![0u32; count];
        for (nth, gram) in grams().enumerate() {
            let start = &mut starts[bucket(gram, shift)];
            positions[*start as usize] = nth as u32;
            *start += 1;
        }
        starts.copy_within(0..buckets, 1);
        starts[0] = 0;
        Self {
            shift,
            starts,
            positions,
        }
    }

    /// Creates a table from validated bucket starts and ascending positions.
    pub(crate) fn from_parts(starts: Vec<u32>, positions: Vec<u32>) -> Self {
        let buckets = starts.len() - 1;
        Self {
            shift: 64 - buckets.trailing_zeros(),
            starts,
            positions,
        }
    }

    /// Iterates over the buckets, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|pair| &self.positions[pair[0] as usize..pair[1] as usize])
    }

    /// Returns the positions, divided by `STEP`, that may have a gram.
    #[inline]
    pub(crate) fn get(&self, gram: u64) -> &[u32] {
        let bucket = bucket(gram, self.shift);
        &self.positions[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

#[inline]
fn bucket(gram: u64, shift: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

/// Positions of tokens, ordered by the first bytes of the token.
///
/// Used for quotes shorter than [`SPAN`]. The cost of a search is the number of tokens with the
/// same first bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenStarts {
    /// Distinct keys, ascending.
    keys: Vec<u32>,
    /// Start of each key's positions, with the total at the end.
    starts: Vec<u32>,
    /// Positions, ascending for each key.
    positions: Vec<u32>,
}

/// Number of bytes in a key.
const KEY_BYTES: usize = 4;
/// Number of bits per byte of a key.
const KEY_BITS: u32 = 6;

/// Six-bit codes of bytes: letters and digits have their own, all others share some.
const KEY_CODES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a' + 1,
            digit @ b'0'..=b'9' => digit - b'0' + 27,
            other => other % 27 + 37,
        };
        byte += 1;
    }
    table
};

fn key_at(bytes: &[u8], at: usize) -> u32 {
    let end = (at + KEY_BYTES).min(bytes.len());
    let head = bytes.get(at..end).unwrap_or_default();
    let key = head.iter().fold(0, |key, &byte| {
        key << KEY_BITS | u32::from(KEY_CODES[byte as usize])
    });
    key << (KEY_BITS * (KEY_BYTES - head.len()) as u32)
}

impl TokenStarts {
    pub(crate) fn build(bytes: &[u8], edges: &BitSet) -> Self {
        let mut entries: Vec<(u32, u32)> = edges
            .iter()
            .filter(|&at| at < bytes.len())
            .map(|at| (key_at(bytes, at), at as u32))
            .collect();
        // Radix sort in two stable passes, which keeps the positions of a key ascending.
        let mut spare = vec![(0, 0); entries.len()];
        for shift in [0, 12] {
            let digit = |key: u32| (key >> shift & 0xfff) as usize;
            let mut starts = vec![0u32; 0x1001];
            for &(key, _) in &entries {
                starts[digit(key) + 1] += 1;
            }
            for at in 1..starts.len() {
                starts[at] += starts[at - 1];
            }
            for &entry in &entries {
                let start = &mut starts[digit(entry.0)];
                spare[*start as usize] = entry;
                *start += 1;
            }
            std::mem::swap(&mut entries, &mut spare);
        }
        let mut table = Self {
            keys: Vec::new(),
            starts: Vec::new(),
            positions: Vec::with_capacity(entries.len()),
        };
        for (key, position) in entries {
            if table.keys.last() != Some(&key) {
                table.keys.push(key);
                table.starts.push(table.positions.len() as u32);
            }
            table.positions.push(position);
        }
        table.starts.push(table.positions.len() as u32);
        table
    }

    /// Returns the positions of each key that `quote` may begin with.
    pub(crate) fn get(&self, quote: &[u8]) -> impl Iterator<Item = &[u32]> {
        let known = quote.len().min(KEY_BYTES);
        let low = key_at(quote, 0);
        let high = low + (1 << (KEY_BITS * (KEY_BYTES - known) as u32));
        let first = self.keys.partition_point(|&key| key < low);
        let last = self.keys.partition_point(|&key| key < high);
        (first..last)
            .map(|nth| &self.positions[self.starts[nth] as usize..self.starts[nth + 1] as usize])
    }
}
