//! Fold: builds the messages and the state of a conversation from its events.

use crate::event::{
    ActivityDelta, ActivitySnapshot, CommonFields, EncryptedSubtype, Event, EventData,
    MessagesSnapshot, ReasoningEncryptedValue, RunFinished, ToolCallResult, ToolCallStart,
};
use crate::model::{
    Content, FunctionCall, Interrupt, Message, Role, TextOrParts, ToolCall, ToolCallKind,
};
use json::patch::{PatchError, PatchMode, Patcher};
use json::{Json, JsonObject, Text, Value};

mod run_end;
mod snapshot_authority;
mod transcript;

pub use run_end::FinishedRun;
use run_end::RunCalls;
use snapshot_authority::SnapshotAuthority;
use transcript::{Slot, Transcript};

/// Messages, state and open interrupts of a conversation after some events.
///
/// The events must have passed verification; after an error the fold is valid up to the last good
/// event.
#[derive(Debug)]
pub struct Fold {
    transcript: Transcript,
    state: Json,
    patcher: Patcher,
    pending_interrupts: Vec<Interrupt>,
    finished: Vec<FinishedRun>,
    /// Tool calls of the current run.
    calls: RunCalls,
}

/// Warning about an event that had no effect, or only a part of it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FoldWarning {
    /// A state patch did not apply; the state is unchanged.
    #[error("the state patch does not apply: {0}")]
    StatePatch(PatchError),
    /// An activity patch did not apply; its content is unchanged.
    #[error("the patch of activity '{id}' does not apply: {error}")]
    ActivityPatch {
        /// Id of the activity.
        id: String,
        /// Patch error.
        error: PatchError,
    },
}

/// Error of a chunk that was not expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("chunks must be expanded before they are folded")]
pub struct UnexpandedChunk;

impl Default for Fold {
    fn default() -> Self {
        Self::new([], Json::from(Value::from([])))
    }
}

impl Fold {
    /// Creates a fold that starts from these messages and this state.
    pub fn new(messages: impl IntoIterator<Item = Message>, state: Json) -> Self {
        let mut transcript = Transcript::default();
        for message in messages {
            transcript.append(message);
        }
        Self {
            transcript,
            state,
            patcher: Patcher::new(PatchMode::Agui),
            pending_interrupts: Vec::new(),
            finished: Vec::new(),
            calls: RunCalls::default(),
        }
    }

    /// Iterates over the messages in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.transcript.iter()
    }

    /// Returns the state.
    pub fn state(&self) -> &Json {
        &self.state
    }

    /// Returns the interrupts that must be answered before the next run.
    pub fn pending_interrupts(&self) -> &[Interrupt] {
        &self.pending_interrupts
    }

    /// Returns the ends of all runs so far.
    pub fn finished_runs(&self) -> &[FinishedRun] {
        &self.finished
    }

    /// Sets the interrupts that must be answered before the next run of a restored conversation.
    pub fn set_pending_interrupts(&mut self, interrupts: Vec<Interrupt>) {
        self.pending_interrupts = interrupts;
    }

    /// Returns the ends of all runs so far and clears the list.
    pub fn take_finished_runs(&mut self) -> Vec<FinishedRun> {
        std::mem::take(&mut self.finished)
    }

    /// Appends a message between runs.
    pub fn append(&mut self, message: Message) {
        self.transcript.append(message);
    }

    /// Applies the next event.
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
                self.calls = RunCalls::default();
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

    fn start_message(&mut self, id: &str, role: Role, name: Option<&Text>, common: &CommonFields) {
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

    /// Returns the message with this id, unless it is an activity.
    fn find_text_message(&mut self, id: &str) -> Option<Slot> {
        self.transcript
            .find(id)
            .filter(|&slot| self.transcript.get(slot).role != Role::Activity)
    }

    #[inline]
    fn extend_message(&mut self, id: &str, delta: &str, common: &CommonFields) {
        let Some(slot) = self.find_text_message(id) else {
            return;
        };
        match &mut self.transcript.get_mut(slot).content {
            Content::Text(text) => text.push_str(delta),
            other => *other = Content::Text(delta.to_owned()),
        }
        self.merge_metadata(slot, common);
    }

    fn end_message(&mut self, id: &str, common: &CommonFields) {
        if let Some(slot) = self.find_text_message(id) {
            self.merge_metadata(slot, common);
        }
    }

    fn merge_metadata(&mut self, slot: Slot, common: &CommonFields) {
        if let Some(metadata) = &common.metadata {
            merge(&mut self.transcript.get_mut(slot).metadata, metadata);
        }
    }

    fn start_call(&mut self, data: &ToolCallStart, common: &CommonFields) {
        let id = data.tool_call_id.as_str();
        self.calls.start(id);
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

    fn append_caller(&mut self, id: &str, common: &CommonFields) -> Slot {
        let unused = self.transcript.find(id).is_none();
        self.transcript.append(Message {
            tool_calls: Some(Vec::new()),
            subagent_run_id: tag(common).filter(|_| unused),
            ..Message::new(id, Role::Assistant)
        })
    }

    fn change_call(&mut self, id: &str, common: &CommonFields, change: impl FnOnce(&mut ToolCall)) {
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

    fn add_result(&mut self, data: &ToolCallResult, common: &CommonFields) {
        self.calls.answer(&data.tool_call_id);
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

    fn take_snapshot(&mut self, data: &MessagesSnapshot, common: &CommonFields) {
        let has = |role| data.messages.iter().any(|message| message.role == role);
        let (has_reasoning, has_activity) = (has(Role::Reasoning), has(Role::Activity));
        let authority = SnapshotAuthority::declared(common.metadata.as_deref());
        self.transcript
            .merge(&data.messages, |message| match message.role {
                Role::Reasoning => !has_reasoning,
                Role::Activity => match &authority {
                    SnapshotAuthority::Undeclared => !has_activity,
                    SnapshotAuthority::All => false,
                    SnapshotAuthority::Types(types) => !message
                        .activity_type
                        .as_ref()
                        .is_some_and(|kind| types.contains(kind)),
                },
                _ => false,
            });
    }

    fn set_activity(&mut self, data: &ActivitySnapshot, common: &CommonFields) {
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

    fn patch_activity(
        &mut self,
        data: &ActivityDelta,
        common: &CommonFields,
    ) -> Option<FoldWarning> {
        let slot = self.transcript.find(&data.message_id)?;
        if self.transcript.get(slot).role != Role::Activity {
            return None;
        }
        self.merge_metadata(slot, common);
        let message = self.transcript.get_mut(slot);
        let Content::Activity(content) = &mut message.content else {
            return None;
        };
        // An earlier patch may have removed the root. It counts as an empty object, but stays null
        // if this patch fails.
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
                self.change_call(&data.entity_id, &CommonFields::default(), |call| {
                    call.encrypted_value = value;
                });
            }
            EncryptedSubtype::Message => {
                if let Some(slot) = self.find_text_message(&data.entity_id) {
                    self.transcript.get_mut(slot).encrypted_value = value;
                }
            }
        }
    }

    fn finish(&mut self, data: &RunFinished) {
        let finished = self.calls.finish_run(data);
        self.pending_interrupts = finished.interrupts.clone().unwrap_or_default();
        self.finished.push(finished);
    }
}

fn tag(common: &CommonFields) -> Option<String> {
    common.subagent_run_id.as_ref().map(ToString::to_string)
}

fn merge(target: &mut Option<JsonObject>, metadata: &JsonObject) {
    match target {
        Some(target) => target.merge(metadata),
        None => *target = Some(metadata.detached()),
    }
}
