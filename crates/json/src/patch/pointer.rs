//! JSON Pointers (RFC 6901).

use std::borrow::Cow;

use memchr::{memchr, memmem, memrchr};

use super::PatchFailure;

/// Returns true if `text` is a JSON Pointer: `^(/([^/~]|~[01])*)*$`.
pub fn is_pointer(text: &str) -> bool {
    if !text.is_empty() && !text.starts_with('/') {
        return false;
    }
    let mut rest = text.as_bytes();
    while let Some(at) = memchr(b'~', rest) {
        if !matches!(rest.get(at + 1), Some(b'0' | b'1')) {
            return false;
        }
        rest = &rest[at + 2..];
    }
    true
}

/// Escapes a segment for a pointer: `~` becomes `~0`, `/` becomes `~1`.
pub fn escape(segment: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'~', b'/', segment.as_bytes()).is_none() {
        return Cow::Borrowed(segment);
    }
    Cow::Owned(segment.replace('~', "~0").replace('/', "~1"))
}

/// Valid JSON Pointer.
#[derive(Clone, Copy)]
pub(super) struct Pointer<'p> {
    text: &'p str,
    /// True if the pointer contains `~` escapes.
    escaped: bool,
}

/// Segment of a pointer.
#[derive(Clone, Copy)]
pub(super) struct PointerSegment<'p> {
    /// Segment with its escapes.
    pub(super) raw: &'p str,
    escaped: bool,
}

impl<'p> Pointer<'p> {
    /// Pointer to the whole document.
    pub(super) const ROOT: Pointer<'static> = Pointer {
        text: "",
        escaped: false,
    };

    pub(super) fn new(text: &'p str) -> Result<Self, PatchFailure> {
        let escaped = memchr(b'~', text.as_bytes()).is_some();
        let valid = if escaped {
            is_pointer(text)
        } else {
            text.is_empty() || text.starts_with('/')
        };
        valid
            .then_some(Self { text, escaped })
            .ok_or(PatchFailure::Pointer)
    }

    pub(super) fn text(self) -> &'p str {
        self.text
    }

    pub(super) fn is_root(self) -> bool {
        self.text.is_empty()
    }

    /// Returns the number of segments.
    pub(super) fn len(self) -> usize {
        memchr::memchr_iter(b'/', self.text.as_bytes()).count()
    }

    pub(super) fn segments(self) -> PointerSegments<'p> {
        PointerSegments {
            rest: self.text,
            escaped: self.escaped,
        }
    }

    /// Returns the pointer to the parent and the last segment; `None` for the root.
    pub(super) fn split_last(self) -> Option<(Self, PointerSegment<'p>)> {
        let slash = memrchr(b'/', self.text.as_bytes())?;
        let escaped = self.escaped;
        let parent = Self {
            text: &self.text[..slash],
            escaped,
        };
        let raw = &self.text[slash + 1..];
        Some((parent, PointerSegment { raw, escaped }))
    }

    /// Returns the pointer without its last segments `rest`.
    pub(super) fn strip_suffix(self, rest: Self) -> Self {
        let text = self.text.strip_suffix(rest.text).unwrap_or(self.text);
        Self { text, ..self }
    }

    /// Returns true if this pointer leads into the value at `outer`.
    pub(super) fn is_inside(self, outer: Self) -> bool {
        self.text
            .strip_prefix(outer.text)
            .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns true if the pointer contains a name that JavaScript patch libraries refuse.
    pub(super) fn is_banned(self) -> bool {
        if memmem::find(self.text.as_bytes(), b"proto").is_none() {
            return false;
        }
        let mut before = "";
        self.segments().any(|PointerSegment { raw, .. }| {
            raw == "__proto__"
                || (std::mem::replace(&mut before, raw), raw) == ("constructor", "prototype")
        })
    }
}

/// Iterator over the segments of a pointer.
#[derive(Clone)]
pub(super) struct PointerSegments<'p> {
    /// Empty, or a slash and the remaining segments.
    rest: &'p str,
    escaped: bool,
}

impl<'p> PointerSegments<'p> {
    /// Returns the remaining segments as a pointer.
    pub(super) fn rest(&self) -> Pointer<'p> {
        Pointer {
            text: self.rest,
            escaped: self.escaped,
        }
    }
}

impl<'p> Iterator for PointerSegments<'p> {
    type Item = PointerSegment<'p>;

    #[inline]
    fn next(&mut self) -> Option<PointerSegment<'p>> {
        let inside = self.rest.get(1..)?;
        // Segments are short: a plain loop is faster than memchr.
        let end = inside.bytes().position(|byte| byte == b'/');
        let (raw, rest) = inside.split_at(end.unwrap_or(inside.len()));
        self.rest = rest;
        Some(PointerSegment {
            raw,
            escaped: self.escaped,
        })
    }
}

impl<'p> PointerSegment<'p> {
    /// Returns the member name without escapes.
    #[inline]
    pub(super) fn name(self) -> Cow<'p, str> {
        if self.escaped && memchr(b'~', self.raw.as_bytes()).is_some() {
            return Cow::Owned(self.raw.replace("~1", "/").replace("~0", "~"));
        }
        Cow::Borrowed(self.raw)
    }

    /// Returns the array index: digits without leading zeros.
    #[inline]
    pub(super) fn index(self) -> Result<usize, PatchFailure> {
        match self.raw.as_bytes() {
            [b'0'] => return Ok(0),
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {}
            _ => return Err(PatchFailure::Index),
        }
        // Parsing can only overflow here; such an index is beyond the end of every array.
        Ok(self.raw.parse().unwrap_or(usize::MAX))
    }

    /// Returns the index that `fast-json-patch` computes: any digits, even none, truncated to 32
    /// bits (`~~`).
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn js_index(self) -> Result<i32, PatchFailure> {
        if !self.raw.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(PatchFailure::Index);
        }
        if self.raw.len() < 10 {
            return Ok(self.raw.parse().unwrap_or(0));
        }
        // `ToInt32`: the nearest double modulo 2^32; infinity becomes 0.
        let double: f64 = self.raw.parse().unwrap_or(0.0);
        let low = double % 4_294_967_296.0;
        Ok(if low.is_finite() {
            (low as u32).cast_signed()
        } else {
            0
        })
    }
}
