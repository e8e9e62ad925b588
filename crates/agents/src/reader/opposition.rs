//! Negations and opposites: words that turn a statement into another one.

use search::{Language, text_terms};

use super::evidence::SentenceWords;
use super::lexicon::{has_word, lexicons, words};
use super::question::Question;

/// Negations of scripts without spaces.
const UNSPACED_NEGATIONS: &str = "ない|ません|なかった|不|没|無|无|未";

/// Returns true if a text has a negation of any language.
pub(super) fn is_negated(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let mut words_of_text = lower
        .split(|char: char| !char.is_alphanumeric() && char != '\'')
        .filter(|word| !word.is_empty());
    let is_negation = |word: &str| {
        let mut languages = lexicons().iter();
        word.ends_with("n't") || languages.any(|lexicon| has_word(lexicon.negations, word))
    };
    words_of_text.any(is_negation) || words(UNSPACED_NEGATIONS).any(|word| text.contains(word))
}

/// Words of a question by which a sentence may say the opposite of what is asked.
pub(super) struct QuestionPolarity {
    is_negated: bool,
    is_unspaced: bool,
    /// Words of the question with their opposites; stems where words have spaces.
    opposites: Vec<(String, String)>,
}

impl QuestionPolarity {
    /// Reads a question. The characters of negations in Chinese and Japanese are parts of other words, so negations are
    /// compared only where words have spaces.
    pub(super) fn of(question: &Question) -> Self {
        let is_unspaced = question.is_unspaced();
        let asked = stems(&question.text, question.language);
        let form = |word: &str| match is_unspaced {
            true => word.to_owned(),
            false => stems(word, question.language).pop().unwrap_or_default(),
        };
        let pairs = words(question.lexicon().opposites).filter_map(|pair| pair.split_once(':'));
        let both_ways = pairs.flat_map(|(a, b)| [(form(a), form(b)), (form(b), form(a))]);
        let is_asked = |(word, _): &(String, String)| match is_unspaced {
            true => question.text.contains(word.as_str()),
            false => asked.contains(word),
        };
        Self {
            is_negated: !is_unspaced && is_negated(&question.text),
            is_unspaced,
            opposites: both_ways.filter(is_asked).collect(),
        }
    }

    /// Returns true if the question alone is negated, or has a word whose opposite the sentence has instead.
    pub(super) fn is_opposed_by(&self, sentence: &SentenceWords<'_>) -> bool {
        let has = |word: &str| match self.is_unspaced {
            true => sentence.text().contains(word),
            false => sentence.has_stem(word),
        };
        (self.is_negated && !is_negated(sentence.text()))
            || self
                .opposites
                .iter()
                .any(|(asked, other)| !has(asked) && has(other))
    }
}

fn stems(text: &str, language: Language) -> Vec<String> {
    let terms = text_terms(text, language).into_iter();
    terms.map(|term| term.stem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_opposite_words_or_without_a_negation_are_opposed() {
        for (question, sentence, expected) in [
            (
                "What did the court not recognise?",
                "The court recognised the treaty.",
                true,
            ),
            (
                "What did the court not recognise?",
                "The court did not recognise the treaty.",
                false,
            ),
            (
                "What was the smallest quay?",
                "The largest quay is 140 metres long.",
                true,
            ),
            (
                "What was the largest quay?",
                "The largest quay is longer than the smallest.",
                false,
            ),
            ("Who came first?", "Anna came first and Olav last.", false),
            (
                "Welches ist der kleinste Hafen?",
                "Der größte Hafen ist Lunde.",
                true,
            ),
            (
                "Wo darf man nicht rauchen?",
                "Am Kai darf man rauchen.",
                true,
            ),
            ("最大の港はどこですか。", "最小の港は北浜です。", true),
            ("最大の港はどこですか。", "最大の港は北浜です。", false),
        ] {
            let question = Question::parse(question);
            let words = SentenceWords::new(sentence, question.language);
            let polarity = QuestionPolarity::of(&question);
            assert_eq!(polarity.is_opposed_by(&words), expected, "{sentence}");
        }
    }
}
