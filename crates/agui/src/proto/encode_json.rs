//! Encoder of any event from its JSON members.

use super::coercion;
use super::oneof::arm_of;
use super::schema::{
    BASE, MessageShape, OPS, ObjectCoercion, PARTS, ProtoField, ProtoKind, SOURCES,
};
use super::wire_format::varint;
use crate::event::EventType;
use json::{Map, Value};

/// Error of a value on which the official encoder fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnencodableValue;

/// Wire types of varints, of doubles and of fields with a length.
const VARINT: u64 = 0;
const DOUBLE: u64 = 1;
const BYTES: u64 = 2;

/// Buffer that is written from the last byte to the first. The length of a message is known when it
/// is written, and no byte is moved however deep messages nest.
#[derive(Debug, Default)]
pub(super) struct ReverseBuffer(Vec<u8>);

impl ReverseBuffer {
    /// Appends the bytes in their final order.
    pub(super) fn finish(mut self, out: &mut Vec<u8>) {
        self.0.reverse();
        out.extend_from_slice(&self.0);
    }

    fn varint(&mut self, int: u64) {
        if int < 0x80 {
            self.0.push(int as u8);
            return;
        }
        let (bytes, length) = varint(int);
        self.0.extend(bytes[..length].iter().rev());
    }

    fn tag(&mut self, number: usize, wire_type: u64) {
        self.varint((number as u64) << 3 | wire_type);
    }

    fn raw(&mut self, bytes: &[u8]) {
        let start = self.0.len();
        self.0.extend_from_slice(bytes);
        self.0[start..].reverse();
    }

    fn int(&mut self, number: usize, int: u64) {
        self.varint(int);
        self.tag(number, VARINT);
    }

    fn text(&mut self, number: usize, text: &str) {
        let start = self.0.len();
        self.raw(text.as_bytes());
        self.close(number, start);
    }

    /// Ends a field whose last byte is at `start`.
    fn close(&mut self, number: usize, start: usize) {
        self.varint((self.0.len() - start) as u64);
        self.tag(number, BYTES);
    }

    /// Writes a `Value`.
    pub(super) fn value(&mut self, number: usize, value: &Value) {
        let start = self.0.len();
        match value {
            Value::Null => self.int(1, 0),
            Value::Number(double) => {
                self.raw(&double.as_f64().to_le_bytes());
                self.tag(2, DOUBLE);
            }
            Value::String(text) => self.text(3, text),
            Value::Bool(flag) => self.int(4, u64::from(*flag)),
            Value::Object(map) => self.object(5, map),
            Value::Array(items) => {
                let start = self.0.len();
                for item in items.iter().rev() {
                    self.value(1, item);
                }
                self.close(6, start);
            }
        }
        self.close(number, start);
    }

    /// Writes a `Struct`.
    pub(super) fn object(&mut self, number: usize, map: &Map) {
        let start = self.0.len();
        for (key, value) in coercion::property_order(map).into_iter().rev() {
            let start = self.0.len();
            self.value(2, value);
            if !key.is_empty() {
                self.text(1, key);
            }
            self.close(1, start);
        }
        self.close(number, start);
    }

    /// Writes an event.
    pub(super) fn event(&mut self, kind: EventType, members: &Map) -> Result<(), UnencodableValue> {
        let (number, arm) = arm_of(kind);
        let start = self.0.len();
        self.fields(&arm.shape, 1, Some(members))?;
        let base = self.0.len();
        self.fields(&BASE, 1, Some(members))?;
        if arm.number != 0 {
            self.int(1, u64::from(arm.number));
        }
        self.close(1, base);
        self.close(number, start);
        Ok(())
    }

    /// Writes the fields of a message except the first `skip`. Without members all are undefined.
    fn fields(
        &mut self,
        shape: &MessageShape,
        skip: usize,
        members: Option<&Map>,
    ) -> Result<(), UnencodableValue> {
        for (index, field) in shape.fields.iter().enumerate().skip(skip).rev() {
            let value = members.and_then(|members| members.get(field.key));
            self.field(index + 1, field, value, members)?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        number: usize,
        field: &ProtoField,
        value: Option<&Value>,
        members: Option<&Map>,
    ) -> Result<(), UnencodableValue> {
        match (field.kind, value) {
            (ProtoKind::Text, _) if field.required => self.required_text(number, value),
            (ProtoKind::Text, Some(value)) => self.text(number, &coercion::text(value)),
            (ProtoKind::Flag, Some(value)) => self.int(number, u64::from(coercion::truth(value))),
            (ProtoKind::Int, Some(value)) => {
                let int = coercion::int(value).ok_or(UnencodableValue)?;
                self.int(number, int.cast_unsigned());
            }
            (ProtoKind::Op, value) => self.op(number, value)?,
            (ProtoKind::Json, Some(value)) => self.value(number, value),
            (ProtoKind::Object | ProtoKind::AnyAsObject, Some(Value::Object(map))) => {
                self.object(number, map);
            }
            (ProtoKind::AnyAsObject, Some(value)) => {
                let map = coercion::properties(value).ok_or(UnencodableValue)?;
                self.object(number, &map);
            }
            (ProtoKind::Message(shape), Some(value)) => self.message(number, shape, value)?,
            (ProtoKind::List(shape), Some(value)) => self.list(number, shape, value)?,
            (ProtoKind::Source, Some(Value::Object(source))) => {
                self.chosen(number, &SOURCES, source)?;
            }
            (ProtoKind::Parts, Some(Value::Array(parts))) => {
                for part in parts.iter().rev() {
                    self.part(number, part)?;
                }
            }
            (ProtoKind::MessageText | ProtoKind::ResultText, Some(Value::Array(_)) | None) => {}
            (ProtoKind::MessageText, Some(_)) if is_activity(members) => {}
            (ProtoKind::MessageText | ProtoKind::ResultText, Some(value)) => {
                self.text(number, &coercion::text(value));
            }
            (ProtoKind::ActivityContent, Some(Value::Array(_))) => {}
            (ProtoKind::ActivityContent, content) if is_activity(members) => {
                let content = content.and_then(Value::as_object);
                self.object(number, content.unwrap_or(&Map::new()));
            }
            (ProtoKind::Outcome, Some(outcome)) => {
                if let Some(name) = outcome.get("type").and_then(Value::as_str)
                    && !name.is_empty()
                {
                    self.text(number, name);
                }
            }
            (ProtoKind::OutcomeList { of, items }, _) => {
                let outcome = members.and_then(|members| members.get("outcome")?.as_object());
                let Some(outcome) = outcome.filter(|outcome| has_type(outcome, of)) else {
                    return Ok(());
                };
                match (items, outcome.get(field.key)) {
                    (Some(shape), Some(value)) => self.list(number, shape, value)?,
                    (None, Some(Value::Array(names))) => {
                        for name in names.iter().rev() {
                            self.text(number, &coercion::text(name));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn required_text(&mut self, number: usize, value: Option<&Value>) {
        match value {
            Some(Value::String(text)) if text.is_empty() => {}
            Some(value) => self.text(number, &coercion::text(value)),
            None => self.text(number, "undefined"),
        }
    }

    fn op(&mut self, number: usize, op: Option<&Value>) -> Result<(), UnencodableValue> {
        let name = op
            .and_then(Value::as_str)
            .ok_or(UnencodableValue)?
            .to_uppercase();
        let op = OPS.iter().position(|op| op.eq_ignore_ascii_case(&name));
        match op.ok_or(UnencodableValue)? {
            0 => {}
            op => self.int(number, op as u64),
        }
        Ok(())
    }

    fn message(
        &mut self,
        number: usize,
        shape: &MessageShape,
        value: &Value,
    ) -> Result<(), UnencodableValue> {
        match (shape.coercion, value) {
            (_, Value::Object(_) | Value::Array(_)) | (ObjectCoercion::Empty, _) => {}
            (ObjectCoercion::EmptyOrFail, Value::Null) => return Err(UnencodableValue),
            (ObjectCoercion::EmptyOrFail, _) => {}
            (ObjectCoercion::Skip, _) => return Ok(()),
        }
        let start = self.0.len();
        self.fields(shape, 0, value.as_object())?;
        self.close(number, start);
        Ok(())
    }

    fn list(
        &mut self,
        number: usize,
        shape: &MessageShape,
        value: &Value,
    ) -> Result<(), UnencodableValue> {
        for item in value.as_array().unwrap_or_default().iter().rev() {
            self.message(number, shape, item)?;
        }
        Ok(())
    }

    /// Writes the alternative that the `type` names; nothing if it names none.
    fn chosen(
        &mut self,
        number: usize,
        arms: &[(&str, &MessageShape)],
        members: &Map,
    ) -> Result<(), UnencodableValue> {
        let Some(at) = arms.iter().position(|(name, _)| has_type(members, name)) else {
            return Ok(());
        };
        let start = self.0.len();
        let inner = self.0.len();
        self.fields(arms[at].1, 0, Some(members))?;
        self.close(at + 1, inner);
        self.close(number, start);
        Ok(())
    }

    fn part(&mut self, number: usize, part: &Value) -> Result<(), UnencodableValue> {
        let Value::Object(members) = part else {
            return Ok(());
        };
        if has_type(members, "binary") {
            return match modern(members) {
                Some(part) => self.chosen(number, &PARTS, &part),
                None => Ok(()),
            };
        }
        self.chosen(number, &PARTS, members)
    }
}

fn has_type(members: &Map, name: &str) -> bool {
    members.get("type").and_then(Value::as_str) == Some(name)
}

fn is_activity(message: Option<&Map>) -> bool {
    let role = message.and_then(|message| message.get("role")?.as_str());
    role == Some("activity")
}

/// Converts a part of the retired type `binary` to a document; `None` if it is empty.
fn modern(part: &Map) -> Option<Map> {
    let (kind, value) = [("data", "data"), ("url", "url"), ("url", "id")]
        .into_iter()
        .find_map(|(kind, key)| {
            let value = part.get(key).filter(|value| coercion::truth(value))?;
            Some((kind, value.clone()))
        })?;
    let mut source = Map::from_iter([
        ("type".to_owned(), Value::from(kind)),
        ("value".to_owned(), value),
    ]);
    let mut metadata = Map::from_iter([("legacyBinary".to_owned(), Value::Bool(true))]);
    let copy = |key: &str, target: &mut Map| {
        if let Some(value) = part.get(key) {
            target.insert(key.to_owned(), value.clone());
        }
    };
    copy("mimeType", &mut source);
    copy("filename", &mut metadata);
    copy("id", &mut metadata);
    Some(Map::from_iter([
        ("type".to_owned(), Value::from("document")),
        ("source".to_owned(), Value::Object(source)),
        ("metadata".to_owned(), Value::Object(metadata)),
    ]))
}
