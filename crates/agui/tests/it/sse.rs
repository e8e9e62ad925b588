//! Server-sent events: golden vectors and edge cases.

use std::collections::BTreeSet;

use agui::ReceivedEvent;
use agui::negotiate::Encoding;
use agui::sse::{MAX_PENDING, SseDecoder, SseError, encode_value};
use agui::stream::StreamError;
use json::{Map, Value};
use testkit::vectors::{name, unhex, vectors};

/// Vector with an intended difference.
struct Exception {
    name: &'static str,
    /// JSON list.
    events: &'static str,
    after_each_chunk: &'static [usize],
}

/// The one extension: CR and CRLF end lines too. The reference reads one such event only at the end
/// of the stream, and fails on two. An entry that makes no difference fails the test.
const CR_ENDS_LINES: &[Exception] = &[
    Exception {
        name: "crlf-one",
        events: r#"[{"type":"RAW","event":{"t":"x\ny"}}]"#,
        after_each_chunk: &[1],
    },
    Exception {
        name: "crlf-two",
        events: r#"[{"type":"TEXT_MESSAGE_CONTENT","messageId":"m8_2cb","delta":"beta"},
                    {"type":"TEXT_MESSAGE_CONTENT","messageId":"m9_d8w","delta":"alpha"}]"#,
        after_each_chunk: &[2],
    },
    Exception {
        name: "crlf-two-chunks",
        events: r#"[{"type":"RUN_STARTED","threadId":"T","runId":"R"},
                    {"type":"CUSTOM","name":"w563","value":{"k":"v","n":{"z":[0]}}}]"#,
        after_each_chunk: &[1, 2],
    },
    Exception {
        name: "cr-only",
        events: r#"[{"type":"RAW","event":{"t":"σίγμα"}},
                    {"type":"TEXT_MESSAGE_CONTENT","messageId":"m13_q5b","delta":"漢字"}]"#,
        after_each_chunk: &[2],
    },
    Exception {
        name: "cr-only-one",
        events: r#"[{"type":"RAW","event":{"t":"σίγμα"}}]"#,
        after_each_chunk: &[1],
    },
    Exception {
        name: "crlf-then-lf",
        events: r#"[{"type":"TEXT_MESSAGE_CONTENT","messageId":"m16_x21","delta":"漢字"},
                    {"type":"CUSTOM","name":"w369","value":true}]"#,
        after_each_chunk: &[1, 2],
    },
];

/// Result of decoding in the form of a vector.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    events: Value,
    after_each_chunk: Vec<usize>,
    error: Option<&'static str>,
}

/// Decodes the chunks with this decoder.
fn read_with(mut decoder: SseDecoder, chunks: &[&[u8]]) -> Outcome {
    let mut events = Vec::new();
    let mut error = None;
    let mut drain = |decoder: &mut SseDecoder| {
        while let Some(event) = decoder.next_event() {
            match event {
                Ok(event) => events.push(Value::parse(&event.text()).expect("an event is JSON")),
                Err(fault) => error = Some(StreamError::from(fault).rule()),
            }
        }
        events.len()
    };
    let mut after_each_chunk = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        after_each_chunk.push(drain(&mut decoder));
    }
    decoder.finish();
    drain(&mut decoder);
    Outcome {
        events: Value::Array(events),
        after_each_chunk,
        error,
    }
}

fn read(chunks: &[&[u8]]) -> Outcome {
    read_with(SseDecoder::new(), chunks)
}

pub(crate) fn of_kind(kind: &str) -> Vec<Value> {
    let vectors: Vec<Value> = vectors("sse.public.json")
        .into_iter()
        .filter(|vector| vector["kind"].as_str() == Some(kind))
        .collect();
    assert!(!vectors.is_empty(), "there are vectors of kind {kind}");
    vectors
}

fn count(value: &Value) -> usize {
    value.to_json().parse().expect("a count")
}

fn chunks(vector: &Value) -> Vec<Vec<u8>> {
    let Some(recipe) = vector.get("generate") else {
        let chunks = vector["chunks_hex"].as_array().expect("chunks");
        let bytes = |chunk: &Value| unhex(chunk.as_str().expect("hexadecimal digits"));
        return chunks.iter().map(bytes).collect();
    };
    let prefix = recipe["prefix"].as_str().expect("a prefix");
    let fill = recipe["fill"].as_str().expect("a fill");
    let total = count(&recipe["total_chars"]);
    vec![filled(prefix, fill, total).into_bytes()]
}

/// Returns a text with this number of UTF-16 units.
fn filled(prefix: &str, fill: &str, total: usize) -> String {
    let length = |text: &str| text.encode_utf16().count();
    let rest = total - length(prefix);
    assert_eq!(rest % length(fill), 0, "the fill fits");
    format!("{prefix}{}", fill.repeat(rest / length(fill)))
}

fn recorded(vector: &Value) -> Outcome {
    let counts = vector["events_after_each_chunk"].as_array();
    let error = vector["error"].as_str().map(|error| match error {
        "invalid-json" => "invalid-json",
        "not-an-object" => "not-an-object",
        "no-type" => "no-type",
        "too-large" => "too-large",
        other => panic!("unknown error {other}"),
    });
    let completed = vector["completed"] == Value::Bool(true);
    assert_eq!(completed, error.is_none(), "{}", name(vector));
    Outcome {
        events: vector["events"].clone(),
        after_each_chunk: counts.expect("counts").iter().map(count).collect(),
        error,
    }
}

#[test]
fn decoding_equals_the_vectors() {
    let mut used = BTreeSet::new();
    for vector in of_kind("parse") {
        let chunks = chunks(&vector);
        let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let name = name(&vector);
        let mut expected = recorded(&vector);
        if let Some(exception) = CR_ENDS_LINES.iter().find(|known| known.name == name) {
            let ours = Outcome {
                events: Value::parse(exception.events).expect("a list of events"),
                after_each_chunk: exception.after_each_chunk.to_vec(),
                error: None,
            };
            assert_ne!(ours, expected, "{name} is no exception any more");
            expected = ours;
            used.insert(exception.name);
        }
        assert_eq!(read(&chunks), expected, "{name}");
        // Any content type but exactly protobuf's means SSE.
        if let Some(content_type) = vector.get("content_type") {
            assert_eq!(
                Encoding::from_content_type(content_type.as_str()),
                Encoding::Sse
            );
        }
    }
    let known: BTreeSet<&str> = CR_ENDS_LINES.iter().map(|known| known.name).collect();
    assert_eq!(used, known, "an exception that no vector needs is stale");
}

/// Decodes the vectors in two chunks, split at every byte: only the time of events may differ.
#[test]
fn chunk_boundaries_do_not_matter() {
    for vector in of_kind("parse") {
        if vector.get("generate").is_some() {
            continue;
        }
        let stream = chunks(&vector).concat();
        let whole = read(&[&stream]);
        for at in 0..=stream.len() {
            let (start, end) = stream.split_at(at);
            let cut = read(&[start, end]);
            let same = cut.events == whole.events && cut.error == whole.error;
            assert!(
                same,
                "{} cut at {at}: {cut:?} instead of {whole:?}",
                name(&vector)
            );
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes).events, whole.events, "{}", name(&vector));
    }
}

fn members(value: &Value) -> Map {
    value.as_object().expect("an object").clone()
}

/// Returns the JSON of a frame of one data line and a blank line.
fn payload(frame: &str) -> Value {
    let line = frame.strip_prefix("data: ").expect("a data line");
    let json = line.strip_suffix("\n\n").expect("a blank line at the end");
    assert!(!json.contains(['\n', '\r']), "one line: {json:?}");
    Value::parse(json).expect("JSON")
}

#[test]
fn encoding_equals_the_vectors() {
    for vector in of_kind("emit") {
        let mut frame = String::new();
        encode_value(members(&vector["event"]), &mut frame);
        let theirs = vector["sse"].as_str().expect("a frame");
        assert_eq!(payload(&frame), payload(theirs), "{}", name(&vector));
    }
}

#[test]
fn limit_counts_utf16_units() {
    // One, one, one and two UTF-16 units; one, two, three and four bytes.
    for fill in ["x", "é", "漢", "🙂"] {
        for prefix in ["data: ", "data:  "] {
            let units = fill.encode_utf16().count();
            if !(MAX_PENDING - prefix.len()).is_multiple_of(units) {
                continue;
            }
            let most = filled(prefix, fill, MAX_PENDING);
            let outcome = read(&[most.as_bytes()]);
            assert_eq!(outcome.error, Some("invalid-json"), "{fill}: it ends first");
            let more = format!("{most}y");
            let outcome = read(&[more.as_bytes()]);
            assert_eq!(outcome.error, Some("too-large"), "{fill}");
        }
    }
}

#[test]
fn limit_applies_to_unfinished_events() {
    let limited = |chunks: &[&[u8]]| read_with(SseDecoder::with_limit(40), chunks);
    let event = r#"data: {"type":"RAW","event":"0123456789012345678901234567890123456789"}"#;
    let frame = format!("{event}\n\n");
    // Complete in one chunk: never unfinished.
    let outcome = limited(&[frame.as_bytes(), frame.as_bytes()]);
    assert_eq!(
        (outcome.after_each_chunk, outcome.error),
        (vec![1, 2], None)
    );
    // Complete only in the second chunk.
    let (start, end) = frame.as_bytes().split_at(41);
    let outcome = limited(&[start, end]);
    assert_eq!(
        (outcome.after_each_chunk, outcome.error),
        (vec![0, 0], Some("too-large"))
    );
    let (start, end) = frame.as_bytes().split_at(40);
    let outcome = limited(&[start, end]);
    assert_eq!(
        (outcome.after_each_chunk, outcome.error),
        (vec![0, 1], None)
    );
    // Byte by byte: the count continues across multi-byte characters.
    for (text, error) in [
        (filled("data: ", "🙂", 40), "invalid-json"),
        (filled("data: ", "🙂", 40) + "x", "too-large"),
        (filled(": ", "é", 41), "too-large"),
    ] {
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(limited(&bytes).error, Some(error), "{text}");
    }
    // Events before the error are returned, and none after it.
    let long = format!("data: {{\"type\":\"A\"}}\n\n{}", "x".repeat(41));
    let outcome = limited(&[long.as_bytes(), b"\n\ndata: {\"type\":\"B\"}\n\n"]);
    assert_eq!(
        (outcome.after_each_chunk, outcome.error),
        (vec![1, 1], Some("too-large"))
    );
    let error = SseError::TooLarge { limit: 40 };
    assert_eq!(error.to_string(), "an event is longer than 40 characters");
}

fn types(outcome: &Outcome) -> Vec<&str> {
    let events = outcome.events.as_array().expect("a list");
    let kind = |event: &'_ Value| event.get("type").and_then(Value::as_str).map(str::len);
    assert!(events.iter().all(|event| kind(event) == Some(1)));
    events
        .iter()
        .map(|event| event["type"].as_str().expect("a type"))
        .collect()
}

#[test]
fn line_ends_may_be_mixed_and_split() {
    let ends = ["\n", "\r\n", "\r"];
    let a = r#"data: {"type":"A"}"#;
    let b = r#"data: {"type":"B"}"#;
    for first in ends {
        for blank in ends {
            for (between, last) in ends.iter().flat_map(|end| ends.map(|last| (end, last))) {
                // CR and LF together are one line end, without a blank line between them.
                if format!("{first}{blank}") == "\r\n" {
                    continue;
                }
                let stream = format!("{a}{first}{blank}: x{between}{b}{last}{last}");
                for at in 0..=stream.len() {
                    for next in at..=stream.len() {
                        let bytes = stream.as_bytes();
                        let outcome = read(&[&bytes[..at], &bytes[at..next], &bytes[next..]]);
                        assert_eq!(outcome.error, None, "{stream:?} cut at {at} and {next}");
                        assert_eq!(types(&outcome), ["A", "B"], "{stream:?} at {at} and {next}");
                    }
                }
            }
        }
    }
}

#[test]
fn lf_after_a_split_cr_is_ignored() {
    // The event is complete with the second CR. The following LF is not a blank line, which would
    // split the next event.
    let chunks: [&[u8]; 4] = [
        b"data: {\"type\":\"A\"}\r\n\r",
        b"",
        b"\ndata: {\"type\":",
        b"\"B\"}",
    ];
    let outcome = read(&chunks);
    assert_eq!(outcome.after_each_chunk, [1, 1, 1, 1]);
    assert_eq!(types(&outcome), ["A", "B"]);
    // Only the first LF is ignored.
    let outcome = read(&[
        b"data: {\"type\":\"A\",\r",
        b"\ndata: \"x\":1}\r\r",
        b"\n\n",
    ]);
    assert_eq!((outcome.error, types(&outcome)), (None, vec!["A"]));
}

#[test]
fn byte_order_mark_is_removed_once() {
    let event = "data: {\"type\":\"A\"}\n\n";
    for (start, expected) in [
        ("\u{feff}", 1),
        ("", 1),
        ("\u{feff}\u{feff}", 0),
        ("\n\u{feff}", 0),
        ("\u{fffe}", 0),
    ] {
        let stream = format!("{start}{event}");
        for at in 0..=stream.len() {
            for next in at..=stream.len() {
                let bytes = stream.as_bytes();
                let outcome = read(&[&bytes[..at], &bytes[at..next], &bytes[next..]]);
                assert_eq!(
                    types(&outcome).len(),
                    expected,
                    "{stream:?} at {at} and {next}"
                );
            }
        }
    }
    // Only a mark, or a part of one.
    for length in 0..=3 {
        let outcome = read(&[&"\u{feff}".as_bytes()[..length]]);
        assert_eq!((outcome.error, types(&outcome).len()), (None, 0));
    }
}

/// Invalid and valid UTF-8.
const BROKEN: &[&[u8]] = &[
    b"\xff",
    b"\xc3\x28",
    b"\xe6\xbc",
    b"\xe6\xbc\xe6\xbc\xa2",
    b"\xf0\x9f\x99",
    b"\xf0\x9f\x99\xf0\x9f\x99\x82",
    b"\xf0\x9f",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\x80\x80",
    b"\xe0\x80\xaf",
    b"\xc3\xa9\xc3",
    b"\xef\xbf\xbd\xef\xbf",
    b"\xef\xbb\xbf",
    b"\xf1\x80\xc0\x80\xe1\x80\xe2\xf0\x91\x92\xf1\xbf",
];

#[test]
fn invalid_utf8_is_replaced_at_any_chunk_boundary() {
    let (start, end) = (&b"data: {\"type\":\""[..], &b"z\"}\n\n"[..]);
    for broken in BROKEN {
        let stream = [start, broken, end].concat();
        let expected = String::from_utf8_lossy(&[broken, &b"z"[..]].concat()).into_owned();
        let whole = read(&[&stream]);
        assert_eq!(whole.events.as_array().map(<[_]>::len), Some(1));
        for at in 0..=stream.len() {
            for next in at..=stream.len() {
                let mut decoder = SseDecoder::new();
                let mut found = Vec::new();
                for chunk in [&stream[..at], &stream[at..next], &stream[next..]] {
                    decoder.push(chunk);
                    while let Some(event) = decoder.next_event() {
                        found.push(event.expect("an event"));
                    }
                }
                let names: Vec<&str> = found.iter().map(ReceivedEvent::type_name).collect();
                assert_eq!(names, [&expected], "{broken:x?} cut at {at} and {next}");
                let new = expected.matches('\u{fffd}').count();
                let sent = "\u{fffd}".as_bytes();
                let old = broken.windows(3).filter(|window| *window == sent).count();
                assert_eq!(decoder.replaced(), new - old, "{broken:x?}");
            }
        }
    }
}
