//! Words of the index that are close to a word of the query: longer ones, and misspelled ones.

use std::collections::HashMap;
use std::sync::OnceLock;

use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder, SINK_STATE};
use tantivy_fst::Automaton;

use super::IndexError;
use super::scope::SegmentScope;

/// Least number of letters of a word that may have one wrong letter.
const ONE_EDIT_FROM: usize = 5;
/// Least number of letters of a word that may have two wrong letters.
const TWO_EDITS_FROM: usize = 9;
/// Largest number of words that a prefix or a misspelled word is replaced by.
const MAX_WORDS: usize = 32;
/// Largest number of words of a segment that are looked at.
const MAX_CANDIDATES: usize = 4_096;

/// Returns the number of edits that a word may be away.
pub(super) fn allowed_edits(word: &str) -> u8 {
    // Numbers and words of letters and digits are exact.
    if !word.chars().all(char::is_alphabetic) {
        return 0;
    }
    match word.chars().count() {
        ..ONE_EDIT_FROM => 0,
        ONE_EDIT_FROM..TWO_EDITS_FROM => 1,
        _ => 2,
    }
}

/// Returns the words of the index that begin with a prefix and are longer, the most frequent first.
pub(super) fn words_with_prefix(
    scopes: &[SegmentScope],
    prefix: &str,
) -> Result<Vec<String>, IndexError> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for scope in scopes {
        let mut stream = scope.words.terms().range().gt(prefix).into_stream()?;
        let mut seen = 0;
        while let Some((key, info)) = stream.next() {
            seen += 1;
            if !key.starts_with(prefix.as_bytes()) || seen > MAX_CANDIDATES {
                break;
            }
            if let Ok(word) = std::str::from_utf8(key) {
                *counts.entry(word.to_owned()).or_default() += u64::from(info.doc_freq);
            }
        }
    }
    let mut words: Vec<(String, u64)> = counts.into_iter().collect();
    words.sort_by(|(left, a), (right, b)| b.cmp(a).then_with(|| left.cmp(right)));
    words.truncate(MAX_WORDS);
    Ok(words.into_iter().map(|(word, _)| word).collect())
}

/// Returns the words of the index that are at most `edits` insertions, deletions, replacements or swaps away from a
/// word, the closest first.
pub(super) fn words_within(
    scopes: &[SegmentScope],
    word: &str,
    edits: u8,
) -> Result<Vec<(String, u8)>, IndexError> {
    let automaton = EditAutomaton(builder(edits).build_dfa(word));
    let mut found: HashMap<String, (u8, u64)> = HashMap::new();
    for scope in scopes {
        let mut stream = scope.words.terms().search(&automaton).into_stream()?;
        while let Some((key, info)) = stream.next() {
            let Ok(other) = std::str::from_utf8(key) else {
                continue;
            };
            let Distance::Exact(distance) = automaton.0.eval(key) else {
                continue;
            };
            if distance > 0 && other.chars().all(char::is_alphabetic) {
                let entry = found.entry(other.to_owned()).or_insert((distance, 0));
                entry.1 += u64::from(info.doc_freq);
            }
        }
    }
    // Most misspelled words have the right first letter, so words that share it come first.
    let first = word.chars().next();
    let mut words: Vec<(String, u8, bool, u64)> = found
        .into_iter()
        .map(|(other, (distance, count))| {
            let is_other_start = other.chars().next() != first;
            (other, distance, is_other_start, count)
        })
        .collect();
    words.sort_by(|a, b| {
        (a.1, a.2)
            .cmp(&(b.1, b.2))
            .then(b.3.cmp(&a.3))
            .then_with(|| a.0.cmp(&b.0))
    });
    words.truncate(MAX_WORDS);
    Ok(words
        .into_iter()
        .map(|(word, distance, ..)| (word, distance))
        .collect())
}

/// Returns the builder of automata; it is costly to make.
fn builder(edits: u8) -> &'static LevenshteinAutomatonBuilder {
    static BUILDERS: [OnceLock<LevenshteinAutomatonBuilder>; 2] =
        [OnceLock::new(), OnceLock::new()];
    let edits = edits.clamp(1, 2);
    BUILDERS[usize::from(edits) - 1].get_or_init(|| LevenshteinAutomatonBuilder::new(edits, true))
}

/// Automaton that accepts words close to a word.
struct EditAutomaton(DFA);

impl Automaton for EditAutomaton {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != SINK_STATE
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.0.transition(*state, byte)
    }
}
