//! Identity of a file by its content.

use std::fmt;
use std::str::FromStr;

/// BLAKE3 hash of the bytes of a file, written as 64 hexadecimal digits.
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

/// Error for a text that is not a content id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a content id has 64 hexadecimal digits")]
pub struct ContentIdError;

impl ContentId {
    /// Returns the id of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the id with this hash.
    pub fn from_bytes(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// Returns the hash.
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
