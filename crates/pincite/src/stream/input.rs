//! Event streams from files and standard input.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use agui::ReceivedEvent;
use agui::stream::{StreamDecoder, StreamError, StreamFormat};

use crate::cli::{InputArgs, InputFormat};
use crate::command_error::CommandError;

/// Bytes of one read.
const CHUNK: usize = 64 * 1024;

/// A stream that is being read.
pub(crate) struct InputStream {
    path: PathBuf,
    /// Name for messages; `None` if there is only one stream.
    pub(crate) name: Option<String>,
    /// Reader, opened with the first read: there may be more streams than open files.
    bytes: Option<Box<dyn Read>>,
    decoder: Option<StreamDecoder>,
    /// Bytes that were read but not decoded yet.
    waiting: Vec<u8>,
    /// True if the decoder gets one line at a time, so that its counters belong to one event.
    line_by_line: bool,
    ended: bool,
    has_bytes: bool,
    /// True if the input begins with something that is neither white space nor a field or comment of SSE.
    is_other_text: bool,
    decoded: usize,
}

/// Opens the streams of the command line. Checks all of them first, so that nothing is written if one is
/// unreadable.
pub(crate) fn open(args: &InputArgs, line_by_line: bool) -> Result<Vec<InputStream>, CommandError> {
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    };
    if files.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(CommandError::Usage(
            "standard input (`-`) is given twice; give it once",
        ));
    }
    files
        .iter()
        .map(|path| InputStream::new(path, args.from, files.len() > 1, line_by_line))
        .collect()
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns true if the bytes begin with something that is not SSE.
fn is_other_text(bytes: &[u8]) -> bool {
    let bytes = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    let fields: [&[u8]; 5] = [b":", b"data", b"event", b"id", b"retry"];
    !bytes.is_empty() && !fields.iter().any(|field| bytes.starts_with(field))
}

impl InputStream {
    fn new(
        path: &Path,
        from: Option<InputFormat>,
        named: bool,
        line_by_line: bool,
    ) -> Result<Self, CommandError> {
        let source = Self {
            path: path.to_owned(),
            name: named.then(|| path.display().to_string()),
            bytes: None,
            decoder: from.map(|format| {
                StreamDecoder::new(match format {
                    InputFormat::Sse => StreamFormat::Sse,
                    InputFormat::Jsonl | InputFormat::Json => StreamFormat::Json,
                    InputFormat::Proto => StreamFormat::Proto,
                })
            }),
            waiting: Vec::new(),
            line_by_line,
            ended: false,
            has_bytes: false,
            is_other_text: false,
            decoded: 0,
        };
        if !is_stdin(path) {
            let is_folder = fs::metadata(path)
                .map_err(|error| source.unreadable(error))?
                .is_dir();
            if is_folder {
                return Err(source.unreadable(ErrorKind::IsADirectory.into()));
            }
            File::open(path).map_err(|error| source.unreadable(error))?;
        }
        Ok(source)
    }

    fn unreadable(&self, error: io::Error) -> CommandError {
        CommandError::Unreadable {
            path: self.path.clone(),
            error,
        }
    }

    /// Returns the number of events so far, with those of unknown type that were dropped.
    pub(crate) fn events(&self) -> usize {
        self.decoded + self.dropped()
    }

    /// Returns the number of events dropped so far because protobuf has no name for their type.
    pub(crate) fn dropped(&self) -> usize {
        self.decoder.as_ref().map_or(0, StreamDecoder::dropped)
    }

    /// Returns the number of invalid byte sequences replaced so far.
    pub(crate) fn replaced(&self) -> usize {
        self.decoder.as_ref().map_or(0, StreamDecoder::replaced)
    }

    /// Returns true if there was input, but no event stream.
    pub(crate) fn is_no_stream(&self) -> bool {
        self.is_other_text && self.events() == 0
    }

    /// Returns the next event, or `None` at the end. Calls `idle` before it waits for more bytes.
    pub(crate) fn next_event(
        &mut self,
        mut idle: impl FnMut() -> Result<(), CommandError>,
    ) -> Result<Option<Result<ReceivedEvent, StreamError>>, CommandError> {
        loop {
            if let Some(event) = self.decoder.as_mut().and_then(StreamDecoder::next_event) {
                self.decoded += usize::from(event.is_ok());
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            if self.waiting.is_empty() || self.decoder.is_none() {
                idle()?;
                self.read_more()?;
            }
            self.feed();
        }
    }

    /// Reads more bytes.
    fn read_more(&mut self) -> Result<(), CommandError> {
        if self.bytes.is_none() {
            self.bytes = Some(if is_stdin(&self.path) {
                Box::new(io::stdin().lock())
            } else {
                Box::new(File::open(&self.path).map_err(|error| self.unreadable(error))?)
            });
        }
        let start = self.waiting.len();
        self.waiting.resize(start + CHUNK, 0);
        let read = match &mut self.bytes {
            Some(bytes) => loop {
                match bytes.read(&mut self.waiting[start..]) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    result => break result,
                }
            },
            None => Ok(0),
        };
        let read = read.map_err(|error| self.unreadable(error))?;
        self.waiting.truncate(start + read);
        self.ended = read == 0;
        let is_start = !self.has_bytes;
        self.has_bytes |= read > 0;
        if self.decoder.is_none() {
            match StreamFormat::recognise(&self.waiting) {
                Some(format) => self.decoder = Some(StreamDecoder::new(format)),
                // White space or a part of a byte order mark: read on, but with bounded memory.
                None if self.waiting.len() > CHUNK => self.waiting.truncate(CHUNK),
                None => {}
            }
        }
        if is_start && matches!(self.decoder, Some(StreamDecoder::Sse(_))) {
            self.is_other_text = is_other_text(&self.waiting);
        }
        Ok(())
    }

    /// Passes the waiting bytes, or one line of them, to the decoder.
    fn feed(&mut self) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        let line = if self.line_by_line {
            self.waiting.iter().position(|&byte| byte == b'\n')
        } else {
            None
        };
        let length = line.map_or(self.waiting.len(), |at| at + 1);
        decoder.push(&self.waiting[..length]);
        self.waiting.drain(..length);
        if self.ended {
            decoder.finish();
        }
    }
}
