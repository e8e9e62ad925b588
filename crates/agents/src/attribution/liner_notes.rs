//! Evidence in the library: sentences of liner notes that name a person for a role.

use std::ops::Range;

use ::attribution::{AttributionRecord, CorrectionField, CreditRole, search_words};

use crate::reader::{ReaderLibrary, ReaderPassage};

/// Number of passages that are searched for.
const PASSAGES: usize = 8;

/// Quotation from a document that supports a correction.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinerNote {
    /// Name that the document gives.
    pub(super) name: String,
    /// Words of the document.
    pub(super) quote: String,
    /// Id by which a citation names the document.
    pub(super) document_id: String,
    /// Name of the document.
    pub(super) document_name: String,
    /// Page, from 1.
    pub(super) page: u32,
}

/// Phrases before a name, by role.
fn phrases(role: CreditRole) -> &'static [&'static str] {
    match role {
        CreditRole::Producer => &["produced by ", "producer: ", "production by "],
        CreditRole::Songwriter | CreditRole::Composer => &[
            "written by ",
            "music by ",
            "composed by ",
            "words and music by ",
        ],
        CreditRole::Lyricist => &["lyrics by ", "words by "],
        CreditRole::Engineer => &["engineered by ", "recorded by "],
        CreditRole::MixingEngineer => &["mixed by "],
        CreditRole::MasteringEngineer => &["mastered by "],
        CreditRole::Arranger => &["arranged by "],
        _ => &["performed by "],
    }
}

/// Finds a sentence in the library that names a person for the role on this work.
pub(super) async fn find_liner_note(
    library: &dyn ReaderLibrary,
    record: &AttributionRecord,
    field: CorrectionField,
) -> Option<LinerNote> {
    let CorrectionField::Role(role) = field else {
        return None;
    };
    let query = format!(
        "{} {} {}",
        record.work_title,
        record.artist_name,
        phrases(role)[0].trim()
    );
    let passages = library.search(&query, PASSAGES).await.ok()?;
    for passage in &passages {
        if let Some((range, name)) = find_in_text(&passage.text, &record.work_title, role) {
            return Some(liner_note(library, passage, range, name).await);
        }
    }
    None
}

async fn liner_note(
    library: &dyn ReaderLibrary,
    passage: &ReaderPassage,
    range: Range<usize>,
    name: String,
) -> LinerNote {
    let page = library
        .page_of(passage, range.clone())
        .await
        .unwrap_or(*passage.pages.start());
    LinerNote {
        name,
        quote: passage.text[range]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        document_id: passage.document_id.clone(),
        document_name: passage.document_name.clone(),
        page,
    }
}

/// Finds the name after a phrase of the role, near the title. Returns the words from the title, or from the phrase, to the
/// end of the name.
fn find_in_text(text: &str, title: &str, role: CreditRole) -> Option<(Range<usize>, String)> {
    // Positions must fit both texts, so only ASCII letters are folded.
    let lower = text.to_ascii_lowercase();
    let title = title.to_ascii_lowercase();
    let mut best: Option<(Range<usize>, String)> = None;
    for (title_at, _) in lower.match_indices(title.as_str()) {
        for phrase in phrases(role) {
            let Some(offset) = lower[title_at..]
                .find(phrase)
                .filter(|offset| *offset < 200)
            else {
                continue;
            };
            let name_at = title_at + offset + phrase.len();
            // Another numbered track in between: the phrase belongs to that one.
            let between = &text[title_at + title.len()..title_at + offset];
            if between.contains("\n\n") || between.chars().filter(char::is_ascii_digit).count() > 0
            {
                continue;
            }
            if let Some(length) = name_length(&text[name_at..]) {
                let range = title_at..name_at + length;
                let name = text[name_at..name_at + length]
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                let is_shorter = best
                    .as_ref()
                    .is_none_or(|(known, _)| range.len() < known.len());
                if is_shorter && !search_words(&name).is_empty() {
                    best = Some((range, name));
                }
            }
        }
    }
    best
}

/// Returns the length of a name: words that begin with a capital letter.
fn name_length(text: &str) -> Option<usize> {
    let mut end = 0;
    let mut at = 0;
    for word in text.split_inclusive([' ', '\n']) {
        let plain = word.trim_end_matches([' ', '\n']);
        let stripped = plain.trim_end_matches([',', ';', ':', ')']);
        let is_initial = stripped.len() == 2 && stripped.ends_with('.');
        let name = if is_initial {
            stripped
        } else {
            stripped.trim_end_matches('.')
        };
        let is_name = name.chars().next().is_some_and(char::is_uppercase);
        let is_particle = matches!(name, "de" | "van" | "von" | "der" | "da" | "del");
        if !(is_name || is_particle && end > 0) {
            break;
        }
        if is_name {
            end = at + name.len();
        }
        at += word.len();
        if name.len() < plain.len() {
            break;
        }
    }
    (end > 0).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_after_the_title() {
        let text = "1. Paper Lanterns. Written by Clara Winther.\nPaper Lanterns was produced by Mira Solberg at home,\nand mixed by Grace Holloway.";
        let (range, name) =
            find_in_text(text, "Paper Lanterns", CreditRole::Producer).expect("found");
        assert_eq!(name, "Mira Solberg");
        assert_eq!(&text[range], "Paper Lanterns was produced by Mira Solberg");
        let found = find_in_text(text, "Paper Lanterns", CreditRole::Songwriter).expect("found");
        assert_eq!(found.1, "Clara Winther");
        assert_eq!(
            find_in_text(text, "Harbour Tide", CreditRole::Producer),
            None
        );
    }
}
