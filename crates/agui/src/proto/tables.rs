//! The messages of `ag_ui.proto` and how their fields map to JSON, as data.
//!
//! Field numbers are positions: the first field of a table is number 1.

/// One field of a message.
#[derive(Debug)]
pub(super) struct Field {
    /// Its key in JSON.
    pub(super) key: &'static str,
    /// `,"key":`
    pub(super) member: &'static str,
    pub(super) kind: Kind,
    /// A string: not written if empty, read as empty if absent. A list: read as `[]` if absent.
    pub(super) required: bool,
}

/// What a field carries.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// The common members of an event.
    Base,
    /// The type of an event, a number; the arm says the same.
    EventType,
    /// A string.
    Text,
    /// A bool.
    Flag,
    /// An int64 that must be a safe integer.
    Int,
    /// The `op` of a patch operation, a number.
    Op,
    /// Any JSON, a `google.protobuf.Value`.
    Json,
    /// An object, a `google.protobuf.Struct`; anything else is not written.
    Object,
    /// An object; anything else is written by its properties, as JavaScript sees them.
    AnyAsObject,
    /// A message.
    Message(&'static Shape),
    /// Messages.
    List(&'static Shape),
    /// Where a medium is: one of [`SOURCES`].
    Source,
    /// The string content of a message.
    MessageText,
    /// The string content of a tool's result.
    ResultText,
    /// Content parts, each one of [`PARTS`].
    Parts,
    /// The object content of an activity.
    ActivityContent,
    /// The `type` of an outcome.
    Outcome,
    /// A list that belongs to the outcome of type `of`; strings if no shape is given.
    OutcomeList {
        of: &'static str,
        items: Option<&'static Shape>,
    },
}

/// How a field is stored on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    /// A varint; the last counts.
    Int,
    /// Bytes; the last counts.
    Last,
    /// Bytes; all count: items of a list, or a message in pieces.
    All,
}

impl Kind {
    #[inline]
    pub(super) const fn storage(self) -> Storage {
        match self {
            Self::EventType | Self::Flag | Self::Int | Self::Op => Storage::Int,
            Self::Text | Self::MessageText | Self::ResultText | Self::Outcome => Storage::Last,
            _ => Storage::All,
        }
    }
}

/// A message.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) fields: &'static [Field],
    /// Whether the official decoder looks for broken bytes in it before it decodes anything.
    pub(super) scanned: bool,
    pub(super) loose: Loose,
}

/// What the official encoder makes of something that should be an object and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loose {
    /// An object without members.
    Empty,
    /// The same, but it fails on `null`.
    EmptyOrFail,
    /// Nothing, unless it is an array.
    Skip,
}

pub(super) const fn scanned(fields: &'static [Field]) -> Shape {
    Shape {
        fields,
        scanned: true,
        loose: Loose::Empty,
    }
}

const fn unscanned(fields: &'static [Field]) -> Shape {
    Shape {
        fields,
        scanned: false,
        loose: Loose::EmptyOrFail,
    }
}

macro_rules! fields {
    ($( $presence:ident $key:literal: $kind:expr ),* $(,)?) => {
        const { &[ $( Field {
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

use Kind::{ActivityContent, Int, Json, List, MessageText, Object, Op, Parts, Source, Text};

/// `BaseEvent`
pub(super) static BASE: Shape = scanned(fields![
    required "type": Kind::EventType,
    optional "timestamp": Int,
    optional "rawEvent": Json,
    optional "metadata": Object,
]);

pub(super) static USAGE: Shape = unscanned(fields![
    optional "provider": Text,
    optional "model": Text,
    optional "inputTokens": Int,
    optional "outputTokens": Int,
    optional "totalTokens": Int,
    optional "reasoningTokens": Int,
    optional "cachedInputTokens": Int,
    optional "cacheWriteInputTokens": Int,
]);

static TEXT_PART: Shape = scanned(fields![
    required "text": Text,
    optional "id": Text,
    optional "metadata": Json,
]);

static MEDIA_PART: Shape = scanned(fields![
    optional "source": Source,
    optional "metadata": Json,
    optional "id": Text,
]);

/// The arms of `InputContent`, by their `type`.
pub(super) static PARTS: [(&str, &Shape); 5] = [
    ("text", &TEXT_PART),
    ("image", &MEDIA_PART),
    ("audio", &MEDIA_PART),
    ("video", &MEDIA_PART),
    ("document", &MEDIA_PART),
];

static DATA_SOURCE: Shape = unscanned(fields![
    required "value": Text,
    required "mimeType": Text,
]);

static URL_SOURCE: Shape = unscanned(fields![
    required "value": Text,
    optional "mimeType": Text,
]);

static FILE_SOURCE: Shape = unscanned(fields![
    required "value": Text,
    optional "provider": Text,
    optional "mimeType": Text,
]);

/// The arms of `InputContentSource`, by their `type`.
pub(super) static SOURCES: [(&str, &Shape); 3] = [
    ("data", &DATA_SOURCE),
    ("url", &URL_SOURCE),
    ("file", &FILE_SOURCE),
];

static FUNCTION: Shape = unscanned(fields![
    required "name": Text,
    required "arguments": Text,
]);

static TOOL_CALL: Shape = scanned(fields![
    required "id": Text,
    required "type": Text,
    optional "function": Kind::Message(&FUNCTION),
    optional "metadata": Object,
    optional "encryptedValue": Text,
]);

pub(super) static MESSAGE: Shape = scanned(fields![
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

/// Where the fields of [`MESSAGE`] are that together make its content.
pub(super) mod message {
    pub(in crate::proto) const ROLE: usize = 1;
    pub(in crate::proto) const TEXT: usize = 2;
    pub(in crate::proto) const PARTS: usize = 7;
    pub(in crate::proto) const ACTIVITY: usize = 12;
}

static TOOL: Shape = scanned(fields![
    required "name": Text,
    required "description": Text,
    optional "parameters": Json,
    optional "metadata": Object,
]);

static CONTEXT: Shape = unscanned(fields![
    required "description": Text,
    required "value": Text,
]);

static RESUME: Shape = scanned(fields![
    required "interruptId": Text,
    required "status": Text,
    optional "payload": Json,
    optional "metadata": Object,
]);

pub(super) static INPUT: Shape = Shape {
    loose: Loose::Skip,
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

pub(super) static INTERRUPT: Shape = Shape {
    loose: Loose::EmptyOrFail,
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

pub(super) static OPERATION: Shape = scanned(fields![
    required "op": Op,
    required "path": Text,
    optional "from": Text,
    optional "value": Json,
]);

/// The names of the `op` numbers.
pub(super) const OPS: [&str; 6] = ["add", "remove", "replace", "move", "copy", "test"];
