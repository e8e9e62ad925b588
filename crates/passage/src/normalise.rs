//! Normalisation of a source text, one unit at a time.
//!
//! A *unit* is the smallest piece of the map: some bytes of the source and the normalised bytes
//! that represent them. White space, invisible characters and dashes between letters have no unit.
//! The rules look no further than the next visible character, so the cost is linear.

mod marks;

use unicode_normalization::UnicodeNormalization;

use crate::bit_set::BitSetBuilder;
use crate::char_classes::{CharCache, CharClass, persian_form, push_plain_form};
use crate::numbers::NumberRules;
use crate::span_map::SpanMap;

/// Normalised form of every quotation mark that does not follow a digit.
pub(crate) const QUOTATION: &str = "\"";
/// Normalised form of every dash that is not the sign of a number.
pub(crate) const DASH: &str = "-";
/// Normalised form of the sign of a negative number.
pub(crate) const SIGN: &str = "−";
/// Normalised form of a point that begins a number, so that "a .5" differs from "a. 5".
pub(crate) const LEADING_POINT: &str = "\u{2024}";

/// Maximum number of characters that are composed into one; hostile texts stack more accents.
const MAX_CLUSTER: usize = 32;
/// Longest word, in letters, after which a superscript digit is an exponent ("m²"). After a longer
/// word it is a footnote mark.
const MAX_UNIT_LETTERS: u32 = 3;

/// White space between the last unit and the current position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnitGap {
    None,
    Space,
    Line,
}

/// Result of normalisation, before dates are searched.
pub(crate) struct Normalisation {
    pub(crate) text: String,
    pub(crate) spans: SpanMap,
    /// Positions in the normalised text at which numbers of four digits start.
    pub(crate) years: Vec<u32>,
    /// Positions in the normalised text at which a space between digit groups was removed.
    pub(crate) group_spaces: Vec<u32>,
}

/// Properties of the unit that was written last.
#[derive(Clone, Copy)]
struct LastUnit {
    class: CharClass,
    normalised: char,
    /// Number of letters since the token began.
    letters: u32,
    /// Number of digits since the token began, if it consists of digits only.
    digits: u32,
    /// True if the token follows a number.
    after_number: bool,
}

/// State of normalising one text.
struct TextNormaliser<'a> {
    source: &'a str,
    at: usize,
    number_rules: NumberRules,
    out: String,
    starts: BitSetBuilder,
    ends: BitSetBuilder,
    units: BitSetBuilder,
    edges: BitSetBuilder,
    years: Vec<u32>,
    group_spaces: Vec<u32>,
    last: LastUnit,
    gap: UnitGap,
    /// Position of the first white space of the gap.
    gap_at: usize,
    /// True if the next unit belongs to the token of the last one in spite of a gap.
    join_next: bool,
    cluster: Vec<char>,
    characters: CharCache,
}

/// Normalises a text.
pub(crate) fn normalise(source: &str, number_rules: NumberRules) -> Normalisation {
    let mut normaliser = TextNormaliser {
        source,
        at: 0,
        number_rules,
        out: String::with_capacity(source.len()),
        starts: BitSetBuilder::with_capacity(source.len()),
        ends: BitSetBuilder::with_capacity(source.len()),
        units: BitSetBuilder::with_capacity(source.len()),
        edges: BitSetBuilder::with_capacity(source.len()),
        years: Vec::new(),
        group_spaces: Vec::new(),
        last: LastUnit {
            class: CharClass::Space,
            normalised: ' ',
            letters: 0,
            digits: 0,
            after_number: false,
        },
        gap: UnitGap::Line,
        gap_at: 0,
        join_next: false,
        cluster: Vec::new(),
        characters: CharCache::for_text(source),
    };
    normaliser.normalise_all();
    normaliser.finish()
}

impl TextNormaliser<'_> {
    fn finish(mut self) -> Normalisation {
        let len = self.out.len();
        self.edges.set(len);
        self.out.shrink_to_fit();
        Normalisation {
            spans: SpanMap {
                starts: self.starts.finish(self.source.len()),
                ends: self.ends.finish(self.source.len()),
                units: self.units.finish(len),
                edges: self.edges.finish(len + 1),
            },
            text: self.out,
            years: self.years,
            group_spaces: self.group_spaces,
        }
    }

    fn normalise_all(&mut self) {
        while let Some(c) = self.char_at(self.at) {
            match self.characters.class(c) {
                CharClass::Space => self.read_space(c, UnitGap::Space),
                CharClass::Line => self.read_space(c, UnitGap::Line),
                CharClass::Ignored => self.at += c.len_utf8(),
                CharClass::Letter | CharClass::Dense | CharClass::Mark => self.read_letters(c),
                CharClass::Digit => self.read_number(),
                CharClass::Dash => self.read_dashes(c),
                CharClass::Quotation => self.read_quotation_mark(c),
                CharClass::Superscript => self.read_superscript(c),
                CharClass::Subscript => self.read_subscripts(),
                CharClass::Numeral => self.read_numeral(c),
                CharClass::Punctuation => self.read_punctuation(c),
                CharClass::Currency | CharClass::Percent | CharClass::Symbol => self.read_symbol(c),
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

    fn read_space(&mut self, c: char, gap: UnitGap) {
        if self.gap == UnitGap::None {
            self.gap_at = self.at;
        }
        self.gap = self.gap.max(gap);
        self.at += c.len_utf8();
    }

    fn is_adjacent(&self) -> bool {
        self.gap == UnitGap::None
    }

    /// Returns the white space at `at` and the class of the visible character after it.
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

    /// Returns the class of the next visible character if no white space precedes it.
    fn next_adjacent(&self, at: usize) -> Option<CharClass> {
        match self.next_visible(at) {
            (UnitGap::None, next) => next,
            _ => None,
        }
    }

    /// Appends a unit.
    fn write_unit(
        &mut self,
        normalised: &str,
        from: usize,
        to: usize,
        class: CharClass,
        joined: bool,
    ) {
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
            normalised: normalised.chars().next_back().unwrap_or(' '),
            letters: if joined {
                self.last.letters.saturating_add(is_letter)
            } else {
                is_letter
            },
            digits: match (class, joined) {
                (CharClass::Digit, false) => 1,
                (CharClass::Digit, true) if self.last.digits > 0 => {
                    self.last.digits.saturating_add(1)
                }
                _ => 0,
            },
            after_number: if joined {
                self.last.after_number
            } else {
                self.last.class == CharClass::Digit
            },
        };
        self.out.push_str(normalised);
        self.gap = UnitGap::None;
        self.join_next = false;
    }

    /// Writes the space between two digits. Without it they would become one number. If it is
    /// `joined`, both are one number, as in "3 1/2".
    fn write_space_between_digits(&mut self, joined: bool) {
        if self.gap != UnitGap::None && self.last.class == CharClass::Digit {
            let from = self.gap_at;
            let to = from + self.char_at(from).map_or(1, char::len_utf8);
            self.write_unit(" ", from, to, CharClass::Space, joined);
            self.last.digits = 0;
            self.gap = UnitGap::Space;
            self.last.class = CharClass::Digit;
        }
    }

    /// Writes a character, with its accents, that does not depend on its neighbours.
    fn write_single(&mut self, c: char, class: CharClass, joined: bool) {
        let next_is_ascii = self
            .source
            .as_bytes()
            .get(self.at + 1)
            .is_none_or(u8::is_ascii);
        if c.is_ascii() && next_is_ascii {
            let mut buffer = [0; 4];
            self.write_unit(
                c.encode_utf8(&mut buffer),
                self.at,
                self.at + 1,
                class,
                joined,
            );
            self.at += 1;
        } else {
            self.write_cluster(c, class, joined);
        }
    }

    fn read_letters(&mut self, c: char) {
        let bytes = self.source.as_bytes();
        let mut joined = match self.characters.class(c) {
            CharClass::Mark => self.is_adjacent(),
            CharClass::Letter => self.is_adjacent() && self.last.class.is_wordlike(),
            _ => false,
        };
        if let Some((symbol, end)) = self.currency_code() {
            self.write_unit(symbol, self.at, end, CharClass::Currency, false);
            self.at = end;
            return;
        }
        let from = self.at;
        // Fast path for ASCII letters. A letter that an accent may follow is left to
        // `write_cluster`.
        while let Some(byte) = bytes.get(self.at)
            && byte.is_ascii_alphabetic()
            && bytes.get(self.at + 1).is_none_or(u8::is_ascii)
        {
            let lower = [byte.to_ascii_lowercase()];
            let normalised = std::str::from_utf8(&lower).unwrap_or_default();
            self.write_unit(normalised, self.at, self.at + 1, CharClass::Letter, joined);
            self.at += 1;
            joined = true;
        }
        if self.at == from {
            self.write_cluster(c, self.characters.class(c), joined);
        }
    }

    /// Returns the next character if it merges with the one before, and the position after it.
    fn next_accent(&self, mut at: usize) -> Option<(char, usize)> {
        loop {
            let c = self.char_at(at)?;
            at += c.len_utf8();
            if c.is_ascii() {
                return None;
            }
            let properties = self.characters.get(c);
            if properties.class != CharClass::Ignored {
                return properties.combines_with_previous.then_some((c, at));
            }
        }
    }

    /// Writes a character composed with the accents that follow it.
    fn write_cluster(&mut self, c: char, class: CharClass, joined: bool) {
        let mut end = self.at + c.len_utf8();
        let mut accent = self.next_accent(end);
        if accent.is_none()
            && let Some(plain) = self.characters.get(c).plain
        {
            let mut buffer = [0; 4];
            self.write_unit(plain.encode_utf8(&mut buffer), self.at, end, class, joined);
            self.at = end;
            return;
        }
        let mut cluster = std::mem::take(&mut self.cluster);
        cluster.clear();
        push_plain_form(c, &mut cluster);
        while let Some((next, after)) = accent
            && cluster.len() < MAX_CLUSTER
        {
            push_plain_form(next, &mut cluster);
            end = after;
            accent = self.next_accent(end);
        }
        let composed = cluster.iter().copied().nfc();
        let normalised: String = composed.map(persian_form).collect();
        self.write_unit(&normalised, self.at, end, class, joined);
        self.cluster = cluster;
        self.at = end;
    }
}
