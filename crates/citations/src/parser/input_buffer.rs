//! The part of the input that is still needed.

/// Received text from an offset of the input on.
#[derive(Debug, Default)]
pub(crate) struct InputBuffer {
    text: String,
    base: usize,
}

impl InputBuffer {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The offset of the first byte that is still here.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// The offset after the last byte.
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    pub(crate) fn byte(&self, offset: usize) -> Option<u8> {
        self.text
            .as_bytes()
            .get(offset.checked_sub(self.base)?)
            .copied()
    }

    /// The text between two offsets; nothing if it is not here.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &str {
        let range = start.saturating_sub(self.base)..end.saturating_sub(self.base);
        self.text.get(range).unwrap_or_default()
    }

    pub(crate) fn bytes(&self, start: usize, end: usize) -> &[u8] {
        let range = start.saturating_sub(self.base)..end.saturating_sub(self.base);
        self.text.as_bytes().get(range).unwrap_or_default()
    }

    /// Whether `pattern` stands at the offset; `None` if the text ends before that can be told.
    pub(crate) fn starts(&self, offset: usize, pattern: &str) -> Option<bool> {
        let rest = self.bytes(offset, self.end());
        let pattern = pattern.as_bytes();
        if rest.len() < pattern.len() {
            return if pattern.starts_with(rest) {
                None
            } else {
                Some(false)
            };
        }
        Some(rest.starts_with(pattern))
    }

    /// The same, in any case.
    pub(crate) fn starts_in_any_case(&self, offset: usize, pattern: &str) -> Option<bool> {
        let rest = self.bytes(offset, self.end().min(offset + pattern.len()));
        if !rest.eq_ignore_ascii_case(&pattern.as_bytes()[..rest.len()]) {
            return Some(false);
        }
        (rest.len() == pattern.len()).then_some(true)
    }

    /// The last offset at or before `offset` where a character begins.
    pub(crate) fn boundary(&self, offset: usize) -> usize {
        let mut at = offset.clamp(self.base, self.end()) - self.base;
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        self.base + at
    }

    /// Lets go of everything before the offset.
    pub(crate) fn drop_before(&mut self, offset: usize) {
        let count = offset.saturating_sub(self.base).min(self.text.len());
        if count == self.text.len() {
            self.text.clear();
        } else if count > 0 {
            self.text.drain(..count);
        }
        self.base += count;
    }
}
