//! Printed page numbers of a document.

use std::collections::HashMap;

use documents::{Document, LineRole};
use passage::parse_roman;

/// Pages by their printed number: the labels of the file, or the page numbers that are printed on them.
#[derive(Debug, Default)]
pub(super) struct PageLabels(HashMap<String, Vec<u32>>);

impl PageLabels {
    pub(super) fn of(document: &Document) -> Self {
        let mut labels: HashMap<String, Vec<u32>> = HashMap::new();
        let mut add = |label: String, page: u32| {
            let pages = labels.entry(label).or_default();
            if !pages.contains(&page) {
                pages.push(page);
            }
        };
        for page in document.pages() {
            if let Some(label) = &page.label {
                add(label.to_lowercase(), page.number);
            }
        }
        for line in document
            .lines()
            .iter()
            .filter(|line| line.role == LineRole::PageNumber)
        {
            if let Some(label) = printed_number(&line.text) {
                add(label, line.page);
            }
        }
        Self(labels)
    }

    /// Returns the pages with a printed number, in any case.
    pub(super) fn pages(&self, label: &str) -> &[u32] {
        let pages = self.0.get(&label.trim().to_lowercase());
        pages.map_or(&[], Vec::as_slice)
    }
}

/// Returns the number of a line such as "– 12 –" or "xiv" that holds nothing else.
fn printed_number(line: &str) -> Option<String> {
    let number = line
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let is_number =
        !number.is_empty() && number.len() < 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number || parse_roman(&number).is_some()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_read_from_their_lines() {
        for (line, number) in [
            ("12", Some("12")),
            ("– 12 –", Some("12")),
            ("[xiv]", Some("xiv")),
            ("IV", Some("iv")),
            ("Page 3 of 9", None),
            ("–", None),
        ] {
            assert_eq!(printed_number(line).as_deref(), number, "{line}");
        }
    }
}
