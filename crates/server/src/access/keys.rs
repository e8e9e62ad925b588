//! API keys.

use store::{ApiKey, KeyHash, Principal, Timestamp};

use super::AccessScope;

/// Prefix of every key. Clients of the citation SDK accept no other.
pub const KEY_PREFIX: &str = "sk-dc-";

/// New key with its secret, which is shown once and not stored.
#[derive(Debug)]
pub struct NewKey {
    /// Stored part.
    pub key: ApiKey,
    /// Secret that clients send.
    pub secret: String,
}

impl NewKey {
    /// Creates a key from random bytes: 32 for the secret, 5 for the id.
    pub fn new(
        random: ([u8; 16], [u8; 16], [u8; 16]),
        principal: Principal,
        name: &str,
        scopes: &[AccessScope],
        created: Timestamp,
        expires: Option<Timestamp>,
    ) -> Self {
        let hex = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        let secret = format!("{KEY_PREFIX}{}{}", hex(&random.0), hex(&random.1));
        let key = ApiKey {
            id: format!("k-{}", hex(&random.2[..5])),
            principal,
            name: name.to_owned(),
            scopes: scopes
                .iter()
                .map(|scope| scope.as_str().to_owned())
                .collect(),
            created,
            expires,
            revoked: None,
            used: None,
        };
        Self { key, secret }
    }

    /// Returns the hash of the secret, which is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.secret)
    }
}
