//! Body of a response, decoded from its transfer coding.

use std::future::Future as _;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncReadExt as _;

use super::chunks::ChunkDecoder;
use super::exchange::ResponseHead;
use net::connect::HttpConnection;

/// Read sizes in bytes: a small one at first, because most streams are slow and many, and a large one once reads
/// fill the buffer.
const FIRST: usize = 8 * 1024;
const MOST: usize = 32 * 1024;

/// Rule that determines the end of a body.
#[derive(Debug)]
enum BodyFraming {
    /// Ends after this many bytes.
    Length(u64),
    /// Ends with the last chunk.
    Chunked(ChunkDecoder),
    /// Ends with the connection.
    Close,
}

/// Failure to read a body.
#[derive(Debug)]
pub(super) enum BodyError {
    /// The connection ended too early.
    Truncated(Option<io::Error>),
    /// The chunks are broken.
    BadChunk,
}

/// Body that is being read.
#[derive(Debug)]
pub(super) struct ResponseBody {
    connection: HttpConnection,
    framing: BodyFraming,
    reusable: bool,
    buffer: Vec<u8>,
    /// Size of the next read in bytes.
    size: usize,
    /// Received bytes that are not decoded yet.
    rest: std::ops::Range<usize>,
}

impl ResponseBody {
    /// Creates the body that follows a head. `read` holds the bytes received after the head.
    pub(super) fn new(connection: HttpConnection, head: &ResponseHead, read: Vec<u8>) -> Self {
        let rest = 0..read.len();
        // A large part came with the head, so more is expected.
        let size = if read.len() > FIRST / 2 { MOST } else { FIRST };
        let framing = match (head.chunked, head.length) {
            (true, _) => BodyFraming::Chunked(ChunkDecoder::new()),
            (false, Some(length)) => BodyFraming::Length(length),
            (false, None) => BodyFraming::Close,
        };
        Self {
            connection,
            framing,
            reusable: head.keep_alive,
            buffer: read,
            size,
            rest,
        }
    }

    /// Returns the next bytes, or nothing at the end.
    pub(super) fn poll_data(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<&[u8], BodyError>> {
        loop {
            if !self.rest.is_empty() {
                let start = self.rest.start;
                let length = self.take()?;
                if length > 0 {
                    return Poll::Ready(Ok(&self.buffer[start..start + length]));
                }
            }
            if self.is_done() {
                return Poll::Ready(Ok(&[]));
            }
            self.buffer.clear();
            if self.buffer.capacity() < self.size {
                self.buffer = Vec::with_capacity(self.size);
            }
            // `read_buf` appends to the spare capacity without filling it with zeros first.
            let read = pin!(self.connection.io.read_buf(&mut self.buffer));
            let length = match ready!(read.poll(context)) {
                Ok(length) => length,
                Err(error) => return Poll::Ready(Err(BodyError::Truncated(Some(error)))),
            };
            if length == 0 {
                return Poll::Ready(match self.framing {
                    BodyFraming::Close => Ok(&[]),
                    _ => Err(BodyError::Truncated(None)),
                });
            }
            self.rest = 0..length;
            if length >= self.size {
                self.size = MOST.min(self.size * 2);
            }
        }
    }

    /// Decodes the received bytes and moves the data to the front of the buffer. Returns its length.
    fn take(&mut self) -> Result<usize, BodyError> {
        let (length, taken) = match &mut self.framing {
            BodyFraming::Close => (self.rest.len(), self.rest.len()),
            BodyFraming::Length(left) => {
                let length = usize::try_from(*left)
                    .map_or(self.rest.len(), |left| left.min(self.rest.len()));
                *left -= length as u64;
                (length, length)
            }
            BodyFraming::Chunked(chunks) => chunks
                .decode(&mut self.buffer[self.rest.clone()])
                .map_err(|_| BodyError::BadChunk)?,
        };
        self.rest.start += taken;
        // Bytes after the end of the body make the connection unusable.
        if self.is_done() && !self.rest.is_empty() {
            self.rest = 0..0;
            self.reusable = false;
        }
        Ok(length)
    }

    fn is_done(&self) -> bool {
        match &self.framing {
            BodyFraming::Length(left) => *left == 0,
            BodyFraming::Chunked(chunks) => chunks.is_done(),
            BodyFraming::Close => false,
        }
    }

    /// Returns the connection if another request can be sent on it.
    pub(super) fn into_connection(self) -> Option<HttpConnection> {
        (self.reusable && self.is_done()).then_some(self.connection)
    }
}
