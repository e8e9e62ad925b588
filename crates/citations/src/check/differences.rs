//! What the differences between a quote and a passage mean.

use std::collections::HashSet;

use passage::{
    ChangeKind, DiffChange, NormalisedText, PassageTextIndex, Quote, QuoteDiff, Token, TokenKind,
};

use super::word_weights::{WordWeight, english, weight};

/// The share of words that may differ harmlessly in a passage that is still partly the quote.
const MAX_CHANGED: f64 = 0.34;

/// How much of a changed word a slip of the pen counts for.
const SLIP: f64 = 0.5;

/// A difference that makes a quote say something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeaningChange {
    /// A number, a sign, a percent sign.
    Number,
    /// A unit or a currency.
    Unit,
    /// A date.
    Date,
    /// A negation.
    Negation,
    /// A comparison or a direction.
    Comparison,
    /// May, must, will.
    Modal,
    /// How many, how nearly.
    Quantity,
    /// A name.
    Name,
    /// The order of words.
    Order,
}

impl MeaningChange {
    /// What differs, in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "a number differs",
            Self::Unit => "a unit or currency differs",
            Self::Date => "a date differs",
            Self::Negation => "a negation differs",
            Self::Comparison => "a comparison differs",
            Self::Modal => "a word like may or must differs",
            Self::Quantity => "a quantity differs",
            Self::Name => "a name differs",
            Self::Order => "the order of words differs",
        }
    }
}

/// What a diff amounts to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum DiffAssessment {
    /// The same words.
    Same,
    /// Slips of the pen, words left out that change little.
    Harmless,
    /// Something that matters differs.
    Grave(MeaningChange),
    /// Too much differs for the passage to be the quote at all.
    Other,
}

/// What one change amounts to.
enum ChangeWeight {
    /// A slip of the pen.
    Slip,
    /// Words that change little.
    Plain,
    /// Something that matters.
    Grave(MeaningChange),
}

impl From<Option<MeaningChange>> for ChangeWeight {
    fn from(grave: Option<MeaningChange>) -> Self {
        grave.map_or(Self::Plain, Self::Grave)
    }
}

/// Says what the differences between a quote and a passage of `index` mean.
pub(super) fn assess(
    diff: &QuoteDiff<'_>,
    quote: &Quote,
    index: &PassageTextIndex,
) -> DiffAssessment {
    if diff.is_same() {
        return DiffAssessment::Same;
    }
    let sides = ComparedTexts {
        quote: quote.text(),
        passage: index.text(),
        index,
    };
    let mut changed = 0.0;
    let mut grave = None;
    let (mut only_quote, mut only_passage) = (HashSet::new(), HashSet::new());
    for change in &diff.changes {
        if change.kind == ChangeKind::Same {
            continue;
        }
        let (ours, theirs) = (
            &diff.quote[change.quote.clone()],
            &diff.passage[change.passage.clone()],
        );
        let words = |tokens: &[Token<'_>]| tokens.iter().filter(|token| is_word(token)).count();
        let count = words(ours).max(words(theirs)) as f64;
        match sides.look(change, ours, theirs) {
            // The words are there, only badly written.
            ChangeWeight::Slip => changed += count * SLIP,
            ChangeWeight::Grave(found) => {
                changed += count;
                grave = grave.or(Some(found));
            }
            ChangeWeight::Plain => {
                changed += count;
                let content =
                    |token: &&Token<'_>| is_word(token) && token.normalised.chars().count() > 2;
                only_quote.extend(ours.iter().filter(content).map(|token| token.normalised));
                only_passage.extend(theirs.iter().filter(content).map(|token| token.normalised));
            }
        }
    }
    if grave.is_none() && only_quote.intersection(&only_passage).next().is_some() {
        grave = Some(MeaningChange::Order);
    }
    let words = diff.quote.iter().filter(|token| is_word(token)).count();
    if changed > MAX_CHANGED * words as f64 && changed > 1.0 {
        return DiffAssessment::Other;
    }
    match grave {
        Some(grave) => DiffAssessment::Grave(grave),
        None => DiffAssessment::Harmless,
    }
}

/// Whether words of a quote that are nowhere in the text may be overlooked.
pub(super) fn grave_words(
    quote: &Quote,
    left: impl Iterator<Item = std::ops::Range<usize>>,
) -> Option<MeaningChange> {
    let text = quote.text();
    for range in left {
        for token in text.tokens_in(text.normalised_range(range)) {
            if let Some(grave) = gravity(&token, text) {
                return Some(grave);
            }
        }
    }
    None
}

fn is_word(token: &Token<'_>) -> bool {
    !token.kind.is_optional_at_edge() && token.kind != TokenKind::Raised
}

/// The two texts that are compared.
struct ComparedTexts<'a> {
    quote: &'a NormalisedText,
    passage: &'a NormalisedText,
    index: &'a PassageTextIndex,
}

impl ComparedTexts<'_> {
    /// What one change amounts to.
    fn look(&self, change: &DiffChange, ours: &[Token<'_>], theirs: &[Token<'_>]) -> ChangeWeight {
        if change.kind == ChangeKind::OnlyInPassage && is_reference(theirs) {
            return ChangeWeight::Plain;
        }
        if change.kind == ChangeKind::Replaced {
            let mine: Vec<&Token<'_>> = ours.iter().filter(|token| is_word(token)).collect();
            let other: Vec<&Token<'_>> = theirs.iter().filter(|token| is_word(token)).collect();
            if mine.len() == other.len() {
                return self.look_at_pairs(&mine, &other);
            }
            if self.is_slip(&mine, &other) {
                return ChangeWeight::Slip;
            }
        }
        let ours = ours.iter().find_map(|token| gravity(token, self.quote));
        ours.or_else(|| theirs.iter().find_map(|token| gravity(token, self.passage)))
            .into()
    }

    fn look_at_pairs(&self, ours: &[&Token<'_>], theirs: &[&Token<'_>]) -> ChangeWeight {
        let mut look = ChangeWeight::Slip;
        for (ours, theirs) in ours.iter().zip(theirs) {
            if ours.normalised == theirs.normalised || self.is_slip(&[ours], &[theirs]) {
                continue;
            }
            let grave = gravity(ours, self.quote).or_else(|| gravity(theirs, self.passage));
            match grave {
                Some(MeaningChange::Name) if is_inflected(ours.normalised, theirs.normalised) => {
                    look = ChangeWeight::Plain;
                }
                Some(grave) => return ChangeWeight::Grave(grave),
                None => look = ChangeWeight::Plain,
            }
        }
        look
    }

    /// Whether words are others with a slip of the pen: the digits are the same, the letters nearly,
    /// and what came of it is no word that is used here.
    fn is_slip(&self, ours: &[&Token<'_>], theirs: &[&Token<'_>]) -> bool {
        let wordy = |token: &&&Token<'_>| {
            matches!(
                token.kind,
                TokenKind::Word | TokenKind::Mixed | TokenKind::Number | TokenKind::Date
            )
        };
        let all = ours.iter().chain(theirs);
        if all.clone().count() != all.filter(wordy).count() {
            return false;
        }
        let (ours_text, theirs_text) = (written(ours, self.quote), written(theirs, self.passage));
        let digits = |text: &str| {
            text.chars()
                .filter(char::is_ascii_digit)
                .collect::<String>()
        };
        is_near(&ours_text, &theirs_text)
            && digits(&ours_text) == digits(&theirs_text)
            && !ours
                .iter()
                .filter(|token| token.kind == TokenKind::Word)
                .any(|token| self.is_known(token))
    }

    /// Whether the document uses this word, or everybody does: then it is no slip of the pen.
    fn is_known(&self, token: &Token<'_>) -> bool {
        // Short units are slips more often than they are units.
        if english(token.normalised).is_some_and(|weight| weight != WordWeight::Unit) {
            return true;
        }
        let word = &self.quote.source()[token.range.clone()];
        Quote::new(word, self.passage).is_ok_and(|word| self.index.find(&word, None).is_some())
    }
}

/// Tokens as they are written, in small letters and without what stands between them.
fn written(tokens: &[&Token<'_>], text: &NormalisedText) -> String {
    let mut written = String::new();
    for token in tokens {
        written.push_str(match token.kind {
            // A date is folded to the day it names.
            TokenKind::Date => text.source().get(token.range.clone()).unwrap_or_default(),
            _ => token.normalised,
        });
    }
    let letters = written.to_lowercase();
    letters
        .chars()
        .filter(|char| char.is_alphanumeric())
        .collect()
}

/// Whether one word is as good as the other, letter by letter.
fn is_near(ours: &str, theirs: &str) -> bool {
    let length = theirs.chars().count().max(ours.chars().count());
    let allowed = match length {
        0 | 1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    length <= 64 && strsim::osa_distance(ours, theirs) <= allowed
}

/// Whether one word is the other with an ending: "Form", "Forms".
fn is_inflected(ours: &str, theirs: &str) -> bool {
    let ending = ours.strip_prefix(theirs).or(theirs.strip_prefix(ours));
    ending.is_some_and(|ending| ending.chars().count() <= 2) && ours.chars().count() > 2
}

/// Why a token may not be changed, added or left out.
fn gravity(token: &Token<'_>, text: &NormalisedText) -> Option<MeaningChange> {
    match token.kind {
        TokenKind::Number | TokenKind::Mixed | TokenKind::Percent => Some(MeaningChange::Number),
        TokenKind::Currency => Some(MeaningChange::Unit),
        TokenKind::Date => Some(MeaningChange::Date),
        TokenKind::Word => match weight(token.normalised) {
            Some(WordWeight::Negation) => Some(MeaningChange::Negation),
            Some(WordWeight::Comparison) => Some(MeaningChange::Comparison),
            Some(WordWeight::Modal) => Some(MeaningChange::Modal),
            Some(WordWeight::Quantity) => Some(MeaningChange::Quantity),
            Some(WordWeight::Unit) => Some(MeaningChange::Unit),
            Some(WordWeight::Date) => Some(MeaningChange::Date),
            None => is_name(token, text).then_some(MeaningChange::Name),
        },
        TokenKind::Character => Some(MeaningChange::Name),
        TokenKind::Symbol => Some(MeaningChange::Number),
        TokenKind::Raised | TokenKind::Quotation | TokenKind::Dash | TokenKind::Punctuation => None,
    }
}

/// Whether a word is written like a name: with a capital that no sentence begins with.
fn is_name(token: &Token<'_>, text: &NormalisedText) -> bool {
    let source = text.source();
    let word = source.get(token.range.clone()).unwrap_or_default();
    if !word.starts_with(char::is_uppercase) {
        return false;
    }
    let before = source.get(..token.range.start).unwrap_or_default();
    let before = before.trim_end_matches(|char: char| {
        char.is_whitespace()
            || matches!(
                char,
                '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»' | '(' | '[' | '*' | '_'
            )
    });
    let starts_sentence =
        before.is_empty() || before.ends_with(['.', '!', '?', ':', '•', '#', '>']);
    let shouted = |word: &str| {
        word.chars().filter(|char| char.is_alphabetic()).count() > 1
            && !word.chars().any(char::is_lowercase)
    };
    let after = source.get(token.range.end..).unwrap_or_default();
    let beside = [
        before.split_whitespace().next_back(),
        after.split_whitespace().next(),
    ];
    // Where everything is in capitals they say nothing.
    if shouted(word) {
        return !beside.into_iter().flatten().any(shouted);
    }
    !starts_sentence
}

/// Whether tokens are a reference in brackets, such as "[12]" or "(3)": quotes leave them out.
fn is_reference(tokens: &[Token<'_>]) -> bool {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return false;
    };
    let inner = tokens
        .get(1..tokens.len().saturating_sub(1))
        .unwrap_or_default();
    matches!((first.normalised, last.normalised), ("[", "]"))
        && !inner.is_empty()
        && inner.iter().all(|token| match token.kind {
            TokenKind::Number => token.normalised.chars().all(|char| char.is_ascii_digit()),
            kind => kind.is_optional_at_edge(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(quote: &str, source: &str) -> DiffAssessment {
        let index = PassageTextIndex::new(NormalisedText::new(source).expect("short"));
        let quote = Quote::new(quote, index.text()).expect("short");
        let diff = quote.diff(index.text(), 0..source.len());
        assess(&diff, &quote, &index)
    }

    #[test]
    fn differences_that_matter_are_grave() {
        let source = "In 2024 the profit of Acme did not rise by more than 12 % over all regions, she may say.";
        for (from, to, grave) in [
            ("12", "13", MeaningChange::Number),
            ("2024", "2023", MeaningChange::Number),
            (" %", "", MeaningChange::Number),
            ("did not rise", "did rise", MeaningChange::Negation),
            ("more than", "less than", MeaningChange::Comparison),
            ("may", "must", MeaningChange::Modal),
            ("all regions", "some regions", MeaningChange::Quantity),
            ("all regions", "regions", MeaningChange::Quantity),
            ("Acme", "Apex", MeaningChange::Name),
            ("profit of Acme", "Acme of profit", MeaningChange::Name),
        ] {
            let quote = source.replace(from, to);
            assert_ne!(quote, source);
            assert_eq!(
                judge(&quote, source),
                DiffAssessment::Grave(grave),
                "{quote}"
            );
        }
    }

    #[test]
    fn the_order_of_words_matters() {
        assert_eq!(
            judge(
                "the river flows past the mill and the tower",
                "the mill flows past the river and the tower"
            ),
            DiffAssessment::Grave(MeaningChange::Order)
        );
    }

    #[test]
    fn slips_of_the_pen_are_harmless() {
        let source = "The committee approved the annual budget of the harbour on a rainy day [12] in autumn.";
        for (from, to) in [
            ("committee", "comittee"),
            ("approved", "aproved"),
            ("the annual", "teh annual"),
            ("rainy day [12] in", "rainy day in"),
            ("the annual budget", "annual budget"),
        ] {
            let quote = source.replace(from, to);
            assert_eq!(judge(&quote, source), DiffAssessment::Harmless, "{quote}");
        }
    }

    #[test]
    fn another_sentence_is_another_sentence() {
        assert_eq!(
            judge(
                "nobody knows where those ships went",
                "the committee approved the annual budget"
            ),
            DiffAssessment::Other
        );
    }

    #[test]
    fn a_slip_that_makes_a_known_word_is_no_slip() {
        let source = "it is now closed and was not closed then";
        assert_eq!(
            judge("it is not closed and was not closed then", source),
            DiffAssessment::Grave(MeaningChange::Negation)
        );
    }
}
