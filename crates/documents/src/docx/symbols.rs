//! Letters of fonts that give bytes a meaning of their own.

/// The characters of the font Symbol from 0x20; a space where it has none.
const SYMBOL_LOW: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// The same from 0xa0.
const SYMBOL_HIGH: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/// Characters of Wingdings that stand for something in running text.
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

/// A font whose letters are not what their numbers say.
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

    /// The character that a letter of the font shows, if it has a meaning in text.
    pub(super) fn character(self, number: u32) -> Option<char> {
        // Such letters are written as they are, or in the area for private use.
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

/// Whether a character is one of a symbol font, whatever font that was.
pub(super) fn is_of_symbol_font(c: char) -> bool {
    matches!(c, '\u{f020}'..='\u{f0ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_letter_at_its_place() {
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
