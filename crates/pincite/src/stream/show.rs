//! A run as people like to see it: text as it comes, everything else in short lines.

use std::collections::HashMap;
use std::io::{self, Write};

use agui::model::{RunOutcome, TextOrParts};
use agui::{Event, EventData};
use anstyle::{AnsiColor, Style};
use citations::{CitationParser, ParseEvent as Read};
use json::Value;
use json::patch::{PatchOp, PatchOperation, diff};

use super::cited::{CitationReport, CitationRow, CitationUpdate};
use crate::failure::shown;

/// How much of a value is shown.
const SHORT: usize = 72;
/// How much of a tool's result is shown.
const RESULT: usize = 300;
/// How many changes of the state are shown at once.
const CHANGES: usize = 6;

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().dimmed();
const CALL: Style = AnsiColor::Cyan.on_default();
const STATE: Style = AnsiColor::Magenta.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const WAIT: Style = AnsiColor::Yellow.on_default();

/// Shows events on a terminal or in a file.
pub(super) struct EventPrinter<W> {
    out: W,
    /// What the unfinished line belongs to.
    line: Option<String>,
    /// White space at the end of that line, which is written when more follows.
    blank: String,
    /// Messages that are being read: what is data for programs is not shown.
    readers: HashMap<String, CitationParser>,
    /// How many citations the messages have.
    citations: usize,
    /// What is true of citations whose text is still being written.
    held: Vec<CitationRow>,
    /// The names of calls.
    calls: HashMap<String, String>,
    cited: CitationReport,
}

impl<W: Write> EventPrinter<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            line: None,
            blank: String::new(),
            readers: HashMap::new(),
            citations: 0,
            held: Vec::new(),
            calls: HashMap::new(),
            cited: CitationReport::default(),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Shows an event. `before` is the state before it.
    pub(super) fn event(&mut self, event: &Event, before: &Value) -> io::Result<()> {
        let subagent = event.common().subagent_run_id.as_deref();
        match event.data() {
            EventData::RunStarted(data) => self.line(
                DIM,
                &format!(
                    "run {} of thread {}",
                    shown(&data.run_id),
                    shown(&data.thread_id)
                ),
            ),
            EventData::TextMessageStart(data) => {
                let role = data.role.map_or("assistant", |role| role.as_str());
                let name = data.name.as_deref();
                self.end_line()?;
                match (role, name, subagent) {
                    ("assistant", None, None) => Ok(()),
                    (role, name, subagent) => {
                        let name = name.or(subagent).unwrap_or(role);
                        self.line(DIM, &format!("{}:", shown(name)))
                    }
                }
            }
            EventData::TextMessageContent(data) => self.read(&data.message_id, Some(&data.delta)),
            EventData::ReasoningMessageContent(data) => {
                self.grow("reasoning", &data.message_id, DIM, &data.delta)
            }
            EventData::TextMessageEnd(data) => {
                self.read(&data.message_id, None)?;
                self.readers.remove(data.message_id.as_str());
                self.end_line()
            }
            EventData::ReasoningMessageEnd(_) => self.end_line(),
            EventData::ToolCallStart(data) => {
                let name = shown(&data.tool_call_name);
                self.end_line()?;
                write!(self.out, "{CALL}→ {name}{CALL:#} ")?;
                self.line = Some(format!("call {}", data.tool_call_id));
                self.calls.insert(data.tool_call_id.to_string(), name);
                Ok(())
            }
            EventData::ToolCallArgs(data) => {
                self.grow("call", &data.tool_call_id, PLAIN, &data.delta)
            }
            EventData::ToolCallEnd(data) => {
                if self.line == Some(format!("call {}", data.tool_call_id)) {
                    self.end_line()?;
                }
                Ok(())
            }
            EventData::ToolCallResult(data) => {
                let name = self.calls.get(data.tool_call_id.as_str());
                let name = name.map_or_else(|| shown(&data.tool_call_id), Clone::clone);
                let result = match &data.content {
                    TextOrParts::Text(text) => short(text, RESULT),
                    TextOrParts::Parts(parts) => format!("{} parts", parts.len()),
                };
                self.end_line()?;
                writeln!(self.out, "{CALL}← {name}{CALL:#} {result}")
            }
            EventData::StateSnapshot(data) => {
                let changes = diff(before, &data.snapshot.value());
                self.changes(&changes)
            }
            EventData::StateDelta(data) if self.cited.takes(&data.delta) => {
                for told in self.cited.told(&data.delta) {
                    match told {
                        CitationUpdate::Row(row) => self.held.push(row),
                        CitationUpdate::Summary(line) => {
                            self.end_line()?;
                            writeln!(self.out, "\n{line}")?;
                        }
                    }
                }
                // A text that is being written is not torn apart.
                match self.is_in_text() {
                    true => Ok(()),
                    false => self.end_line(),
                }
            }
            EventData::StateDelta(data) => self.changes(&data.delta),
            EventData::MessagesSnapshot(data) => self.line(
                DIM,
                &format!("the conversation has {} messages now", data.messages.len()),
            ),
            EventData::ActivitySnapshot(data) => {
                let content = short(&data.content.as_json().to_json(), SHORT);
                let line = format!("activity {}: {content}", shown(&data.activity_type));
                self.line(DIM, &line)
            }
            EventData::StepStarted(data) => {
                self.line(DIM, &format!("step {}", shown(&data.step_name)))
            }
            EventData::SubagentStarted(data) => {
                self.line(DIM, &format!("subagent {} begins", shown(&data.name)))
            }
            EventData::SubagentError(data) => {
                self.line(BAD, &format!("subagent failed: {}", shown(&data.message)))
            }
            EventData::Custom(data) => {
                let value = short(&data.value.to_json(), SHORT);
                self.line(DIM, &format!("custom {}: {value}", shown(&data.name)))
            }
            EventData::RunFinished(data) => {
                if let Some(result) = &data.result {
                    self.line(
                        PLAIN,
                        &format!("result: {}", short(&result.to_json(), RESULT)),
                    )?;
                }
                if let Some(RunOutcome::Interrupt { interrupts }) = data.outcome.as_deref() {
                    for interrupt in interrupts {
                        let message = interrupt.message.as_deref().unwrap_or_default();
                        let line = format!(
                            "waits for an answer to {} ({}) {}",
                            shown(&interrupt.id),
                            shown(&interrupt.reason),
                            shown(message)
                        );
                        self.line(WAIT, line.trim_end())?;
                    }
                }
                self.end_line()
            }
            EventData::RunError(data) => {
                let code = data
                    .code
                    .as_deref()
                    .map_or(String::new(), |code| format!(" ({code})"));
                self.line(
                    BAD,
                    &format!("RUN_ERROR{}: {}", shown(&code), shown(&data.message)),
                )
            }
            _ => Ok(()),
        }
    }

    /// A line of its own.
    pub(super) fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{style}{text}{style:#}")
    }

    /// A line at the end, less important than what was said.
    pub(super) fn summary(&mut self, text: &str) -> io::Result<()> {
        if self.citations > 0 && !self.cited.is_checked() {
            let citations = match self.citations {
                1 => "1 citation".to_owned(),
                count => format!("{count} citations"),
            };
            let line = format!("{citations}, not checked: pincite serve --upstream URL does that");
            self.line(DIM, &line)?;
        }
        self.line(DIM, text)
    }

    /// More of a message, or its end: what is to be shown of it.
    fn read(&mut self, id: &str, delta: Option<&str>) -> io::Result<()> {
        let reader = self.readers.entry(id.to_owned()).or_default();
        let (mut visible, mut citations) = (String::new(), 0);
        let mut handle = |event: Read<'_>| match event {
            Read::Text { text, .. } => visible.push_str(text),
            Read::Citation(_) => citations += 1,
            Read::Marker(_) | Read::Problem(_) => {}
        };
        match delta {
            Some(delta) => reader.feed(delta, &mut handle),
            None => reader.finish(&mut handle),
        }
        self.citations += citations;
        match visible.as_str() {
            "" => Ok(()),
            visible => self.grow("text", id, PLAIN, visible),
        }
    }

    fn is_in_text(&self) -> bool {
        let line = self.line.as_deref();
        line.is_some_and(|line| line.starts_with("text "))
    }

    /// More of a text that grows.
    fn grow(&mut self, what: &str, id: &str, style: Style, delta: &str) -> io::Result<()> {
        let line = format!("{what} {id}");
        let mut delta = delta;
        if self.line.as_ref() != Some(&line) {
            delta = delta.trim_start_matches('\n');
            self.end_line()?;
            self.line = Some(line);
        }
        let text = delta.trim_end();
        let blank = &delta[text.len()..];
        if text.is_empty() {
            self.blank.push_str(blank);
            return Ok(());
        }
        let before = std::mem::replace(&mut self.blank, blank.to_owned());
        write!(self.out, "{style}")?;
        for character in before.chars().chain(text.chars()) {
            match character {
                '\n' | '\t' => write!(self.out, "{character}")?,
                _ => write_safe(&mut self.out, character)?,
            }
        }
        write!(self.out, "{style:#}")
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.blank.clear();
        let after_text = self.is_in_text();
        if self.line.take().is_some() {
            writeln!(self.out)?;
        }
        if after_text && !self.held.is_empty() {
            writeln!(self.out)?;
        }
        self.held.sort_by_key(|row| row.number);
        for row in self.held.drain(..) {
            writeln!(self.out, "{}", row.text)?;
        }
        Ok(())
    }

    fn changes(&mut self, operations: &[PatchOperation]) -> io::Result<()> {
        self.end_line()?;
        for operation in operations.iter().take(CHANGES) {
            let path = match operation.path.as_str() {
                "" => "/",
                path => path,
            };
            let mark = match operation.op {
                PatchOp::Add => "+",
                PatchOp::Remove => "-",
                PatchOp::Replace => "~",
                PatchOp::Move | PatchOp::Copy => ">",
                PatchOp::Test => continue,
            };
            let mut line = format!("{mark} {}", short(path, SHORT));
            if let Some(from) = &operation.from {
                line.push_str(&format!(" from {}", short(from, SHORT)));
            }
            if let Some(value) = &operation.value {
                line.push_str(&format!(" = {}", short(&value.to_json(), SHORT)));
            }
            writeln!(self.out, "{STATE}state{STATE:#} {line}")?;
        }
        match operations.len().saturating_sub(CHANGES) {
            0 => Ok(()),
            more => writeln!(self.out, "{STATE}state{STATE:#} … and {more} more changes"),
        }
    }
}

/// Writes a character unless it could move the cursor or turn the text around.
fn write_safe(out: &mut impl Write, character: char) -> io::Result<()> {
    let mut buffer = [0; 4];
    let text = character.encode_utf8(&mut buffer);
    if character.is_ascii() && !character.is_ascii_control() {
        out.write_all(text.as_bytes())
    } else {
        out.write_all(shown(text).as_bytes())
    }
}

/// The beginning of a text, on one line.
fn short(text: &str, length: usize) -> String {
    let mut cut: String = text.chars().take(length).collect();
    if text.chars().nth(length).is_some() {
        cut.push('…');
    }
    shown(&cut)
}
