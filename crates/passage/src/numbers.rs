//! Extent of numbers, separators between their digit groups, and the meaning of a comma in a text.

use unicode_normalization::char::decompose_compatible;

use crate::char_classes::{CharClass, class, digit_value, is_group_space, is_single_quotation};

/// Meaning of a comma between digits in a text.
///
/// It decides if "1,234" is the same number as "1234". A number with two or more groups
/// ("1,234,567") has only one reading and needs no decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CommaMeaning {
    /// Unknown: "1,234" equals only itself.
    #[default]
    Unsure,
    /// Separator of thousands.
    Thousands,
    /// Decimal separator.
    Decimal,
}

impl CommaMeaning {
    /// Returns the meaning of a comma in a language, given as a tag such as `de` or `en-GB`.
    pub fn of_language(tag: &str) -> Self {
        let mut parts = tag.split(['-', '_']);
        let language = parts.next().unwrap_or_default().to_ascii_lowercase();
        let region = parts.next_back().unwrap_or_default().to_ascii_uppercase();
        match language.as_str() {
            "en" if region == "ZA" => Self::Unsure,
            "en" | "zh" | "ja" | "ko" | "th" | "he" | "ga" | "cy" | "ms" | "tl" => Self::Thousands,
            "es" if matches!(region.as_str(), "MX" | "US" | "GT" | "PA" | "PR") => Self::Thousands,
            "de" if matches!(region.as_str(), "CH" | "LI") => Self::Unsure,
            "de" | "fr" | "es" | "it" | "pt" | "nl" | "da" | "sv" | "nb" | "nn" | "no" | "fi"
            | "pl" | "cs" | "sk" | "sl" | "hr" | "sr" | "hu" | "ro" | "bg" | "el" | "ru" | "uk"
            | "tr" | "id" | "vi" | "et" | "lv" | "lt" | "ca" | "is" => Self::Decimal,
            _ => Self::Unsure,
        }
    }

    /// Derives the meaning of a comma from the text itself.
    ///
    /// Numbers with only one reading are evidence; evidence for both readings cancels out. Without
    /// evidence, a text is taken to use commas for thousands if its frequent short words are
    /// English.
    pub(crate) fn of_text(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut thousands, mut decimal) = (0u32, 0u32);
        for comma in memchr::memchr_iter(b',', bytes) {
            match witness(bytes, comma) {
                Self::Thousands => thousands += 1,
                Self::Decimal => decimal += 1,
                Self::Unsure => {}
            }
        }
        match (thousands, decimal) {
            (0, 0) if is_english(bytes) => Self::Thousands,
            (1.., 0) => Self::Thousands,
            (0, 1..) => Self::Decimal,
            _ => Self::Unsure,
        }
    }
}

/// Counts the ASCII digits at the start, up to five.
fn digits(mut bytes: impl Iterator<Item = u8>) -> usize {
    let mut count = 0;
    while count < 5 && bytes.next().is_some_and(|byte| byte.is_ascii_digit()) {
        count += 1;
    }
    count
}

/// Returns the meaning of one comma if the number around it has only one reading.
fn witness(bytes: &[u8], comma: usize) -> CommaMeaning {
    let before = digits(bytes[..comma].iter().rev().copied());
    let after = digits(bytes[comma + 1..].iter().copied());
    if before == 0 || after == 0 {
        return CommaMeaning::Unsure;
    }
    let start = comma - before;
    let end = comma + 1 + after;
    let left = start.checked_sub(1).map_or(b' ', |at| bytes[at]);
    let right = bytes.get(end).copied().unwrap_or(b' ');
    let right_digit = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    let left_digit = start >= 2 && bytes[start - 2].is_ascii_digit();
    // Skips lists of numbers without spaces, and references such as [3,17].
    if (left == b',' && left_digit) || b"[({^".contains(&left) || b"])}".contains(&right) {
        return CommaMeaning::Unsure;
    }
    if right == b',' && right_digit {
        let next = digits(bytes[end + 1..].iter().copied());
        let grouped = before <= 3 && after == 3 && next == 3 && bytes[start] != b'0';
        return if grouped {
            CommaMeaning::Thousands
        } else {
            CommaMeaning::Unsure
        };
    }
    if left == b'.' && left_digit {
        return CommaMeaning::Decimal;
    }
    if right == b'.' && right_digit && before <= 3 && after == 3 {
        return CommaMeaning::Thousands;
    }
    if after != 3 || before > 3 || bytes[start] == b'0' {
        return CommaMeaning::Decimal;
    }
    CommaMeaning::Unsure
}

/// Returns true if the frequent short words in the first 256 KiB of a text are English.
fn is_english(bytes: &[u8]) -> bool {
    const ENGLISH: &[&[u8]] = &[
        b"the", b"and", b"with", b"from", b"that", b"which", b"were", b"this", b"have", b"by",
    ];
    const OTHERS: &[&[u8]] = &[
        b"der", b"die", b"das", b"und", b"mit", b"von", b"ist", b"le", b"la", b"les", b"des",
        b"et", b"est", b"el", b"los", b"las", b"del", b"que", b"con", b"il", b"che", b"di", b"het",
        b"een", b"og", b"och", b"do", b"da", b"para",
    ];
    let sample = &bytes[..bytes.len().min(1 << 18)];
    let (mut english, mut others) = (0, 0);
    for word in sample.split(|byte| !byte.is_ascii_alphabetic() && byte.is_ascii()) {
        if (2..=5).contains(&word.len()) {
            let is = |known: &&[u8]| known.eq_ignore_ascii_case(word);
            english += usize::from(ENGLISH.iter().any(is));
            others += usize::from(OTHERS.iter().any(is));
        }
    }
    english > 0 && english > 4 * others
}

/// A number in a text: digits of any script with the separators between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberSpan {
    /// Byte position after the last digit.
    pub(crate) end: usize,
    /// Separator of groups of three digits, which is dropped.
    pub(crate) group: Option<GroupSeparator>,
}

/// Kind of separator between digit groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupSeparator {
    Comma,
    Apostrophe,
    Space,
}

/// Maximum number of digit groups in a number. Without it, reading long chains would be quadratic.
const MAX_GROUPS: usize = 16;

/// Returns true for characters that join digits into one number if they are directly between them.
fn joins(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | ':' | '/' | '٫' | '٬' | '．' | '，' | '：' | '／' | '⁄' | '∕'
    ) || is_single_quotation(c)
}

/// Position in a text that skips invisible characters.
#[derive(Clone, Copy)]
struct NumberReader<'a> {
    text: &'a str,
    at: usize,
}

impl NumberReader<'_> {
    /// Returns the next visible character and the position after it.
    fn peek(&self) -> Option<(char, usize)> {
        let mut end = self.at;
        for c in self.text[self.at..].chars() {
            end += c.len_utf8();
            if c.is_ascii() || class(c) != CharClass::Ignored {
                return Some((c, end));
            }
        }
        None
    }

    /// Skips digits and counts them.
    fn digits(&mut self) -> usize {
        let mut count = 0;
        while let Some((c, end)) = self.peek()
            && digit_value(c).is_some()
        {
            self.at = end;
            count += 1;
        }
        count
    }

    /// Returns true if a digit is next.
    fn at_digit(&self) -> bool {
        self.peek().is_some_and(|(c, _)| digit_value(c).is_some())
    }

    /// Returns the reader after a separator if a digit follows it.
    fn past_separator(&self, separates: impl Fn(char) -> bool) -> Option<Self> {
        let (c, end) = self.peek()?;
        let past = Self { at: end, ..*self };
        (separates(c) && past.at_digit()).then_some(past)
    }
}

/// Spaces that may separate the groups of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupSpaces {
    None,
    /// Thin and no-break spaces.
    NoBreak,
    Any,
}

/// Rules for reading numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberRules {
    pub(crate) comma: CommaMeaning,
    pub(crate) spaces: GroupSpaces,
}

impl NumberRules {
    /// Returns the kind of group separator that a character may be.
    pub(crate) fn group(self, c: char) -> Option<GroupSeparator> {
        let is_space = match self.spaces {
            GroupSpaces::None => false,
            GroupSpaces::NoBreak => is_group_space(c),
            GroupSpaces::Any => matches!(class(c), CharClass::Space | CharClass::Line),
        };
        match c {
            ',' | '，' => Some(GroupSeparator::Comma),
            _ if is_single_quotation(c) => Some(GroupSeparator::Apostrophe),
            _ => is_space.then_some(GroupSeparator::Space),
        }
    }
}

/// Returns a vulgar fraction as it is written with digits: "1/2" for "½".
pub(crate) fn fraction_digits(c: char) -> Option<String> {
    if !matches!(c as u32, 0xbc..=0xbe | 0x2150..=0x215e | 0x2189) {
        return None;
    }
    let mut digits = String::new();
    decompose_compatible(c, |part| match part {
        '⁄' => digits.push('/'),
        digit => digits.push(digit),
    });
    Some(digits)
}

/// Reads the number that has its first digit at `start`.
pub(crate) fn read(text: &str, start: usize, reading: NumberRules) -> NumberSpan {
    let reader = NumberReader { text, at: start };
    if let Some(number) = grouped(reader, reading) {
        return number;
    }
    let mut reader = reader;
    reader.digits();
    while let Some(past) = reader.past_separator(joins) {
        reader = past;
        reader.digits();
    }
    NumberSpan {
        end: reader.at,
        group: None,
    }
}

fn grouped(mut reader: NumberReader<'_>, reading: NumberRules) -> Option<NumberSpan> {
    let (first, _) = reader.peek()?;
    let leading = reader.digits();
    if !(1..=3).contains(&leading) || digit_value(first) == Some(0) {
        return None;
    }
    let group = reading.group(reader.peek()?.0)?;
    let mut groups = 0;
    while let Some(past) = reader.past_separator(|c| reading.group(c) == Some(group)) {
        reader = past;
        if reader.digits() != 3 || groups == MAX_GROUPS {
            return None;
        }
        groups += 1;
    }
    if groups == 0
        || (group == GroupSeparator::Comma
            && groups == 1
            && reading.comma != CommaMeaning::Thousands)
    {
        return None;
    }
    let fraction = |c| c == '.' || (c == ',' && group != GroupSeparator::Comma);
    if let Some(past) = reader.past_separator(fraction) {
        reader = past;
        reader.digits();
    }
    let goes_on = reader.past_separator(joins);
    goes_on.is_none().then_some(NumberSpan {
        end: reader.at,
        group: Some(group),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn witnesses_decide_what_a_comma_means() {
        for (text, expected) in [
            ("1,234.50 and 2,345", CommaMeaning::Thousands),
            ("1,234,567 people", CommaMeaning::Thousands),
            ("12,5 Prozent von 1,234", CommaMeaning::Decimal),
            ("1.234,56 EUR", CommaMeaning::Decimal),
            ("0,123", CommaMeaning::Decimal),
            ("1,234", CommaMeaning::Unsure),
            ("1,234.5 but 12,5", CommaMeaning::Unsure),
            ("see [3,17] and the 1,234 others", CommaMeaning::Thousands),
            ("the 1,234 people", CommaMeaning::Thousands),
            ("die 1,234 Meter", CommaMeaning::Unsure),
        ] {
            assert_eq!(CommaMeaning::of_text(text), expected, "{text}");
        }
    }

    #[test]
    fn languages_decide_what_a_comma_means() {
        assert_eq!(CommaMeaning::of_language("en-US"), CommaMeaning::Thousands);
        assert_eq!(CommaMeaning::of_language("DE"), CommaMeaning::Decimal);
        assert_eq!(CommaMeaning::of_language("es_MX"), CommaMeaning::Thousands);
        assert_eq!(CommaMeaning::of_language("tlh"), CommaMeaning::Unsure);
    }

    #[test]
    fn fractions_have_digits() {
        for (c, digits) in [
            ('½', Some("1/2")),
            ('¾', Some("3/4")),
            ('⅒', Some("1/10")),
            ('⅟', None),
            ('²', None),
            ('a', None),
        ] {
            assert_eq!(fraction_digits(c).as_deref(), digits, "{c}");
        }
    }

    #[test]
    fn numbers_end_after_their_last_digit() {
        for (text, length, group) in [
            ("12 34", 2, None),
            ("12.5.", 4, None),
            ("12:04, then", 5, None),
            ("1,234,567 x", 9, Some(GroupSeparator::Comma)),
            ("1'234'567.5", 11, Some(GroupSeparator::Apostrophe)),
            ("1\u{202f}234,5", 9, Some(GroupSeparator::Space)),
            ("1,23,456", 8, None),
            ("1234,567", 8, None),
            ("0,123,456", 9, None),
            ("1.234.567", 9, None),
            ("1,234,567,89", 12, None),
            ("12\u{a0}34", 2, None),
        ] {
            let reading = NumberRules {
                comma: CommaMeaning::Unsure,
                spaces: GroupSpaces::NoBreak,
            };
            let number = read(text, 0, reading);
            assert_eq!((number.end, number.group), (length, group), "{text}");
        }
        let read = |comma| {
            let spaces = GroupSpaces::None;
            read("1,234", 0, NumberRules { comma, spaces }).group
        };
        assert_eq!(read(CommaMeaning::Unsure), None);
        assert_eq!(read(CommaMeaning::Decimal), None);
        assert_eq!(read(CommaMeaning::Thousands), Some(GroupSeparator::Comma));
    }
}
