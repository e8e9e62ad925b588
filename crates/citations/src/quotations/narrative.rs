//! Sources that a sentence names before a bracket: `Larsen (2015, p. 14) writes: “…”`.

use super::reference::{self, WrittenReference, is_year};
use super::{bracketed, ends_sentence};

/// Words before the name of an author at the start of a sentence, in lower case.
const LEADS: &[&str] = &[
    "according",
    "after",
    "although",
    "and",
    "as",
    "because",
    "but",
    "by",
    "for",
    "from",
    "how",
    "however",
    "if",
    "in",
    "like",
    "see",
    "since",
    "so",
    "that",
    "the",
    "then",
    "thus",
    "to",
    "what",
    "when",
    "where",
    "while",
    "with",
    "yet",
    "also",
    "bei",
    "denn",
    "gemäß",
    "laut",
    "mit",
    "nach",
    "siehe",
    "so",
    "wie",
    "comme",
    "d’après",
    "pour",
    "selon",
    "como",
    "para",
    "según",
    "come",
    "per",
    "secondo",
    "volgens",
    "ifølge",
    "enligt",
];

/// Words inside of names of authors, in lower case.
const CONNECTORS: &[&str] = &[
    "and", "&", "und", "et", "y", "e", "og", "och", "en", "i", "al", "al.", "u.a.", "others",
    "von", "van", "de", "der", "den", "del", "della", "di", "da", "dos", "la", "le", "ter", "zu",
];

/// Largest number of words of the authors.
const MAX_WORDS: usize = 10;

/// Reads the bracket at `open`, whose content is `inside`, together with the author or the file before it. The name
/// begins at `floor` or later.
pub(super) fn reference_at(
    text: &str,
    floor: usize,
    open: usize,
    inside: &str,
) -> Option<WrittenReference> {
    let before = text.get(floor..open)?;
    let (year, after) = leading_word(inside);
    let page = reference::page_of(inside);
    if !is_year(year) {
        let file = before.split_whitespace().next_back().map(trim_name)?;
        let is_page_only = page.is_some() && reference::read(inside)?.0.source.is_none();
        return (is_page_only && is_file_name(file)).then(|| WrittenReference {
            source: Some(file.to_owned()),
            page,
            ..WrittenReference::default()
        });
    }
    let has_nothing_else = after.is_empty() || after.starts_with([',', ':', '،', '，']);
    let author = author_before(before).filter(|_| has_nothing_else)?;
    Some(WrittenReference {
        source: Some(format!("{author} {year}")),
        page,
        has_year: true,
        ..WrittenReference::default()
    })
}

/// Finds the reference in the sentence before a quotation that begins at `start`.
pub(super) fn find_before(text: &str, floor: usize, start: usize) -> Option<WrittenReference> {
    let before = text.get(floor..start)?;
    let sentence = before
        .char_indices()
        .rev()
        .find(|(at, _)| ends_sentence(&before[*at..]))
        .map_or(0, |(at, char)| at + char.len_utf8());
    let words = &before[sentence..];
    if words
        .trim_end()
        .ends_with(['.', '!', '?', '。', '！', '？', '؟', '۔'])
    {
        return None;
    }
    let sentence = floor + sentence;
    let in_bracket = words
        .char_indices()
        .rev()
        .filter(|(_, char)| matches!(char, '(' | '（' | '[' | '［'))
        .find_map(|(at, _)| {
            let (inside, _) = bracketed(&words[at..])?;
            reference_at(text, sentence, sentence + at, inside)
        });
    in_bracket.or_else(|| file_in(words))
}

/// Finds the name of a file in a sentence, and the page beside it.
fn file_in(words: &str) -> Option<WrittenReference> {
    let mut names = words.split_whitespace().map(trim_name);
    let file = names.rfind(|name| is_file_name(name))?;
    Some(WrittenReference {
        source: Some(file.to_owned()),
        page: reference::page_of(words),
        ..WrittenReference::default()
    })
}

/// Returns the first word of a text, and the text after it without white space.
fn leading_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|char: char| !char.is_alphanumeric())
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

fn trim_name(word: &str) -> &str {
    word.trim_matches(|char: char| !char.is_alphanumeric())
}

/// Returns true for a word such as `report.pdf`.
fn is_file_name(word: &str) -> bool {
    const ENDINGS: [&str; 9] = [
        "pdf", "docx", "doc", "txt", "md", "html", "htm", "odt", "epub",
    ];
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
    })
}

/// Returns the names of the authors at the end of a text.
fn author_before(before: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    let mut has_connector = false;
    for token in before.split_whitespace().rev().take(MAX_WORDS) {
        let is_first = names.is_empty();
        let ends_part = token.ends_with([',', ';', ':']) && !is_first;
        // A list of names has commas between them only before its last two.
        if ends_part && !(has_connector && token.ends_with(',')) {
            break;
        }
        let word = author_word(token);
        let letters = word.trim_end_matches('.');
        let is_initial = letters.chars().count() <= 2;
        if token.ends_with('.') && !is_first && !is_initial {
            break;
        }
        let first = word.chars().next()?;
        let lower = word.to_lowercase();
        if CONNECTORS.contains(&lower.as_str()) {
            has_connector = true;
        } else if !first.is_alphabetic() || first.is_lowercase() {
            break;
        }
        names.push(word);
        // Scripts without capital letters do not show how many words a name has.
        if !first.is_uppercase() && !first.is_lowercase() && first != '&' {
            break;
        }
        if token.starts_with(['(', '[', '“', '"', '«', '„', '‘']) {
            break;
        }
    }
    names.reverse();
    let is_lead = |word: &&&str| {
        let lower = word.to_lowercase();
        LEADS.contains(&lower.as_str())
            || CONNECTORS.contains(&lower.as_str()) && word.starts_with(char::is_lowercase)
    };
    let leads = names.iter().take_while(is_lead).count();
    let names = names.get(leads..)?;
    (!names.is_empty()).then(|| names.join(" "))
}

/// Returns a word of a name without punctuation around it and without a possessive ending.
fn author_word(token: &str) -> &str {
    if token == "&" {
        return token;
    }
    let word = token.trim_start_matches(|char: char| !char.is_alphanumeric());
    let word = word.trim_end_matches(|char: char| !char.is_alphanumeric() && char != '.');
    let word = word
        .strip_suffix("’s")
        .or_else(|| word.strip_suffix("'s"))
        .unwrap_or(word);
    if word.is_empty() { token } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_stand_before_the_bracket() {
        for (before, author) in [
            ("Larsen", Some("Larsen")),
            ("As Larsen", Some("Larsen")),
            ("In Norway, Larsen", Some("Larsen")),
            ("It was Larsen and Berg", Some("Larsen and Berg")),
            ("Then Larsen, Berg & Olsen", Some("Larsen Berg & Olsen")),
            ("wrote Larsen et al.", Some("Larsen et al.")),
            ("It ended. A. Larsen", Some("A. Larsen")),
            ("in Larsen’s", Some("Larsen")),
            ("nach von Larsen", Some("Larsen")),
            ("او نوشت لارسن", Some("لارسن")),
            ("the report", None),
            ("", None),
        ] {
            assert_eq!(author_before(before).as_deref(), author, "{before}");
        }
    }
}
