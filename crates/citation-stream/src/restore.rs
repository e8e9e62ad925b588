//! Restores the ledger of a thread from its state and its record.

use std::sync::Arc;

use citations::{Citation, CitationKey, SdkVersion, VerificationStatus};
use json::{Map, Value};

use crate::check_result::status_of;
use crate::ledger::{
    CitationOutcome, CitationPlacement, ClientReview, Ledger, LedgerEntry, as_text, is_safe_name,
};
use crate::summary::MessageProgress;
use citations::resolve::StatusCategory;

/// Origin of a state, which decides if its verifications count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateTrust {
    /// The program stored it: its verifications count.
    Stored,
    /// A client sent it and nothing is stored: its citations are verified again.
    Claimed,
}

/// Reads a ledger from the full projection of a state. Parts in another form are left out.
pub(crate) fn restore_ledger(full: Option<&Value>, trust: StateTrust, names: SdkVersion) -> Ledger {
    let mut ledger = Ledger::new(names);
    if let Some(full) = full {
        restore_entries(&mut ledger, full, trust);
        restore_messages(&mut ledger, full, is_safe_name);
        merge_reviews(&mut ledger, full);
    }
    if trust == StateTrust::Claimed {
        close_messages(&mut ledger);
    }
    ledger
}

/// Adds the parts of a ledger that only the record of a thread has.
pub(crate) fn restore_record(ledger: &mut Ledger, record: &Value) {
    if let Some(full) = record.get("ledger") {
        restore_entries(ledger, full, StateTrust::Stored);
        restore_messages(ledger, full, |_| true);
        merge_reviews(ledger, full);
    }
    let emptied = record.get("emptied").and_then(Value::as_array);
    let emptied = emptied.unwrap_or_default().iter();
    mark_listed(ledger, emptied.filter_map(Value::as_str));
}

/// Notes which messages have a source list.
pub(crate) fn mark_listed<'m>(ledger: &mut Ledger, messages: impl Iterator<Item = &'m str>) {
    for id in messages {
        if let Some(message) = ledger
            .message_index(id)
            .and_then(|at| ledger.message_mut(at))
        {
            message.listed = true;
        }
    }
}

/// Restores numbers and turns from the session projection of a state.
pub(crate) fn restore_session(ledger: &mut Ledger, session: &Value) {
    for (key, number) in ledger.session.restore(session) {
        if let Some(entry) = ledger.entry_of(key).and_then(|at| ledger.entry_mut(at)) {
            entry.number = Some(number);
        }
    }
}

/// Adds the reviews of a full projection that are newer than those of the ledger. Returns those that were added.
pub(crate) fn merge_reviews(ledger: &mut Ledger, full: &Value) -> Vec<ClientReview> {
    let mut reviews = std::mem::take(&mut ledger.reviews);
    let cited = members(full.get("reviews")).filter_map(|(name, value)| {
        let key = CitationKey::from_hex(name)?;
        ledger.entry_of(key)?;
        Some((key, value))
    });
    let added = reviews.merge(cited);
    ledger.reviews = reviews;
    added
}

fn restore_entries(ledger: &mut Ledger, full: &Value, trust: StateTrust) {
    let verifications = full.get("verifications").and_then(Value::as_object);
    let verifications = verifications.filter(|_| trust == StateTrust::Stored);
    for (name, value) in members(full.get("citations")) {
        let (Some(key), Some(citation)) = (CitationKey::from_hex(name), Citation::from_json(value))
        else {
            continue;
        };
        let outcome = verifications
            .and_then(|verifications| verifications.get(name)?.as_object())
            .map(restore_outcome);
        if let Some(at) = ledger.entry_of(key) {
            let is_open = ledger.entry(at).is_some_and(LedgerEntry::is_open);
            if let Some(outcome) = outcome.filter(|_| is_open) {
                ledger.settle(at, outcome);
            }
            continue;
        }
        let entry = LedgerEntry::new(key, Arc::new(citation), as_text(value), 0);
        ledger.insert(LedgerEntry { outcome, ..entry });
    }
}

fn restore_messages(ledger: &mut Ledger, full: &Value, is_wanted: impl Fn(&str) -> bool) {
    for (id, value) in members(full.get("messages")).filter(|(id, _)| is_wanted(id)) {
        let progress = value.get("status").and_then(Value::as_str);
        let Some(progress) = progress.and_then(MessageProgress::from_name) else {
            continue;
        };
        if ledger.message_index(id).is_some() {
            continue;
        }
        let (at, _) = ledger.begin_message(id);
        for (name, json) in members(value.get("citations")) {
            if let Some(entry) = CitationKey::from_hex(name).and_then(|key| ledger.entry_of(key)) {
                let number = match json.get("citationNumber") {
                    Some(Value::Number(number)) => Some(number.clone()),
                    _ => None,
                };
                let json = as_text(json);
                let cited = CitationPlacement {
                    entry,
                    json,
                    number,
                };
                ledger.place(at, cited);
            }
        }
        let Some(message) = ledger.message_mut(at) else {
            continue;
        };
        for (marker, key) in members(value.get("markers")) {
            if let Some(key) = key.as_str().and_then(CitationKey::from_hex)
                && is_safe_name(marker)
            {
                message.set_marker(marker.to_owned(), key);
            }
        }
        message.progress = progress;
        message.error = value
            .get("error")
            .and_then(Value::as_str)
            .map(str::to_owned);
        message.outcome = value.get("outcome").map(as_text);
    }
}

/// Ends messages that a client claims are still streaming: no run continues them.
fn close_messages(ledger: &mut Ledger) {
    for message in ledger.messages_mut() {
        // Only the program states outcomes.
        message.outcome = None;
        if message.progress != MessageProgress::Error {
            message.progress = match message.open {
                0 => MessageProgress::Complete,
                _ => MessageProgress::Verifying,
            };
        }
    }
}

fn restore_outcome(json: &Map) -> CitationOutcome {
    let status = status_of(json).unwrap_or(VerificationStatus::Pending);
    let text = |name: &str| json.get(name).and_then(Value::as_str).map(str::to_owned);
    let page = |name: &str| match json.get("document")?.get(name)? {
        Value::Number(page) => u64::try_from(page.as_safe_int()?).ok(),
        _ => None,
    };
    CitationOutcome {
        category: StatusCategory::of(&status),
        status: text("status").unwrap_or_default(),
        title: text("label"),
        url: text("evidenceUrl"),
        source_uri: None,
        headings: Vec::new(),
        page: page("verifiedPageNumber"),
        end_page: page("verifiedEndPageNumber"),
        json: as_text(&Value::Object(json.clone())),
    }
}

/// Returns the members of a value, if it is an object.
fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{
        "citations":{"b4ba9bdb57544aa1":{"fullPhrase":"q","attachmentId":"log"},"no key":{},"b4ba9bdb57544aa2":7},
        "verifications":{"b4ba9bdb57544aa1":{"status":"found","label":"Log"}},
        "messages":{"m":{"citations":{"b4ba9bdb57544aa1":{"citationNumber":3}},"markers":{"3":"b4ba9bdb57544aa1"},
            "status":"verifying"},"__proto__":{"status":"complete"},"x":{"status":"unheard of"}},
        "reviews":{"b4ba9bdb57544aa1":{"action":"opened","at":1},"b4ba9bdb57544aa9":{"action":"opened","at":1}}}"#;

    fn restored(trust: StateTrust) -> Ledger {
        let state = Value::parse(STATE).expect("JSON");
        restore_ledger(Some(&state), trust, SdkVersion::V2)
    }

    #[test]
    fn leaves_out_invalid_parts() {
        let ledger = restored(StateTrust::Stored);
        assert_eq!(ledger.entries().count(), 1);
        assert_eq!(ledger.messages().count(), 1);
        assert_eq!(ledger.reviews().count(), 1);
        let message = ledger.message("m").expect("it is valid");
        assert_eq!(message.summary.verified, 1);
        assert_eq!(message.markers.len(), 1);
    }

    #[test]
    fn ignores_verifications_that_a_client_claims() {
        let ledger = restored(StateTrust::Claimed);
        assert_eq!(ledger.unverified_entries(), [0]);
        let message = ledger.message("m").expect("it is valid");
        assert_eq!(message.summary.pending, 1);
        assert_eq!(message.progress, MessageProgress::Verifying);
    }
}
