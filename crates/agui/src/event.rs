//! The 31 events.

use std::ops::Range;
use std::sync::Arc;

use crate::json::{Json, JsonObject, Text};
use crate::model::{Messages, RunAgentInput, RunOutcome, SubagentOutcome, TextOrParts, TokenUsage};
use crate::patch::Operation;
use crate::schema::{Field, Schema, optional};
use crate::typed::{Reader, SafeInt, Typed, Unclean, fill, words, write_key, write_member};

words! {
    /// Who a text message is from.
    TextRole {
        /// The developer.
        Developer = "developer",
        /// The system.
        System = "system",
        /// The agent; what an absent role means.
        Assistant = "assistant",
        /// The person.
        User = "user",
    }
}

words! {
    /// The role of reasoning messages.
    ReasoningRole {
        /// The only one there is.
        Reasoning = "reasoning",
    }
}

words! {
    /// The role of tool results.
    ToolRole {
        /// The only one there is.
        Tool = "tool",
    }
}

words! {
    /// What an encrypted value belongs to.
    EncryptedSubtype {
        /// A tool call.
        ToolCall = "tool-call",
        /// A message.
        Message = "message",
    }
}

/// What every event may carry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Common {
    /// Milliseconds since 1970 by habit; the protocol names no unit.
    pub timestamp: Option<SafeInt>,
    /// The provider's own event.
    pub raw_event: Option<Box<Json>>,
    /// Open by key.
    pub metadata: Option<Box<JsonObject>>,
    /// The subagent that produced it; absent means the parent agent. Events about a run as a whole
    /// never have it; the events about a subagent name it in their own data.
    pub subagent_run_id: Option<Text>,
}

impl Common {
    const FIELDS: [Field; 4] = [
        optional("timestamp", &Schema::SafeInt),
        optional("rawEvent", &Schema::NotNull),
        optional("metadata", &Schema::Opaque),
        optional("subagentRunId", &Schema::Text),
    ];

    fn read(
        &mut self,
        reader: &mut Reader<'_>,
        key: &str,
        attributable: bool,
    ) -> Result<(), Unclean> {
        match key {
            "timestamp" => fill(&mut self.timestamp, reader),
            "rawEvent" if reader.peek() != b'n' => fill(&mut self.raw_event, reader),
            "metadata" => fill(&mut self.metadata, reader),
            "subagentRunId" if attributable => fill(&mut self.subagent_run_id, reader),
            _ => Err(Unclean),
        }
    }

    fn write(&self, out: &mut String) {
        write_member("subagentRunId", &self.subagent_run_id, out);
        write_member("timestamp", &self.timestamp, out);
        write_member("rawEvent", &self.raw_event, out);
        write_member("metadata", &self.metadata, out);
    }
}

/// Defines the events: their names, their data, whether they can be attributed to a subagent.
macro_rules! events {
    ($(
        $(#[$meta:meta])*
        $name:ident = $type:literal $( attributable $attributable:literal )? $( as $boxed:ident )? {
            $( $(#[$field_meta:meta])* $field:ident: $field_type:ty = $key:literal ),* $(,)?
        }
    )*) => {
        words! {
            /// The type of an event.
            EventType { $( $(#[$meta])* $name = $type, )* }
        }

        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $name { $( $(#[$field_meta])* pub $field: $field_type, )* }

            impl $name {
                const ATTRIBUTABLE: bool = true $(&& $attributable)?;
                const FIELDS: &'static [Field] = &[ $( Field {
                    key: $key,
                    schema: &<$field_type as Typed>::SCHEMA,
                    required: <$field_type as Typed>::REQUIRED,
                }, )* ];

                /// Reads the members; the type has been read if it is the first (`typed`).
                fn read_into(
                    event: &mut Event,
                    reader: &mut Reader<'_>,
                    mut typed: bool,
                ) -> Result<(), Unclean> {
                    if typed && let EventData::$name(data) = &mut event.data {
                        // Like the last event, as deltas are: every member and nothing else.
                        let start = reader.mark();
                        reader.deeper();
                        let alike = true $( && reader.take_key(concat!(",\"", $key, "\":"))
                            && data.$field.read_over(reader).is_ok() )*;
                        reader.shallower();
                        if alike && reader.closes() {
                            return Ok(());
                        }
                        reader.rewind(start);
                    }
                    let common = &mut event.common;
                    $( let mut $field: Option<$field_type> = None; )*
                    if typed {
                        // Producers write the members in the order of the protocol.
                        reader.deeper();
                        $( if reader.take_key(concat!(",\"", $key, "\":")) {
                            fill(&mut $field, reader)?;
                        } )*
                        reader.shallower();
                    }
                    reader.members_from(typed, |reader, key| match key {
                        $( $key => fill(&mut $field, reader), )*
                        "type" if !typed => {
                            typed = true;
                            reader.skip().map(drop)
                        }
                        _ => common.read(reader, key, Self::ATTRIBUTABLE),
                    })?;
                    event.data = EventData::$name(Self { $( $field: match $field {
                        Some(value) => value,
                        None => <$field_type as Typed>::absent()?,
                    }, )* }.into());
                    reader.end()
                }

                fn write(&self, out: &mut String) {
                    $( write_member($key, &self.$field, out); )*
                }
            }

            impl From<$name> for EventData {
                fn from(data: $name) -> Self {
                    Self::$name(data.into())
                }
            }

            impl From<$name> for Event {
                fn from(data: $name) -> Self {
                    Self::new(data.into())
                }
            }
        )*

        /// What an event says, by type.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventData { $( $(#[$meta])* $name(events!(@payload $name $($boxed)?)), )* }

        impl EventData {
            /// The type of the event.
            pub fn kind(&self) -> EventType {
                match self { $( Self::$name(_) => EventType::$name, )* }
            }

            fn write(&self, out: &mut String) {
                match self { $( Self::$name(data) => data.write(out), )* }
            }
        }

        impl Event {
            fn read_data(
                &mut self,
                kind: EventType,
                reader: &mut Reader<'_>,
                typed: bool,
            ) -> Result<(), Unclean> {
                match kind { $( EventType::$name => $name::read_into(self, reader, typed), )* }
            }
        }

        impl EventType {
            /// The members this type describes beyond the common ones.
            pub(crate) fn fields(self) -> &'static [Field] {
                match self { $( Self::$name => $name::FIELDS, )* }
            }

            /// Whether a `subagentRunId` may say who produced the event.
            pub fn attributable(self) -> bool {
                match self { $( Self::$name => $name::ATTRIBUTABLE, )* }
            }

            /// The members every event of this type may have.
            pub(crate) fn common_fields(self) -> &'static [Field] {
                let fields: &'static [Field] = &Common::FIELDS;
                &fields[..fields.len() - usize::from(!self.attributable())]
            }
        }
    };
    (@payload $name:ident) => { $name };
    // Long and rare: a box keeps the other events small.
    (@payload $name:ident boxed) => { Box<$name> };
}

events! {
    /// A text message begins.
    TextMessageStart = "TEXT_MESSAGE_START" {
        /// Names the message.
        message_id: Text = "messageId",
        /// Who it is from; absent means the assistant.
        role: Option<TextRole> = "role",
        /// A name to show.
        name: Option<Text> = "name",
    }
    /// A text message grows.
    TextMessageContent = "TEXT_MESSAGE_CONTENT" {
        /// The message.
        message_id: Text = "messageId",
        /// What is added; may be empty.
        delta: Text = "delta",
    }
    /// A text message is complete.
    TextMessageEnd = "TEXT_MESSAGE_END" {
        /// The message.
        message_id: Text = "messageId",
    }
    /// A text message without explicit start and end.
    TextMessageChunk = "TEXT_MESSAGE_CHUNK" {
        /// The message; needed to begin one.
        message_id: Option<Text> = "messageId",
        /// Who it is from.
        role: Option<TextRole> = "role",
        /// What is added.
        delta: Option<Text> = "delta",
        /// A name to show.
        name: Option<Text> = "name",
    }
    /// A tool call begins.
    ToolCallStart = "TOOL_CALL_START" {
        /// Names the call.
        tool_call_id: Text = "toolCallId",
        /// The tool.
        tool_call_name: Text = "toolCallName",
        /// The message it belongs to.
        parent_message_id: Option<Text> = "parentMessageId",
    }
    /// A tool call's arguments grow.
    ToolCallArgs = "TOOL_CALL_ARGS" {
        /// The call.
        tool_call_id: Text = "toolCallId",
        /// What is added to the JSON text of the arguments.
        delta: Text = "delta",
    }
    /// A tool call's arguments are complete.
    ToolCallEnd = "TOOL_CALL_END" {
        /// The call.
        tool_call_id: Text = "toolCallId",
    }
    /// A tool call without explicit start and end.
    ToolCallChunk = "TOOL_CALL_CHUNK" {
        /// The call; needed to begin one.
        tool_call_id: Option<Text> = "toolCallId",
        /// The tool; needed to begin one.
        tool_call_name: Option<Text> = "toolCallName",
        /// The message it belongs to.
        parent_message_id: Option<Text> = "parentMessageId",
        /// What is added to the arguments.
        delta: Option<Text> = "delta",
    }
    /// A tool has answered.
    ToolCallResult = "TOOL_CALL_RESULT" {
        /// Names the message that carries the answer.
        message_id: Text = "messageId",
        /// The call it answers.
        tool_call_id: Text = "toolCallId",
        /// The answer.
        content: TextOrParts = "content",
        /// Always `tool`.
        role: Option<ToolRole> = "role",
    }
    /// The whole shared state.
    StateSnapshot = "STATE_SNAPSHOT" {
        /// The state; any JSON, `null` too.
        snapshot: Json = "snapshot",
    }
    /// A change of the shared state.
    StateDelta = "STATE_DELTA" {
        /// A JSON Patch.
        delta: Vec<Operation> = "delta",
    }
    /// The whole conversation.
    MessagesSnapshot = "MESSAGES_SNAPSHOT" attributable false {
        /// Its messages.
        messages: Messages = "messages",
    }
    /// An activity as a whole.
    ActivitySnapshot = "ACTIVITY_SNAPSHOT" {
        /// Names the activity message.
        message_id: Text = "messageId",
        /// Its kind, an open set.
        activity_type: Text = "activityType",
        /// Its content.
        content: JsonObject = "content",
        /// Whether an existing one is replaced; absent means yes.
        replace: Option<bool> = "replace",
    }
    /// A change of an activity.
    ActivityDelta = "ACTIVITY_DELTA" {
        /// The activity message.
        message_id: Text = "messageId",
        /// Its kind.
        activity_type: Text = "activityType",
        /// A JSON Patch of its content.
        patch: Vec<Operation> = "patch",
    }
    /// An event of another system.
    Raw = "RAW" {
        /// The event; any JSON.
        event: Json = "event",
        /// Where it comes from.
        source: Option<Text> = "source",
    }
    /// An event of the application's own.
    Custom = "CUSTOM" {
        /// Its name.
        name: Text = "name",
        /// Any JSON.
        value: Json = "value",
    }
    /// A run begins.
    RunStarted = "RUN_STARTED" attributable false as boxed {
        /// The conversation.
        thread_id: Text = "threadId",
        /// The run.
        run_id: Text = "runId",
        /// The protocol the agent speaks.
        protocol_version: Option<Text> = "protocolVersion",
        /// The run this one branches from.
        parent_run_id: Option<Text> = "parentRunId",
        /// What the run was asked.
        input: Option<Box<RunAgentInput>> = "input",
    }
    /// A run has ended well, or waits.
    RunFinished = "RUN_FINISHED" attributable false as boxed {
        /// The conversation.
        thread_id: Text = "threadId",
        /// The run.
        run_id: Text = "runId",
        /// What it produced.
        result: Option<Json> = "result",
        /// How it ended; absent means success.
        outcome: Option<Box<RunOutcome>> = "outcome",
        /// Tokens used.
        usage: Option<Vec<TokenUsage>> = "usage",
    }
    /// A run has failed.
    RunError = "RUN_ERROR" attributable false {
        /// What went wrong.
        message: Text = "message",
        /// A code for machines.
        code: Option<Text> = "code",
        /// Tokens used.
        usage: Option<Vec<TokenUsage>> = "usage",
    }
    /// A step begins.
    StepStarted = "STEP_STARTED" {
        /// Names the step.
        step_name: Text = "stepName",
    }
    /// A step is done.
    StepFinished = "STEP_FINISHED" {
        /// The step.
        step_name: Text = "stepName",
    }
    /// A span of reasoning begins.
    ReasoningStart = "REASONING_START" {
        /// Names the span.
        message_id: Text = "messageId",
    }
    /// A reasoning message begins.
    ReasoningMessageStart = "REASONING_MESSAGE_START" {
        /// Names the message.
        message_id: Text = "messageId",
        /// Always `reasoning`.
        role: ReasoningRole = "role",
    }
    /// A reasoning message grows.
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT" {
        /// The message.
        message_id: Text = "messageId",
        /// What is added.
        delta: Text = "delta",
    }
    /// A reasoning message is complete.
    ReasoningMessageEnd = "REASONING_MESSAGE_END" {
        /// The message.
        message_id: Text = "messageId",
    }
    /// A reasoning message without explicit start and end.
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK" {
        /// The message; needed to begin one.
        message_id: Option<Text> = "messageId",
        /// What is added.
        delta: Option<Text> = "delta",
    }
    /// A span of reasoning ends.
    ReasoningEnd = "REASONING_END" {
        /// The span.
        message_id: Text = "messageId",
    }
    /// Provider data that belongs to a message or a call.
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE" {
        /// What it belongs to.
        subtype: EncryptedSubtype = "subtype",
        /// Which one.
        entity_id: Text = "entityId",
        /// The data.
        encrypted_value: Text = "encryptedValue",
    }
    /// A subagent begins.
    SubagentStarted = "SUBAGENT_STARTED" attributable false as boxed {
        /// Names its run.
        subagent_run_id: Text = "subagentRunId",
        /// Its name.
        name: Text = "name",
        /// What it does.
        description: Option<Text> = "description",
        /// The subagent that started it.
        parent_subagent_run_id: Option<Text> = "parentSubagentRunId",
        /// The call that started it.
        parent_tool_call_id: Option<Text> = "parentToolCallId",
        /// The message that started it.
        parent_message_id: Option<Text> = "parentMessageId",
    }
    /// A subagent has ended well, or waits.
    SubagentFinished = "SUBAGENT_FINISHED" attributable false {
        /// Its run.
        subagent_run_id: Text = "subagentRunId",
        /// What it produced.
        result: Option<Json> = "result",
        /// How it ended; absent means success.
        outcome: Option<SubagentOutcome> = "outcome",
    }
    /// A subagent has failed.
    SubagentError = "SUBAGENT_ERROR" attributable false {
        /// Its run.
        subagent_run_id: Text = "subagentRunId",
        /// What went wrong.
        message: Text = "message",
        /// A code for machines.
        code: Option<Text> = "code",
    }
}

/// An event that is as the protocol describes it.
#[derive(Debug, Clone)]
pub struct Event {
    common: Common,
    data: EventData,
    /// The JSON as received, if the event was received.
    received: Option<Text>,
    /// Whether `received` says exactly what the event says.
    faithful: bool,
}

impl Event {
    /// An event of our own.
    pub fn new(data: EventData) -> Self {
        Self {
            common: Common::default(),
            data,
            received: None,
            faithful: false,
        }
    }

    /// An event of our own with the common members.
    pub fn with_common(data: impl Into<EventData>, common: Common) -> Self {
        Self {
            common,
            ..Self::new(data.into())
        }
    }

    /// An event that says nothing yet, to be read into.
    pub(crate) fn blank() -> Self {
        Self::new(EventData::TextMessageChunk(TextMessageChunk {
            message_id: None,
            role: None,
            delta: None,
            name: None,
        }))
    }

    /// Becomes what a text says, if it is exactly as described.
    ///
    /// `typed`: the reader stands behind the type, which is the first member. In place, because an
    /// event is long and a result that holds one is moved more often than it is read.
    #[inline]
    pub(crate) fn read_into(
        &mut self,
        kind: EventType,
        reader: &mut Reader<'_>,
        typed: bool,
    ) -> Result<(), Unclean> {
        self.common = Common::default();
        self.read_data(kind, reader, typed)
    }

    /// Remembers the received text, which says the same as the event.
    #[inline]
    pub(crate) fn set_faithful(&mut self, buffer: &Arc<String>, range: Range<usize>) {
        match &mut self.received {
            Some(text) => text.recut(buffer, range),
            None => self.received = Some(Text::cut(buffer, range)),
        }
        self.faithful = true;
    }

    /// Remembers the received text, which does not say the same as the event.
    pub(crate) fn set_received(&mut self, text: Text) {
        self.received = Some(text);
        self.faithful = false;
    }

    /// The type.
    pub fn kind(&self) -> EventType {
        self.data.kind()
    }

    /// What it says.
    pub fn data(&self) -> &EventData {
        &self.data
    }

    /// What every event may carry.
    pub fn common(&self) -> &Common {
        &self.common
    }

    /// Takes the event apart.
    pub fn into_parts(self) -> (EventData, Common) {
        (self.data, self.common)
    }

    /// The JSON as received, before enforcement changed anything.
    pub fn received(&self) -> Option<&Text> {
        self.received.as_ref()
    }

    /// Appends the event as compact JSON: the received text if it says the same.
    pub fn write(&self, out: &mut String) {
        match &self.received {
            Some(text) if self.faithful => out.push_str(text),
            _ => {
                out.push('{');
                write_key("type", out);
                self.data.kind().write(out);
                self.data.write(out);
                self.common.write(out);
                out.push('}');
            }
        }
    }

    /// The event as JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

// An event is moved from stage to stage; keep it within two cache lines and a bit.
const _: () = assert!(size_of::<Event>() <= 136);

/// Two events are equal if they say the same, however they were written.
impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data && self.common == other.common
    }
}
