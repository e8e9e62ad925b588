//! Characters of symbol fonts, whose codes have other meanings.

/// Characters of the font Symbol from 0x20; a space for codes without a character.
const SYMBOL_LOW: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// Characters of the font Symbol from 0xa0.
const SYMBOL_HIGH: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/// Characters of Wingdings with a meaning in running text.
const WINGDINGS: &[(u32, char)] = &[
    (0x6c, '●'),
    (0x6e, '■'),
    (0x6f, '□'),
    (0x71, '❑'),
    (0x76, '❖'),
    (0x9f, '•'),
    (0xa7, '▪'),
    (0xa8, '◻'),
    (0xd8, '➢'),
    (0xdf, '←'),
    (0xe0, '→'),
    (0xe1, '↑'),
    (0xe2, '↓'),
    (0xe8, '➔'),
    (0xef, '⇦'),
    (0xf0, '⇨'),
    (0xfb, '✗'),
    (0xfc, '✓'),
    (0xfd, '☒'),
    (0xfe, '☑'),
];

/// Symbol font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolFont {
    Symbol,
    Wingdings,
}

impl SymbolFont {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        match name {
            "Symbol" => Some(Self::Symbol),
            "Wingdings" => Some(Self::Wingdings),
            _ => None,
        }
    }

    /// Returns the character of a code, if it has a meaning in text.
    pub(super) fn character(self, number: u32) -> Option<char> {
        // Codes are written as they are, or in the private use area.
        let number = match number {
            0xf000..=0xf0ff => number - 0xf000,
            _ => number,
        };
        match self {
            Self::Symbol => {
                let shown = match number {
                    0x20..=0x7e => SYMBOL_LOW.chars().nth(number as usize - 0x20),
                    0xa0..=0xfe => SYMBOL_HIGH.chars().nth(number as usize - 0xa0),
                    _ => None,
                };
                shown.filter(|c| *c != ' ' || number == 0x20)
            }
            Self::Wingdings => {
                let known = WINGDINGS.iter().find(|(known, _)| *known == number);
                known.map(|(_, c)| *c)
            }
        }
    }
}

/// Returns true for private use characters of any symbol font.
pub(super) fn is_of_symbol_font(c: char) -> bool {
    matches!(c, '\u{f020}'..='\u{f0ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_every_character_at_its_code() {
        assert_eq!(SYMBOL_LOW.chars().count(), 0x7f - 0x20);
        assert_eq!(SYMBOL_HIGH.chars().count(), 0xff - 0xa0);
        for (number, shown) in [
            (0x61, Some('α')),
            (0x57, Some('Ω')),
            (0xf0b3, Some('≥')),
            (0xf0b7, Some('•')),
            (0xa3, Some('≤')),
            (0xe5, Some('∑')),
            (0xfe, Some('⎭')),
            (0xf0, None),
            (0x7f, None),
        ] {
            assert_eq!(SymbolFont::Symbol.character(number), shown, "{number:#x}");
        }
        assert_eq!(SymbolFont::Wingdings.character(0xf0fc), Some('✓'));
        assert_eq!(SymbolFont::Wingdings.character(0x41), None);
    }
}
