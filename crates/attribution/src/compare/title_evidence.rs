//! Evidence for recordings, works and releases: titles, versions and the people around them.

use std::collections::BTreeSet;

use super::Evidence;
use super::context_evidence;
use super::pair::ComparedRecord;
use crate::names::search_words;

/// Words of a version that make it another recording.
const VERSION_WORDS: [&str; 16] = [
    "remix",
    "mix",
    "live",
    "dub",
    "edit",
    "instrumental",
    "acoustic",
    "demo",
    "version",
    "reprise",
    "remaster",
    "remastered",
    "acappella",
    "cappella",
    "karaoke",
    "rework",
];

/// Title without its version, and the words of the version.
struct ParsedTitle {
    words: Vec<String>,
    version: BTreeSet<String>,
}

fn parse_title(title: &str) -> ParsedTitle {
    let mut plain = String::new();
    let mut version = BTreeSet::new();
    let mut rest = title;
    while let Some((before, inside)) = rest.split_once(['(', '[']) {
        plain.push_str(before);
        plain.push(' ');
        let (inside, after) = inside.split_once([')', ']']).unwrap_or((inside, ""));
        let words = search_words(inside);
        let is_guest = words
            .first()
            .is_some_and(|word| matches!(word.as_str(), "feat" | "ft" | "featuring"));
        match words
            .iter()
            .any(|word| VERSION_WORDS.contains(&word.as_str()))
        {
            true => version.extend(words),
            false if is_guest => {}
            false => plain.push_str(inside),
        }
        rest = after;
    }
    plain.push_str(rest);
    if let Some((title, tail)) = plain.clone().rsplit_once(" - ")
        && search_words(tail)
            .iter()
            .any(|word| VERSION_WORDS.contains(&word.as_str()))
    {
        version.extend(search_words(tail));
        plain = title.to_owned();
    }
    let words = search_words(&plain)
        .into_iter()
        .filter(|word| word != "the" && word != "a" && word != "and");
    ParsedTitle {
        words: words.collect(),
        version,
    }
}

/// Compares two titles and the people around them.
pub(super) fn compare(one: &ComparedRecord, other: &ComparedRecord) -> Vec<Evidence> {
    let (a, b) = (parse_title(&one.name), parse_title(&other.name));
    if a.version != b.version {
        return vec![Evidence::new(-3.0, "different versions of a title")];
    }
    let title = match a.words == b.words || a.words.concat() == b.words.concat() {
        true => Evidence::new(0.2, "same title"),
        false if is_near(&a.words.join(" "), &b.words.join(" ")) => {
            Evidence::new(-0.2, "nearly the same title")
        }
        false => return vec![Evidence::new(-3.5, "different titles")],
    };
    let mut evidence = vec![title];
    evidence.extend(context_evidence::compare(&one.context, &other.context, &[]));
    evidence
}

/// Returns true if at most one letter in eight differs.
fn is_near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(200).collect(), b.chars().take(200).collect());
    let allowed = a.len().max(b.len()) / 8;
    if allowed == 0 || a.len().abs_diff(b.len()) > allowed {
        return false;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()] <= allowed
}
