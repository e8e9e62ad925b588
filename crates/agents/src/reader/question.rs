//! Understanding of a question: its language, the kind of answer it asks for, and its content words.

use search::{Language, LanguageDetector, text_terms};

use super::lexicon::{Lexicon, has_word, lexicon, lexicons, words};

/// Limit on the question in bytes; the rest is ignored.
const MAX_QUESTION: usize = 4_096;
/// Limit on the content words of a question.
const MAX_TERMS: usize = 48;

/// Kind of answer that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Person or group.
    Person,
    /// Date or time.
    Time,
    /// Number, amount or measure.
    Count,
    /// Place.
    Place,
    /// Reason or purpose.
    Reason,
    /// Way in which something is done.
    Manner,
    /// Definition.
    Definition,
    /// Several things.
    List,
    /// Comparison of two things.
    Comparison,
    /// Anything else.
    Other,
}

/// Class of a content word, by which its absence is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TermClass {
    /// Proper name.
    Name,
    /// Number.
    Number,
    /// Noun in a language that writes nouns with a capital letter; word of a script without spaces.
    Noun,
    /// Any other word.
    Plain,
}

/// Content word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QuestionTerm {
    /// Lower case, without accents.
    pub(super) folded: String,
    /// Stem, or the characters of a script without spaces.
    pub(super) stem: String,
    pub(super) class: TermClass,
    /// True for a word of a script without spaces.
    pub(super) is_unspaced: bool,
}

/// Question with what it asks for.
#[derive(Debug, Clone)]
pub struct Question {
    /// Text.
    pub text: String,
    /// Language.
    pub language: Language,
    /// Kind of answer.
    pub kind: QuestionKind,
    pub(super) terms: Vec<QuestionTerm>,
    /// All words of the question in lower case without accents, for comparison with numbers of a sentence.
    pub(super) words: Vec<String>,
}

impl Question {
    /// Reads a question.
    pub fn parse(text: &str) -> Self {
        let text = text[..text.floor_char_boundary(MAX_QUESTION)].trim();
        let language = detect_language(text);
        let lexicon = lexicon(language.code());
        let kind = question_kind(text, lexicon);
        let words = text_terms(text, language);
        let words = words.into_iter().map(|term| term.folded).collect();
        let mut terms = match is_unspaced_language(language) {
            true => unspaced_terms(text, lexicon),
            false => Vec::new(),
        };
        terms.extend(spaced_terms(text, language, lexicon));
        let mut unique: Vec<QuestionTerm> = Vec::new();
        for term in terms {
            if unique.iter().all(|other| other.stem != term.stem) && unique.len() < MAX_TERMS {
                unique.push(term);
            }
        }
        Self {
            text: text.to_owned(),
            language,
            kind,
            terms: unique,
            words,
        }
    }

    /// Returns the words of the question for a full-text search, without its operators.
    pub fn search_query(&self) -> String {
        let is_operator = |char: char| {
            matches!(
                char,
                '"' | '“' | '”' | '„' | '-' | '–' | '*' | '«' | '»' | '|'
            )
        };
        self.text
            .chars()
            .map(|char| if is_operator(char) { ' ' } else { char })
            .collect()
    }

    /// Returns true if there is a word to search for.
    pub(super) fn has_content(&self) -> bool {
        !self.terms.is_empty()
    }

    pub(super) fn lexicon(&self) -> &'static Lexicon {
        lexicon(self.language.code())
    }

    /// Returns true if the language is written without spaces.
    pub(super) fn is_unspaced(&self) -> bool {
        is_unspaced_language(self.language)
    }
}

pub(super) fn is_unspaced_language(language: Language) -> bool {
    matches!(language.code(), "ja" | "zh" | "th")
}

/// Returns true for kanji and hanzi.
pub(super) fn is_han(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}' | '々')
}

/// Returns true for hiragana.
pub(super) fn is_hiragana(char: char) -> bool {
    matches!(char, '\u{3041}'..='\u{309f}')
}

/// Returns true for katakana and the mark of long vowels.
pub(super) fn is_katakana(char: char) -> bool {
    matches!(char, '\u{30a1}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Returns the language of a question, which is often too short for statistics.
fn detect_language(text: &str) -> Language {
    let kana = text
        .chars()
        .filter(|c| is_hiragana(*c) || is_katakana(*c))
        .count();
    let han = text.chars().filter(|c| is_han(*c)).count();
    if kana > 0 {
        return Language::from_code("ja");
    }
    if han > 1 {
        return Language::from_code("zh");
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = words_of(&lower).collect();
    let votes = lexicons().iter().take(3).map(|lexicon| {
        let known = |word: &&&str| has_word(lexicon.stop_words, word);
        (words.iter().filter(known).count(), lexicon.code)
    });
    // The first language wins a tie.
    let best = votes.fold(
        (0, ""),
        |best, vote| if vote.0 > best.0 { vote } else { best },
    );
    let detected = LanguageDetector::default().detect(text);
    match detected {
        Some(found) if found.is_reliable && best.0 * 5 < words.len() => found.language,
        _ if best.0 > 0 => Language::from_code(best.1),
        Some(found) => found.language,
        None => Language::from_code("en"),
    }
}

/// Returns the words of a text in lower case.
fn words_of(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn question_kind(text: &str, lexicon: &Lexicon) -> QuestionKind {
    let lower = text.to_lowercase().replace('’', "'");
    if matches!(lexicon.code, "ja" | "zh") {
        let listed = lexicon.question_words.iter();
        let mut found = listed.filter(|(_, list)| words(list).any(|word| lower.contains(word)));
        return found.next().map_or(QuestionKind::Other, |(kind, _)| *kind);
    }
    let mut best: Option<(usize, usize, QuestionKind)> = None;
    for (kind, list) in lexicon.question_words {
        for word in words(list) {
            let Some(at) = find_words(&lower, word) else {
                continue;
            };
            let is_better = best.is_none_or(|(start, length, _)| {
                (at, std::cmp::Reverse(word.len())) < (start, std::cmp::Reverse(length))
            });
            if is_better {
                best = Some((at, word.len(), *kind));
            }
        }
    }
    best.map_or(QuestionKind::Other, |(_, _, kind)| kind)
}

/// Returns the start of words in a text, at the borders of words.
fn find_words(text: &str, words: &str) -> Option<usize> {
    let is_border = |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric());
    text.match_indices(words)
        .find(|(at, found)| {
            is_border(text[..*at].chars().next_back())
                && is_border(text[at + found.len()..].chars().next())
        })
        .map(|(at, _)| at)
}

/// Returns the content words of a language with spaces, and those between characters of one without.
fn spaced_terms(text: &str, language: Language, lexicon: &Lexicon) -> Vec<QuestionTerm> {
    let has_noun_capitals = language.code() == "de";
    let mut terms = Vec::new();
    for (at, term) in text_terms(text, language).into_iter().enumerate() {
        if term.is_bigram {
            continue;
        }
        let written = &text[term.range.clone()];
        let lower = written.to_lowercase();
        let is_capital = written.starts_with(char::is_uppercase);
        let is_acronym = written.chars().filter(|char| char.is_uppercase()).count() > 1;
        let is_stop_word = has_word(lexicon.stop_words, &lower);
        // A capitalised stop word inside a question may be a name, as in “May”.
        if is_stop_word && !(is_acronym && at > 0) {
            continue;
        }
        let class = if written.chars().any(|char| char.is_ascii_digit()) {
            TermClass::Number
        } else if is_acronym || (is_capital && at > 0 && !has_noun_capitals) {
            TermClass::Name
        } else if is_capital && at > 0 {
            TermClass::Noun
        } else {
            TermClass::Plain
        };
        terms.push(QuestionTerm {
            folded: term.folded,
            stem: term.stem,
            class,
            is_unspaced: false,
        });
    }
    terms
}

/// Returns the content words of a language without spaces: runs of one script, without question words and particles.
fn unspaced_terms(text: &str, lexicon: &Lexicon) -> Vec<QuestionTerm> {
    let mut rest = text.to_owned();
    let question_words = lexicon
        .question_words
        .iter()
        .flat_map(|(_, list)| words(list));
    let mut removed: Vec<&str> = question_words.chain(words(lexicon.stop_words)).collect();
    removed.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in removed {
        // Single characters of Japanese are parts of words; those of Chinese are words.
        let is_single = word.chars().count() == 1;
        if !(is_single && lexicon.code == "ja") {
            rest = rest.replace(word, " ");
        }
    }
    let mut runs: Vec<String> = Vec::new();
    let mut last = 0;
    for char in rest.chars() {
        let script = match char {
            char if is_han(char) => 1,
            char if is_katakana(char) => 2,
            _ => 0,
        };
        if script == 0 {
            last = 0;
            continue;
        }
        match runs.last_mut() {
            Some(run) if last == script => run.push(char),
            _ => runs.push(char.to_string()),
        }
        last = script;
    }
    let is_content = |run: &String| !has_word(lexicon.stop_words, run) && run != "何";
    let runs = runs.into_iter().filter(is_content);
    runs.map(|run| QuestionTerm {
        folded: run.clone(),
        class: match run.chars().all(is_katakana) {
            true => TermClass::Name,
            false => TermClass::Noun,
        },
        stem: run,
        is_unspaced: true,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_a_language_and_a_kind() {
        for (text, code, kind) in [
            ("Who built the first quay?", "en", QuestionKind::Person),
            (
                "In what year was the quay opened?",
                "en",
                QuestionKind::Time,
            ),
            ("What did the man who left say?", "en", QuestionKind::Other),
            ("How many boats use it?", "en", QuestionKind::Count),
            ("Why was it closed?", "en", QuestionKind::Reason),
            ("What is a tide gauge?", "en", QuestionKind::Definition),
            (
                "What is the difference between the two?",
                "en",
                QuestionKind::Comparison,
            ),
            ("Wer war der Vorsitzende?", "de", QuestionKind::Person),
            (
                "In welchem Jahr wurde der Markt eröffnet?",
                "de",
                QuestionKind::Time,
            ),
            ("Wie viele Gäste nahmen teil?", "de", QuestionKind::Count),
            ("Wie heißt die erste Serie?", "de", QuestionKind::Other),
            ("Weshalb wurde er geschlossen?", "de", QuestionKind::Reason),
            (
                "Combien de bateaux utilisent le port ?",
                "fr",
                QuestionKind::Count,
            ),
            (
                "En quelle année le quai a-t-il été ouvert ?",
                "fr",
                QuestionKind::Time,
            ),
            ("Où se trouve la gare ?", "fr", QuestionKind::Place),
            ("港はいつ閉鎖されましたか。", "ja", QuestionKind::Time),
            (
                "最初の埠頭を建設したのは誰ですか？",
                "ja",
                QuestionKind::Person,
            ),
            ("港口是什么时候关闭的？", "zh", QuestionKind::Time),
            ("有多少艘船使用这个港口？", "zh", QuestionKind::Count),
        ] {
            let question = Question::parse(text);
            assert_eq!(question.language.code(), code, "{text}");
            assert_eq!(question.kind, kind, "{text}");
        }
    }

    #[test]
    fn content_words_are_without_question_words_and_particles() {
        let stems = |text: &str| {
            let question = Question::parse(text);
            question
                .terms
                .into_iter()
                .map(|term| term.stem)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            stems("How many boats use the harbour of Nordvik?"),
            ["boat", "use", "harbour", "nordvik"]
        );
        assert_eq!(stems("港口是什么时候关闭的？"), ["港口", "关闭"]);
        assert_eq!(
            stems("フェリーは何時に港を出発しますか"),
            ["フェリー", "港", "出発"]
        );
        assert_eq!(stems("?"), [] as [&str; 0]);
    }
}
