//! Classes of characters, and the plainer characters that replace some of them.
//!
//! This is the allow-list of normalisation: a character that is not listed here stays as it is.

use std::cell::Cell;

use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Class of a character, as normalisation and the detection of token boundaries use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharClass {
    /// White space within a line, or a control character.
    Space,
    /// White space that ends a line.
    Line,
    /// Invisible character: joiner, direction mark, soft hyphen, variation selector.
    Ignored,
    /// A letter of a script that separates words.
    Letter,
    /// A letter of a script that writes words without spaces between them.
    Dense,
    /// A mark that belongs to the letter before it.
    Mark,
    /// A decimal digit of any script.
    Digit,
    /// Another kind of number: a fraction, a roman or circled numeral.
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
    /// Returns true for a letter or a mark on a letter.
    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Letter | Self::Dense | Self::Mark)
    }

    /// Returns true for characters that words and numbers consist of.
    pub(crate) fn is_wordlike(self) -> bool {
        matches!(
            self,
            Self::Letter | Self::Mark | Self::Digit | Self::Numeral | Self::Subscript
        )
    }
}

/// Returns the class of a character.
#[inline]
pub(crate) fn class(c: char) -> CharClass {
    if c.is_ascii() {
        ASCII[c as usize]
    } else {
        class_of_non_ascii(c)
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

fn class_of_non_ascii(c: char) -> CharClass {
    match c as u32 {
        // The most frequent ranges come first.
        0xc0..=0x24f if c != '×' && c != '÷' => CharClass::Letter,
        0x410..=0x44f | 0x5d0..=0x5ea | 0xac00..=0xd7a3 => CharClass::Letter,
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x30fc | 0x4e00..=0x9fff => CharClass::Dense,
        0xad | 0x34f | 0x61c | 0x180b..=0x180f | 0x200b..=0x200f => CharClass::Ignored,
        0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff => CharClass::Ignored,
        0xe0000..=0xe0fff => CharClass::Ignored,
        // Vowel signs of Hebrew and Arabic, which most texts leave out, and the lengthening of lines.
        0x5b0..=0x5bd | 0x5bf | 0x5c1 | 0x5c2 | 0x5c7 | 0x640 | 0x64b..=0x652 | 0x670 => {
            CharClass::Ignored
        }
        0x85 | 0x2028 | 0x2029 => CharClass::Line,
        0x2010..=0x2015 | 0x2212 | 0x58a | 0x5be | 0x2e3a | 0x2e3b => CharClass::Dash,
        0xfe31 | 0xfe32 | 0xfe58 | 0xfe63 | 0xff0d => CharClass::Dash,
        0xab | 0xbb | 0xb4 | 0x2bc | 0x2018..=0x201f | 0x2032..=0x2037 => CharClass::Quotation,
        0x2039 | 0x203a | 0x300c..=0x300f | 0x301d..=0x301f | 0x275b..=0x275e => {
            CharClass::Quotation
        }
        0xfe41..=0xfe44 | 0xff62 | 0xff63 => CharClass::Quotation,
        0xff01..=0xff5e => class(wide_to_ascii(c)),
        // Canonical duplicates of punctuation and quotation marks.
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
        _ => class_by_category(c),
    }
}

fn class_by_category(c: char) -> CharClass {
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

/// Code points of the digit zero in scripts beyond ASCII; each is followed by the other nine
/// digits.
const ZERO_DIGITS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
    0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50,
    0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e950, 0x1fbf0,
];

/// Returns the value of a decimal digit of any script.
#[inline]
pub(crate) fn digit_value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let code = c as u32;
    let after = ZERO_DIGITS.partition_point(|&zero| zero <= code);
    let zero = *ZERO_DIGITS.get(after.checked_sub(1)?)?;
    (code - zero < 10).then(|| (code - zero) as u8)
}

/// Returns true for a quotation mark of one stroke, which may be an apostrophe, feet or minutes.
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

/// Returns true for a dash that is too long to be a sign.
pub(crate) fn is_long_dash(c: char) -> bool {
    matches!(c, '—' | '―' | '⸺' | '⸻' | '︱')
}

/// Returns true for spaces that are used between the groups of a number.
pub(crate) fn is_group_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Returns true if Unicode composition may merge a character with the one before it.
pub(crate) fn combines_with_previous(c: char) -> bool {
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

/// Returns true for a variant of other characters: a ligature, a width, a font, a position in a
/// word.
///
/// Small points, commas and colons are left out, because they are not read as part of a number
/// beside digits.
fn is_variant_form(c: char) -> bool {
    matches!(c as u32,
        0xb5 | 0x1e9b | 0x132 | 0x133 | 0x17f | 0x1c4..=0x1cc | 0x1f1..=0x1f3
        | 0x2025 | 0x2026
        | 0x210a..=0x2113 | 0x2115 | 0x2119..=0x211d | 0x2124 | 0x2128 | 0x212c | 0x212d
        | 0x212f..=0x2134 | 0x2139
        | 0xfb00..=0xfb06 | 0xfb13..=0xfb17 | 0xfb1d..=0xfb4f | 0xfb50..=0xfdf1 | 0xfdf3..=0xfdf9
        | 0xfe30..=0xfe4f | 0xfe56..=0xfe6b | 0xfe70..=0xfefc | 0xff01..=0xffee
        | 0x1d400..=0x1d7cb | 0x1ee00..=0x1eebb)
}

/// Returns the Persian form of an Arabic letter that looks the same. Keyboards and fonts mix them.
///
/// Composition comes first: "ئ" is a letter of its own.
pub(crate) fn persian_form(c: char) -> char {
    match c {
        'ي' | 'ى' => 'ی',
        'ك' => 'ک',
        _ => c,
    }
}

/// Appends the characters that replace a character: lower case, accents not yet composed.
pub(crate) fn push_plain_form(c: char, out: &mut Vec<char>) {
    match c {
        'ς' => return out.push('σ'),
        // German spells the same words with either; Swiss texts have no "ß".
        'ß' | 'ẞ' => return out.extend(['s', 's']),
        '⁄' | '∕' => return out.push('/'),
        _ => {}
    }
    if is_variant_form(c) {
        let from = out.len();
        decompose_compatible(c, |part| {
            if class(part) != CharClass::Ignored {
                out.extend(part.to_lowercase());
            }
        });
        let changes_meaning = out[from..]
            .iter()
            .any(|&part| part.is_whitespace() || part.is_numeric());
        if !changes_meaning {
            return;
        }
        out.truncate(from);
    }
    out.extend(c.to_lowercase());
}

/// Cached properties of a character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CharProperties {
    c: char,
    pub(crate) class: CharClass,
    /// Result of [`combines_with_previous`].
    pub(crate) combines_with_previous: bool,
    /// The replacement, if it is a single composed character.
    pub(crate) plain: Option<char>,
}

impl CharProperties {
    fn new(c: char) -> Self {
        let mut parts = Vec::new();
        push_plain_form(c, &mut parts);
        let mut composed = parts.iter().copied().nfc();
        Self {
            c,
            class: class(c),
            combines_with_previous: combines_with_previous(c),
            plain: { composed.next().map(persian_form) }.filter(|_| composed.next().is_none()),
        }
    }
}

/// Cache of character properties. A text beyond ASCII uses the same few characters again and again.
pub(crate) struct CharCache {
    slots: Vec<Cell<CharProperties>>,
}

impl CharCache {
    const SIZE: usize = 512;

    /// Creates a cache for a text. A short text gets none, because filling it would cost more.
    pub(crate) fn for_text(text: &str) -> Self {
        match text.len() < Self::SIZE {
            true => Self { slots: Vec::new() },
            false => Self::default(),
        }
    }

    /// Returns the properties of a character.
    #[inline]
    pub(crate) fn get(&self, c: char) -> CharProperties {
        let Some(slot) = self.slots.get(c as usize % Self::SIZE) else {
            return CharProperties::new(c);
        };
        let properties = slot.get();
        if properties.c == c {
            return properties;
        }
        let properties = CharProperties::new(c);
        slot.set(properties);
        properties
    }

    /// Returns the class of a character.
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
        let empty = CharProperties {
            c: '\0',
            class: CharClass::Space,
            combines_with_previous: false,
            plain: None,
        };
        Self {
            slots: vec![Cell::new(empty); Self::SIZE],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_form(c: char) -> String {
        let mut out = Vec::new();
        push_plain_form(c, &mut out);
        out.into_iter().collect()
    }

    #[test]
    fn replaces_variant_forms() {
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
            ('ß', "ss"),
            ('ẞ', "ss"),
        ] {
            assert_eq!(plain_form(form), expected, "{form}");
        }
    }

    #[test]
    fn keeps_forms_that_would_become_another_number_or_word() {
        for kept in ['²', '½', '①', '㎡', '™', 'ª', 'é', 'æ', 'ⅳ'] {
            assert_eq!(plain_form(kept), kept.to_string());
        }
    }

    #[test]
    fn no_plain_form_contains_a_digit() {
        for c in '\u{80}'..=char::MAX {
            if digit_value(c).is_none() {
                assert!(
                    !plain_form(c).contains(|part: char| part.is_ascii_digit()),
                    "{c}"
                );
            }
        }
    }

    #[test]
    fn knows_digits_of_all_scripts() {
        for (digit, value) in [('0', 0), ('９', 9), ('٣', 3), ('۴', 4), ('५', 5), ('𝟘', 0)]
        {
            assert_eq!(digit_value(digit), Some(value), "{digit}");
        }
        for other in ['²', '①', '½', '五', 'Ⅳ', 'a', '\u{66a}'] {
            assert_eq!(digit_value(other), None, "{other}");
        }
        // The table must agree with the general category of every character.
        for c in '\u{80}'..=char::MAX {
            if digit_value(c).is_some() {
                assert_eq!(c.general_category(), GeneralCategory::DecimalNumber, "{c}");
            }
        }
    }
}
