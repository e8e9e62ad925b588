//! The extractive reader: selects sentences that answer a question, or says that there are none.
//!
//! It is a pure function of the question and the passages that a search found, so its answers can be repeated.

use std::ops::Range;

use super::confidence::{AnswerEvidence, ConfidenceFactor, RatedSentence, is_thin, min_confidence};
use super::evidence::{SentenceWords, term_matches, term_weights};
use super::library::ReaderPassage;
use super::opposition::QuestionPolarity;
use super::question::{Question, QuestionKind};
use super::sentences::{Sentence, passage_sentences};

/// Number of passages whose sentences are compared.
const MAX_PASSAGES: usize = 10;
/// Longest answer in words, and in characters for languages without spaces.
const MAX_WORDS: usize = 60;
const MAX_CHARACTERS: usize = 120;
/// Largest number of quoted sentences; more for lists, comparisons and languages with short sentences.
const MAX_QUOTES: usize = 2;
const MAX_LISTED_QUOTES: usize = 3;
/// Score of a further sentence, as a share of the best one.
const FURTHER_SHARE: f32 = 0.7;
/// Share of words by which a sentence repeats another one.
const REPETITION: f32 = 0.8;
/// Score that a heading or a fragment loses, and one that a sentence loses if it says the opposite of what is asked.
const FRAGMENT_PENALTY: f32 = 0.15;
const OPPOSITE_PENALTY: f32 = 0.06;

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

/// Answer made of sentences of the documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractiveAnswer {
    /// Outcome.
    pub outcome: ReaderOutcome,
    /// Sentence in the reader's own words, before the quotes.
    pub preface: Option<String>,
    /// Quoted sentences in the order of the answer.
    pub quotes: Vec<SelectedQuote>,
    /// Sentence in the reader's own words, after the quotes.
    pub closing: Option<String>,
    /// Confidence, from 0 to 1. For a refusal: that the documents do not have the answer.
    pub confidence: f32,
    /// Parts of the confidence.
    pub factors: Vec<ConfidenceFactor>,
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
    let polarity = QuestionPolarity::of(question);
    let mut rated = Vec::new();
    for (at, passage) in passages.iter().enumerate() {
        let rank = passage.score / passages[0].score.max(f32::EPSILON);
        rate_passage(
            (question, &polarity, &weights),
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
    let evidence = AnswerEvidence::gather(
        question,
        &weights,
        &passages[best.passage],
        &sentences[best.passage],
        best,
    );
    let (confidence, factors) = (evidence.confidence(), evidence.factors());
    if confidence < min_confidence(question) {
        return refuse(question, confidence, factors);
    }
    let lexicon = question.lexicon();
    let is_partial = evidence.lacks_name();
    let preface = is_partial.then_some(lexicon.partly);
    let closing = is_thin(question, confidence).then_some(lexicon.thin);
    let own_words = [preface, closing].into_iter().flatten();
    let own_length = own_words.map(|text| answer_length(question, text)).sum();
    ExtractiveAnswer {
        outcome: match is_partial {
            true => ReaderOutcome::Partly,
            false => ReaderOutcome::Answered,
        },
        preface: preface.map(str::to_owned),
        quotes: select(question, &rated, own_length),
        closing: closing.map(str::to_owned),
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
        closing: None,
        confidence: (1.0 - evidence).clamp(0.0, 1.0),
        factors,
    }
}

/// Rates the sentences of one passage.
fn rate_passage<'a>(
    (question, polarity, weights): (&Question, &QuestionPolarity, &[f32]),
    (passage_at, passage, rank): (usize, &ReaderPassage, f32),
    sentences: &'a [Sentence],
    rated: &mut Vec<RatedSentence<'a>>,
) {
    let language = question.language;
    let matches: Vec<Vec<f32>> = sentences
        .iter()
        .map(|sentence| term_matches(question, &sentence.text, language))
        .collect();
    let context = term_matches(question, &passage.context(), language);
    let best_matches: Vec<f32> = (0..weights.len())
        .map(|term| matches.iter().map(|m| m[term]).fold(0.0, f32::max))
        .collect();
    let total: f32 = weights.iter().sum();
    for (at, sentence) in sentences.iter().enumerate() {
        let neighbour = |at: Option<usize>, term: usize| {
            at.and_then(|at| matches.get(at)).map_or(0.0, |m| m[term])
        };
        let share = |term: usize| {
            let own = matches[at][term];
            let before = neighbour(at.checked_sub(1), term) * 0.5;
            let after = neighbour(Some(at + 1), term) * 0.3;
            let anywhere = best_matches[term] * 0.2;
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
        // A heading or a fragment is rarely an answer.
        let is_fragment = length < 4 && !question.is_unspaced();
        let is_opposite = polarity.is_opposed_by(&words);
        let penalty = match (is_fragment, is_opposite) {
            (true, _) => FRAGMENT_PENALTY,
            (false, true) => OPPOSITE_PENALTY,
            (false, false) => 0.0,
        };
        rated.push(RatedSentence {
            passage: passage_at,
            at,
            sentence,
            score: 0.62 * coverage + 0.12 * kind + 0.20 * rank - penalty,
            coverage,
            fits,
            is_opposite,
        });
    }
}

/// Returns the length of a text in words, or in characters for a language without spaces.
fn answer_length(question: &Question, text: &str) -> usize {
    match question.is_unspaced() {
        true => text.chars().count(),
        false => text.split_whitespace().count(),
    }
}

/// Selects sentences within the length of an answer, of which `length` is used: the best one, then others that add
/// something.
fn select(
    question: &Question,
    rated: &[RatedSentence<'_>],
    mut length: usize,
) -> Vec<SelectedQuote> {
    let limit = if question.is_unspaced() {
        MAX_CHARACTERS
    } else {
        MAX_WORDS
    };
    let max_quotes = match question.kind {
        QuestionKind::List | QuestionKind::Comparison => MAX_LISTED_QUOTES,
        _ if question.is_unspaced() => MAX_LISTED_QUOTES,
        _ => MAX_QUOTES,
    };
    let mut selected: Vec<&RatedSentence<'_>> = Vec::new();
    for candidate in rated {
        let more = answer_length(question, &candidate.sentence.text);
        let fits = selected.is_empty() || length + more <= limit;
        let is_good = selected
            .first()
            .is_none_or(|best| candidate.score >= best.score * FURTHER_SHARE);
        if !is_good || selected.len() == max_quotes {
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
