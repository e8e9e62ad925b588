//! A recording as a conversation: messages, state, order of events and times.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use agui::fold::Fold;
use agui::pipeline::Pipeline;
use agui::{EventData, EventType};
use json::Value;

use super::generated_ids;
use super::input::InputStream;
use super::problems::FatalStreamError;
use super::recorder::time_of;
use crate::command_error::CommandError;

/// One of the two recordings.
pub(super) struct RecordingSide {
    pub(super) events: usize,
    /// Messages with numbers instead of ids, which differ between any two runs.
    pub(super) messages: Vec<Value>,
    pub(super) state: Value,
    /// End of the last run, such as "success" or an error.
    pub(super) end: String,
    /// Types of the events in order; consecutive deltas count once.
    pub(super) order: Vec<EventType>,
    /// Times of the events since the start, if they were recorded.
    times: Vec<Duration>,
}

impl RecordingSide {
    pub(super) fn read(mut source: InputStream, path: &Path) -> Result<Self, CommandError> {
        let file = path.display().to_string();
        let mut ids = 0;
        let mut pipeline = Pipeline::new(generated_ids(&mut ids));
        let mut fold = Fold::default();
        let mut order: Vec<EventType> = Vec::new();
        let mut stamps = Vec::new();
        let mut end = "no end".to_owned();
        loop {
            let index = source.events();
            let event = match source.next_event(|| Ok(()))? {
                None => break,
                Some(Ok(event)) => event,
                Some(Err(error)) => {
                    end = FatalStreamError::decode(Some(&file), index, &error).message;
                    break;
                }
            };
            let processed = pipeline.process(
                &event,
                |_| {},
                |event| {
                    // The pipeline expands chunks, and a patch that fails changes nothing.
                    let _ = fold.apply(event);
                    let kind = event.kind();
                    if order.last() != Some(&kind) || !is_delta(kind) {
                        order.push(kind);
                    }
                    if let Some(stamp) = event.common().timestamp {
                        stamps.push(stamp.get());
                    }
                    match event.data() {
                        EventData::RunStarted(_) => "no end".clone_into(&mut end),
                        EventData::RunError(data) => end = format!("RUN_ERROR: {}", data.message),
                        _ => {}
                    }
                },
            );
            if let Some(finished) = fold.take_finished_runs().pop() {
                end = finished.outcome.to_owned();
            }
            if let Err(error) = processed {
                end = error.to_string();
                break;
            }
        }
        Ok(Self {
            events: source.events(),
            messages: numbered_messages(&fold),
            state: fold.state().value().into_owned(),
            end,
            order,
            times: recorded_times(path).unwrap_or_else(|| stamped_times(&stamps)),
        })
    }

    pub(super) fn timing(&self) -> Option<RecordingTiming> {
        let (first, last) = (self.times.first()?, self.times.last()?);
        let pauses = self
            .times
            .windows(2)
            .map(|pair| pair[1].saturating_sub(pair[0]));
        Some(RecordingTiming {
            first: *first,
            total: *last,
            longest_pause: pauses.max().unwrap_or_default(),
        })
    }
}

/// Times of a recording.
pub(super) struct RecordingTiming {
    pub(super) first: Duration,
    pub(super) total: Duration,
    pub(super) longest_pause: Duration,
}

fn is_delta(kind: EventType) -> bool {
    matches!(
        kind,
        EventType::TextMessageContent
            | EventType::ReasoningMessageContent
            | EventType::ToolCallArgs
            | EventType::StateDelta
            | EventType::ActivityDelta
    )
}

/// Returns the times that `stream run --record` wrote.
fn recorded_times(path: &Path) -> Option<Vec<Duration>> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let times: Vec<Duration> = text.lines().filter_map(time_of).collect();
    (!times.is_empty()).then_some(times)
}

/// Returns the timestamps of the events, relative to the first.
fn stamped_times(stamps: &[i64]) -> Vec<Duration> {
    let first = stamps.first().copied().unwrap_or_default();
    let since = |stamp: &i64| u64::try_from(stamp.saturating_sub(first)).unwrap_or_default();
    stamps
        .iter()
        .map(|stamp| Duration::from_millis(since(stamp)))
        .collect()
}

/// Returns the messages with numbers instead of ids.
fn numbered_messages(fold: &Fold) -> Vec<Value> {
    let mut numbers: HashMap<String, String> = HashMap::new();
    let mut number = |value: &mut Value| {
        if let Some(id) = value.as_str() {
            let next = format!("#{}", numbers.len() + 1);
            let number = numbers.entry(id.to_owned()).or_insert(next);
            *value = number.as_str().into();
        }
    };
    fold.messages()
        .map(|message| {
            let mut message = Value::parse(&message.to_json()).unwrap_or_default();
            if let Some(members) = message.as_object_mut() {
                for key in ["id", "toolCallId", "subagentRunId"] {
                    if let Some(id) = members.get_mut(key) {
                        number(id);
                    }
                }
                if let Some(Value::Array(calls)) = members.get_mut("toolCalls") {
                    for call in calls.iter_mut().filter_map(Value::as_object_mut) {
                        if let Some(id) = call.get_mut("id") {
                            number(id);
                        }
                    }
                }
            }
            message
        })
        .collect()
}
