//! Events of a run for people: text as it arrives, everything else in short lines.

use std::collections::HashMap;
use std::io::{self, Write};

use agui::model::{RunOutcome, TextOrParts};
use agui::{Event, EventData};
use anstyle::{AnsiColor, Style};
use citations::{CitationParser, ParseEvent};
use json::Value;
use json::patch::{PatchOp, PatchOperation, diff};

use super::citation_lines::{CitationReport, CitationRow, CitationUpdate};
use crate::command_error::printable;

/// Limit on the characters of a value.
const MAX_VALUE: usize = 72;
/// Limit on the characters of a result.
const MAX_RESULT: usize = 300;
/// Limit on the state changes shown for one event.
const MAX_CHANGES: usize = 6;

const PLAIN: Style = Style::new();
const DIM: Style = Style::new().dimmed();
const CALL: Style = AnsiColor::Cyan.on_default();
const STATE: Style = AnsiColor::Magenta.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const WAIT: Style = AnsiColor::Yellow.on_default();

/// Printer of events for a terminal or a file.
pub(super) struct EventPrinter<W> {
    out: W,
    /// Kind and id of the message or tool call that the unfinished line belongs to.
    line: Option<String>,
    /// White space at the end of that line. It is written only if more text follows.
    blank: String,
    /// Parsers of open messages, which hide the data blocks of citations.
    parsers: HashMap<String, CitationParser>,
    /// Number of citations in the messages.
    citations: usize,
    /// Results that wait for the end of the text.
    waiting: Vec<CitationRow>,
    /// Names of tool calls by id.
    calls: HashMap<String, String>,
    cited: CitationReport,
}

impl<W: Write> EventPrinter<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            line: None,
            blank: String::new(),
            parsers: HashMap::new(),
            citations: 0,
            waiting: Vec::new(),
            calls: HashMap::new(),
            cited: CitationReport::default(),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints an event. `before` is the state before it.
    pub(super) fn event(&mut self, event: &Event, before: &Value) -> io::Result<()> {
        let subagent = event.common().subagent_run_id.as_deref();
        match event.data() {
            EventData::RunStarted(data) => self.line(
                DIM,
                &format!(
                    "run {} of thread {}",
                    printable(&data.run_id),
                    printable(&data.thread_id)
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
                        self.line(DIM, &format!("{}:", printable(name)))
                    }
                }
            }
            EventData::TextMessageContent(data) => self.read(&data.message_id, Some(&data.delta)),
            EventData::ReasoningMessageContent(data) => {
                self.append("reasoning", &data.message_id, DIM, &data.delta)
            }
            EventData::TextMessageEnd(data) => {
                self.read(&data.message_id, None)?;
                self.parsers.remove(data.message_id.as_str());
                self.end_line()
            }
            EventData::ReasoningMessageEnd(_) => self.end_line(),
            EventData::ToolCallStart(data) => {
                let name = printable(&data.tool_call_name);
                self.end_line()?;
                write!(self.out, "{CALL}→ {name}{CALL:#} ")?;
                self.line = Some(format!("call {}", data.tool_call_id));
                self.calls.insert(data.tool_call_id.to_string(), name);
                Ok(())
            }
            EventData::ToolCallArgs(data) => {
                self.append("call", &data.tool_call_id, PLAIN, &data.delta)
            }
            EventData::ToolCallEnd(data) => {
                if self.line == Some(format!("call {}", data.tool_call_id)) {
                    self.end_line()?;
                }
                Ok(())
            }
            EventData::ToolCallResult(data) => {
                let name = self.calls.get(data.tool_call_id.as_str());
                let name = name.map_or_else(|| printable(&data.tool_call_id), Clone::clone);
                let result = match &data.content {
                    TextOrParts::Text(text) => short(text, MAX_RESULT),
                    TextOrParts::Parts(parts) => format!("{} parts", parts.len()),
                };
                self.end_line()?;
                writeln!(self.out, "{CALL}← {name}{CALL:#} {result}")
            }
            EventData::StateSnapshot(data) => {
                let changes = diff(before, &data.snapshot.value());
                self.changes(&changes)
            }
            EventData::StateDelta(data) if self.cited.is_about_citations(&data.delta) => {
                for update in self.cited.updates(&data.delta) {
                    match update {
                        CitationUpdate::Row(row) => self.waiting.push(row),
                        CitationUpdate::Summary(line) => {
                            self.end_line()?;
                            writeln!(self.out, "\n{line}")?;
                        }
                    }
                }
                // Results do not interrupt a text.
                match self.is_in_text() {
                    true => Ok(()),
                    false => self.end_line(),
                }
            }
            EventData::StateDelta(data) => self.changes(&data.delta),
            EventData::MessagesSnapshot(data) => self.line(
                DIM,
                &format!("the conversation has {} messages", data.messages.len()),
            ),
            EventData::ActivitySnapshot(data) => {
                let content = short(&data.content.as_json().to_json(), MAX_VALUE);
                let line = format!("activity {}: {content}", printable(&data.activity_type));
                self.line(DIM, &line)
            }
            EventData::StepStarted(data) => {
                self.line(DIM, &format!("step {}", printable(&data.step_name)))
            }
            EventData::SubagentStarted(data) => {
                self.line(DIM, &format!("subagent {} started", printable(&data.name)))
            }
            EventData::SubagentError(data) => self.line(
                BAD,
                &format!("subagent failed: {}", printable(&data.message)),
            ),
            EventData::Custom(data) => {
                let value = short(&data.value.to_json(), MAX_VALUE);
                self.line(DIM, &format!("custom {}: {value}", printable(&data.name)))
            }
            EventData::RunFinished(data) => {
                if let Some(result) = &data.result {
                    self.line(
                        PLAIN,
                        &format!("result: {}", short(&result.to_json(), MAX_RESULT)),
                    )?;
                }
                if let Some(RunOutcome::Interrupt { interrupts }) = data.outcome.as_deref() {
                    for interrupt in interrupts {
                        let message = interrupt.message.as_deref().unwrap_or_default();
                        let line = format!(
                            "waiting for an answer to {} ({}) {}",
                            printable(&interrupt.id),
                            printable(&interrupt.reason),
                            printable(message)
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
                    &format!(
                        "RUN_ERROR{}: {}",
                        printable(&code),
                        printable(&data.message)
                    ),
                )
            }
            _ => Ok(()),
        }
    }

    /// Prints one line.
    pub(super) fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{style}{text}{style:#}")
    }

    /// Prints the last lines: citations that were not verified, and timings.
    pub(super) fn summary(&mut self, text: &str) -> io::Result<()> {
        if self.citations > 0 && !self.cited.is_verified() {
            let citations = match self.citations {
                1 => "1 citation".to_owned(),
                count => format!("{count} citations"),
            };
            let line =
                format!("{citations} not verified; `pincite serve --upstream URL` verifies them");
            self.line(DIM, &line)?;
        }
        self.line(DIM, text)
    }

    /// Prints the visible part of a delta; `None` is the end of the message.
    fn read(&mut self, id: &str, delta: Option<&str>) -> io::Result<()> {
        let parser = self.parsers.entry(id.to_owned()).or_default();
        let (mut visible, mut citations) = (String::new(), 0);
        let mut handle = |event: ParseEvent<'_>| match event {
            ParseEvent::Text { text, .. } => visible.push_str(text),
            ParseEvent::Citation(_) => citations += 1,
            ParseEvent::Marker(_) | ParseEvent::Problem(_) => {}
        };
        match delta {
            Some(delta) => parser.feed(delta, &mut handle),
            None => parser.finish(&mut handle),
        }
        self.citations += citations;
        match visible.as_str() {
            "" => Ok(()),
            visible => self.append("text", id, PLAIN, visible),
        }
    }

    fn is_in_text(&self) -> bool {
        let line = self.line.as_deref();
        line.is_some_and(|line| line.starts_with("text "))
    }

    /// Appends text to the line of a message or tool call.
    fn append(&mut self, what: &str, id: &str, style: Style, delta: &str) -> io::Result<()> {
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
        if after_text && !self.waiting.is_empty() {
            writeln!(self.out)?;
        }
        self.waiting.sort_by_key(|row| row.number);
        for row in self.waiting.drain(..) {
            writeln!(self.out, "{}", row.text)?;
        }
        Ok(())
    }

    fn changes(&mut self, operations: &[PatchOperation]) -> io::Result<()> {
        self.end_line()?;
        for operation in operations.iter().take(MAX_CHANGES) {
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
            let mut line = format!("{mark} {}", short(path, MAX_VALUE));
            if let Some(from) = &operation.from {
                line.push_str(&format!(" from {}", short(from, MAX_VALUE)));
            }
            if let Some(value) = &operation.value {
                line.push_str(&format!(" = {}", short(&value.to_json(), MAX_VALUE)));
            }
            writeln!(self.out, "{STATE}state{STATE:#} {line}")?;
        }
        match operations.len().saturating_sub(MAX_CHANGES) {
            0 => Ok(()),
            more => writeln!(self.out, "{STATE}state{STATE:#} … and {more} more changes"),
        }
    }
}

/// Writes a character. Escapes those that move the cursor or change the direction of text.
fn write_safe(out: &mut impl Write, character: char) -> io::Result<()> {
    let mut buffer = [0; 4];
    let text = character.encode_utf8(&mut buffer);
    if character.is_ascii() && !character.is_ascii_control() {
        out.write_all(text.as_bytes())
    } else {
        out.write_all(printable(text).as_bytes())
    }
}

/// Returns the beginning of a text, safe for a terminal.
fn short(text: &str, length: usize) -> String {
    let mut cut: String = text.chars().take(length).collect();
    if text.chars().nth(length).is_some() {
        cut.push('…');
    }
    printable(&cut)
}
