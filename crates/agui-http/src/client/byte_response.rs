//! Requests whose responses are read as bytes, for protocols other than AG-UI.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use tokio::time::{Instant, timeout};

use super::body::{BodyError, ResponseBody};
use super::response::open_response;
use super::target::RequestTarget;
use super::{AgentShared, HttpError, TimeoutPhase};

/// Client of one URL whose responses are read as bytes. Connections are kept for the next request.
#[derive(Debug, Clone)]
pub struct HttpClient(Arc<AgentShared>);

impl HttpClient {
    pub(super) fn new(shared: Arc<AgentShared>) -> Self {
        Self(shared)
    }

    /// Posts a JSON body. An error status is an error.
    pub async fn post(&self, body: &str) -> Result<ByteResponse, HttpError> {
        let now = Instant::now();
        let opened = open_response(&self.0, body, None, self.0.deadline(now, now)).await?;
        Ok(ByteResponse {
            shared: Arc::clone(&self.0),
            target: opened.target,
            body: Some(opened.body),
            bytes: 0,
        })
    }
}

/// Response that is being read. Dropping it closes the connection unless the body was read to its end.
pub struct ByteResponse {
    shared: Arc<AgentShared>,
    target: RequestTarget,
    /// Body; `None` after its end.
    body: Option<ResponseBody>,
    /// Number of bytes read so far.
    bytes: u64,
}

impl std::fmt::Debug for ByteResponse {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ByteResponse")
    }
}

impl ByteResponse {
    /// Appends the next bytes to `out`. Returns false at the end of the body.
    pub async fn read_into(&mut self, out: &mut Vec<u8>) -> Result<bool, HttpError> {
        let Some(body) = &mut self.body else {
            return Ok(false);
        };
        let before = out.len();
        let read = poll_fn(|context| match body.poll_data(context) {
            Poll::Ready(Ok(data)) => {
                out.extend_from_slice(data);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        });
        let limit = self.shared.timeouts.idle;
        match timeout(limit, read).await {
            Err(_) => {
                let waiting = TimeoutPhase::Idle;
                return Err(HttpError::Timeout { waiting, limit });
            }
            Ok(Err(BodyError::BadChunk)) => {
                return Err(HttpError::BadAnswer("its chunks are broken"));
            }
            Ok(Err(BodyError::Truncated(error))) => {
                return Err(HttpError::Truncated { events: 0, error });
            }
            Ok(Ok(())) => {}
        }
        self.bytes += (out.len() - before) as u64;
        let limit = self.shared.limits.body;
        if self.bytes > limit {
            return Err(HttpError::TooLarge { limit });
        }
        if out.len() > before {
            return Ok(true);
        }
        let ended = self.body.take();
        if let Some(connection) = ended.and_then(ResponseBody::into_connection) {
            self.shared.pool.put(&self.target, connection);
        }
        Ok(false)
    }
}
