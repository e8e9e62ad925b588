//! Bit sets with rank (number of set bits before a position) and select (position of the n-th set
//! bit).

/// Number of 64-bit words per entry of the rank directory.
const STRIDE: usize = 8;

/// Bit set under construction.
#[derive(Default)]
pub(crate) struct BitSetBuilder {
    words: Vec<u64>,
}

impl BitSetBuilder {
    pub(crate) fn with_capacity(bits: usize) -> Self {
        Self {
            words: vec![0; bits / 64 + 1],
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, at: usize) {
        let word = at / 64;
        if word >= self.words.len() {
            self.words.resize((word + 1).max(self.words.len() * 2), 0);
        }
        self.words[word] |= 1 << (at % 64);
    }

    /// Completes a set of `len` bits; bits beyond it are dropped.
    pub(crate) fn finish(mut self, len: usize) -> BitSet {
        self.words.resize(len.div_ceil(64), 0);
        self.words.shrink_to_fit();
        if !len.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (len % 64)) - 1;
        }
        BitSet::from_words(self.words, len)
    }
}

/// Set of positions below `len`, with rank in constant time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    /// Number of set bits before each run of `STRIDE` words, and in total.
    counts: Vec<u32>,
    len: usize,
}

impl BitSet {
    fn from_words(words: Vec<u64>, len: usize) -> Self {
        let mut counts = Vec::with_capacity(words.len() / STRIDE + 2);
        let mut total = 0;
        counts.push(0);
        for run in words.chunks(STRIDE) {
            total += run.iter().map(|word| word.count_ones()).sum::<u32>();
            counts.push(total);
        }
        Self { words, counts, len }
    }

    /// Creates a set from untrusted words; `None` if they do not fit the length.
    pub(crate) fn read(words: Vec<u64>, len: usize) -> Option<Self> {
        let fits = words.len() == len.div_ceil(64)
            && (len.is_multiple_of(64)
                || words
                    .last()
                    .is_none_or(|last| last & !((1 << (len % 64)) - 1) == 0));
        fits.then(|| Self::from_words(words, len))
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> bool {
        self.words
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Returns the number of set bits.
    pub(crate) fn ones(&self) -> usize {
        self.counts.last().copied().unwrap_or(0) as usize
    }

    /// Returns the number of set bits before `at`.
    pub(crate) fn rank(&self, at: usize) -> usize {
        let at = at.min(self.len);
        let word = at / 64;
        let run = word / STRIDE;
        let mut count = self.counts[run] as usize;
        for word in &self.words[run * STRIDE..word] {
            count += word.count_ones() as usize;
        }
        if !at.is_multiple_of(64) {
            count += (self.words[word] & ((1 << (at % 64)) - 1)).count_ones() as usize;
        }
        count
    }

    /// Returns the position of the set bit that has `nth` set bits before it.
    pub(crate) fn select(&self, nth: usize) -> Option<usize> {
        if nth >= self.ones() {
            return None;
        }
        let run = self.counts.partition_point(|&count| count as usize <= nth) - 1;
        let mut left = nth - self.counts[run] as usize;
        for (index, word) in self.words[run * STRIDE..].iter().enumerate() {
            let ones = word.count_ones() as usize;
            if left < ones {
                let mut word = *word;
                for _ in 0..left {
                    word &= word - 1;
                }
                return Some((run * STRIDE + index) * 64 + word.trailing_zeros() as usize);
            }
            left -= ones;
        }
        None
    }

    /// Returns the first set bit at or after `at`.
    pub(crate) fn next(&self, at: usize) -> Option<usize> {
        let first = at / 64;
        let mut word = *self.words.get(first)? & (!0 << (at % 64));
        let mut index = first;
        while word == 0 {
            index += 1;
            word = *self.words.get(index)?;
        }
        Some(index * 64 + word.trailing_zeros() as usize)
    }

    /// Returns the last set bit at or before `at`.
    pub(crate) fn previous(&self, at: usize) -> Option<usize> {
        let at = at.min(self.len.checked_sub(1)?);
        let mut index = at / 64;
        let mut word = self.words[index] & (!0 >> (63 - at % 64));
        while word == 0 {
            index = index.checked_sub(1)?;
            word = self.words[index];
        }
        Some(index * 64 + 63 - word.leading_zeros() as usize)
    }

    /// Iterates over the set bits, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_agrees_with_a_plain_list(flags in prop::collection::vec(any::<bool>(), 0..2000)) {
            let mut builder = BitSetBuilder::default();
            let mut set = Vec::new();
            for (at, &flag) in flags.iter().enumerate() {
                if flag {
                    builder.set(at);
                    set.push(at);
                }
            }
            let bits = builder.finish(flags.len());
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), set.clone());
            prop_assert_eq!(bits.ones(), set.len());
            for at in 0..=flags.len() {
                prop_assert_eq!(bits.rank(at), set.iter().filter(|&&bit| bit < at).count());
                prop_assert_eq!(bits.next(at), set.iter().copied().find(|&bit| bit >= at));
                prop_assert_eq!(bits.previous(at), set.iter().copied().rfind(|&bit| bit <= at));
            }
            for nth in 0..=set.len() {
                prop_assert_eq!(bits.select(nth), set.get(nth).copied());
            }
            prop_assert_eq!(BitSet::read(bits.words().to_vec(), flags.len()), Some(bits));
        }
    }

    #[test]
    fn bits_beyond_the_length_are_refused() {
        assert_eq!(BitSet::read(vec![0b100], 2), None);
        assert_eq!(BitSet::read(vec![0, 0], 64), None);
        assert!(BitSet::read(vec![0b11], 2).is_some());
    }
}
