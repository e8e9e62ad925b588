//! Data blocks as the citation SDK's own parser reads them, with its repair of JSON.
//!
//! A block that is not valid JSON is also read in this way, so that every citation that the SDK finds is
//! found under the same key.

use std::borrow::Cow;

use json::Value;

use super::entry::EntryFields;
use super::json_strings::without_trailing_commas;
use crate::citation::Citation;
use crate::js_format::{is_space, trim};

/// Returns the citations of a block, or `None` if the SDK's parser gives up.
pub(crate) fn read(block: &str) -> Option<Vec<Citation>> {
    let block = trim(block);
    parse(block).or_else(|| parse(&repair(block)))
}

fn parse(json: &str) -> Option<Vec<Citation>> {
    let value = Value::parse(json).ok()?;
    let mut citations = Vec::new();
    let mut add = |item: &Value, group: Option<&str>| {
        let item = EntryFields::from_map(item.as_object()?);
        if !item.has_number() || item.page_throws() {
            return None;
        }
        if item.has_phrase() {
            let mut citation = Citation::default();
            item.fill(&mut citation, group, |_| {});
            citations.push(citation);
        }
        Some(())
    };
    let groups = value.as_object().filter(|map| {
        let is_group = |value: &Value| {
            let objects = |item: &Value| matches!(item, Value::Object(_) | Value::Array(_));
            value
                .as_array()
                .is_some_and(|items| items.iter().all(objects))
        };
        !map.is_empty() && map.iter().all(|(_, value)| is_group(value))
    });
    if let Some(groups) = groups {
        for (group, items) in groups.iter() {
            for item in items.as_array().unwrap_or_default() {
                add(item, Some(group))?;
            }
        }
    } else if let Some(items) = value.as_array() {
        for item in items {
            add(item, None)?;
        }
    } else {
        add(&value, None)?;
    }
    Some(citations)
}

/// Repairs JSON in the same way and order as the SDK's parser.
pub(crate) fn repair(json: &str) -> String {
    let text = without_fences(trim(json));
    let text = without_odd_escapes(text);
    let mut text = without_trailing_commas(&text).into_owned();
    let count = |text: &str, byte: u8| memchr::memchr_iter(byte, text.as_bytes()).count();
    if text.starts_with('[') && !text.ends_with(']') {
        let missing = count(&text, b'[').saturating_sub(count(&text, b']'));
        text.extend(std::iter::repeat_n(']', missing));
    }
    let missing = count(&text, b'{').saturating_sub(count(&text, b'}'));
    text.extend(std::iter::repeat_n('}', missing));
    text
}

fn without_fences(text: &str) -> &str {
    let mut text = text;
    if let Some(rest) = text.strip_prefix("```") {
        let json = rest
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("json"));
        text = rest[if json { 4 } else { 0 }..].trim_start_matches(is_space);
    }
    text.strip_suffix("```")
        .map_or(text, |rest| rest.trim_end_matches(is_space))
}

/// Removes the backslash of every escape that JSON does not define. As in the SDK, the second of two
/// backslashes counts as the start of an escape, too.
fn without_odd_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut kept, mut at) = (0, 0);
    while let Some(open) = memchr::memchr(b'"', &bytes[at..]) {
        let start = at + open + 1;
        let Some(end) = string_end(bytes, start) else {
            break;
        };
        let mut inside = start;
        while let Some(found) = memchr::memchr(b'\\', &bytes[inside..end]) {
            let slash = inside + found;
            let known = match bytes.get(slash + 1) {
                Some(b'u') => {
                    let digits = bytes.get(slash + 2..slash + 6);
                    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
                }
                Some(next) => {
                    matches!(next, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
                }
                None => true,
            };
            inside = slash + 1;
            if !known {
                out.push_str(&text[kept..slash]);
                kept = slash + 1;
            }
        }
        at = end + 1;
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// Returns the offset of the closing quotation mark of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
        if at > bytes.len() {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_are_those_of_the_sdk() {
        for (given, expected) in [
            ("```JSON\n[1,]\n```", "[1]"),
            (r#"["a\~b","\\n","\u12"]"#, r#"["a~b","\\n","u12"]"#),
            // The SDK's parser breaks an escaped backslash before an ordinary letter.
            (r#"["\\x"]"#, r#"["\x"]"#),
            (r#"["a, ] b"]"#, r#"["a ] b"]"#),
            ("[{", "[{]}"),
            (r#"{"a":"}"#, r#"{"a":"}"#),
            ("[1", "[1]"),
        ] {
            assert_eq!(repair(given), expected, "{given}");
        }
    }
}
