//! `pincite stream fold`: the messages and the state that a stream produces.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use agui::fold::Fold;
use agui::model::Message;
use agui::pipeline::Pipeline;
use agui::strict::{StrictChecker, StrictFinding, find_oddities};
use json::{Json, Value};

use super::conversation_json;
use super::generated_ids;
use super::input::{self, InputStream};
use super::problems::{FatalStreamError, MAX_SHOWN, StreamWarning, place};
use crate::cli::FoldArgs;
use crate::command_error::{CommandError, warn};

/// Limit on the warnings kept in memory.
const MAX_WARNINGS: usize = 10_000;

/// Result of folding streams.
pub(crate) struct FoldResult {
    pub(crate) fold: Fold,
    pub(crate) events: usize,
    pub(crate) error: Option<FatalStreamError>,
    pub(crate) warnings: Vec<StreamWarning>,
    /// Number of warnings beyond the limit.
    pub(crate) more_warnings: usize,
    /// First finding of the strict rules.
    pub(crate) finding: Option<(StreamWarning, StrictFinding)>,
    strict: bool,
    ids: usize,
}

impl FoldResult {
    pub(crate) fn new(fold: Fold, strict: bool) -> Self {
        Self {
            fold,
            events: 0,
            error: None,
            warnings: Vec::new(),
            more_warnings: 0,
            finding: None,
            strict,
            ids: 0,
        }
    }

    /// Reads streams to their end or to the first fatal error.
    pub(crate) fn read(&mut self, sources: Vec<InputStream>) -> Result<(), CommandError> {
        for source in sources {
            self.read_one(source)?;
            if self.error.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn read_one(&mut self, mut source: InputStream) -> Result<(), CommandError> {
        let file = source.name.clone();
        let file = file.as_ref();
        let mut ids = self.ids;
        let mut pipeline = Pipeline::new(generated_ids(&mut ids));
        let mut checker = StrictChecker::new();
        let (mut replaced, mut dropped) = (0, 0);
        loop {
            let mut index = source.events();
            let event = source.next_event(|| Ok(()))?;
            while dropped < source.dropped() {
                let message = "unknown event type in a protobuf frame; the event is dropped";
                self.add_warning(file, index, "unknown-event", message);
                dropped += 1;
                index += 1;
            }
            if self.strict && source.replaced() > replaced {
                replaced = source.replaced();
                let message = "invalid UTF-8 was replaced by U+FFFD";
                self.add_warning(file, index, "invalid-utf8", message);
            }
            let event = match event {
                None => break,
                Some(Ok(event)) => event,
                Some(Err(error)) => {
                    self.error = Some(FatalStreamError::decode(file, index, &error));
                    break;
                }
            };
            if self.strict {
                for oddity in find_oddities(&event.text()) {
                    self.add_warning(file, index, oddity.rule, &oddity.to_string());
                }
            }
            let (mut removed, mut failed, mut found) = (Vec::new(), Vec::new(), Vec::new());
            let result = pipeline.process(
                &event,
                |part| removed.push(part),
                |event| {
                    // Chunks, the only cause of an error, are expanded by the pipeline.
                    if let Ok(Some(warning)) = self.fold.apply(event) {
                        failed.push(warning.to_string());
                    }
                    checker.check(event, |finding| found.push(finding));
                },
            );
            for part in removed {
                self.keep(StreamWarning::removed(file, index, part));
            }
            for message in failed {
                self.add_warning(file, index, "patch-failed", &message);
            }
            for finding in found {
                self.add_finding(file, index, finding);
            }
            if let Err(error) = result {
                self.error = Some(FatalStreamError::stage(file, index, &error));
                break;
            }
        }
        self.events += source.events();
        if self.error.is_none() {
            if let Some(finding) = checker.finish() {
                self.add_finding(file, source.events(), finding);
            }
            if source.is_no_stream() {
                let message = "the input contains no events; is it an AG-UI stream?";
                self.add_warning(file, 0, "no-events", message);
            }
        }
        drop(pipeline);
        self.ids = ids;
        Ok(())
    }

    fn add_warning(
        &mut self,
        file: Option<&String>,
        index: usize,
        rule: &'static str,
        message: &str,
    ) {
        self.keep(StreamWarning {
            file: file.cloned(),
            index,
            rule,
            message: message.to_owned(),
            path: None,
        });
    }

    fn add_finding(&mut self, file: Option<&String>, index: usize, finding: StrictFinding) {
        let warning = StreamWarning {
            file: file.cloned(),
            index,
            rule: finding.rule(),
            message: finding.to_string(),
            path: None,
        };
        self.keep(warning.clone());
        self.finding.get_or_insert((warning, finding));
    }

    fn keep(&mut self, warning: StreamWarning) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        } else {
            self.more_warnings += 1;
        }
    }
}

/// Runs `pincite stream fold`.
pub(crate) fn run(args: &FoldArgs) -> Result<(), CommandError> {
    let state = match &args.state {
        Some(path) => {
            Json::parse(read(path)?.as_str()).map_err(|error| CommandError::WrongContent {
                path: path.clone(),
                expected: "JSON",
                reason: error.to_string(),
            })?
        }
        None => Json::from(Value::from([])),
    };
    let messages = match &args.messages {
        Some(path) => {
            let on_removed = |removed: String| {
                warn(&format!(
                    "{}: {removed} is not part of the protocol; it is left out",
                    path.display()
                ));
            };
            Message::list_from_json_with(&read(path)?, on_removed).map_err(|error| {
                CommandError::WrongContent {
                    path: path.clone(),
                    expected: "a JSON list of messages",
                    reason: error.to_string(),
                }
            })?
        }
        None => Vec::new(),
    };
    let mut folded = FoldResult::new(Fold::new(messages, state), false);
    folded.read(input::open(&args.input, false)?)?;
    for warning in folded.warnings.iter().take(MAX_SHOWN) {
        warn(&format!(
            "{}: {}",
            place(warning.file.as_ref(), warning.index),
            warning.message
        ));
    }
    let more = folded.warnings.len().saturating_sub(MAX_SHOWN) + folded.more_warnings;
    if more > 0 {
        warn(&format!(
            "… and {more} more warnings; `pincite stream check` lists all"
        ));
    }
    let written = write(&folded);
    match (&folded.error, written) {
        (Some(error), Ok(())) => Err(error.stopped()),
        // The exit code reports the error even if the output is closed.
        (Some(_), Err(failure)) if failure.exit_code() == 0 => Err(CommandError::Finding),
        (_, written) => written,
    }
}

/// Reads a text file, without a byte order mark.
pub(crate) fn read(path: &Path) -> Result<String, CommandError> {
    let text = fs::read_to_string(path).map_err(|error| CommandError::Unreadable {
        path: path.to_owned(),
        error,
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

/// Writes the conversation in parts; a long one is never in memory as one text.
fn write(folded: &FoldResult) -> Result<(), CommandError> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    conversation_json::write(&folded.fold, folded.fold.finished_runs(), &mut out)?;
    let error = folded
        .error
        .as_ref()
        .map_or(Value::Null, FatalStreamError::to_value);
    writeln!(out, ",\"error\":{}}}", error.to_json())?;
    out.flush()?;
    Ok(())
}
