//! How much one principal may ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use store::Principal;
use tokio::time::Instant;

use super::Caller;
use crate::answer::holding;
use crate::error::{ApiError, ErrorCode};
use crate::settings::LimitSettings;

/// How many principals are remembered before those at rest are forgotten.
const REMEMBERED: usize = 10_000;
/// How much of a minute's requests may come at once.
const BURST: Duration = Duration::from_secs(10);

/// Counts requests of each principal.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// The time that one request uses up; zero: no limit.
    each: Duration,
    /// How many requests and streams may be open; 0: no limit.
    at_once: usize,
    counts: Arc<Mutex<HashMap<Principal, RequestCount>>>,
}

#[derive(Debug)]
struct RequestCount {
    /// When all that was asked is used up.
    paid: Instant,
    open: usize,
}

impl RateLimiter {
    pub(crate) fn new(settings: &LimitSettings) -> Self {
        let each = match settings.requests_per_minute {
            0 => Duration::ZERO,
            count => Duration::from_secs(60) / count,
        };
        Self {
            each,
            at_once: settings.concurrent_requests,
            counts: Arc::default(),
        }
    }

    /// Counts a request. Whoever needs no key is whoever runs the server, and not limited.
    pub(crate) fn enter(&self, caller: &Caller) -> Result<Option<RequestPermit>, ApiError> {
        if caller.principal == Principal::local() && caller.key.is_none() && caller.link.is_none() {
            return Ok(None);
        }
        let now = Instant::now();
        let mut counts = lock(&self.counts);
        if counts.len() >= REMEMBERED {
            counts.retain(|_, count| count.open > 0 || count.paid > now);
        }
        let count = counts
            .entry(caller.principal.clone())
            .or_insert(RequestCount { paid: now, open: 0 });
        if self.at_once > 0 && count.open >= self.at_once {
            return Err(too_many(
                format!("{} requests are open already", count.open),
                "end some, or ask the operator to raise limits.concurrent_requests",
                Duration::from_secs(1),
            ));
        }
        let paid = count.paid.max(now) + self.each;
        let ahead = paid - now;
        let most = BURST.max(self.each);
        if ahead > most {
            return Err(too_many(
                "too many requests in a minute".to_owned(),
                "wait, or ask the operator to raise limits.requests_per_minute",
                ahead - most,
            ));
        }
        count.paid = paid;
        count.open += 1;
        Ok(Some(RequestPermit {
            counts: self.counts.clone(),
            principal: caller.principal.clone(),
        }))
    }
}

fn too_many(message: String, hint: &'static str, wait: Duration) -> ApiError {
    let error = ApiError::new(ErrorCode::TooMany, message, hint);
    error.after(wait)
}

fn lock(
    counts: &Mutex<HashMap<Principal, RequestCount>>,
) -> MutexGuard<'_, HashMap<Principal, RequestCount>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request that is open until this is dropped.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    counts: Arc<Mutex<HashMap<Principal, RequestCount>>>,
    principal: Principal,
}

impl RequestPermit {
    /// A body with whose end the request ends.
    pub(crate) fn until_the_end_of(self, body: Body) -> Body {
        holding(body, self)
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        if let Some(count) = lock(&self.counts).get_mut(&self.principal) {
            count.open = count.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;
    use crate::access::AccessScope;

    fn caller(name: &str) -> Caller {
        Caller {
            principal: Principal::new(name).expect("a name"),
            key: Some("k".to_owned()),
            scopes: vec![AccessScope::Read],
            link: None,
        }
    }

    fn limiter(requests_per_minute: u32, concurrent_requests: usize) -> RateLimiter {
        RateLimiter::new(&LimitSettings {
            requests_per_minute,
            concurrent_requests,
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
        let refused = limiter.enter(&ada).expect_err("one too many");
        assert_eq!(refused.code, ErrorCode::TooMany);
        assert_eq!(refused.retry_after, Some(1));
        limiter.enter(&bob).expect("another's is not touched");
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
        let body = first.until_the_end_of(Body::from("a"));
        let _second = limiter.enter(&ada).expect("two");
        limiter.enter(&ada).expect_err("a third");
        drop(body);
        limiter.enter(&ada).expect("there is room again");
    }

    #[tokio::test(start_paused = true)]
    async fn who_runs_the_server_is_not_limited() {
        let limiter = limiter(1, 1);
        let held: Vec<_> = (0..10).map(|_| limiter.enter(&Caller::local())).collect();
        assert!(held.iter().all(|entered| matches!(entered, Ok(None))));
    }
}
