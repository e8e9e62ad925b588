//! JSON Pointers (RFC 6901).

use std::borrow::Cow;

use memchr::{memchr, memmem, memrchr};

use super::Reason;

/// Whether `text` is a JSON Pointer: `^(/([^/~]|~[01])*)*$`.
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

/// One segment as it stands in a pointer: `~` becomes `~0`, `/` becomes `~1`.
pub fn escape(segment: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'~', b'/', segment.as_bytes()).is_none() {
        return Cow::Borrowed(segment);
    }
    Cow::Owned(segment.replace('~', "~0").replace('/', "~1"))
}

/// A valid pointer.
#[derive(Clone, Copy)]
pub(super) struct Pointer<'p> {
    text: &'p str,
    /// Whether any segment needs unescaping.
    escaped: bool,
}

/// One segment of a pointer.
#[derive(Clone, Copy)]
pub(super) struct Segment<'p> {
    /// As it stands in the pointer.
    pub(super) raw: &'p str,
    escaped: bool,
}

impl<'p> Pointer<'p> {
    /// The pointer to the whole document.
    pub(super) const ROOT: Pointer<'static> = Pointer {
        text: "",
        escaped: false,
    };

    pub(super) fn new(text: &'p str) -> Result<Self, Reason> {
        let escaped = memchr(b'~', text.as_bytes()).is_some();
        let valid = if escaped {
            is_pointer(text)
        } else {
            text.is_empty() || text.starts_with('/')
        };
        valid
            .then_some(Self { text, escaped })
            .ok_or(Reason::Pointer)
    }

    pub(super) fn text(self) -> &'p str {
        self.text
    }

    pub(super) fn is_root(self) -> bool {
        self.text.is_empty()
    }

    /// The number of segments.
    pub(super) fn len(self) -> usize {
        memchr::memchr_iter(b'/', self.text.as_bytes()).count()
    }

    pub(super) fn segments(self) -> Segments<'p> {
        Segments {
            rest: self.text,
            escaped: self.escaped,
        }
    }

    /// The pointer to the parent and the last segment; nothing for the root.
    pub(super) fn split_last(self) -> Option<(Self, Segment<'p>)> {
        let slash = memrchr(b'/', self.text.as_bytes())?;
        let escaped = self.escaped;
        let parent = Self {
            text: &self.text[..slash],
            escaped,
        };
        let raw = &self.text[slash + 1..];
        Some((parent, Segment { raw, escaped }))
    }

    /// This pointer without its last segments, which are `rest`.
    pub(super) fn without(self, rest: Self) -> Self {
        let text = self.text.strip_suffix(rest.text).unwrap_or(self.text);
        Self { text, ..self }
    }

    /// Whether this leads to something inside of what `outer` leads to.
    pub(super) fn is_inside(self, outer: Self) -> bool {
        self.text
            .strip_prefix(outer.text)
            .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether it names what no patch may touch in JavaScript.
    pub(super) fn is_banned(self) -> bool {
        if memmem::find(self.text.as_bytes(), b"proto").is_none() {
            return false;
        }
        let mut before = "";
        self.segments().any(|Segment { raw, .. }| {
            raw == "__proto__"
                || (std::mem::replace(&mut before, raw), raw) == ("constructor", "prototype")
        })
    }
}

/// The segments of a pointer, front to back.
#[derive(Clone)]
pub(super) struct Segments<'p> {
    /// Empty, or a slash and what follows.
    rest: &'p str,
    escaped: bool,
}

impl<'p> Segments<'p> {
    /// What has not been walked yet, as a pointer.
    pub(super) fn rest(&self) -> Pointer<'p> {
        Pointer {
            text: self.rest,
            escaped: self.escaped,
        }
    }
}

impl<'p> Iterator for Segments<'p> {
    type Item = Segment<'p>;

    #[inline]
    fn next(&mut self) -> Option<Segment<'p>> {
        let inside = self.rest.get(1..)?;
        // Segments are short: a plain loop beats a call to memchr.
        let end = inside.bytes().position(|byte| byte == b'/');
        let (raw, rest) = inside.split_at(end.unwrap_or(inside.len()));
        self.rest = rest;
        Some(Segment {
            raw,
            escaped: self.escaped,
        })
    }
}

impl<'p> Segment<'p> {
    /// The member name it means.
    #[inline]
    pub(super) fn name(self) -> Cow<'p, str> {
        if self.escaped && memchr(b'~', self.raw.as_bytes()).is_some() {
            return Cow::Owned(self.raw.replace("~1", "/").replace("~0", "~"));
        }
        Cow::Borrowed(self.raw)
    }

    /// The array index it means: digits without leading zeros.
    #[inline]
    pub(super) fn index(self) -> Result<usize, Reason> {
        match self.raw.as_bytes() {
            [b'0'] => return Ok(0),
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {}
            _ => return Err(Reason::Index),
        }
        // Only too many digits can fail now: such an index is beyond the end of every array.
        Ok(self.raw.parse().unwrap_or(usize::MAX))
    }

    /// The index that `fast-json-patch` makes of it: any digits, also none, cut to 32 bits (`~~`).
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn js_index(self) -> Result<i32, Reason> {
        if !self.raw.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Reason::Index);
        }
        if self.raw.len() < 10 {
            return Ok(self.raw.parse().unwrap_or(0));
        }
        // `ToInt32`: the nearest double modulo 2^32; an infinite one becomes 0.
        let double: f64 = self.raw.parse().unwrap_or(0.0);
        let low = double % 4_294_967_296.0;
        Ok(if low.is_finite() {
            (low as u32).cast_signed()
        } else {
            0
        })
    }
}
