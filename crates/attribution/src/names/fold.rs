//! Folding of letters: case, accents, other alphabets.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folds a text to lower-case Latin letters without accents. Punctuation and spaces stay.
pub fn fold_text(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkd() {
        if is_combining_mark(letter) {
            continue;
        }
        for lower in letter.to_lowercase() {
            match transliterate(lower) {
                Some(latin) => folded.push_str(latin),
                None => folded.push(lower),
            }
        }
    }
    folded
}

/// Splits a text into folded words of letters and digits. Apostrophes do not split.
pub fn search_words(text: &str) -> Vec<String> {
    let folded = fold_text(text);
    let joined: String = folded
        .chars()
        .filter(|letter| !matches!(letter, '\'' | '’' | '`' | '´'))
        .collect();
    joined
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the Latin form of a lower-case letter that decomposition leaves as it is.
fn transliterate(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ø' => "o",
        'æ' => "ae",
        'œ' => "oe",
        'ß' => "ss",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        'ŋ' => "n",
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' => "\"",
        '\u{2010}'..='\u{2015}' => "-",
        _ => return cyrillic(letter).or_else(|| greek(letter)),
    })
}

fn cyrillic(letter: char) -> Option<&'static str> {
    Some(match letter {
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' => "g",
        'д' => "d",
        'е' | 'э' | 'є' => "e",
        'ж' => "zh",
        'з' => "z",
        'и' | 'й' | 'і' | 'ї' => "i",
        'к' => "k",
        'л' => "l",
        'м' => "m",
        'н' => "n",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' => "u",
        'ф' => "f",
        'х' => "kh",
        'ц' => "ts",
        'ч' => "ch",
        'ш' => "sh",
        'щ' => "shch",
        'ы' => "y",
        'ю' => "yu",
        'я' => "ya",
        'ъ' | 'ь' => "",
        'ђ' => "dj",
        'ј' => "j",
        'љ' => "lj",
        'њ' => "nj",
        'ћ' => "c",
        'џ' => "dz",
        _ => return None,
    })
}

fn greek(letter: char) -> Option<&'static str> {
    Some(match letter {
        'α' => "a",
        'β' => "v",
        'γ' => "g",
        'δ' => "d",
        'ε' => "e",
        'ζ' => "z",
        'η' | 'ι' => "i",
        'θ' => "th",
        'κ' => "k",
        'λ' => "l",
        'μ' => "m",
        'ν' => "n",
        'ξ' => "x",
        'ο' | 'ω' => "o",
        'π' => "p",
        'ρ' => "r",
        'σ' | 'ς' => "s",
        'τ' => "t",
        'υ' => "y",
        'φ' => "f",
        'χ' => "ch",
        'ψ' => "ps",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_accents_and_alphabets() {
        assert_eq!(fold_text("Jesper Dahlbäck"), "jesper dahlback");
        assert_eq!(fold_text("Trentemøller"), "trentemoller");
        assert_eq!(fold_text("Дмитрий Шостакович"), "dmitrii shostakovich");
        assert_eq!(fold_text("Μίκης Θεοδωράκης"), "mikis theodorakis");
        assert_eq!(search_words("Guys 'n' Dolls"), ["guys", "n", "dolls"]);
    }
}
