//! Approvals: calls that wait for a person.

use super::*;

fn interrupt_of(events: &[Event]) -> Interrupt {
    match outcome_of(events) {
        Some(RunOutcome::Interrupt { mut interrupts }) => interrupts.remove(0),
        other => panic!("no interrupt: {other:?}"),
    }
}

/// Input that continues after the interrupt of call `a`.
fn resumed(payload: &str, status: &str) -> RunAgentInput {
    let resume = format!(
        r#","resume":[{{"interruptId":"approval-a","status":"{status}","payload":{payload}}}]"#
    );
    let mut input = input(&resume);
    let call = r#"[{"id":"s","role":"assistant","toolCalls":[{"id":"a","type":"function","function":{"name":"reset","arguments":"{\"by\":100}"}}]}]"#;
    input
        .messages
        .extend(Message::list_from_json(call).expect("messages"));
    input
}

#[tokio::test]
async fn approved_calls_run_once_with_edited_arguments() {
    let answers = vec![
        calls(&[("a", "reset", r#"{"by":1}"#)]),
        text("Done."),
        text("Done again."),
    ];
    let harness = harness(answers, RunLimits::default()).await;
    let asked = interrupt_of(&run(&harness.agent, input("")).await);
    assert_eq!(asked.tool_call_id.as_deref(), Some("a"));
    assert_eq!(asked.expires_at.as_deref(), Some("1970-01-01T00:01:00Z"));
    let schema = asked.response_schema.expect("a schema").as_json().to_json();
    assert!(schema.contains("\"approved\""), "{schema}");

    let approved = resumed(r#"{"approved":true,"arguments":{"by":7}}"#, "resolved");
    let events = run(&harness.agent, approved.clone()).await;
    // The arguments are those of the user, not those in the client's copy of the conversation.
    assert_eq!(results_of(&events), ["The count is 7."]);
    // The same answer again gives the same result and runs nothing.
    let events = run(&harness.agent, approved).await;
    assert_eq!(results_of(&events), ["The count is 7."]);
    assert!(!kinds(&events).contains(&"STATE_DELTA"));
}

#[tokio::test]
async fn rejected_expired_and_unknown_approvals_run_nothing() {
    for (payload, status, late, says) in [
        (
            r#"{"approved":false,"reason":"no"}"#,
            "resolved",
            0,
            "rejected the call: no",
        ),
        (r#"{"approved":true}"#, "cancelled", 0, "did not approve"),
        (r#"{"approved":true}"#, "resolved", 60_001, "too late"),
        ("{}", "resolved", 0, "rejected"),
    ] {
        let answers = vec![calls(&[("a", "reset", r#"{"by":1}"#)]), text("Ok.")];
        let harness = harness(answers, RunLimits::default()).await;
        interrupt_of(&run(&harness.agent, input("")).await);
        harness.host.time.store(late, Ordering::Relaxed);
        let events = run(&harness.agent, resumed(payload, status)).await;
        let results = results_of(&events);
        assert!(results[0].contains(says), "{results:?}");
        assert!(!kinds(&events).contains(&"STATE_DELTA"));
    }
    // Without a store on the disk a restart forgets the approval.
    let harness = harness(vec![text("Ok.")], RunLimits::default()).await;
    let events = run(&harness.agent, resumed(r#"{"approved":true}"#, "resolved")).await;
    assert!(results_of(&events)[0].contains("not known"));
}

#[tokio::test]
async fn approvals_survive_a_restart_and_run_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let restarted = async |answers| {
        let store = ApprovalFolder::open(folder.path()).expect("a store");
        harness_with(answers, RunLimits::default(), Arc::new(store)).await
    };
    let first = restarted(vec![calls(&[("a", "reset", r#"{"by":1}"#)])]).await;
    interrupt_of(&run(&first.agent, input("")).await);

    let approved = resumed(r#"{"approved":true}"#, "resolved");
    let second = restarted(vec![text("Done.")]).await;
    let events = run(&second.agent, approved.clone()).await;
    // The stored arguments count, not those in the client's copy of the conversation.
    assert_eq!(results_of(&events), ["The count is 1."]);

    let third = restarted(vec![text("Done again.")]).await;
    let events = run(&third.agent, approved).await;
    assert_eq!(results_of(&events), ["The count is 1."]);
    assert!(!kinds(&events).contains(&"STATE_DELTA"));
}

#[tokio::test]
async fn an_approval_that_cannot_be_stored_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = ApprovalFolder::open(folder.path()).expect("a store");
    drop(folder);
    let answers = vec![calls(&[("a", "reset", r#"{"by":1}"#)])];
    let harness = harness_with(answers, RunLimits::default(), Arc::new(store)).await;
    let events = run(&harness.agent, input("")).await;
    let Some(EventData::RunError(error)) = events.last().map(Event::data) else {
        panic!("no error: {events:?}")
    };
    assert_eq!(error.code.as_deref(), Some("storage"));
}
