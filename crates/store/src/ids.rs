//! What things are known by, and when something was.

use std::fmt;
use std::sync::Arc;

use crate::error::{Result, StoreError};

/// The longest id, in bytes.
pub const MAX_ID_BYTES: usize = 512;

/// A moment: milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A position in a thread's log, from 1; 0 is before the first event.
pub type Sequence = u64;

macro_rules! name {
    ($(#[$about:meta])* $name:ident, $what:literal, $check:expr) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks that a text can be one.
            pub fn new(text: &str) -> Result<Self> {
                let check: fn(&str) -> Option<&'static str> = $check;
                match check(text) {
                    None => Ok(Self(text.into())),
                    Some(reason) => Err(StoreError::invalid($what, reason)),
                }
            }

            /// The text.
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

pub(crate) fn any_id(text: &str) -> Option<&'static str> {
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

/// Checks an id that has no type of its own.
pub(crate) fn check_id(what: &'static str, text: &str) -> Result<()> {
    any_id(text).map_or(Ok(()), |reason| Err(StoreError::invalid(what, reason)))
}

/// The longest title, name or note, in bytes.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Checks a text that people have written.
pub(crate) fn check_text(what: &'static str, text: &str) -> Result<()> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(StoreError::invalid(what, "it is longer than 16 KiB"));
    }
    if text.contains('\0') {
        return Err(StoreError::invalid(what, "it contains a null character"));
    }
    Ok(())
}

fn attachment_id(text: &str) -> Option<&'static str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (text.is_empty() || text.len() > 128 || !text.bytes().all(allowed))
        .then_some("it must be 1 to 128 of A–Z, a–z, 0–9, _ and -")
}

name! {
    /// Whose something is. Nobody sees what belongs to another.
    Principal, "the principal", any_id
}
name! {
    /// A thread, within its principal.
    ThreadId, "the thread id", any_id
}
name! {
    /// A run, within its thread.
    RunId, "the run id", any_id
}
name! {
    /// A principal's name for a document: 1 to 128 of `[A-Za-z0-9_-]`.
    AttachmentId, "the attachment id", attachment_id
}

impl Principal {
    /// The one principal of a server without keys.
    pub fn local() -> Self {
        Self("local".into())
    }
}
