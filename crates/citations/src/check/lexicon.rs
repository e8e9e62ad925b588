//! Knowledge of words, which tells a slip of the pen ("opend") and an inflected word ("opens") from another
//! word.

use super::languages::{KnownLanguage, LANGUAGES};

/// Forms of irregular words.
const IRREGULAR: &[&str] = &[
    "run ran",
    "go goes went gone",
    "make made",
    "take took taken",
    "give gave given",
    "write wrote written",
    "see saw seen",
    "come came",
    "find found",
    "hold held",
    "rise rose risen",
    "fall fell fallen",
    "begin began begun",
    "grow grew grown",
    "know knew known",
    "say said",
    "pay paid",
    "buy bought",
    "sell sold",
    "send sent",
    "build built",
    "keep kept",
    "leave left",
    "lose lost",
    "win won",
    "meet met",
    "show shown",
    "become became",
    "bring brought",
    "think thought",
    "tell told",
    "stand stood",
    "speak spoke spoken",
    "draw drew drawn",
    "drive drove driven",
    "break broke broken",
    "choose chose chosen",
    "mean meant",
    "man men",
    "woman women",
    "child children",
    "person people",
    "foot feet",
    "life lives",
    "half halves",
    "datum data",
    "criterion criteria",
    "phenomenon phenomena",
    "shrink shrank shrunk",
    "spend spent",
    "steigen steigt stieg gestiegen",
    "sinken sinkt sank gesunken",
    "gehen geht ging gegangen",
];

/// Fewest words of a passage that show its language.
const MIN_KNOWN: usize = 2;
/// Shortest stem of an inflected word, in letters.
const MIN_STEM: usize = 2;

/// Returns the language that knows most of these words.
pub(super) fn language_of<'a>(
    words: &(impl Iterator<Item = &'a str> + Clone),
) -> Option<&'static KnownLanguage> {
    let known = |language: &'static KnownLanguage| {
        // Function words occur in one language only, nearly.
        let weight =
            |word: &str| usize::from(language.contains(word)) + usize::from(language.joins(word));
        (words.clone().take(200).map(weight).sum::<usize>(), language)
    };
    let counts = LANGUAGES.iter().map(known);
    let (count, language) =
        counts.max_by_key(|(count, language)| (*count, language.code == "en"))?;
    (count >= MIN_KNOWN).then_some(language)
}

/// Returns true if both are function words of one language.
pub(super) fn are_function_words(one: &str, other: &str) -> bool {
    LANGUAGES
        .iter()
        .any(|language| language.joins(one) && language.joins(other))
}

/// Returns true for a function word of any language.
pub(super) fn is_function_word(word: &str) -> bool {
    LANGUAGES.iter().any(|language| language.joins(word))
}

/// Returns true if two words are forms of one word, as "run" and "runs" are.
pub(super) fn are_forms_of_one_word(
    language: Option<&'static KnownLanguage>,
    one: &str,
    other: &str,
) -> bool {
    let irregular = |forms: &&str| {
        let has = |word: &str| forms.split(' ').any(|form| form == word);
        has(one) && has(other)
    };
    if IRREGULAR.iter().any(irregular) {
        return true;
    }
    match language {
        Some(language) => language.inflects(one, other),
        None => LANGUAGES[0].inflects(one, other),
    }
}

impl KnownLanguage {
    /// Returns true if the list has a normalised word.
    pub(super) fn contains(&self, word: &str) -> bool {
        let (mut from, mut to) = (0, self.words.len());
        while from < to {
            let middle = from + (to - from) / 2;
            let start = self.words.as_bytes()[..middle]
                .iter()
                .rposition(|&byte| byte == b'\n');
            let start = start.map_or(0, |at| at + 1).max(from);
            let end = self.words.as_bytes()[start..]
                .iter()
                .position(|&byte| byte == b'\n');
            let end = end.map_or(self.words.len(), |at| start + at);
            match self.words.as_bytes()[start..end].cmp(word.as_bytes()) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => from = end + 1,
                std::cmp::Ordering::Greater => to = start,
            }
        }
        false
    }

    /// Returns true if a normalised word, or another form of it, is in the list.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.contains(word)
            || self.joins(word)
            || self.base_forms(word).any(|base| self.contains(&base))
    }

    fn joins(&self, word: &str) -> bool {
        self.function_words
            .split_ascii_whitespace()
            .any(|listed| listed == word)
    }

    /// Returns the forms that a word may have been made of by one of the endings.
    fn base_forms<'a>(&'a self, word: &'a str) -> impl Iterator<Item = String> + 'a {
        let long = |stem: &&str| stem.chars().count() > 3;
        self.endings.iter().flat_map(move |group| {
            let endings = group.iter().filter(|ending| !ending.is_empty());
            let stems = endings.filter_map(move |ending| word.strip_suffix(*ending).filter(long));
            stems.flat_map(move |stem| group.iter().map(move |ending| format!("{stem}{ending}")))
        })
    }

    /// Returns true if two words differ in an ending or a beginning that only inflects.
    fn inflects(&self, one: &str, other: &str) -> bool {
        let begins = |beginning: &&str| {
            one.strip_prefix(*beginning) == Some(other)
                || other.strip_prefix(*beginning) == Some(one)
        };
        if self.beginnings.iter().any(begins) {
            return true;
        }
        let fold = |word: &str| match self.code {
            "de" => word.replace('ä', "a").replace('ö', "o").replace('ü', "u"),
            _ => word.to_owned(),
        };
        let (one, other) = (fold(one), fold(other));
        let shorter = one.chars().count().min(other.chars().count());
        let stems = { one.char_indices() }.map(|(at, c)| at + c.len_utf8());
        let shared = stems.take_while(|&end| one.get(..end) == other.get(..end));
        let shared: Vec<usize> = shared
            .enumerate()
            .filter(|(letters, _)| letters + 1 >= MIN_STEM && (letters + 1) * 2 >= shorter)
            .map(|(_, end)| end)
            .collect();
        shared.into_iter().any(|end| {
            let (first, second) = (&one[end..], &other[end..]);
            let stem = &one[..end];
            self.endings.iter().any(|group| {
                group.contains(&first)
                    && group.contains(&second)
                    && self.may_take(stem, group, first, second)
            }) || (self.code == "en" && doubles(stem, first, second))
        })
    }

    /// Returns true unless an ending does not follow this stem, as "es" in "planes" of "plan".
    fn may_take(&self, stem: &str, group: &[&str], first: &str, second: &str) -> bool {
        let pair = [first, second];
        match self.code {
            "en" if group == ["", "es"] => stem.ends_with(['s', 'x', 'z', 'h', 'o']),
            // "kind" and "kinder" may be a comparison in other words.
            "de" => !(pair.contains(&"") && pair.contains(&"er")),
            _ => true,
        }
    }
}

/// Returns true for "stop" and "stopped".
fn doubles(stem: &str, first: &str, second: &str) -> bool {
    let Some(last) = stem.chars().next_back() else {
        return false;
    };
    let doubled = |ending: &str| {
        ending
            .strip_prefix(last)
            .is_some_and(|ending| ["ed", "ing"].contains(&ending))
    };
    let plain = |ending: &str| ["", "s"].contains(&ending);
    (plain(first) && doubled(second)) || (plain(second) && doubled(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(code: &str) -> &'static KnownLanguage {
        LANGUAGES
            .iter()
            .find(|language| language.code == code)
            .expect("listed")
    }

    #[test]
    fn lists_are_sorted_and_searched() {
        for language in &LANGUAGES {
            let lines: Vec<&str> = language.words.lines().collect();
            assert!(
                lines.windows(2).all(|pair| pair[0] < pair[1]),
                "{}",
                language.code
            );
            for word in lines
                .iter()
                .step_by(97)
                .chain(lines.first())
                .chain(lines.last())
            {
                assert!(language.contains(word), "{word}");
            }
            assert!(
                !language.contains("zzzzzz")
                    && !language.contains("")
                    && !language.contains("opend")
            );
        }
    }

    #[test]
    fn passages_show_their_language() {
        for (text, code) in [
            (
                "the committee approved the budget of the harbour",
                Some("en"),
            ),
            (
                "der vertrag ist nach der prüfung wirksam geworden",
                Some("de"),
            ),
            ("le comité a approuvé le budget du port", Some("fr")),
            ("el comité aprobó el presupuesto del puerto", Some("es")),
            ("این کتاب در ایران منتشر شد و به فروش رسید", Some("fa")),
            ("комитет утвердил бюджет и это было важно", Some("ru")),
            ("xq zzk", None),
        ] {
            let language = language_of(&text.split(' '));
            assert_eq!(language.map(|language| language.code), code, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_are_not_other_words() {
        for (code, one, other) in [
            ("en", "run", "runs"),
            ("en", "opens", "opened"),
            ("en", "using", "uses"),
            ("en", "stop", "stopped"),
            ("en", "policy", "policies"),
            ("en", "rose", "risen"),
            ("en", "company\"s", "company"),
            ("de", "vertrag", "vertrags"),
            ("de", "verträge", "vertrag"),
            ("de", "großer", "großen"),
            ("fr", "approuvé", "approuvées"),
            ("ru", "комитет", "комитета"),
            ("fa", "کتاب", "کتابها"),
        ] {
            assert!(
                are_forms_of_one_word(Some(language(code)), one, other),
                "{one} {other}"
            );
            assert!(
                are_forms_of_one_word(Some(language(code)), other, one),
                "{one} {other}"
            );
        }
        for (code, one, other) in [
            ("en", "plan", "planes"),
            ("en", "part", "party"),
            ("en", "care", "careless"),
            ("en", "high", "higher"),
            ("en", "employer", "employee"),
            ("en", "legal", "illegal"),
            ("de", "schnell", "schneller"),
            ("de", "wirksam", "unwirksam"),
            ("en", "in", "on"),
        ] {
            assert!(
                !are_forms_of_one_word(Some(language(code)), one, other),
                "{one} {other}"
            );
        }
    }
}
