//! Fast decoder of events that have only string fields.

use super::oneof::{ARMS, EventArm};
use super::wire_format::{take_bytes, take_varint};
use json::typed::SafeInt;
use json::{write_int, write_string};

/// Tag of `base_event`, the first field of every event. The tag of each following field is 8 more.
const BASE_TAG: u8 = 1 << 3 | 2;

/// Decodes an event that has only strings, each field at most once and in order, as every encoder
/// writes it. Returns `None` for any other event, valid or not.
#[inline]
pub(super) fn decode_flat(message: &[u8], out: &mut String) -> Option<()> {
    let mut rest = message;
    let tag = take_varint(&mut rest)?;
    let arm = ARMS.get(usize::try_from(tag >> 3).ok()?.checked_sub(1)?)?;
    let mut body = take_bytes(&mut rest)?;
    if tag & 7 != 2 || !arm.flat || !rest.is_empty() {
        return None;
    }
    out.push_str(arm.opening);
    body = body.strip_prefix(&[BASE_TAG])?;
    read_base(arm, take_bytes(&mut body)?, out)?;
    let mut tag = BASE_TAG;
    for field in &arm.shape.fields[1..] {
        tag += 8;
        let text = if body.first() == Some(&tag) {
            body = &body[1..];
            std::str::from_utf8(take_bytes(&mut body)?).ok()?
        } else if field.required {
            ""
        } else {
            continue;
        };
        out.push_str(field.member);
        write_string(text, out);
    }
    out.push('}');
    body.is_empty().then_some(())
}

/// Decodes the common fields if there is at most a timestamp.
#[inline]
fn read_base(arm: &EventArm, mut base: &[u8], out: &mut String) -> Option<()> {
    let number = match base {
        [8, number, rest @ ..] => {
            base = rest;
            *number
        }
        _ => 0,
    };
    if number != arm.number {
        return None;
    }
    if let [16, rest @ ..] = base {
        base = rest;
        let timestamp = SafeInt::new(take_varint(&mut base)?.cast_signed())?;
        out.push_str(",\"timestamp\":");
        write_int(timestamp.get(), out);
    }
    base.is_empty().then_some(())
}
