//! Verification: the order of events and who may continue what.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::event::{EncryptedSubtype, Event, EventData, EventType};
use crate::id_table::IdTable;
use crate::json::Text;
use crate::model::{Message, Role, RunAgentInput};

mod closing;
mod error;

pub use error::{VerifyError, Violation};

/// How many messages, tool calls, reasoning spans, steps or subagents may be open at once is less
/// than this.
pub const MAX_OPEN: usize = 10_000;

/// Who produced something: a subagent, or (`None`) the parent agent.
type Owner = Option<Box<str>>;

/// A message, a tool call or a piece of reasoning.
#[derive(Debug, Default)]
struct Entity {
    /// Who opened it first; kept after it is closed.
    owner: Option<Owner>,
    /// When it was opened, if it is open.
    open: Option<u64>,
}

/// The entities of one kind, by id.
#[derive(Debug, Default)]
struct Entities {
    by_id: IdTable<Entity>,
    open: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Fresh,
    Running,
    Finished,
    Errored,
}

/// Checks the order of the events of one stream. Chunks must be expanded before.
#[derive(Debug, Default)]
pub struct Verifier {
    phase: Phase,
    /// Counts openings, so that what is open can be listed in order.
    clock: u64,
    texts: Entities,
    tools: Entities,
    /// Reasoning messages; their owners are shared with the spans.
    reasoning: Entities,
    /// Reasoning spans; only `open` is used.
    spans: Entities,
    /// Owners of activities.
    activities: HashMap<String, Owner>,
    /// Open steps by name, each with its owner.
    steps: HashMap<String, Vec<(Owner, u64)>>,
    open_steps: usize,
    /// Subagents seen in this run, and when each was started if it is active.
    subagents: HashMap<String, Option<u64>>,
    active_subagents: usize,
}

impl Entities {
    fn start(&mut self, id: &str, clock: &mut u64) -> Result<(), Violation> {
        if self.open + 1 >= MAX_OPEN {
            return Err(Violation::TooManyOpen);
        }
        let entity = self.entity(id);
        if entity.open.is_some() {
            return Err(Violation::AlreadyOpen);
        }
        *clock += 1;
        entity.open = Some(*clock);
        self.open += 1;
        Ok(())
    }

    fn entity(&mut self, id: &str) -> &mut Entity {
        self.by_id.entry(id)
    }

    fn owner(&self, id: &str) -> Option<&Owner> {
        self.by_id.get(id).and_then(|entity| entity.owner.as_ref())
    }

    fn is_open(&self, id: &str) -> bool {
        self.by_id
            .get(id)
            .is_some_and(|entity| entity.open.is_some())
    }

    /// Checks a continuation: it must be open, and the tag must be its owner's.
    #[inline]
    fn go_on(&mut self, id: &str, tag: Option<&Text>) -> Result<&mut Entity, Violation> {
        match self.by_id.get_mut(id) {
            Some(entity) if entity.open.is_some() => {
                own(entity.owner.as_ref(), tag)?;
                Ok(entity)
            }
            _ => Err(Violation::NotOpen),
        }
    }

    fn end(&mut self, id: &str, tag: Option<&Text>) -> Result<(), Violation> {
        self.go_on(id, tag)?.open = None;
        self.open -= 1;
        Ok(())
    }

    /// Records an owner where none is recorded.
    fn claim(&mut self, id: &str, owner: Owner) {
        let entity = self.entity(id);
        entity.owner.get_or_insert(owner);
    }

    /// Records an owner, whoever it was before.
    fn give(&mut self, id: &str, owner: Owner) {
        self.entity(id).owner = Some(owner);
    }

    fn open_ids(&self) -> Vec<String> {
        let open = self
            .by_id
            .iter()
            .filter_map(|(id, entity)| entity.open.map(|at| (at, id.to_owned())));
        in_order(open)
    }
}

fn in_order(items: impl Iterator<Item = (u64, String)>) -> Vec<String> {
    let mut items: Vec<_> = items.collect();
    items.sort_unstable();
    items.into_iter().map(|(_, item)| item).collect()
}

fn owner_of(tag: Option<&Text>) -> Owner {
    tag.map(|tag| Box::from(tag.as_str()))
}

/// An absent tag always passes; a tag must be the recorded owner, if one is recorded.
fn own(owner: Option<&Owner>, tag: Option<&Text>) -> Result<(), Violation> {
    match (owner, tag) {
        (Some(owner), Some(tag)) if owner.as_deref() != Some(tag.as_str()) => {
            Err(Violation::NotTheOwner {
                tag: tag.to_string(),
                owner: owner.as_deref().map(str::to_owned),
            })
        }
        _ => Ok(()),
    }
}

impl Verifier {
    /// A verifier for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a run has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Whether the last run ended with an error: then only a new run may follow.
    pub fn has_failed(&self) -> bool {
        self.phase == Phase::Errored
    }

    /// Checks the next event.
    #[inline]
    pub fn check(&mut self, event: &Event) -> Result<(), Box<VerifyError>> {
        self.gates(event)
            .and_then(|()| self.rules(event))
            .map_err(|violation| Box::new(VerifyError::new(event, violation)))
    }

    /// What holds for every event, whatever it says.
    #[inline]
    fn gates(&mut self, event: &Event) -> Result<(), Violation> {
        if self.phase == Phase::Running && event.kind() != EventType::RunStarted {
            return Ok(());
        }
        match (self.phase, event.kind()) {
            (Phase::Errored, kind) if kind != EventType::RunStarted => Err(Violation::RunErrored),
            (Phase::Finished, kind)
                if !matches!(kind, EventType::RunStarted | EventType::RunError) =>
            {
                Err(Violation::RunFinished)
            }
            (Phase::Fresh, kind)
                if !matches!(kind, EventType::RunStarted | EventType::RunError) =>
            {
                Err(Violation::NotStarted)
            }
            (Phase::Running, _) => Err(Violation::StillRunning),
            _ => Ok(()),
        }
    }

    fn rules(&mut self, event: &Event) -> Result<(), Violation> {
        let tag = event.common().subagent_run_id.as_ref();
        match event.data() {
            EventData::TextMessageStart(data) => {
                let id = &data.message_id;
                if !self.texts.is_open(id) {
                    own(self.texts.owner(id), tag)?;
                }
                self.texts.start(id, &mut self.clock)?;
                self.texts.claim(id, owner_of(tag));
                Ok(())
            }
            EventData::TextMessageContent(data) => {
                self.texts.go_on(&data.message_id, tag).map(drop)
            }
            EventData::TextMessageEnd(data) => self.texts.end(&data.message_id, tag),
            EventData::ToolCallStart(data) => {
                self.tool_call(&data.tool_call_id, data.parent_message_id.as_ref(), tag)
            }
            EventData::ToolCallArgs(data) => self.tools.go_on(&data.tool_call_id, tag).map(drop),
            EventData::ToolCallEnd(data) => self.tools.end(&data.tool_call_id, tag),
            EventData::ToolCallResult(data) => {
                self.texts.give(&data.message_id, owner_of(tag));
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
                own(self.activities.get(data.message_id.as_str()), tag)
            }
            EventData::ReasoningStart(data) => {
                let id = &data.message_id;
                if !self.spans.is_open(id) {
                    own(self.reasoning.owner(id), tag)?;
                }
                self.spans.start(id, &mut self.clock)?;
                self.reasoning.claim(id, owner_of(tag));
                Ok(())
            }
            EventData::ReasoningMessageStart(data) => {
                let id = &data.message_id;
                if !self.reasoning.is_open(id) {
                    own(self.reasoning.owner(id), tag)?;
                }
                self.reasoning.start(id, &mut self.clock)?;
                self.reasoning.claim(id, owner_of(tag));
                Ok(())
            }
            EventData::ReasoningMessageContent(data) => {
                self.reasoning.go_on(&data.message_id, tag).map(drop)
            }
            EventData::ReasoningMessageEnd(data) => self.reasoning.end(&data.message_id, tag),
            EventData::ReasoningEnd(data) => {
                if self.spans.is_open(&data.message_id) {
                    own(self.reasoning.owner(&data.message_id), tag)?;
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
                own(owner, tag)
            }
            EventData::SubagentStarted(data) => {
                self.start_subagent(&data.subagent_run_id, data.parent_subagent_run_id.as_ref())
            }
            EventData::SubagentFinished(data) => self.end_subagent(&data.subagent_run_id),
            EventData::SubagentError(data) => self.end_subagent(&data.subagent_run_id),
            EventData::MessagesSnapshot(data) => {
                for message in data.messages.iter() {
                    self.seed(message, Entities::give, |activities, id, owner| {
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
                self.phase = Phase::Errored;
                Ok(())
            }
            EventData::StateSnapshot(_)
            | EventData::StateDelta(_)
            | EventData::Raw(_)
            | EventData::Custom(_)
            // Expansion has replaced these; a stray one opens nothing.
            | EventData::TextMessageChunk(_)
            | EventData::ToolCallChunk(_)
            | EventData::ReasoningMessageChunk(_) => Ok(()),
        }
    }

    fn tool_call(
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
            own(Some(recorded), tag)?;
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
        self.tools.claim(id, owner);
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
            phase: Phase::Running,
            ..Self::default()
        };
        for message in input.into_iter().flat_map(|input| &input.messages) {
            self.seed(message, Entities::claim, |activities, id, owner| {
                activities.entry(id).or_insert(owner);
            });
        }
    }

    /// Records who owns a message and its calls.
    fn seed(
        &mut self,
        message: &Message,
        record: fn(&mut Entities, &str, Owner),
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
            return still_open("steps", in_order(steps));
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
            return still_open("subagents", in_order(active));
        }
        self.phase = Phase::Finished;
        Ok(())
    }
}
