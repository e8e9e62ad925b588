//! Messages, actions and context of conversations.

use axum::http::Method;
use json::Value;

use super::*;

pub(super) const TABLE: &str = r#"{"type":"ui","agentId":"sales","payload":{"component":"table","data":{"title":"T","headers":["a"],"rows":[[1]]},"layout":{"width":"half"}}}"#;

pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {}", value.to_json()))
}

pub(super) fn items(value: &Value) -> &[Value] {
    value["items"].as_array().expect("items")
}

impl RunServer {
    pub(super) async fn say(&self, conversation: &str, message: &str) -> String {
        let path = format!("/conversations/{conversation}/messages");
        let (status, sent) = self.json(Method::POST, &path, message).await;
        assert_eq!(status, 201, "{}", sent.to_json());
        text(&sent, "id").to_owned()
    }
}

#[tokio::test(start_paused = true)]
async fn messages_are_stored_unchanged_and_listed_oldest_first() {
    let server = RunServer::of(Vec::new()).await;
    let first = server.say("c", r#"{"type":"text","agentId":"x y","payload":{"text":"1.0","sentiment":"neutral"},"timestamp":7}"#).await;
    let second = server.say("c", TABLE).await;
    let page = server.get("/conversations/c/messages?limit=1").await;
    assert_eq!(
        items(&page)[0].to_json(),
        format!(
            r#"{{"id":"{first}","type":"text","agentId":"x y","conversationId":"c","timestamp":7,"version":"1.0.0","payload":{{"text":"1.0","sentiment":"neutral"}}}}"#
        )
    );
    let next = text(&page, "next");
    let rest = server
        .get(&format!("/conversations/c/messages?after={next}"))
        .await;
    assert_eq!(text(&items(&rest)[0], "id"), second);
    assert_eq!(
        items(&rest)[0]["payload"],
        Value::parse(TABLE).expect("JSON")["payload"]
    );
    assert_eq!(rest["next"], Value::Null);
    let one = server
        .get(&format!("/conversations/c/messages/{second}"))
        .await;
    assert_eq!(one, items(&rest)[0]);
}

#[tokio::test(start_paused = true)]
async fn an_invalid_message_is_refused_with_every_error() {
    let server = RunServer::of(Vec::new()).await;
    let path = "/conversations/c/messages";
    let (status, refused) = server
        .json(
            Method::POST,
            path,
            r#"{"type":"ui","agentId":"a","payload":{"component":"chart","data":{"title":5}}}"#,
        )
        .await;
    assert_eq!(status, 422);
    assert_eq!(text(&refused["error"], "code"), "invalid_message");
    let errors = refused["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 4, "{}", refused.to_json());
    assert_eq!(text(&errors[0], "path"), "/payload/data/title");
    assert_eq!(text(&errors[0], "expected"), "a string");
    for (body, expected) in [("{", 400), ("[]", 422), ("\"x\"", 422), (TABLE, 201)] {
        let (status, answer) = server.json(Method::POST, path, body).await;
        assert_eq!(status, expected, "{}", answer.to_json());
    }
    let elsewhere = TABLE.replacen('{', r#"{"conversationId":"d","#, 1);
    let (status, refused) = server.json(Method::POST, path, &elsewhere).await;
    assert_eq!(
        (
            status,
            text(&refused["errors"].as_array().expect("errors")[0], "code")
        ),
        (422, "conversation_mismatch")
    );
    let (status, _) = server
        .json(Method::GET, "/conversations/unknown/messages", "")
        .await;
    assert_eq!(status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_message_without_an_open_run_is_a_short_run() {
    let server = RunServer::of(Vec::new()).await;
    let id = server.say("c", TABLE).await;
    server
        .say(
            "c",
            r#"{"type":"text","agentId":"other","payload":{"text":"done"}}"#,
        )
        .await;
    let thread = server.get("/threads/c").await;
    assert_eq!(text(&thread["lastRun"], "status"), "finished");
    assert_eq!(text(&thread["lastRun"], "agent"), "other");
    let messages = server.get("/threads/c/messages").await;
    let messages = messages.as_array().expect("messages");
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| text(message, "role"))
        .collect();
    assert_eq!(
        roles,
        ["activity", "assistant", "assistant"],
        "the table, its text, the text"
    );
    assert_eq!(text(&messages[0], "activityType"), "pincite.ui");
    assert_eq!(
        messages[0]["content"],
        Value::parse(TABLE).expect("JSON")["payload"]
    );
    assert_eq!(text(&messages[1], "content"), "T\n| a |\n| --- |\n| 1 |");
    let (_, mut events) = server
        .send(Method::GET, "/threads/c/events?after=0", &[], "")
        .await;
    let events = events.until("RUN_FINISHED").await;
    assert_eq!(
        kinds(&events)
            .into_iter()
            .filter(|kind| !kind.starts_with("STATE"))
            .collect::<Vec<_>>(),
        [
            "RUN_STARTED",
            "ACTIVITY_SNAPSHOT",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED"
        ]
    );
    assert_eq!(text(&events[1].1, "messageId"), id);
}

#[tokio::test(start_paused = true)]
async fn a_message_joins_the_open_run() {
    let steps = vec![
        say(STARTED),
        ScriptStep::Wait(Duration::from_secs(60)),
        say(FINISHED),
    ];
    let server = RunServer::of(steps).await;
    let mut run = server.run("c", "r").await;
    run.until("RUN_STARTED").await;
    let id = server.say("c", TABLE).await;
    let snapshot = run.until("ACTIVITY_SNAPSHOT").await;
    assert_eq!(text(&snapshot.last().expect("an event").1, "messageId"), id);
    run.until("RUN_FINISHED").await;
    let runs = server.get("/threads/c").await;
    assert_eq!(text(&runs["lastRun"], "id"), "r", "no run of its own");
    assert_eq!(
        items(&server.get("/conversations/c/messages").await).len(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn messages_sent_at_once_are_all_kept() {
    let server = RunServer::of(Vec::new()).await;
    let message =
        |n: usize| format!(r#"{{"type":"text","agentId":"a{n}","payload":{{"text":"{n}"}}}}"#);
    let all: Vec<String> = (0..8).map(message).collect();
    let (a, b, c, d) = tokio::join!(
        server.say("c", &all[0]),
        server.say("c", &all[1]),
        server.say("c", &all[2]),
        server.say("c", &all[3]),
    );
    let ids = [a, b, c, d];
    let listed = server.get("/conversations/c/messages").await;
    assert_eq!(items(&listed).len(), 4);
    let messages = server.get("/threads/c/messages").await.to_json();
    assert!(
        ids.iter().all(|id| messages.contains(id.as_str())),
        "{messages}"
    );
}

#[tokio::test(start_paused = true)]
async fn updates_are_patches_of_the_payload_and_live() {
    let server = RunServer::of(Vec::new()).await;
    let id = server.say("c", TABLE).await;
    let mut live = server.subscribe("/conversations/c/messages/events").await;
    let (sequence, first) = live.next().await.expect("the message");
    assert_eq!(text(&first, "id"), id);
    assert_eq!(
        first["payload"],
        Value::parse(TABLE).expect("JSON")["payload"]
    );
    let path = format!("/conversations/c/messages/{id}");
    let row = r#"[{"op":"add","path":"/data/rows/-","value":[2]}]"#;
    let (status, _) = server.json(Method::PATCH, &path, row).await;
    assert_eq!(status, 200);
    let (_, patch) = live.next().await.expect("the patch");
    assert_eq!(patch.to_json(), format!(r#"{{"id":"{id}","patch":{row}}}"#));
    let updated = server.get(&path).await;
    assert_eq!(updated["payload"]["data"]["rows"].to_json(), "[[1],[2]]");
    let activity = server.get("/threads/c/messages").await;
    let activity = &activity.as_array().expect("messages")[0];
    assert_eq!(
        activity["content"], updated["payload"],
        "the thread has the update, too"
    );
    for (patch, code) in [
        (
            r#"[{"op":"add","path":"/data/rows/-","value":[null]}]"#,
            "wrong_type",
        ),
        (r#"[{"op":"remove","path":"/data/none"}]"#, "patch_failed"),
    ] {
        let (status, refused) = server.json(Method::PATCH, &path, patch).await;
        assert_eq!(
            (
                status,
                text(&refused["errors"].as_array().expect("errors")[0], "code")
            ),
            (422, code)
        );
    }
    for body in ["{}", "nothing", r#"[{"op":"jump"}]"#] {
        let (status, _) = server.json(Method::PATCH, &path, body).await;
        assert!(matches!(status, 400 | 422), "{body}: {status}");
    }
    let resumed = format!(
        "/conversations/c/messages/events?after={}",
        sequence.expect("an id")
    );
    let (_, again) = server
        .subscribe(&resumed)
        .await
        .next()
        .await
        .expect("the patch");
    assert_eq!(
        again, patch,
        "a client that reconnects receives what it missed"
    );
}

#[tokio::test(start_paused = true)]
async fn actions_are_confirmed_executed_once_and_reported() {
    let server = RunServer::of(Vec::new()).await;
    let id = server
        .say("c", r#"{"type":"action","agentId":"ext","payload":{"actions":[{"id":"go","label":"Go","params":{"n":1},"confirmationRequired":true}]}}"#)
        .await;
    let path = format!("/conversations/c/messages/{id}/actions/go");
    let (status, asked) = server
        .json(Method::POST, &path, r#"{"idempotencyKey":"k"}"#)
        .await;
    assert_eq!(
        (status, text(&asked["error"], "code")),
        (409, "confirmation_required")
    );
    let chosen = r#"{"idempotencyKey":"k","confirmed":true}"#;
    let (status, execution) = server.json(Method::POST, &path, chosen).await;
    assert_eq!((status, text(&execution, "state")), (200, "running"));
    assert_eq!(execution["params"].to_json(), r#"{"n":1}"#);
    let (_, again) = server.json(Method::POST, &path, chosen).await;
    assert_eq!(again, execution);
    let log = server.get("/events?type=user_action_executed").await;
    assert_eq!(items(&log).len(), 1, "a repeated request executes nothing");
    let report = r#"{"idempotencyKey":"k","state":"done","result":{"ok":true}}"#;
    let (status, done) = server
        .json(Method::POST, &format!("{path}/result"), report)
        .await;
    assert_eq!((status, text(&done, "state")), (200, "done"));
    let (status, _) = server
        .json(Method::POST, &format!("{path}/result"), report)
        .await;
    assert_eq!(status, 409, "an execution ends once");
    let listed = server
        .get(&format!("/conversations/c/messages/{id}/actions"))
        .await;
    assert_eq!(items(&listed), [done]);
    let (status, _) = server
        .json(Method::POST, &path.replace("/go", "/other"), chosen)
        .await;
    assert_eq!(status, 404);
}

#[tokio::test(start_paused = true)]
async fn an_agent_of_the_gateway_runs_for_the_action() {
    let server = RunServer::of(answer("approved")).await;
    let id = server
        .say(
            "c",
            r#"{"type":"action","agentId":"a","payload":{"actions":[{"id":"go","label":"Go"}]}}"#,
        )
        .await;
    let path = format!("/conversations/c/messages/{id}/actions/go");
    let (status, _) = server
        .json(Method::POST, &path, r#"{"idempotencyKey":"k"}"#)
        .await;
    assert_eq!(status, 200);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let listed = server
        .get(&format!("/conversations/c/messages/{id}/actions"))
        .await;
    assert_eq!(text(&items(&listed)[0], "state"), "done");
    let messages = server.get("/threads/c/messages").await.to_json();
    assert!(messages.contains("approved"), "{messages}");
}
