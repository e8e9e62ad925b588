//! Checks of the written language: comments, banned words, names of types.

use std::collections::BTreeMap;

use crate::source::code_only;

/// Words that no comment line may begin with: they announce a riddle instead of naming the thing.
const QUESTION_WORDS: &[&str] = &[
    "What", "Whether", "How", "Where", "Who", "Whose", "Why", "Which", "When",
];

/// Words and phrases that comments, messages and documents do without.
const BANNED: &[&str] = &[
    "whoever",
    "somebody",
    "nobody",
    "anybody",
    "at hand",
    "from now on",
    "is told",
    "goes on",
    "go on as",
    "stands for itself",
    "of its own accord",
    "be that as it may",
];

/// Type names that several crates may share, each with its reason.
const SHARED_TYPE_NAMES: &[(&str, &str)] = &[
    ("Error", "the conventional name of a module's only error"),
    ("Result", "the conventional alias beside it"),
    ("Options", "the conventional name of optional parameters"),
    ("Config", "the conventional name of a configuration"),
];

/// Returns the faults of one file.
pub(crate) fn check_file(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let markers = comment_markers(name);
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if let Some(word) = markers
            .iter()
            .find_map(|marker| question_word(trimmed, marker))
        {
            faults.push(format!(
                "{name}:{}: a comment line begins with \"{word}\"; name the thing or say what it does",
                number + 1
            ));
        }
        let lower = line.to_lowercase();
        for phrase in BANNED.iter().filter(|phrase| contains_word(&lower, phrase)) {
            faults.push(format!(
                "{name}:{}: \"{phrase}\" is a banned phrase, see docs/glossary.md",
                number + 1
            ));
        }
    }
    faults
}

/// Returns the markers that begin a comment in this kind of file.
fn comment_markers(name: &str) -> &'static [&'static str] {
    match name.rsplit('.').next() {
        Some("rs" | "ts" | "tsx" | "mjs" | "css") => &["///", "//!", "//"],
        Some("sql") => &["--"],
        Some("toml" | "py" | "sh" | "yml") => &["#"],
        _ if name.starts_with("scripts/") || name == "Makefile" => &["#"],
        _ => &[],
    }
}

fn question_word(line: &str, marker: &str) -> Option<&'static str> {
    let words = line.strip_prefix(marker)?.strip_prefix(' ')?;
    let first: String = words.chars().take_while(|c| c.is_alphabetic()).collect();
    QUESTION_WORDS.iter().copied().find(|word| *word == first)
}

/// Finds a phrase that is not a part of longer words.
fn contains_word(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !is_letter(line[..at].chars().next_back())
            && !is_letter(line[at + phrase.len()..].chars().next())
    })
}

/// Declarations of types by name, over all production files.
#[derive(Default)]
pub(crate) struct TypeNames(BTreeMap<String, Vec<String>>);

impl TypeNames {
    /// Adds the types that a file declares.
    pub(crate) fn add(&mut self, name: &str, text: &str) {
        for line in production(&code_only(text)).lines() {
            let line = line.trim_start();
            let line = match line.strip_prefix("pub") {
                Some(rest) => {
                    rest.trim_start_matches(|c: char| c == '(' || c == ')' || c.is_lowercase())
                }
                None => line,
            };
            let line = line.trim_start();
            let declared = ["struct ", "enum ", "trait "]
                .iter()
                .find_map(|keyword| line.strip_prefix(keyword));
            let Some(declared) = declared else { continue };
            let type_name: String = declared
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if type_name.starts_with(char::is_uppercase) {
                self.0.entry(type_name).or_default().push(name.to_owned());
            }
        }
    }

    /// Returns the names that are declared more than once.
    pub(crate) fn faults(&self) -> Vec<String> {
        let shared = |name: &str| {
            SHARED_TYPE_NAMES
                .iter()
                .any(|(allowed, _)| *allowed == name)
        };
        self.0
            .iter()
            .filter(|(name, files)| files.len() > 1 && !shared(name))
            .map(|(name, files)| format!("the type name {name} is used in {}", files.join(", ")))
            .collect()
    }
}

/// Returns the text before the unit tests.
pub(crate) fn production(code: &str) -> &str {
    let tests = code.find("#[cfg(test)]\nmod ").and_then(|at| {
        let block = code[at..].find('{')?;
        let semicolon = code[at..].find(';').unwrap_or(usize::MAX);
        (block < semicolon).then_some(at)
    });
    &code[..tests.unwrap_or(code.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_do_not_begin_with_question_words() {
        assert_eq!(check_file("a.rs", concat!("/// Wh", "at it is.")).len(), 1);
        assert_eq!(check_file("a.sql", concat!("-- Wh", "y it is.")).len(), 1);
        assert!(check_file("a.rs", "/// Whatever the caller passes.").is_empty());
        assert!(check_file("a.rs", "let x = 1; // the reason").is_empty());
    }

    #[test]
    fn banned_phrases_are_found_as_whole_words() {
        assert_eq!(
            check_file("a.md", concat!("So some", "body reads.")).len(),
            1
        );
        assert!(check_file("a.md", "somebodyelse").is_empty());
    }

    #[test]
    fn type_names_are_unique_outside_of_tests() {
        let mut names = TypeNames::default();
        names.add("a.rs", "pub(crate) struct Place;\npub struct Error;\n");
        names.add("b.rs", "enum Place { A }\npub enum Error {}\n");
        names.add("c.rs", "#[cfg(test)]\nmod tests {\n    struct Place;\n}\n");
        assert_eq!(
            names.faults(),
            ["the type name Place is used in a.rs, b.rs"]
        );
    }
}
