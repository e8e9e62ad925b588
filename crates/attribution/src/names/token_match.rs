//! Comparison of two words of names.

use super::person_name::NameToken;
use super::tables::are_forms_of_one_name;

/// Relation of two words, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenMatch {
    /// The same letters.
    Equal,
    /// Spelled differently and read alike: `Hurtgen`, `Huertgen`; `Gonzales`, `Gonzalez`.
    Sound,
    /// Short form of a given name: `Mike`, `Michael`.
    ShortForm,
    /// One abbreviates the other: `J.`, `Joh.`, `Johannes`.
    Initial,
    /// One letter differs in a long word.
    Typo,
    /// Different words.
    Different,
}

/// Compares two words. Short forms are considered only for given names.
pub(super) fn match_tokens(
    one: &NameToken,
    other: &NameToken,
    are_given_names: bool,
) -> TokenMatch {
    let (a, b) = (one.text.as_str(), other.text.as_str());
    if a == b {
        return TokenMatch::Equal;
    }
    if (one.is_abbreviation && b.starts_with(a)) || (other.is_abbreviation && a.starts_with(b)) {
        return TokenMatch::Initial;
    }
    if one.is_abbreviation || other.is_abbreviation {
        return TokenMatch::Different;
    }
    if sound_key(a) == sound_key(b) {
        return TokenMatch::Sound;
    }
    if are_given_names && (are_forms_of_one_name(a, b) || is_long_prefix(a, b)) {
        return TokenMatch::ShortForm;
    }
    let shortest = a.chars().count().min(b.chars().count());
    // Given names differ by one letter in different people: `Martin`, `Martina`; `Jan`, `Jon`.
    let is_typo = match are_given_names {
        true => {
            shortest >= 5 && is_one_edit_apart(a, b) && a[..1] == b[..1] && !has_other_ending(a, b)
        }
        false => shortest >= 5 && is_one_edit_apart(a, b),
    };
    match is_typo {
        true => TokenMatch::Typo,
        false => TokenMatch::Different,
    }
}

/// Returns true for `Dan`, `Danny` or `Gregor`, `Gregory`, but not for names that differ in a vowel at the end.
fn is_long_prefix(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.len() >= 3
        && long.starts_with(short)
        && !matches!(
            &long[short.len()..],
            "a" | "e" | "o" | "ine" | "ina" | "ette" | "na" | "us"
        )
}

/// Returns true if the words differ in their last letter, which often tells a woman's name from a man's.
fn has_other_ending(a: &str, b: &str) -> bool {
    let is_vowel = |text: &str| text.ends_with(['a', 'e', 'o', 'i']);
    a.chars().next_back() != b.chars().next_back() && (is_vowel(a) || is_vowel(b))
}

/// Returns a key that is equal for words that are read alike in the common languages of Europe.
pub(crate) fn sound_key(word: &str) -> String {
    let word = word
        .replace("ph", "f")
        .replace("ck", "k")
        .replace("qu", "k")
        .replace("kh", "h")
        .replace("ij", "y")
        .replace("ei", "y")
        .replace("ey", "y")
        .replace("ue", "u")
        .replace("oe", "o")
        .replace("ae", "a")
        .replace("aa", "a")
        .replace("dt", "t")
        .replace("th", "t")
        .replace("tz", "z")
        .replace("ie", "i")
        .replace("ou", "u")
        .replace("gh", "g");
    let mut key = String::with_capacity(word.len());
    for letter in word.chars() {
        let letter = match letter {
            'c' | 'q' => 'k',
            'z' => 's',
            'y' | 'j' => 'i',
            'w' => 'v',
            other => other,
        };
        if !key.ends_with(letter) {
            key.push(letter);
        }
    }
    key
}

/// Returns true if one insertion, deletion, substitution or swap of neighbours turns one word into the other.
fn is_one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    if long.len() - short.len() > 1 {
        return false;
    }
    let start = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    if short.len() == long.len() {
        let rest = (&short[start..], &long[start..]);
        return rest.0.len() > 1
            && rest.0[0] == rest.1[1]
            && rest.0[1] == rest.1[0]
            && rest.0[2..] == rest.1[2..]
            || rest.0.get(1..) == rest.1.get(1..);
    }
    short[start..] == long[start + 1..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> NameToken {
        NameToken {
            text: text.trim_end_matches('.').to_owned(),
            is_abbreviation: text.ends_with('.'),
        }
    }

    fn given(a: &str, b: &str) -> TokenMatch {
        match_tokens(&token(a), &token(b), true)
    }

    fn surname(a: &str, b: &str) -> TokenMatch {
        match_tokens(&token(a), &token(b), false)
    }

    #[test]
    fn compares_words() {
        assert_eq!(given("j.", "john"), TokenMatch::Initial);
        assert_eq!(given("j.", "peter"), TokenMatch::Different);
        assert_eq!(given("mike", "michael"), TokenMatch::ShortForm);
        assert_eq!(given("dan", "danny"), TokenMatch::ShortForm);
        assert_eq!(given("martha", "martin"), TokenMatch::Different);
        assert_eq!(given("martin", "martina"), TokenMatch::Different);
        assert_eq!(surname("lennon", "lemon"), TokenMatch::Different);
        assert_eq!(surname("hurtgen", "huertgen"), TokenMatch::Sound);
        assert_eq!(surname("gonzales", "gonzalez"), TokenMatch::Sound);
        assert_eq!(surname("simmons", "simmonds"), TokenMatch::Typo);
        assert_eq!(surname("berg", "borg"), TokenMatch::Different);
    }
}
