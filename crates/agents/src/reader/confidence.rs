//! Confidence that a sentence answers a question.
//!
//! It is an estimated probability: a logistic function of a few factors. The weights were fitted once to questions with
//! known answers, questions about other things, and questions that only look answerable (`docs/decisions/reader-confidence.md`).

use super::evidence::term_matches;
use super::library::ReaderPassage;
use super::question::{Question, TermClass};
use super::sentences::Sentence;

/// Weights of the factors, in the order of [`AnswerEvidence`].
const PASSAGE_WEIGHT: f32 = 0.85;
const SENTENCE_WEIGHT: f32 = 3.95;
const TOGETHER_WEIGHT: f32 = 0.6;
const KIND_WEIGHT: f32 = 0.28;
const MISSING_NAME_WEIGHT: f32 = -0.75;
const OPPOSITE_WEIGHT: f32 = -2.2;
const CONSTANT: f32 = -3.2;

/// Confidence below which the reader refuses. In English and French nouns cannot be told from other words, so a missing
/// word says more, and the border is higher.
const MIN_CONFIDENCE: f32 = 0.34;
const MIN_CONFIDENCE_PLAIN: f32 = 0.42;
/// Distance from that border below which the evidence is thin.
const THIN_MARGIN: f32 = 0.08;
/// Match of a word that counts as present.
const PRESENT: f32 = 0.5;
/// Largest number of missing names that count.
const MAX_MISSING_NAMES: usize = 2;

/// Part of the confidence, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceFactor {
    /// Name of the factor.
    pub name: &'static str,
    /// Value.
    pub value: f32,
}

/// Sentence with its rating.
pub(super) struct RatedSentence<'a> {
    /// Position of its passage in the search result.
    pub(super) passage: usize,
    /// Position in the passage.
    pub(super) at: usize,
    pub(super) sentence: &'a Sentence,
    /// Score by which sentences are ordered.
    pub(super) score: f32,
    /// Share of the content words in the sentence and its surroundings.
    pub(super) coverage: f32,
    /// True if it has the kind of thing that is asked for; `None` if that cannot be told.
    pub(super) fits: Option<bool>,
    /// True if it says the opposite of what is asked.
    pub(super) is_opposite: bool,
}

/// Evidence that a sentence answers a question.
pub(super) struct AnswerEvidence {
    /// Share of the content words in the passage, by weight.
    passage: f32,
    /// Share of the content words in the sentence and its surroundings, by weight.
    sentence: f32,
    /// Share of neighbouring content words of the question that are both in the sentence, by weight.
    together: f32,
    /// 1 if the sentence has the kind of thing that the question asks for, 0 if not.
    kind: f32,
    /// Number of names and numbers of the question that the passage does not have, and the number of all.
    missing_names: (usize, usize),
    /// True if the question is negated and the sentence is not, or has the opposite of a word of the sentence.
    is_opposite: bool,
}

impl AnswerEvidence {
    /// Gathers the evidence of a sentence in its passage.
    pub(super) fn gather(
        question: &Question,
        weights: &[f32],
        passage: &ReaderPassage,
        sentences: &[Sentence],
        best: &RatedSentence<'_>,
    ) -> Self {
        let language = question.language;
        let mut found = term_matches(question, &passage.context(), language);
        for sentence in sentences {
            let matches = term_matches(question, &sentence.text, language);
            for (found, matched) in found.iter_mut().zip(matches) {
                *found = found.max(matched);
            }
        }
        let total: f32 = weights.iter().sum();
        let weighted = weights.iter().zip(&found);
        let passage = weighted.map(|(weight, found)| weight * found).sum::<f32>() / total;
        let is_key = |class: TermClass| matches!(class, TermClass::Name | TermClass::Number);
        let keys = question
            .terms
            .iter()
            .zip(&found)
            .filter(|(term, _)| is_key(term.class));
        let missing = keys.clone().filter(|(_, found)| **found < PRESENT).count();
        Self {
            passage,
            sentence: best.coverage,
            together: together(
                weights,
                &term_matches(question, &best.sentence.text, language),
            ),
            kind: match best.fits {
                Some(true) => 1.0,
                Some(false) => 0.0,
                None => 0.6,
            },
            missing_names: (missing, keys.count()),
            is_opposite: best.is_opposite,
        }
    }

    /// Returns the confidence, from 0 to 1.
    pub(super) fn confidence(&self) -> f32 {
        let missing = self.missing_names.0.min(MAX_MISSING_NAMES) as f32;
        let sum = PASSAGE_WEIGHT * self.passage
            + SENTENCE_WEIGHT * self.sentence
            + TOGETHER_WEIGHT * self.together
            + KIND_WEIGHT * self.kind
            + MISSING_NAME_WEIGHT * missing
            + OPPOSITE_WEIGHT * f32::from(u8::from(self.is_opposite))
            + CONSTANT;
        1.0 / (1.0 + (-sum).exp())
    }

    /// Returns true if the passage lacks a name or a number of the question.
    pub(super) fn lacks_name(&self) -> bool {
        self.missing_names.0 > 0
    }

    /// Returns the factors that explain the confidence.
    pub(super) fn factors(&self) -> Vec<ConfidenceFactor> {
        let (missing, all) = self.missing_names;
        let names = 1.0 - missing as f32 / all.max(1) as f32;
        let agreement = if self.is_opposite { 0.0 } else { 1.0 };
        [
            ("passage", self.passage),
            ("sentence", self.sentence),
            ("together", self.together),
            ("kind", self.kind),
            ("names", names),
            ("agreement", agreement),
        ]
        .map(|(name, value)| ConfidenceFactor { name, value })
        .to_vec()
    }
}

/// Returns the least confidence with which a question is answered.
pub(super) fn min_confidence(question: &Question) -> f32 {
    match question.language.code() {
        "de" | "ja" | "zh" => MIN_CONFIDENCE,
        _ => MIN_CONFIDENCE_PLAIN,
    }
}

/// Returns true if an answer with this confidence is hardly better than none.
pub(super) fn is_thin(question: &Question, confidence: f32) -> bool {
    confidence < min_confidence(question) + THIN_MARGIN
}

/// Returns the share of neighbouring words that are both present, by weight; one half for a single word.
fn together(weights: &[f32], matches: &[f32]) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (weights, matches) in weights.windows(2).zip(matches.windows(2)) {
        let weight = weights[0] + weights[1];
        total += weight;
        if matches.iter().all(|found| *found >= PRESENT) {
            sum += weight;
        }
    }
    if total > 0.0 { sum / total } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(sentence: f32, missing: usize, is_opposite: bool) -> f32 {
        AnswerEvidence {
            passage: 0.9,
            sentence,
            together: 0.5,
            kind: 1.0,
            missing_names: (missing, 2),
            is_opposite,
        }
        .confidence()
    }

    #[test]
    fn confidence_grows_with_evidence_and_falls_with_contradictions() {
        assert!(evidence(0.9, 0, false) > evidence(0.5, 0, false));
        assert!(evidence(0.9, 0, false) > evidence(0.9, 1, false));
        assert!(evidence(0.9, 1, false) > evidence(0.9, 2, false));
        assert!(evidence(0.9, 0, false) > MIN_CONFIDENCE_PLAIN);
        assert!(evidence(0.9, 0, true) < MIN_CONFIDENCE_PLAIN);
        assert!(evidence(0.2, 0, false) < MIN_CONFIDENCE);
    }

    #[test]
    fn evidence_is_thin_just_above_the_border() {
        for text in ["How long is the quay?", "Wie lang ist der Kai?"] {
            let question = Question::parse(text);
            let border = min_confidence(&question);
            assert!(is_thin(&question, border + 0.01));
            assert!(!is_thin(&question, border + 0.2));
        }
    }

    #[test]
    fn neighbouring_words_count_only_as_pairs() {
        assert!((together(&[1.0, 1.0, 2.0], &[1.0, 1.0, 0.0]) - 0.4).abs() < 1e-6);
        assert!((together(&[1.0], &[1.0]) - 0.5).abs() < 1e-6);
    }
}
