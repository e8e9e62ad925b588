//! Relation of a word of a quote to the word of the source that it replaces.

use super::languages::KnownLanguage;
use super::lexicon::{are_forms_of_one_word, are_function_words, is_function_word};
use super::word_weights::weight;

/// Relation of two different words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRelation {
    /// A slip of the pen, or another spelling of the same word.
    Slip,
    /// Another form of the same word.
    Form,
    /// Another function word that says nearly the same.
    FunctionWord,
    /// Another word.
    Exchanged,
}

/// Function words that say the opposite of each other, or name another person.
const OPPOSITE_FUNCTION_WORDS: &[(&str, &str)] = &[
    ("with", "without"),
    ("to", "from"),
    ("in", "out"),
    ("on", "off"),
    ("into", "from"),
    ("for", "against"),
    ("and", "or"),
    ("before", "after"),
    ("since", "until"),
    ("above", "below"),
    ("over", "under"),
    ("inside", "outside"),
    ("within", "outside"),
    ("because", "although"),
    ("because", "though"),
    ("if", "unless"),
    ("same", "other"),
    ("same", "another"),
    ("here", "there"),
    ("now", "then"),
    ("he", "she"),
    ("his", "her"),
    ("him", "her"),
    ("and", "but"),
    ("this", "other"),
    ("via", "despite"),
    ("during", "after"),
    ("until", "from"),
    ("und", "oder"),
    ("für", "gegen"),
    ("mit", "gegen"),
    ("von", "zu"),
    ("von", "an"),
    ("aus", "in"),
    ("bis", "seit"),
    ("bis", "ab"),
    ("er", "sie"),
    ("weil", "obwohl"),
    ("auf", "unter"),
    ("et", "ou"),
    ("de", "vers"),
    ("il", "elle"),
    ("y", "o"),
    ("a", "de"),
    ("él", "ella"),
    ("e", "o"),
    ("da", "a"),
    ("hij", "zij"),
    ("en", "of"),
    ("и", "или"),
    ("из", "в"),
    ("от", "к"),
    ("он", "она"),
    ("و", "یا"),
    ("به", "از"),
    ("از", "تا"),
    ("إلى", "من"),
    ("و", "أو"),
    ("هو", "هي"),
];

/// Beginnings that two words with the same end may differ in and be opposites or other things.
const BEGINNINGS: &str = "in ex im em inter intra hyper hypo over under up down pre post pro anti con macro micro \
    mini maxi endo exo homo hetero sub super uni bi tri multi poly mono semi intro extro ab ad auf aus ein zu vor \
    nach ober unter hin her be ent ver er zer an out on off en dis un de re mis non for back fore ante hemi iso \
    inner outer north south east west при у в вы до от под над по за с раз";

/// Ends that two words with the same beginning may differ in and be different things.
const ENDS: &[&[&str]] = &[
    &["ate", "ite", "ide"],
    &["ane", "ene", "yne"],
    &["er", "ee"],
    &["or", "ee"],
    &["ful", "less"],
    &["li", "siz"],
    &["ward", "wards", "ly"],
    &["most", "least"],
];

/// Words of the source's document, and of the language of the passage.
pub(super) trait KnownWords {
    /// Returns the language of the passage.
    fn language(&self) -> Option<&'static KnownLanguage>;

    /// Returns true if the document uses a word of the quote.
    fn is_used(&self, word: &str) -> bool;
}

/// Returns the relation of a word of the quote to a word of the source, both normalised and different.
pub(super) fn relation(quoted: &str, actual: &str, known: &impl KnownWords) -> WordRelation {
    let pair = (quoted, actual);
    let opposite = |(one, other): &(&str, &str)| (*one, *other) == pair || (*other, *one) == pair;
    if OPPOSITE_FUNCTION_WORDS.iter().any(opposite) || differ_in_affix(quoted, actual) {
        return WordRelation::Exchanged;
    }
    if are_forms_of_one_word(known.language(), quoted, actual) {
        return WordRelation::Form;
    }
    if spelling_key(quoted) == spelling_key(actual) {
        return WordRelation::Slip;
    }
    if weight(quoted).is_none() && weight(actual).is_none() && are_function_words(quoted, actual) {
        return WordRelation::FunctionWord;
    }
    match is_slip(quoted, actual, known) {
        true => WordRelation::Slip,
        false => WordRelation::Exchanged,
    }
}

/// Returns true if one word of the quote is a misspelled word of the source.
fn is_slip(quoted: &str, actual: &str, known: &impl KnownWords) -> bool {
    let length = quoted.chars().count().max(actual.chars().count());
    let allowed = match length {
        0..=2 => 0,
        3..=7 => 1,
        8..=64 => 2,
        _ => return false,
    };
    let distance = strsim::osa_distance(quoted, actual);
    if distance > allowed {
        return false;
    }
    let knows = |word: &str| {
        known
            .language()
            .is_some_and(|language| language.knows(word))
    };
    let is_word = weight(quoted).is_some() || is_function_word(quoted) || knows(quoted);
    if known.is_used(quoted) {
        return false;
    }
    if !is_word {
        return true;
    }
    // "heir" for "their": a function word was meant. "now" for "not" is another matter.
    let joins = is_function_word(actual) && weight(actual).is_none() && !is_function_word(quoted);
    // The source itself has the misspelling.
    let source_slips = distance == 1 && length > 5 && !knows(actual) && weight(actual).is_none();
    (joins && length > 4 && weight(quoted).is_none()) || source_slips
}

/// Returns true if two words differ in a beginning or an end that changes their meaning, as "legal" and
/// "illegal", "includes" and "excludes", or "sulfate" and "sulfite" do.
fn differ_in_affix(one: &str, other: &str) -> bool {
    let (longer, shorter) = match one.len() > other.len() {
        true => (one, other),
        false => (other, one),
    };
    if let Some(added) = longer.strip_suffix(shorter) {
        let letters = added.chars().count();
        let doubled = shorter.starts_with(added);
        let inflects = matches!(added, "ge" | "ال" | "و" | "وال" | "لل" | "بال" | "می");
        let negates = matches!(added, "a" | "ن" | "не");
        return !inflects && !doubled && shorter.chars().count() >= 3 && (letters >= 2 || negates);
    }
    let same_end = common_end(one, other);
    let starts = (
        &one[..one.len() - same_end],
        &other[..other.len() - same_end],
    );
    let listed = |part: &str| {
        BEGINNINGS
            .split_ascii_whitespace()
            .any(|known| known == part)
    };
    // The common end may take a letter of a beginning with it, as in "over" and "under".
    let whole = |part: &str, word: &str| {
        { word.char_indices() }
            .map(|(at, c)| at + c.len_utf8())
            .any(|end| {
                end >= part.len()
                    && end <= part.len() + 3
                    && word.len() - end >= 3
                    && listed(&word[..end])
            })
    };
    if same_end >= 3 && whole(starts.0, one) && whole(starts.1, other) {
        return true;
    }
    ENDS.iter().any(|group| {
        let stem = |word: &str, end: &str| word.strip_suffix(end).map(str::to_owned);
        { group.iter() }.any(|end| {
            { group.iter().filter(|their| *their != end) }
                .any(|their| stem(one, end).is_some_and(|mine| Some(mine) == stem(other, their)))
        })
    })
}

/// Returns the number of bytes at the end that two words share.
fn common_end(one: &str, other: &str) -> usize {
    let letters = one.chars().rev().zip(other.chars().rev());
    letters
        .take_while(|(one, other)| one == other)
        .map(|(c, _)| c.len_utf8())
        .sum()
}

/// Returns a form of a word in which British and American spellings are the same.
fn spelling_key(word: &str) -> String {
    const VARIANTS: [(&str, &str); 13] = [
        ("isation", "ization"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("ises", "izes"),
        ("ise", "ize"),
        ("yse", "yze"),
        ("our", "or"),
        ("tre", "ter"),
        ("ence", "ense"),
        ("ogue", "og"),
        ("ll", "l"),
        ("programme", "program"),
        ("ae", "e"),
    ];
    let plain: String = word
        .chars()
        .filter(|c| !matches!(c, '"' | '\'' | '-'))
        .collect();
    VARIANTS.iter().fold(plain, |key, (british, american)| {
        key.replace(british, american)
    })
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::language_of;
    use super::*;

    struct Passage(&'static str);

    impl KnownWords for Passage {
        fn language(&self) -> Option<&'static KnownLanguage> {
            language_of(&self.0.split(' '))
        }

        fn is_used(&self, word: &str) -> bool {
            self.0.split(' ').any(|used| used == word)
        }
    }

    const ENGLISH: Passage =
        Passage("the committee of the harbour opened the gate and it was the last day");
    const GERMAN: Passage =
        Passage("der vertrag ist nach der prüfung wirksam geworden und der preis ist gestiegen");

    #[test]
    fn slips_and_forms_are_not_exchanges() {
        for (quoted, actual, expected) in [
            ("opend", "opened", WordRelation::Slip),
            ("comittee", "committee", WordRelation::Slip),
            ("teh", "the", WordRelation::Slip),
            ("colour", "color", WordRelation::Slip),
            ("organized", "organised", WordRelation::Slip),
            ("heir", "their", WordRelation::Slip),
            ("run", "runs", WordRelation::Form),
            ("opens", "opened", WordRelation::Form),
            ("this", "the", WordRelation::FunctionWord),
            ("was", "is", WordRelation::FunctionWord),
            ("which", "that", WordRelation::FunctionWord),
        ] {
            assert_eq!(
                relation(quoted, actual, &ENGLISH),
                expected,
                "{quoted} {actual}"
            );
        }
        assert_eq!(relation("geworen", "geworden", &GERMAN), WordRelation::Slip);
        assert_eq!(relation("verträge", "vertrag", &GERMAN), WordRelation::Form);
    }

    #[test]
    fn other_words_are_exchanges() {
        for (quoted, actual) in [
            ("increase", "decrease"),
            ("legal", "illegal"),
            ("includes", "excludes"),
            ("same", "different"),
            ("top", "bottom"),
            ("dependent", "independent"),
            ("with", "without"),
            ("to", "from"),
            ("and", "or"),
            ("import", "export"),
            ("employer", "employee"),
            ("sulfate", "sulfite"),
            ("hyperkalemia", "hypokalemia"),
            ("careful", "careless"),
            ("typical", "atypical"),
            ("he", "she"),
            ("house", "horse"),
            ("lessor", "lessee"),
            ("overpaid", "underpaid"),
            ("inbound", "outbound"),
            ("high", "higher"),
            ("day", "gate"),
            ("lawful", "unlawful"),
            ("directed", "redirected"),
            ("may", "must"),
        ] {
            assert_eq!(
                relation(quoted, actual, &ENGLISH),
                WordRelation::Exchanged,
                "{quoted} {actual}"
            );
            assert_eq!(
                relation(actual, quoted, &ENGLISH),
                WordRelation::Exchanged,
                "{actual} {quoted}"
            );
        }
        for (quoted, actual) in [
            ("gesunken", "gestiegen"),
            ("unwirksam", "wirksam"),
            ("ausgang", "eingang"),
            ("und", "oder"),
        ] {
            assert_eq!(
                relation(quoted, actual, &GERMAN),
                WordRelation::Exchanged,
                "{quoted} {actual}"
            );
        }
    }
}
