//! Ids, times and the checks of texts from outside.

use std::fmt;
use std::sync::Arc;

use crate::error::{Result, StoreError};

/// Longest id, in bytes.
pub const MAX_ID_BYTES: usize = 512;

/// Time in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// Number of an event in its thread's log, from 1; 0 is before the first event.
pub type Sequence = u64;

macro_rules! id_type {
    ($(#[$about:meta])* $name:ident, $what:literal, $check:expr) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks a text and wraps it.
            pub fn new(text: &str) -> Result<Self> {
                let check: fn(&str) -> Option<&'static str> = $check;
                match check(text) {
                    None => Ok(Self(text.into())),
                    Some(reason) => Err(StoreError::invalid($what, reason)),
                }
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    };
}

/// Returns the reason why a text cannot be an id.
pub(crate) fn invalid_id(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        Some("it is empty")
    } else if text.len() > MAX_ID_BYTES {
        Some("it is longer than 512 bytes")
    } else if text.contains('\0') {
        Some("it contains a null character")
    } else {
        None
    }
}

/// Checks an id that has no type of its own. `what` names it in the error.
pub(crate) fn check_id(what: &'static str, text: &str) -> Result<()> {
    invalid_id(text).map_or(Ok(()), |reason| Err(StoreError::invalid(what, reason)))
}

/// Longest title, name or note, in bytes.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Checks a text that people write. `what` names it in the error.
pub(crate) fn check_text(what: &'static str, text: &str) -> Result<()> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(StoreError::invalid(what, "it is longer than 16 KiB"));
    }
    if text.contains('\0') {
        return Err(StoreError::invalid(what, "it contains a null character"));
    }
    Ok(())
}

fn invalid_attachment_id(text: &str) -> Option<&'static str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (text.is_empty() || text.len() > 128 || !text.bytes().all(allowed))
        .then_some("it must be 1 to 128 of A–Z, a–z, 0–9, _ and -")
}

id_type! {
    /// Owner of threads, documents and everything else. No principal sees what belongs to another.
    Principal, "the principal", invalid_id
}
id_type! {
    /// Id of a thread, unique within its principal.
    ThreadId, "the thread id", invalid_id
}
id_type! {
    /// Id of a run, unique within its thread.
    RunId, "the run id", invalid_id
}
id_type! {
    /// Principal's name for a document: 1 to 128 of `[A-Za-z0-9_-]`.
    AttachmentId, "the attachment id", invalid_attachment_id
}

impl Principal {
    /// Returns the only principal of a server without keys.
    pub fn local() -> Self {
        Self("local".into())
    }
}
