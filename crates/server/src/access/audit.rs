//! Audit log: who read and deleted what.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use store::{AuditEntry, Store, Timestamp};
use tokio::time::sleep;

use super::Caller;
use crate::request_id::RequestId;
use crate::settings::AccessSettings;

/// Characters of a target that are recorded.
const MAX_TARGET: usize = 1_024;
/// Time between two prunings of the log.
const PRUNE_INTERVAL: Duration = Duration::from_secs(3_600);
/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Entry that a successful request adds to the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuditRule {
    /// Data was read.
    Read(&'static str),
    /// Access was changed.
    Changed(&'static str),
    /// Data was deleted.
    Deleted(&'static str),
}

impl AuditRule {
    fn action(self) -> &'static str {
        match self {
            Self::Read(action) | Self::Changed(action) | Self::Deleted(action) => action,
        }
    }

    /// Returns true for reads, which are not recorded for the operator of a server without keys.
    fn is_read(self) -> bool {
        matches!(self, Self::Read(_))
    }
}

/// Target of a request that its path does not name. Handlers add it to their response.
#[derive(Debug, Clone)]
pub(crate) struct AuditSubject(pub(crate) String);

/// Returns the target to record for a path.
pub(crate) fn target(path: &str) -> String {
    path.chars().take(MAX_TARGET).collect()
}

/// Prunes the log to the configured age and length, now and then every hour. Returns only if nothing is to be pruned.
pub(crate) async fn prune_audit_log(
    store: Arc<dyn Store>,
    settings: AccessSettings,
    now: fn() -> Timestamp,
) {
    let days = i64::from(settings.audit_days);
    let most = match settings.audit_entries {
        0 => u64::MAX,
        most => most,
    };
    if days == 0 && most == u64::MAX {
        return;
    }
    loop {
        let before = match days {
            0 => i64::MIN,
            days => now().0.saturating_sub(days.saturating_mul(DAY)),
        };
        loop {
            match store.prune_audit_log(Timestamp(before), most).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "the audit log could not be pruned");
                    break;
                }
            }
        }
        sleep(PRUNE_INTERVAL).await;
    }
}

/// Records a successful request. Reads by the operator of a server without keys are not recorded.
pub(crate) fn record(
    store: &Arc<dyn Store>,
    now: Timestamp,
    caller: &Caller,
    rule: AuditRule,
    target: String,
    request: Option<RequestId>,
    response: &Response,
) {
    if !response.status().is_success() || (caller.is_operator() && rule.is_read()) {
        return;
    }
    let target = match response.extensions().get::<AuditSubject>() {
        Some(AuditSubject(subject)) => subject.chars().take(MAX_TARGET).collect(),
        None => target,
    };
    let key = match caller.link {
        Some(_) => Some("signed link".to_owned()),
        None => caller.key.clone(),
    };
    let recorded = store.audit(AuditEntry {
        principal: caller.principal.clone(),
        key,
        action: rule.action().to_owned(),
        target,
        request: request.map(|RequestId(id)| id),
        at: now,
    });
    // The response does not wait for the write; a failure is logged.
    tokio::spawn(async move {
        if let Err(error) = recorded.await {
            tracing::error!(%error, "an entry of the audit log could not be stored");
        }
    });
}

#[cfg(test)]
mod tests {
    use store::{AccessStore, MemoryStore, PageRequest, Principal};
    use tokio::time::advance;

    use super::*;

    fn entry(at: i64) -> AuditEntry {
        AuditEntry {
            principal: Principal::local(),
            key: None,
            action: "delete".to_owned(),
            target: "/threads/t".to_owned(),
            request: None,
            at: Timestamp(at),
        }
    }

    fn settings(audit_days: u32, audit_entries: u64) -> AccessSettings {
        AccessSettings {
            audit_days,
            audit_entries,
            ..AccessSettings::default()
        }
    }

    async fn times(store: &MemoryStore) -> Vec<i64> {
        let all = store
            .audit_entries(None, &PageRequest::first(99))
            .await
            .expect("read");
        all.items.iter().map(|entry| entry.at.0).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_log_is_pruned_by_age_and_length() {
        let store = Arc::new(MemoryStore::new());
        let now = || Timestamp(10 * DAY);
        for at in [DAY, 8 * DAY, 9 * DAY] {
            store.audit(entry(at)).await.expect("recorded");
        }
        let task = tokio::spawn(prune_audit_log(store.clone(), settings(5, 3), now));
        advance(Duration::from_secs(1)).await;
        assert_eq!(times(&store).await, [9 * DAY, 8 * DAY]);
        for at in [9 * DAY + 1, 9 * DAY + 2] {
            store.audit(entry(at)).await.expect("recorded");
        }
        advance(PRUNE_INTERVAL).await;
        // The task may need to be scheduled first.
        tokio::task::yield_now().await;
        assert_eq!(times(&store).await, [9 * DAY + 2, 9 * DAY + 1, 9 * DAY]);
        task.abort();
        // Without limits it returns at once.
        prune_audit_log(store, settings(0, 0), now).await;
    }
}
