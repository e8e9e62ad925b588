//! Broken protobuf frames, random bytes and mutations of valid streams.

use json::Value;

use crate::harness::{
    Differences, RUN_FINISHED, RUN_STARTED, check, data, expect_rejected, in_parallel, jsonl,
    stream, warnings,
};

const STEP: &str = r#"{"type":"STEP_STARTED","stepName":"a"}"#;

/// Returns each event as a frame.
fn frames(events: &[&str]) -> Vec<u8> {
    stream("convert --to proto", jsonl(events)).expect(0).stdout
}

fn frame(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("short");
    [&length.to_be_bytes(), message].concat()
}

/// Event of a type that protocol 1.0 does not define: field 99, a message.
fn future_event() -> Vec<u8> {
    frame(&[0x9a, 0x06, 0x02, 0x08, 0x01])
}

#[test]
fn rejects_truncated_frames() {
    let start = frames(&[RUN_STARTED]);
    let step = frames(&[STEP]);
    for cut in 1..step.len() {
        let input = [&start, &step[..cut]].concat();
        expect_rejected("", input, "decode", 1, "truncated-frame");
    }
}

#[test]
fn rejects_frames_without_an_event() {
    let start = frames(&[RUN_STARTED]);
    let messages: [&[u8]; 7] = [
        b"",
        b"\x00",
        b"hello",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        // A field without a length, and one that is longer than the message.
        b"\x0a",
        b"\x0a\x05\x08",
        // Two events in one message.
        b"\x7a\x00\x82\x01\x00",
    ];
    for message in messages {
        expect_rejected(
            "",
            [start.clone(), frame(message)].concat(),
            "decode",
            1,
            "bad-frame",
        );
    }
    let too_long = [&start[..], &[0x00, 0xff, 0xff, 0xff], b"x"].concat();
    expect_rejected("", too_long, "decode", 1, "too-large");
    expect_rejected(
        "--from proto",
        "{\"type\":\"RAW\"}",
        "decode",
        0,
        "too-large",
    );
}

#[test]
fn rejects_deeply_nested_frames() {
    let field = |tag: u8, bytes: &[u8]| {
        let mut field = vec![tag];
        let mut length = bytes.len();
        while length >= 0x80 {
            field.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
            length >>= 7;
        }
        field.push(u8::try_from(length).expect("seven bits"));
        field.extend(bytes);
        field
    };
    // Nested lists: Value.list_value and ListValue.values.
    let mut value = vec![0x08, 0x00];
    for _ in 0..5_000 {
        value = field(0x32, &field(0x0a, &value));
    }
    // RAW (field 10), its base event of type RAW (9), its `event` (field 2).
    let event = field(
        0x52,
        &[vec![0x0a, 0x02, 0x08, 0x09], field(0x12, &value)].concat(),
    );
    let input = [frames(&[RUN_STARTED]), frame(&event)].concat();
    expect_rejected("", input, "decode", 1, "bad-frame");
}

#[test]
fn drops_unknown_event_types() {
    let input = [
        frames(&[RUN_STARTED]),
        future_event(),
        frames(&[RUN_FINISHED]),
    ]
    .concat();
    let report = check("", &input);
    assert_eq!(report["ok"], Value::Bool(true));
    assert!(
        warnings(&report)
            .iter()
            .any(|(rule, _)| *rule == "unknown-event")
    );
    let events = stream("convert", &input).expect(0);
    assert_eq!(events.text(), jsonl(&[RUN_STARTED, RUN_FINISHED]));
}

#[test]
fn counts_unknown_event_types() {
    let input = [
        frames(&[RUN_STARTED, STEP]),
        future_event(),
        future_event(),
        frames(&[STEP]),
    ]
    .concat();
    let report = check("", &input);
    let named: Vec<_> = warnings(&report)
        .into_iter()
        .filter(|(rule, _)| *rule == "unknown-event")
        .collect();
    assert_eq!(named, [("unknown-event", 2), ("unknown-event", 3)]);
    // The same events in JSON give the same index.
    let unknown = r#"{"type":"FUTURE"}"#;
    let as_json = check("", jsonl(&[RUN_STARTED, STEP, unknown, unknown, STEP]));
    assert_eq!(as_json["error"]["index"], 4usize.into());
    assert_eq!(report["error"]["index"], as_json["error"]["index"]);
    assert_eq!(report["events"], as_json["events"]);
}

#[test]
fn convert_names_the_frames_it_drops() {
    let input = [frames(&[RUN_STARTED]), future_event()].concat();
    let ended = stream("convert", input).expect(0);
    assert!(
        ended.stderr.contains("warning: event 1"),
        "{:?}",
        ended.stderr
    );
}

#[test]
fn warns_about_invalid_utf8_in_frames() {
    let mut step = frames(&[STEP]);
    *step.last_mut().expect("bytes") = 0xff;
    let input = [frames(&[RUN_STARTED]), step].concat();
    assert_eq!(warnings(&check("--strict", input))[0], ("invalid-utf8", 1));
}

#[test]
fn convert_warns_about_events_without_a_protobuf_message() {
    let unknown = r#"{"type":"FUTURE","a":1}"#;
    let ended = stream(
        "convert --to proto",
        jsonl(&[RUN_STARTED, unknown, RUN_FINISHED]),
    )
    .expect(0);
    assert!(
        ended.stderr.contains("event 1") && ended.stderr.contains("FUTURE"),
        "{}",
        ended.stderr
    );
    assert_eq!(
        stream("convert", ended.stdout).text(),
        jsonl(&[RUN_STARTED, RUN_FINISHED])
    );
}

#[test]
fn convert_warns_about_members_without_a_protobuf_field() {
    let events = [
        RUN_STARTED,
        r#"{"type":"STEP_STARTED","stepName":3}"#,
        r#"{"type":"RUN_ERROR","message":"x","extra":1}"#,
    ];
    let ended = stream("convert --to proto", jsonl(&events));
    assert!(
        ended.stderr.contains("event 1"),
        "the wrong value: {:?}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("event 2"),
        "the lost member: {:?}",
        ended.stderr
    );
}

#[test]
fn garbage_does_not_crash() {
    let mut random = Random(7);
    let inputs: Vec<Vec<u8>> = (0..40)
        .map(|length| (0..length * 97).map(|_| random.byte()).collect())
        .collect();
    in_parallel(&inputs, |index, bytes| {
        let mut faults = Differences::new(&format!("garbage {index}"));
        for form in ["", "--from sse", "--from json", "--from proto"] {
            let report = check(form, bytes);
            faults.holds(form, report["events"] == 0usize.into());
            // Random bytes are neither frames nor JSON; as SSE they are ignored lines.
            let refused = !bytes.is_empty() && ["--from json", "--from proto"].contains(&form);
            faults.holds(
                form,
                !refused || report["error"]["stage"].as_str() == Some("decode"),
            );
        }
        faults.found
    });
}

/// Small generator with a fixed seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % below.max(1)
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.next(256)).expect("a byte")
    }

    /// Changes, removes or inserts a few bytes.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        const WORDS: [&[u8]; 10] = [
            b"\"", b"{", b"]", b"null", b"\\u", b"\n\n", b"1e999", b"_CHUNK", b"\xff", b"data: ",
        ];
        for _ in 0..=self.next(4) {
            let at = self.next(bytes.len());
            match self.next(4) {
                0 => bytes[at] = self.byte(),
                1 => drop(bytes.splice(at..at, WORDS[self.next(WORDS.len())].iter().copied())),
                2 => drop(bytes.drain(at..(at + self.next(20)).min(bytes.len()))),
                _ => bytes.truncate(at.max(1)),
            }
        }
    }
}

/// Expects a known exit code, valid JSON and agreement of the commands for any input.
#[test]
fn mutated_streams_do_not_crash() {
    let name = "streams/06_ask_delta_test_escape_custom.sse";
    let sse = std::fs::read(data(name)).expect("a recording");
    let lines = stream("convert", &sse).expect(0).stdout;
    let proto = stream("convert --to proto", &sse).expect(0).stdout;
    let mut random = Random(42);
    let inputs: Vec<Vec<u8>> = (0..150)
        .map(|index| {
            let mut bytes = [&sse, &lines, &proto][index % 3].clone();
            random.mutate(&mut bytes);
            bytes
        })
        .collect();
    in_parallel(&inputs, |index, bytes| {
        let mut faults = Differences::new(&format!("mutation {index}"));
        let report = check("", bytes);
        let folded = stream("fold", bytes);
        faults.same(
            "fold and check agree",
            &folded.json()["error"],
            &report["error"],
        );
        for command in ["expand", "compact", "convert"] {
            let ended = stream(command, bytes);
            faults.holds(command, matches!(ended.code, Some(0 | 1)));
            if report["error"] == Value::Null {
                let again = stream("fold", ended.stdout);
                faults.same(
                    &format!("fold after {command}"),
                    &again.json(),
                    &folded.json(),
                );
            }
        }
        faults.found
    });
}
