//! `pincite stream expand`, `compact` and `convert`.

use std::io::{BufWriter, StdoutLock, Write};

use agui::pipeline::Pipeline;
use agui::stream::{Format, encode, encode_raw};

use super::input::{self, Source};
use super::minted;
use super::report::{Fatal, Warning};
use crate::cli::{OutputForm, TransformArgs};
use crate::failure::{Failure, warn};

/// Where events go.
struct Output {
    out: BufWriter<StdoutLock<'static>>,
    format: Format,
    buffer: Vec<u8>,
}

impl Output {
    fn new(args: &TransformArgs) -> Self {
        Self {
            out: BufWriter::new(std::io::stdout().lock()),
            format: match args.to {
                OutputForm::Sse => Format::Sse,
                OutputForm::Jsonl => Format::Json,
                OutputForm::Proto => Format::Proto,
            },
            buffer: Vec::new(),
        }
    }

    /// Writes what `encode` puts into the buffer.
    fn write(
        &mut self,
        encode: impl FnOnce(Format, &mut Vec<u8>) -> bool,
    ) -> Result<bool, Failure> {
        self.buffer.clear();
        let written = encode(self.format, &mut self.buffer);
        self.out.write_all(&self.buffer)?;
        Ok(written)
    }
}

/// Ends the command: everything before an error is written first.
fn finish(mut output: Output, error: Option<Fatal>) -> Result<(), Failure> {
    output.out.flush()?;
    match error {
        Some(error) => {
            let file = error
                .file
                .map(|file| format!("{file}, "))
                .unwrap_or_default();
            Err(Failure::Stopped(format!(
                "{file}event {}: {}",
                error.index, error.message
            )))
        }
        None => Ok(()),
    }
}

/// Writes the same events in another form.
pub(crate) fn convert(args: &TransformArgs) -> Result<(), Failure> {
    let sources = input::open(&args.input)?;
    let mut output = Output::new(args);
    for mut source in sources {
        let file = source.name.clone();
        loop {
            let index = source.events;
            match source.next_event()? {
                None => break,
                Some(Ok(event)) => {
                    if !output.write(|format, out| encode_raw(&event, format, out))? {
                        let name = event.type_name();
                        warn(&format!(
                            "event {index}: protobuf has no form for '{name}'; left out"
                        ));
                    }
                }
                Some(Err(error)) => {
                    return finish(output, Some(Fatal::decode(file.as_ref(), index, &error)));
                }
            }
        }
    }
    finish(output, None)
}

/// Writes the events after boundary, enforcement and expansion.
pub(crate) fn expand(args: &TransformArgs) -> Result<(), Failure> {
    transform(
        args,
        |events, output| write_all(events.drain(..), output),
        |_, _| Ok(()),
    )
}

/// Writes the compacted events, each file on its own.
pub(crate) fn compact(args: &TransformArgs) -> Result<(), Failure> {
    transform(
        args,
        |_, _| Ok(()),
        |events, output| {
            let compacted = agui::compact::compact(events);
            events.clear();
            write_all(compacted.into_iter(), output)
        },
    )
}

fn write_all(
    events: impl Iterator<Item = agui::Event>,
    output: &mut Output,
) -> Result<(), Failure> {
    for event in events {
        output.write(|format, out| encode(&event, format, out))?;
    }
    Ok(())
}

/// Expands each stream; `each` takes what is there after every event, `end` after the last.
fn transform(
    args: &TransformArgs,
    mut each: impl FnMut(&mut Vec<agui::Event>, &mut Output) -> Result<(), Failure>,
    mut end: impl FnMut(&mut Vec<agui::Event>, &mut Output) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let sources = input::open(&args.input)?;
    let mut output = Output::new(args);
    let mut ids = 0;
    for mut source in sources {
        let mut events = Vec::new();
        let error = expand_one(&mut source, &mut ids, &mut events, |events| {
            each(events, &mut output)
        })?;
        end(&mut events, &mut output)?;
        if error.is_some() {
            return finish(output, error);
        }
    }
    finish(output, None)
}

fn expand_one(
    source: &mut Source,
    ids: &mut usize,
    events: &mut Vec<agui::Event>,
    mut each: impl FnMut(&mut Vec<agui::Event>) -> Result<(), Failure>,
) -> Result<Option<Fatal>, Failure> {
    let file = source.name.clone();
    let mut pipeline = Pipeline::new(minted(ids));
    loop {
        let index = source.events;
        let event = match source.next_event()? {
            None => return Ok(None),
            Some(Ok(event)) => event,
            Some(Err(error)) => return Ok(Some(Fatal::decode(file.as_ref(), index, &error))),
        };
        let result = pipeline.expand(
            event,
            |removed| {
                warn(&format!(
                    "event {index}: {}",
                    Warning::removed(None, index, removed).message
                ));
            },
            events,
        );
        each(events)?;
        if let Err(error) = result {
            return Ok(Some(Fatal::stage(file.as_ref(), index, &error)));
        }
    }
}
