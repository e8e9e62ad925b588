//! Errors and warnings about a stream.

use agui::enforce::RemovedValue;
use agui::expand::ExpandError;
use agui::pipeline::StageError;
use agui::stream::StreamError;
use json::{Map, Value};

use crate::command_error::CommandError;

/// Limit on the warnings printed as text.
pub(crate) const MAX_SHOWN: usize = 20;

/// Returns the location of an event for messages.
pub(crate) fn place(file: Option<&String>, index: usize) -> String {
    match file {
        Some(file) => format!("{file}, event {index}"),
        None => format!("event {index}"),
    }
}

/// Error that ends a stream.
#[derive(Debug, Clone)]
pub(crate) struct FatalStreamError {
    pub(crate) file: Option<String>,
    pub(crate) stage: &'static str,
    pub(crate) index: usize,
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) path: Option<String>,
    pub(crate) hint: &'static str,
}

/// Problem that does not end a stream.
#[derive(Debug, Clone)]
pub(crate) struct StreamWarning {
    pub(crate) file: Option<String>,
    pub(crate) index: usize,
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) path: Option<String>,
}

impl FatalStreamError {
    pub(crate) fn decode(file: Option<&String>, index: usize, error: &StreamError) -> Self {
        Self {
            file: file.cloned(),
            stage: "decode",
            index,
            rule: error.rule(),
            message: error.to_string(),
            path: None,
            hint: match error.rule() {
                "invalid-json" => {
                    "send one complete JSON object per event and no [DONE] at the end; a recording may be cut off"
                }
                "too-deep" => "flatten the value; at most 512 levels are allowed",
                "not-an-object" => "send one JSON object per event",
                "no-type" => "give every event a \"type\"",
                "too-large" => "send large data in several events",
                "truncated-frame" => "the recording is cut off; record it again to the end",
                _ => {
                    "encode frames with an AG-UI 1.0 encoder; leave out --from for other encodings"
                }
            },
        }
    }

    pub(crate) fn stage(file: Option<&String>, index: usize, error: &StageError) -> Self {
        Self {
            file: file.cloned(),
            stage: error.stage(),
            index,
            rule: error.rule(),
            message: error.to_string(),
            path: error.path().map(str::to_owned),
            hint: match error {
                StageError::Enforce(_) => {
                    "send the expected value, or leave out an optional member"
                }
                StageError::Expand(ExpandError::TooManyLanes) => {
                    "end the streams of some subagents first"
                }
                StageError::Expand(_) => {
                    "name the message (and the subagent) in each chunk, with the same values as in the first"
                }
                StageError::Verify(error) => error.hint(),
            },
        }
    }

    /// Returns the error of a command that has written everything before it.
    pub(crate) fn stopped(&self) -> CommandError {
        let place = place(self.file.as_ref(), self.index);
        CommandError::Stopped(format!("{place}: {}", self.message))
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut object = Map::new();
        file_member(&mut object, self.file.as_ref());
        object.insert("stage".into(), self.stage.into());
        object.insert("index".into(), self.index.into());
        object.insert("rule".into(), self.rule.into());
        object.insert("message".into(), self.message.as_str().into());
        object.insert("path".into(), self.path.clone().into());
        Value::Object(object)
    }
}

impl StreamWarning {
    pub(crate) fn removed(file: Option<&String>, index: usize, removed: RemovedValue) -> Self {
        let (rule, message, path) = match removed {
            RemovedValue::Event { type_name } => (
                "unknown-event",
                format!("unknown event type '{type_name}'; the event is dropped"),
                None,
            ),
            RemovedValue::Part { kind, path } => (
                "unknown-member",
                format!("{kind}: {path} is not part of the protocol; it is removed"),
                Some(path),
            ),
        };
        Self {
            file: file.cloned(),
            index,
            rule,
            message,
            path,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut object = Map::new();
        file_member(&mut object, self.file.as_ref());
        object.insert("index".into(), self.index.into());
        object.insert("rule".into(), self.rule.into());
        object.insert("message".into(), self.message.as_str().into());
        if let Some(path) = &self.path {
            object.insert("path".into(), path.as_str().into());
        }
        Value::Object(object)
    }
}

fn file_member(object: &mut Map, file: Option<&String>) {
    if let Some(file) = file {
        object.insert("file".into(), file.as_str().into());
    }
}
