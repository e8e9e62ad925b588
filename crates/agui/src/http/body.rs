//! The body of an answer.

use std::future::Future as _;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncReadExt as _;

use super::chunks::Chunks;
use super::connect::Connection;
use super::exchange::Head;

/// How much is read at once: at first, for most streams are slow and many; and at most, once reads fill that.
const FIRST: usize = 8 * 1024;
const MOST: usize = 32 * 1024;

/// Where a body ends.
#[derive(Debug)]
enum Framing {
    /// After so many bytes.
    Length(u64),
    /// Where the coding says.
    Chunked(Chunks),
    /// With the connection.
    Close,
}

/// Why a body cannot be read on.
#[derive(Debug)]
pub(super) enum BodyError {
    /// The connection ended too early.
    Truncated(Option<io::Error>),
    /// The chunks are broken.
    BadChunk,
}

/// A body that is being read.
#[derive(Debug)]
pub(super) struct Body {
    connection: Connection,
    framing: Framing,
    reusable: bool,
    buffer: Vec<u8>,
    /// How much is read at once.
    size: usize,
    /// What was read and not looked at yet.
    rest: std::ops::Range<usize>,
}

impl Body {
    /// The body behind a head; `read` is what came after the head so far.
    pub(super) fn new(connection: Connection, head: &Head, read: Vec<u8>) -> Self {
        let rest = 0..read.len();
        // Much came with the head: more is there.
        let size = if read.len() > FIRST / 2 { MOST } else { FIRST };
        let framing = match (head.chunked, head.length) {
            (true, _) => Framing::Chunked(Chunks::new()),
            (false, Some(length)) => Framing::Length(length),
            (false, None) => Framing::Close,
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

    /// The next bytes; none at the end.
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
            // It reads as much as there is room for, and never fills that with zeros first.
            let read = pin!(self.connection.io.read_buf(&mut self.buffer));
            let length = match ready!(read.poll(context)) {
                Ok(length) => length,
                Err(error) => return Poll::Ready(Err(BodyError::Truncated(Some(error)))),
            };
            if length == 0 {
                return Poll::Ready(match self.framing {
                    Framing::Close => Ok(&[]),
                    _ => Err(BodyError::Truncated(None)),
                });
            }
            self.rest = 0..length;
            if length >= self.size {
                self.size = MOST.min(self.size * 2);
            }
        }
    }

    /// Takes data from what was read; it is at the front of it then.
    fn take(&mut self) -> Result<usize, BodyError> {
        let (length, taken) = match &mut self.framing {
            Framing::Close => (self.rest.len(), self.rest.len()),
            Framing::Length(left) => {
                let length = usize::try_from(*left)
                    .map_or(self.rest.len(), |left| left.min(self.rest.len()));
                *left -= length as u64;
                (length, length)
            }
            Framing::Chunked(chunks) => chunks
                .decode(&mut self.buffer[self.rest.clone()])
                .map_err(|_| BodyError::BadChunk)?,
        };
        self.rest.start += taken;
        // Bytes behind the end: nothing that could be used.
        if self.is_done() && !self.rest.is_empty() {
            self.rest = 0..0;
            self.reusable = false;
        }
        Ok(length)
    }

    fn is_done(&self) -> bool {
        match &self.framing {
            Framing::Length(left) => *left == 0,
            Framing::Chunked(chunks) => chunks.is_done(),
            Framing::Close => false,
        }
    }

    /// The connection, if another request can be sent on it.
    pub(super) fn into_connection(self) -> Option<Connection> {
        (self.reusable && self.is_done()).then_some(self.connection)
    }
}
