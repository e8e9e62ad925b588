//! Connections that wait for their next request.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead as _, ReadBuf};

use super::connect::Connection;
use super::target::Target;

/// How many connections wait at most.
const MAX_WAITING: usize = 64;
/// How long one waits at most.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Connections that wait, the one used last at the end.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Waiting>>);

#[derive(Debug)]
struct Waiting {
    target: Target,
    connection: Connection,
    since: Instant,
}

impl Pool {
    /// A connection to the target that is still open, as far as one can tell.
    pub(super) async fn take(&self, target: &Target) -> Option<Connection> {
        loop {
            let mut connection = {
                let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.retain(|entry| entry.since.elapsed() < MAX_AGE);
                let at = waiting
                    .iter()
                    .rposition(|entry| entry.target.same_origin(target))?;
                waiting.remove(at).connection
            };
            if is_quiet(&mut connection).await {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection whose last answer has been read to the end.
    pub(super) fn put(&self, target: &Target, connection: Connection) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() == MAX_WAITING {
            waiting.remove(0);
        }
        waiting.push(Waiting {
            target: target.clone(),
            connection,
            since: Instant::now(),
        });
    }
}

/// Whether nothing came since the last answer: bytes would be a stray answer, an end is an end.
async fn is_quiet(connection: &mut Connection) -> bool {
    let mut byte = [0];
    poll_fn(|context| {
        let mut buffer = ReadBuf::new(&mut byte);
        let read = Pin::new(&mut connection.io).poll_read(context, &mut buffer);
        Poll::Ready(read.is_pending())
    })
    .await
}
