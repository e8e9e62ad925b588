//! Keys of people, and the surroundings that are gathered about them.

use crate::compare::ComparedContext;
use crate::model::{NormalizedRecord, RecordRelationship};
use crate::names::search_words;

/// Largest number of values of a kind that are kept as the context of a person.
pub(super) const MAX_CONTEXT: usize = 24;

/// Returns the key of a person. A person without an id is known by the name among the works of the main artist.
pub(super) fn person_key(record: &NormalizedRecord, credit: &RecordRelationship) -> String {
    match credit.has_source_id() {
        true => format!(
            "{}:{}",
            credit.target_source.as_str(),
            credit.target_source_id
        ),
        false => {
            let artist = record
                .extra("artist")
                .unwrap_or_default()
                .split([',', '&'])
                .next()
                .unwrap_or_default();
            let artist = search_words(artist).concat();
            format!("{}@{artist}", credit.target_source_id)
        }
    }
}

/// Adds the surroundings of a credit to what is known about its person.
pub(super) fn add_context(
    context: &mut ComparedContext,
    record: &NormalizedRecord,
    credit: &RecordRelationship,
) {
    let add = |list: &mut Vec<String>, value: &str| {
        if !value.is_empty() && list.len() < MAX_CONTEXT && !list.iter().any(|known| known == value)
        {
            list.push(value.to_owned());
        }
    };
    for other in record.relationships.iter().take(MAX_CONTEXT) {
        if other.target_source_id != credit.target_source_id {
            add(&mut context.with, other.name());
        }
    }
    add(
        &mut context.release_artist,
        record.extra("artist").unwrap_or_default(),
    );
    for label in record.extra("labels").unwrap_or_default().split("; ") {
        add(&mut context.labels, label);
    }
    for genre in &record.metadata.genres {
        add(&mut context.genres, genre);
        add(&mut context.styles, genre);
    }
    if context.role.is_none() {
        context.role = credit
            .attributes
            .get("role_detail")
            .cloned()
            .or_else(|| credit.role().map(|role| role.label().to_owned()));
    }
    if context.country.is_none() {
        context.country.clone_from(&record.metadata.release_country);
    }
    if context.year.is_none() {
        context.year = record
            .metadata
            .release_date
            .as_deref()
            .and_then(|date| date.get(..4)?.parse().ok());
    }
}
