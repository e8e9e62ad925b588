//! Keys that open the API.

use store::{ApiKey, KeyHash, Principal, Timestamp};

use super::AccessScope;

/// How every key begins. Clients of the citation SDK take no other.
pub const KEY_PREFIX: &str = "sk-dc-";

/// A key that was just made: its secret is shown once and not kept.
#[derive(Debug)]
pub struct NewKey {
    /// What is kept.
    pub key: ApiKey,
    /// What opens the API.
    pub secret: String,
}

impl NewKey {
    /// Makes a key of randomness, 32 bytes for the secret and some for its id.
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

    /// What is stored of its secret.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.secret)
    }
}
