//! String slices that share a buffer.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// String slice that keeps the buffer it was cut from alive.
///
/// Cutting and cloning copy no characters, so an event can hold its received bytes and all strings
/// in them with one allocation per network read. A `Text` keeps its whole buffer alive: copy
/// long-lived strings into a `String`.
#[derive(Clone)]
pub struct Text {
    buffer: Arc<String>,
    /// `start..end` lies on character boundaries of `buffer`. 32-bit offsets keep events small,
    /// because events are moved often.
    start: u32,
    end: u32,
}

impl Text {
    /// Returns a slice of a shared buffer. Panics if the range is not on character boundaries or
    /// ends beyond 4 GiB.
    #[inline]
    pub fn cut(buffer: &Arc<String>, range: Range<usize>) -> Self {
        assert!(
            buffer.get(range.clone()).is_some(),
            "a text is cut at character boundaries"
        );
        Self {
            buffer: Arc::clone(buffer),
            start: narrow(range.start),
            end: narrow(range.end),
        }
    }

    /// Changes the slice. Within the same buffer this is cheaper than a new `Text`, because it
    /// leaves the reference count alone.
    #[inline]
    pub fn recut(&mut self, buffer: &Arc<String>, range: Range<usize>) {
        if !Arc::ptr_eq(&self.buffer, buffer) {
            self.buffer = Arc::clone(buffer);
        }
        assert!(
            buffer.get(range.clone()).is_some(),
            "a text is cut at character boundaries"
        );
        self.start = narrow(range.start);
        self.end = narrow(range.end);
    }

    /// Returns a part of this text. The range is relative to its start.
    pub fn slice(&self, range: Range<usize>) -> Self {
        let start = self.start as usize;
        Self::cut(&self.buffer, start + range.start..start + range.end)
    }

    /// Returns the string slice.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.buffer[self.start as usize..self.end as usize]
    }

    /// Returns the shared buffer and the range of this text in it.
    pub fn parts(&self) -> (&Arc<String>, Range<usize>) {
        (&self.buffer, self.start as usize..self.end as usize)
    }

    /// Returns the same characters in their own buffer.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self::from(self.as_str())
    }
}

fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).expect("a shared buffer is shorter than 4 GiB")
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let end = narrow(text.len());
        Self {
            buffer: Arc::new(text),
            start: 0,
            end,
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.as_str().to_owned()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}
