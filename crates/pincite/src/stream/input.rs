//! Reading streams from files and from standard input.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use agui::RawEvent;
use agui::stream::{Decoder, Format, StreamError};

use crate::cli::{InputArgs, InputForm};
use crate::failure::Failure;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// A stream that is being read.
pub(crate) struct Source {
    path: PathBuf,
    /// The name to show where there are several.
    pub(crate) name: Option<String>,
    bytes: Box<dyn Read>,
    decoder: Option<Decoder>,
    /// What was read before the form was recognised.
    head: Vec<u8>,
    ended: bool,
    /// How many events have been read.
    pub(crate) events: usize,
}

/// Opens all streams, so that nothing is written if one cannot be read.
pub(crate) fn open(args: &InputArgs) -> Result<Vec<Source>, Failure> {
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    };
    files
        .iter()
        .map(|path| Source::open(path, args.from, files.len() > 1))
        .collect()
}

impl Source {
    fn open(path: &Path, from: Option<InputForm>, named: bool) -> Result<Self, Failure> {
        let unreadable = |error| Failure::Unreadable {
            path: path.to_owned(),
            error,
        };
        let bytes: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(path).map_err(unreadable)?;
            if file.metadata().map_err(unreadable)?.is_dir() {
                return Err(unreadable(ErrorKind::IsADirectory.into()));
            }
            Box::new(file)
        };
        let format = from.map(|form| match form {
            InputForm::Sse => Format::Sse,
            InputForm::Jsonl | InputForm::Json => Format::Json,
            InputForm::Proto => Format::Proto,
        });
        Ok(Self {
            path: path.to_owned(),
            name: named.then(|| path.display().to_string()),
            bytes,
            decoder: format.map(Decoder::new),
            head: Vec::new(),
            ended: false,
            events: 0,
        })
    }

    /// The next event, until the stream ends or cannot be read on.
    pub(crate) fn next_event(&mut self) -> Result<Option<Result<RawEvent, StreamError>>, Failure> {
        loop {
            if let Some(event) = self.decoder.as_mut().and_then(Decoder::next_event) {
                self.events += usize::from(event.is_ok());
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> Result<(), Failure> {
        let start = self.head.len();
        self.head.resize(start + CHUNK, 0);
        let read = loop {
            match self.bytes.read(&mut self.head[start..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => {
                    break result.map_err(|error| Failure::Unreadable {
                        path: self.path.clone(),
                        error,
                    })?;
                }
            }
        };
        self.head.truncate(start + read);
        self.ended = read == 0;
        if self.decoder.is_none() {
            match Format::recognise(&self.head) {
                Some(format) => self.decoder = Some(Decoder::new(format)),
                // White space alone; keep looking, but do not keep it all.
                None if !self.ended => self.head.truncate(3),
                None => {}
            }
        }
        if let Some(decoder) = &mut self.decoder {
            decoder.push(&self.head);
            self.head.clear();
            if self.ended {
                decoder.finish();
            }
        }
        Ok(())
    }

    /// How many invalid byte sequences were replaced so far.
    pub(crate) fn replaced(&self) -> usize {
        self.decoder.as_ref().map_or(0, Decoder::replaced)
    }

    /// How many events of unknown type were left out so far.
    pub(crate) fn dropped(&self) -> usize {
        self.decoder.as_ref().map_or(0, Decoder::dropped)
    }
}
