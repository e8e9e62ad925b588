//! Ending what is open, so that a run can end.

use super::{Entities, Verifier};
use crate::event::{
    Common, Event, EventData, ReasoningEnd, ReasoningMessageEnd, StepFinished, SubagentError,
    TextMessageEnd, ToolCallEnd,
};
use crate::json::Text;

impl Verifier {
    /// The events that end everything that is open, innermost first: messages, reasoning spans, tool
    /// calls, steps, and subagents with an error of this code. What was opened last ends first.
    pub fn closing(&self, message: &str, code: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let texts = open(&self.texts, |id| TextMessageEnd { message_id: id }.into());
        let thoughts = open(&self.reasoning, |id| {
            ReasoningMessageEnd { message_id: id }.into()
        });
        latest_first(texts.chain(thoughts), &mut events);
        let spans = self.spans.by_id.iter().filter_map(|(id, entity)| {
            let data = ReasoningEnd {
                message_id: Text::from(id),
            };
            // Spans share the owners of reasoning messages.
            let owner = self.reasoning.owner(id).and_then(Option::as_deref);
            entity.open.map(|at| (at, owned(data.into(), owner)))
        });
        latest_first(spans, &mut events);
        let calls = open(&self.tools, |id| ToolCallEnd { tool_call_id: id }.into());
        latest_first(calls, &mut events);
        let steps = self.steps.iter().flat_map(|(name, open)| {
            open.iter().map(|(owner, at)| {
                let data = StepFinished {
                    step_name: Text::from(name.as_str()),
                };
                (*at, owned(data.into(), owner.as_deref()))
            })
        });
        latest_first(steps, &mut events);
        let subagents = self.subagents.iter().filter_map(|(id, active)| {
            let data = SubagentError {
                subagent_run_id: Text::from(id.as_str()),
                message: Text::from(message),
                code: Some(Text::from(code)),
            };
            active.map(|at| (at, Event::from(data)))
        });
        latest_first(subagents, &mut events);
        events
    }
}

fn open(
    entities: &Entities,
    end: impl Fn(Text) -> EventData,
) -> impl Iterator<Item = (u64, Event)> {
    entities.by_id.iter().filter_map(move |(id, entity)| {
        let owner = entity.owner.as_ref().and_then(Option::as_deref);
        entity
            .open
            .map(|at| (at, owned(end(Text::from(id)), owner)))
    })
}

fn owned(data: EventData, owner: Option<&str>) -> Event {
    let common = Common {
        subagent_run_id: owner.map(Text::from),
        ..Common::default()
    };
    Event::with_common(data, common)
}

fn latest_first(open: impl Iterator<Item = (u64, Event)>, out: &mut Vec<Event>) {
    let mut open: Vec<(u64, Event)> = open.collect();
    open.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
    out.extend(open.into_iter().map(|(_, event)| event));
}
