//! Scopes of keys and tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Permission that a key or token grants.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AccessScope {
    /// Read the principal's own data.
    Read,
    /// Run agents; add, change and delete the principal's own data.
    Write,
    /// Read metrics and the audit log of all principals, change the log level, export or delete other principals.
    Admin,
}

impl AccessScope {
    /// All scopes.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// Returns the word for the scope.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// Returns the scope with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}
