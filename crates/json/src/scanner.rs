//! Cursor over JSON text, the basis of all readers in this crate.

use std::ops::Range;

/// Maximum nesting depth of arrays and objects.
pub const MAX_DEPTH: usize = 512;

/// Syntax error with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub struct JsonError {
    /// Byte offset in the text.
    pub offset: usize,
    /// Description of the error.
    pub reason: &'static str,
}

const TOO_DEEP: &str = "nested deeper than 512 levels";

impl JsonError {
    /// Returns true if the text exceeds [`MAX_DEPTH`], a limit of this implementation only.
    pub fn is_depth(&self) -> bool {
        self.reason == TOO_DEEP
    }
}

/// String literal found by the scanner.
#[derive(Debug, Clone)]
pub struct StringLiteral {
    /// Byte range between the quotes.
    pub range: Range<usize>,
    /// True if the literal contains escapes and must be decoded with [`unescape`].
    pub escaped: bool,
}

/// Cursor over JSON text.
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Scanner<'a> {
    /// Creates a cursor at a byte offset of a text.
    pub fn new(text: &'a str, pos: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos,
        }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the byte offset of the cursor.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Moves the cursor to a byte offset.
    pub fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// Returns an error at the cursor; at the end of the text it says that the JSON ends too early.
    pub fn error<T>(&self, reason: &'static str) -> Result<T, JsonError> {
        let reason = if self.pos >= self.bytes.len() {
            "the JSON ends too early"
        } else {
            reason
        };
        Err(JsonError {
            offset: self.pos,
            reason,
        })
    }

    /// Returns the next byte that is not white space, without taking it; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.pos) {
                Some(&byte) if byte > b' ' => return byte,
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.pos += 1,
                Some(_) | None => return 0,
            }
        }
    }

    /// Takes `byte` if it is the next byte after white space.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.pos += usize::from(found);
        found
    }

    /// Takes `byte` after white space, or fails with this reason.
    #[inline]
    pub fn expect(&mut self, byte: u8, reason: &'static str) -> Result<(), JsonError> {
        if self.take(byte) {
            Ok(())
        } else {
            self.error(reason)
        }
    }

    /// Fails if anything but white space follows.
    pub fn expect_end(&mut self) -> Result<(), JsonError> {
        if self.peek() == 0 && self.pos >= self.bytes.len() {
            Ok(())
        } else {
            self.error("unexpected text after the JSON value")
        }
    }

    /// Takes a string literal. The cursor must be at its opening quote.
    #[inline]
    pub fn read_string_literal(&mut self) -> Result<StringLiteral, JsonError> {
        self.expect(b'"', "expected a string")?;
        let start = self.pos;
        let mut escaped = false;
        loop {
            self.pos += plain_prefix_len(&self.bytes[self.pos..]);
            match self.bytes.get(self.pos) {
                Some(b'"') => {
                    let range = start..self.pos;
                    self.pos += 1;
                    return Ok(StringLiteral { range, escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.skip_escape()?;
                }
                _ => return self.error("a control character must be escaped in a string"),
            }
        }
    }

    fn skip_escape(&mut self) -> Result<(), JsonError> {
        match self.bytes.get(self.pos + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.pos += 2,
            Some(b'u')
                if self
                    .bytes
                    .get(self.pos + 2..self.pos + 6)
                    .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
            {
                self.pos += 6;
            }
            Some(_) => return self.error("unknown escape in a string"),
            None => {
                self.pos += 1;
                return self.error("");
            }
        }
        Ok(())
    }

    /// Takes a number and returns its literal.
    pub fn read_number_literal(&mut self) -> Result<&'a str, JsonError> {
        self.peek();
        let start = self.pos;
        self.pos += usize::from(self.bytes.get(self.pos) == Some(&b'-'));
        match self.bytes.get(self.pos) {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.skip_digits(),
            _ => return self.error("expected a value"),
        }
        if self.bytes.get(self.pos) == Some(&b'.') {
            self.pos += 1;
            self.expect_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.pos) {
            self.pos += 1;
            self.pos += usize::from(matches!(self.bytes.get(self.pos), Some(b'+' | b'-')));
            self.expect_digits()?;
        }
        Ok(&self.text[start..self.pos])
    }

    fn skip_digits(&mut self) {
        while self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            self.pos += 1;
        }
    }

    fn expect_digits(&mut self) -> Result<(), JsonError> {
        let start = self.pos;
        self.skip_digits();
        if self.pos == start {
            return self.error("expected a digit");
        }
        Ok(())
    }

    /// Takes `true`, `false` or `null`.
    pub fn read_keyword(&mut self, word: &'static str) -> Result<(), JsonError> {
        self.peek();
        if self.bytes[self.pos..].starts_with(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else {
            self.error("expected a value")
        }
    }

    /// Skips any value and returns its byte range.
    pub fn skip_value(&mut self, depth: usize) -> Result<Range<usize>, JsonError> {
        let first = self.peek();
        let start = self.pos;
        match first {
            b'"' => {
                self.read_string_literal()?;
            }
            b'{' => {
                self.check_depth(depth)?;
                self.pos += 1;
                if !self.take(b'}') {
                    loop {
                        self.peek();
                        self.read_string_literal()?;
                        self.expect(b':', "expected ':' after a key")?;
                        self.skip_value(depth + 1)?;
                        if self.take(b'}') {
                            break;
                        }
                        self.expect(b',', "expected ',' or '}'")?;
                    }
                }
            }
            b'[' => {
                self.check_depth(depth)?;
                self.pos += 1;
                if !self.take(b']') {
                    loop {
                        self.skip_value(depth + 1)?;
                        if self.take(b']') {
                            break;
                        }
                        self.expect(b',', "expected ',' or ']'")?;
                    }
                }
            }
            b't' => self.read_keyword("true")?,
            b'f' => self.read_keyword("false")?,
            b'n' => self.read_keyword("null")?,
            _ => {
                self.read_number_literal()?;
            }
        }
        Ok(start..self.pos)
    }

    /// Fails if an array or object at this depth would exceed [`MAX_DEPTH`].
    pub fn check_depth(&self, depth: usize) -> Result<(), JsonError> {
        if depth >= MAX_DEPTH {
            return self.error(TOO_DEEP);
        }
        Ok(())
    }
}

/// Returns the length of the prefix that needs no escape in a JSON string: no quote, backslash or
/// control character.
#[inline]
pub fn plain_prefix_len(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut pos = 0;
    while let Some(chunk) = bytes[pos..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * b'"' as u64);
        let slash = word ^ (ONES * b'\\' as u64);
        // The lowest set high bit marks the first special byte; higher bits may be wrong.
        let hits = (quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        let hits = hits & HIGH;
        if hits != 0 {
            return pos + (hits.trailing_zeros() / 8) as usize;
        }
        pos += 8;
    }
    while pos < bytes.len() && !matches!(bytes[pos], b'"' | b'\\' | 0..0x20) {
        pos += 1;
    }
    pos
}

/// Decodes the escapes in a string literal without its quotes. A lone surrogate becomes U+FFFD.
pub fn unescape(inside: &str) -> String {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    loop {
        // Inside a literal, only a backslash ends an unescaped run.
        let at = plain_prefix_len(rest.as_bytes());
        out.push_str(&rest[..at]);
        let Some(&escape) = rest.as_bytes().get(at + 1) else {
            break;
        };
        rest = &rest[at + 2..];
        match escape {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let unit = hex4(rest);
                rest = &rest[4..];
                let pair = match rest.as_bytes() {
                    [b'\\', b'u', ..] if (0xD800..0xDC00).contains(&unit) => Some(hex4(&rest[2..])),
                    _ => None,
                };
                match pair {
                    Some(low) if (0xDC00..0xE000).contains(&low) => {
                        rest = &rest[6..];
                        let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    _ => out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)),
                }
            }
            other => out.push(char::from(other)),
        }
    }
    out
}

/// Parses the first four characters as hexadecimal digits, which the scanner has checked.
fn hex4(text: &str) -> u32 {
    text.get(..4)
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
        .unwrap_or(0xFFFD)
}
