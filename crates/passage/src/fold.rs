//! From source text to folded text, one unit at a time.
//!
//! A *unit* is the smallest piece that maps between the two: some bytes of the source and the folded
//! bytes that stand for them. White space, invisible characters and dashes between letters have no
//! unit. Folding looks at a character's neighbours, never further than the next visible character, so
//! its cost is linear.

mod marks;

use unicode_normalization::UnicodeNormalization;

use crate::bits::BitSetBuilder;
use crate::chars::{CharCache, CharClass, plain};
use crate::numbers::NumberRules;
use crate::text::SpanMap;

/// Every quotation mark becomes this, unless it follows a digit.
pub(crate) const QUOTATION: &str = "\"";
/// Every dash becomes this,
pub(crate) const DASH: &str = "-";
/// except before a number it belongs to.
pub(crate) const SIGN: &str = "−";
/// The point that begins a number, so that "a .5" is not "a. 5".
pub(crate) const LEADING_POINT: &str = "\u{2024}";

/// How many characters are composed at most; hostile texts pile up more.
const MAX_CLUSTER: usize = 32;
/// A raised digit after a longer word is a footnote mark, after a shorter one an exponent.
const MAX_UNIT_LETTERS: u32 = 3;

/// What stands between the last unit and the current position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnitGap {
    None,
    Space,
    Line,
}

/// A folded text before its date marks are looked for.
pub(crate) struct FoldedText {
    pub(crate) text: String,
    pub(crate) spans: SpanMap,
    /// Folded positions where numbers of four digits start.
    pub(crate) years: Vec<u32>,
    /// Folded positions where a space between groups of a number was.
    pub(crate) joints: Vec<u32>,
}

/// The last unit.
#[derive(Clone, Copy)]
struct LastUnit {
    class: CharClass,
    folded: char,
    /// Letters since the token began.
    letters: u32,
    /// Whether the token follows a number.
    after_number: bool,
}

struct TextFolder<'a> {
    source: &'a str,
    at: usize,
    reading: NumberRules,
    out: String,
    starts: BitSetBuilder,
    ends: BitSetBuilder,
    units: BitSetBuilder,
    edges: BitSetBuilder,
    years: Vec<u32>,
    joints: Vec<u32>,
    last: LastUnit,
    gap: UnitGap,
    /// Where the gap's first white space is.
    gap_at: usize,
    /// The next unit belongs to the same token as the last, whatever stands between them.
    join_next: bool,
    cluster: Vec<char>,
    characters: CharCache,
}

/// Folds a text.
pub(crate) fn fold(source: &str, reading: NumberRules) -> FoldedText {
    let mut folder = TextFolder {
        source,
        at: 0,
        reading,
        out: String::with_capacity(source.len()),
        starts: BitSetBuilder::with_capacity(source.len()),
        ends: BitSetBuilder::with_capacity(source.len()),
        units: BitSetBuilder::with_capacity(source.len()),
        edges: BitSetBuilder::with_capacity(source.len()),
        years: Vec::new(),
        joints: Vec::new(),
        last: LastUnit {
            class: CharClass::Space,
            folded: ' ',
            letters: 0,
            after_number: false,
        },
        gap: UnitGap::Line,
        gap_at: 0,
        join_next: false,
        cluster: Vec::new(),
        characters: CharCache::of(source),
    };
    folder.run();
    folder.finish()
}

impl TextFolder<'_> {
    fn finish(mut self) -> FoldedText {
        let len = self.out.len();
        self.edges.set(len);
        self.out.shrink_to_fit();
        FoldedText {
            spans: SpanMap {
                starts: self.starts.finish(self.source.len()),
                ends: self.ends.finish(self.source.len()),
                units: self.units.finish(len),
                edges: self.edges.finish(len + 1),
            },
            text: self.out,
            years: self.years,
            joints: self.joints,
        }
    }

    fn run(&mut self) {
        while let Some(c) = self.char_at(self.at) {
            match self.characters.class(c) {
                CharClass::Space => self.space(c, UnitGap::Space),
                CharClass::Line => self.space(c, UnitGap::Line),
                CharClass::Ignored => self.at += c.len_utf8(),
                CharClass::Letter | CharClass::Dense | CharClass::Mark => self.letter(c),
                CharClass::Digit => self.number(),
                CharClass::Dash => self.dashes(c),
                CharClass::Quotation => self.quotation(c),
                CharClass::Superscript => self.superscript(c),
                CharClass::Subscript => self.subscripts(),
                CharClass::Numeral => {
                    let joined = self.is_adjacent() && self.last.class.is_wordlike();
                    self.single(c, CharClass::Numeral, joined);
                }
                CharClass::Punctuation => self.punctuation(c),
                CharClass::Currency | CharClass::Percent | CharClass::Symbol => self.symbol(c),
            }
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        let byte = *self.source.as_bytes().get(at)?;
        if byte.is_ascii() {
            Some(byte as char)
        } else {
            self.source[at..].chars().next()
        }
    }

    fn space(&mut self, c: char, gap: UnitGap) {
        if self.gap == UnitGap::None {
            self.gap_at = self.at;
        }
        self.gap = self.gap.max(gap);
        self.at += c.len_utf8();
    }

    fn is_adjacent(&self) -> bool {
        self.gap == UnitGap::None
    }

    /// The class of the next visible character at or after `at`, and what stands before it.
    fn next_visible(&self, at: usize) -> (UnitGap, Option<CharClass>) {
        let mut gap = UnitGap::None;
        for c in self.source[at..].chars() {
            match self.characters.class(c) {
                CharClass::Space => gap = gap.max(UnitGap::Space),
                CharClass::Line => gap = UnitGap::Line,
                CharClass::Ignored => {}
                other => return (gap, Some(other)),
            }
        }
        (gap, None)
    }

    /// The class of the next visible character if nothing but invisible ones stands before it.
    fn next_adjacent(&self, at: usize) -> Option<CharClass> {
        match self.next_visible(at) {
            (UnitGap::None, next) => next,
            _ => None,
        }
    }

    /// Appends a unit.
    fn emit(&mut self, folded: &str, from: usize, to: usize, class: CharClass, joined: bool) {
        let joined = joined || self.join_next;
        let at = self.out.len();
        self.starts.set(from);
        self.ends.set(to - 1);
        self.units.set(at);
        if !joined {
            self.edges.set(at);
        }
        let is_letter = u32::from(class.is_letter());
        self.last = LastUnit {
            class,
            folded: folded.chars().next_back().unwrap_or(' '),
            letters: if joined {
                self.last.letters.saturating_add(is_letter)
            } else {
                is_letter
            },
            after_number: if joined {
                self.last.after_number
            } else {
                self.last.class == CharClass::Digit
            },
        };
        self.out.push_str(folded);
        self.gap = UnitGap::None;
        self.join_next = false;
    }

    /// A space between two digits stays: without it they would be one number.
    fn keep_space_between_digits(&mut self) {
        if self.gap != UnitGap::None && self.last.class == CharClass::Digit {
            let from = self.gap_at;
            let to = from + self.char_at(from).map_or(1, char::len_utf8);
            self.emit(" ", from, to, CharClass::Space, false);
            self.gap = UnitGap::Space;
            self.last.class = CharClass::Digit;
        }
    }

    /// A character that needs no look at its neighbours, with its accents.
    fn single(&mut self, c: char, class: CharClass, joined: bool) {
        let next_is_ascii = self
            .source
            .as_bytes()
            .get(self.at + 1)
            .is_none_or(u8::is_ascii);
        if c.is_ascii() && next_is_ascii {
            let mut buffer = [0; 4];
            self.emit(
                c.encode_utf8(&mut buffer),
                self.at,
                self.at + 1,
                class,
                joined,
            );
            self.at += 1;
        } else {
            self.cluster(c, class, joined);
        }
    }

    fn letter(&mut self, c: char) {
        let bytes = self.source.as_bytes();
        let mut joined = match self.characters.class(c) {
            CharClass::Mark => self.is_adjacent(),
            CharClass::Letter => self.is_adjacent() && self.last.class.is_wordlike(),
            _ => false,
        };
        let from = self.at;
        // A run of ASCII letters; one that an accent may follow is left to `cluster`.
        while let Some(byte) = bytes.get(self.at)
            && byte.is_ascii_alphabetic()
            && bytes.get(self.at + 1).is_none_or(u8::is_ascii)
        {
            let lower = [byte.to_ascii_lowercase()];
            let folded = std::str::from_utf8(&lower).unwrap_or_default();
            self.emit(folded, self.at, self.at + 1, CharClass::Letter, joined);
            self.at += 1;
            joined = true;
        }
        if self.at == from {
            self.cluster(c, self.characters.class(c), joined);
        }
    }

    /// The next character if it merges with the one before, and the position after it.
    fn next_accent(&self, mut at: usize) -> Option<(char, usize)> {
        loop {
            let c = self.char_at(at)?;
            at += c.len_utf8();
            if c.is_ascii() {
                return None;
            }
            let facts = self.characters.get(c);
            if facts.class != CharClass::Ignored {
                return facts.continues.then_some((c, at));
            }
        }
    }

    /// A character with the accents that follow it, composed.
    fn cluster(&mut self, c: char, class: CharClass, joined: bool) {
        let mut end = self.at + c.len_utf8();
        let mut accent = self.next_accent(end);
        if accent.is_none()
            && let Some(plain) = self.characters.get(c).plain
        {
            let mut buffer = [0; 4];
            self.emit(plain.encode_utf8(&mut buffer), self.at, end, class, joined);
            self.at = end;
            return;
        }
        let mut cluster = std::mem::take(&mut self.cluster);
        cluster.clear();
        plain(c, &mut cluster);
        while let Some((next, after)) = accent
            && cluster.len() < MAX_CLUSTER
        {
            plain(next, &mut cluster);
            end = after;
            accent = self.next_accent(end);
        }
        let folded: String = cluster.iter().copied().nfc().collect();
        self.emit(&folded, self.at, end, class, joined);
        self.cluster = cluster;
        self.at = end;
    }
}
