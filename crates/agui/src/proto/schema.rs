//! Messages of `ag_ui.proto` and the mapping of their fields to JSON, as data.
//!
//! Field numbers are positions: the first field of a table has number 1.

/// Field of a message.
#[derive(Debug)]
pub(super) struct ProtoField {
    /// Key in JSON.
    pub(super) key: &'static str,
    /// `,"key":`
    pub(super) member: &'static str,
    pub(super) kind: ProtoKind,
    /// For a string: not written if empty, read as empty if absent. For a list: read as `[]` if
    /// absent.
    pub(super) required: bool,
}

/// Content of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum ProtoKind {
    /// Common fields of an event.
    Base,
    /// Type of an event as a number; the `oneof` alternative implies it.
    EventType,
    /// String.
    Text,
    /// Bool.
    Flag,
    /// Int64 that must be a safe integer.
    Int,
    /// `op` of a patch operation as a number.
    Op,
    /// Any JSON, a `google.protobuf.Value`.
    Json,
    /// Object, a `google.protobuf.Struct`; other values are not written.
    Object,
    /// Object; other values are written as their JavaScript properties.
    AnyAsObject,
    /// Message.
    Message(&'static MessageShape),
    /// List of messages.
    List(&'static MessageShape),
    /// Source of media: one of [`SOURCES`].
    Source,
    /// String content of a message.
    MessageText,
    /// String content of a tool result.
    ResultText,
    /// Content parts, each one of [`PARTS`].
    Parts,
    /// Object content of an activity.
    ActivityContent,
    /// `type` of an outcome.
    Outcome,
    /// List that belongs to the outcome of type `of`; strings if there is no shape.
    OutcomeList {
        of: &'static str,
        items: Option<&'static MessageShape>,
    },
}

/// Storage of a field in the wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldStorage {
    /// Varint; the last occurrence counts.
    Int,
    /// Bytes; the last occurrence counts.
    Last,
    /// Bytes; all occurrences count: items of a list, or a message in pieces.
    All,
}

impl ProtoKind {
    #[inline]
    pub(super) const fn storage(self) -> FieldStorage {
        match self {
            Self::EventType | Self::Flag | Self::Int | Self::Op => FieldStorage::Int,
            Self::Text | Self::MessageText | Self::ResultText | Self::Outcome => FieldStorage::Last,
            _ => FieldStorage::All,
        }
    }
}

/// Message.
#[derive(Debug)]
pub(super) struct MessageShape {
    pub(super) fields: &'static [ProtoField],
    /// True if the official decoder checks its bytes before it decodes anything.
    pub(super) scanned: bool,
    pub(super) coercion: ObjectCoercion,
}

/// Coercion of the official encoder for a value that should be an object and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectCoercion {
    /// Object without members.
    Empty,
    /// Object without members; fails on `null`.
    EmptyOrFail,
    /// Nothing, unless the value is an array.
    Skip,
}

pub(super) const fn scanned(fields: &'static [ProtoField]) -> MessageShape {
    MessageShape {
        fields,
        scanned: true,
        coercion: ObjectCoercion::Empty,
    }
}

const fn unscanned(fields: &'static [ProtoField]) -> MessageShape {
    MessageShape {
        fields,
        scanned: false,
        coercion: ObjectCoercion::EmptyOrFail,
    }
}

macro_rules! fields {
    ($( $presence:ident $key:literal: $kind:expr ),* $(,)?) => {
        const { &[ $( ProtoField {
            key: $key,
            member: concat!(",\"", $key, "\":"),
            kind: $kind,
            required: fields!(@ $presence),
        }, )* ] }
    };
    (@ required) => { true };
    (@ optional) => { false };
}

pub(super) use fields;

use ProtoKind::{ActivityContent, Int, Json, List, MessageText, Object, Op, Parts, Source, Text};

/// Message `BaseEvent`.
pub(super) static BASE: MessageShape = scanned(fields![
    required "type": ProtoKind::EventType,
    optional "timestamp": Int,
    optional "rawEvent": Json,
    optional "metadata": Object,
]);

pub(super) static USAGE: MessageShape = unscanned(fields![
    optional "provider": Text,
    optional "model": Text,
    optional "inputTokens": Int,
    optional "outputTokens": Int,
    optional "totalTokens": Int,
    optional "reasoningTokens": Int,
    optional "cachedInputTokens": Int,
    optional "cacheWriteInputTokens": Int,
]);

static TEXT_PART: MessageShape = scanned(fields![
    required "text": Text,
    optional "id": Text,
    optional "metadata": Json,
]);

static MEDIA_PART: MessageShape = scanned(fields![
    optional "source": Source,
    optional "metadata": Json,
    optional "id": Text,
]);

/// Alternatives of `InputContent` by their `type`.
pub(super) static PARTS: [(&str, &MessageShape); 5] = [
    ("text", &TEXT_PART),
    ("image", &MEDIA_PART),
    ("audio", &MEDIA_PART),
    ("video", &MEDIA_PART),
    ("document", &MEDIA_PART),
];

static DATA_SOURCE: MessageShape = unscanned(fields![
    required "value": Text,
    required "mimeType": Text,
]);

static URL_SOURCE: MessageShape = unscanned(fields![
    required "value": Text,
    optional "mimeType": Text,
]);

static FILE_SOURCE: MessageShape = unscanned(fields![
    required "value": Text,
    optional "provider": Text,
    optional "mimeType": Text,
]);

/// Alternatives of `InputContentSource` by their `type`.
pub(super) static SOURCES: [(&str, &MessageShape); 3] = [
    ("data", &DATA_SOURCE),
    ("url", &URL_SOURCE),
    ("file", &FILE_SOURCE),
];

static FUNCTION: MessageShape = unscanned(fields![
    required "name": Text,
    required "arguments": Text,
]);

static TOOL_CALL: MessageShape = scanned(fields![
    required "id": Text,
    required "type": Text,
    optional "function": ProtoKind::Message(&FUNCTION),
    optional "metadata": Object,
    optional "encryptedValue": Text,
]);

pub(super) static MESSAGE: MessageShape = scanned(fields![
    required "id": Text,
    required "role": Text,
    optional "content": MessageText,
    optional "name": Text,
    optional "toolCalls": List(&TOOL_CALL),
    optional "toolCallId": Text,
    optional "error": Text,
    optional "content": Parts,
    optional "metadata": Object,
    optional "subagentRunId": Text,
    optional "encryptedValue": Text,
    optional "activityType": Text,
    optional "content": ActivityContent,
]);

/// Indexes of the fields of [`MESSAGE`] that together form its content.
pub(super) mod message {
    pub(in crate::proto) const ROLE: usize = 1;
    pub(in crate::proto) const TEXT: usize = 2;
    pub(in crate::proto) const PARTS: usize = 7;
    pub(in crate::proto) const ACTIVITY: usize = 12;
}

static TOOL: MessageShape = scanned(fields![
    required "name": Text,
    required "description": Text,
    optional "parameters": Json,
    optional "metadata": Object,
]);

static CONTEXT: MessageShape = unscanned(fields![
    required "description": Text,
    required "value": Text,
]);

static RESUME: MessageShape = scanned(fields![
    required "interruptId": Text,
    required "status": Text,
    optional "payload": Json,
    optional "metadata": Object,
]);

pub(super) static INPUT: MessageShape = MessageShape {
    coercion: ObjectCoercion::Skip,
    ..scanned(fields![
        required "threadId": Text,
        required "runId": Text,
        optional "parentRunId": Text,
        optional "state": Json,
        required "messages": List(&MESSAGE),
        required "tools": List(&TOOL),
        required "context": List(&CONTEXT),
        optional "forwardedProps": Json,
        required "resume": List(&RESUME),
        optional "protocolVersion": Text,
    ])
};

pub(super) static INTERRUPT: MessageShape = MessageShape {
    coercion: ObjectCoercion::EmptyOrFail,
    ..scanned(fields![
        required "id": Text,
        required "reason": Text,
        optional "message": Text,
        optional "toolCallId": Text,
        optional "responseSchema": Json,
        optional "expiresAt": Text,
        optional "metadata": Json,
        optional "subagentRunId": Text,
    ])
};

pub(super) static OPERATION: MessageShape = scanned(fields![
    required "op": Op,
    required "path": Text,
    optional "from": Text,
    optional "value": Json,
]);

/// Names of the `op` numbers.
pub(super) const OPS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];
