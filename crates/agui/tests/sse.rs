//! The SSE wire and the choice of a wire, against the golden vectors and at the edges.

mod common;

use std::collections::BTreeSet;

use agui::RawEvent;
use agui::json::{Map, Value};
use agui::negotiate::Wire;
use agui::sse::{Decoder, MAX_PENDING, SseError, encode_value};
use agui::stream::StreamError;
use common::{name, unhex, vectors};

/// A vector that we answer differently on purpose.
struct Exception {
    name: &'static str,
    /// A JSON list.
    events: &'static str,
    after_each_chunk: &'static [usize],
}

/// The one extension: CR and CRLF end lines too. The reference reads one such event only when the
/// stream ends, and fails on two. Reviewed one by one; an entry that makes no difference fails.
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

/// Headers that get SSE from us and protobuf from the reference: it takes every header that does
/// not exclude protobuf; we want it named, and preferred at least as much as SSE. Reviewed one by
/// one; an entry that makes no difference fails.
const SSE_UNLESS_ASKED: &[&str] = &[
    "*/*",
    "application/*",
    "text/event-stream, application/vnd.ag-ui.event+proto;q=0.1",
    "text/event-stream;q=1, */*;q=0.01",
];

/// What a stream says, in the form of a vector.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    events: Value,
    after_each_chunk: Vec<usize>,
    error: Option<&'static str>,
}

/// Reads the chunks with this decoder.
fn read_with(mut decoder: Decoder, chunks: &[&[u8]]) -> Outcome {
    let mut events = Vec::new();
    let mut error = None;
    let mut drain = |decoder: &mut Decoder| {
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
    read_with(Decoder::new(), chunks)
}

fn of_kind(kind: &str) -> Vec<Value> {
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

/// A text of that many characters, as JavaScript counts them.
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
fn reads_as_the_vectors_say() {
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
        // Whatever the content type is, unless it is exactly protobuf's, it is SSE.
        if let Some(content_type) = vector.get("content_type") {
            assert_eq!(Wire::of_content_type(content_type.as_str()), Wire::Sse);
        }
    }
    let known: BTreeSet<&str> = CR_ENDS_LINES.iter().map(|known| known.name).collect();
    assert_eq!(used, known, "an exception that no vector needs is stale");
}

/// The vectors again, cut at every place: only when events come may differ.
#[test]
fn where_the_vectors_are_cut_does_not_matter() {
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

/// The JSON in a frame, which is one line and a blank one.
fn payload(frame: &str) -> Value {
    let line = frame.strip_prefix("data: ").expect("a data line");
    let json = line.strip_suffix("\n\n").expect("a blank line at the end");
    assert!(!json.contains(['\n', '\r']), "one line: {json:?}");
    Value::parse(json).expect("JSON")
}

#[test]
fn writes_as_the_vectors_say() {
    for vector in of_kind("emit") {
        let mut frame = String::new();
        encode_value(members(&vector["event"]), &mut frame);
        let theirs = vector["sse"].as_str().expect("a frame");
        assert_eq!(payload(&frame), payload(theirs), "{}", name(&vector));
    }
}

#[test]
fn chooses_a_wire_as_the_vectors_say() {
    let mut used = BTreeSet::new();
    for vector in of_kind("negotiate") {
        let accept = vector["accept"].as_str();
        let ours = Wire::negotiate(accept);
        let theirs = vector["content_type"].as_str().expect("a content type");
        match SSE_UNLESS_ASKED
            .iter()
            .find(|known| accept == Some(**known))
        {
            Some(known) => {
                assert_eq!(ours, Wire::Sse, "{}", name(&vector));
                assert_eq!(theirs, Wire::Proto.content_type(), "{known} is stale");
                used.insert(*known);
            }
            None => assert_eq!(ours.content_type(), theirs, "{}", name(&vector)),
        }
    }
    let known: BTreeSet<&str> = SSE_UNLESS_ASKED.iter().copied().collect();
    assert_eq!(used, known, "an exception that no vector needs is stale");
}

#[test]
fn protobuf_is_for_those_who_prefer_it() {
    const PROTO: &str = "application/vnd.ag-ui.event+proto";
    for (accept, wire) in [
        (format!("{PROTO}, text/event-stream"), Wire::Proto),
        (
            format!("text/event-stream;q=0.5, {PROTO};q=0.5"),
            Wire::Proto,
        ),
        (format!("text/event-stream;q=0.6, {PROTO};q=0.5"), Wire::Sse),
        (format!("{PROTO};q=0.9, */*;q=0.1"), Wire::Proto),
        (format!("{PROTO};q=0.1, */*;q=0.9"), Wire::Sse),
        (format!("{PROTO};q=0.5, text/*;q=0.4, */*"), Wire::Proto),
        (format!("{PROTO};q=0"), Wire::Sse),
        (format!(" ,, {PROTO} ; Q=\"0.3\" ,"), Wire::Proto),
        (format!("{PROTO};version=2"), Wire::Sse),
        (format!("{PROTO};q=nan"), Wire::Sse),
        (format!("{PROTO};q=2"), Wire::Sse),
        (format!("x/\"{PROTO}"), Wire::Sse),
        ("text/*".to_owned(), Wire::Sse),
        ("*/*;q=0".to_owned(), Wire::Sse),
        (";;;,,,\"".to_owned(), Wire::Sse),
    ] {
        assert_eq!(Wire::negotiate(Some(&accept)), wire, "{accept}");
    }
}

#[test]
fn the_limit_counts_what_javascript_counts() {
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
fn the_limit_is_for_what_is_unfinished() {
    let limited = |chunks: &[&[u8]]| read_with(Decoder::with_limit(40), chunks);
    let event = r#"data: {"type":"RAW","event":"0123456789012345678901234567890123456789"}"#;
    let frame = format!("{event}\n\n");
    // Complete in one read: never unfinished.
    let outcome = limited(&[frame.as_bytes(), frame.as_bytes()]);
    assert_eq!(
        (outcome.after_each_chunk, outcome.error),
        (vec![1, 2], None)
    );
    // Complete only in the second read.
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
    // Byte by byte: the count goes on where it was, also over characters of several bytes.
    for (text, error) in [
        (filled("data: ", "🙂", 40), "invalid-json"),
        (filled("data: ", "🙂", 40) + "x", "too-large"),
        (filled(": ", "é", 41), "too-large"),
    ] {
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(limited(&bytes).error, Some(error), "{text}");
    }
    // Events before it come out first, and after it nothing does.
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
fn line_ends_may_be_mixed_and_cut() {
    let ends = ["\n", "\r\n", "\r"];
    let a = r#"data: {"type":"A"}"#;
    let b = r#"data: {"type":"B"}"#;
    for first in ends {
        for blank in ends {
            for (between, last) in ends.iter().flat_map(|end| ends.map(|last| (end, last))) {
                // CR and LF together are one end, so that there is no blank line between them.
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
fn an_lf_after_a_cut_belongs_to_the_cr_before_it() {
    // The event is complete with the second CR; the LF after it is no line of its own, or else the
    // next event would be cut in two.
    let chunks: [&[u8]; 4] = [
        b"data: {\"type\":\"A\"}\r\n\r",
        b"",
        b"\ndata: {\"type\":",
        b"\"B\"}",
    ];
    let outcome = read(&chunks);
    assert_eq!(outcome.after_each_chunk, [1, 1, 1, 1]);
    assert_eq!(types(&outcome), ["A", "B"]);
    // Only one LF does.
    let outcome = read(&[
        b"data: {\"type\":\"A\",\r",
        b"\ndata: \"x\":1}\r\r",
        b"\n\n",
    ]);
    assert_eq!((outcome.error, types(&outcome)), (None, vec!["A"]));
}

#[test]
fn a_byte_order_mark_is_removed_once_wherever_it_is_cut() {
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
    // Nothing but a mark, or a part of one.
    for length in 0..=3 {
        let outcome = read(&[&"\u{feff}".as_bytes()[..length]]);
        assert_eq!((outcome.error, types(&outcome).len()), (None, 0));
    }
}

/// Bytes that are no UTF-8, and some that are.
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
fn broken_utf8_is_replaced_wherever_it_is_cut() {
    let (start, end) = (&b"data: {\"type\":\""[..], &b"z\"}\n\n"[..]);
    for broken in BROKEN {
        let stream = [start, broken, end].concat();
        let expected = String::from_utf8_lossy(&[broken, &b"z"[..]].concat()).into_owned();
        let whole = read(&[&stream]);
        assert_eq!(whole.events.as_array().map(<[_]>::len), Some(1));
        for at in 0..=stream.len() {
            for next in at..=stream.len() {
                let mut decoder = Decoder::new();
                let mut found = Vec::new();
                for chunk in [&stream[..at], &stream[at..next], &stream[next..]] {
                    decoder.push(chunk);
                    while let Some(event) = decoder.next_event() {
                        found.push(event.expect("an event"));
                    }
                }
                let names: Vec<&str> = found.iter().map(RawEvent::type_name).collect();
                assert_eq!(names, [&expected], "{broken:x?} cut at {at} and {next}");
                let new = expected.matches('\u{fffd}').count();
                let sent = "\u{fffd}".as_bytes();
                let old = broken.windows(3).filter(|window| *window == sent).count();
                assert_eq!(decoder.replaced(), new - old, "{broken:x?}");
            }
        }
    }
}

/// The bytes of one event that has no end yet, in small pieces, take time in proportion.
#[test]
fn a_long_event_in_small_pieces_takes_linear_time() {
    let read = |length: usize, line: &str| {
        let stream = line.repeat(length / line.len());
        let start = std::time::Instant::now();
        let mut decoder = Decoder::new();
        for chunk in stream.as_bytes().chunks(16) {
            decoder.push(chunk);
            assert!(decoder.next_event().is_none());
        }
        start.elapsed()
    };
    // 16 times as much; a quadratic reader takes 256 times as long. Other programs may disturb, but
    // hardly every time.
    let in_proportion = |line: &str| {
        let most = read(1 << 18, line) * 80 + std::time::Duration::from_millis(50);
        read(1 << 22, line) < most
    };
    for line in [
        "x",
        "é",
        ": comment\n",
        ": comment\r\n",
        "data: 1\r",
        "🙂\n",
    ] {
        assert!((0..5).any(|_| in_proportion(line)), "{line:?}");
    }
}
