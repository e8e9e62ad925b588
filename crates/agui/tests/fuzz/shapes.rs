//! Grammar of typed events.
//!
//! `key:kind`, `key?` for an optional member, `*kind` for a list, `+kind` for a non-empty list, `=`
//! for one of several strings. The lists of members are complete.

use std::sync::OnceLock;

const SHAPES: &str = "
source      type=data value:text mimeType:text
source      type=url value:text mimeType?:text
source      type=file value:text provider?:text mimeType?:text
part        type=text text:text id?:text metadata?:some
part        type=image|audio|video|document source:source id?:text metadata?:some
function    name:text arguments:text
call        id:id type=function function:function encryptedValue?:text metadata?:object
message     id:id role=developer|system content:text name?:text encryptedValue?:text \
            subagentRunId?:tag metadata?:object
message     id:id role=assistant content?:text name?:text encryptedValue?:text toolCalls?:*call \
            subagentRunId?:tag metadata?:object
message     id:id role=user content:content name?:text encryptedValue?:text subagentRunId?:tag \
            metadata?:object
message     id:id role=tool content:content toolCallId:id error?:text encryptedValue?:text \
            subagentRunId?:tag metadata?:object
message     id:id role=activity activityType:text content:object subagentRunId?:tag \
            metadata?:object
message     id:id role=reasoning content:text encryptedValue?:text subagentRunId?:tag \
            metadata?:object
operation   op=add|replace|test path:pointer value:any
operation   op=remove path:pointer
operation   op=move|copy from:pointer path:pointer
tool        name:text description:text parameters?:some metadata?:object
context     description:text value:text
resume      interruptId:text status=resolved|cancelled payload?:some metadata?:object
input       threadId:text runId:text protocolVersion?:text parentRunId?:text state?:some \
            messages:*message tools:*tool context:*context forwardedProps?:some resume?:*resume
interrupt   id:text reason:text message?:text toolCallId?:id responseSchema?:object \
            expiresAt?:text metadata?:object subagentRunId?:tag
outcome     type=success pendingToolCallIds?:*text
outcome     type=interrupt interrupts:+interrupt
outcome     type=cancelled
ended       type=success
ended       type=suspended interruptIds?:*text
usage       provider?:text model?:text inputTokens?:count outputTokens?:count totalTokens?:count \
            reasoningTokens?:count cachedInputTokens?:count cacheWriteInputTokens?:count
event       type=TEXT_MESSAGE_START messageId:id role?=developer|system|assistant|user name?:text \
            subagentRunId?:tag
event       type=TEXT_MESSAGE_CONTENT messageId:id delta:text subagentRunId?:tag
event       type=TEXT_MESSAGE_END messageId:id subagentRunId?:tag
event       type=TEXT_MESSAGE_CHUNK messageId?:id role?=developer|system|assistant|user \
            delta?:text name?:text subagentRunId?:tag
event       type=TOOL_CALL_START toolCallId:id toolCallName:text parentMessageId?:id \
            subagentRunId?:tag
event       type=TOOL_CALL_ARGS toolCallId:id delta:text subagentRunId?:tag
event       type=TOOL_CALL_END toolCallId:id subagentRunId?:tag
event       type=TOOL_CALL_CHUNK toolCallId?:id toolCallName?:text parentMessageId?:id \
            delta?:text subagentRunId?:tag
event       type=TOOL_CALL_RESULT messageId:id toolCallId:id content:content role?=tool \
            subagentRunId?:tag
event       type=STATE_SNAPSHOT snapshot:any subagentRunId?:tag
event       type=STATE_DELTA delta:*operation subagentRunId?:tag
event       type=MESSAGES_SNAPSHOT messages:*message
event       type=ACTIVITY_SNAPSHOT messageId:id activityType:text content:object replace?:flag \
            subagentRunId?:tag
event       type=ACTIVITY_DELTA messageId:id activityType:text patch:*operation subagentRunId?:tag
event       type=RAW event:any source?:text subagentRunId?:tag
event       type=CUSTOM name:text value:any subagentRunId?:tag
event       type=RUN_STARTED threadId:text runId:text protocolVersion?:text parentRunId?:text \
            input?:input
event       type=RUN_FINISHED threadId:text runId:text result?:some outcome?:outcome usage?:*usage
event       type=RUN_ERROR message:text code?:text usage?:*usage
event       type=STEP_STARTED stepName:id subagentRunId?:tag
event       type=STEP_FINISHED stepName:id subagentRunId?:tag
event       type=REASONING_START messageId:id subagentRunId?:tag
event       type=REASONING_MESSAGE_START messageId:id role=reasoning subagentRunId?:tag
event       type=REASONING_MESSAGE_CONTENT messageId:id delta:text subagentRunId?:tag
event       type=REASONING_MESSAGE_END messageId:id subagentRunId?:tag
event       type=REASONING_MESSAGE_CHUNK messageId?:id delta?:text subagentRunId?:tag
event       type=REASONING_END messageId:id subagentRunId?:tag
event       type=REASONING_ENCRYPTED_VALUE subtype=tool-call|message entityId:id \
            encryptedValue:text subagentRunId?:tag
event       type=SUBAGENT_STARTED subagentRunId:tag name:text description?:text \
            parentSubagentRunId?:tag parentToolCallId?:id parentMessageId?:id
event       type=SUBAGENT_FINISHED subagentRunId:tag result?:some outcome?:ended
event       type=SUBAGENT_ERROR subagentRunId:tag message:text code?:text
common      timestamp?:int rawEvent?:some metadata?:object
";

/// Kind of object.
#[derive(Debug)]
pub struct Shape {
    pub name: &'static str,
    pub members: Vec<Member>,
}

#[derive(Debug)]
pub struct Member {
    pub key: &'static str,
    pub optional: bool,
    pub kind: ValueKind,
}

#[derive(Debug)]
pub enum ValueKind {
    Words(Vec<&'static str>),
    Text,
    Id,
    /// Id of a subagent's run.
    Tag,
    Pointer,
    Flag,
    Count,
    Int,
    Any,
    /// Any JSON but null.
    Some,
    Object,
    /// Text or content parts.
    Content,
    List {
        item: Box<ValueKind>,
        least: usize,
    },
    /// One of the shapes with this name.
    Shape(&'static str),
}

impl Shape {
    pub fn has(&self, key: &str) -> bool {
        self.members.iter().any(|member| member.key == key)
    }

    /// Returns the first string of the first member, which is the type of an event.
    pub fn event_type(&self) -> &'static str {
        match &self.members[0].kind {
            ValueKind::Words(words) => words[0],
            _ => "",
        }
    }
}

fn value_kind(text: &'static str) -> ValueKind {
    match text {
        "text" => ValueKind::Text,
        "id" => ValueKind::Id,
        "tag" => ValueKind::Tag,
        "pointer" => ValueKind::Pointer,
        "flag" => ValueKind::Flag,
        "count" => ValueKind::Count,
        "int" => ValueKind::Int,
        "any" => ValueKind::Any,
        "some" => ValueKind::Some,
        "object" => ValueKind::Object,
        "content" => ValueKind::Content,
        _ => match text.strip_prefix(['*', '+']) {
            Some(item) => ValueKind::List {
                item: Box::new(value_kind(item)),
                least: usize::from(text.starts_with('+')),
            },
            None => ValueKind::Shape(text),
        },
    }
}

fn member(text: &'static str) -> Member {
    let at = text.find([':', '=']).expect("a key and a value");
    let (key, value) = (&text[..at], &text[at + 1..]);
    Member {
        key: key.trim_end_matches('?'),
        optional: key.ends_with('?'),
        kind: if text[at..].starts_with('=') {
            ValueKind::Words(value.split('|').collect())
        } else {
            value_kind(value)
        },
    }
}

/// Returns all shapes.
pub fn all() -> &'static [Shape] {
    static ALL: OnceLock<Vec<Shape>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = SHAPES.lines().filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let (name, members) = line.split_once(' ').expect("a name and members");
                Shape {
                    name,
                    members: members.split_whitespace().map(member).collect(),
                }
            })
            .collect()
    })
}

/// Returns the shapes with this name.
pub fn named(name: &str) -> Vec<&'static Shape> {
    all().iter().filter(|shape| shape.name == name).collect()
}

/// Returns the shape of an event type.
pub fn event(kind: &str) -> &'static Shape {
    let mut events = all().iter().filter(|shape| shape.name == "event");
    events
        .find(|shape| shape.event_type() == kind)
        .expect("a type")
}
