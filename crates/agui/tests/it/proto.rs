//! Protobuf encoding: golden vectors and properties.

use agui::proto::{
    EncodeOutcome, FrameDecoder, FrameError, ProtoError, decode, encode, encode_received_frame,
};
use agui::{EventReader, ReceivedEvent};
use json::{Map, Text, Value};
use proptest::prelude::*;

/// Vectors with an intended difference, and the reason.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "unknown-type",
    "the official encoder writes a frame of no bytes, which kills every reader; we write nothing",
)];

fn vectors(kind: &str) -> Vec<Value> {
    let file = Value::parse(include_str!("../data/proto.public.json")).expect("the file is JSON");
    let vectors = file.get("vectors").and_then(Value::as_array);
    let vectors = vectors.expect("the file has vectors").iter();
    let vectors: Vec<_> = vectors
        .filter(|vector| string(vector, "kind") == kind)
        .cloned()
        .collect();
    assert!(!vectors.is_empty(), "there are vectors of kind {kind}");
    vectors
}

fn string<'a>(vector: &'a Value, key: &str) -> &'a str {
    vector.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(vector: &'a Value, key: &str) -> &'a [Value] {
    vector
        .get(key)
        .and_then(Value::as_array)
        .unwrap_or_default()
}

fn exception(name: &str) -> bool {
    EXCEPTIONS.iter().any(|(known, _)| *known == name)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(json: &str) -> ReceivedEvent {
    EventReader::new()
        .read(Text::from(json))
        .expect("an event can be read")
}

fn frame(event: &ReceivedEvent) -> (EncodeOutcome, Vec<u8>) {
    // Existing bytes in the buffer must stay.
    let mut out = vec![7];
    let encoded = encode_received_frame(event, &mut out);
    (encoded, out.split_off(1))
}

#[test]
fn encoding_equals_the_vectors() {
    let mut used = Vec::new();
    for vector in vectors("encode") {
        let name = string(&vector, "name");
        let event = read(&vector.get("event").expect("an event").to_json());
        let (encoded, framed) = frame(&event);
        if exception(name) {
            assert_eq!(
                (encoded, framed),
                (EncodeOutcome::Nothing, Vec::new()),
                "{name}"
            );
            assert_ne!(
                string(&vector, "framed_hex"),
                "",
                "{name} is no exception any more"
            );
            used.push(name.to_owned());
            continue;
        }
        assert_eq!(hex(&framed), string(&vector, "framed_hex"), "{name}");
        assert_eq!(hex(&framed[4..]), string(&vector, "hex"), "{name}");
        let invalid = vector.get("encoded_despite_invalid").is_some();
        let expected = if invalid {
            EncodeOutcome::Invalid
        } else {
            EncodeOutcome::Written
        };
        assert_eq!(encoded, expected, "{name}");
        if let ReceivedEvent::Typed(event) = &event {
            let mut message = Vec::new();
            encode(event, &mut message);
            assert_eq!(message, framed[4..], "{name}");
        }
        check_decoded(name, &vector);
    }
    let known = EXCEPTIONS.map(|(name, _)| name);
    assert_eq!(used, known, "an exception that no vector needs is stale");
}

#[test]
fn decoding_equals_the_vectors() {
    for vector in vectors("decode") {
        check_decoded(string(&vector, "name"), &vector);
    }
}

fn check_decoded(name: &str, vector: &Value) {
    let result = decode(&bytes(string(vector, "hex")));
    match (result, vector.get("decoded")) {
        (Ok(text), Some(decoded)) => {
            assert_eq!(
                &Value::parse(&text).expect("JSON is written"),
                decoded,
                "{name}"
            );
            read(&text);
        }
        (Err(error), None) => {
            assert_eq!(official(error), string(vector, "decode_error"), "{name}");
        }
        (result, _) => panic!("{name}: {result:?}"),
    }
}

/// Returns the official message for an error of ours.
fn official(error: ProtoError) -> String {
    match error {
        ProtoError::UnknownEventType => "unknown-event-type".to_owned(),
        ProtoError::Malformed(_) => "malformed".to_owned(),
        ProtoError::TypeMismatch { carried, declared } => format!(
            "Invalid event: envelope carries {carried} but the base event declares {}",
            declared.map_or("undefined", |declared| declared.as_str()),
        ),
        ProtoError::Invalid(reason) => match reason {
            "a tool result has both string content and parts" => {
                "Invalid event: content carries both string content and content parts"
            }
            "a message has an activity's content, but another role" => {
                "Invalid event: message carries activity content for a non-activity role"
            }
            "a message has content parts, but its role has none" => {
                "Invalid event: message carries content parts for a role that has none"
            }
            "an activity has string content" => {
                "Invalid event: activity content cannot ride with other content forms"
            }
            "a message has both string content and parts" => {
                "Invalid event: message carries both string content and content parts"
            }
            "a message has more than one form of content" => {
                "Invalid event: message carries more than one content form"
            }
            _ => "Invalid event",
        }
        .to_owned(),
    }
}

#[test]
fn frames_equal_the_vectors() {
    for vector in vectors("frames") {
        let name = string(&vector, "name");
        let mut decoder = FrameDecoder::new();
        let (mut events, mut counts, mut error) = (Vec::new(), Vec::new(), None);
        let mut drain = |decoder: &mut FrameDecoder| {
            while let Some(result) = decoder.next_event() {
                match result {
                    Ok(event) => {
                        let event = Value::parse(&event.text());
                        events.push(event.expect("JSON is written"));
                    }
                    Err(problem) => error = Some(problem),
                }
            }
            events.len()
        };
        for chunk in list(&vector, "chunks_hex") {
            decoder.push(&bytes(chunk.as_str().expect("a chunk is a string")));
            counts.push(Value::from(drain(&mut decoder)));
        }
        decoder.finish();
        drain(&mut decoder);
        assert_eq!(events, list(&vector, "events"), "{name}");
        assert_eq!(counts, list(&vector, "events_after_each_chunk"), "{name}");
        let error = error.map_or("", |error| match error {
            FrameError::BadFrame(_) => "bad-frame",
            FrameError::TooLarge { .. } => "too-large",
            FrameError::Truncated { .. } => "truncated-frame",
        });
        assert_eq!(error, string(&vector, "error"), "{name}");
        let dropped = Value::from(decoder.dropped());
        let expected = vector.get("dropped_frames").cloned();
        assert_eq!(dropped, expected.unwrap_or(Value::from(0_i64)), "{name}");
    }
}

/// Grammar of typed events that protobuf can express: `key:kind`, `key?` for an optional member,
/// `*kind` for a list, `+kind` for a non-empty list (an empty one is lost), `=` for one of several
/// strings.
const SHAPES: &str = "
source      type=data value:text mimeType:text
source      type=url value:text mimeType?:text
source      type=file value:text provider?:text mimeType?:text
part        type=text text:text id?:text metadata?:some
part        type=image|audio|video|document source:source id?:text metadata?:some
function    name:text arguments:text
call        id:text type=function function:function encryptedValue?:text metadata?:object
message     id:text role=developer|system content:text name?:text encryptedValue?:text
message     id:text role=assistant content?:text name?:text toolCalls?:+call metadata?:object
message     id:text role=user content:text name?:text subagentRunId?:text
message     id:text role=user content:*part encryptedValue?:text
message     id:text role=tool content:*part toolCallId:text error?:text
message     id:text role=activity activityType:text content:object metadata?:object
message     id:text role=reasoning content:text encryptedValue?:text
operation   op=add|replace|test path:pointer value:any
operation   op=remove path:pointer
operation   op=move|copy from:pointer path:pointer
tool        name:text description:text parameters?:some metadata?:object
context     description:text value:text
resume      interruptId:text status=resolved|cancelled payload?:some metadata?:object
input       threadId:text runId:text protocolVersion?:text parentRunId?:text state?:some \
            messages:*message tools:*tool context:*context forwardedProps?:some resume:*resume
interrupt   id:text reason:text message?:text toolCallId?:text responseSchema?:object \
            expiresAt?:text metadata?:object subagentRunId?:text
outcome     type=success pendingToolCallIds?:+text
outcome     type=interrupt interrupts:+interrupt
outcome     type=cancelled
ended       type=success
ended       type=suspended interruptIds?:+text
usage       provider?:text model?:text inputTokens?:count outputTokens?:count totalTokens?:count \
            reasoningTokens?:count cachedInputTokens?:count cacheWriteInputTokens?:count
event       type=TEXT_MESSAGE_START messageId:text role?=developer|system|assistant|user \
            name?:text subagentRunId?:text
event       type=TEXT_MESSAGE_CONTENT|REASONING_MESSAGE_CONTENT messageId:text delta:text \
            subagentRunId?:text
event       type=TEXT_MESSAGE_END|REASONING_START|REASONING_MESSAGE_END|REASONING_END \
            messageId:text subagentRunId?:text
event       type=TEXT_MESSAGE_CHUNK messageId?:text role?=user|system delta?:text name?:text \
            subagentRunId?:text
event       type=TOOL_CALL_START toolCallId:text toolCallName:text parentMessageId?:text \
            subagentRunId?:text
event       type=TOOL_CALL_ARGS toolCallId:text delta:text subagentRunId?:text
event       type=TOOL_CALL_END toolCallId:text subagentRunId?:text
event       type=TOOL_CALL_CHUNK toolCallId?:text toolCallName?:text parentMessageId?:text \
            delta?:text subagentRunId?:text
event       type=TOOL_CALL_RESULT messageId:text toolCallId:text content:text role?=tool \
            subagentRunId?:text
event       type=TOOL_CALL_RESULT messageId:text toolCallId:text content:*part role?=tool
event       type=STATE_SNAPSHOT snapshot:any subagentRunId?:text
event       type=STATE_DELTA delta:*operation subagentRunId?:text
event       type=MESSAGES_SNAPSHOT messages:*message
event       type=ACTIVITY_SNAPSHOT messageId:text activityType:text content:object \
            replace?:flag subagentRunId?:text
event       type=ACTIVITY_DELTA messageId:text activityType:text patch:*operation \
            subagentRunId?:text
event       type=RAW event:any source?:text subagentRunId?:text
event       type=CUSTOM name:text value:any subagentRunId?:text
event       type=RUN_STARTED threadId:text runId:text protocolVersion?:text parentRunId?:text \
            input?:input
event       type=RUN_FINISHED threadId:text runId:text result?:some outcome?:outcome usage?:+usage
event       type=RUN_ERROR message:text code?:text usage?:+usage
event       type=STEP_STARTED|STEP_FINISHED stepName:text subagentRunId?:text
event       type=REASONING_MESSAGE_START messageId:text role=reasoning subagentRunId?:text
event       type=REASONING_MESSAGE_CHUNK messageId?:text delta?:text subagentRunId?:text
event       type=REASONING_ENCRYPTED_VALUE subtype=tool-call|message entityId:text \
            encryptedValue:text subagentRunId?:text
event       type=SUBAGENT_STARTED subagentRunId:text name:text description?:text \
            parentSubagentRunId?:text parentToolCallId?:text parentMessageId?:text
event       type=SUBAGENT_FINISHED subagentRunId:text result?:some outcome?:ended
event       type=SUBAGENT_ERROR subagentRunId:text message:text code?:text
";

type Json = BoxedStrategy<Value>;

/// Returns a strategy for a kind of `SHAPES`.
fn json(name: &str) -> Json {
    if let Some(item) = name.strip_prefix(['*', '+']) {
        let least = usize::from(name.starts_with('+'));
        let items = proptest::collection::vec(json(item), least..4);
        return items.prop_map(Value::from).boxed();
    }
    match name {
        "text" => prop_oneof!["[a-z]{0,2}", any::<String>()]
            .prop_map(Value::from)
            .boxed(),
        "pointer" => words("/|/a|/a/0|/~0~1|/-"),
        "flag" => any::<bool>().prop_map(Value::from).boxed(),
        "count" => (0..1_i64 << 53).prop_map(Value::from).boxed(),
        "any" => prop_oneof![4 => some(), 1 => Just(Value::Null)].boxed(),
        "some" => some(),
        "object" => members(some()),
        _ => {
            let shapes = SHAPES.lines().filter_map(|line| line.strip_prefix(name));
            let shapes = shapes.filter(|shape| shape.starts_with(' '));
            proptest::strategy::Union::new(shapes.map(object)).boxed()
        }
    }
}

fn words(words: &str) -> Json {
    let words: Vec<_> = words.split('|').map(Value::from).collect();
    proptest::sample::select(words).boxed()
}

/// Returns any JSON but null.
fn some() -> Json {
    let double = any::<f64>().prop_filter("finite", |double| double.is_finite());
    let leaf = prop_oneof![
        json("flag"),
        json("text"),
        any::<i32>().prop_map(|int| Value::from(i64::from(int))),
        double.prop_map(|double| Value::parse(&format!("{double:?}")).expect("a number")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let inner = prop_oneof![4 => inner, 1 => Just(Value::Null)].boxed();
        let items = proptest::collection::vec(inner.clone(), 0..4);
        prop_oneof![items.prop_map(Value::from), members(inner)]
    })
    .boxed()
}

fn members(value: Json) -> Json {
    let key = prop_oneof!["[a-c]", "[0-9]{1,3}", any::<String>()];
    proptest::collection::vec((key, value), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed()
}

fn object(shape: &str) -> Json {
    let members: Vec<_> = shape.split_whitespace().map(member).collect();
    members
        .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
        .boxed()
}

fn member(member: &str) -> BoxedStrategy<Option<(String, Value)>> {
    let at = member
        .find([':', '='])
        .expect("a member has a key and a value");
    let (key, what) = (&member[..at], &member[at + 1..]);
    let value = if member[at..].starts_with('=') {
        words(what)
    } else {
        json(what)
    };
    let name = key.trim_end_matches('?').to_owned();
    let optional = name != key;
    let member = value.prop_map(move |value| Some((name.clone(), value)));
    if optional {
        prop_oneof![Just(None), member].boxed()
    } else {
        member.boxed()
    }
}

fn event() -> Json {
    let common = object("timestamp?:count rawEvent?:some metadata?:object");
    (json("event"), common)
        .prop_map(|(event, common)| {
            let members = [event, common].into_iter().flat_map(|part| match part {
                Value::Object(map) => map,
                _ => Map::new(),
            });
            Value::Object(members.collect())
        })
        .boxed()
}

/// Decodes a stream that is split at these offsets.
fn read_stream(stream: &[u8], cuts: &[usize]) -> Vec<String> {
    let mut decoder = FrameDecoder::new();
    let mut events = Vec::new();
    let mut drain = |decoder: &mut FrameDecoder| {
        while let Some(event) = decoder.next_event() {
            events.push(match event {
                Ok(event) => event.text().to_string(),
                Err(error) => error.to_string(),
            });
        }
    };
    let mut start = 0;
    for &cut in cuts.iter().chain([&stream.len()]) {
        decoder.push(&stream[start..cut]);
        drain(&mut decoder);
        start = cut;
    }
    decoder.finish();
    drain(&mut decoder);
    events
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn encoding_round_trips(json in event()) {
        let event = read(&json.to_json());
        prop_assert!(matches!(event, ReceivedEvent::Typed(_)), "{}", json.to_json());
        let (encoded, framed) = frame(&event);
        prop_assert_eq!(encoded, EncodeOutcome::Written);
        let text = decode(&framed[4..]);
        prop_assert_eq!(Value::parse(&text?)?, json);
    }

    #[test]
    fn frame_chunk_boundaries_do_not_matter(
        events in proptest::collection::vec(event(), 0..6),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
        lost in 0_usize..3,
    ) {
        let mut stream = Vec::new();
        for event in &events {
            encode_received_frame(&read(&event.to_json()), &mut stream);
        }
        stream.truncate(stream.len().saturating_sub(lost));
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let whole = read_stream(&stream, &[]);
        prop_assert_eq!(whole.len(), events.len());
        prop_assert_eq!(read_stream(&stream, &cuts), whole);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        event in event(),
        noise in proptest::collection::vec(any::<u8>(), 0..64),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let _ = decode(&noise);
        read_stream(&noise, &[]);
        let (_, mut framed) = frame(&read(&event.to_json()));
        for (at, byte) in edits {
            let at = at.index(framed.len());
            framed[at] = byte;
        }
        if let Ok(text) = decode(&framed[4..]) {
            read(&text);
        }
        read_stream(&framed, &[framed.len() / 2]);
    }
}
