//! Random spellings of JSON and random streams.

use agui::proto;
use agui::stream::StreamFormat;
use json::{Map, Value};

use super::{Source, read};

/// Writes JSON text with optional white space and optional escapes.
pub fn spell(source: &mut Source<'_>, value: &Value) -> String {
    let mut out = String::new();
    let plain = !source.one_in(3);
    spell_into(source, value, plain, &mut out);
    out
}

fn push_white_space(source: &mut Source<'_>, plain: bool, out: &mut String) {
    if !plain && source.one_in(4) {
        out.push_str(source.pick(&[" ", "\n", "\t", "\r\n", "  "]));
    }
}

fn spell_into(source: &mut Source<'_>, value: &Value, plain: bool, out: &mut String) {
    push_white_space(source, plain, out);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                spell_into(source, item, plain, out);
            }
            push_white_space(source, plain, out);
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                push_white_space(source, plain, out);
                Value::from(key).write(out);
                push_white_space(source, plain, out);
                out.push(':');
                spell_into(source, value, plain, out);
            }
            push_white_space(source, plain, out);
            out.push('}');
        }
        Value::String(text) if !plain => {
            out.push('"');
            for character in text.chars() {
                spell_character(source, character, out);
            }
            out.push('"');
        }
        other => other.write(out),
    }
    push_white_space(source, plain, out);
}

fn spell_character(source: &mut Source<'_>, character: char, out: &mut String) {
    let must = matches!(character, '"' | '\\' | '\0'..' ');
    // Names of the protocol have no such characters and stay unchanged.
    let may = character == '/' || !character.is_ascii();
    if must || (may && source.one_in(2)) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let upper = source.one_in(2);
            out.push_str(&if upper {
                format!("\\u{unit:04X}")
            } else {
                format!("\\u{unit:04x}")
            });
        }
    } else {
        out.push(character);
    }
}

/// Writes a stream of these events in a random format and style.
pub fn write_stream(source: &mut Source<'_>, events: &[Map]) -> (StreamFormat, Vec<u8>) {
    let texts: Vec<String> = events
        .iter()
        .map(|event| spell(source, &Value::Object(event.clone())))
        .collect();
    match source.below(6) {
        0 => (StreamFormat::Sse, write_sse(source, &texts)),
        1 => {
            let mut out = String::new();
            for text in &texts {
                agui::sse::encode_text(text, &mut out);
            }
            (StreamFormat::Sse, out.into_bytes())
        }
        2 => (StreamFormat::Json, write_json_lines(source, &texts)),
        3 => (
            StreamFormat::Json,
            format!("[{}]", texts.join(",")).into_bytes(),
        ),
        4 => {
            let mut out = String::from("[\n  ");
            out.push_str(&texts.join(",\n  "));
            out.push_str("\n]\n");
            (StreamFormat::Json, out.into_bytes())
        }
        _ => {
            let mut out = Vec::new();
            for text in &texts {
                proto::encode_received_frame(&read(text), &mut out);
            }
            (StreamFormat::Proto, out)
        }
    }
}

fn write_json_lines(source: &mut Source<'_>, texts: &[String]) -> Vec<u8> {
    let mut out = String::new();
    for text in texts {
        out.push_str(text);
        out.push_str(source.pick(&["\n", "\r\n", "", " ", "\n\n"]));
    }
    out.into_bytes()
}

/// Writes SSE with unusual but valid lines.
fn write_sse(source: &mut Source<'_>, texts: &[String]) -> Vec<u8> {
    let mut out = String::from(source.pick(&["", "\u{feff}", "\n", ": x\n\n", "retry: 1\r\n\r\n"]));
    for (at, text) in texts.iter().enumerate() {
        let end = source.pick(&["\n", "\r\n", "\r"]);
        if source.one_in(4) {
            out.push_str(source.pick(&[": x", "id: 1", "event: y", "data", " data: {}"]));
            out.push_str(end);
        }
        // A line break in JSON starts a new data line.
        for line in text.split(['\n', '\r']) {
            out.push_str(source.pick(&["data: ", "data:"]));
            out.push_str(line);
            out.push_str(end);
        }
        if at + 1 < texts.len() || !source.one_in(3) {
            out.push_str(end);
        }
    }
    out.into_bytes()
}

/// Changes up to three bytes.
pub fn damage(source: &mut Source<'_>, stream: &mut Vec<u8>) {
    for _ in 0..source.below(4) {
        if stream.is_empty() {
            return;
        }
        let at = (source.below(256) << 8 | source.below(256)) % stream.len();
        match source.below(4) {
            0 => stream.truncate(at),
            1 => stream[at] = source.byte(),
            2 => drop(stream.remove(at)),
            _ => stream.insert(at, source.pick(b"\0\n\r\"\\{}[],:\x80\xc3\xef\xff ")),
        }
    }
}
