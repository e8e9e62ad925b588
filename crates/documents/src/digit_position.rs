//! Raised and lowered digits, as characters of their own.

/// Vertical position of digits and signs in running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DigitPosition {
    #[default]
    Normal,
    Raised,
    Lowered,
}

impl DigitPosition {
    /// Returns the form of a digit or sign at this position; other characters stay as they are.
    pub(crate) fn apply(self, c: char) -> char {
        match self {
            Self::Normal => c,
            Self::Raised => raised(c),
            Self::Lowered => lowered(c),
        }
    }
}

fn raised(c: char) -> char {
    match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4'..='9' => char::from_u32('⁴' as u32 + (c as u32 - '4' as u32)).unwrap_or(c),
        '+' => '⁺',
        '-' | '−' => '⁻',
        _ => c,
    }
}

fn lowered(c: char) -> char {
    match c {
        '0'..='9' => char::from_u32('₀' as u32 + (c as u32 - '0' as u32)).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_signs_are_raised_and_lowered() {
        let set = |position: DigitPosition| -> String {
            "0123456789+-x".chars().map(|c| position.apply(c)).collect()
        };
        assert_eq!(set(DigitPosition::Normal), "0123456789+-x");
        assert_eq!(set(DigitPosition::Raised), "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻x");
        assert_eq!(set(DigitPosition::Lowered), "₀₁₂₃₄₅₆₇₈₉+-x");
    }
}
