//! Incremental decoder of UTF-8.

/// Streaming UTF-8 decoder for chunks of any size. Invalid sequences become U+FFFD; a byte order
/// mark at the very start is removed.
#[derive(Debug, Default)]
pub(crate) struct Utf8Stream {
    /// Start of an incomplete character, at most 3 bytes.
    partial: Vec<u8>,
    started: bool,
    replaced: usize,
}

impl Utf8Stream {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Returns the number of invalid sequences that were replaced.
    pub(crate) fn replaced(&self) -> usize {
        self.replaced
    }

    /// Decodes a chunk and appends the complete characters.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut String) {
        let mut bytes = bytes;
        // Complete a split character byte by byte, at most three steps.
        while !self.partial.is_empty() {
            let Some((&first, rest)) = bytes.split_first() else {
                return;
            };
            self.partial.push(first);
            match std::str::from_utf8(&self.partial) {
                Ok(text) => {
                    let text = text.to_owned();
                    self.emit(&text, out);
                    self.partial.clear();
                    bytes = rest;
                }
                Err(error) if error.error_len().is_none() => bytes = rest,
                Err(_) => {
                    // The new byte does not continue the character; it starts another one.
                    self.partial.clear();
                    self.replace(out);
                }
            }
        }
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    self.emit(text, out);
                    return;
                }
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    self.emit(std::str::from_utf8(valid).unwrap_or_default(), out);
                    match error.error_len() {
                        Some(length) => {
                            self.replace(out);
                            bytes = &rest[length..];
                        }
                        None => {
                            self.partial.extend_from_slice(rest);
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Ends the stream: an incomplete character is invalid.
    pub(crate) fn finish(&mut self, out: &mut String) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.replace(out);
        }
    }

    fn emit(&mut self, text: &str, out: &mut String) {
        let text = if self.started || text.is_empty() {
            text
        } else {
            self.started = true;
            text.strip_prefix('\u{feff}').unwrap_or(text)
        };
        out.push_str(text);
    }

    fn replace(&mut self, out: &mut String) {
        self.started = true;
        self.replaced += 1;
        out.push('\u{fffd}');
    }
}
