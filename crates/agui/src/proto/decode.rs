//! Decoder of protobuf messages to JSON text.

use super::ProtoError;
use super::decode_flat::decode_flat;
use super::oneof::{ARMS, EventArm, RESULT_PARTS};
use super::schema::{
    BASE, FieldStorage, MessageShape, OPS, PARTS, ProtoField, ProtoKind, SOURCES, message,
};
use super::struct_value::{FieldSlot, UnreadValue, check_varint, write_object, write_text};
use super::wire_format::{FieldCursor, FieldPayload, is_newer_event};
use crate::model::Role;
use json::typed::SafeInt;
use json::write_int;

/// Maximum number of fields of a message.
const MAX_FIELDS: usize = 13;

/// Received data of each field of one message.
type Slots<'a> = [FieldSlot<'a>; MAX_FIELDS];

/// Decodes one `ag_ui.Event` message to JSON text.
///
/// Decoding does not validate: the text has the content of the message, and enforcement checks it.
pub fn decode(message: &[u8]) -> Result<String, ProtoError> {
    let mut out = String::with_capacity(message.len() + 64);
    decode_into(message, &mut out)?;
    Ok(out)
}

/// Appends the JSON text of one message; nothing on an error.
#[inline]
pub(super) fn decode_into(message: &[u8], out: &mut String) -> Result<(), ProtoError> {
    let start = out.len();
    if decode_flat(message, out).is_some() {
        return Ok(());
    }
    out.truncate(start);
    let result = read_event(message, out);
    if result.is_err() {
        out.truncate(start);
    }
    result
}

/// Decodes any event.
fn read_event(bytes: &[u8], out: &mut String) -> Result<(), ProtoError> {
    let (arm, pieces) = read_envelope(bytes)?;
    let slots = collect(&arm.shape, pieces.pieces())?;
    let base = collect(&BASE, slots[0].pieces())?;
    out.push_str(arm.opening);
    write_members(&BASE, &base, out, 1)?;
    write_members(&arm.shape, &slots, out, 1)?;
    out.push('}');
    // Malformed bytes are reported first, as in the official decoder.
    if slots[0].is_absent() {
        return Err(ProtoError::Invalid("it has no base event"));
    }
    // Enums are read as 32 bits.
    let declared = base[0].int() as u32;
    if declared == u32::from(arm.number) {
        return Ok(());
    }
    let declared = ARMS.iter().find(|arm| u32::from(arm.number) == declared);
    Err(ProtoError::TypeMismatch {
        carried: arm.kind,
        declared: declared.map(|arm| arm.kind),
    })
}

/// Finds the event in the `oneof`.
fn read_envelope(bytes: &[u8]) -> Result<(&'static EventArm, FieldSlot<'_>), ProtoError> {
    let (mut seen, mut pieces) = (None, FieldSlot::Absent);
    let mut cursor = FieldCursor::new(bytes, true);
    while let Some((number, payload)) = cursor.next()? {
        let Some(arm) = ARMS.get(number as usize - 1) else {
            continue;
        };
        let (_, first) = *seen.get_or_insert((arm, number));
        if first != number {
            return Err(ProtoError::Invalid("it holds two different events"));
        }
        if let FieldPayload::Bytes(bytes) = payload {
            pieces.push(bytes);
        }
    }
    match seen {
        Some((arm, _)) if !pieces.is_absent() => Ok((arm, pieces)),
        _ if is_newer_event(bytes, |number| ARMS.len() >= number as usize) => {
            Err(ProtoError::UnknownEventType)
        }
        _ => Err(ProtoError::Invalid("it holds no event")),
    }
}

/// Collects the fields of a message by number.
fn collect<'a>(shape: &MessageShape, pieces: &[&'a [u8]]) -> Result<Slots<'a>, ProtoError> {
    let mut slots = Slots::default();
    for piece in pieces {
        let mut cursor = FieldCursor::new(piece, shape.scanned);
        while let Some((number, payload)) = cursor.next()? {
            let at = number as usize - 1;
            let Some(field) = shape.fields.get(at) else {
                continue;
            };
            match (field.kind.storage(), payload) {
                (FieldStorage::Int, FieldPayload::Int(int)) => {
                    let int = check_varint(int)?;
                    if matches!(field.kind, ProtoKind::Int)
                        && SafeInt::new(int.cast_signed()).is_none()
                    {
                        return Err(ProtoError::Malformed("an integer is beyond ±(2^53−1)"));
                    }
                    slots[at] = FieldSlot::Int(int);
                }
                (FieldStorage::Last, FieldPayload::Bytes(bytes)) => {
                    slots[at] = FieldSlot::One(bytes);
                }
                (FieldStorage::All, FieldPayload::Bytes(bytes)) => slots[at].push(bytes),
                // A known number with another wire type is an unknown field.
                _ => {}
            }
        }
    }
    Ok(slots)
}

/// Finds the alternative of a content part or a source.
///
/// Two alternatives in one piece are an error; in a later piece they replace the earlier one, as
/// protobuf merges messages.
fn choose<'a>(
    arms: &'static [(&'static str, &'static MessageShape)],
    pieces: &[&'a [u8]],
) -> Result<Option<(&'static str, &'static MessageShape, FieldSlot<'a>)>, ProtoError> {
    let (mut chosen, mut slot) = (None, FieldSlot::Absent);
    for piece in pieces {
        let mut seen = None;
        let mut cursor = FieldCursor::new(piece, true);
        while let Some((number, payload)) = cursor.next()? {
            let at = number as usize - 1;
            let FieldPayload::Bytes(bytes) = payload else {
                continue;
            };
            if at >= arms.len() {
                continue;
            }
            if *seen.get_or_insert(at) != at {
                return Err(ProtoError::Invalid("a content part is two things at once"));
            }
            if chosen != Some(at) {
                (chosen, slot) = (Some(at), FieldSlot::Absent);
            }
            slot.push(bytes);
        }
    }
    Ok(chosen.map(|at| (arms[at].0, arms[at].1, slot)))
}

fn write_key(field: &ProtoField, out: &mut String) {
    out.push_str(&field.member[usize::from(out.ends_with('{'))..]);
}

/// Appends the members of an object at nesting depth `depth`.
fn write_members(
    shape: &MessageShape,
    slots: &Slots<'_>,
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    for (field, slot) in shape.fields.iter().zip(slots) {
        match field.kind {
            ProtoKind::Base
            | ProtoKind::EventType
            | ProtoKind::Parts
            | ProtoKind::ActivityContent => {}
            ProtoKind::Op => {
                write_key(field, out);
                write_op(slot, out);
            }
            ProtoKind::Text if slot.is_absent() && field.required => {
                write_key(field, out);
                out.push_str("\"\"");
            }
            ProtoKind::List(items) if field.required || !slot.is_absent() => {
                write_key(field, out);
                write_list(Some(items), slot, out, depth)?;
            }
            ProtoKind::MessageText => write_message_content(field, slots, out, depth)?,
            ProtoKind::ResultText => write_result_content(field, slots, out, depth)?,
            ProtoKind::OutcomeList { items, .. } => {
                // Without an outcome its lists are written separately, and enforcement removes
                // them.
                if !slot.is_absent() && outcome_type(shape, slots).is_none() {
                    write_key(field, out);
                    write_list(items, slot, out, depth)?;
                }
            }
            ProtoKind::Outcome => {
                if outcome_type(shape, slots).is_some() {
                    write_key(field, out);
                    write_outcome(shape, slots, out, depth)?;
                }
            }
            _ if slot.is_absent() => {}
            ProtoKind::Text => {
                write_key(field, out);
                write_last(slot, out);
            }
            ProtoKind::Flag => {
                write_key(field, out);
                out.push_str(if slot.int() != 0 { "true" } else { "false" });
            }
            ProtoKind::Int => {
                write_key(field, out);
                write_int(slot.int().cast_signed(), out);
            }
            ProtoKind::Json => {
                if let Some(value) = UnreadValue::read(slot.pieces())? {
                    write_key(field, out);
                    value.write(out, depth)?;
                }
            }
            ProtoKind::Object | ProtoKind::AnyAsObject => {
                write_key(field, out);
                write_object(slot.pieces(), out, depth)?;
            }
            ProtoKind::Message(shape) => {
                write_key(field, out);
                write_message(shape, slot.pieces(), out, depth)?;
            }
            ProtoKind::Source => {
                if let Some((name, shape, slot)) = choose(&SOURCES, slot.pieces())? {
                    write_key(field, out);
                    write_tagged(name, shape, &collect(shape, slot.pieces())?, out, depth)?;
                }
            }
            // Absent and not required: handled above.
            ProtoKind::List(_) => {}
        }
    }
    Ok(())
}

fn write_message(
    shape: &MessageShape,
    pieces: &[&[u8]],
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    let slots = collect(shape, pieces)?;
    out.push('{');
    write_members(shape, &slots, out, depth + 1)?;
    out.push('}');
    Ok(())
}

/// Appends an object that begins with its `type`.
fn write_tagged(
    name: &str,
    shape: &MessageShape,
    slots: &Slots<'_>,
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    out.push_str("{\"type\":\"");
    out.push_str(name);
    out.push('"');
    write_members(shape, slots, out, depth + 1)?;
    out.push('}');
    Ok(())
}

/// Appends a list of messages, or of strings if no shape is given.
fn write_list(
    items: Option<&MessageShape>,
    slot: &FieldSlot<'_>,
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    out.push('[');
    for (index, item) in slot.pieces().iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        match items {
            Some(shape) => write_message(shape, &[item], out, depth + 1)?,
            None => write_text(item, out),
        }
    }
    out.push(']');
    Ok(())
}

fn write_last(slot: &FieldSlot<'_>, out: &mut String) {
    write_text(slot.pieces().last().copied().unwrap_or_default(), out);
}

/// Appends the name of an operation. An unknown one is written as its number; enforcement removes
/// such an operation.
fn write_op(slot: &FieldSlot<'_>, out: &mut String) {
    let number = slot.int() as u32;
    out.push('"');
    match OPS.get(number as usize) {
        Some(name) => out.push_str(name),
        None => write_int(i64::from(number.cast_signed()), out),
    }
    out.push('"');
}

/// Returns the type of an outcome; `None` if there is no outcome.
fn outcome_type<'a>(shape: &MessageShape, slots: &Slots<'a>) -> Option<&'a [u8]> {
    let at = shape
        .fields
        .iter()
        .position(|field| matches!(field.kind, ProtoKind::Outcome))?;
    slots[at]
        .pieces()
        .last()
        .copied()
        .filter(|name| !name.is_empty())
}

fn write_outcome(
    shape: &MessageShape,
    slots: &Slots<'_>,
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    let name = outcome_type(shape, slots).unwrap_or_default();
    out.push_str("{\"type\":");
    write_text(name, out);
    for (field, slot) in shape.fields.iter().zip(slots) {
        let ProtoKind::OutcomeList { of, items } = field.kind else {
            continue;
        };
        if !slot.is_absent() || (field.required && name == of.as_bytes()) {
            write_key(field, out);
            write_list(items, slot, out, depth + 1)?;
        }
    }
    out.push('}');
    Ok(())
}

/// Appends the content of a message, which has one of three forms. The role determines the form;
/// for an unknown role it is the one that is present.
fn write_message_content(
    field: &ProtoField,
    slots: &Slots<'_>,
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    let text = &slots[message::TEXT];
    let parts = &slots[message::PARTS];
    let activity = &slots[message::ACTIVITY];
    let forms = [text, parts, activity]
        .iter()
        .filter(|slot| !slot.is_absent())
        .count();
    let role = slots[message::ROLE].pieces().last().copied();
    let role = role.and_then(|role| Role::from_str(std::str::from_utf8(role).ok()?));
    let takes_parts = match role {
        Some(role) => matches!(role, Role::User | Role::Tool),
        None => !parts.is_absent(),
    };
    let reason = match role {
        None if forms > 1 => "a message has more than one form of content",
        Some(_) if !takes_parts && !parts.is_absent() => {
            "a message has content parts, but its role has none"
        }
        Some(role) if role != Role::Activity && !activity.is_absent() => {
            "a message has an activity's content, but another role"
        }
        Some(Role::Activity) if !text.is_absent() => "an activity has string content",
        Some(_) if takes_parts && forms > 1 => "a message has both string content and parts",
        _ => "",
    };
    if !reason.is_empty() {
        return Err(ProtoError::Invalid(reason));
    }
    if !text.is_absent() {
        write_key(field, out);
        write_last(text, out);
    } else if takes_parts {
        write_key(field, out);
        write_parts(parts, out, depth)?;
    } else if !activity.is_absent() {
        write_key(field, out);
        write_object(activity.pieces(), out, depth)?;
    }
    Ok(())
}

fn write_result_content(
    field: &ProtoField,
    slots: &Slots<'_>,
    out: &mut String,
    depth: usize,
) -> Result<(), ProtoError> {
    let (text, parts) = (&slots[RESULT_PARTS - 2], &slots[RESULT_PARTS]);
    if !text.is_absent() && !parts.is_absent() {
        return Err(ProtoError::Invalid(
            "a tool result has both string content and parts",
        ));
    }
    write_key(field, out);
    if text.is_absent() {
        write_parts(parts, out, depth)?;
    } else {
        write_last(text, out);
    }
    Ok(())
}

/// Appends content parts. Parts of unknown kinds are left out, as enforcement would.
fn write_parts(parts: &FieldSlot<'_>, out: &mut String, depth: usize) -> Result<(), ProtoError> {
    out.push('[');
    for part in parts.pieces() {
        let Some((name, shape, slot)) = choose(&PARTS, &[part])? else {
            continue;
        };
        let slots = collect(shape, slot.pieces())?;
        let source = &slots[0];
        if matches!(shape.fields[0].kind, ProtoKind::Source)
            && !source.is_absent()
            && choose(&SOURCES, source.pieces())?.is_none()
        {
            continue;
        }
        if !out.ends_with('[') {
            out.push(',');
        }
        write_tagged(name, shape, &slots, out, depth + 1)?;
    }
    out.push(']');
    Ok(())
}
