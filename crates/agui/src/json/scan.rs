//! One cursor over JSON text: every reader of JSON in this crate stands on it.

use std::ops::Range;

/// How deep arrays and objects may nest.
pub const MAX_DEPTH: usize = 512;

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub struct JsonError {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

const TOO_DEEP: &str = "nested deeper than 512 levels";

impl JsonError {
    /// Whether it is about nesting, which only this implementation limits.
    pub fn is_depth(&self) -> bool {
        self.reason == TOO_DEEP
    }
}

/// A string literal found by the scanner: the bytes between the quotes.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub(crate) range: Range<usize>,
    /// Whether the bytes contain a backslash and differ from the string they mean.
    pub(crate) escaped: bool,
}

/// A cursor over JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, pos: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos,
        }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn jump(&mut self, pos: usize) {
        self.pos = pos;
    }

    pub(crate) fn fail<T>(&self, reason: &'static str) -> Result<T, JsonError> {
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

    /// The next byte that is not white space, without taking it; 0 at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.pos) {
                Some(&byte) if byte > b' ' => return byte,
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.pos += 1,
                Some(_) | None => return 0,
            }
        }
    }

    /// Takes `byte` if it comes next, white space aside.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.pos += usize::from(found);
        found
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, reason: &'static str) -> Result<(), JsonError> {
        if self.take(byte) {
            Ok(())
        } else {
            self.fail(reason)
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), JsonError> {
        if self.peek() == 0 && self.pos >= self.bytes.len() {
            Ok(())
        } else {
            self.fail("unexpected text after the JSON value")
        }
    }

    /// Takes a string literal; the cursor stands before its opening quote.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Literal, JsonError> {
        self.expect(b'"', "expected a string")?;
        let start = self.pos;
        let mut escaped = false;
        loop {
            self.pos += plain_prefix(&self.bytes[self.pos..]);
            match self.bytes.get(self.pos) {
                Some(b'"') => {
                    let range = start..self.pos;
                    self.pos += 1;
                    return Ok(Literal { range, escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return self.fail("a control character must be escaped in a string"),
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
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
            Some(_) => return self.fail("unknown escape in a string"),
            None => {
                self.pos += 1;
                return self.fail("");
            }
        }
        Ok(())
    }

    /// Takes a number and returns its literal.
    pub(crate) fn number(&mut self) -> Result<&'a str, JsonError> {
        self.peek();
        let start = self.pos;
        self.pos += usize::from(self.bytes.get(self.pos) == Some(&b'-'));
        match self.bytes.get(self.pos) {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.fail("expected a value"),
        }
        if self.bytes.get(self.pos) == Some(&b'.') {
            self.pos += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.pos) {
            self.pos += 1;
            self.pos += usize::from(matches!(self.bytes.get(self.pos), Some(b'+' | b'-')));
            self.some_digits()?;
        }
        Ok(&self.text[start..self.pos])
    }

    fn digits(&mut self) {
        while self.bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            self.pos += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), JsonError> {
        let start = self.pos;
        self.digits();
        if self.pos == start {
            return self.fail("expected a digit");
        }
        Ok(())
    }

    /// Takes `true`, `false` or `null`.
    pub(crate) fn word(&mut self, word: &'static str) -> Result<(), JsonError> {
        self.peek();
        if self.bytes[self.pos..].starts_with(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else {
            self.fail("expected a value")
        }
    }

    /// Takes any value without keeping it, and returns where it stood.
    pub(crate) fn skip(&mut self, depth: usize) -> Result<Range<usize>, JsonError> {
        let first = self.peek();
        let start = self.pos;
        match first {
            b'"' => {
                self.string()?;
            }
            b'{' => {
                self.deeper(depth)?;
                self.pos += 1;
                if !self.take(b'}') {
                    loop {
                        self.peek();
                        self.string()?;
                        self.expect(b':', "expected ':' after a key")?;
                        self.skip(depth + 1)?;
                        if self.take(b'}') {
                            break;
                        }
                        self.expect(b',', "expected ',' or '}'")?;
                    }
                }
            }
            b'[' => {
                self.deeper(depth)?;
                self.pos += 1;
                if !self.take(b']') {
                    loop {
                        self.skip(depth + 1)?;
                        if self.take(b']') {
                            break;
                        }
                        self.expect(b',', "expected ',' or ']'")?;
                    }
                }
            }
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => {
                self.number()?;
            }
        }
        Ok(start..self.pos)
    }

    pub(crate) fn deeper(&self, depth: usize) -> Result<(), JsonError> {
        if depth >= MAX_DEPTH {
            return self.fail(TOO_DEEP);
        }
        Ok(())
    }
}

/// How many bytes can stand in a JSON string as they are: no quote, backslash or control character.
#[inline]
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut pos = 0;
    while let Some(chunk) = bytes[pos..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * b'"' as u64);
        let slash = word ^ (ONES * b'\\' as u64);
        // The lowest set high bit marks the first special byte; bits above it may be false.
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

/// The string that the inside of a string literal means. A lone surrogate becomes U+FFFD.
pub(crate) fn unescape(inside: &str) -> String {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    loop {
        // Inside a literal only a backslash ends a plain stretch.
        let at = plain_prefix(rest.as_bytes());
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

/// The number in the first four hexadecimal digits; the scanner has checked that they are there.
fn hex4(text: &str) -> u32 {
    text.get(..4)
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
        .unwrap_or(0xFFFD)
}
