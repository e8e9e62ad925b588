//! Reading streams from files and from standard input.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use agui::ReceivedEvent;
use agui::stream::{StreamDecoder, StreamError, StreamFormat};

use crate::cli::{InputArgs, InputFormat};
use crate::failure::CommandError;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// A stream that is being read.
pub(crate) struct InputStream {
    path: PathBuf,
    /// The name to show where there are several.
    pub(crate) name: Option<String>,
    /// Opened when the first bytes are needed: there may be more streams than open files.
    bytes: Option<Box<dyn Read>>,
    decoder: Option<StreamDecoder>,
    /// What was read and not given to the decoder yet.
    waiting: Vec<u8>,
    /// Gives the decoder one line at a time, so that what it says belongs to one event.
    line_by_line: bool,
    ended: bool,
    has_bytes: bool,
    /// It begins with something that is neither white space nor a field or comment of SSE.
    is_other_text: bool,
    decoded: usize,
}

/// The streams of a command line, after a look at each, so that nothing is written if one cannot
/// be read.
pub(crate) fn open(args: &InputArgs, line_by_line: bool) -> Result<Vec<InputStream>, CommandError> {
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    };
    if files.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(CommandError::Usage(
            "standard input (`-`) can be given once only",
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

/// Whether bytes begin with something that does not belong into an SSE stream.
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
            decoder: from.map(|form| {
                StreamDecoder::new(match form {
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

    /// How many events have been read, those of unknown type that their wire cannot name included.
    pub(crate) fn events(&self) -> usize {
        self.decoded + self.dropped()
    }

    /// How many events were left out so far because their wire cannot name their type.
    pub(crate) fn dropped(&self) -> usize {
        self.decoder.as_ref().map_or(0, StreamDecoder::dropped)
    }

    /// How many invalid byte sequences were replaced so far.
    pub(crate) fn replaced(&self) -> usize {
        self.decoder.as_ref().map_or(0, StreamDecoder::replaced)
    }

    /// Whether there was something to read, but it is no stream of events.
    pub(crate) fn is_no_stream(&self) -> bool {
        self.is_other_text && self.events() == 0
    }

    /// The next event, until the stream ends or cannot be read on.
    ///
    /// `idle` is called before waiting for more bytes.
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

    /// Reads more bytes behind those that wait.
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
                // The start of a byte order mark, or white space: keep looking, but do not keep it all.
                None if self.waiting.len() > CHUNK => self.waiting.truncate(CHUNK),
                None => {}
            }
        }
        if is_start && matches!(self.decoder, Some(StreamDecoder::Sse(_))) {
            self.is_other_text = is_other_text(&self.waiting);
        }
        Ok(())
    }

    /// Gives the decoder what waits, or a line of it.
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
