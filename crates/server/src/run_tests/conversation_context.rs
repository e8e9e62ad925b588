//! Context of conversations, messages of upstream agents, and queries over the ontology.

use axum::http::Method;
use json::Value;

use super::conversations::{TABLE, items, text};
use super::*;

#[tokio::test(start_paused = true)]
async fn only_granted_context_leaves_and_reaches_the_agent() {
    let server = RunServer::of(Vec::new()).await;
    let id = server
        .say("c", r#"{"type":"context_request","agentId":"ext","payload":{"fields":["cart","mail","page"],"reason":"to help"}}"#)
        .await;
    let thread = server.get("/threads/c").await;
    let pending = thread["pendingInterrupts"].as_array().expect("interrupts");
    assert_eq!(text(&pending[0], "id"), id, "the agent waits");
    let body = r#"{"decisions":{"cart":"always","mail":"never","other":"always"},"values":{"cart":[1],"mail":"x","page":"y","other":1}}"#;
    let (status, shared) = server
        .json(
            Method::POST,
            &format!("/conversations/c/messages/{id}/context"),
            body,
        )
        .await;
    assert_eq!(status, 200, "{}", shared.to_json());
    assert_eq!(
        shared.to_json(),
        r#"{"shared":{"cart":[1]},"withheld":["mail","page"]}"#
    );
    let (_, _) = server
        .json(
            Method::PUT,
            "/conversations/c/context/app.page",
            r#"{"value":"home"}"#,
        )
        .await;
    let context = server.get("/conversations/c/context").await;
    assert_eq!(
        context.to_json(),
        r#"{"context":{"app.page":"home","cart":[1]}}"#
    );
    let grants = server.get("/context-grants").await;
    let decisions: Vec<(&str, &str)> = items(&grants)
        .iter()
        .map(|it| (text(it, "field"), text(it, "decision")))
        .collect();
    assert_eq!(decisions.len(), 2);
    assert!(decisions.contains(&("cart", "always")) && decisions.contains(&("mail", "never")));
    let log = server.get("/events?type=context_shared").await;
    assert_eq!(items(&log).len(), 2);
    assert!(
        !log.to_json().contains("home"),
        "the log names fields, not values"
    );
    for grant in items(&grants) {
        let (status, _) = server
            .json(
                Method::DELETE,
                &format!("/context-grants/{}", text(grant, "id")),
                "",
            )
            .await;
        assert_eq!(status, 200);
    }
    assert!(items(&server.get("/context-grants").await).is_empty());
    let (status, _) = server
        .json(Method::DELETE, "/conversations/c/context/cart", "")
        .await;
    assert_eq!(status, 200);
    let (status, _) = server
        .json(Method::DELETE, "/conversations/c/context/cart", "")
        .await;
    assert_eq!(status, 404);
}

#[tokio::test(start_paused = true)]
async fn activities_of_agents_are_stored_if_valid_and_forwarded_anyway() {
    let steps = vec![
        say(STARTED),
        say(
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"good","activityType":"pincite.ui","content":{"component":"markdown","data":{"text":"x"}}}"#,
        ),
        say(
            r#"{"type":"ACTIVITY_DELTA","messageId":"good","activityType":"pincite.ui","patch":[{"op":"replace","path":"/data/text","value":"y"}]}"#,
        ),
        say(
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"bad","activityType":"pincite.ui","content":{"component":"nothing"}}"#,
        ),
        say(FINISHED),
    ];
    let server = RunServer::of(steps).await;
    let events = server.run("c", "r").await.all().await;
    let activities = kinds(&events)
        .iter()
        .filter(|kind| kind.starts_with("ACTIVITY"))
        .count();
    assert_eq!(activities, 3);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let listed = server.get("/conversations/c/messages").await;
    assert_eq!(items(&listed).len(), 1);
    assert_eq!(
        (
            text(&items(&listed)[0], "id"),
            text(&items(&listed)[0], "agentId")
        ),
        ("good", "a")
    );
    assert_eq!(
        items(&listed)[0]["payload"]["data"].to_json(),
        r#"{"text":"y"}"#
    );
}

#[tokio::test(start_paused = true)]
async fn messages_are_things_with_connections_events_and_labels() {
    let server = RunServer::of(Vec::new()).await;
    let id = server.say("c", TABLE).await;
    let things = server
        .get("/things?type=message&within=conversation:c")
        .await;
    let thing = items(&things)
        .iter()
        .find(|thing| text(&thing["properties"], "messageId") == id)
        .expect("a thing");
    let message = text(thing, "id");
    for (kind, to) in [("sent_by", "agent:sales"), ("belongs_to", "conversation:c")] {
        let found = server
            .get(&format!("/connections?type={kind}&from={message}"))
            .await;
        assert_eq!(text(&items(&found)[0], "to"), to);
    }
    assert_eq!(items(&server.get("/things?type=agent").await).len(), 1);
    assert_eq!(
        items(&server.get("/things?type=conversation").await).len(),
        1
    );
    let sent = server
        .get(&format!("/events?type=agent_message_sent&target={message}"))
        .await;
    assert_eq!(text(&items(&sent)[0], "actor"), "agent:sales");
    let labels = server
        .get(&format!("/knowledge?type=label&thing={message}"))
        .await;
    let mut labels: Vec<&str> = items(&labels)
        .iter()
        .map(|label| text(label, "text"))
        .collect();
    labels.sort_unstable();
    assert_eq!(labels, ["table", "ui"]);
    let (status, mut live) = server
        .send(
            Method::GET,
            "/things?type=message",
            &[("accept", "text/event-stream")],
            "",
        )
        .await;
    assert_eq!(status, 200);
    let (at, first) = live.next().await.expect("a thing");
    assert!(at.is_some() && text(&first, "type") == "message");
}

#[tokio::test(start_paused = true)]
async fn the_catalog_is_published() {
    let server = RunServer::of(Vec::new()).await;
    let catalog = server.get("/canvas/catalog").await;
    assert_eq!(
        catalog["components"].as_array().map(<[Value]>::len),
        Some(12)
    );
    let chart = server.get("/canvas/catalog/chart").await;
    assert_eq!(text(&chart, "$id"), "urn:pincite:canvas:1.0.0:chart");
    let (status, _) = server.json(Method::GET, "/canvas/catalog/gauge", "").await;
    assert_eq!(status, 404);
}
