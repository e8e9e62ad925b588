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
        let file = create_private(path).map_err(|error| CommandError::Unwritable {
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

/// Creates or empties a file that only its owner can read: a recording contains a conversation.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Returns the time in a line of a recording.
pub(super) fn time_of(line: &str) -> Option<Duration> {
    let milliseconds = line.strip_prefix(TIME_PREFIX)?.parse().ok()?;
    Some(Duration::from_millis(milliseconds))
}
