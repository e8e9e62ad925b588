//! The two tables of an index: where short runs of bytes are, and where tokens begin.

use crate::bits::BitSet;

/// Bytes of a gram.
pub(crate) const GRAM: usize = 8;
/// Every how many bytes of the folded text a gram is taken.
pub(crate) const STEP: usize = 4;
/// Any run of this many equal bytes holds a gram that was taken.
pub(crate) const SPAN: usize = GRAM + STEP - 1;

/// The gram at a position.
#[inline]
pub(crate) fn gram(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + GRAM)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// Positions of grams, by a hash of the gram. Positions of other grams may be among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GramIndex {
    /// How far a hash is shifted to become a bucket.
    shift: u32,
    /// Where each bucket begins in `positions`; one more at the end.
    starts: Vec<u32>,
    /// Positions divided by `STEP`, ascending in each bucket.
    positions: Vec<u32>,
}

impl GramIndex {
    /// How many grams a text of a length has.
    pub(crate) fn count(len: usize) -> usize {
        if len < GRAM {
            0
        } else {
            (len - GRAM) / STEP + 1
        }
    }

    /// How many buckets are used for a number of grams: a power of two.
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
        // Filling moves each start to the next one's place; afterwards they are moved back.
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

    /// A table from bucket sizes and ascending positions that were checked.
    pub(crate) fn from_parts(starts: Vec<u32>, positions: Vec<u32>) -> Self {
        let buckets = starts.len() - 1;
        Self {
            shift: 64 - buckets.trailing_zeros(),
            starts,
            positions,
        }
    }

    /// Every bucket, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|pair| &self.positions[pair[0] as usize..pair[1] as usize])
    }

    /// Positions, divided by `STEP`, where a gram may be.
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

/// Positions where tokens begin, ordered by the first bytes there.
///
/// For quotes shorter than [`SPAN`]: the cost is the number of tokens that begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenStarts {
    /// The different keys, ascending.
    keys: Vec<u32>,
    /// Where each key's positions begin; one more at the end.
    starts: Vec<u32>,
    /// Ascending for each key.
    positions: Vec<u32>,
}

/// Bytes that a key is made of.
const HEAD: usize = 4;
/// Bits per byte of a key.
const SYMBOL: u32 = 6;

/// A byte in six bits: letters and digits have their own values, others share some.
const SYMBOLS: [u8; 256] = {
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

fn head(bytes: &[u8], at: usize) -> u32 {
    let end = (at + HEAD).min(bytes.len());
    let head = bytes.get(at..end).unwrap_or_default();
    let key = head.iter().fold(0, |key, &byte| {
        key << SYMBOL | u32::from(SYMBOLS[byte as usize])
    });
    key << (SYMBOL * (HEAD - head.len()) as u32)
}

impl TokenStarts {
    pub(crate) fn build(bytes: &[u8], edges: &BitSet) -> Self {
        let mut entries: Vec<(u32, u32)> = edges
            .iter()
            .filter(|&at| at < bytes.len())
            .map(|at| (head(bytes, at), at as u32))
            .collect();
        // Two stable passes by half a key each keep the positions of a key ascending.
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
        let mut heads = Self {
            keys: Vec::new(),
            starts: Vec::new(),
            positions: Vec::with_capacity(entries.len()),
        };
        for (key, position) in entries {
            if heads.keys.last() != Some(&key) {
                heads.keys.push(key);
                heads.starts.push(heads.positions.len() as u32);
            }
            heads.positions.push(position);
        }
        heads.starts.push(heads.positions.len() as u32);
        heads
    }

    /// The positions of each key that the start of `quote` may have.
    pub(crate) fn get(&self, quote: &[u8]) -> impl Iterator<Item = &[u32]> {
        let known = quote.len().min(HEAD);
        let low = head(quote, 0);
        let high = low + (1 << (SYMBOL * (HEAD - known) as u32));
        let first = self.keys.partition_point(|&key| key < low);
        let last = self.keys.partition_point(|&key| key < high);
        (first..last)
            .map(|nth| &self.positions[self.starts[nth] as usize..self.starts[nth + 1] as usize])
    }
}
