//! Terms of the index that carry a language.

use crate::language::Language;

/// Returns the term of a stem. Stems of different languages are different terms.
pub(crate) fn stem_term(language: Language, stem: &str) -> String {
    format!("{}:{stem}", language.code())
}

/// Returns the term of a part of a compound.
pub(crate) fn gram_term(language: Language, gram: &str) -> String {
    format!("{}+{gram}", language.code())
}
