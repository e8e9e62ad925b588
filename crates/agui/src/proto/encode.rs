//! Encoder of events to messages and frames.

use super::encode_json::{ReverseBuffer, UnencodableValue};
use super::oneof::arm_of;
use super::wire_format::{put_varint, varint, varint_len};
use crate::enforce::{RemovedValue, drop_optional_nulls, enforce};
use crate::event::{CommonFields, Event, EventData, EventType, TextRole, ToolRole};
use crate::model::TextOrParts;
use crate::received::{ReceivedEvent, UntypedEvent};
use json::{Map, Value};

/// Result of encoding a received event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeOutcome {
    /// The event was written.
    Written,
    /// The event was written although it violates the schema.
    Invalid,
    /// Nothing was written: the type is unknown, or protobuf cannot express the content.
    Nothing,
}

/// Appends an event as one `ag_ui.Event` message.
///
/// Nothing is appended for an event that nests deeper than [`json::MAX_DEPTH`].
#[inline]
pub fn encode(event: &Event, out: &mut Vec<u8>) {
    if encode_flat(event, out).is_none()
        && let Ok(Value::Object(members)) = Value::parse(&event.to_json())
    {
        // A typed event has only values that can be encoded.
        let _ = encode_members(event.kind(), &members, out);
    }
}

/// Appends an event as one frame: the length in four bytes, big-endian, and the message.
#[inline]
pub fn encode_frame(event: &Event, out: &mut Vec<u8>) {
    framed(out, |out| encode(event, out));
}

/// Appends a received event as one frame.
///
/// Optional members that are `null` and unknown members are left out. An event with wrong values is
/// written as the official encoder writes it, because a receiver may still be able to use it.
pub fn encode_received_frame(event: &ReceivedEvent, out: &mut Vec<u8>) -> EncodeOutcome {
    let UntypedEvent { text, members } = match event {
        ReceivedEvent::Typed(event) => return encode_valid_frame(event, out),
        ReceivedEvent::Untyped(untyped) => untyped,
    };
    let Some(kind) = EventType::from_str(event.type_name()) else {
        return EncodeOutcome::Nothing;
    };
    let mut members = members.clone();
    drop_optional_nulls(&mut members);
    let checked = ReceivedEvent::Untyped(UntypedEvent {
        text: text.clone(),
        members: members.clone(),
    });
    if let Some(event) = valid(checked) {
        return encode_valid_frame(&event, out);
    }
    let mut result = Ok(());
    framed(out, |out| result = encode_members(kind, &members, out));
    match result {
        Ok(()) => EncodeOutcome::Invalid,
        Err(UnencodableValue) => EncodeOutcome::Nothing,
    }
}

fn encode_valid_frame(event: &Event, out: &mut Vec<u8>) -> EncodeOutcome {
    let start = out.len();
    encode_frame(event, out);
    if out.len() == start {
        EncodeOutcome::Nothing
    } else {
        EncodeOutcome::Written
    }
}

/// Returns the event if it is valid except for unknown members.
fn valid(event: ReceivedEvent) -> Option<Event> {
    let mut valid = true;
    let event = enforce(event, |removed| {
        valid &= match removed {
            RemovedValue::Event { .. } => false,
            // Enforcement removes items and outcomes of unknown kinds, which makes the event
            // invalid.
            RemovedValue::Part { kind, path } => {
                let name = path.rsplit('/').next().unwrap_or_default();
                let outcome = matches!(kind, EventType::RunFinished | EventType::SubagentFinished);
                name.parse::<usize>().is_err() && !(outcome && path == "/outcome")
            }
        };
    });
    event.ok().flatten().filter(|_| valid)
}

/// Writes a frame around the bytes that `write` appends; none if it appends nothing.
#[inline]
fn framed(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    let length = out.len() - start - 4;
    if length == 0 {
        out.truncate(start);
        return;
    }
    // Every decoder refuses the greatest length, as it must.
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

fn encode_members(
    kind: EventType,
    members: &Map,
    out: &mut Vec<u8>,
) -> Result<(), UnencodableValue> {
    let list = match kind {
        EventType::MessagesSnapshot => Some("messages"),
        EventType::StateDelta => Some("delta"),
        EventType::ActivityDelta => Some("patch"),
        _ => None,
    };
    // The official encoder iterates over these without a check and throws.
    if let Some(key) = list
        && !matches!(members.get(key), Some(Value::Array(_)))
        && members.get(key).and_then(Value::as_str) != Some("")
    {
        return Err(UnencodableValue);
    }
    let mut back = ReverseBuffer::default();
    back.event(kind, members)?;
    back.finish(out);
    Ok(())
}

/// Writes an event that has only strings besides the common fields; `None` for other events.
#[inline]
fn encode_flat(event: &Event, out: &mut Vec<u8>) -> Option<()> {
    let sub = event.common().subagent_run_id.as_deref();
    match event.data() {
        EventData::TextMessageStart(data) => {
            let role = data.role.map(TextRole::as_str);
            put_flat(
                event,
                [Some(&data.message_id), role, data.name.as_deref(), sub],
                out,
            );
        }
        EventData::TextMessageContent(data) => {
            put_flat(event, [Some(&data.message_id), Some(&data.delta), sub], out);
        }
        EventData::TextMessageEnd(data) => put_flat(event, [Some(&data.message_id), sub], out),
        EventData::TextMessageChunk(data) => {
            let role = data.role.map(TextRole::as_str);
            let (id, delta) = (data.message_id.as_deref(), data.delta.as_deref());
            put_flat(event, [id, role, delta, data.name.as_deref(), sub], out);
        }
        EventData::ToolCallStart(data) => {
            let (id, name) = (Some(&*data.tool_call_id), Some(&*data.tool_call_name));
            put_flat(
                event,
                [id, name, data.parent_message_id.as_deref(), sub],
                out,
            );
        }
        EventData::ToolCallArgs(data) => {
            put_flat(
                event,
                [Some(&data.tool_call_id), Some(&data.delta), sub],
                out,
            );
        }
        EventData::ToolCallEnd(data) => put_flat(event, [Some(&data.tool_call_id), sub], out),
        EventData::ToolCallChunk(data) => {
            let (id, name) = (data.tool_call_id.as_deref(), data.tool_call_name.as_deref());
            let (parent, delta) = (data.parent_message_id.as_deref(), data.delta.as_deref());
            put_flat(event, [id, name, parent, delta, sub], out);
        }
        EventData::ToolCallResult(data) => {
            let TextOrParts::Text(content) = &data.content else {
                return None;
            };
            let (id, call) = (Some(&*data.message_id), Some(&*data.tool_call_id));
            let role = data.role.map(ToolRole::as_str);
            put_flat(event, [sub, id, call, Some(content), role], out);
        }
        EventData::StepStarted(data) => put_flat(event, [Some(&data.step_name), sub], out),
        EventData::StepFinished(data) => put_flat(event, [Some(&data.step_name), sub], out),
        EventData::ReasoningStart(data) => put_flat(event, [sub, Some(&data.message_id)], out),
        EventData::ReasoningMessageStart(data) => {
            put_flat(
                event,
                [sub, Some(&data.message_id), Some(data.role.as_str())],
                out,
            );
        }
        EventData::ReasoningMessageContent(data) => {
            put_flat(event, [sub, Some(&data.message_id), Some(&data.delta)], out);
        }
        EventData::ReasoningMessageEnd(data) => {
            put_flat(event, [sub, Some(&data.message_id)], out);
        }
        EventData::ReasoningMessageChunk(data) => {
            put_flat(
                event,
                [sub, data.message_id.as_deref(), data.delta.as_deref()],
                out,
            );
        }
        EventData::ReasoningEnd(data) => put_flat(event, [sub, Some(&data.message_id)], out),
        EventData::ReasoningEncryptedValue(data) => {
            let (entity, value) = (Some(&*data.entity_id), Some(&*data.encrypted_value));
            put_flat(
                event,
                [sub, Some(data.subtype.as_str()), entity, value],
                out,
            );
        }
        EventData::SubagentError(data) => {
            let (id, message) = (Some(&*data.subagent_run_id), Some(&*data.message));
            put_flat(event, [id, message, data.code.as_deref()], out);
        }
        _ => return None,
    }
    Some(())
}

/// Writes an event with these strings, in the order of its fields.
#[inline]
fn put_flat<const N: usize>(event: &Event, mut texts: [Option<&str>; N], out: &mut Vec<u8>) {
    let (number, arm) = arm_of(event.kind());
    let base = BaseFields::new(arm.number, event.common());
    let mut length = 1 + varint_len(base.len() as u64) + base.len();
    for (field, slot) in arm.shape.fields[1..].iter().zip(&mut texts) {
        if let Some(text) = slot {
            if field.required && text.is_empty() {
                *slot = None;
            } else {
                length += 1 + varint_len(text.len() as u64) + text.len();
            }
        }
    }
    out.reserve(length + 16);
    put_varint((number as u64) << 3 | 2, out);
    put_varint(length as u64, out);
    out.push(1 << 3 | 2);
    put_varint(base.len() as u64, out);
    base.put(out);
    let mut tag = 1 << 3 | 2;
    for text in texts {
        tag += 8;
        if let Some(text) = text {
            out.push(tag);
            put_varint(text.len() as u64, out);
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Encoded common fields of an event.
struct BaseFields {
    /// Type and timestamp: two bytes and at most eleven.
    start: [u8; 13],
    start_len: usize,
    /// Other common fields.
    end: Vec<u8>,
}

impl BaseFields {
    #[inline]
    fn new(number: u8, common: &CommonFields) -> Self {
        let mut base = Self {
            start: [0; 13],
            start_len: 0,
            end: Vec::new(),
        };
        if number != 0 {
            base.start[..2].copy_from_slice(&[1 << 3, number]);
            base.start_len = 2;
        }
        if let Some(timestamp) = common.timestamp {
            let (bytes, length) = varint(timestamp.get().cast_unsigned());
            base.start[base.start_len] = 2 << 3;
            base.start[base.start_len + 1..][..length].copy_from_slice(&bytes[..length]);
            base.start_len += 1 + length;
        }
        if common.raw_event.is_some() || common.metadata.is_some() {
            let mut back = ReverseBuffer::default();
            if let Some(metadata) = &common.metadata
                && let Value::Object(map) = &*metadata.as_json().value()
            {
                back.object(4, map);
            }
            if let Some(raw_event) = &common.raw_event {
                back.value(3, &raw_event.value());
            }
            back.finish(&mut base.end);
        }
        base
    }

    fn len(&self) -> usize {
        self.start_len + self.end.len()
    }

    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start[..self.start_len]);
        out.extend_from_slice(&self.end);
    }
}
