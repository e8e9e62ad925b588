//! Strings in scanned JSON: their ends, and the classes of bytes in them.

use memchr::memchr3;

use super::block_scanner::{
    BlockScanner, LexState, OpenString, QuoteMark, ScanSink, ScanStep, ScannedKind,
};
use super::tokens::{ExpectedToken, JsonToken, JsonTokenKind};
use super::{END, InputBuffer, START};

/// Class of bytes at which a string in double quotation marks may end or change.
pub(super) const STOP: u8 = 4;
/// Class of bytes that JSON requires to be escaped.
const CONTROL: u8 = 1;
/// Class of closing brackets.
const BRACKET: u8 = 2;

/// Class of each byte inside of a string.
const CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = CONTROL;
        byte += 1;
    }
    table[b']' as usize] = BRACKET;
    table[b'}' as usize] = BRACKET;
    table[b'"' as usize] = STOP;
    table[b'\\' as usize] = STOP;
    table[b'<' as usize] = STOP;
    table
};

/// Returns the class of a byte inside of a string.
#[inline]
pub(super) fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

/// Returns true if the content of a string has no special characters.
#[inline]
pub(super) fn is_plain(inside: &[u8]) -> bool {
    // Comparisons instead of a table, so that the compiler can process many bytes at once.
    let special = |byte: &u8| {
        u8::from(*byte < 0x20)
            | u8::from(*byte & 0xDF == b']')
            | u8::from(*byte == b'\\')
            | u8::from(*byte == b'<')
    };
    let plain = |bytes: &[u8; 16]| bytes.iter().fold(0, |seen, byte| seen | special(byte)) == 0;
    match inside.last_chunk() {
        // The last 16 bytes overlap with those before, which is faster than one byte at a time.
        Some(last) => inside.as_chunks().0.iter().all(plain) && plain(last),
        None => inside.iter().all(|byte| class(*byte) == 0),
    }
}

/// Defects of a string.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StringFlaws {
    /// The string is not valid JSON.
    defect: bool,
    /// A repair of the block would change the string.
    doubt: bool,
}

impl StringFlaws {
    /// Inspects a string; `seen` are the classes of its bytes, combined.
    #[inline]
    pub(super) fn of(text: JsonToken, seen: u8, buffer: &InputBuffer) -> Self {
        let escaped = text.kind == JsonTokenKind::Text { escaped: true };
        // Most strings have no special characters.
        if seen == STOP && !escaped {
            return Self::default();
        }
        let inside = buffer.slice(text.start, text.end);
        let control = seen & CONTROL != 0;
        Self {
            defect: control || (escaped && !super::json_strings::is_strict(inside)),
            doubt: super::json_strings::is_doubtful(inside),
        }
    }
}

impl BlockScanner {
    /// Reads a complete string without special characters. Returns false if it is none.
    #[inline]
    pub(super) fn plain_text(
        &mut self,
        buffer: &InputBuffer,
        end: usize,
        sink: &mut dyn ScanSink,
    ) -> bool {
        let start = self.at + 1;
        let rest = buffer.bytes(start, end);
        let special = |byte: &u8| class(*byte) != 0;
        let Some(length) = rest.iter().position(special) else {
            return false;
        };
        if rest[length] != b'"' {
            return false;
        }
        let token = JsonToken {
            start,
            end: start + length,
            kind: JsonTokenKind::Text { escaped: false },
        };
        self.at = token.end + 1;
        self.report_text(token, sink);
        self.value(token, buffer);
        true
    }

    /// Reports a string of a JSON answer, unless it is a name.
    fn report_text(&self, token: JsonToken, sink: &mut dyn ScanSink) {
        if self.kind == ScannedKind::Block {
            return;
        }
        let bracket = self.brackets.last();
        let is_value = bracket
            .is_some_and(|bracket| bracket.is_array || bracket.expect == ExpectedToken::Value);
        if is_value || self.hold.is_some() {
            let key = bracket
                .filter(|bracket| !bracket.is_array && is_value)
                .and_then(|bracket| bracket.key);
            sink.text(token, key, self.hold);
        }
    }

    pub(super) fn open_text(&mut self, quote_length: usize, quote: QuoteMark) {
        self.at += quote_length;
        self.lex = LexState::Text(OpenString {
            start: self.at,
            quote,
            escaped: false,
            seen: 0,
        });
    }

    pub(super) fn text(
        &mut self,
        buffer: &InputBuffer,
        end: usize,
        last: bool,
        mut open: OpenString,
        sink: &mut dyn ScanSink,
    ) -> Option<ScanStep> {
        let rest = buffer.bytes(self.at, end);
        let found = match open.quote {
            QuoteMark::Double => {
                let mut seen = open.seen;
                let stops = |byte: &u8| {
                    seen |= class(*byte);
                    class(*byte) == STOP
                };
                let found = rest.iter().position(stops);
                open.seen = seen;
                found
            }
            QuoteMark::Single => memchr3(b'\'', b'\\', b'<', rest),
            QuoteMark::Curly => memchr3(0xE2, b'\\', b'<', rest),
        };
        self.lex = LexState::Text(open);
        let Some(found) = found else {
            self.at = end;
            return None;
        };
        self.at += found;
        match rest[found] {
            b'\\' => {
                if self.at + 1 >= buffer.end() && !last {
                    return Some(ScanStep::More);
                }
                open.escaped = true;
                self.lex = LexState::Text(open);
                // The next character may have several bytes; the others are plain.
                let plain = buffer.byte(self.at + 1) != Some(b'<');
                self.at = (self.at + 1 + usize::from(plain)).min(buffer.end());
            }
            b'<' => match self.kind {
                ScannedKind::Block => match buffer.starts(self.at, END) {
                    None if !last => return Some(ScanStep::More),
                    Some(true) if self.plain_ends || self.at_line_start(buffer) => {
                        return Some(ScanStep::Delimiter(self.at));
                    }
                    Some(true) => {
                        self.skipped_end.get_or_insert(self.at);
                        self.at += END.len();
                    }
                    _ => self.at += 1,
                },
                ScannedKind::JsonAnswer => match (
                    buffer.starts(self.at, START),
                    buffer.starts_in_any_case(self.at, "<cite"),
                ) {
                    (None, _) | (_, None) if !last => return Some(ScanStep::More),
                    (Some(true), _) if self.at_line_start(buffer) => {
                        return Some(ScanStep::Delimiter(self.at));
                    }
                    (Some(true), _) | (_, Some(true)) => {
                        self.hold.get_or_insert(self.at);
                        self.at += 1;
                    }
                    _ => self.at += 1,
                },
            },
            0xE2 => match (buffer.starts(self.at, "”"), buffer.starts(self.at, "“")) {
                (Some(false), Some(false)) => self.at += 1,
                (None, _) | (_, None) if !last => return Some(ScanStep::More),
                _ => return self.end_text(buffer, open, "”".len(), sink),
            },
            _ => return self.end_text(buffer, open, 1, sink),
        }
        None
    }

    /// Returns true after a line break. JSON strings have none, so a delimiter there is not part of a quote.
    fn at_line_start(&self, buffer: &InputBuffer) -> bool {
        self.at > buffer.base() && buffer.byte(self.at - 1) == Some(b'\n')
    }

    fn end_text(
        &mut self,
        buffer: &InputBuffer,
        open: OpenString,
        quote_length: usize,
        sink: &mut dyn ScanSink,
    ) -> Option<ScanStep> {
        self.lex = LexState::Between;
        let token = JsonToken {
            start: open.start,
            end: self.at,
            kind: JsonTokenKind::Text {
                escaped: open.escaped,
            },
        };
        if self.kind == ScannedKind::Block {
            let flaws = StringFlaws::of(token, open.seen, buffer);
            if flaws.defect || open.quote != QuoteMark::Double {
                self.defective();
            }
            self.doubt |= flaws.doubt;
        }
        self.at += quote_length;
        self.report_text(token, sink);
        self.value(token, buffer);
        self.hold = None;
        self.skipped_end = None;
        None
    }
}
