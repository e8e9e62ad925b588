//! Names of people and groups: parsing, folding and the relation between two names.

mod fold;
mod person_name;
mod relation;
mod tables;
mod token_match;

pub use fold::{fold_text, search_words};
pub use person_name::{NameToken, PersonName};
pub use relation::{NameRelation, RelationKind, relate_names};
pub(crate) use tables::{is_common_given_name, is_common_surname};
pub(crate) use token_match::sound_key;
