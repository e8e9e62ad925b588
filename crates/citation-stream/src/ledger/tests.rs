//! Tests of keys and of open verifications.

use super::*;

fn citation(quote: &str, document: &str) -> Arc<Citation> {
    Arc::new(Citation {
        attachment_id: Some(document.to_owned()),
        full_phrase: Some(quote.to_owned()),
        ..Citation::default()
    })
}

#[test]
fn never_reuses_the_key_of_a_removed_citation() {
    let mut ledger = Ledger::default();
    let (first, _) = ledger.begin_message("a");
    let change = ledger.cite(first, &citation("q", "log"), None, 0);
    let key = ledger.entry(change.expect("added").entry).map(|e| e.key);
    let evicted = ledger.evict(first).expect("it was there");
    assert_eq!(evicted.uncited.len(), 1);
    let (second, _) = ledger.begin_message("b");
    let change = ledger.cite(second, &citation("q", "code"), None, 0);
    let other = ledger.entry(change.expect("added").entry).map(|e| e.key);
    assert_ne!(key, other);
    let change = ledger.cite(second, &citation("q", "log"), None, 0);
    let again = ledger.entry(change.expect("added").entry).map(|e| e.key);
    assert_eq!(key, again);
}

#[test]
fn completes_a_message_when_its_last_check_is_abandoned() {
    let mut ledger = Ledger::default();
    let (message, _) = ledger.begin_message("a");
    let change = ledger.cite(message, &citation("q", "log"), None, 0);
    let entry = change.expect("added").entry;
    let result = crate::CheckResult::default();
    ledger.settle(entry, CitationOutcome::new(&result, SdkVersion::V2));
    ledger.begin_check(entry, 1);
    let place = ledger.message_mut(message).expect("it is there");
    assert_eq!(place.open, 1);
    place.progress = MessageProgress::Verifying;
    assert_eq!(ledger.abandon_check(entry), [message]);
}
