//! The record of who read and deleted what.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use store::{AuditEntry, Principal, Store, Timestamp};
use tokio::time::sleep;

use super::Caller;
use crate::guard::RequestId;
use crate::operations::AuditRule;
use crate::settings::AccessSettings;

/// How much of a target is kept.
const MAX_TARGET: usize = 1_024;
/// How often the record is looked at.
const TRIMMED_EVERY: Duration = Duration::from_secs(3_600);
/// In milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// What a request was about, where its path does not say: for the record.
#[derive(Debug, Clone)]
pub(crate) struct AuditSubject(pub(crate) String);

/// What a path is about, as it is recorded.
pub(crate) fn target(path: &str) -> String {
    path.chars().take(MAX_TARGET).collect()
}

/// Keeps the record as short as the settings want it, for as long as it is polled.
pub(crate) async fn keep_short(
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
                    tracing::warn!(%error, "the record of what was done could not be trimmed");
                    break;
                }
            }
        }
        sleep(TRIMMED_EVERY).await;
    }
}

/// Writes down what was done, if it was.
pub(crate) fn record(
    store: &Arc<dyn Store>,
    now: Timestamp,
    caller: &Caller,
    action: AuditRule,
    target: String,
    request: Option<RequestId>,
    response: &Response,
) {
    let by_the_operator =
        caller.principal == Principal::local() && caller.key.is_none() && caller.link.is_none();
    // Whoever runs a server for themselves does not ask who read; what was deleted, they may.
    if !response.status().is_success() || (by_the_operator && !action.is_deletion()) {
        return;
    }
    let target = match response.extensions().get::<AuditSubject>() {
        Some(AuditSubject(about)) => about.chars().take(MAX_TARGET).collect(),
        None => target,
    };
    let key = match caller.link {
        Some(_) => Some("signed link".to_owned()),
        None => caller.key.clone(),
    };
    let recorded = store.audit(AuditEntry {
        principal: caller.principal.clone(),
        key,
        action: action.as_str().to_owned(),
        target,
        request: request.map(|RequestId(id)| id),
        at: now,
    });
    // The answer does not wait for it, but a record that fails is told.
    tokio::spawn(async move {
        if let Err(error) = recorded.await {
            tracing::error!(%error, "what was done could not be recorded");
        }
    });
}

#[cfg(test)]
mod tests {
    use store::{AccessStore, MemoryStore, PageRequest};
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

    async fn kept(store: &MemoryStore) -> Vec<i64> {
        let all = store
            .audit_entries(None, &PageRequest::first(99))
            .await
            .expect("read");
        all.items.iter().map(|entry| entry.at.0).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_record_is_kept_short_while_the_server_runs() {
        let store = Arc::new(MemoryStore::new());
        let now = || Timestamp(10 * DAY);
        for at in [DAY, 8 * DAY, 9 * DAY] {
            store.audit(entry(at)).await.expect("recorded");
        }
        let task = tokio::spawn(keep_short(store.clone(), settings(5, 3), now));
        advance(Duration::from_secs(1)).await;
        assert_eq!(kept(&store).await, [9 * DAY, 8 * DAY]);
        for at in [9 * DAY + 1, 9 * DAY + 2] {
            store.audit(entry(at)).await.expect("recorded");
        }
        advance(TRIMMED_EVERY).await;
        // It may have to be woken first.
        tokio::task::yield_now().await;
        assert_eq!(kept(&store).await, [9 * DAY + 2, 9 * DAY + 1, 9 * DAY]);
        task.abort();
        // Kept for ever: there is nothing to do.
        keep_short(store, settings(0, 0), now).await;
    }
}
