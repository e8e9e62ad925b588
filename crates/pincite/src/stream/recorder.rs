//! Recording of events with their times.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use agui::{ReceivedEvent, sse};

use crate::command_error::CommandError;

/// Start of a line with the time of an event. For SSE readers it is a comment.
const TIME_PREFIX: &str = ":+";

/// Writer of a recording: SSE, each event after a comment with the milliseconds since the start.
pub(super) struct StreamRecorder {
    out: BufWriter<File>,
    text: String,
}

impl StreamRecorder {
    pub(super) fn create(path: &Path) -> Result<Self, CommandError> {
        let file = File::create(path).map_err(|error| CommandError::Unwritable {
            path: path.to_owned(),
            error,
        })?;
        Ok(Self {
            out: BufWriter::new(file),
            text: String::new(),
        })
    }

    pub(super) fn write(&mut self, event: &ReceivedEvent, at: Duration) -> io::Result<()> {
        self.text.clear();
        sse::encode_received(event, &mut self.text);
        write!(self.out, "{TIME_PREFIX}{}\n{}", at.as_millis(), self.text)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the time in a line of a recording.
pub(super) fn time_of(line: &str) -> Option<Duration> {
    let milliseconds = line.strip_prefix(TIME_PREFIX)?.parse().ok()?;
    Some(Duration::from_millis(milliseconds))
}
