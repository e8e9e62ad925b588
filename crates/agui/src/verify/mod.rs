//! Verification of the order of events and of their owners.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::event::{EncryptedSubtype, Event, EventData, EventType};
use crate::model::{Message, Role, RunAgentInput};
use json::Text;

mod closing;
mod entities;
mod error;

use entities::{EntityTable, Owner, check_owner, in_opening_order, owner_of};
pub use error::{VerifyError, Violation};

/// Exclusive upper limit of open messages, tool calls, reasoning spans, steps or subagents.
pub const MAX_OPEN: usize = 10_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum RunPhase {
    #[default]
    Fresh,
    Running,
    Finished,
    Errored,
}

/// Checks the order of the events of one stream. Chunks must have been expanded.
#[derive(Debug, Default)]
pub struct OrderVerifier {
    phase: RunPhase,
    /// Counter of openings, used to list open entities in order.
    clock: u64,
    texts: EntityTable,
    tools: EntityTable,
    /// Reasoning messages; their owners also apply to the spans.
    reasoning: EntityTable,
    /// Reasoning spans; only `open` is used.
    spans: EntityTable,
    /// Owners of activities.
    activities: HashMap<String, Owner>,
    /// Open steps by name, each with its owner and opening number.
    steps: HashMap<String, Vec<(Owner, u64)>>,
    open_steps: usize,
    /// Subagents of this run, with the opening number of active ones.
    subagents: HashMap<String, Option<u64>>,
    active_subagents: usize,
}

impl OrderVerifier {
    /// Creates a verifier for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns true while a run is active.
    pub fn is_running(&self) -> bool {
        self.phase == RunPhase::Running
    }

    /// Returns true if the last run ended with an error; only a new run may follow.
    pub fn has_failed(&self) -> bool {
        self.phase == RunPhase::Errored
    }

    /// Returns events that end everything that is open, innermost first: messages, reasoning spans,
    /// tool calls, steps, and subagents with an error of this message and code. Within a kind, the
    /// one opened last ends first.
    pub fn closing_events(&self, message: &str, code: &str) -> Vec<Event> {
        closing::closing_events(self, message, code)
    }

    /// Checks the next event.
    #[inline]
    pub fn check(&mut self, event: &Event) -> Result<(), Box<VerifyError>> {
        self.check_phase(event)
            .and_then(|()| self.check_rules(event))
            .map_err(|violation| Box::new(VerifyError::new(event, violation)))
    }

    /// Checks that the event type is allowed in the current phase of the run.
    #[inline]
    fn check_phase(&mut self, event: &Event) -> Result<(), Violation> {
        if self.phase == RunPhase::Running && event.kind() != EventType::RunStarted {
            return Ok(());
        }
        match (self.phase, event.kind()) {
            (RunPhase::Errored, kind) if kind != EventType::RunStarted => {
                Err(Violation::RunErrored)
            }
            (RunPhase::Finished, kind)
                if !matches!(kind, EventType::RunStarted | EventType::RunError) =>
            {
                Err(Violation::RunFinished)
            }
            (RunPhase::Fresh, kind)
                if !matches!(kind, EventType::RunStarted | EventType::RunError) =>
            {
                Err(Violation::NotStarted)
            }
            (RunPhase::Running, _) => Err(Violation::StillRunning),
            _ => Ok(()),
        }
    }

    fn check_rules(&mut self, event: &Event) -> Result<(), Violation> {
        let tag = event.common().subagent_run_id.as_ref();
        match event.data() {
            EventData::TextMessageStart(data) => {
                let id = &data.message_id;
                if !self.texts.is_open(id) {
                    check_owner(self.texts.owner(id), tag)?;
                }
                self.texts.start(id, &mut self.clock)?;
                self.texts.claim_owner(id, owner_of(tag));
                Ok(())
            }
            EventData::TextMessageContent(data) => {
                self.texts.check_continued(&data.message_id, tag).map(drop)
            }
            EventData::TextMessageEnd(data) => self.texts.end(&data.message_id, tag),
            EventData::ToolCallStart(data) => {
                self.start_tool_call(&data.tool_call_id, data.parent_message_id.as_ref(), tag)
            }
            EventData::ToolCallArgs(data) => self.tools.check_continued(&data.tool_call_id, tag).map(drop),
            EventData::ToolCallEnd(data) => self.tools.end(&data.tool_call_id, tag),
            EventData::ToolCallResult(data) => {
                self.texts.set_owner(&data.message_id, owner_of(tag));
                Ok(())
            }
            EventData::StepStarted(data) => self.start_step(&data.step_name, tag),
            EventData::StepFinished(data) => self.finish_step(&data.step_name, tag),
            EventData::ActivitySnapshot(data) => {
                match self.activities.entry_ref(data.message_id.as_str()) {
                    hashbrown::hash_map::EntryRef::Occupied(mut entry) => {
                        if data.replace != Some(false) {
                            entry.insert(owner_of(tag));
                        }
                    }
                    hashbrown::hash_map::EntryRef::Vacant(entry) => {
                        entry.insert(owner_of(tag));
                    }
                }
                Ok(())
            }
            EventData::ActivityDelta(data) => {
                check_owner(self.activities.get(data.message_id.as_str()), tag)
            }
            EventData::ReasoningStart(data) => {
                let id = &data.message_id;
                if !self.spans.is_open(id) {
                    check_owner(self.reasoning.owner(id), tag)?;
                }
                self.spans.start(id, &mut self.clock)?;
                self.reasoning.claim_owner(id, owner_of(tag));
                Ok(())
            }
            EventData::ReasoningMessageStart(data) => {
                let id = &data.message_id;
                if !self.reasoning.is_open(id) {
                    check_owner(self.reasoning.owner(id), tag)?;
                }
                self.reasoning.start(id, &mut self.clock)?;
                self.reasoning.claim_owner(id, owner_of(tag));
                Ok(())
            }
            EventData::ReasoningMessageContent(data) => {
                self.reasoning.check_continued(&data.message_id, tag).map(drop)
            }
            EventData::ReasoningMessageEnd(data) => self.reasoning.end(&data.message_id, tag),
            EventData::ReasoningEnd(data) => {
                if self.spans.is_open(&data.message_id) {
                    check_owner(self.reasoning.owner(&data.message_id), tag)?;
                }
                self.spans.end(&data.message_id, None)
            }
            EventData::ReasoningEncryptedValue(data) => {
                let id = data.entity_id.as_str();
                let owner = match data.subtype {
                    EncryptedSubtype::ToolCall => self.tools.owner(id),
                    EncryptedSubtype::Message => {
                        self.texts.owner(id).or_else(|| self.reasoning.owner(id))
                    }
                };
                check_owner(owner, tag)
            }
            EventData::SubagentStarted(data) => {
                self.start_subagent(&data.subagent_run_id, data.parent_subagent_run_id.as_ref())
            }
            EventData::SubagentFinished(data) => self.end_subagent(&data.subagent_run_id),
            EventData::SubagentError(data) => self.end_subagent(&data.subagent_run_id),
            EventData::MessagesSnapshot(data) => {
                for message in data.messages.iter() {
                    self.record_message_owner(message, EntityTable::set_owner, |activities, id, owner| {
                        activities.insert(id, owner);
                    });
                }
                Ok(())
            }
            EventData::RunStarted(data) => {
                self.start_run(data.input.as_deref());
                Ok(())
            }
            EventData::RunFinished(_) => self.finish_run(),
            EventData::RunError(_) => {
                self.phase = RunPhase::Errored;
                Ok(())
            }
            EventData::StateSnapshot(_)
            | EventData::StateDelta(_)
            | EventData::Raw(_)
            | EventData::Custom(_)
            // Expansion has replaced chunks; a stray one has no effect.
            | EventData::TextMessageChunk(_)
            | EventData::ToolCallChunk(_)
            | EventData::ReasoningMessageChunk(_) => Ok(()),
        }
    }

    fn start_tool_call(
        &mut self,
        id: &str,
        parent: Option<&Text>,
        tag: Option<&Text>,
    ) -> Result<(), Violation> {
        if self.tools.is_open(id) {
            return Err(Violation::AlreadyOpen);
        }
        let inherited = parent.and_then(|parent| self.texts.owner(parent).cloned());
        if let (Some(parent), Some(owner), Some(tag)) = (parent, &inherited, tag)
            && owner.as_deref() != Some(tag.as_str())
        {
            return Err(Violation::ParentNotTheOwner {
                tag: tag.to_string(),
                parent: parent.to_string(),
                owner: owner.as_deref().map(str::to_owned),
            });
        }
        if let Some(recorded) = self.tools.owner(id) {
            check_owner(Some(recorded), tag)?;
            if let (None, Some(parent), Some(owner)) = (tag, parent, &inherited)
                && owner != recorded
            {
                return Err(Violation::OwnedElsewhere {
                    owner: recorded.as_deref().map(str::to_owned),
                    parent: parent.to_string(),
                    parent_owner: owner.as_deref().map(str::to_owned),
                });
            }
        }
        self.tools.start(id, &mut self.clock)?;
        let owner = match tag {
            Some(_) => owner_of(tag),
            None => inherited.flatten(),
        };
        self.tools.claim_owner(id, owner);
        Ok(())
    }

    fn start_step(&mut self, name: &str, tag: Option<&Text>) -> Result<(), Violation> {
        if self.open_steps + 1 >= MAX_OPEN {
            return Err(Violation::TooManyOpen);
        }
        let owner = owner_of(tag);
        let open = self.steps.entry_ref(name).or_default();
        if open.iter().any(|(other, _)| *other == owner) {
            return Err(Violation::AlreadyActive);
        }
        self.clock += 1;
        open.push((owner, self.clock));
        self.open_steps += 1;
        Ok(())
    }

    fn finish_step(&mut self, name: &str, tag: Option<&Text>) -> Result<(), Violation> {
        let owner = owner_of(tag);
        let Entry::Occupied(mut entry) = self.steps.entry(name.to_owned()) else {
            return Err(Violation::StepNotStarted);
        };
        let open = entry.get_mut();
        let Some(at) = open.iter().position(|(other, _)| *other == owner) else {
            let owners = open
                .iter()
                .map(|(owner, _)| owner.as_deref().map(str::to_owned));
            return Err(Violation::StepOfAnother {
                owners: owners.collect(),
            });
        };
        open.remove(at);
        if open.is_empty() {
            entry.remove();
        }
        self.open_steps -= 1;
        Ok(())
    }

    fn start_subagent(&mut self, id: &str, parent: Option<&Text>) -> Result<(), Violation> {
        match self.subagents.get(id) {
            Some(Some(_)) => return Err(Violation::AlreadyActive),
            Some(None) => return Err(Violation::SubagentReused),
            None => {}
        }
        if let Some(parent) = parent
            && !self.subagents.contains_key(parent.as_str())
        {
            return Err(Violation::UnknownParent {
                parent: parent.to_string(),
            });
        }
        if self.active_subagents + 1 >= MAX_OPEN {
            return Err(Violation::TooManyOpen);
        }
        self.clock += 1;
        self.subagents.insert(id.to_owned(), Some(self.clock));
        self.active_subagents += 1;
        Ok(())
    }

    fn end_subagent(&mut self, id: &str) -> Result<(), Violation> {
        match self.subagents.get_mut(id) {
            Some(active @ Some(_)) => {
                *active = None;
                self.active_subagents -= 1;
                Ok(())
            }
            _ => Err(Violation::NotOpen),
        }
    }

    fn start_run(&mut self, input: Option<&RunAgentInput>) {
        *self = Self {
            phase: RunPhase::Running,
            ..Self::default()
        };
        for message in input.into_iter().flat_map(|input| &input.messages) {
            self.record_message_owner(
                message,
                EntityTable::claim_owner,
                |activities, id, owner| {
                    activities.entry(id).or_insert(owner);
                },
            );
        }
    }

    /// Records the owner of a message and of its calls.
    fn record_message_owner(
        &mut self,
        message: &Message,
        record: fn(&mut EntityTable, &str, Owner),
        record_activity: fn(&mut HashMap<String, Owner>, String, Owner),
    ) {
        let owner: Owner = message.subagent_run_id.as_deref().map(Box::from);
        match message.role {
            Role::Reasoning => record(&mut self.reasoning, &message.id, owner.clone()),
            Role::Activity => {
                record_activity(&mut self.activities, message.id.clone(), owner.clone());
            }
            _ => record(&mut self.texts, &message.id, owner.clone()),
        }
        for call in message.tool_calls() {
            record(&mut self.tools, &call.id, owner.clone());
        }
    }

    fn finish_run(&mut self) -> Result<(), Violation> {
        let still_open = |what, ids| Err(Violation::StillOpen { what, ids });
        if self.open_steps > 0 {
            let steps = self.steps.iter().flat_map(|(name, open)| {
                open.iter().map(move |(owner, at)| {
                    let label = match owner {
                        Some(owner) => format!("{name} (subagent '{owner}')"),
                        None => name.clone(),
                    };
                    (*at, label)
                })
            });
            return still_open("steps", in_opening_order(steps));
        }
        for (what, entities) in [
            ("text messages", &self.texts),
            ("reasoning messages", &self.reasoning),
            ("reasoning spans", &self.spans),
            ("tool calls", &self.tools),
        ] {
            if entities.open > 0 {
                return still_open(what, entities.open_ids());
            }
        }
        if self.active_subagents > 0 {
            let active = self
                .subagents
                .iter()
                .filter_map(|(id, active)| active.map(|at| (at, id.clone())));
            return still_open("subagents", in_opening_order(active));
        }
        self.phase = RunPhase::Finished;
        Ok(())
    }
}
