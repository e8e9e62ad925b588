//! Intents of a message, for the agent without a model.

use ::attribution::{CorrectionField, EvidenceType, ReviewerRole, search_words};

/// Intent of a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Intent {
    /// Explain the confidence of a work.
    Explain,
    /// Search the catalogue.
    Search(String),
    /// Correct a field. The new value may be missing.
    Correct {
        field: String,
        value: Option<String>,
    },
    /// Submit the corrections that wait.
    Submit,
    /// Apply corrections that were submitted.
    Accept,
    /// Take the last accepted correction back.
    Undo,
    /// Discard the corrections that wait.
    Discard,
    /// Show the review queue.
    Queue,
    /// Open the panel for feedback.
    OpenFeedback,
    /// Something else.
    Help,
}

/// Message with what could be read from it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedMessage {
    pub(super) intent: Intent,
    /// Title in quotation marks.
    pub(super) title: Option<String>,
    /// Assessment from 0 to 1.
    pub(super) assessment: Option<f64>,
    pub(super) evidence: EvidenceType,
    /// Role that the message names: “as the producer”.
    pub(super) role: Option<ReviewerRole>,
}

/// Reads a message.
pub(super) fn parse_message(text: &str) -> ParsedMessage {
    let quoted = quoted_parts(text);
    let words = search_words(text);
    let has = |word: &str| words.iter().any(|known| known == word);
    let has_any = |list: &[&str]| list.iter().any(|word| has(word));
    let field = named_field(&words);
    let value = new_value(text);
    let looks_wrong = has_any(&[
        "wrong",
        "incorrect",
        "mistake",
        "error",
        "correct",
        "change",
        "should",
        "fix",
        "actually",
        "replace",
    ]);
    let intent = if has("undo") || text.to_lowercase().contains("take it back") {
        Intent::Undo
    } else if has_any(&["discard", "cancel", "forget"]) {
        Intent::Discard
    } else if let Some(field) = field.filter(|_| looks_wrong || value.is_some()) {
        Intent::Correct { field, value }
    } else if has_any(&["submit", "send"])
        || (has_any(&["yes", "right", "good"]) && words.len() <= 8 && !has("search"))
    {
        Intent::Submit
    } else if has_any(&["accept", "apply", "approve"]) {
        Intent::Accept
    } else if has("feedback") {
        Intent::OpenFeedback
    } else if has_any(&["queue", "review", "reviewed", "urgent"]) {
        Intent::Queue
    } else if has_any(&[
        "explain",
        "why",
        "confidence",
        "confident",
        "sure",
        "score",
        "certain",
        "assurance",
        "reliable",
    ]) {
        Intent::Explain
    } else if has_any(&[
        "search", "find", "show", "list", "which", "works", "songs", "who",
    ]) {
        Intent::Search(query_of(text, &quoted))
    } else if !quoted.is_empty() {
        Intent::Search(quoted[0].clone())
    } else {
        Intent::Help
    };
    // The first quoted part is the title unless it is the new value.
    let new = match &intent {
        Intent::Correct { value, .. } => value.clone(),
        _ => None,
    };
    ParsedMessage {
        title: quoted.into_iter().find(|part| Some(part) != new.as_ref()),
        intent,
        assessment: assessment(text),
        evidence: evidence(&words),
        role: role(text),
    }
}

/// Returns the parts in quotation marks. An apostrophe opens one only at the beginning of a word.
fn quoted_parts(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let begins_word = at == 0 || !letters[at - 1].is_alphanumeric();
        let closing: &[char] = match letters[at] {
            '"' | '“' | '„' | '«' => &['"', '”', '“', '»'],
            '\'' | '‘' if begins_word => &['\'', '’'],
            _ => &[],
        };
        let end = (at + 1..letters.len()).find(|end| {
            closing.contains(&letters[*end])
                && letters
                    .get(end + 1)
                    .is_none_or(|next| !next.is_alphanumeric())
        });
        match end.filter(|end| !closing.is_empty() && *end > at + 1) {
            Some(end) => {
                parts.push(
                    letters[at + 1..end]
                        .iter()
                        .collect::<String>()
                        .trim()
                        .to_owned(),
                );
                at = end + 1;
            }
            None => at += 1,
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the field that the words name.
fn named_field(words: &[String]) -> Option<String> {
    const FIELDS: [&str; 22] = [
        "producer",
        "producers",
        "songwriter",
        "songwriters",
        "writer",
        "writers",
        "composer",
        "composers",
        "lyricist",
        "engineer",
        "mixer",
        "mixing",
        "mastering",
        "arranger",
        "performer",
        "conductor",
        "remixer",
        "title",
        "artist",
        "produced",
        "written",
        "mixed",
    ];
    let found = words.iter().find(|word| FIELDS.contains(&word.as_str()))?;
    let name = match found.as_str() {
        "produced" => "producer",
        "written" => "songwriter",
        "mixed" | "mixing" => "mixing engineer",
        "mastering" => "mastering engineer",
        other => other,
    };
    CorrectionField::from_name(name).map(CorrectionField::name)
}

/// Returns the value after words like “should be”.
fn new_value(text: &str) -> Option<String> {
    const WORDS: [&str; 8] = [
        " should be ",
        " should read ",
        " was actually ",
        " is actually ",
        " it was ",
        " to be ",
        " change to ",
        " with ",
    ];
    let lower = text.to_lowercase();
    // Lower case may change the length of other alphabets; then the positions would not fit.
    if lower.len() != text.len() {
        return None;
    }
    let after_to = |lower: &str| {
        lower
            .contains("change")
            .then(|| lower.rfind(" to ").map(|at| at + 4))
            .flatten()
    };
    let start = WORDS
        .iter()
        .filter(|word| **word != " with " || lower.contains("replace"))
        .find_map(|word| lower.find(word).map(|at| at + word.len()))
        .or_else(|| after_to(&lower))?;
    let value = text
        .get(start..)?
        .split(['.', ',', ';', '?', '!', '\n'])
        .next()?;
    let value = value
        .trim()
        .trim_matches(['"', '\'', '“', '”', '‘', '’'])
        .trim();
    let is_name = !value.is_empty() && value.chars().count() <= 120;
    is_name.then(|| value.to_owned())
}

fn query_of(text: &str, quoted: &[String]) -> String {
    if let Some(first) = quoted.first() {
        return first.clone();
    }
    const NOISE: [&str; 30] = [
        "search",
        "find",
        "show",
        "list",
        "me",
        "all",
        "the",
        "for",
        "works",
        "songs",
        "work",
        "song",
        "by",
        "of",
        "with",
        "which",
        "who",
        "please",
        "a",
        "an",
        "in",
        "catalog",
        "catalogue",
        "is",
        "are",
        "there",
        "any",
        "credits",
        "credit",
        "on",
    ];
    search_words(text)
        .into_iter()
        .filter(|word| !NOISE.contains(&word.as_str()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns an assessment: `85 %`, `0.85`.
fn assessment(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let is_percent =
            word.contains('%') || words.get(at + 1).is_some_and(|next| next.starts_with('%'));
        let digits = word.trim_matches(|letter: char| !letter.is_ascii_digit());
        let number: f64 = digits.parse().ok()?;
        let share = if is_percent { number / 100.0 } else { number };
        (is_percent || digits.contains('.'))
            .then_some(share)
            .filter(|share| (0.0..=1.0).contains(share))
    })
}

fn evidence(words: &[String]) -> EvidenceType {
    let has = |word: &str| words.iter().any(|known| known == word);
    if has("liner") || has("booklet") || has("sleeve") {
        EvidenceType::LinerNotes
    } else if has("session") {
        EvidenceType::SessionNotes
    } else if has("remember") || has("memory") || has("there") && has("was") {
        EvidenceType::Memory
    } else if has("contract") || has("document") {
        EvidenceType::Document
    } else {
        EvidenceType::Other
    }
}

fn role(text: &str) -> Option<ReviewerRole> {
    let lower = text.to_lowercase();
    let named = |role: &str| {
        [
            format!("as the {role}"),
            format!("as a {role}"),
            format!("as an {role}"),
            format!("i am the {role}"),
            format!("i'm the {role}"),
        ]
        .iter()
        .any(|phrase| lower.contains(phrase))
    };
    ReviewerRole::ALL
        .iter()
        .copied()
        .find(|role| named(&role.as_str().to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_the_conversation_of_the_specification() {
        let parsed = parse_message("The producer credit on 'Paper Lanterns' looks wrong");
        assert_eq!(
            parsed.intent,
            Intent::Correct {
                field: "producer".to_owned(),
                value: None
            }
        );
        assert_eq!(parsed.title.as_deref(), Some("Paper Lanterns"));
        assert_eq!(
            parse_message("That looks right, submit it").intent,
            Intent::Submit
        );
        assert_eq!(
            parse_message("Explain the confidence for this work").intent,
            Intent::Explain
        );
    }

    #[test]
    fn reads_values_assessments_and_roles() {
        let parsed = parse_message("The producer of \"Harbour Tide\" should be Mira Solberg.");
        assert_eq!(
            parsed.intent,
            Intent::Correct {
                field: "producer".to_owned(),
                value: Some("Mira Solberg".to_owned())
            }
        );
        assert_eq!(parsed.title.as_deref(), Some("Harbour Tide"));
        let parsed = parse_message("Submit it as the artist, 90 %, it is in the liner notes");
        assert_eq!(parsed.intent, Intent::Submit);
        assert_eq!(
            (parsed.assessment, parsed.role, parsed.evidence),
            (
                Some(0.9),
                Some(ReviewerRole::Artist),
                EvidenceType::LinerNotes
            )
        );
        assert_eq!(
            parse_message("find songs by Mira Solberg").intent,
            Intent::Search("mira solberg".to_owned())
        );
        assert_eq!(
            parse_message("What should I review next?").intent,
            Intent::Queue
        );
        assert_eq!(parse_message("Hello").intent, Intent::Help);
    }
}
