//! Collisions of keys.

use crate::key::{CitationId, CitationKey};

/// Returns the key under which to store a citation with this key and id.
///
/// A [`CitationKey`] leaves out the document, so the same words on the same page of two documents have the
/// same key. The second citation is stored under the first 16 hexadecimal digits of its collision-free id.
/// `owner` returns the id of the citation that has a key. Returns `None` if both keys belong to others.
pub fn choose_key(
    key: CitationKey,
    id: CitationId,
    owner: impl Fn(CitationKey) -> Option<CitationId>,
) -> Option<CitationKey> {
    let keys = [key, CitationKey::from_id(id)];
    let own = keys.iter().find(|key| owner(**key) == Some(id));
    let free = || keys.iter().find(|key| owner(**key).is_none());
    own.or_else(free).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::citation::Citation;

    fn citation(attachment: &str) -> Citation {
        Citation {
            attachment_id: Some(attachment.to_owned()),
            full_phrase: Some("Two boats were out".to_owned()),
            ..Citation::default()
        }
    }

    #[test]
    fn a_second_document_gets_the_key_of_its_id() {
        let (first, second) = (citation("a"), citation("b"));
        let (key, other) = (first.key(), CitationKey::from_id(second.id()));
        assert_eq!(key, second.key());
        let none = |_| None;
        assert_eq!(choose_key(key, first.id(), none), Some(key));
        let taken = |asked| (asked == key).then(|| first.id());
        assert_eq!(choose_key(key, first.id(), taken), Some(key));
        assert_eq!(choose_key(key, second.id(), taken), Some(other));
    }

    #[test]
    fn a_citation_keeps_the_key_it_has() {
        let second = citation("b");
        let other = CitationKey::from_id(second.id());
        let has_other = |asked| (asked == other).then(|| second.id());
        assert_eq!(
            choose_key(second.key(), second.id(), has_other),
            Some(other)
        );
        let all_taken = |_| Some(citation("c").id());
        assert_eq!(choose_key(second.key(), second.id(), all_taken), None);
    }
}
