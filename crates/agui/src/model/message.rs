//! Messages of a conversation.

use json::string_enum;
use json::typed::{InvalidJson, read_text};
use json::typed::{NotTyped, TypedJson, TypedReader, read_member, write_key, write_member};
use json::typed::{Schema, SchemaField, SchemaUnion, UnionArm, optional, required};
use json::typed_object;
use json::{Json, JsonObject};

use super::content::{ContentPart, TextOrParts};

string_enum! {
    /// Author of a message.
    Role {
        /// Instructions of the developer.
        Developer = "developer",
        /// Instructions of the system.
        System = "system",
        /// Agent.
        Assistant = "assistant",
        /// User.
        User = "user",
        /// Result of a tool.
        Tool = "tool",
        /// Activity beside the text, shown by the frontend.
        Activity = "activity",
        /// Reasoning of the agent.
        Reasoning = "reasoning",
    }
}

/// Message of any role.
///
/// One flat type, because folding can change the role of a message. Reading checks that a message
/// has only the fields of its role.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Id within the thread; may be empty.
    pub id: String,
    /// Author of a message.
    pub role: Role,
    /// Content of the message.
    pub content: Content,
    /// Display name of the author; for developer, system, assistant and user.
    pub name: Option<String>,
    /// Tool calls of an assistant message.
    pub tool_calls: Option<Vec<ToolCall>>,
    /// Id of the call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// Error of a tool message.
    pub error: Option<String>,
    /// Opaque provider data to send back; for all roles but activity.
    pub encrypted_value: Option<String>,
    /// Kind of an activity, an open set.
    pub activity_type: Option<String>,
    /// Subagent that produced the message; absent for the parent agent.
    pub subagent_run_id: Option<String>,
    /// Metadata with arbitrary keys.
    pub metadata: Option<JsonObject>,
}

/// Content of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// No content: an assistant message that only calls tools.
    Absent,
    /// Plain text.
    Text(String),
    /// Content parts.
    Parts(Vec<ContentPart>),
    /// Content of an activity: an object, unless a patch made it something else.
    Activity(Json),
}

typed_object! {
    /// Tool call in an assistant message.
    ToolCall {
        /// Id of the call.
        id: String = "id",
        /// Kind of the call, always a function.
        kind: ToolCallKind = "type",
        /// Called function.
        function: FunctionCall = "function",
        /// Opaque provider data to send back.
        encrypted_value: Option<String> = "encryptedValue",
        /// Metadata with arbitrary keys.
        metadata: Option<JsonObject> = "metadata",
    }
}

string_enum! {
    /// Kind of a tool call.
    ToolCallKind {
        /// Function call, the only kind.
        Function = "function",
    }
}

typed_object! {
    /// Name and arguments of a function call.
    FunctionCall {
        /// Name of the tool.
        name: String = "name",
        /// JSON text, possibly unfinished.
        arguments: String = "arguments",
    }
}

const TEXT: Schema = Schema::Text;
const ID: SchemaField = required("id", &TEXT);
const NAME: SchemaField = optional("name", &TEXT);
const ENCRYPTED: SchemaField = optional("encryptedValue", &TEXT);
const TAG: SchemaField = optional("subagentRunId", &TEXT);
const METADATA: SchemaField = optional("metadata", &Schema::Opaque);
const CONTENT: SchemaField = required("content", &TEXT);
const PARTS: SchemaField = required("content", &TextOrParts::SCHEMA);

const ROLES: SchemaUnion = SchemaUnion {
    tag: "role",
    open: false,
    arms: &[
        UnionArm {
            name: "developer",
            fields: &[ID, CONTENT, NAME, ENCRYPTED, TAG, METADATA],
        },
        UnionArm {
            name: "system",
            fields: &[ID, CONTENT, NAME, ENCRYPTED, TAG, METADATA],
        },
        UnionArm {
            name: "assistant",
            fields: &[
                ID,
                optional("content", &TEXT),
                NAME,
                ENCRYPTED,
                optional("toolCalls", &<Vec<ToolCall> as TypedJson>::SCHEMA),
                TAG,
                METADATA,
            ],
        },
        UnionArm {
            name: "user",
            fields: &[ID, PARTS, NAME, ENCRYPTED, TAG, METADATA],
        },
        UnionArm {
            name: "tool",
            fields: &[
                ID,
                PARTS,
                required("toolCallId", &TEXT),
                optional("error", &TEXT),
                ENCRYPTED,
                TAG,
                METADATA,
            ],
        },
        UnionArm {
            name: "activity",
            fields: &[
                ID,
                required("activityType", &TEXT),
                required("content", &Schema::Opaque),
                TAG,
                METADATA,
            ],
        },
        UnionArm {
            name: "reasoning",
            fields: &[ID, CONTENT, ENCRYPTED, TAG, METADATA],
        },
    ],
};

impl Message {
    /// Creates a message with an id and a role only.
    pub fn new(id: impl Into<String>, role: Role) -> Self {
        Self {
            id: id.into(),
            role,
            content: Content::Absent,
            name: None,
            tool_calls: None,
            tool_call_id: None,
            error: None,
            encrypted_value: None,
            activity_type: None,
            subagent_run_id: None,
            metadata: None,
        }
    }

    /// Returns the tool calls of the message.
    pub fn tool_calls(&self) -> &[ToolCall] {
        self.tool_calls.as_deref().unwrap_or_default()
    }

    /// Parses a JSON list of messages. Members that are not described are ignored.
    pub fn list_from_json(json: &str) -> Result<Vec<Self>, InvalidJson> {
        Self::list_from_json_with(json, |_| {})
    }

    /// Parses a JSON list of messages and calls `removed` with the path of everything that is
    /// ignored.
    pub fn list_from_json_with(
        json: &str,
        removed: impl FnMut(String),
    ) -> Result<Vec<Self>, InvalidJson> {
        read_text(json, removed)
    }

    /// Appends the message as JSON.
    pub fn write(&self, out: &mut String) {
        TypedJson::write(self, out);
    }

    /// Returns the message as JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// Returns true if the message has only fields that its role may have.
    fn fits(&self) -> bool {
        let spoken = !matches!(self.role, Role::Activity);
        let content = matches!(
            (self.role, &self.content),
            (Role::Assistant, Content::Absent | Content::Text(_))
                | (
                    Role::User | Role::Tool,
                    Content::Text(_) | Content::Parts(_)
                )
                | (Role::Activity, Content::Activity(_))
                | (
                    Role::Developer | Role::System | Role::Reasoning,
                    Content::Text(_)
                )
        );
        content
            && (self.encrypted_value.is_none() || spoken)
            && (self.name.is_none()
                || !matches!(self.role, Role::Tool | Role::Activity | Role::Reasoning))
            && (self.tool_calls.is_none() || self.role == Role::Assistant)
            && self.tool_call_id.is_some() == (self.role == Role::Tool)
            && (self.error.is_none() || self.role == Role::Tool)
            && self.activity_type.is_some() == (self.role == Role::Activity)
    }
}

impl TypedJson for Content {
    const SCHEMA: Schema = Schema::Any;

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        match reader.peek() {
            b'"' => String::read(reader).map(Self::Text),
            b'[' => Vec::read(reader).map(Self::Parts),
            b'{' => Json::read(reader).map(|json| Self::Activity(json.detached())),
            _ => Err(NotTyped),
        }
    }

    fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Absent => {}
            Self::Text(text) => text.write(out),
            Self::Parts(parts) => parts.write(out),
            Self::Activity(json) => json.write(out),
        }
    }
}

impl TypedJson for Message {
    const SCHEMA: Schema = Schema::Union(&ROLES);

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let (mut id, mut role) = (None::<String>, None::<Role>);
        let (mut content, mut name) = (None::<Content>, None::<String>);
        let mut tool_calls = None::<Vec<ToolCall>>;
        let (mut tool_call_id, mut error) = (None::<String>, None::<String>);
        let (mut encrypted_value, mut activity_type) = (None::<String>, None::<String>);
        let mut subagent_run_id = None::<String>;
        let mut metadata = None::<JsonObject>;
        reader.read_members(|reader, key| match key {
            "id" => read_member(&mut id, reader),
            "role" => read_member(&mut role, reader),
            "content" => read_member(&mut content, reader),
            "name" => read_member(&mut name, reader),
            "toolCalls" => read_member(&mut tool_calls, reader),
            "toolCallId" => read_member(&mut tool_call_id, reader),
            "error" => read_member(&mut error, reader),
            "encryptedValue" => read_member(&mut encrypted_value, reader),
            "activityType" => read_member(&mut activity_type, reader),
            "subagentRunId" => read_member(&mut subagent_run_id, reader),
            "metadata" => read_member(&mut metadata, reader),
            _ => Err(NotTyped),
        })?;
        let message = Self {
            id: id.ok_or(NotTyped)?,
            role: role.ok_or(NotTyped)?,
            content: content.unwrap_or(Content::Absent),
            name,
            tool_calls: tool_calls.map(detach_calls),
            tool_call_id,
            error,
            encrypted_value,
            activity_type,
            subagent_run_id,
            metadata: metadata.map(|object| object.detached()),
        };
        if message.fits() {
            Ok(message)
        } else {
            Err(NotTyped)
        }
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        write_member("id", &self.id, out);
        write_key("role", out);
        self.role.write(out);
        write_member("content", &self.content, out);
        write_member("name", &self.name, out);
        write_member("toolCalls", &self.tool_calls, out);
        write_member("toolCallId", &self.tool_call_id, out);
        write_member("error", &self.error, out);
        write_member("encryptedValue", &self.encrypted_value, out);
        write_member("activityType", &self.activity_type, out);
        write_member("subagentRunId", &self.subagent_run_id, out);
        write_member("metadata", &self.metadata, out);
        out.push('}');
    }
}

fn detach_calls(mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
    for call in &mut calls {
        call.metadata = call.metadata.take().map(|object| object.detached());
    }
    calls
}
