//! Words of sources for roles.

use crate::model::CreditRole;

/// Parts of role words of Discogs, in the order in which they are tried.
const PARTS: &[(&str, CreditRole)] = &[
    ("remaster", CreditRole::MasteringEngineer),
    ("master", CreditRole::MasteringEngineer),
    ("lacquer", CreditRole::MasteringEngineer),
    ("dj mix", CreditRole::Dj),
    ("remix", CreditRole::Remixer),
    ("mixed by", CreditRole::MixingEngineer),
    ("mixing", CreditRole::MixingEngineer),
    ("co-producer", CreditRole::Producer),
    ("producer", CreditRole::Producer),
    ("produced", CreditRole::Producer),
    ("production", CreditRole::Producer),
    ("written", CreditRole::Songwriter),
    ("songwriter", CreditRole::Songwriter),
    ("writer", CreditRole::Songwriter),
    ("lyrics", CreditRole::Lyricist),
    ("lyricist", CreditRole::Lyricist),
    ("words by", CreditRole::Lyricist),
    ("libretto", CreditRole::Lyricist),
    ("music by", CreditRole::Composer),
    ("compos", CreditRole::Composer),
    ("arrang", CreditRole::Arranger),
    ("orchestrat", CreditRole::Arranger),
    ("conductor", CreditRole::Conductor),
    ("featuring", CreditRole::FeaturedArtist),
    ("engineer", CreditRole::Engineer),
    ("recorded by", CreditRole::Engineer),
    ("mix", CreditRole::MixingEngineer),
    ("vocal", CreditRole::Performer),
    ("voice", CreditRole::Performer),
    ("lead", CreditRole::Performer),
    ("performer", CreditRole::Performer),
    ("rap", CreditRole::Performer),
    ("chorus", CreditRole::Performer),
    ("orchestra", CreditRole::Performer),
    ("ensemble", CreditRole::Performer),
    ("choir", CreditRole::Performer),
];

/// Words that name no musical role: design, business, thanks.
const NOT_MUSICAL: &[&str] = &[
    "photo",
    "design",
    "artwork",
    "art direction",
    "layout",
    "cover",
    "illustration",
    "liner notes",
    "sleeve",
    "thanks",
    "management",
    "executive",
    "coordinator",
    "a&r",
    "legal",
    "typography",
    "graphic",
    "text by",
    "translated",
    "typeset",
    "reissue",
    "research",
    "compiled",
    "painting",
    "film",
    "author",
    "booking",
    "promotion",
    "license",
    "supervised",
    "other",
    "read by",
    "presenter",
    "copyright",
];

/// Returns the role of a word that a source uses; `None` for words that name no musical role.
pub(crate) fn role_of_word(word: &str) -> Option<CreditRole> {
    let lower = word.trim().to_lowercase();
    if lower.is_empty() {
        return None;
    }
    if let Some(role) = CreditRole::from_word(&lower) {
        return Some(role);
    }
    if NOT_MUSICAL.iter().any(|part| lower.contains(part)) {
        return None;
    }
    let found = PARTS
        .iter()
        .find(|(part, _)| lower.contains(part))
        .map(|(_, role)| *role);
    // Everything else is an instrument.
    Some(found.unwrap_or(CreditRole::SessionMusician))
}

/// Splits a role of Discogs at commas outside of brackets: `Guitar [Lead, Slide], Producer`.
pub(super) fn split_roles(roles: &str) -> Vec<(String, Option<String>)> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0usize);
    for (at, letter) in roles.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&roles[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&roles[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| match part.split_once('[') {
            Some((role, detail)) => (
                role.trim().to_owned(),
                Some(detail.trim_end_matches(']').trim().to_owned()),
            ),
            None => (part.to_owned(), None),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_and_maps_roles() {
        let roles = split_roles("Guitar [Lead, Slide], Written-By, Producer [Co-], Photography By");
        let mapped: Vec<_> = roles.iter().map(|(role, _)| role_of_word(role)).collect();
        assert_eq!(
            mapped,
            [
                Some(CreditRole::SessionMusician),
                Some(CreditRole::Songwriter),
                Some(CreditRole::Producer),
                None
            ]
        );
        assert_eq!(roles[0].1.as_deref(), Some("Lead, Slide"));
        assert_eq!(
            role_of_word("Mastered By"),
            Some(CreditRole::MasteringEngineer)
        );
        assert_eq!(
            role_of_word("mixing engineer"),
            Some(CreditRole::MixingEngineer)
        );
    }
}
