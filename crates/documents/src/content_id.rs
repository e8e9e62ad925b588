//! What a file is known by.

use std::fmt;
use std::str::FromStr;

/// The BLAKE3 hash of a file's bytes, written as 64 hexadecimal digits.
///
/// ```
/// use documents::ContentId;
///
/// let id = ContentId::of(b"the same bytes");
/// assert_eq!(id.to_string().len(), 64);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId([u8; 32]);

/// Why a text is no content id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a content id has 64 hexadecimal digits")]
pub struct ContentIdError;

impl ContentId {
    /// The id of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The id with that hash.
    pub fn from_bytes(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// The hash itself.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentId({self})")
    }
}

impl FromStr for ContentId {
    type Err = ContentIdError;

    fn from_str(text: &str) -> Result<Self, ContentIdError> {
        let hash = blake3::Hash::from_hex(text).map_err(|_| ContentIdError)?;
        Ok(Self(*hash.as_bytes()))
    }
}
