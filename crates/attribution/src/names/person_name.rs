//! A name, split into its parts.

use super::fold::fold_text;
use super::tables::{expanded, generation, is_group_word, is_particle, is_title};

/// Word of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameToken {
    /// Folded letters and digits.
    pub text: String,
    /// True if it abbreviates a longer word: `J`, `Joh.`
    pub is_abbreviation: bool,
}

/// Name of a person or group, split into its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonName {
    /// Name as it was written, without the number of Discogs.
    pub written: String,
    /// Number with which Discogs tells namesakes apart: 2 for `Mali Music (2)`. A name without a number is 1.
    pub discogs_number: Option<u32>,
    /// Words without titles, particles, nicknames and generation.
    pub tokens: Vec<NameToken>,
    /// All words in one, with particles and titles and without spaces.
    pub joined: String,
    /// Folded nicknames in quotation marks or brackets.
    pub nicknames: Vec<String>,
    /// Generation: 2 for `Jr.`
    pub generation: Option<u8>,
    /// True if the name has a title like `DJ`.
    pub has_title: bool,
    /// True if a word or sign says that it is a group.
    pub is_group: bool,
    /// Guests after `feat.`
    pub guests: Vec<String>,
}

impl PersonName {
    /// Splits a name into its parts.
    pub fn parse(name: &str) -> Self {
        let (name, discogs_number) = strip_discogs_number(name.trim().trim_end_matches('*').trim());
        let (name, guests) = split_guests(name);
        let (plain, nicknames) = take_nicknames(name);
        let mut parsed = Self {
            written: name.to_owned(),
            discogs_number,
            guests,
            nicknames,
            is_group: plain.contains('&')
                || plain.contains(" + ")
                || plain.contains('/') && !plain.contains("v/d"),
            ..Self::default()
        };
        let plain = put_surname_last(&plain);
        let is_all_capitals = !plain.chars().any(char::is_lowercase);
        for word in plain
            .replace("v/d", "van der")
            .split([' ', '-', '/', '\u{2010}', '\u{2013}', ',', '_'])
        {
            parsed.push_word(word, is_all_capitals);
        }
        // A name of nothing but titles and particles is a name all the same: `The The`, `DJ`.
        if parsed.tokens.is_empty() {
            parsed.tokens = super::search_words(&parsed.written)
                .into_iter()
                .map(|text| NameToken {
                    text,
                    is_abbreviation: false,
                })
                .collect();
            parsed.joined = parsed
                .tokens
                .iter()
                .map(|token| token.text.as_str())
                .collect();
        }
        parsed
    }

    fn push_word(&mut self, word: &str, is_all_capitals: bool) {
        let word = word.trim_matches(|letter: char| {
            !letter.is_alphanumeric() && letter != '.' && letter != '&' && letter != '+'
        });
        if word == "&" || word == "+" {
            self.joined.push_str("and");
            return;
        }
        let parts: Vec<&str> = word.split('.').collect();
        let is_dotted = parts.len() > 1;
        for (position, part) in parts.iter().enumerate() {
            let text: String = fold_text(part)
                .chars()
                .filter(|letter| letter.is_alphanumeric())
                .collect();
            if text.is_empty() {
                continue;
            }
            let letters = text.chars().count();
            // `JB Lenoir`: short words of capitals before others are initials.
            let is_initials = !is_all_capitals
                && (2..=3).contains(&letters)
                && part.chars().all(char::is_uppercase)
                && !is_title(&text)
                && generation(&text).is_none();
            if is_initials && self.tokens.is_empty() && !is_dotted {
                self.joined.push_str(&text);
                for letter in text.chars() {
                    self.tokens.push(NameToken {
                        text: letter.to_string(),
                        is_abbreviation: true,
                    });
                }
                continue;
            }
            let is_followed_by_dot = is_dotted && position + 1 < parts.len();
            self.push_folded(&text, letters == 1 || is_followed_by_dot);
        }
    }

    fn push_folded(&mut self, text: &str, is_abbreviation: bool) {
        if text == "the" || text == "and" {
            return;
        }
        if let Some(number) = generation(text).filter(|_| self.tokens.len() > 1) {
            self.generation = Some(number);
            return;
        }
        let full = expanded(text).to_owned();
        self.joined.push_str(&full);
        if is_title(&full) && self.tokens.is_empty() {
            self.has_title = true;
            return;
        }
        // A first word is a name, not a particle: `Al Green`, `Di Anne`.
        if is_particle(&full) && !self.tokens.is_empty() && !is_abbreviation {
            return;
        }
        self.is_group |= is_group_word(&full);
        let is_abbreviation =
            is_abbreviation && full == text && !full.chars().all(|letter| letter.is_ascii_digit());
        self.tokens.push(NameToken {
            text: full,
            is_abbreviation,
        });
    }

    /// Returns the last word.
    pub fn surname(&self) -> &str {
        self.tokens.last().map_or("", |token| token.text.as_str())
    }

    /// Returns a key that most forms of a name share: first letter and last word.
    pub fn blocking_key(&self) -> String {
        let initial = self
            .tokens
            .first()
            .and_then(|token| token.text.chars().next());
        format!(
            "{}{}",
            initial.map(String::from).unwrap_or_default(),
            self.surname()
        )
    }
}

fn strip_discogs_number(name: &str) -> (&str, Option<u32>) {
    let number = name
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("))
        .and_then(|(rest, digits)| Some((rest, digits.parse().ok()?)));
    match number {
        // A year or another long number belongs to the name.
        Some((rest, number)) if number < 1000 => (rest.trim_end(), Some(number)),
        _ => (name, None),
    }
}

/// Splits the guests off: `Foo feat. Bar & Baz`.
fn split_guests(name: &str) -> (&str, Vec<String>) {
    const WORDS: [&str; 8] = [
        " feat. ",
        " feat ",
        " ft. ",
        " ft ",
        " featuring ",
        " f/ ",
        " (feat. ",
        " (ft. ",
    ];
    let lower = name.to_ascii_lowercase();
    let found = WORDS
        .iter()
        .filter_map(|word| lower.find(word).map(|at| (at, word.len())))
        .min();
    match found {
        Some((at, length)) if at > 0 => {
            let guests = name[at + length..].trim_end_matches(')').split([',', '&']);
            let guests = guests
                .map(|guest| guest.trim().to_owned())
                .filter(|guest| !guest.is_empty());
            (name[..at].trim(), guests.collect())
        }
        _ => (name, Vec::new()),
    }
}

/// Takes the parts in quotation marks or brackets out of a name.
fn take_nicknames(name: &str) -> (String, Vec<String>) {
    let (mut plain, mut nicknames) = (String::with_capacity(name.len()), Vec::new());
    let mut rest = name;
    while let Some(at) = rest.find(['"', '\u{201c}', '\u{201e}', '(', '\'', '\u{2018}']) {
        let opening = rest[at..].chars().next().unwrap_or('"');
        let after = &rest[at + opening.len_utf8()..];
        let closings: &[char] = match opening {
            '(' => &[')'],
            '\'' | '\u{2018}' => &['\'', '\u{2019}'],
            _ => &['"', '\u{201c}', '\u{201d}'],
        };
        // An apostrophe opens a nickname only at the beginning of a word, and closes it only at the end of one.
        let begins_word = rest[..at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        let closing = after.char_indices().find(|(end, letter)| {
            closings.contains(letter)
                && (opening != '\''
                    || after[end + letter.len_utf8()..]
                        .chars()
                        .next()
                        .is_none_or(|next| !next.is_alphanumeric()))
        });
        match closing.filter(|(end, _)| *end > 0 && (begins_word || opening != '\'')) {
            Some((end, letter)) => {
                plain.push_str(&rest[..at]);
                plain.push(' ');
                nicknames.push(super::search_words(&after[..end]).concat());
                rest = &after[end + letter.len_utf8()..];
            }
            None => {
                plain.push_str(&rest[..at + opening.len_utf8()]);
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    // A nickname beside a single word is a part of the name: `Miguel 'Migs'`.
    match plain.split_whitespace().count() < 2 {
        true => (name.to_owned(), Vec::new()),
        false => (plain, nicknames),
    }
}

/// Turns `Delano, Alexi` and `Persuader, The` around.
fn put_surname_last(name: &str) -> String {
    let mut parts = name.split(',').map(str::trim);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(surname), Some(given), None)
            if !surname.is_empty()
                && surname.split_whitespace().count() <= 2
                && (1..=2).contains(&given.split_whitespace().count())
                && generation(&fold_text(given).replace('.', "")).is_none() =>
        {
            format!("{given} {surname}")
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(name: &str) -> Vec<String> {
        PersonName::parse(name)
            .tokens
            .into_iter()
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn splits_names_into_parts() {
        assert_eq!(tokens("A.Delano"), ["a", "delano"]);
        assert_eq!(tokens("Delano, Alexi"), ["alexi", "delano"]);
        assert_eq!(tokens("The Stanley Bros."), ["stanley", "brothers"]);
        assert_eq!(tokens("R. v/d Weijde"), ["r", "weijde"]);
        assert_eq!(tokens("JB Lenoir"), ["j", "b", "lenoir"]);
        assert_eq!(tokens("DJ RaSoul"), ["rasoul"]);
        assert_eq!(tokens("Foo feat. Bar"), ["foo"]);
        assert_eq!(tokens("Miguel 'Migs'"), ["miguel", "migs"]);
        assert_eq!(tokens("\"Little Louie\" Vega"), ["little", "louie", "vega"]);
        assert_eq!(tokens("Guys 'n' Dolls"), ["guys", "dolls"]);
        let name = PersonName::parse("Sean \"Puffy\" Combs (2)");
        assert_eq!(
            (name.discogs_number, name.nicknames.as_slice()),
            (Some(2), ["puffy".to_owned()].as_slice())
        );
        assert_eq!(PersonName::parse("Kenny Dixon, Jr.").generation, Some(2));
        assert_eq!(
            PersonName::parse("Foo feat. Bar & Baz").guests,
            ["Bar", "Baz"]
        );
        assert!(PersonName::parse("Mateo & Matos").is_group);
        assert_eq!(tokens("The The"), ["the", "the"]);
    }
}
