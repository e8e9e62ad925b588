//! `pincite stream diff`: compares two recordings as conversations.

use std::io::{BufWriter, Write};

use agui::EventType;
use anstyle::AnsiColor;
use imara_diff::{Algorithm, Diff, InternedInput};
use json::patch::{PatchOperation, diff};
use json::{Map, Value};

use super::input;
use super::recording_side::RecordingSide;
use super::run::format_duration;
use crate::cli::{DiffArgs, InputArgs, ReportFormat};
use crate::command_error::{CommandError, printable};

/// Limit on the characters of a message on each side.
const MAX_TEXT: usize = 160;
/// Limit on the differences of each kind in the text report.
const MAX_SHOWN: usize = 50;

/// Runs the command. Returns a finding if the conversations differ.
pub(crate) fn run(args: &DiffArgs) -> Result<(), CommandError> {
    let files = [&args.a, &args.b];
    let input = InputArgs {
        files: files.into_iter().cloned().collect(),
        from: args.from,
    };
    let mut sources = input::open(&input, false)?.into_iter();
    let mut next = |path| match sources.next() {
        Some(source) => RecordingSide::read(source, path),
        None => Err(CommandError::Usage(
            "two recordings are needed; name two files",
        )),
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

/// A range in which two lists differ.
struct ListDifference<'a, T> {
    /// Start of the range in each list.
    at: (usize, usize),
    a: &'a [T],
    b: &'a [T],
}

fn list_differences<'a, T>(
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

/// Differences between two recordings.
struct RecordingDiff<'a> {
    messages: Vec<ListDifference<'a, Value>>,
    state: Vec<PatchOperation>,
    order: Vec<ListDifference<'a, EventType>>,
    ends_differ: bool,
}

impl<'a> RecordingDiff<'a> {
    fn of(a: &'a RecordingSide, b: &'a RecordingSide) -> Self {
        Self {
            messages: list_differences(&a.messages, &b.messages, Value::to_json),
            state: diff(&a.state, &b.state),
            order: list_differences(&a.order, &b.order, |kind| kind.as_str().to_owned()),
            ends_differ: a.end != b.end,
        }
    }

    /// Returns true if the conversations are the same. Times do not matter.
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
        for difference in self.messages.iter().take(MAX_SHOWN) {
            let (a, b) = shorten(difference);
            sides(&format!("message {}", difference.at.0 + 1), &a, &b)?;
        }
        for operation in self.state.iter().take(MAX_SHOWN) {
            let mut json = String::new();
            operation.write(&mut json);
            let path = match operation.path.as_str() {
                "" => "/".to_owned(),
                path => printable(path),
            };
            let before = value_at(&a.state, &operation.path).map(|value| cut(&value.to_json(), 0));
            let after = operation
                .value
                .as_ref()
                .map(|value| cut(&value.to_json(), 0));
            let lines = |side: Option<String>| side.into_iter().collect::<Vec<_>>();
            sides(&format!("state {path}"), &lines(before), &lines(after))?;
        }
        for difference in self.order.iter().take(MAX_SHOWN) {
            let names = |kinds: &[EventType]| {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
                if names.is_empty() {
                    Vec::new()
                } else {
                    vec![cut(&names.join(" "), 0)]
                }
            };
            let title = format!("order, after {} steps", difference.at.0);
            sides(&title, &names(difference.a), &names(difference.b))?;
        }
        if self.ends_differ {
            sides("end", &[printable(&a.end)], &[printable(&b.end)])?;
        }
        let hidden = [self.messages.len(), self.state.len(), self.order.len()]
            .iter()
            .map(|count| count.saturating_sub(MAX_SHOWN))
            .sum::<usize>();
        if hidden > 0 {
            writeln!(
                out,
                "… and {hidden} more differences; --format json lists all"
            )?;
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
        let messages = self.messages.iter().map(|difference| {
            Value::from([
                (
                    "at",
                    Value::from(vec![difference.at.0.into(), difference.at.1.into()]),
                ),
                ("a", Value::Array(difference.a.to_vec())),
                ("b", Value::Array(difference.b.to_vec())),
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
        let order = self.order.iter().map(|difference| {
            Value::from([
                (
                    "at",
                    Value::from(vec![difference.at.0.into(), difference.at.1.into()]),
                ),
                ("a", names(difference.a)),
                ("b", names(difference.b)),
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
                format_duration(timing.first),
                format_duration(timing.longest_pause),
                format_duration(timing.total)
            )
        },
    );
    format!(
        "{name}: {} events, {} messages, {timing}",
        side.events,
        side.messages.len()
    )
}

/// Returns both sides, each message cut to the part where the two begin to differ.
fn shorten(difference: &ListDifference<'_, Value>) -> (Vec<String>, Vec<String>) {
    let texts = |messages: &[Value]| messages.iter().map(Value::to_json).collect::<Vec<_>>();
    let (a, b) = (texts(difference.a), texts(difference.b));
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

/// Returns the part of a long text around a position.
fn cut(text: &str, at: usize) -> String {
    let start = at.saturating_sub(MAX_TEXT / 2);
    let mut part: String = text.chars().skip(start).take(MAX_TEXT).collect();
    if start > 0 {
        part.insert(0, '…');
    }
    if text.chars().nth(start + MAX_TEXT).is_some() {
        part.push('…');
    }
    printable(&part)
}

/// Returns the value at a JSON Pointer.
fn value_at<'a>(document: &'a Value, pointer: &str) -> Option<&'a Value> {
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
