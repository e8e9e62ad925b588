//! The extractive reader: selects sentences that answer a question, or says that there are none.
//!
//! It is a pure function of the question and the passages that a search found, so its answers can be repeated.

use std::ops::Range;

use search::Language;

use super::evidence::{SentenceWords, term_weights};
use super::library::ReaderPassage;
use super::question::{Question, QuestionKind, TermClass};
use super::sentences::{Sentence, passage_sentences};

/// Number of passages whose sentences are compared.
const MAX_PASSAGES: usize = 10;
/// Longest answer in words, and in characters for languages without spaces.
const MAX_WORDS: usize = 60;
const MAX_CHARACTERS: usize = 120;
/// Largest number of quoted sentences.
const MAX_QUOTES: usize = 4;
/// Score of a further sentence, as a share of the best one.
const FURTHER_SHARE: f32 = 0.5;
/// Share of words by which a sentence repeats another one.
const REPETITION: f32 = 0.8;
/// Confidence below which the reader refuses. A word that no document has weighs more in English and French, where
/// nouns cannot be told from other words, so the border is higher there.
const MIN_CONFIDENCE: f32 = 0.55;
const MIN_CONFIDENCE_PLAIN: f32 = 0.58;

/// Outcome of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderOutcome {
    /// The documents answer the question.
    Answered,
    /// They answer a part of it.
    Partly,
    /// They do not answer it.
    Refused,
}

impl ReaderOutcome {
    /// Returns the name in the state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Partly => "partly",
            Self::Refused => "refused",
        }
    }
}

/// Sentence that is quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedQuote {
    /// Position of its passage in the search result.
    pub passage: usize,
    /// Range in the text of the passage, in bytes.
    pub range: Range<usize>,
    /// Words of the source, in one line.
    pub text: String,
}

/// Part of the confidence, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceFactor {
    /// Name of the factor.
    pub name: &'static str,
    /// Value.
    pub value: f32,
}

/// Answer made of sentences of the documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractiveAnswer {
    /// Outcome.
    pub outcome: ReaderOutcome,
    /// Sentence in the reader's own words, before the quotes.
    pub preface: Option<String>,
    /// Quoted sentences in the order of the answer.
    pub quotes: Vec<SelectedQuote>,
    /// Confidence, from 0 to 1. For a refusal: that the documents do not have the answer.
    pub confidence: f32,
    /// Parts of the confidence.
    pub factors: Vec<ConfidenceFactor>,
}

/// Sentence with its evidence.
struct RatedSentence<'a> {
    passage: usize,
    at: usize,
    sentence: &'a Sentence,
    score: f32,
    /// Share of the content words in the sentence and its surroundings.
    coverage: f32,
    fits: Option<bool>,
}

/// Answers a question from passages, the best first.
pub fn answer_from_passages(question: &Question, passages: &[ReaderPassage]) -> ExtractiveAnswer {
    let passages = &passages[..passages.len().min(MAX_PASSAGES)];
    if question.terms.is_empty() || passages.is_empty() {
        return refuse(question, 0.0, Vec::new());
    }
    let weights = term_weights(question, passages);
    let sentences: Vec<Vec<Sentence>> = passages
        .iter()
        .map(|passage| passage_sentences(&passage.text, &passage.headings))
        .collect();
    let mut rated = Vec::new();
    for (at, passage) in passages.iter().enumerate() {
        let rank = passage.score / passages[0].score.max(f32::EPSILON);
        rate_passage(
            question,
            &weights,
            (at, passage, rank),
            &sentences[at],
            &mut rated,
        );
    }
    rated.sort_by(|a, b| {
        let order = b.score.total_cmp(&a.score);
        order.then((a.passage, a.at).cmp(&(b.passage, b.at)))
    });
    let Some(best) = rated.first() else {
        return refuse(question, 0.0, Vec::new());
    };
    let (confidence, factors, missing_name) = judge(
        question,
        &weights,
        best,
        &passages[best.passage],
        &sentences[best.passage],
    );
    let least = match question.language.code() {
        "de" | "ja" | "zh" => MIN_CONFIDENCE,
        _ => MIN_CONFIDENCE_PLAIN,
    };
    if confidence < least {
        return refuse(question, confidence, factors);
    }
    let quotes = select(question, &rated);
    let is_partial = missing_name;
    ExtractiveAnswer {
        outcome: match is_partial {
            true => ReaderOutcome::Partly,
            false => ReaderOutcome::Answered,
        },
        preface: is_partial.then(|| question.lexicon().partly.to_owned()),
        quotes,
        confidence,
        factors,
    }
}

fn refuse(question: &Question, evidence: f32, factors: Vec<ConfidenceFactor>) -> ExtractiveAnswer {
    let lexicon = question.lexicon();
    let separator = if question.is_unspaced() { "" } else { " " };
    ExtractiveAnswer {
        outcome: ReaderOutcome::Refused,
        preface: Some(format!(
            "{}{separator}{}",
            lexicon.refusal, lexicon.narrower
        )),
        quotes: Vec::new(),
        confidence: (1.0 - evidence).clamp(0.0, 1.0),
        factors,
    }
}

/// Rates the sentences of one passage.
fn rate_passage<'a>(
    question: &Question,
    weights: &[f32],
    (passage_at, passage, rank): (usize, &ReaderPassage, f32),
    sentences: &'a [Sentence],
    rated: &mut Vec<RatedSentence<'a>>,
) {
    let language = question.language;
    let matches: Vec<Vec<f32>> = sentences
        .iter()
        .map(|sentence| term_matches(question, &sentence.text, language))
        .collect();
    let context = passage.headings.join(" ") + " " + passage.title.as_deref().unwrap_or_default();
    let context = term_matches(question, &context, language);
    let total: f32 = weights.iter().sum();
    for (at, sentence) in sentences.iter().enumerate() {
        let neighbour = |at: Option<usize>, term: usize| {
            at.and_then(|at| matches.get(at)).map_or(0.0, |m| m[term])
        };
        let share = |term: usize| {
            let own = matches[at][term];
            let before = neighbour(at.checked_sub(1), term) * 0.5;
            let after = neighbour(Some(at + 1), term) * 0.3;
            let anywhere = matches.iter().map(|m| m[term]).fold(0.0, f32::max) * 0.3;
            own.max(before)
                .max(after)
                .max(anywhere)
                .max(context[term] * 0.5)
        };
        let coverage = weights
            .iter()
            .enumerate()
            .map(|(term, weight)| weight * share(term))
            .sum::<f32>()
            / total;
        let words = SentenceWords::new(&sentence.text, language);
        let fits = words.fits(question);
        let kind = match fits {
            Some(true) => 1.0,
            Some(false) => 0.0,
            None => 0.5,
        };
        let length = answer_length(question, &sentence.text);
        // A heading or a fragment is rarely an answer; a very long sentence is rarely a good one.
        let is_fragment = length < 4 && !question.is_unspaced();
        let penalty = if is_fragment { 0.15 } else { 0.0 };
        rated.push(RatedSentence {
            passage: passage_at,
            at,
            sentence,
            score: 0.62 * coverage + 0.18 * kind + 0.20 * rank - penalty,
            coverage,
            fits,
        });
    }
}

fn term_matches(question: &Question, text: &str, language: Language) -> Vec<f32> {
    let words = SentenceWords::new(text, language);
    question
        .terms
        .iter()
        .map(|term| words.match_of(term))
        .collect()
}

/// Returns the confidence that a sentence answers the question, its parts, and if a name of the question is missing.
fn judge(
    question: &Question,
    weights: &[f32],
    best: &RatedSentence<'_>,
    passage: &ReaderPassage,
    sentences: &[Sentence],
) -> (f32, Vec<ConfidenceFactor>, bool) {
    let language = question.language;
    let context = passage.headings.join(" ") + " " + passage.title.as_deref().unwrap_or_default();
    let mut found = term_matches(question, &context, language);
    for sentence in sentences {
        let matches = term_matches(question, &sentence.text, language);
        for (found, matched) in found.iter_mut().zip(matches) {
            *found = found.max(matched);
        }
    }
    let total: f32 = weights.iter().sum();
    let evidence = weights
        .iter()
        .zip(&found)
        .map(|(weight, found)| weight * found)
        .sum::<f32>()
        / total;
    let key = |class: TermClass| matches!(class, TermClass::Name | TermClass::Number);
    let keys = question
        .terms
        .iter()
        .zip(&found)
        .filter(|(term, _)| key(term.class));
    let missing = keys.clone().filter(|(_, found)| **found < 0.5).count();
    let all_keys = keys.count();
    let fits_best = match best.fits {
        Some(true) => 1.0,
        Some(false) => 0.0,
        None => 0.6,
    };
    let names = if all_keys == 0 {
        1.0
    } else {
        1.0 - missing as f32 / all_keys as f32
    };
    let confidence = 0.4 * evidence + 0.4 * best.coverage + 0.1 * fits_best + 0.1 * names
        - 0.12 * missing.min(2) as f32;
    let factors = vec![
        ConfidenceFactor {
            name: "passage",
            value: evidence,
        },
        ConfidenceFactor {
            name: "sentence",
            value: best.coverage,
        },
        ConfidenceFactor {
            name: "kind",
            value: fits_best,
        },
        ConfidenceFactor {
            name: "names",
            value: names,
        },
    ];
    (confidence.clamp(0.0, 1.0), factors, missing > 0)
}

/// Returns the length of a text in words, or in characters for a language without spaces.
fn answer_length(question: &Question, text: &str) -> usize {
    match question.is_unspaced() {
        true => text.chars().count(),
        false => text.split_whitespace().count(),
    }
}

/// Selects sentences within the length of an answer: the best one, then others that add something.
fn select(question: &Question, rated: &[RatedSentence<'_>]) -> Vec<SelectedQuote> {
    let limit = if question.is_unspaced() {
        MAX_CHARACTERS
    } else {
        MAX_WORDS
    };
    let share = match question.kind {
        QuestionKind::List | QuestionKind::Comparison => FURTHER_SHARE * 0.9,
        _ => FURTHER_SHARE,
    };
    let mut selected: Vec<&RatedSentence<'_>> = Vec::new();
    let mut length = 0;
    for candidate in rated {
        let more = answer_length(question, &candidate.sentence.text);
        let fits = selected.is_empty() || length + more <= limit;
        let is_good = selected
            .first()
            .is_none_or(|best| candidate.score >= best.score * share);
        if !is_good || selected.len() == MAX_QUOTES {
            break;
        }
        let words = SentenceWords::new(&candidate.sentence.text, question.language);
        let repeats = selected.iter().any(|other| {
            words.overlap(&SentenceWords::new(&other.sentence.text, question.language)) > REPETITION
        });
        if fits && !repeats {
            length += more;
            selected.push(candidate);
        }
    }
    // Sentences of the best passage come first, in the order of the document; the others follow by score.
    let best = selected.first().map_or(0, |best| best.passage);
    let (mut own, others): (Vec<_>, Vec<_>) = selected
        .into_iter()
        .partition(|quote| quote.passage == best);
    own.sort_by_key(|quote| quote.at);
    own.into_iter()
        .chain(others)
        .map(|quote| SelectedQuote {
            passage: quote.passage,
            range: quote.sentence.range.clone(),
            text: quote.sentence.text.clone(),
        })
        .collect()
}
