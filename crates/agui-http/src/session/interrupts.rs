//! Interrupts: answers to them, and the checks before the next run.

use std::time::SystemTime;

use agui::model::{Interrupt, ResumeEntry, ResumeStatus};
use json::Json;

/// Reason why a run may not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunRefusal {
    /// Open interrupts are not answered.
    #[error(
        "Thread has {} pending interrupt(s) not addressed by resume: {}",
        .ids.len(), .ids.join(", ")
    )]
    Unanswered {
        /// Ids of the interrupts.
        ids: Vec<String>,
    },
    /// An interrupt is answered after it expired.
    #[error(
        "Interrupt {id} expired at {expires_at} and can no longer be answered. Cancel it to continue the thread."
    )]
    Expired {
        /// Id of the interrupt.
        id: String,
        /// Expiry as sent by the agent.
        expires_at: String,
    },
}

/// Answer to an interrupt.
#[derive(Debug, Clone, PartialEq)]
pub enum InterruptAnswer {
    /// Resolved, with a payload.
    Resolved(Option<Json>),
    /// Cancelled.
    Cancelled,
}

/// Mismatch between answers and open interrupts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterruptAnswerError {
    /// Interrupts without an answer.
    #[error("no answer for the interrupt(s) {}", .0.join(", "))]
    Missing(Vec<String>),
    /// Answers for interrupts that are not open.
    #[error("there is no open interrupt {}", .0.join(", "))]
    Unknown(Vec<String>),
}

/// Builds `resume` from answers: exactly one for every open interrupt.
pub(super) fn resume_entries(
    pending: &[Interrupt],
    answers: impl IntoIterator<Item = (String, InterruptAnswer)>,
) -> Result<Vec<ResumeEntry>, InterruptAnswerError> {
    let mut missing: Vec<&str> = pending
        .iter()
        .map(|interrupt| interrupt.id.as_str())
        .collect();
    let (mut entries, mut unknown) = (Vec::new(), Vec::new());
    for (interrupt_id, answer) in answers {
        match missing.iter().position(|&id| id == interrupt_id) {
            Some(at) => drop(missing.remove(at)),
            None => unknown.push(interrupt_id.clone()),
        }
        let (status, payload) = match answer {
            InterruptAnswer::Resolved(payload) => (ResumeStatus::Resolved, payload),
            InterruptAnswer::Cancelled => (ResumeStatus::Cancelled, None),
        };
        entries.push(ResumeEntry {
            interrupt_id,
            status,
            payload,
            metadata: None,
        });
    }
    if !unknown.is_empty() {
        return Err(InterruptAnswerError::Unknown(unknown));
    }
    if !missing.is_empty() {
        let missing = missing.into_iter().map(str::to_owned).collect();
        return Err(InterruptAnswerError::Missing(missing));
    }
    Ok(entries)
}

/// Checks that every open interrupt is answered, and in time unless it is cancelled.
pub(super) fn check_answered(
    pending: &[Interrupt],
    resume: &[ResumeEntry],
    now: SystemTime,
) -> Result<(), RunRefusal> {
    let answer = |interrupt: &Interrupt| {
        resume
            .iter()
            .find(|entry| entry.interrupt_id == interrupt.id)
    };
    let ids: Vec<String> = pending
        .iter()
        .filter(|interrupt| answer(interrupt).is_none())
        .map(|interrupt| interrupt.id.clone())
        .collect();
    if !ids.is_empty() {
        return Err(RunRefusal::Unanswered { ids });
    }
    for interrupt in pending {
        let is_cancelled =
            answer(interrupt).is_some_and(|entry| entry.status == ResumeStatus::Cancelled);
        if let Some(expires_at) = &interrupt.expires_at
            && !is_cancelled
            && parse_time(expires_at).is_some_and(|time| time <= now)
        {
            return Err(RunRefusal::Expired {
                id: interrupt.id.clone(),
                expires_at: expires_at.clone(),
            });
        }
    }
    Ok(())
}

/// Parses a point in time: ISO 8601 in the forms that JavaScript reads, and the date format of mail and HTTP.
/// Without an offset it is UTC.
fn parse_time(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let timestamp = text
        .parse::<jiff::Timestamp>()
        .or_else(|_| jiff::fmt::rfc2822::parse(text).map(|zoned| zoned.timestamp()))
        .ok()
        .or_else(|| {
            let padded = match text.len() {
                4 => format!("{text}-01-01"),
                7 => format!("{text}-01"),
                _ => text.to_owned(),
            };
            let civil: jiff::civil::DateTime = padded.parse().ok()?;
            let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
            Some(zoned.timestamp())
        })?;
    Some(timestamp.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_times_in_iso_and_mail_forms() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        for (text, seconds) in [
            ("1970-01-02T00:00:00Z", Some(86_400)),
            ("1970-01-02T01:00:00+01:00", Some(86_400)),
            ("1970-01-02T00:00:00", Some(86_400)),
            ("1970-01-02 00:00:00Z", Some(86_400)),
            ("1970-01-02", Some(86_400)),
            ("1970-01", Some(0)),
            ("1970", Some(0)),
            ("Fri, 02 Jan 1970 00:00:00 GMT", Some(86_400)),
            ("soon", None),
            ("", None),
            ("1970-13-01", None),
        ] {
            assert_eq!(parse_time(text), seconds.map(at), "{text}");
        }
    }

    #[test]
    fn requires_one_answer_for_each_open_interrupt() {
        let interrupt =
            |id: &str| Interrupt::from_json(&format!(r#"{{"id":"{id}","reason":"r"}}"#));
        let pending = vec![
            interrupt("a").expect("valid"),
            interrupt("b").expect("valid"),
        ];
        let answer = |ids: &[&str]| {
            resume_entries(
                &pending,
                ids.iter()
                    .map(|&id| (id.to_owned(), InterruptAnswer::Cancelled)),
            )
        };
        assert_eq!(
            answer(&["b"]),
            Err(InterruptAnswerError::Missing(vec!["a".into()]))
        );
        assert_eq!(
            answer(&["a", "b", "c"]),
            Err(InterruptAnswerError::Unknown(vec!["c".into()]))
        );
        let entries = answer(&["b", "a"]).expect("they fit");
        assert_eq!(
            entries[0].to_json(),
            r#"{"interruptId":"b","status":"cancelled"}"#
        );
    }
}
