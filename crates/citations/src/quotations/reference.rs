//! References to sources: `Larsen 2015, p. 14`.

use std::ops::Range;

use super::page_labels::{PAGE_SIGNS, is_page_word, page_label, plain_digit};

/// Words before the name of a source, in lower case.
const LEADS: &[&str] = &[
    "see also",
    "see",
    "cf.",
    "cf",
    "quoted in",
    "cited in",
    "quoted from",
    "from",
    "in:",
    "source:",
    "sources:",
    "vgl.",
    "vgl",
    "siehe",
    "zit. nach",
    "zitiert nach",
    "nach",
    "aus:",
    "quelle:",
    "voir",
    "d’après",
    "source :",
    "véase",
    "fuente:",
    "cfr.",
    "منبع:",
    "نک:",
    "ر.ک.",
];

/// Words that repeat the source before, in lower case.
const REPEATED: &[&str] = &["ibid", "ibidem", "ebd", "ebenda", "idem", "همان"];

/// Names of months and seasons, in lower case. With a year they are dates.
const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "spring",
    "summer",
    "autumn",
    "fall",
    "winter",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "in",
    "since",
    "until",
    "around",
    "circa",
    "seit",
    "bis",
    "um",
    "von",
    "born",
    "died",
    "est",
    "founded",
    "summer",
    "the",
];

/// Source and page that a reference names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenReference {
    /// Name of the source as written.
    pub source: Option<String>,
    /// Label of the first page: a number in ASCII digits, a Roman numeral in lower case, or letters with a number.
    pub page: Option<String>,
    /// True for an author with a year.
    pub has_year: bool,
    /// True for `ibid.` and the like, which mean the source before.
    pub is_repeated: bool,
    /// True for a number in the list of references of the text.
    pub is_listed: bool,
}

/// Page of a reference with its range in the text.
struct Locator {
    range: Range<usize>,
    label: String,
}

/// Reads a reference. Returns the end of what was read as well: that of the page, or of the text.
pub(super) fn read(text: &str) -> Option<(WrittenReference, usize)> {
    let words = words(text);
    let locator = locator(text, &words);
    let name_end = match &locator {
        Some(locator) => locator.range.start,
        None => text.find([';', '\n']).unwrap_or(text.len()),
    };
    let name = source_name(&text[..name_end]);
    let first = name.split(|char: char| !char.is_alphanumeric()).next();
    let first = first.unwrap_or_default().to_lowercase();
    let is_repeated = REPEATED.contains(&first.as_str());
    let is_name = name.chars().any(char::is_alphabetic) && name.len() <= super::LONGEST_REFERENCE;
    if !is_name && locator.is_none() {
        return None;
    }
    let end = locator
        .as_ref()
        .map_or(text.len(), |locator| locator.range.end);
    let reference = WrittenReference {
        has_year: is_name && has_author_and_year(name),
        source: (is_name && !is_repeated).then(|| name.to_owned()),
        page: locator.map(|locator| locator.label),
        is_repeated,
        is_listed: false,
    };
    Some((reference, end))
}

/// Reads references that semicolons separate: `Larsen 2015, p. 14; Berg 2001, p. 3`. A part with a page or a year alone
/// belongs to the source before it.
pub(super) fn read_all(text: &str) -> Vec<WrittenReference> {
    let mut found: Vec<WrittenReference> = Vec::new();
    let mut start = 0;
    for (at, char) in text.char_indices().chain([(text.len(), ';')]) {
        if !matches!(char, ';' | '；' | '؛') || at < start {
            continue;
        }
        let Some((mut reference, _)) = read(&text[start..at]) else {
            continue;
        };
        let is_last = at == text.len();
        // A semicolon in a title separates nothing.
        if !is_last && reference.page.is_none() && !reference.has_year && !reference.is_repeated {
            continue;
        }
        if let Some(before) = found.last()
            && reference.source.is_none()
        {
            reference.source.clone_from(&before.source);
            reference.has_year = before.has_year;
        }
        found.push(reference);
        start = at + char.len_utf8();
    }
    // A part after the last reference that is none by its form is a remark.
    if found.len() > 1 {
        found.retain(|reference| {
            reference.page.is_some() || reference.has_year || reference.is_repeated
        });
    }
    found
}

/// Returns the first page that a text names, as in `p. 14`, or after a year.
pub(super) fn page_of(text: &str) -> Option<String> {
    let words = words(text);
    locator(text, &words)
        .or_else(|| page_after_leading_year(text, &words))
        .map(|locator| locator.label)
}

/// Reads the page in `2015, 14` and `2015: 14`.
fn page_after_leading_year(text: &str, words: &[Range<usize>]) -> Option<Locator> {
    let (year, page) = (words.first()?, words.get(1)?);
    let gap = text[year.end..page.start].trim();
    let label = page_label(&text[page.clone()])?;
    let is_page = is_year(&text[year.clone()]) && matches!(gap, ":" | ",") && !is_year(&label);
    is_page.then(|| Locator {
        range: page.clone(),
        label,
    })
}

/// Returns the name of a source without the words before it and the separators after it.
pub(super) fn source_name(text: &str) -> &str {
    let separators = |char: char| {
        char.is_whitespace() || matches!(char, ',' | ';' | ':' | '，' | '、' | '،' | '—' | '–')
    };
    let mut name = text.trim_matches(separators);
    while let Some(rest) = LEADS.iter().find_map(|lead| after_lead(name, lead)) {
        name = rest.trim_matches(separators);
    }
    // A bracket that closes nothing belongs to the text around the reference.
    if name.ends_with(')') && !name.contains('(') {
        name = name.trim_end_matches(')');
    }
    match name.strip_suffix('.') {
        Some(without) if !without.ends_with('.') => without,
        _ => name,
    }
}

/// Returns the text after a lead word.
fn after_lead<'t>(name: &'t str, lead: &str) -> Option<&'t str> {
    let start = name.get(..lead.len())?;
    let rest = &name[lead.len()..];
    let ends = rest.starts_with(char::is_whitespace) || lead.ends_with([':', '.']);
    (start.to_lowercase() == lead && ends && !rest.trim().is_empty()).then_some(rest)
}

/// Returns the ranges of the words of a text.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, char) in text.char_indices() {
        if !char.is_alphanumeric() {
            continue;
        }
        let end = at + char.len_utf8();
        match words.last_mut() {
            Some(word) if word.end == at => word.end = end,
            _ => words.push(at..end),
        }
    }
    words
}

/// Finds the first page in a reference.
fn locator(text: &str, words: &[Range<usize>]) -> Option<Locator> {
    let named = (0..words.len()).find_map(|at| named_page(text, words, at));
    let found = named.or_else(|| signed_page(text));
    found.or_else(|| (0..words.len()).find_map(|at| page_after_year(text, words, at)))
}

/// Reads `p. 14` at a word.
fn named_page(text: &str, words: &[Range<usize>], at: usize) -> Option<Locator> {
    let word = &text[words[at].clone()];
    let start = words[at].start;
    if let Some(digits) = word.strip_prefix("pp").or_else(|| word.strip_prefix('p'))
        && digits.starts_with(|char: char| char.is_ascii_digit())
        && let Some(label) = page_label(digits)
    {
        return Some(Locator {
            range: start..range_end(text, words[at].end),
            label,
        });
    }
    if !is_page_word(word) {
        return None;
    }
    let next = words.get(at + 1)?;
    let gap = &text[words[at].end..next.start];
    let is_near = gap.chars().count() <= 4
        && gap
            .chars()
            .all(|char| char.is_whitespace() || matches!(char, '.' | '\'' | '’' | '׳' | '״' | ':'));
    let label = page_label(&text[next.clone()]).filter(|_| is_near)?;
    // An initial before a year: `Larsen, S. 2015`.
    if word.chars().count() == 1 && is_year(&label) {
        return None;
    }
    Some(Locator {
        range: start..range_end(text, next.end),
        label,
    })
}

/// Reads `第3页` and the like.
fn signed_page(text: &str) -> Option<Locator> {
    PAGE_SIGNS.iter().find_map(|sign| {
        let at = text.find(sign)?;
        let before = text[..at].trim_end();
        let digits = before.trim_end_matches(|char: char| {
            plain_digit(char).is_ascii_digit() || matches!(char, '-' | '–' | '~' | '～')
        });
        let number = &before[digits.len()..];
        let first = number
            .split(|char: char| !plain_digit(char).is_ascii_digit())
            .next()?;
        let label = page_label(first)?;
        let start = digits
            .trim_end()
            .strip_suffix('第')
            .map_or(digits.len(), str::len);
        Some(Locator {
            range: start..at + sign.len(),
            label,
        })
    })
}

/// Reads the page in `Larsen 2015: 14`, `Larsen 2015, 14` and `Larsen, History (Oslo, 2015), 14`.
fn page_after_year(text: &str, words: &[Range<usize>], at: usize) -> Option<Locator> {
    let (year, next) = (&words[at], words.get(at + 1)?);
    let has_name = text[..year.start].chars().any(char::is_alphabetic);
    let gap = text[year.end..next.start].trim();
    let label = page_label(&text[next.clone()])?;
    let is_page = has_name
        && is_year(&text[year.clone()])
        && matches!(gap, ":" | "," | ")," | "):")
        && !is_year(&label);
    let start = year.end + usize::from(gap.starts_with(')'));
    is_page.then(|| Locator {
        range: start..range_end(text, next.end),
        label,
    })
}

/// Returns true for a year of a publication, which may have a letter: 2015a.
pub(super) fn is_year(word: &str) -> bool {
    let word: String = word.chars().map(plain_digit).collect();
    let digits = word.trim_end_matches(|char: char| char.is_ascii_lowercase());
    digits.len() == 4
        && word.len() <= 5
        && digits
            .parse()
            .is_ok_and(|year: u32| (1500..2100).contains(&year))
}

/// Returns the end of a range of pages such as `14–15` or `14 ff.` whose first page ends at `end`.
fn range_end(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    let trimmed = rest.trim_start();
    let space = rest.len() - trimmed.len();
    for following in ["ff.", "ff", "f."] {
        if trimmed.starts_with(following) {
            return end + space + following.len();
        }
    }
    if let Some(dash) = trimmed
        .chars()
        .next()
        .filter(|char| matches!(char, '-' | '–' | '—'))
    {
        let after = trimmed[dash.len_utf8()..].trim_start();
        let digits = after
            .find(|char: char| !char.is_alphanumeric())
            .unwrap_or(after.len());
        if page_label(&after[..digits]).is_some() {
            return text.len() - after.len() + digits;
        }
    }
    end
}

/// Returns true if a name consists of an author and a year.
fn has_author_and_year(name: &str) -> bool {
    let words = words(name);
    let Some(year) = words.iter().position(|word| is_year(&name[word.clone()])) else {
        return false;
    };
    let mut author = words[..year].iter().map(|word| &name[word.clone()]);
    let is_name = |word: &str| {
        word.starts_with(|char: char| char.is_alphabetic() && !char.is_lowercase())
            && !MONTHS.contains(&word.to_lowercase().as_str())
    };
    author.next().is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_split_into_source_and_page() {
        for (text, source, page) in [
            ("harbour.pdf, p. 3", Some("harbour.pdf"), Some("3")),
            ("harbour log, p.3", Some("harbour log"), Some("3")),
            ("harbour.pdf p3", Some("harbour.pdf"), Some("3")),
            ("report 2024", Some("report 2024"), None),
            ("Larsen, S. 2015", Some("Larsen, S. 2015"), None),
            (
                "Larsen, S. 2015, S. 12",
                Some("Larsen, S. 2015"),
                Some("12"),
            ),
            (
                "vgl. Larsen 2015a, S. 12 ff.",
                Some("Larsen 2015a"),
                Some("12"),
            ),
            ("Larsen 2015; Berg 2001", Some("Larsen 2015"), None),
            (
                "Larsen and Berg 2015, pp. xiv–xvi",
                Some("Larsen and Berg 2015"),
                Some("xiv"),
            ),
            ("Ларсен 2015, с. 14", Some("Ларсен 2015"), Some("14")),
            ("لارسن ۲۰۱۵، ص ۱۴", Some("لارسن ۲۰۱۵"), Some("14")),
            ("港口报告第3页", Some("港口报告"), Some("3")),
            ("page 3", None, Some("3")),
            (
                "A. Larsen, ‘Quays’, *Log* 3 (2015), 14",
                Some("A. Larsen, ‘Quays’, *Log* 3 (2015)"),
                Some("14"),
            ),
        ] {
            let (found, _) = read(text).expect("a reference");
            assert_eq!(
                (found.source.as_deref(), found.page.as_deref()),
                (source, page),
                "{text}"
            );
        }
        assert!(read("3").is_none());
        assert!(read("").is_none());
    }

    #[test]
    fn authors_with_years_are_certain() {
        for (text, certain) in [
            ("Larsen 2015", true),
            ("Larsen & Berg, 2015", true),
            ("March 1911", false),
            ("in 1911", false),
            ("1911", false),
            ("the year 1911", false),
            ("figure 2", false),
        ] {
            let has_year = read(text).is_some_and(|(found, _)| found.has_year);
            assert_eq!(has_year, certain, "{text}");
        }
    }
}
