//! Roman numerals.

/// Values of the parts of a numeral in lower case, from the largest.
const PARTS: [(u32, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

/// Returns the value of a Roman numeral in its usual form, in any case: `xiv`, `MCMXCIX`. Returns `None` for other words.
pub fn parse_roman(word: &str) -> Option<u32> {
    let lower = word.to_ascii_lowercase();
    let (mut rest, mut value) = (lower.as_str(), 0);
    for (number, part) in PARTS {
        let most = match part {
            "m" | "c" | "x" | "i" => 3,
            _ => 1,
        };
        for _ in 0..most {
            let Some(after) = rest.strip_prefix(part) else {
                break;
            };
            (rest, value) = (after, value + number);
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}

/// Returns a number as a Roman numeral in lower case. Zero has none and is an empty text.
pub fn format_roman(number: u32) -> String {
    let mut left = number;
    let mut text = String::new();
    for (value, part) in PARTS {
        while left >= value {
            left -= value;
            text.push_str(part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_have_one_form() {
        for (word, value) in [
            ("i", Some(1)),
            ("iv", Some(4)),
            ("vi", Some(6)),
            ("XIV", Some(14)),
            ("xcix", Some(99)),
            ("mcmxcix", Some(1999)),
            ("MMXV", Some(2015)),
            ("iiii", None),
            ("ic", None),
            ("vx", None),
            ("civil", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(parse_roman(word), value, "{word}");
        }
    }

    #[test]
    fn every_number_is_read_as_it_is_written() {
        for number in 1..4000 {
            assert_eq!(parse_roman(&format_roman(number)), Some(number));
        }
        assert_eq!(format_roman(0), "");
    }
}
