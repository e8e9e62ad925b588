//! Edge cases of the protobuf encoding.

use super::{EncodeOutcome, FrameDecoder, FrameError, ProtoError, decode, encode_received_frame};
use crate::received::{EventReader, ReceivedEvent};
use json::Text;

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn read(json: &str) -> ReceivedEvent {
    EventReader::new()
        .read(Text::from(json))
        .expect("an event can be read")
}

fn frame(event: &ReceivedEvent) -> (EncodeOutcome, Vec<u8>) {
    let mut out = Vec::new();
    let encoded = encode_received_frame(event, &mut out);
    (encoded, out)
}

/// Returns the tag and length of a field.
fn header(number: u8, mut length: usize) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out
}

fn field(number: u8, inside: &[u8]) -> Vec<u8> {
    [&header(number, inside.len()), inside].concat()
}

/// Returns a STATE_SNAPSHOT of a `Value`.
fn snapshot(value: &[u8]) -> Vec<u8> {
    field(7, &[field(1, &[8, 6]), field(2, value)].concat())
}

/// Returns nested arrays around a null.
fn nested(depth: usize) -> Vec<u8> {
    (0..depth).fold(vec![8, 0], |value, _| field(6, &field(1, &value)))
}

#[test]
fn nesting_is_bounded() {
    // The event itself is one level.
    let text = decode(&snapshot(&nested(511))).expect("512 levels are allowed");
    read(&text);
    for depth in [512, 600, 10_000] {
        let error = decode(&snapshot(&nested(depth))).expect_err("deeper is not");
        assert!(matches!(error, ProtoError::Malformed(_)), "{error}");
    }
    let groups = |count| [[0x93, 3].repeat(count), [0x94, 3].repeat(count)].concat();
    let event = bytes("1a070a02080212016d");
    assert!(decode(&[groups(100), event.clone()].concat()).is_ok());
    for count in [101, 1_000_000] {
        assert!(decode(&[groups(count), event.clone()].concat()).is_err());
    }
}

#[test]
fn messages_in_pieces_decode_like_whole_ones() {
    // Nested arrays around a long string, each level split in two pieces.
    let text = field(3, &vec![b'x'; 1 << 20]);
    let decode_with = |piece: &[u8]| {
        let mut starts = Vec::new();
        let mut length = text.len();
        for _ in 0..500 {
            let item = header(1, length);
            let list = header(6, item.len() + length);
            length += piece.len() + list.len() + item.len();
            starts.push([piece, &list, &item].concat());
        }
        starts.reverse();
        let message = snapshot(&[starts.concat(), text.clone()].concat());
        decode(&message).expect("the event is valid")
    };
    let (whole, pieces) = (decode_with(&[]), decode_with(&field(6, &[])));
    assert!(pieces == whole, "an empty piece changes nothing");
}

#[test]
fn numbers_keep_their_value() {
    for (double, json) in [
        (1.5, "1.5"),
        (-0.0, "-0"),
        (3.0, "3"),
        (9_007_199_254_740_991.0, "9007199254740991"),
        (1e300, "1e300"),
        (5e-324, "5e-324"),
        (f64::NAN, "null"),
        (f64::INFINITY, "null"),
    ] {
        let value = [vec![17], f64::to_le_bytes(double).to_vec()].concat();
        let text = decode(&snapshot(&value)).expect("the event is valid");
        let expected = format!(r#"{{"type":"STATE_SNAPSHOT","snapshot":{json}}}"#);
        assert_eq!(text, expected);
    }
}

#[test]
fn duplicate_members_are_written_once() {
    let entry = |key: usize, value| {
        let key = format!("k{key}");
        field(1, &[field(1, key.as_bytes()), field(2, value)].concat())
    };
    let members = 40;
    let mut entries: Vec<u8> = (0..members).flat_map(|key| entry(key, &[32, 0])).collect();
    entries.extend((0..members).rev().flat_map(|key| entry(key, &[32, 1])));
    // An entry without a value is ignored.
    entries.extend(entry(0, &[]));
    let text = decode(&snapshot(&field(5, &entries))).expect("the event is valid");
    assert_eq!(text.matches("true").count(), members);
    assert_eq!(text.matches("false").count(), 0);
    assert!(text.contains(r#"{"k0":true,"k1":true"#), "{text}");
}

#[test]
fn invalid_events_are_written_as_javascript_sees_them() {
    let decoded = |json: &str| {
        let (encoded, framed) = frame(&read(json));
        assert_eq!(encoded, EncodeOutcome::Invalid, "{json}");
        decode(&framed[4..]).expect("it was just written")
    };
    assert_eq!(
        decoded(r#"{"type":"TEXT_MESSAGE_CONTENT","delta":[1,null,{}],"timestamp":"7"}"#),
        r#"{"type":"TEXT_MESSAGE_CONTENT","timestamp":7,"messageId":"undefined","delta":"1,,[object Object]"}"#,
    );
    assert_eq!(
        decoded(
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":1e21,"content":"ab","replace":0}"#
        ),
        r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"1e+21","content":{"0":"a","1":"b"},"replace":false}"#,
    );
    for json in [
        r#"{"type":"STATE_DELTA"}"#,
        r#"{"type":"STATE_DELTA","delta":[{"op":"jump","path":""}]}"#,
        r#"{"type":"RUN_ERROR","message":"","usage":[null]}"#,
        r#"{"type":"RUN_ERROR","message":"","timestamp":1.5}"#,
        r#"{"type":"text_message_end","messageId":""}"#,
    ] {
        assert_eq!(
            frame(&read(json)),
            (EncodeOutcome::Nothing, Vec::new()),
            "{json}"
        );
    }
}

#[test]
fn unknown_members_do_not_reach_the_wire() {
    // `toolCalls` has a field, but users may not have it.
    let json = r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":"","toolCalls":[],"name":null,"x":1}]}"#;
    let (encoded, framed) = frame(&read(json));
    assert_eq!(encoded, EncodeOutcome::Written);
    assert_eq!(
        decode(&framed[4..]).expect("it was just written"),
        r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"u","role":"user","content":""}]}"#,
    );
}

#[test]
fn the_limit_counts_the_header() {
    let event = bytes("0000000c620a0a02080b1201541a0152");
    for (limit, fits) in [(16, true), (15, false)] {
        let mut decoder = FrameDecoder::with_limit(limit);
        // The frame is refused as soon as its length is known.
        decoder.push(&event[..if fits { event.len() } else { 4 }]);
        let result = decoder.next_event().expect("an event or an error");
        assert_eq!(result.is_ok(), fits);
        if let Err(error) = result {
            assert_eq!(error, FrameError::TooLarge { limit });
            decoder.push(&event);
            assert!(decoder.next_event().is_none(), "an error is the end");
        }
    }
}
