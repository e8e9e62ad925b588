//! Classes of characters that decide the borders of tokens.

/// Class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CharKind {
    /// Letter or digit of a script with spaces between words.
    Word,
    /// Character of a script without spaces between words, or of Hangul, whose words have endings attached.
    Unspaced,
    /// Mark or invisible character that does not end a token.
    Inside,
    /// Any other character.
    Between,
}

impl CharKind {
    /// Returns true if a token may begin with such a character.
    pub(super) fn is_token(self) -> bool {
        matches!(self, Self::Word | Self::Unspaced)
    }
}

/// Returns the class of a character.
pub(super) fn kind_of(char: char) -> CharKind {
    if char.is_ascii() {
        return match char.is_ascii_alphanumeric() {
            true => CharKind::Word,
            false => CharKind::Between,
        };
    }
    match char {
        '\u{ad}'
        | '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'
        | '\u{3099}'..='\u{309a}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => CharKind::Inside,
        // Thai, Lao, Myanmar, Khmer; Hangul; kana, ideographs, Bopomofo; half-width kana.
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{3098}'
        | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{318f}'
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}' => CharKind::Unspaced,
        // Vowel signs of Indic scripts are marks that belong to the word.
        '\u{900}'..='\u{dff}' if !matches!(char, '\u{964}' | '\u{965}') => CharKind::Word,
        _ if char.is_alphanumeric() => CharKind::Word,
        _ => CharKind::Between,
    }
}
