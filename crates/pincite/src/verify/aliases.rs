//! Names of sources in the answer: aliases from a file, and references that mention a source.

use std::path::Path;

use figment::Figment;
use figment::providers::{Format, Toml};

use crate::command_error::CommandError;
use crate::stream::read_text;

/// Shortest title that a reference may mention, in letters; shorter ones are in too many texts.
const SHORTEST_MENTION: usize = 6;

/// Names that the answer uses for sources: `"Larsen 2015" = "harbour.pdf"`.
#[derive(Debug, Default)]
pub(super) struct SourceAliases {
    entries: Vec<AliasEntry>,
}

#[derive(Debug)]
struct AliasEntry {
    /// Words of the name, in lower case.
    words: Vec<String>,
    /// Name of the source: an id, a file name, a path or a URL.
    target: String,
}

impl SourceAliases {
    /// Reads a TOML file of names.
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        let invalid = |reason: String| CommandError::WrongContent {
            path: path.to_owned(),
            expected: "a TOML file of aliases such as \"Larsen 2015\" = \"harbour.pdf\"",
            reason,
        };
        let text = read_text(path)?;
        let table: std::collections::BTreeMap<String, figment::value::Value> =
            Figment::from(Toml::string(&text))
                .extract()
                .map_err(|error| invalid(error.to_string()))?;
        let mut entries = Vec::new();
        for (name, value) in table {
            let Some(target) = value.as_str().filter(|target| !target.is_empty()) else {
                return Err(invalid(format!(
                    "the value of '{name}' is not the name of a file"
                )));
            };
            entries.push(AliasEntry {
                words: words(&name),
                target: target.to_owned(),
            });
        }
        // The longest names first, so that "Larsen 2015 b" is not taken for "Larsen 2015".
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.words.len()));
        Ok(Self { entries })
    }

    /// Returns the source that a name means, if it is an alias.
    pub(super) fn target(&self, name: &str) -> Option<&str> {
        let name = words(name);
        let found = self.entries.iter().find(|entry| entry.words == name);
        found.map(|entry| entry.target.as_str())
    }

    /// Returns the source whose alias a reference mentions, such as "Larsen, History of Nordvik (Oslo, 2015)".
    pub(super) fn mentioned(&self, reference: &str) -> Option<&str> {
        let reference = words(reference);
        let found = self
            .entries
            .iter()
            .find(|entry| has_in_order(&reference, &entry.words));
        found.map(|entry| entry.target.as_str())
    }
}

/// Returns the words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    name.split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns true if the words of a name are in a reference, in their order.
fn has_in_order(reference: &[String], name: &[String]) -> bool {
    let mut rest = reference.iter();
    !name.is_empty() && name.iter().all(|word| rest.any(|other| other == word))
}

/// Returns true if a reference has the words of a title in succession.
pub(super) fn mentions(reference: &str, title: &str) -> bool {
    let (reference, title) = (words(reference), words(title));
    let letters: usize = title.iter().map(|word| word.chars().count()).sum();
    letters >= SHORTEST_MENTION
        && reference
            .windows(title.len().max(1))
            .any(|part| part == title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_mention_titles_and_aliases() {
        assert!(mentions(
            "Larsen, *History of Nordvik* (2015)",
            "History of Nordvik"
        ));
        assert!(!mentions("Larsen, History (2015)", "History of Nordvik"));
        assert!(!mentions("The log", "log"));
        let entry = |name: &str, target: &str| AliasEntry {
            words: words(name),
            target: target.to_owned(),
        };
        let aliases = SourceAliases {
            entries: vec![entry("Larsen 2015", "a.pdf"), entry("Berg 2001", "b.pdf")],
        };
        assert_eq!(aliases.target("Larsen, 2015"), Some("a.pdf"));
        assert_eq!(aliases.target("Larsen 2016"), None);
        assert_eq!(
            aliases.mentioned("Berg, A.: Quays. Oslo 2001"),
            Some("b.pdf")
        );
        assert_eq!(aliases.mentioned("2015 Larsen"), None);
    }
}
