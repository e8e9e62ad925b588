//! Folding: the messages and the state that a stream of events builds.

use hashbrown::HashMap;

use crate::event::{
    ActivityDelta, ActivitySnapshot, Common, EncryptedSubtype, Event, EventData, MessagesSnapshot,
    ReasoningEncryptedValue, RunFinished, ToolCallResult, ToolCallStart,
};
use crate::json::{Json, JsonObject, Text, Value};
use crate::model::{
    Content, FunctionCall, Interrupt, Message, Role, RunOutcome, TextOrParts, ToolCall,
    ToolCallKind,
};
use crate::patch::{Mode, PatchError, Patcher};

mod transcript;

use transcript::{Slot, Transcript};

/// The conversation after some events: its messages, its state, its open interrupts.
///
/// Takes verified events, and everything before the first bad one.
#[derive(Debug)]
pub struct Fold {
    transcript: Transcript,
    state: Json,
    patcher: Patcher,
    pending_interrupts: Vec<Interrupt>,
    finished: Vec<Finished>,
    /// The calls of this run.
    calls: HashMap<String, CallTally>,
}

/// What became of a call in this run.
#[derive(Debug, Default)]
struct CallTally {
    /// It was started, as the n-th.
    started: Option<usize>,
    answered: bool,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// `success`, `interrupt` or `cancelled`.
    pub outcome: &'static str,
    /// What a successful run produced.
    pub result: Option<Json>,
    /// After a success: the calls that the client must answer.
    pub pending_tool_call_ids: Option<Vec<String>>,
    /// After an interrupt: what must be answered.
    pub interrupts: Option<Vec<Interrupt>>,
}

/// An event that had no effect, or not its full one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FoldWarning {
    /// A patch of the state did not apply; the state is unchanged.
    #[error("the state patch does not apply: {0}")]
    StatePatch(PatchError),
    /// A patch of an activity did not apply; its content is unchanged.
    #[error("the patch of activity '{id}' does not apply: {error}")]
    ActivityPatch {
        /// The activity.
        id: String,
        /// Why.
        error: PatchError,
    },
}

/// A chunk reached the fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("chunks must be expanded before they are folded")]
pub struct UnexpandedChunk;

impl Default for Fold {
    fn default() -> Self {
        Self::new([], Json::from(Value::from([])))
    }
}

impl Fold {
    /// A fold that starts from these messages and this state.
    pub fn new(messages: impl IntoIterator<Item = Message>, state: Json) -> Self {
        let mut transcript = Transcript::default();
        for message in messages {
            transcript.append(message);
        }
        Self {
            transcript,
            state,
            patcher: Patcher::new(Mode::Agui),
            pending_interrupts: Vec::new(),
            finished: Vec::new(),
            calls: HashMap::new(),
        }
    }

    /// The messages in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.transcript.iter()
    }

    /// The state.
    pub fn state(&self) -> &Json {
        &self.state
    }

    /// What must be answered before the next run.
    pub fn pending_interrupts(&self) -> &[Interrupt] {
        &self.pending_interrupts
    }

    /// How each run ended.
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// Says what must be answered before the next run, when a conversation goes on.
    pub fn set_pending_interrupts(&mut self, interrupts: Vec<Interrupt>) {
        self.pending_interrupts = interrupts;
    }

    /// Takes away how the runs so far ended.
    pub fn take_finished(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.finished)
    }

    /// Adds a message between runs.
    pub fn append(&mut self, message: Message) {
        self.transcript.append(message);
    }

    /// Takes the next event.
    #[inline]
    pub fn apply(&mut self, event: &Event) -> Result<Option<FoldWarning>, UnexpandedChunk> {
        let common = event.common();
        match event.data() {
            EventData::TextMessageStart(data) => {
                let role = match data.role {
                    None => Role::Assistant,
                    Some(role) => Role::from_str(role.as_str()).unwrap_or(Role::Assistant),
                };
                self.start_message(&data.message_id, role, data.name.as_ref(), common);
            }
            EventData::ReasoningMessageStart(data) => {
                self.start_message(&data.message_id, Role::Reasoning, None, common);
            }
            EventData::TextMessageContent(data) => {
                self.extend_message(&data.message_id, &data.delta, common);
            }
            EventData::ReasoningMessageContent(data) => {
                self.extend_message(&data.message_id, &data.delta, common);
            }
            EventData::TextMessageEnd(data) => self.end_message(&data.message_id, common),
            EventData::ReasoningMessageEnd(data) => self.end_message(&data.message_id, common),
            EventData::ToolCallStart(data) => self.start_call(data, common),
            EventData::ToolCallArgs(data) => {
                self.change_call(&data.tool_call_id, common, |call| {
                    call.function.arguments.push_str(&data.delta);
                });
            }
            EventData::ToolCallEnd(data) => self.change_call(&data.tool_call_id, common, |_| {}),
            EventData::ToolCallResult(data) => self.add_result(data, common),
            EventData::StateSnapshot(data) => self.state = data.snapshot.detached(),
            EventData::StateDelta(data) => {
                let patched = self.patcher.apply(self.state.value_mut(), &data.delta);
                return Ok(patched.err().map(FoldWarning::StatePatch));
            }
            EventData::MessagesSnapshot(data) => self.take_snapshot(data, common),
            EventData::ActivitySnapshot(data) => self.set_activity(data, common),
            EventData::ActivityDelta(data) => return Ok(self.patch_activity(data, common)),
            EventData::ReasoningEncryptedValue(data) => self.set_encrypted(data),
            EventData::RunStarted(data) => {
                self.calls.clear();
                for message in data.input.iter().flat_map(|input| &input.messages) {
                    if self.transcript.find(&message.id).is_none() {
                        self.transcript.append(message.clone());
                    }
                }
            }
            EventData::RunFinished(data) => self.finish(data),
            EventData::TextMessageChunk(_)
            | EventData::ToolCallChunk(_)
            | EventData::ReasoningMessageChunk(_) => return Err(UnexpandedChunk),
            EventData::RunError(_)
            | EventData::ReasoningStart(_)
            | EventData::ReasoningEnd(_)
            | EventData::SubagentStarted(_)
            | EventData::SubagentFinished(_)
            | EventData::SubagentError(_)
            | EventData::StepStarted(_)
            | EventData::StepFinished(_)
            | EventData::Raw(_)
            | EventData::Custom(_) => {}
        }
        Ok(None)
    }

    fn start_message(&mut self, id: &str, role: Role, name: Option<&Text>, common: &Common) {
        let slot = match self.transcript.find(id) {
            Some(slot) if self.transcript.get(slot).role == Role::Activity => return,
            Some(slot) => slot,
            None => self.transcript.append(Message {
                content: Content::Text(String::new()),
                name: name.map(ToString::to_string),
                subagent_run_id: tag(common),
                ..Message::new(id, role)
            }),
        };
        self.merge_metadata(slot, common);
    }

    /// The message of that id, unless an activity has it.
    fn spoken(&mut self, id: &str) -> Option<Slot> {
        self.transcript
            .find(id)
            .filter(|&slot| self.transcript.get(slot).role != Role::Activity)
    }

    #[inline]
    fn extend_message(&mut self, id: &str, delta: &str, common: &Common) {
        let Some(slot) = self.spoken(id) else {
            return;
        };
        match &mut self.transcript.get_mut(slot).content {
            Content::Text(text) => text.push_str(delta),
            other => *other = Content::Text(delta.to_owned()),
        }
        self.merge_metadata(slot, common);
    }

    fn end_message(&mut self, id: &str, common: &Common) {
        if let Some(slot) = self.spoken(id) {
            self.merge_metadata(slot, common);
        }
    }

    fn merge_metadata(&mut self, slot: Slot, common: &Common) {
        if let Some(metadata) = &common.metadata {
            merge(&mut self.transcript.get_mut(slot).metadata, metadata);
        }
    }

    fn start_call(&mut self, data: &ToolCallStart, common: &Common) {
        let id = data.tool_call_id.as_str();
        let number = self.calls.len();
        self.calls
            .entry_ref(id)
            .or_default()
            .started
            .get_or_insert(number);
        if self.transcript.find_call(id).is_some() {
            self.change_call(id, common, |call| {
                call.function.name.replace_range(.., &data.tool_call_name);
            });
            return;
        }
        let parent = data
            .parent_message_id
            .as_deref()
            .filter(|parent| !parent.is_empty());
        let slot = match parent.map(|parent| (parent, self.transcript.find(parent))) {
            Some((_, Some(slot))) if self.transcript.get(slot).role == Role::Assistant => slot,
            Some((parent, None)) => self.append_caller(parent, common),
            Some((_, Some(_))) | None => self.append_caller(id, common),
        };
        let calls = self
            .transcript
            .get_mut(slot)
            .tool_calls
            .get_or_insert_default();
        calls.push(ToolCall {
            id: id.to_owned(),
            kind: ToolCallKind::Function,
            function: FunctionCall {
                name: data.tool_call_name.to_string(),
                arguments: String::new(),
            },
            encrypted_value: None,
            metadata: common.metadata.as_deref().map(JsonObject::detached),
        });
        let at = calls.len() - 1;
        self.transcript.index_call(id, slot, at);
    }

    fn append_caller(&mut self, id: &str, common: &Common) -> Slot {
        let unused = self.transcript.find(id).is_none();
        self.transcript.append(Message {
            tool_calls: Some(Vec::new()),
            subagent_run_id: tag(common).filter(|_| unused),
            ..Message::new(id, Role::Assistant)
        })
    }

    fn change_call(&mut self, id: &str, common: &Common, change: impl FnOnce(&mut ToolCall)) {
        let Some((slot, at)) = self.transcript.find_call(id) else {
            return;
        };
        let calls = &mut self.transcript.get_mut(slot).tool_calls;
        if let Some(call) = calls.as_mut().and_then(|calls| calls.get_mut(at)) {
            change(call);
            if let Some(metadata) = &common.metadata {
                merge(&mut call.metadata, metadata);
            }
        }
    }

    fn add_result(&mut self, data: &ToolCallResult, common: &Common) {
        self.calls
            .entry_ref(data.tool_call_id.as_str())
            .or_default()
            .answered = true;
        let message = Message {
            content: match &data.content {
                TextOrParts::Text(text) => Content::Text(text.to_string()),
                TextOrParts::Parts(parts) => Content::Parts(parts.clone()),
            },
            tool_call_id: Some(data.tool_call_id.to_string()),
            subagent_run_id: tag(common),
            metadata: common.metadata.as_deref().map(JsonObject::detached),
            ..Message::new(data.message_id.as_str(), Role::Tool)
        };
        match self.transcript.find_call(&data.tool_call_id) {
            Some((owner, _)) => self.transcript.insert_result(owner, message),
            None => drop(self.transcript.append(message)),
        }
    }

    fn take_snapshot(&mut self, data: &MessagesSnapshot, common: &Common) {
        let has = |role| data.messages.iter().any(|message| message.role == role);
        let (has_reasoning, has_activity) = (has(Role::Reasoning), has(Role::Activity));
        let authority = Authority::declared(common.metadata.as_deref());
        self.transcript
            .merge(&data.messages, |message| match message.role {
                Role::Reasoning => !has_reasoning,
                Role::Activity => match &authority {
                    Authority::Undeclared => !has_activity,
                    Authority::All => false,
                    Authority::Types(types) => !message
                        .activity_type
                        .as_ref()
                        .is_some_and(|kind| types.contains(kind)),
                },
                _ => false,
            });
    }

    fn set_activity(&mut self, data: &ActivitySnapshot, common: &Common) {
        let replace = data.replace != Some(false);
        let content = || Content::Activity(data.content.as_json().detached());
        let slot = match self.transcript.find(&data.message_id) {
            Some(slot) if self.transcript.get(slot).role == Role::Activity => {
                if replace {
                    let message = self.transcript.get_mut(slot);
                    message.activity_type = Some(data.activity_type.to_string());
                    message.content = content();
                    message.subagent_run_id = tag(common);
                }
                slot
            }
            Some(_) if !replace => return,
            found => {
                let message = Message {
                    content: content(),
                    activity_type: Some(data.activity_type.to_string()),
                    subagent_run_id: tag(common),
                    ..Message::new(data.message_id.as_str(), Role::Activity)
                };
                match found {
                    Some(slot) => {
                        self.transcript.replace(slot, message);
                        slot
                    }
                    None => self.transcript.append(message),
                }
            }
        };
        self.merge_metadata(slot, common);
    }

    fn patch_activity(&mut self, data: &ActivityDelta, common: &Common) -> Option<FoldWarning> {
        let slot = self.transcript.find(&data.message_id)?;
        if self.transcript.get(slot).role != Role::Activity {
            return None;
        }
        self.merge_metadata(slot, common);
        let message = self.transcript.get_mut(slot);
        let Content::Activity(content) = &mut message.content else {
            return None;
        };
        // A patch may have removed the root before; it counts as empty, but stays if this one fails.
        let was_null = content.is_null();
        if was_null {
            *content = Json::from(Value::from([]));
        }
        match self.patcher.apply(content.value_mut(), &data.patch) {
            Ok(_) => {
                message.activity_type = Some(data.activity_type.to_string());
                None
            }
            Err(error) => {
                if was_null {
                    *content = Json::from(Value::Null);
                }
                Some(FoldWarning::ActivityPatch {
                    id: data.message_id.to_string(),
                    error,
                })
            }
        }
    }

    fn set_encrypted(&mut self, data: &ReasoningEncryptedValue) {
        let value = Some(data.encrypted_value.to_string());
        match data.subtype {
            EncryptedSubtype::ToolCall => {
                self.change_call(&data.entity_id, &Common::default(), |call| {
                    call.encrypted_value = value;
                });
            }
            EncryptedSubtype::Message => {
                if let Some(slot) = self.spoken(&data.entity_id) {
                    self.transcript.get_mut(slot).encrypted_value = value;
                }
            }
        }
    }

    fn finish(&mut self, data: &RunFinished) {
        self.pending_interrupts.clear();
        let finished = match data.outcome.as_deref() {
            Some(RunOutcome::Interrupt { interrupts }) => {
                self.pending_interrupts.clone_from(interrupts);
                Finished {
                    outcome: "interrupt",
                    result: None,
                    pending_tool_call_ids: None,
                    interrupts: Some(interrupts.clone()),
                }
            }
            Some(RunOutcome::Cancelled) => Finished {
                outcome: "cancelled",
                result: None,
                pending_tool_call_ids: None,
                interrupts: None,
            },
            success => {
                let named = match success {
                    Some(RunOutcome::Success {
                        pending_tool_call_ids: Some(ids),
                    }) if !ids.is_empty() => Some(ids.clone()),
                    _ => None,
                };
                let unanswered = || {
                    let mut open: Vec<(usize, &String)> = self
                        .calls
                        .iter()
                        .filter(|(_, call)| !call.answered)
                        .filter_map(|(id, call)| Some((call.started?, id)))
                        .collect();
                    open.sort_unstable();
                    open.into_iter().map(|(_, id)| id.clone()).collect()
                };
                Finished {
                    outcome: "success",
                    result: data.result.as_ref().map(Json::detached),
                    pending_tool_call_ids: Some(named.unwrap_or_else(unanswered)),
                    interrupts: None,
                }
            }
        };
        self.finished.push(finished);
    }
}

fn tag(common: &Common) -> Option<String> {
    common.subagent_run_id.as_ref().map(ToString::to_string)
}

fn merge(target: &mut Option<JsonObject>, metadata: &JsonObject) {
    match target {
        Some(target) => target.merge(metadata),
        None => *target = Some(metadata.detached()),
    }
}

/// Which activities a snapshot may remove by leaving them out.
enum Authority {
    /// All, if it has any.
    Undeclared,
    All,
    Types(Vec<String>),
}

impl Authority {
    fn declared(metadata: Option<&JsonObject>) -> Self {
        let Some(metadata) = metadata else {
            return Self::Undeclared;
        };
        let metadata = metadata.as_json().value();
        match metadata.get("@ag-ui/client") {
            None => Self::Undeclared,
            Some(Value::Object(client)) => match client.get("authoritativeActivityTypes") {
                None => Self::Undeclared,
                Some(Value::Null) => Self::All,
                Some(Value::Array(types)) => Self::Types(
                    types
                        .iter()
                        .map(|kind| kind.as_str().map(str::to_owned))
                        .collect::<Option<_>>()
                        .unwrap_or_default(),
                ),
                Some(_) => Self::Types(Vec::new()),
            },
            Some(_) => Self::Types(Vec::new()),
        }
    }
}
