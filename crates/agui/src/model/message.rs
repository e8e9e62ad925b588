//! Messages: what a conversation is made of.

use crate::enforce::{InvalidJson, read_described};
use crate::json::{Json, JsonObject};
use crate::schema::{Arm, Field, Schema, Union, optional, required};
use crate::typed::{Reader, Typed, Unclean, fill, object, words, write_key, write_member};

use super::content::{Part, TextOrParts};

words! {
    /// Who speaks.
    Role {
        /// Instructions of the developer.
        Developer = "developer",
        /// Instructions of the system.
        System = "system",
        /// The agent.
        Assistant = "assistant",
        /// The person.
        User = "user",
        /// A tool's result.
        Tool = "tool",
        /// Something that happens beside the text, shown by the frontend.
        Activity = "activity",
        /// The agent's reasoning.
        Reasoning = "reasoning",
    }
}

/// A message of any role.
///
/// One flat type, because folding turns roles into each other; which fields a role may have is a
/// rule of the wire, kept by reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Names the message within its thread; may be empty.
    pub id: String,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// Developer, system, assistant, user: a name to show.
    pub name: Option<String>,
    /// Assistant: the calls it made.
    pub tool_calls: Option<Vec<ToolCall>>,
    /// Tool: the call it answers.
    pub tool_call_id: Option<String>,
    /// Tool: what went wrong.
    pub error: Option<String>,
    /// All but activity: provider data to send back.
    pub encrypted_value: Option<String>,
    /// Activity: its kind, an open set.
    pub activity_type: Option<String>,
    /// The subagent it comes from; absent means the parent agent.
    pub subagent_run_id: Option<String>,
    /// Open by key.
    pub metadata: Option<JsonObject>,
}

/// The content of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// None: an assistant message that only calls tools.
    Absent,
    /// Plain text.
    Text(String),
    /// Pieces.
    Parts(Vec<Part>),
    /// An activity's content: an object, unless a patch made it something else.
    Activity(Json),
}

object! {
    /// A call of a tool, inside an assistant message.
    ToolCall {
        /// Names the call.
        id: String = "id",
        /// Always a function.
        kind: ToolCallKind = "type",
        /// What is called.
        function: FunctionCall = "function",
        /// Provider data to send back.
        encrypted_value: Option<String> = "encryptedValue",
        /// Open by key.
        metadata: Option<JsonObject> = "metadata",
    }
}

words! {
    /// The kind of a tool call.
    ToolCallKind {
        /// The only one there is.
        Function = "function",
    }
}

object! {
    /// A function's name and arguments.
    FunctionCall {
        /// The tool's name.
        name: String = "name",
        /// JSON text, possibly unfinished.
        arguments: String = "arguments",
    }
}

const TEXT: Schema = Schema::Text;
const ID: Field = required("id", &TEXT);
const NAME: Field = optional("name", &TEXT);
const ENCRYPTED: Field = optional("encryptedValue", &TEXT);
const TAG: Field = optional("subagentRunId", &TEXT);
const METADATA: Field = optional("metadata", &Schema::Opaque);
const CONTENT: Field = required("content", &TEXT);
const PARTS: Field = required("content", &TextOrParts::SCHEMA);

const ROLES: Union = Union {
    tag: "role",
    open: false,
    arms: &[
        Arm {
            name: "developer",
            fields: &[ID, CONTENT, NAME, ENCRYPTED, TAG, METADATA],
        },
        Arm {
            name: "system",
            fields: &[ID, CONTENT, NAME, ENCRYPTED, TAG, METADATA],
        },
        Arm {
            name: "assistant",
            fields: &[
                ID,
                optional("content", &TEXT),
                NAME,
                ENCRYPTED,
                optional("toolCalls", &<Vec<ToolCall> as Typed>::SCHEMA),
                TAG,
                METADATA,
            ],
        },
        Arm {
            name: "user",
            fields: &[ID, PARTS, NAME, ENCRYPTED, TAG, METADATA],
        },
        Arm {
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
        Arm {
            name: "activity",
            fields: &[
                ID,
                required("activityType", &TEXT),
                required("content", &Schema::Opaque),
                TAG,
                METADATA,
            ],
        },
        Arm {
            name: "reasoning",
            fields: &[ID, CONTENT, ENCRYPTED, TAG, METADATA],
        },
    ],
};

impl Message {
    /// A message with nothing but an id and a role.
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

    /// The calls the message holds.
    pub fn tool_calls(&self) -> &[ToolCall] {
        self.tool_calls.as_deref().unwrap_or_default()
    }

    /// Reads a JSON list of messages; members that are not described are left out.
    pub fn list_from_json(json: &str) -> Result<Vec<Self>, InvalidJson> {
        Self::list_from_json_with(json, |_| {})
    }

    /// The same; `removed` is told the path of everything that is left out.
    pub fn list_from_json_with(
        json: &str,
        removed: impl FnMut(String),
    ) -> Result<Vec<Self>, InvalidJson> {
        read_described(json, removed)
    }

    /// Appends the message as JSON.
    pub fn write(&self, out: &mut String) {
        Typed::write(self, out);
    }

    /// The message as JSON text.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// Whether the role may have what the message has.
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

impl Typed for Content {
    const SCHEMA: Schema = Schema::Any;

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        match reader.peek() {
            b'"' => String::read(reader).map(Self::Text),
            b'[' => Vec::read(reader).map(Self::Parts),
            b'{' => Json::read(reader).map(|json| Self::Activity(json.detached())),
            _ => Err(Unclean),
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

impl Typed for Message {
    const SCHEMA: Schema = Schema::Union(&ROLES);

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let (mut id, mut role) = (None::<String>, None::<Role>);
        let (mut content, mut name) = (None::<Content>, None::<String>);
        let mut tool_calls = None::<Vec<ToolCall>>;
        let (mut tool_call_id, mut error) = (None::<String>, None::<String>);
        let (mut encrypted_value, mut activity_type) = (None::<String>, None::<String>);
        let mut subagent_run_id = None::<String>;
        let mut metadata = None::<JsonObject>;
        reader.members(|reader, key| match key {
            "id" => fill(&mut id, reader),
            "role" => fill(&mut role, reader),
            "content" => fill(&mut content, reader),
            "name" => fill(&mut name, reader),
            "toolCalls" => fill(&mut tool_calls, reader),
            "toolCallId" => fill(&mut tool_call_id, reader),
            "error" => fill(&mut error, reader),
            "encryptedValue" => fill(&mut encrypted_value, reader),
            "activityType" => fill(&mut activity_type, reader),
            "subagentRunId" => fill(&mut subagent_run_id, reader),
            "metadata" => fill(&mut metadata, reader),
            _ => Err(Unclean),
        })?;
        let message = Self {
            id: id.ok_or(Unclean)?,
            role: role.ok_or(Unclean)?,
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
            Err(Unclean)
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
