//! Limits on the requests of one principal, or of one signed link.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use store::Principal;
use tokio::time::Instant;

use super::{Caller, ValidLink};
use crate::error::{ApiError, ErrorCode};
use crate::settings::LimitSettings;
use crate::stream_body::hold_until_end;

/// Number of principals from which on idle ones are removed from the table.
const MAX_PRINCIPALS: usize = 10_000;
/// Burst: requests of this time span may arrive at once.
const BURST: Duration = Duration::from_secs(10);

/// Sender of requests that are counted together. A signed link does not use up the limits of its owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum LimitedSender {
    Principal(Principal),
    Link(ValidLink),
}

impl LimitedSender {
    fn of(caller: &Caller) -> Self {
        match caller.link {
            Some(link) => Self::Link(link),
            None => Self::Principal(caller.principal.clone()),
        }
    }
}

type RequestCounts = Mutex<HashMap<LimitedSender, RequestCount>>;

/// Limits on the rate and the number of open requests per sender.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// Time between two requests at the allowed rate; zero means no limit.
    interval: Duration,
    /// Maximum number of open requests and streams; 0 means no limit.
    max_open: usize,
    counts: Arc<RequestCounts>,
}

#[derive(Debug)]
struct RequestCount {
    /// Time until which the requests so far use up the allowed rate.
    used_until: Instant,
    open: usize,
}

impl RateLimiter {
    pub(crate) fn new(settings: &LimitSettings) -> Self {
        let interval = match settings.requests_per_minute {
            0 => Duration::ZERO,
            count => Duration::from_secs(60) / count,
        };
        Self {
            interval,
            max_open: settings.concurrent_requests,
            counts: Arc::default(),
        }
    }

    /// Counts a request, or rejects it. The operator of a server without keys is not limited: `None`.
    pub(crate) fn enter(&self, caller: &Caller) -> Result<Option<RequestPermit>, ApiError> {
        if caller.is_operator() {
            return Ok(None);
        }
        let now = Instant::now();
        let mut counts = lock(&self.counts);
        if counts.len() >= MAX_PRINCIPALS {
            counts.retain(|_, count| count.open > 0 || count.used_until > now);
        }
        let sender = LimitedSender::of(caller);
        let count = counts.entry(sender.clone()).or_insert(RequestCount {
            used_until: now,
            open: 0,
        });
        if self.max_open > 0 && count.open >= self.max_open {
            return Err(too_many(
                format!("Too many open requests: {}", count.open),
                "Close some, or ask the operator to raise `limits.concurrent_requests`",
                Duration::from_secs(1),
            ));
        }
        let used_until = count.used_until.max(now) + self.interval;
        let ahead = used_until - now;
        let allowed = BURST.max(self.interval);
        if ahead > allowed {
            return Err(too_many(
                "Too many requests per minute".to_owned(),
                "Wait, or ask the operator to raise `limits.requests_per_minute`",
                ahead - allowed,
            ));
        }
        count.used_until = used_until;
        count.open += 1;
        Ok(Some(RequestPermit {
            counts: self.counts.clone(),
            sender,
        }))
    }
}

fn too_many(message: String, hint: &'static str, wait: Duration) -> ApiError {
    let error = ApiError::new(ErrorCode::TooMany, message, hint);
    error.after(wait)
}

fn lock(counts: &RequestCounts) -> MutexGuard<'_, HashMap<LimitedSender, RequestCount>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Open request; dropping it ends the request.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    counts: Arc<RequestCounts>,
    sender: LimitedSender,
}

impl RequestPermit {
    /// Returns the body with the permit attached, so that the request stays open until the body ends.
    pub(crate) fn hold_until_end(self, body: Body) -> Body {
        hold_until_end(body, self)
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        if let Some(count) = lock(&self.counts).get_mut(&self.sender) {
            count.open = count.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;
    use crate::access::revocation::CredentialValidity;
    use crate::access::{AccessScope, LinkKey, links};

    fn caller(name: &str) -> Caller {
        Caller {
            principal: Principal::new(name).expect("a name"),
            key: Some("k".to_owned()),
            scopes: vec![AccessScope::Read],
            link: None,
            validity: CredentialValidity::default(),
        }
    }

    fn limiter(requests_per_minute: u32, concurrent: usize) -> RateLimiter {
        RateLimiter::new(&LimitSettings {
            requests_per_minute,
            concurrent_requests: concurrent,
            ..LimitSettings::default()
        })
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_spread_over_the_minute_for_each_principal() {
        let limiter = limiter(60, 0);
        let (ada, bob) = (caller("ada"), caller("bob"));
        for _ in 0..10 {
            limiter.enter(&ada).expect("at once");
        }
        let rejected = limiter.enter(&ada).expect_err("one too many");
        assert_eq!(rejected.code, ErrorCode::TooMany);
        assert_eq!(rejected.retry_after, Some(1));
        limiter
            .enter(&bob)
            .expect("other principals are not affected");
        advance(Duration::from_millis(1_000)).await;
        limiter.enter(&ada).expect("one more a second later");
        limiter.enter(&ada).expect_err("and no second one");
        // A pause earns no more than the burst.
        advance(Duration::from_secs(3_600)).await;
        let entered = (0..100).take_while(|_| limiter.enter(&ada).is_ok());
        assert_eq!(entered.count(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn open_requests_are_counted_to_the_end_of_their_bodies() {
        let limiter = limiter(0, 2);
        let ada = caller("ada");
        let first = limiter.enter(&ada).expect("one").expect("counted");
        let body = first.hold_until_end(Body::from("a"));
        let _second = limiter.enter(&ada).expect("two");
        limiter.enter(&ada).expect_err("a third");
        drop(body);
        limiter.enter(&ada).expect("there is room again");
    }

    #[tokio::test(start_paused = true)]
    async fn signed_links_have_limits_of_their_own() {
        let limiter = limiter(60, 2);
        let ada = caller("ada");
        let key = LinkKey::new([7; 32]);
        let holder = |path: &str| {
            let query = key.sign(path, &ada.principal, store::Timestamp(100_000));
            let signed = links::read(&query).expect("both parts");
            let (owner, link) = key
                .open(path, &signed, store::Timestamp(1))
                .expect("a valid link");
            Caller::by_link(owner, link)
        };
        let (one, other) = (holder("/p/1"), holder("/p/2"));
        let _open = [limiter.enter(&one), limiter.enter(&one)];
        limiter.enter(&one).expect_err("too many open requests");
        limiter.enter(&other).expect("another link");
        while limiter.enter(&other).is_ok() {}
        let entered = (0..100).take_while(|_| limiter.enter(&ada).is_ok());
        assert_eq!(entered.count(), 10, "all of the owner's requests");
    }

    #[tokio::test(start_paused = true)]
    async fn the_operator_is_not_limited() {
        let limiter = limiter(1, 1);
        let entered: Vec<_> = (0..10).map(|_| limiter.enter(&Caller::local())).collect();
        assert!(entered.iter().all(|permit| matches!(permit, Ok(None))));
    }
}
