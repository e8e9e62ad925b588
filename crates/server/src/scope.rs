//! Scopes of keys and tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may be done with a key or a token.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AccessScope {
    /// Look at what is one's own.
    Read,
    /// Run agents, add, change and delete what is one's own.
    Write,
    /// Metrics, the log's level, what was done by anybody, and being somebody else to export or forget them.
    Admin,
}

impl AccessScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// Reads the word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}
