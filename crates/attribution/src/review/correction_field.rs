//! Fields that a correction may change.

use crate::import::role_of_word;
use crate::model::{AttributionRecord, CreditRole};
use crate::names::{PersonName, RelationKind, relate_names, search_words};

/// Field of a record that a correction changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorrectionField {
    /// Title of the work.
    Title,
    /// Main artists.
    Artist,
    /// Credits of a role.
    Role(CreditRole),
}

/// Reason for which a correction is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionError {
    /// The field does not exist.
    #[error(
        "Unknown field: `{0}`. Fields are work_title, artist_name and roles such as producer, songwriter, engineer."
    )]
    UnknownField(String),
    /// The current value is another.
    #[error("The current value of {field} is {found}, not `{given}`.")]
    OtherValue {
        /// Field.
        field: String,
        /// Value in the record.
        found: String,
        /// Value in the correction.
        given: String,
    },
    /// The proposed value is the current one.
    #[error("The proposed value of {0} is the current one: nothing would change.")]
    NoChange(String),
    /// The proposed value is empty and there is nothing to remove.
    #[error(
        "The proposed value of {0} is empty. Name a person, or a current value that is to be removed."
    )]
    Empty(String),
    /// A value is too long.
    #[error("The value of {0} is longer than 500 characters.")]
    TooLong(String),
    /// There is no such correction, or it is not in the right state.
    #[error("There is no {1} correction `{0}`.")]
    NoSuchCorrection(String, &'static str),
}

impl CorrectionField {
    /// Returns the field of a name: `producer`, `Producer credit`, `credits.producer`, `work_title`.
    pub fn from_name(name: &str) -> Option<Self> {
        let words = search_words(name);
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| {
                !matches!(
                    *word,
                    "credit" | "credits" | "the" | "field" | "name" | "work"
                )
            })
            .collect();
        let text = words.join(" ");
        match text.as_str() {
            "title" => return Some(Self::Title),
            "artist" | "main artist" => return Some(Self::Artist),
            "writer" | "writers" | "written by" | "author" => {
                return Some(Self::Role(CreditRole::Songwriter));
            }
            "mixer" | "mix" | "mixed by" => return Some(Self::Role(CreditRole::MixingEngineer)),
            "mastering" | "mastered by" => return Some(Self::Role(CreditRole::MasteringEngineer)),
            "singer" | "vocals" | "vocalist" => return Some(Self::Role(CreditRole::Performer)),
            "" => return None,
            _ => {}
        }
        let singular = text.strip_suffix('s').unwrap_or(&text);
        let exact = CreditRole::from_word(&text).or_else(|| CreditRole::from_word(singular));
        // Every unknown word would be an instrument otherwise.
        exact
            .or_else(|| role_of_word(&text).filter(|role| *role != CreditRole::SessionMusician))
            .map(Self::Role)
    }

    /// Returns the name that records and events use.
    pub fn name(self) -> String {
        match self {
            Self::Title => "work_title".to_owned(),
            Self::Artist => "artist_name".to_owned(),
            Self::Role(role) => role.as_str().to_lowercase(),
        }
    }
}

/// Returns true for a value that means that nothing is known.
pub(super) fn is_unknown(value: &str) -> bool {
    matches!(
        search_words(value).join(" ").as_str(),
        "" | "unknown" | "none" | "nothing" | "missing" | "n a" | "null"
    )
}

/// Returns true if two names mean the same person within one record.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    let relation = relate_names(&PersonName::parse(one), &PersonName::parse(other));
    matches!(
        relation.kind,
        RelationKind::Same
            | RelationKind::Spelling
            | RelationKind::Extended
            | RelationKind::Initials
            | RelationKind::Typo
    ) && !relation.is_excluded
}

/// Returns the values of a field.
pub fn current_values(record: &AttributionRecord, field: CorrectionField) -> Vec<String> {
    match field {
        CorrectionField::Title => vec![record.work_title.clone()],
        CorrectionField::Artist => vec![record.artist_name.clone()],
        CorrectionField::Role(role) => {
            let credits = record.credits.iter().filter(|credit| credit.role == role);
            credits.map(|credit| credit.entity_name.clone()).collect()
        }
    }
}

/// Checks a correction against a record. Returns the field and the current value as the record has it.
pub fn validate_correction(
    record: &AttributionRecord,
    field: &str,
    current_value: &str,
    suggested_value: &str,
) -> Result<(CorrectionField, String), CorrectionError> {
    let parsed = CorrectionField::from_name(field)
        .ok_or_else(|| CorrectionError::UnknownField(field.to_owned()))?;
    let name = parsed.name();
    if current_value.chars().count() > 500 || suggested_value.chars().count() > 500 {
        return Err(CorrectionError::TooLong(name));
    }
    let values = current_values(record, parsed);
    let found = values
        .iter()
        .find(|value| is_same_name(value, current_value) || value.trim() == current_value.trim());
    let current = match (found, is_unknown(current_value)) {
        (Some(value), _) => value.clone(),
        (None, true) => "Unknown".to_owned(),
        (None, false) => {
            let found = match values.is_empty() {
                true => "unknown".to_owned(),
                false => format!("`{}`", values.join("`, `")),
            };
            return Err(CorrectionError::OtherValue {
                field: name,
                found,
                given: current_value.to_owned(),
            });
        }
    };
    if is_unknown(suggested_value)
        && (current == "Unknown" || !matches!(parsed, CorrectionField::Role(_)))
    {
        return Err(CorrectionError::Empty(name));
    }
    if values
        .iter()
        .any(|value| value.trim() == suggested_value.trim())
        && current.trim() == suggested_value.trim()
    {
        return Err(CorrectionError::NoChange(name));
    }
    Ok((parsed, current))
}
