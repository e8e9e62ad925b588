//! Writer of compact JSON.

use super::scanner::plain_prefix_len;
use super::value::{Number, Value};

/// Appends a string literal. Only quotes, backslashes and control characters are escaped.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let plain = plain_prefix_len(rest.as_bytes());
        out.push_str(&rest[..plain]);
        let Some(&byte) = rest.as_bytes().get(plain) else {
            break;
        };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            other => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(other >> 4)]));
                out.push(char::from(HEX[usize::from(other & 15)]));
            }
        }
        rest = &rest[plain + 1..];
    }
    out.push('"');
}

/// Appends an integer.
pub fn write_int(int: i64, out: &mut String) {
    use std::fmt::Write as _;
    // Writing to a String cannot fail.
    let _ = write!(out, "{int}");
}

/// Appends valid JSON text without the white space between its tokens.
pub fn write_compact(json: &str, out: &mut String) {
    let mut rest = json;
    while let Some(at) = rest.find(['"', ' ', '\n', '\r', '\t']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if !rest.starts_with('"') {
            rest = &rest[1..];
            continue;
        }
        let mut end = 1;
        loop {
            end += plain_prefix_len(&rest.as_bytes()[end..]);
            match rest.as_bytes().get(end) {
                Some(b'\\') => end += 2,
                Some(_) => break end += 1,
                None => break,
            }
        }
        let end = end.min(rest.len());
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out.push_str(rest);
}

impl Value {
    /// Appends the value as compact JSON.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(Number::Int(int)) => write_int(*int, out),
            Self::Number(Number::Literal(literal)) => out.push_str(literal),
            Self::String(text) => write_string(text, out),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(map) => {
                out.push('{');
                for (index, (key, value)) in map.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Returns the value as compact JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.written_size());
        self.write(&mut out);
        out
    }

    /// Estimates the length as JSON, so that the buffer is allocated once.
    fn written_size(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 5,
            Self::Number(_) => 8,
            Self::String(text) => text.len() + 3,
            Self::Array(items) => 2 + items.iter().map(Self::written_size).sum::<usize>(),
            Self::Object(map) => {
                let member = |(key, value): (&str, &Self)| key.len() + 4 + value.written_size();
                2 + map.iter().map(member).sum::<usize>()
            }
        }
    }
}
