//! Pool of idle connections.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead as _, ReadBuf};

use super::target::RequestTarget;
use net::connect::HttpConnection;

/// Limit on the number of idle connections.
const MAX_WAITING: usize = 64;
/// Limit on the idle time of a connection.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Idle connections; the one used last is at the end.
#[derive(Debug, Default)]
pub(super) struct ConnectionPool(Mutex<Vec<IdleConnection>>);

#[derive(Debug)]
struct IdleConnection {
    target: RequestTarget,
    connection: HttpConnection,
    since: Instant,
}

impl ConnectionPool {
    /// Returns an idle connection to the target that appears to be open.
    pub(super) async fn take(&self, target: &RequestTarget) -> Option<HttpConnection> {
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

    /// Adds a connection whose last response was read to its end.
    pub(super) fn put(&self, target: &RequestTarget, connection: HttpConnection) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() == MAX_WAITING {
            waiting.remove(0);
        }
        waiting.push(IdleConnection {
            target: target.clone(),
            connection,
            since: Instant::now(),
        });
    }
}

/// Returns true if nothing arrived since the last response. Bytes would belong to a stray response.
async fn is_quiet(connection: &mut HttpConnection) -> bool {
    let mut byte = [0];
    poll_fn(|context| {
        let mut buffer = ReadBuf::new(&mut byte);
        let read = Pin::new(&mut connection.io).poll_read(context, &mut buffer);
        Poll::Ready(read.is_pending())
    })
    .await
}
