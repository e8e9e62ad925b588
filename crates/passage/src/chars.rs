//! What a character is, and which plainer characters stand for it.
//!
//! This is the allow-list of folding: a character that is not named here stays what it is.

use std::cell::Cell;

use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// What a character is to folding and to the search for token boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharClass {
    /// White space within a line, and control characters.
    Space,
    /// White space that ends a line.
    Line,
    /// Invisible: joiners, direction marks, soft hyphens, variation selectors.
    Ignored,
    /// A letter of a script that separates words.
    Letter,
    /// A letter of a script that writes words without spaces.
    Dense,
    /// A mark that belongs to the letter before it.
    Mark,
    /// A decimal digit of any script.
    Digit,
    /// Another number: a fraction, a roman or circled numeral.
    Numeral,
    /// A raised digit or sign.
    Superscript,
    /// A lowered digit.
    Subscript,
    Dash,
    Quotation,
    Punctuation,
    Currency,
    Percent,
    Symbol,
}

impl CharClass {
    /// A letter, or a mark on one.
    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Letter | Self::Dense | Self::Mark)
    }

    /// Something that words and numbers are made of.
    pub(crate) fn is_wordlike(self) -> bool {
        matches!(
            self,
            Self::Letter | Self::Mark | Self::Digit | Self::Numeral | Self::Subscript
        )
    }
}

/// The class of a character.
#[inline]
pub(crate) fn class(c: char) -> CharClass {
    if c.is_ascii() {
        ASCII[c as usize]
    } else {
        class_beyond_ascii(c)
    }
}

const ASCII: [CharClass; 128] = {
    let mut table = [CharClass::Space; 128];
    let mut at = 0;
    while at < 128 {
        table[at] = match at as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => CharClass::Letter,
            b'0'..=b'9' => CharClass::Digit,
            b'\n' | b'\r' | 0x0b | 0x0c => CharClass::Line,
            b'-' => CharClass::Dash,
            b'"' | b'\'' | b'`' => CharClass::Quotation,
            b'$' => CharClass::Currency,
            b'%' => CharClass::Percent,
            b'+' | b'<' | b'=' | b'>' | b'^' | b'~' => CharClass::Symbol,
            b'!'..=b'/' | b':'..=b'@' | b'['..=b'_' | b'{'..=b'}' => CharClass::Punctuation,
            _ => CharClass::Space,
        };
        at += 1;
    }
    table
};

fn class_beyond_ascii(c: char) -> CharClass {
    match c as u32 {
        // The bulk of running text first.
        0xc0..=0x24f if c != '×' && c != '÷' => CharClass::Letter,
        0x410..=0x44f | 0x5d0..=0x5ea | 0xac00..=0xd7a3 => CharClass::Letter,
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x30fc | 0x4e00..=0x9fff => CharClass::Dense,
        0xad | 0x34f | 0x61c | 0x180b..=0x180f | 0x200b..=0x200f => CharClass::Ignored,
        0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff => CharClass::Ignored,
        0xe0000..=0xe0fff => CharClass::Ignored,
        0x85 | 0x2028 | 0x2029 => CharClass::Line,
        0x2010..=0x2015 | 0x2212 | 0x58a | 0x5be | 0x2e3a | 0x2e3b => CharClass::Dash,
        0xfe31 | 0xfe32 | 0xfe58 | 0xfe63 | 0xff0d => CharClass::Dash,
        0xab | 0xbb | 0xb4 | 0x2bc | 0x2018..=0x201f | 0x2032..=0x2037 => CharClass::Quotation,
        0x2039 | 0x203a | 0x300c..=0x300f | 0x301d..=0x301f | 0x275b..=0x275e => {
            CharClass::Quotation
        }
        0xfe41..=0xfe44 | 0xff62 | 0xff63 => CharClass::Quotation,
        0xff01..=0xff5e => class(wide_to_ascii(c)),
        // Characters that are only other names of marks.
        0x37e | 0x387 | 0x2329 | 0x232a => CharClass::Punctuation,
        0x1fef | 0x1ffd => CharClass::Quotation,
        0xb9 | 0xb2 | 0xb3 | 0x2070 | 0x2074..=0x207b => CharClass::Superscript,
        0x2080..=0x2089 => CharClass::Subscript,
        0x2030 | 0x2031 | 0x66a | 0xfe6a => CharClass::Percent,
        0x2044 | 0x2215 => CharClass::Punctuation,
        // Thai and Lao, Myanmar, Khmer; ideographs of every plane and their iteration marks.
        0xe01..=0xe30 | 0xe32 | 0xe33 | 0xe40..=0xe46 | 0xe81..=0xeb0 | 0xeb2 | 0xeb3 => {
            CharClass::Dense
        }
        0xebd..=0xec6 | 0xedc..=0xedf => CharClass::Dense,
        0x1000..=0x102a | 0x103f | 0x1050..=0x1055 | 0x1780..=0x17b3 => CharClass::Dense,
        0x3005..=0x3007 | 0x303b | 0x31f0..=0x31ff | 0x3400..=0x4dbf => CharClass::Dense,
        0xf900..=0xfaff | 0xff66..=0xff9d | 0x1b000..=0x1b16f | 0x20000..=0x3ffff => {
            CharClass::Dense
        }
        0xff9e | 0xff9f => CharClass::Mark,
        _ => by_category(c),
    }
}

fn by_category(c: char) -> CharClass {
    use GeneralCategory as Category;
    if digit_value(c).is_some() {
        return CharClass::Digit;
    }
    if c.is_whitespace() || c.is_control() {
        return CharClass::Space;
    }
    match c.general_category() {
        Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark => {
            CharClass::Mark
        }
        Category::LetterNumber | Category::OtherNumber => CharClass::Numeral,
        Category::CurrencySymbol => CharClass::Currency,
        Category::ConnectorPunctuation
        | Category::DashPunctuation
        | Category::OpenPunctuation
        | Category::ClosePunctuation
        | Category::InitialPunctuation
        | Category::FinalPunctuation
        | Category::OtherPunctuation => CharClass::Punctuation,
        Category::Format => CharClass::Ignored,
        _ if c.is_alphabetic() => CharClass::Letter,
        _ => CharClass::Symbol,
    }
}

fn wide_to_ascii(c: char) -> char {
    char::from_u32(c as u32 - 0xfee0).unwrap_or(c)
}

/// The zeros of the decimal digits beyond ASCII; nine more digits follow each.
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
    0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50,
    0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0,
];

/// The value of a decimal digit of any script.
#[inline]
pub(crate) fn digit_value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let code = c as u32;
    let after = ZEROS.partition_point(|&zero| zero <= code);
    let zero = *ZEROS.get(after.checked_sub(1)?)?;
    (code - zero < 10).then(|| (code - zero) as u8)
}

/// Whether a quotation mark is one stroke: it may be an apostrophe, feet or minutes.
pub(crate) fn is_single_quotation(c: char) -> bool {
    matches!(
        c,
        '\'' | '`'
            | '´'
            | '\u{1fef}'
            | '\u{1ffd}'
            | 'ʼ'
            | '‘'
            | '’'
            | '‚'
            | '‛'
            | '′'
            | '‵'
            | '‹'
            | '›'
            | '❛'
            | '❜'
            | '＇'
            | '｀'
    )
}

/// Whether a dash is so long that it is never a sign.
pub(crate) fn is_long_dash(c: char) -> bool {
    matches!(c, '—' | '―' | '⸺' | '⸻' | '︱')
}

/// Spaces that may stand between the groups of a number.
pub(crate) fn is_group_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Whether a character may merge with the one before it when accents are composed.
pub(crate) fn continues(c: char) -> bool {
    match c as u32 {
        0..=0x2ff | 0x400..=0x482 | 0x3041..=0x3096 | 0x30a1..=0x30ff => false,
        0x4e00..=0x9fff | 0xac00..=0xd7a3 => false,
        0xff9e | 0xff9f => true,
        _ => {
            let mut first = None;
            decompose_canonical(c, |part| first = first.or(Some(part)));
            canonical_combining_class(first.unwrap_or(c)) != 0
                || is_nfc_quick(std::iter::once(c)) == IsNormalized::Maybe
        }
    }
}

/// Whether a character is a mere form of others: a ligature, a width, a font, a place in a word.
///
/// Small points, commas and colons are left out: beside digits they are not read as part of a number.
fn is_form(c: char) -> bool {
    matches!(c as u32,
        0xb5 | 0x1e9b | 0x132 | 0x133 | 0x17f | 0x1c4..=0x1cc | 0x1f1..=0x1f3
        | 0x2025 | 0x2026
        | 0x210a..=0x2113 | 0x2115 | 0x2119..=0x211d | 0x2124 | 0x2128 | 0x212c | 0x212d
        | 0x212f..=0x2134 | 0x2139
        | 0xfb00..=0xfb06 | 0xfb13..=0xfb17 | 0xfb1d..=0xfb4f | 0xfb50..=0xfdf1 | 0xfdf3..=0xfdf9
        | 0xfe30..=0xfe4f | 0xfe56..=0xfe6b | 0xfe70..=0xfefc | 0xff01..=0xffee
        | 0x1d400..=0x1d7cb | 0x1ee00..=0x1eebb)
}

/// The characters that stand for one character, lower case, accents not yet composed.
pub(crate) fn plain(c: char, out: &mut Vec<char>) {
    match c {
        'ς' => return out.push('σ'),
        '⁄' | '∕' => return out.push('/'),
        _ => {}
    }
    if is_form(c) {
        let from = out.len();
        decompose_compatible(c, |part| out.extend(part.to_lowercase()));
        let changes_more = out[from..]
            .iter()
            .any(|&part| part.is_whitespace() || part.is_numeric());
        if !changes_more {
            return;
        }
        out.truncate(from);
    }
    out.extend(c.to_lowercase());
}

/// What folding needs to know of a character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CharFacts {
    c: char,
    pub(crate) class: CharClass,
    /// See [`continues`].
    pub(crate) continues: bool,
    /// The one composed character that stands for it, if it is one.
    pub(crate) plain: Option<char>,
}

impl CharFacts {
    fn of(c: char) -> Self {
        let mut parts = Vec::new();
        plain(c, &mut parts);
        let mut composed = parts.iter().copied().nfc();
        Self {
            c,
            class: class(c),
            continues: continues(c),
            plain: composed.next().filter(|_| composed.next().is_none()),
        }
    }
}

/// Remembers the facts of characters: a text beyond ASCII uses few of them again and again.
pub(crate) struct CharCache {
    known: Vec<Cell<CharFacts>>,
}

impl CharCache {
    const SIZE: usize = 512;

    /// For a text: a short one is not worth remembering anything.
    pub(crate) fn of(text: &str) -> Self {
        match text.len() < Self::SIZE {
            true => Self { known: Vec::new() },
            false => Self::default(),
        }
    }

    /// The facts of a character.
    #[inline]
    pub(crate) fn get(&self, c: char) -> CharFacts {
        let Some(place) = self.known.get(c as usize % Self::SIZE) else {
            return CharFacts::of(c);
        };
        let facts = place.get();
        if facts.c == c {
            return facts;
        }
        let facts = CharFacts::of(c);
        place.set(facts);
        facts
    }

    /// The class of a character.
    #[inline]
    pub(crate) fn class(&self, c: char) -> CharClass {
        if c.is_ascii() {
            ASCII[c as usize]
        } else {
            self.get(c).class
        }
    }
}

impl Default for CharCache {
    fn default() -> Self {
        let nothing = CharFacts {
            c: '\0',
            class: CharClass::Space,
            continues: false,
            plain: None,
        };
        Self {
            known: vec![Cell::new(nothing); Self::SIZE],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plainly(c: char) -> String {
        let mut out = Vec::new();
        plain(c, &mut out);
        out.into_iter().collect()
    }

    #[test]
    fn forms_become_the_characters_they_stand_for() {
        for (form, expected) in [
            ('ﬁ', "fi"),
            ('ﬃ', "ffi"),
            ('Ａ', "a"),
            ('！', "!"),
            ('𝐁', "b"),
            ('ℎ', "h"),
            ('…', "..."),
            ('ﺍ', "ا"),
            ('µ', "μ"),
            ('Σ', "σ"),
            ('ς', "σ"),
            ('ſ', "s"),
        ] {
            assert_eq!(plainly(form), expected, "{form}");
        }
    }

    #[test]
    fn what_would_become_another_number_or_word_stays() {
        for kept in ['²', '½', '①', '㎡', '™', 'ª', 'é', 'ß', 'æ', 'ⅳ'] {
            assert_eq!(plainly(kept), kept.to_string());
        }
    }

    #[test]
    fn no_plain_form_has_a_digit() {
        for c in '\u{80}'..=char::MAX {
            if digit_value(c).is_none() {
                assert!(
                    !plainly(c).contains(|part: char| part.is_ascii_digit()),
                    "{c}"
                );
            }
        }
    }

    #[test]
    fn digits_of_all_scripts_have_values() {
        for (digit, value) in [('0', 0), ('９', 9), ('٣', 3), ('۴', 4), ('५', 5), ('𝟘', 0)]
        {
            assert_eq!(digit_value(digit), Some(value), "{digit}");
        }
        for other in ['²', '①', '½', '五', 'Ⅳ', 'a', '\u{66a}'] {
            assert_eq!(digit_value(other), None, "{other}");
        }
        // The table agrees with the general category for every character.
        for c in '\u{80}'..=char::MAX {
            if digit_value(c).is_some() {
                assert_eq!(c.general_category(), GeneralCategory::DecimalNumber, "{c}");
            }
        }
    }
}
