//! `pincite stream diff`: two recordings, compared as conversations.

use std::collections::HashMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use agui::fold::Fold;
use agui::pipeline::Pipeline;
use agui::{EventData, EventType};
use anstyle::AnsiColor;
use imara_diff::{Algorithm, Diff, InternedInput};
use json::patch::{PatchOperation, diff};
use json::{Map, Value};

use super::input::{self, InputStream};
use super::minted;
use super::record::time_of;
use super::report::FatalStreamError;
use super::run::time;
use crate::cli::{DiffArgs, InputArgs, ReportFormat};
use crate::failure::{CommandError, shown};

/// How much of a message is shown on each side.
const SHOWN: usize = 160;
/// How many differences of a kind are shown to people.
const MAX_SHOWN: usize = 50;

/// Runs the command: exit 1 if the conversations differ.
pub(crate) fn run(args: &DiffArgs) -> Result<(), CommandError> {
    let files = [&args.a, &args.b];
    let input = InputArgs {
        files: files.into_iter().cloned().collect(),
        from: args.from,
    };
    let mut sources = input::open(&input, false)?.into_iter();
    let mut next = |path| match sources.next() {
        Some(source) => RecordingSide::read(source, path),
        None => Err(CommandError::Usage("two recordings are needed")),
    };
    let (a, b) = (next(files[0])?, next(files[1])?);
    let comparison = RecordingDiff::of(&a, &b);
    match args.format {
        ReportFormat::Json => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            writeln!(out, "{}", comparison.to_value(&a, &b).to_json())?;
            out.flush()?;
        }
        ReportFormat::Text => comparison.print(&a, &b)?,
    }
    if comparison.is_same() {
        Ok(())
    } else {
        Err(CommandError::Finding)
    }
}

/// One of the recordings.
struct RecordingSide {
    events: usize,
    /// The messages, with numbers instead of ids: those of two runs are never the same.
    messages: Vec<Value>,
    state: Value,
    /// How it ended.
    end: String,
    /// The events in order; deltas that follow each other are one.
    order: Vec<EventType>,
    /// When each event came, as far as the recording says so.
    times: Vec<Duration>,
}

impl RecordingSide {
    fn read(mut source: InputStream, path: &Path) -> Result<Self, CommandError> {
        let file = path.display().to_string();
        let mut ids = 0;
        let mut pipeline = Pipeline::new(minted(&mut ids));
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
                    // The pipeline leaves no chunk; a patch that fails changes nothing.
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
            messages: numbered(&fold),
            state: fold.state().value().into_owned(),
            end,
            order,
            times: recorded_times(path).unwrap_or_else(|| stamped_times(&stamps)),
        })
    }

    fn timing(&self) -> Option<RecordingTiming> {
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

/// How long a recording took.
struct RecordingTiming {
    first: Duration,
    total: Duration,
    longest_pause: Duration,
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

/// The times that `stream run --record` wrote beside the events.
fn recorded_times(path: &Path) -> Option<Vec<Duration>> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let times: Vec<Duration> = text.lines().filter_map(time_of).collect();
    (!times.is_empty()).then_some(times)
}

/// The times that the events carry, from the first.
fn stamped_times(stamps: &[i64]) -> Vec<Duration> {
    let first = stamps.first().copied().unwrap_or_default();
    let since = |stamp: &i64| u64::try_from(stamp.saturating_sub(first)).unwrap_or_default();
    stamps
        .iter()
        .map(|stamp| Duration::from_millis(since(stamp)))
        .collect()
}

/// The messages with numbers instead of ids.
fn numbered(fold: &Fold) -> Vec<Value> {
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

/// A stretch where two lists differ: what stands there in each, and from where.
struct ListDifference<'a, T> {
    at: (usize, usize),
    a: &'a [T],
    b: &'a [T],
}

fn stretches<'a, T>(
    a: &'a [T],
    b: &'a [T],
    key: impl Fn(&T) -> String,
) -> Vec<ListDifference<'a, T>> {
    let mut input = InternedInput::default();
    input.update_before(a.iter().map(&key));
    input.update_after(b.iter().map(&key));
    Diff::compute(Algorithm::Myers, &input)
        .hunks()
        .map(|hunk| ListDifference {
            at: (hunk.before.start as usize, hunk.after.start as usize),
            a: &a[hunk.before.start as usize..hunk.before.end as usize],
            b: &b[hunk.after.start as usize..hunk.after.end as usize],
        })
        .collect()
}

/// What differs.
struct RecordingDiff<'a> {
    messages: Vec<ListDifference<'a, Value>>,
    state: Vec<PatchOperation>,
    order: Vec<ListDifference<'a, EventType>>,
    ends_differ: bool,
}

impl<'a> RecordingDiff<'a> {
    fn of(a: &'a RecordingSide, b: &'a RecordingSide) -> Self {
        Self {
            messages: stretches(&a.messages, &b.messages, Value::to_json),
            state: diff(&a.state, &b.state),
            order: stretches(&a.order, &b.order, |kind| kind.as_str().to_owned()),
            ends_differ: a.end != b.end,
        }
    }

    /// Whether the conversations are the same; when their parts came does not matter.
    fn is_same(&self) -> bool {
        self.messages.is_empty()
            && self.state.is_empty()
            && self.order.is_empty()
            && !self.ends_differ
    }

    fn print(&self, a: &RecordingSide, b: &RecordingSide) -> Result<(), CommandError> {
        let mut out = BufWriter::new(anstream::stdout());
        let (minus, plus) = (AnsiColor::Red.on_default(), AnsiColor::Green.on_default());
        let mut sides = |title: &str, a: &[String], b: &[String]| -> std::io::Result<()> {
            writeln!(out, "{title}")?;
            for (style, mark, lines) in [(minus, '-', a), (plus, '+', b)] {
                for line in lines {
                    writeln!(out, "  {style}{mark} {line}{style:#}")?;
                }
            }
            Ok(())
        };
        for stretch in self.messages.iter().take(MAX_SHOWN) {
            let (a, b) = shorten(stretch);
            sides(&format!("message {}", stretch.at.0 + 1), &a, &b)?;
        }
        for operation in self.state.iter().take(MAX_SHOWN) {
            let mut json = String::new();
            operation.write(&mut json);
            let path = match operation.path.as_str() {
                "" => "/".to_owned(),
                path => shown(path),
            };
            let before = pointed(&a.state, &operation.path).map(|value| cut(&value.to_json(), 0));
            let after = operation
                .value
                .as_ref()
                .map(|value| cut(&value.to_json(), 0));
            let lines = |side: Option<String>| side.into_iter().collect::<Vec<_>>();
            sides(&format!("state {path}"), &lines(before), &lines(after))?;
        }
        for stretch in self.order.iter().take(MAX_SHOWN) {
            let names = |kinds: &[EventType]| {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
                if names.is_empty() {
                    Vec::new()
                } else {
                    vec![cut(&names.join(" "), 0)]
                }
            };
            let title = format!("order, after {} steps", stretch.at.0);
            sides(&title, &names(stretch.a), &names(stretch.b))?;
        }
        if self.ends_differ {
            sides("end", &[shown(&a.end)], &[shown(&b.end)])?;
        }
        let hidden = [self.messages.len(), self.state.len(), self.order.len()]
            .iter()
            .map(|count| count.saturating_sub(MAX_SHOWN))
            .sum::<usize>();
        if hidden > 0 {
            writeln!(out, "… and {hidden} more; --format json has them all")?;
        }
        if self.is_same() {
            writeln!(out, "The conversations are the same.")?;
        }
        writeln!(out, "{}", timing_line("A", a))?;
        writeln!(out, "{}", timing_line("B", b))?;
        out.flush()?;
        Ok(())
    }

    fn to_value(&self, a: &RecordingSide, b: &RecordingSide) -> Value {
        let messages = self.messages.iter().map(|stretch| {
            Value::from([
                (
                    "at",
                    Value::from(vec![stretch.at.0.into(), stretch.at.1.into()]),
                ),
                ("a", Value::Array(stretch.a.to_vec())),
                ("b", Value::Array(stretch.b.to_vec())),
            ])
        });
        let state = self.state.iter().map(|operation| {
            let mut json = String::new();
            operation.write(&mut json);
            Value::parse(&json).unwrap_or_default()
        });
        let names = |kinds: &[EventType]| -> Value {
            let names: Vec<Value> = kinds.iter().map(|kind| kind.as_str().into()).collect();
            names.into()
        };
        let order = self.order.iter().map(|stretch| {
            Value::from([
                (
                    "at",
                    Value::from(vec![stretch.at.0.into(), stretch.at.1.into()]),
                ),
                ("a", names(stretch.a)),
                ("b", names(stretch.b)),
            ])
        });
        let side = |side: &RecordingSide| {
            let mut object = Map::new();
            object.insert("events".into(), side.events.into());
            object.insert("messages".into(), side.messages.len().into());
            object.insert("end".into(), side.end.as_str().into());
            if let Some(timing) = side.timing() {
                for (key, duration) in [
                    ("firstEventMs", timing.first),
                    ("longestPauseMs", timing.longest_pause),
                    ("totalMs", timing.total),
                ] {
                    let milliseconds = usize::try_from(duration.as_millis()).unwrap_or(usize::MAX);
                    object.insert(key.into(), milliseconds.into());
                }
            }
            Value::Object(object)
        };
        Value::from([
            ("same", Value::Bool(self.is_same())),
            ("messages", Value::Array(messages.collect())),
            ("state", Value::Array(state.collect())),
            ("order", Value::Array(order.collect())),
            ("a", side(a)),
            ("b", side(b)),
        ])
    }
}

fn timing_line(name: &str, side: &RecordingSide) -> String {
    let timing = side.timing().map_or_else(
        || "no times recorded".to_owned(),
        |timing| {
            format!(
                "first after {}, longest pause {}, all after {}",
                time(timing.first),
                time(timing.longest_pause),
                time(timing.total)
            )
        },
    );
    format!(
        "{name}: {} events, {} messages, {timing}",
        side.events,
        side.messages.len()
    )
}

/// Both sides of a stretch, each message cut to the place where the two begin to differ.
fn shorten(stretch: &ListDifference<'_, Value>) -> (Vec<String>, Vec<String>) {
    let texts = |messages: &[Value]| messages.iter().map(Value::to_json).collect::<Vec<_>>();
    let (a, b) = (texts(stretch.a), texts(stretch.b));
    let common = |one: &str, other: Option<&String>| {
        let other = other.map_or("", String::as_str);
        one.chars()
            .zip(other.chars())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let cut_all = |mine: &[String], other: &[String]| {
        mine.iter()
            .enumerate()
            .map(|(index, text)| cut(text, common(text, other.get(index))))
            .collect()
    };
    (cut_all(&a, &b), cut_all(&b, &a))
}

/// A stretch of a long text around a place.
fn cut(text: &str, at: usize) -> String {
    let start = at.saturating_sub(SHOWN / 2);
    let mut shown_text: String = text.chars().skip(start).take(SHOWN).collect();
    if start > 0 {
        shown_text.insert(0, '…');
    }
    if text.chars().nth(start + SHOWN).is_some() {
        shown_text.push('…');
    }
    shown(&shown_text)
}

/// The value a JSON Pointer names.
fn pointed<'a>(document: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(document, |value, token| {
            let token = token.replace("~1", "/").replace("~0", "~");
            match value {
                Value::Object(members) => members.get(&token),
                Value::Array(items) => items.get(token.parse::<usize>().ok()?),
                _ => None,
            }
        })
}
