//! Unusual glyph names that still identify characters.

use std::collections::HashMap;

use hayro_syntax::object::{Array, Dict, Name, Object};

/// Minimum number of small letters in a font with the codes of a text encoding.
const TEXT_LETTERS: usize = 3;

/// Returns the characters of codes by their glyph names: names of one character, such as "(", and
/// in Type 3 fonts names that repeat the code, such as "a97".
pub(super) fn named_by_code(dict: &Dict<'_>) -> HashMap<u32, char> {
    let mut named = HashMap::new();
    let mut numbered = Vec::new();
    let differences = dict
        .get::<Dict<'_>>("Encoding")
        .and_then(|encoding| encoding.get::<Array<'_>>("Differences"));
    let mut code = 0u32;
    for item in differences.iter().flat_map(Array::iter::<Object<'_>>) {
        match item {
            Object::Number(first) => code = u32::try_from(first.as_i64()).unwrap_or(0),
            Object::Name(name) => {
                match &*name {
                    [byte] if byte.is_ascii_graphic() => {
                        named.insert(code, char::from(*byte));
                    }
                    [b'a' | b'A' | b'c' | b'C', digits @ ..] if repeats(digits, code) => {
                        numbered.push(code);
                    }
                    _ => {}
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
        if code > 0xff {
            break;
        }
    }
    let is_drawn = dict.get::<Name<'_>>("Subtype").as_deref() == Some(b"Type3");
    if is_drawn && let Some(encoding) = TexEncoding::of_codes(&numbered, is_fixed_width(dict)) {
        for code in numbered {
            if let Some(c) = encoding.character(code) {
                named.entry(code).or_insert(c);
            }
        }
    }
    named
}

/// Returns true if all glyphs of a font have the same width.
fn is_fixed_width(dict: &Dict<'_>) -> bool {
    let widths = dict.get::<Array<'_>>("Widths");
    let widths = widths.iter().flat_map(|widths| widths.iter::<f32>());
    let mut widths = widths.filter(|width| *width > 0.0);
    let first = widths.next();
    first.is_some_and(|first| widths.all(|width| (width - first).abs() < 0.01 * first))
}

/// Returns true if the digits spell the code.
fn repeats(digits: &[u8], code: u32) -> bool {
    let digits = std::str::from_utf8(digits).ok();
    digits.and_then(|digits| digits.parse().ok()) == Some(code)
}

/// Encoding of the text fonts of TeX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TexEncoding {
    /// Seven-bit encoding (OT1).
    Older,
    /// Seven-bit encoding of typewriter fonts.
    Typewriter,
    /// Eight-bit encoding (T1).
    Newer,
    /// Eight-bit encoding with Cyrillic letters in the upper half.
    Cyrillic,
}

impl TexEncoding {
    /// Guesses the encoding from the codes that a font uses: the positions of letters, ligatures
    /// and quotation marks differ.
    fn of_codes(codes: &[u32], is_fixed_width: bool) -> Option<Self> {
        let count = |range: std::ops::RangeInclusive<u32>| {
            codes.iter().filter(|code| range.contains(code)).count()
        };
        let latin = count(0x61..=0x7a);
        let cyrillic = count(0xe0..=0xff);
        if latin.max(cyrillic) < TEXT_LETTERS {
            return None;
        }
        let newer = |code: &u32| matches!(code, 0x10 | 0x11 | 0x15 | 0x16 | 0x1b..=0x1f | 0x80..);
        let is_newer = codes.iter().any(newer) && count(0x0b..=0x0f) == 0;
        Some(if cyrillic > latin {
            Self::Cyrillic
        } else if is_newer {
            Self::Newer
        } else if is_fixed_width {
            Self::Typewriter
        } else {
            Self::Older
        })
    }

    /// Returns the character of a code.
    fn character(self, code: u32) -> Option<char> {
        const UPPER: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£";
        const LIGATURES: [char; 5] = ['ﬀ', 'ﬁ', 'ﬂ', 'ﬃ', 'ﬄ'];
        let ligature = |first: u32| LIGATURES.get(code.checked_sub(first)? as usize).copied();
        match (self, code) {
            (_, 0x27) => Some('’'),
            (_, 0x60) => Some('‘'),
            (Self::Older, 0x0b..=0x0f) => ligature(0x0b),
            (Self::Older, 0x10) => Some('ı'),
            (Self::Older, 0x12) => Some('`'),
            (Self::Older, 0x13) => Some('´'),
            (Self::Older, 0x14) => Some('ˇ'),
            (Self::Older, 0x19) => Some('ß'),
            (Self::Older, 0x1a) => Some('æ'),
            (Self::Older, 0x1b) => Some('œ'),
            (Self::Older, 0x1c) => Some('ø'),
            (Self::Older, 0x22) => Some('”'),
            (Self::Older, 0x5c) => Some('“'),
            (Self::Older, 0x7b) => Some('–'),
            (Self::Older, 0x7c) => Some('—'),
            (Self::Older, 0x7f) => Some('¨'),
            (Self::Newer | Self::Cyrillic, 0x10) => Some('“'),
            (Self::Newer | Self::Cyrillic, 0x11) => Some('”'),
            (Self::Newer | Self::Cyrillic, 0x15) => Some('–'),
            (Self::Newer | Self::Cyrillic, 0x16) => Some('—'),
            (Self::Newer | Self::Cyrillic, 0x1b..=0x1f) => ligature(0x1b),
            (Self::Newer | Self::Cyrillic, 0x7f) => Some('-'),
            (Self::Cyrillic, 0x9c) => Some('Ё'),
            (Self::Cyrillic, 0xbc) => Some('ё'),
            (Self::Cyrillic, 0xbe) => Some('«'),
            (Self::Cyrillic, 0xbf) => Some('»'),
            (Self::Cyrillic, 0xc0..=0xff) => char::from_u32(0x410 + code - 0xc0),
            (Self::Newer, 0x80..=0xbf) => UPPER.chars().nth(code as usize - 0x80),
            (Self::Newer, 0xd7) => Some('Œ'),
            (Self::Newer, 0xf7) => Some('œ'),
            (Self::Newer, 0xff) => Some('ß'),
            (Self::Newer, 0xc0..=0xfe) if code != 0xdf => char::from_u32(code),
            (_, 0x21..=0x7e) => char::from_u32(code),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_codes_of_text_fonts() {
        for (encoding, code, c) in [
            (TexEncoding::Newer, 0x61, Some('a')),
            (TexEncoding::Older, 0x0c, Some('ﬁ')),
            (TexEncoding::Newer, 0x1c, Some('ﬁ')),
            (TexEncoding::Older, 0x5c, Some('“')),
            (TexEncoding::Typewriter, 0x5c, Some('\\')),
            (TexEncoding::Newer, 0x8a, Some('Ł')),
            (TexEncoding::Newer, 0xbf, Some('£')),
            (TexEncoding::Newer, 0xe9, Some('é')),
            (TexEncoding::Cyrillic, 0xe9, Some('й')),
            (TexEncoding::Older, 0xe9, None),
            (TexEncoding::Newer, 0x03, None),
        ] {
            assert_eq!(encoding.character(code), c, "{encoding:?} {code:#x}");
        }
        assert!(repeats(b"97", 97) && !repeats(b"98", 97) && !repeats(b"", 0));
    }

    #[test]
    fn recognises_tex_encodings() {
        let latin = [0x61, 0x65, 0x6f];
        let with = |more: &[u32], is_fixed_width: bool| {
            TexEncoding::of_codes(&[&latin[..], more].concat(), is_fixed_width)
        };
        assert_eq!(with(&[0x0c, 0x5c], false), Some(TexEncoding::Older));
        assert_eq!(with(&[0x10, 0x1c], false), Some(TexEncoding::Newer));
        assert_eq!(with(&[0x5c], true), Some(TexEncoding::Typewriter));
        let cyrillic = [0xe0, 0xe5, 0xee, 0xf2];
        assert_eq!(with(&cyrillic, false), Some(TexEncoding::Cyrillic));
        assert_eq!(TexEncoding::of_codes(&[0, 15, 104], false), None);
    }
}
