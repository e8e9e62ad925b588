//! Page ids: `N_I` and `page_number_N_index_I`.

use json::Number;

use crate::js_format::print_number;

/// Page number and index of a page id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageId {
    pub(crate) number: Number,
    pub(crate) index: Number,
}

impl PageId {
    /// Reads a page id in either form; the long form may be anywhere in the text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::canonical(text)
            .or_else(|| Self::short(text))
            .or_else(|| Self::long(text, 30))
    }

    /// Reads the form that prompts ask for, at the start of the text.
    fn canonical(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("page_number_")?;
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at(digits(rest));
        let index = rest.strip_prefix("_index_")?;
        let index = &index[..digits(index)];
        (!number.is_empty() && !index.is_empty()).then(|| Self::new(number, index))
    }

    /// Reads the page id of a tag: the long form in lower case, with any number of letters before the number.
    ///
    /// A page id is always returned. Page 0 becomes page 1 in it.
    pub(crate) fn of_tag(text: &str) -> (Option<Number>, String) {
        let small = text.contains("page") && text.contains("_index_");
        let page = Self::long(text, text.len()).filter(|_| small);
        let index = page
            .as_ref()
            .map_or(Number::Int(0), |page| page.index.clone());
        let number = page.map(|page| page.number);
        let shown = number.clone().filter(|number| number.as_f64() != 0.0);
        let id = Self {
            number: shown.unwrap_or(Number::Int(1)),
            index,
        }
        .id();
        (number, id)
    }

    fn short(text: &str) -> Option<Self> {
        let at = text.bytes().position(|byte| byte == b'_')?;
        let (number, index) = (&text[..at], &text[at + 1..]);
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        (digits(number) && digits(index)).then(|| Self::new(number, index))
    }

    /// Reads `page`, at most `gap` letters and underscores, N, `_index_`, I.
    fn long(text: &str, gap: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        // Only the number right before each `_index_` can be meant, so scanning is linear.
        for at in memchr::memmem::find_iter(&bytes.to_ascii_lowercase(), b"_index_") {
            let index_end = bytes[at + 7..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let digits = bytes[..at]
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if index_end == 0 || digits == 0 {
                continue;
            }
            let letters = |byte: &&u8| **byte == b'_' || byte.is_ascii_alphabetic();
            let before = &bytes[..at - digits];
            let room = before
                .iter()
                .rev()
                .take_while(letters)
                .take(gap.saturating_add(4))
                .count();
            let word = &before[before.len() - room..];
            if word
                .to_ascii_lowercase()
                .windows(4)
                .any(|part| part == b"page")
            {
                return Some(Self::new(
                    &text[at - digits..at],
                    &text[at + 7..at + 7 + index_end],
                ));
            }
        }
        None
    }

    fn new(number: &str, index: &str) -> Self {
        let (number, index) = (number_of(number), number_of(index));
        // Pages count from 1. Only 0 with index 0 is surely a mistake.
        if number.as_f64() == 0.0 && index.as_f64() == 0.0 {
            return Self {
                number: Number::Int(1),
                index,
            };
        }
        Self { number, index }
    }

    /// Returns the long form.
    pub(crate) fn id(&self) -> String {
        let mut id = String::with_capacity(32);
        id.push_str("page_number_");
        print_number(&self.number, &mut |digits| id.push_str(digits));
        id.push_str("_index_");
        print_number(&self.index, &mut |digits| id.push_str(digits));
        id
    }
}

/// Reads a run of digits as a number.
pub(crate) fn number_of(digits: &str) -> Number {
    digits.parse().map_or_else(
        |_| Number::from(digits.parse::<f64>().unwrap_or_default()),
        Number::Int,
    )
}

/// Returns the first run of digits in a text as a number.
pub(crate) fn first_number(text: &str) -> Option<Number> {
    let start = text.find(|char: char| char.is_ascii_digit())?;
    let run = &text[start..];
    let end = run
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(run.len());
    Some(number_of(&run[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        PageId::parse(text).map(|page| page.id())
    }

    #[test]
    fn page_ids_are_read_in_both_forms() {
        for (text, expected) in [
            ("2_1", Some("page_number_2_index_1")),
            ("007_006", Some("page_number_7_index_6")),
            ("0_0", Some("page_number_1_index_0")),
            ("0_5", Some("page_number_0_index_5")),
            ("<PAGE_NUMBER_9_INDEX_8>", Some("page_number_9_index_8")),
            (
                "see page3_index_2 and page4_index_3",
                Some("page_number_3_index_2"),
            ),
            ("x_index_1 page_5_index_4", Some("page_number_5_index_4")),
            ("12", None),
            ("page_number_6", None),
            ("page 6_index_5", None),
            (" 2_1", None),
            ("_", None),
            (
                "99999999999999999999999_0",
                Some("page_number_1e+23_index_0"),
            ),
        ] {
            assert_eq!(id(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn tags_always_have_a_page_id() {
        for (text, number, id) in [
            ("page_number_2_index_1", Some(2), "page_number_2_index_1"),
            ("page_number_0_index_5", Some(0), "page_number_1_index_5"),
            ("PAGE_NUMBER_7_INDEX_6", None, "page_number_1_index_0"),
            ("2_1", None, "page_number_1_index_0"),
        ] {
            assert_eq!(
                PageId::of_tag(text),
                (number.map(Number::Int), id.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn letters_before_a_page_number_are_limited() {
        let long = |letters: usize| id(&format!("page{}7_index_6", "x".repeat(letters)));
        assert!(long(30).is_some());
        assert!(long(31).is_none());
        let (number, _) = PageId::of_tag(&format!("page{}7_index_6", "x".repeat(31)));
        assert_eq!(number, Some(Number::Int(7)));
    }
}
