//! End of open responses whose key or token is no longer valid.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body::{Body as _, Frame, SizeHint};
use parking_lot::Mutex;
use store::{KeyHash, Store, Timestamp};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// Interval between two checks of the keys with open responses. Another process may revoke a key.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Conditions under which the key or token of a request stays valid.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CredentialValidity {
    /// Key that must neither be revoked nor deleted.
    pub(crate) key: Option<KeyHash>,
    /// Time of expiry.
    pub(crate) expires: Option<Timestamp>,
}

/// Open responses to requests with a key or token.
#[derive(Debug, Default)]
pub(crate) struct OpenResponses(Mutex<ResponseTable>);

#[derive(Debug, Default)]
struct ResponseTable {
    last_number: u64,
    open: HashMap<u64, TrackedResponse>,
}

#[derive(Debug)]
struct TrackedResponse {
    validity: CredentialValidity,
    /// Dropped to end the response.
    _end: oneshot::Sender<()>,
}

impl OpenResponses {
    /// Returns the body of a response, which ends when its key or token is no longer valid. Bodies that are complete
    /// are returned as they are.
    pub(crate) fn track(self: &Arc<Self>, validity: CredentialValidity, body: Body) -> Body {
        let is_lasting = validity.key.is_some() || validity.expires.is_some();
        if !is_lasting || body.size_hint().exact().is_some() {
            return body;
        }
        let (end, ended) = oneshot::channel();
        let mut table = self.0.lock();
        table.last_number += 1;
        let number = table.last_number;
        let response = TrackedResponse {
            validity,
            _end: end,
        };
        table.open.insert(number, response);
        Body::new(TrackedBody {
            body,
            ended: Some(ended),
            number,
            responses: self.clone(),
        })
    }

    /// Ends the responses of keys that were revoked or deleted, and of keys and tokens that have expired.
    async fn end_invalid(&self, store: &Arc<dyn Store>, now: Timestamp) {
        let open: Vec<(u64, CredentialValidity)> = {
            let table = self.0.lock();
            let open = table.open.iter();
            open.map(|(number, response)| (*number, response.validity))
                .collect()
        };
        let mut is_key_valid: HashMap<KeyHash, bool> = HashMap::new();
        for (number, validity) in open {
            let is_expired = validity.expires.is_some_and(|expires| expires <= now);
            let is_revoked = match validity.key {
                Some(hash) if !is_key_valid.contains_key(&hash) => {
                    // A key that cannot be read now is checked again.
                    let is_valid = match store.key(hash).await {
                        Ok(key) => key.is_some_and(|key| key.is_valid(now)),
                        Err(_) => true,
                    };
                    is_key_valid.insert(hash, is_valid);
                    !is_valid
                }
                Some(hash) => is_key_valid.get(&hash) == Some(&false),
                None => false,
            };
            if is_expired || is_revoked {
                self.0.lock().open.remove(&number);
            }
        }
    }
}

/// Checks the keys and tokens of open responses for ever.
pub(crate) async fn end_invalid_responses(
    responses: Arc<OpenResponses>,
    store: Arc<dyn Store>,
    now: fn() -> Timestamp,
) {
    loop {
        sleep(CHECK_INTERVAL).await;
        responses.end_invalid(&store, now()).await;
    }
}

/// Body that ends when its response is removed from the table.
struct TrackedBody {
    body: Body,
    /// `None` once the response was ended.
    ended: Option<oneshot::Receiver<()>>,
    number: u64,
    responses: Arc<OpenResponses>,
}

impl http_body::Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let ended = self.ended.as_mut();
        if ended.is_some_and(|ended| Pin::new(ended).poll(context).is_ready()) {
            self.ended = None;
            // Dropping the body ends its subscription at once.
            self.body = Body::empty();
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.responses.0.lock().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use store::{AccessStore, MemoryStore, Principal};
    use tokio::time::{Instant, timeout};

    use super::*;
    use crate::access::{AccessScope, NewKey};
    use crate::stream_body::StreamBody;

    /// Time within which a response has to end.
    const SECOND: Duration = Duration::from_secs(1);

    fn key(number: u8, expires: Option<Timestamp>) -> NewKey {
        let ada = Principal::new("ada").expect("a name");
        let random = ([number; 16], [1; 16], [number; 16]);
        NewKey::new(
            random,
            ada,
            "ada",
            &[AccessScope::Read],
            Timestamp(0),
            expires,
        )
    }

    /// Clock that follows the paused clock of the test.
    fn now() -> Timestamp {
        thread_local!(static START: Instant = Instant::now());
        let since = START.with(|start| start.elapsed());
        Timestamp(i64::try_from(since.as_millis()).expect("small"))
    }

    #[tokio::test(start_paused = true)]
    async fn responses_end_within_a_second_of_their_key() {
        let responses = Arc::new(OpenResponses::default());
        let store = Arc::new(MemoryStore::new());
        now();
        let checks = end_invalid_responses(responses.clone(), store.clone(), now);
        let checks = tokio::spawn(checks);
        let (revoked, kept) = (key(1, None), key(2, None));
        for key in [&revoked, &kept] {
            let added = store.add_key(key.key.clone(), key.hash());
            added.await.expect("added");
        }
        let validity = |key: &NewKey| CredentialValidity {
            key: Some(key.hash()),
            expires: key.key.expires,
        };
        let token = CredentialValidity {
            key: None,
            expires: Some(Timestamp(10_000)),
        };
        let mut senders = Vec::new();
        let mut open = |validity| {
            let (sender, body) = StreamBody::channel(1);
            senders.push(sender);
            responses.track(validity, body.into())
        };
        let mut first = open(validity(&revoked));
        let mut second = open(validity(&kept));
        let mut third = open(token);
        assert!(
            timeout(5 * SECOND, first.frame()).await.is_err(),
            "it stays open"
        );
        store
            .revoke_key(&revoked.key.id, now())
            .await
            .expect("revoked");
        let ended = timeout(SECOND, first.frame()).await;
        assert!(ended.expect("in time").is_none());
        assert!(timeout(3 * SECOND, third.frame()).await.is_err(), "valid");
        let ended = timeout(3 * SECOND, third.frame()).await;
        assert!(ended.expect("in time").is_none());
        assert!(timeout(SECOND, second.frame()).await.is_err(), "valid");
        // A deleted principal has no keys.
        let ada = Principal::new("ada").expect("a name");
        store.delete_principal(&ada).await.expect("deleted");
        assert!(
            timeout(SECOND, second.frame())
                .await
                .expect("in time")
                .is_none()
        );
        drop((first, second, third));
        assert!(responses.0.lock().open.is_empty(), "nothing is left");
        checks.abort();
    }
}
