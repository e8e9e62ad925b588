//! Part of the input that is still needed.

/// Received text, without the beginning that is no longer needed.
#[derive(Debug, Default)]
pub(crate) struct InputBuffer {
    text: String,
    base: usize,
}

impl InputBuffer {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns the offset of the first byte that is kept.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// Returns the offset after the last byte.
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    pub(crate) fn byte(&self, offset: usize) -> Option<u8> {
        self.text
            .as_bytes()
            .get(offset.checked_sub(self.base)?)
            .copied()
    }

    /// Returns the text between two offsets, or an empty text if it was dropped.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &str {
        let range = start.saturating_sub(self.base)..end.saturating_sub(self.base);
        self.text.get(range).unwrap_or_default()
    }

    pub(crate) fn bytes(&self, start: usize, end: usize) -> &[u8] {
        let range = start.saturating_sub(self.base)..end.saturating_sub(self.base);
        self.text.as_bytes().get(range).unwrap_or_default()
    }

    /// Returns true if `pattern` is at the offset, or `None` if too little text was received.
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

    /// Returns true if `pattern` is at the offset, ignoring case, or `None` if too little text was received.
    pub(crate) fn starts_in_any_case(&self, offset: usize, pattern: &str) -> Option<bool> {
        let rest = self.bytes(offset, self.end().min(offset + pattern.len()));
        if !rest.eq_ignore_ascii_case(&pattern.as_bytes()[..rest.len()]) {
            return Some(false);
        }
        (rest.len() == pattern.len()).then_some(true)
    }

    /// Returns the last offset up to `offset` at which a character begins.
    pub(crate) fn boundary(&self, offset: usize) -> usize {
        let mut at = offset.clamp(self.base, self.end()) - self.base;
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        self.base + at
    }

    /// Drops everything before the offset.
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
