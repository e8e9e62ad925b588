//! Simple implementation of the SDK's parser, step by step as documented.

use citations::Citation;
use json::{Map, Value};

const START: &str = "<<<CITATION_DATA>>>";
const END: &str = "<<<END_CITATION_DATA>>>";

/// Returns the keys of the first data block.
pub fn keys(text: &str) -> Vec<String> {
    let Some(start) = text.find(START) else {
        return Vec::new();
    };
    let end = text[start..]
        .find(END)
        .map_or(text.len(), |end| start + end);
    let Some(block) = text.get(start + START.len()..end) else {
        return Vec::new();
    };
    let block = trim(block);
    let read = |json: &str| Value::parse(json).ok().and_then(|value| citations(&value));
    let found = read(block).or_else(|| read(&repaired(block)));
    found
        .unwrap_or_default()
        .iter()
        .map(|citation| citation.key().to_string())
        .collect()
}

fn is_space(char: char) -> bool {
    char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}')
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn repaired(json: &str) -> String {
    let mut text = trim(json).to_owned();
    if let Some(rest) = text.strip_prefix("```") {
        let word = rest.get(..4).unwrap_or_default().to_lowercase() == "json";
        text = rest[if word { 4 } else { 0 }..]
            .trim_start_matches(is_space)
            .to_owned();
    }
    if let Some(rest) = text.strip_suffix("```") {
        text = rest.trim_end_matches(is_space).to_owned();
    }
    text = escapes(&text);
    text = commas(&text);
    let count = |text: &str, sign: char| text.matches(sign).count();
    if text.starts_with('[') && !text.ends_with(']') {
        text += &"]".repeat(count(&text, '[').saturating_sub(count(&text, ']')));
    }
    text += &"}".repeat(count(&text, '{').saturating_sub(count(&text, '}')));
    text
}

/// Removes the backslash of unknown escapes in strings.
fn escapes(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        let close = (chars[at] == '"').then(|| closing(&chars, at)).flatten();
        let Some(close) = close else {
            out.push(chars[at]);
            at += 1;
            continue;
        };
        while at <= close {
            let next = chars.get(at + 1).copied().unwrap_or('"');
            let hex = chars
                .get(at + 2..at + 6)
                .is_some_and(|hex| hex.iter().all(char::is_ascii_hexdigit));
            let known = "\"\\/bfnrt".contains(next) || (next == 'u' && hex);
            if chars[at] != '\\' || known || at == close {
                out.push(chars[at]);
            }
            at += 1;
        }
    }
    out
}

fn closing(chars: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    while at < chars.len() {
        match chars[at] {
            '"' => return Some(at),
            '\\' if at + 1 >= chars.len() || chars[at + 1] == '\n' => return None,
            '\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn commas(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for (at, char) in chars.iter().enumerate() {
        let next = chars[at + 1..].iter().find(|char| !is_space(**char));
        if *char != ',' || !matches!(next, Some(']' | '}')) {
            out.push(*char);
        }
    }
    out
}

fn citations(value: &Value) -> Option<Vec<Citation>> {
    let mut items: Vec<(Option<&str>, &Value)> = Vec::new();
    let grouped = value.as_object().filter(|map| {
        let objects = |value: &Value| matches!(value, Value::Object(_) | Value::Array(_));
        let group = |value: &Value| {
            value
                .as_array()
                .is_some_and(|items| items.iter().all(objects))
        };
        !map.is_empty() && map.iter().all(|(_, value)| group(value))
    });
    match (grouped, value) {
        (Some(groups), _) => {
            for (group, list) in groups.iter() {
                items.extend(list.as_array()?.iter().map(|item| (Some(group), item)));
            }
        }
        (None, Value::Array(list)) => items.extend(list.iter().map(|item| (None, item))),
        (None, item) => items.push((None, item)),
    }
    let mut found = Vec::new();
    for (group, item) in items {
        found.extend(citation(group, item.as_object()?)?);
    }
    Some(found)
}

/// Returns true if a page id may have the long form.
fn is_long_page(id: &str) -> bool {
    id.to_ascii_lowercase().contains("_index_")
}

/// Reads an entry. The outer `None` fails the block, the inner one drops the entry.
fn citation(group: Option<&str>, item: &Map) -> Option<Option<Citation>> {
    let mut fields = Map::new();
    for (name, value) in item.iter() {
        let name = match name {
            "n" => "id",
            "a" | "attachmentId" | "fileId" => "attachment_id",
            "f" | "fullPhrase" | "sourceContext" | "source_context" => "full_phrase",
            "k" | "anchorText" | "sourceMatch" | "source_match" => "anchor_text",
            "p" | "pageId" => "page_id",
            "l" | "lineIds" => "line_ids",
            "t" => "timestamps",
            other => other,
        };
        fields.insert(name.to_owned(), value.clone());
    }
    if !matches!(fields.get("id"), Some(Value::Number(_))) {
        return None;
    }
    // Other values are covered by the vectors, and nothing is expected of them here.
    let strange = |name: &str, plain: fn(&Value) -> bool| {
        let value = fields
            .get(name)
            .filter(|value| !matches!(value, Value::Null));
        value.is_some_and(|value| !plain(value))
    };
    if strange("anchor_text", |value| value.as_str().is_some())
        || strange("timestamps", |value| value.as_object().is_some())
        || strange("page_id", |value| !value.as_str().is_some_and(is_long_page))
    {
        return Some(None);
    }
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        _ => None,
    };
    let Some(phrase) = text("full_phrase").filter(|phrase| !phrase.is_empty()) else {
        return Some(None);
    };
    let mut json = Map::new();
    json.insert("fullPhrase".to_owned(), Value::from(phrase));
    if let Some(anchor) = text("anchor_text") {
        json.insert("anchorText".to_owned(), Value::from(anchor));
    }
    let times = fields
        .get("timestamps")
        .filter(|times| times.as_object().is_some());
    if let Some(times) = times {
        let attachment = text("attachment_id").filter(|id| !id.is_empty());
        json.insert("type".to_owned(), Value::from("audio"));
        if let Some(attachment) = attachment.or(group.map(str::to_owned)) {
            json.insert("attachmentId".to_owned(), Value::from(attachment));
        }
        let time = |short: &str, long: &str| times.get(short).or_else(|| times.get(long)).cloned();
        let mut stamps = Map::new();
        for (name, value) in [
            ("startTime", time("s", "start_time")),
            ("endTime", time("e", "end_time")),
        ] {
            if let Some(value @ Value::String(_)) = value {
                stamps.insert(name.to_owned(), value);
            }
        }
        json.insert("timestamps".to_owned(), Value::Object(stamps));
        return Some(Citation::from_json(&Value::Object(json)));
    }
    match fields.get("page_id") {
        Some(Value::String(id)) => {
            if let Some((page, index)) = id.split_once('_')
                && let (Ok(page), Ok(index)) = (page.parse::<i64>(), index.parse::<i64>())
                && !id.contains(['+', '-'])
            {
                let page = if page == 0 && index == 0 { 1 } else { page };
                json.insert("pageNumber".to_owned(), Value::from(page));
                json.insert(
                    "startPageId".to_owned(),
                    Value::from(format!("page_number_{page}_index_{index}")),
                );
            }
        }
        Some(Value::Number(page)) if page.as_f64() != 0.0 => return None,
        Some(Value::Bool(true) | Value::Array(_) | Value::Object(_)) => return None,
        _ => {}
    }
    match fields.get("line_ids") {
        Some(Value::Array(lines)) => {
            let mut ids: Vec<i64> = Vec::new();
            for line in lines {
                match line {
                    Value::Number(number) => ids.push(number.as_safe_int()?),
                    _ => return Some(None),
                }
            }
            ids.sort_unstable();
            json.insert(
                "lineIds".to_owned(),
                Value::Array(ids.into_iter().map(Value::from).collect()),
            );
        }
        Some(Value::String(text)) if !text.is_empty() => return Some(None),
        _ => {}
    }
    json.insert("type".to_owned(), Value::from("document"));
    Some(Citation::from_json(&Value::Object(json)))
}
