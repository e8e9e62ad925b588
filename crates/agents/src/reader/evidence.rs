//! Evidence of a sentence for a question: matching words, and the kind of answer it can hold.

use std::collections::HashMap;

use search::{Language, TextTerm, text_terms};

use super::lexicon::{has_word, words};
use super::library::ReaderPassage;
use super::question::{Question, QuestionKind, QuestionTerm, TermClass, is_katakana};

/// Share of a word that is part of a longer one, or the other way round.
const COMPOUND_MATCH: f32 = 0.7;
/// Share of a word with a common beginning.
const PREFIX_MATCH: f32 = 0.55;
/// Least number of letters of parts of words that are compared.
const MIN_PART: usize = 5;

/// Words of a sentence.
pub(super) struct SentenceWords<'a> {
    text: &'a str,
    terms: Vec<TextTerm>,
}

impl<'a> SentenceWords<'a> {
    pub(super) fn new(text: &'a str, language: Language) -> Self {
        Self {
            text,
            terms: text_terms(text, language),
        }
    }

    /// Returns the sentence.
    pub(super) fn text(&self) -> &str {
        self.text
    }

    /// Returns true if a word of the sentence has this stem.
    pub(super) fn has_stem(&self, stem: &str) -> bool {
        self.terms.iter().any(|term| term.stem == stem)
    }

    /// Returns the share of a content word that the sentence has, from 0 to 1.
    pub(super) fn match_of(&self, term: &QuestionTerm) -> f32 {
        if term.is_unspaced {
            return unspaced_match(&term.stem, self.text);
        }
        let mut best = 0.0_f32;
        for word in self.terms.iter().filter(|word| !word.is_bigram) {
            let found = word_match(term, word);
            if found >= 1.0 {
                return 1.0;
            }
            best = best.max(found);
        }
        best
    }

    /// Returns true if the sentence can hold an answer of this kind; `None` if that cannot be told.
    pub(super) fn fits(&self, question: &Question) -> Option<bool> {
        match question.kind {
            QuestionKind::Count => Some(self.has_new_number(question)),
            QuestionKind::Time => Some(self.has_new_date(question)),
            QuestionKind::Reason => Some(self.has_any(question, question.lexicon().reason_words)),
            QuestionKind::Person => match question.is_unspaced() {
                true => None,
                false => Some(self.has_new_name(question)),
            },
            QuestionKind::Place if !question.is_unspaced() => Some(
                self.has_new_name(question)
                    && self.has_any(question, question.lexicon().place_words),
            ),
            QuestionKind::Definition => {
                Some(self.has_any(question, question.lexicon().definition_words))
            }
            _ => None,
        }
    }

    fn has_any(&self, question: &Question, list: &'static str) -> bool {
        if question.is_unspaced() {
            return words(list).any(|word| self.text.contains(word));
        }
        let lower = self.text.to_lowercase();
        lower
            .split(|char: char| !char.is_alphanumeric())
            .any(|word| has_word(list, word))
    }

    fn has_new_number(&self, question: &Question) -> bool {
        let is_new = |word: &str| !question.words.iter().any(|asked| asked == word);
        let has_digits = self.terms.iter().any(|term| {
            term.folded.starts_with(|char: char| char.is_ascii_digit()) && is_new(&term.folded)
        });
        has_digits || {
            let numbers = question.lexicon().number_words;
            match question.is_unspaced() {
                true => words(numbers).any(|word| self.text.contains(word)),
                false => {
                    let lower = self.text.to_lowercase();
                    lower
                        .split(|char: char| !char.is_alphanumeric())
                        .any(|word| {
                            has_word(numbers, word) && !question.text.to_lowercase().contains(word)
                        })
                }
            }
        }
    }

    fn has_new_date(&self, question: &Question) -> bool {
        let has_year = self.terms.iter().any(|term| {
            let is_year =
                term.folded.len() == 4 && matches!(term.folded.parse::<u32>(), Ok(1000..=2100));
            is_year && !question.words.contains(&term.folded)
        });
        if has_year {
            return true;
        }
        let has_number = self.terms.iter().any(|term| {
            term.folded.starts_with(|char: char| char.is_ascii_digit())
                && !question.words.contains(&term.folded)
        });
        let lexicon = question.lexicon();
        match question.is_unspaced() {
            true => {
                (has_number || self.has_any(question, lexicon.number_words))
                    && self.has_any(question, lexicon.date_words)
            }
            false => self.has_any(question, lexicon.date_words),
        }
    }

    /// Returns true if a capitalised word is in the sentence, not at its beginning and not in the question.
    fn has_new_name(&self, question: &Question) -> bool {
        self.terms.iter().enumerate().any(|(at, term)| {
            let written = &self.text[term.range.clone()];
            let is_name = written.starts_with(char::is_uppercase) && written.chars().count() > 1;
            let is_first = at == 0
                && !self.terms.get(1).is_some_and(|next| {
                    self.text[next.range.clone()].starts_with(char::is_uppercase)
                });
            is_name && !is_first && !question.words.contains(&term.folded)
        }) || (question.is_unspaced() && self.text.chars().any(is_katakana))
    }

    /// Returns the share of words that another sentence has too.
    pub(super) fn overlap(&self, other: &Self) -> f32 {
        if self.terms.is_empty() {
            return 1.0;
        }
        let common = self
            .terms
            .iter()
            .filter(|term| other.terms.iter().any(|word| word.stem == term.stem));
        common.count() as f32 / self.terms.len() as f32
    }
}

/// Returns the share of each content word of a question that a text has.
pub(super) fn term_matches(question: &Question, text: &str, language: Language) -> Vec<f32> {
    let words = SentenceWords::new(text, language);
    question
        .terms
        .iter()
        .map(|term| words.match_of(term))
        .collect()
}

fn word_match(term: &QuestionTerm, word: &TextTerm) -> f32 {
    if word.stem == term.stem || word.folded == term.folded {
        return 1.0;
    }
    if term.class == TermClass::Number {
        return 0.0;
    }
    let (long, short) = match term.stem.len() >= word.stem.len() {
        true => (&term.stem, &word.stem),
        false => (&word.stem, &term.stem),
    };
    if short.chars().count() >= MIN_PART && long.contains(short.as_str()) {
        return COMPOUND_MATCH;
    }
    let common = long
        .chars()
        .zip(short.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let shortest = short.chars().count();
    match common >= MIN_PART && common * 4 >= shortest * 3 {
        true => PREFIX_MATCH,
        false => 0.0,
    }
}

fn unspaced_match(term: &str, text: &str) -> f32 {
    if text.contains(term) {
        return 1.0;
    }
    let chars: Vec<char> = term.chars().collect();
    if chars.len() < 2 {
        return 0.0;
    }
    let pairs = chars
        .windows(2)
        .filter(|pair| text.contains(&pair.iter().collect::<String>()));
    let share = pairs.count() as f32 / (chars.len() - 1) as f32;
    if share >= 0.4 {
        return share * 0.8;
    }
    // The characters of Chinese and Japanese words carry meaning by themselves.
    let known = chars
        .iter()
        .filter(|char| !is_katakana(**char) && text.contains(**char));
    known.count() as f32 / chars.len() as f32 * 0.4
}

/// Returns the weight of each content word: rare words and names weigh more.
pub(super) fn term_weights(question: &Question, passages: &[ReaderPassage]) -> Vec<f32> {
    let mut scores: HashMap<&str, (f32, f32)> = HashMap::new();
    for (word, score) in passages.iter().flat_map(|passage| &passage.terms) {
        let sum = scores.entry(word.as_str()).or_default();
        *sum = (sum.0 + score, sum.1 + 1.0);
    }
    let mean = |word: &str| scores.get(word).map(|(sum, count)| sum / count);
    let rarities: Vec<Option<f32>> = question
        .terms
        .iter()
        .map(|term| match term.is_unspaced {
            false => mean(&term.folded).or_else(|| mean(&term.stem)),
            true => unspaced_rarity(&term.stem, &mean),
        })
        .collect();
    let highest = rarities
        .iter()
        .flatten()
        .fold(1.0_f32, |high, rarity| high.max(*rarity));
    let weigh = |(term, rarity): (&QuestionTerm, &Option<f32>)| {
        let class = match term.class {
            TermClass::Name => 1.4,
            TermClass::Number => 1.2,
            TermClass::Noun => 1.0,
            TermClass::Plain => 0.8,
        };
        match (rarity, term.class) {
            (Some(rarity), _) => class * rarity.max(0.2 * highest),
            // A plain word that is in no document is often only another way to say something. In German it is no noun.
            (None, TermClass::Plain) if question.language.code() == "de" => class * highest * 0.6,
            (None, TermClass::Plain) => class * highest * 1.3,
            (None, _) => class * highest,
        }
    };
    question.terms.iter().zip(&rarities).map(weigh).collect()
}

fn unspaced_rarity(term: &str, mean: &impl Fn(&str) -> Option<f32>) -> Option<f32> {
    let chars: Vec<char> = term.chars().collect();
    let pairs = chars.windows(2).map(|pair| pair.iter().collect::<String>());
    let found: Vec<f32> = pairs.filter_map(|pair| mean(&pair)).collect();
    match found.is_empty() {
        true => None,
        false => {
            let rarity = found.iter().sum::<f32>() / found.len() as f32;
            Some(rarity * (1.0 + 0.15 * (chars.len() as f32 - 2.0)))
        }
    }
}
