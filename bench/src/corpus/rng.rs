//! Seeded random numbers, ids and filler text.

/// Filler vocabulary; only the number and the length of the words matter.
pub(super) const WORDS: [&str; 96] = [
    "a", "in", "of", "to", "is", "we", "on", "by", "the", "and", "not", "for", "law", "act", "one",
    "any", "she", "who", "new", "see", "out", "own", "may", "day", "can't", "page", "note", "cite",
    "book", "text", "line", "fact", "read", "case", "seen", "when", "from", "what", "side", "were",
    "find", "each", "rule", "open", "long", "make", "work", "year", "list", "with", "some", "more",
    "then", "only", "into", "over", "than", "have", "this", "that", "court", "quote", "claim",
    "proof", "index", "given", "under", "after", "often", "study", "other", "there", "where",
    "which", "still", "table", "press", "would", "their", "could", "first", "point", "source",
    "author", "report", "answer", "result", "letter", "number", "public", "journal", "passage",
    "chapter", "because", "evidence", "national",
];

/// Endings with characters outside of ASCII.
const FOREIGN: [&str; 5] = ["ü ", "»", "漢字", "ñ", "–"];
/// Endings outside the basic plane.
const EMOJI: [&str; 2] = ["🙂", "📚"];

/// SplitMix64: small, seeded, good enough for filler.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Seeds from a name by FNV-1a.
    pub fn new(name: &str) -> Self {
        let seed = "pincite-bench/1/".bytes().chain(name.bytes());
        Self(seed.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns a number from `first` to `last`, both included.
    pub fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// Returns a nearly normally distributed length: the sum of twelve dice, mean 20 and deviation
    /// 4.
    fn delta_length(&mut self) -> usize {
        let sum: usize = (0..12).map(|_| self.below(1_000)).sum();
        // The sum has mean 5,994 and deviation 1,000.
        (20 + (sum * 4) / 1_000).saturating_sub(24).max(4)
    }

    /// Returns one of the texts.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Returns a version 4 UUID.
    pub(super) fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            0x8000 | ((b >> 48) & 0x3fff),
            b & 0xffff_ffff_ffff
        )
    }

    /// Returns ASCII filler of exactly `length` characters.
    pub(super) fn filler(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 9);
        while text.len() < length {
            text.push_str(self.pick(&WORDS));
            text.push(' ');
        }
        text.truncate(length);
        text
    }

    /// Returns a JSON number in 0..`whole` with `digits` decimals at most.
    pub(super) fn decimal(&mut self, whole: usize, digits: u32) -> f64 {
        let scale = 10_usize.pow(digits);
        self.below(whole * scale) as f64 / scale as f64
    }

    /// Returns a text delta of about 20 characters; one in eight needs an escape or is not ASCII.
    pub(super) fn delta(&mut self) -> String {
        let length = self.delta_length();
        let mut text = self.filler(length);
        match self.below(100) {
            0..5 => text.replace_range(length - 1.., "\n"),
            5..8 => {
                text.replace_range(length - 1.., "\"");
                text.replace_range(..1, "\"");
            }
            8..11 => text.replace_range(length - 2.., self.pick(&FOREIGN)),
            11 => text.replace_range(length - 1.., self.pick(&EMOJI)),
            _ => {}
        }
        text
    }
}
