//! Numbered lists of references: `[3] report.pdf`, or `3. report.pdf` below a heading.

use std::collections::HashMap;
use std::ops::Range;

use super::page_labels::{page_label, plain_digit};
use super::reference::{self, WrittenReference};

/// Largest number of a reference, in digits.
const MAX_DIGITS: usize = 4;
/// Longest range of numbers, as in `[3–5]`.
const MAX_RANGE: u32 = 20;

/// Headings of lists of references, in lower case.
const HEADINGS: &[&str] = &[
    "references",
    "reference list",
    "sources",
    "bibliography",
    "works cited",
    "literature",
    "literature cited",
    "quellen",
    "quellenverzeichnis",
    "literatur",
    "literaturverzeichnis",
    "références",
    "bibliographie",
    "referencias",
    "bibliografía",
    "fuentes",
    "bibliografia",
    "riferimenti",
    "fonti",
    "referências",
    "bronnen",
    "literatuur",
    "kilder",
    "litteratur",
    "källor",
    "литература",
    "источники",
    "список литературы",
    "منابع",
    "المراجع",
    "参考文献",
];

/// Numbered references of a text.
pub(super) struct ReferenceList<'t> {
    text: &'t str,
    entries: HashMap<u32, Range<usize>>,
}

impl<'t> ReferenceList<'t> {
    pub(super) fn find(text: &'t str) -> Self {
        let mut entries = HashMap::new();
        let mut is_below_heading = false;
        let mut last: Option<u32> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_start();
            let start = at + line.len() - content.len();
            at += line.len();
            let words = content.trim();
            if words.is_empty() {
                last = None;
                continue;
            }
            if is_heading(words) {
                (is_below_heading, last) = (true, None);
                continue;
            }
            if words.starts_with('#') {
                is_below_heading = false;
            }
            match entry(content, is_below_heading) {
                Some((number, length)) => {
                    entries
                        .entry(number)
                        .or_insert(start + length..start + words.len());
                    last = Some(number);
                }
                // The lines after a number continue its entry.
                None => {
                    if let Some(range) = last.and_then(|number| entries.get_mut(&number)) {
                        range.end = start + words.len();
                    }
                }
            }
        }
        Self { text, entries }
    }

    /// Reads the numbers in brackets: `3`, `3, p. 7`, `3: 7`, `3, 5`, `3–5`, `3, p. 7; 5`. Returns nothing unless the list
    /// has them all.
    pub(super) fn read(&self, inside: &str) -> Vec<WrittenReference> {
        let mut found = Vec::new();
        if self.entries.is_empty() {
            return found;
        }
        for part in inside.split(';') {
            if self.read_part(part, &mut found).is_none() {
                return Vec::new();
            }
        }
        found
    }

    fn read_part(&self, part: &str, found: &mut Vec<WrittenReference>) -> Option<()> {
        let mut rest = part.trim();
        loop {
            let (number, after) = leading_number(rest)?;
            let mut reference = self.reference(number)?;
            let after = after.trim_start();
            if let Some(range) = after.strip_prefix(['–', '-', '—']) {
                let (last, after) = leading_number(range.trim_start())?;
                found.push(reference);
                for number in (number + 1..=last).take(MAX_RANGE as usize) {
                    found.push(self.reference(number)?);
                }
                return after.trim().is_empty().then_some(());
            }
            if let Some(page) = after.strip_prefix(':') {
                let word = page.trim().split(['–', '-', '—', ' ']).next()?;
                reference.page = Some(page_label(word)?);
                found.push(reference);
                return Some(());
            }
            let next = after.trim_start_matches([',', '，', '،']).trim_start();
            if next.is_empty() || leading_number(next).is_some() {
                found.push(reference);
                if next.is_empty() {
                    return Some(());
                }
                rest = next;
                continue;
            }
            reference.page = Some(reference::page_of(next)?);
            found.push(reference);
            return Some(());
        }
    }

    /// Returns the reference with a number. One that begins with a quotation is a citation by itself.
    fn reference(&self, number: u32) -> Option<WrittenReference> {
        let entry = self.text.get(self.entries.get(&number)?.clone())?;
        let words: Vec<&str> = entry.split_whitespace().collect();
        let words = words.join(" ");
        let name = reference::source_name(&words);
        let is_name = name.chars().any(char::is_alphabetic)
            && name.len() <= super::LONGEST_REFERENCE
            && !name.starts_with(['"', '“', '„', '«', '‘', '\'']);
        is_name.then(|| WrittenReference {
            source: Some(name.to_owned()),
            is_listed: true,
            ..WrittenReference::default()
        })
    }
}

/// Returns true for the heading of a list of references.
fn is_heading(line: &str) -> bool {
    let name = line.trim_matches(|char: char| {
        char.is_whitespace() || matches!(char, '#' | '*' | '_' | ':' | '：')
    });
    HEADINGS.contains(&name.to_lowercase().as_str())
}

/// Returns the number of an entry and the length before its words.
fn entry(line: &str, is_below_heading: bool) -> Option<(u32, usize)> {
    let inside = line.strip_prefix(['[', '［']);
    let (number, after) = leading_number(inside.unwrap_or(line))?;
    let words = match inside {
        Some(_) => after
            .strip_prefix([']', '］'])?
            .trim_start_matches([':', '.']),
        None if is_below_heading => after.strip_prefix(['.', ')', '．'])?,
        None => return None,
    };
    let words = words
        .strip_prefix([' ', '\t', '\u{a0}'])
        .or_else(|| words.strip_prefix(char::is_alphabetic).map(|_| words))?
        .trim_start();
    (!words.trim().is_empty()).then_some((number, line.len() - words.len()))
}

/// Returns the number at the start of a text, and the text after it.
fn leading_number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|char: char| !plain_digit(char).is_ascii_digit())
        .unwrap_or(text.len());
    let digits: String = text[..end].chars().map(plain_digit).collect();
    let number = digits.parse().ok().filter(|_| digits.len() <= MAX_DIGITS)?;
    Some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(list: &ReferenceList<'_>, inside: &str) -> Vec<(String, Option<String>)> {
        let references = list.read(inside).into_iter();
        references
            .map(|found| (found.source.unwrap_or_default(), found.page))
            .collect()
    }

    #[test]
    fn numbers_are_read_with_their_pages() {
        let text = "Text [3].\n\n[3] report.pdf\n[4]: Larsen, *History*,\n  Oslo 2015.\n[5] “Words” log.txt\n";
        let list = ReferenceList::find(text);
        let (report, history) = ("report.pdf", "Larsen, *History*, Oslo 2015");
        for (inside, expected) in [
            ("3", vec![(report, None)]),
            ("3, p. 7", vec![(report, Some("7"))]),
            ("3 p. 7", vec![(report, Some("7"))]),
            ("3: 7–9", vec![(report, Some("7"))]),
            ("3, S. xiv", vec![(report, Some("xiv"))]),
            ("3, 4", vec![(report, None), (history, None)]),
            ("3–4", vec![(report, None), (history, None)]),
            (
                "3, p. 7; 4, p. 2",
                vec![(report, Some("7")), (history, Some("2"))],
            ),
            ("5", vec![]),
            ("9", vec![]),
            ("3 metres", vec![]),
            ("early", vec![]),
            ("", vec![]),
        ] {
            let expected: Vec<(String, Option<String>)> = expected
                .into_iter()
                .map(|(source, page)| (source.to_owned(), page.map(str::to_owned)))
                .collect();
            assert_eq!(pages(&list, inside), expected, "{inside}");
        }
    }

    #[test]
    fn plain_numbers_count_below_a_heading_only() {
        let list = ReferenceList::find("1. A step.\n\n## Quellen\n\n1. log.txt\n2) report.pdf\n");
        assert_eq!(pages(&list, "1"), [("log.txt".to_owned(), None)]);
        assert_eq!(pages(&list, "2"), [("report.pdf".to_owned(), None)]);
        assert!(ReferenceList::find("1. A step.").read("1").is_empty());
    }
}
