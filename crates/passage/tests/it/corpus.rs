//! Generated texts and quotes with known places.

/// Small generator of random numbers; the same seed gives the same text everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const SYLLABLES: &[&str] = &[
    "an", "ber", "chi", "da", "ele", "fi", "fla", "gor", "hu", "ing", "jo", "ka", "lem", "ment",
    "no", "off", "pra", "qui", "re", "sta", "tion", "ul", "ver", "wa", "xe", "yo", "zi", "ffe",
    "ist", "or", "the", "con",
];

/// Generates prose of invented words, some common and most rare, with numbers and punctuation.
pub(crate) fn prose(random: &mut Random, bytes: usize) -> String {
    let words: Vec<String> = (0..6000)
        .map(|_| {
            let syllables = 1 + random.below(4);
            (0..syllables).map(|_| *random.pick(SYLLABLES)).collect()
        })
        .collect();
    // The cube of a uniform choice prefers the first words.
    let word = |random: &mut Random| {
        let choice = random.below(1 << 20) as f64 / (1 << 20) as f64;
        words[(choice * choice * choice * words.len() as f64) as usize].as_str()
    };
    let mut text = String::with_capacity(bytes + 300);
    while text.len() < bytes {
        let count = 8 + random.below(15);
        for nth in 0..count {
            let chosen = word(random);
            match nth {
                0 => {
                    let (first, rest) = chosen.split_at(1);
                    text.push_str(&first.to_uppercase());
                    text.push_str(rest);
                }
                3 if random.chance(20) => {
                    text.push('"');
                    text.push_str(chosen);
                    text.push('"');
                }
                6 if random.chance(15) => text.push_str(&random.below(9999).to_string()),
                _ => text.push_str(chosen),
            }
            if nth == 5 && random.chance(30) {
                text.push(',');
            }
            text.push_str(if nth + 1 == count { ". " } else { " " });
        }
        if random.chance(12) {
            text.push_str("\n\n");
        }
    }
    text.truncate(bytes);
    text
}

/// Returns the text as it would be on a page, and for each byte of the text its position there.
pub(crate) fn typeset(random: &mut Random, text: &str) -> (String, Vec<usize>) {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() * 11 / 10);
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut column = 0;
    let mut at = 0;
    while at < bytes.len() {
        let ligature =
            [("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ")]
                .into_iter()
                .find(|(push_plain_form, _)| {
                    text[at..].starts_with(push_plain_form) && random.chance(70)
                });
        if let Some((push_plain_form, form)) = ligature {
            places.extend(push_plain_form.bytes().map(|_| out.len()));
            out.push_str(form);
            at += push_plain_form.len();
            column += 1;
            continue;
        }
        places.push(out.len());
        let byte = bytes[at];
        let next_is_letter = bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        match byte {
            b'"' => out.push(if random.chance(50) { '“' } else { '”' }),
            b' ' if column > 72 => {
                out.push('\n');
                column = 0;
            }
            b' ' if random.chance(3) => out.push_str("  "),
            b'a'..=b'z' if column > 76 && next_is_letter => {
                out.push(byte as char);
                out.push_str("-\n");
                column = 0;
            }
            _ => out.push(byte as char),
        }
        column += 1;
        at += 1;
    }
    places.push(out.len());
    (out, places)
}

/// Changes, adds or drops a percentage of the characters of a quote at random.
pub(crate) fn edited(random: &mut Random, quote: &str, percent: usize) -> String {
    let mut chars: Vec<char> = quote.chars().collect();
    let edits = (chars.len() * percent / 100).max(1);
    for _ in 0..edits {
        let at = random.below(chars.len());
        let letter = (b'a' + random.below(26) as u8) as char;
        match random.below(4) {
            0 | 1 => chars[at] = letter,
            2 => chars.insert(at, letter),
            _ if chars.len() > 1 => {
                chars.remove(at);
            }
            _ => {}
        }
    }
    chars.into_iter().collect()
}

/// Chooses a range of about `quote_len` bytes that consists of whole words.
pub(crate) fn quotable(
    random: &mut Random,
    text: &str,
    quote_len: usize,
) -> std::ops::Range<usize> {
    let bytes = text.as_bytes();
    let mut start = random.below(text.len() - quote_len - 60);
    while start > 0 && bytes[start - 1] != b' ' {
        start -= 1;
    }
    let mut end = start + quote_len;
    while bytes[end] != b' ' {
        end += 1;
    }
    start..end
}
