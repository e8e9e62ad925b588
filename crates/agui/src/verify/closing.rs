//! End events for everything that is open, so that a run can end.

use super::{EntityTable, OrderVerifier};
use crate::event::{
    CommonFields, Event, EventData, ReasoningEnd, ReasoningMessageEnd, StepFinished, SubagentError,
    TextMessageEnd, ToolCallEnd,
};
use json::Text;

/// Returns the events that end everything that is open; see [`OrderVerifier::closing_events`].
pub(super) fn closing_events(verifier: &OrderVerifier, message: &str, code: &str) -> Vec<Event> {
    let mut events = Vec::new();
    let texts = open_entities(&verifier.texts, |id| {
        TextMessageEnd { message_id: id }.into()
    });
    let thoughts = open_entities(&verifier.reasoning, |id| {
        ReasoningMessageEnd { message_id: id }.into()
    });
    latest_first(texts.chain(thoughts), &mut events);
    let spans = verifier.spans.by_id.iter().filter_map(|(id, entity)| {
        let data = ReasoningEnd {
            message_id: Text::from(id),
        };
        // Spans have the owners of reasoning messages.
        let owner = verifier.reasoning.owner(id).and_then(Option::as_deref);
        entity.open.map(|at| (at, attributed(data.into(), owner)))
    });
    latest_first(spans, &mut events);
    let calls = open_entities(&verifier.tools, |id| {
        ToolCallEnd { tool_call_id: id }.into()
    });
    latest_first(calls, &mut events);
    let steps = verifier.steps.iter().flat_map(|(name, open)| {
        open.iter().map(|(owner, at)| {
            let data = StepFinished {
                step_name: Text::from(name.as_str()),
            };
            (*at, attributed(data.into(), owner.as_deref()))
        })
    });
    latest_first(steps, &mut events);
    let subagents = verifier.subagents.iter().filter_map(|(id, active)| {
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

fn open_entities(
    entities: &EntityTable,
    end: impl Fn(Text) -> EventData,
) -> impl Iterator<Item = (u64, Event)> {
    entities.by_id.iter().filter_map(move |(id, entity)| {
        let owner = entity.owner.as_ref().and_then(Option::as_deref);
        entity
            .open
            .map(|at| (at, attributed(end(Text::from(id)), owner)))
    })
}

fn attributed(data: EventData, owner: Option<&str>) -> Event {
    let common = CommonFields {
        subagent_run_id: owner.map(Text::from),
        ..CommonFields::default()
    };
    Event::with_common(data, common)
}

fn latest_first(open: impl Iterator<Item = (u64, Event)>, out: &mut Vec<Event>) {
    let mut open: Vec<(u64, Event)> = open.collect();
    open.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
    out.extend(open.into_iter().map(|(_, event)| event));
}
