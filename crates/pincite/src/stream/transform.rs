//! `pincite stream expand`, `compact` and `convert`: write events in another form.

use std::io::{BufWriter, StdoutLock, Write};

use agui::Event;
use agui::pipeline::Pipeline;
use agui::stream::{StreamFormat, WriteOutcome, encode, encode_received};

use super::conversation_json::plain;
use super::generated_ids;
use super::input::{self, InputStream};
use super::problems::{FatalStreamError, MAX_SHOWN, StreamWarning, place};
use crate::cli::{OutputFormat, TransformArgs};
use crate::command_error::{CommandError, warn};

/// Output of events, with warnings about them.
struct TransformOutput {
    out: BufWriter<StdoutLock<'static>>,
    format: StreamFormat,
    buffer: Vec<u8>,
    warnings: usize,
}

impl TransformOutput {
    fn new(args: &TransformArgs) -> Self {
        Self {
            out: BufWriter::new(std::io::stdout().lock()),
            format: match args.to {
                OutputFormat::Sse => StreamFormat::Sse,
                OutputFormat::Jsonl => StreamFormat::Json,
                OutputFormat::Proto => StreamFormat::Proto,
            },
            buffer: Vec::new(),
            warnings: 0,
        }
    }

    /// Writes the bytes that `encode` appends to the buffer.
    fn write<T>(
        &mut self,
        encode: impl FnOnce(StreamFormat, &mut Vec<u8>) -> T,
    ) -> Result<T, CommandError> {
        self.buffer.clear();
        let written = encode(self.format, &mut self.buffer);
        self.out.write_all(&self.buffer)?;
        Ok(written)
    }

    /// Writes processed events.
    fn write_all(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), CommandError> {
        for event in events {
            self.write(|format, out| match format {
                StreamFormat::Json => {
                    out.extend_from_slice(plain(&event.to_json()).as_bytes());
                    out.push(b'\n');
                }
                _ => encode(&event, format, out),
            })?;
        }
        Ok(())
    }

    /// Flushes the output, so that readers see it while the command waits for input.
    fn flush(&mut self) -> Result<(), CommandError> {
        Ok(self.out.flush()?)
    }

    /// Prints a warning about an event, up to a limit.
    fn warn(&mut self, file: Option<&String>, index: usize, message: &str) {
        self.warnings += 1;
        if self.warnings <= MAX_SHOWN {
            warn(&format!("{}: {message}", place(file, index)));
        }
    }

    /// Flushes the output and returns the result of the command.
    fn finish(mut self, error: Option<&FatalStreamError>) -> Result<(), CommandError> {
        self.flush()?;
        if self.warnings > MAX_SHOWN {
            warn(&format!(
                "… and {} more warnings",
                self.warnings - MAX_SHOWN
            ));
        }
        match error {
            Some(error) => Err(error.stopped()),
            None => Ok(()),
        }
    }
}

/// Writes the same events in another encoding.
pub(crate) fn convert(args: &TransformArgs) -> Result<(), CommandError> {
    let sources = input::open(&args.input, false)?;
    let mut output = TransformOutput::new(args);
    for mut source in sources {
        let file = source.name.clone();
        loop {
            let event = match next(&mut source, &mut output)? {
                NextEvent::End => break,
                NextEvent::Event(event) => event,
                NextEvent::Error(error) => return output.finish(Some(&error)),
            };
            let index = source.events() - 1;
            let name = event.type_name();
            match output.write(|format, out| encode_received(&event, format, out))? {
                WriteOutcome::Complete => {}
                WriteOutcome::Partial => {
                    let message = format!(
                        "{name}: protobuf has no fields for some members, which are left out; `pincite stream check` lists them"
                    );
                    output.warn(file.as_ref(), index, &message);
                }
                WriteOutcome::Nothing => {
                    let message = format!(
                        "protobuf has no message for '{name}', which is left out; `pincite stream expand --to proto` upgrades older forms"
                    );
                    output.warn(file.as_ref(), index, &message);
                }
            }
        }
    }
    output.finish(None)
}

/// Writes the events after compatibility, enforcement and expansion.
pub(crate) fn expand(args: &TransformArgs) -> Result<(), CommandError> {
    transform(
        args,
        |events, output| output.write_all(events.drain(..)),
        |_, _| Ok(()),
    )
}

/// Writes the compacted events of each file.
pub(crate) fn compact(args: &TransformArgs) -> Result<(), CommandError> {
    transform(
        args,
        |_, _| Ok(()),
        |events, output| output.write_all(agui::compact::compact(&std::mem::take(events))),
    )
}

/// Expands each stream. Calls `each` after every event and `end` after the last one of a stream.
fn transform(
    args: &TransformArgs,
    mut each: impl FnMut(&mut Vec<Event>, &mut TransformOutput) -> Result<(), CommandError>,
    mut end: impl FnMut(&mut Vec<Event>, &mut TransformOutput) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let sources = input::open(&args.input, false)?;
    let mut output = TransformOutput::new(args);
    let mut ids = 0;
    for mut source in sources {
        let mut events = Vec::new();
        let error = expand_one(&mut source, &mut ids, &mut events, &mut output, &mut each)?;
        end(&mut events, &mut output)?;
        if error.is_some() {
            return output.finish(error.as_ref());
        }
    }
    output.finish(None)
}

fn expand_one(
    source: &mut InputStream,
    ids: &mut usize,
    events: &mut Vec<Event>,
    output: &mut TransformOutput,
    each: &mut impl FnMut(&mut Vec<Event>, &mut TransformOutput) -> Result<(), CommandError>,
) -> Result<Option<FatalStreamError>, CommandError> {
    let file = source.name.clone();
    let file = file.as_ref();
    let mut pipeline = Pipeline::new(generated_ids(ids));
    loop {
        let event = match next(source, output)? {
            NextEvent::End => return Ok(None),
            NextEvent::Event(event) => event,
            NextEvent::Error(error) => return Ok(Some(error)),
        };
        let index = source.events() - 1;
        let mut removed = Vec::new();
        let result = pipeline.expand(event, |part| removed.push(part), events);
        for part in removed {
            output.warn(
                file,
                index,
                &StreamWarning::removed(None, index, part).message,
            );
        }
        each(events, output)?;
        if let Err(error) = result {
            return Ok(Some(FatalStreamError::stage(file, index, &error)));
        }
    }
}

/// Next item of a stream.
enum NextEvent {
    Event(agui::ReceivedEvent),
    Error(FatalStreamError),
    End,
}

fn next(source: &mut InputStream, output: &mut TransformOutput) -> Result<NextEvent, CommandError> {
    let file = source.name.clone();
    let file = file.as_ref();
    let before = source.dropped();
    let first = source.events();
    let event = source.next_event(|| output.flush())?;
    for index in first..first + source.dropped() - before {
        let message = "unknown event type in a protobuf frame; the event is left out";
        output.warn(file, index, message);
    }
    Ok(match event {
        Some(Ok(event)) => NextEvent::Event(event),
        Some(Err(error)) => {
            NextEvent::Error(FatalStreamError::decode(file, source.events(), &error))
        }
        None => {
            if source.is_no_stream() {
                output.warn(
                    file,
                    0,
                    "the input contains no events; is it an AG-UI stream?",
                );
            }
            NextEvent::End
        }
    })
}
