use agui::input::read_request;
use agui::{Agent as _, Event};
use json::Value;

use super::*;
use crate::run_host::FixedHost;

/// Noon of 18 November 2026 in milliseconds since 1970.
const NOW: u64 = 1_795_003_200_000;

fn agent(name: &str) -> SampleAgent {
    let host = FixedHost::default();
    host.time.store(NOW, std::sync::atomic::Ordering::Relaxed);
    let host: Arc<dyn RunHost> = Arc::new(host);
    let agents = SampleAgent::all(&host, None, RunLimits::default());
    agents
        .into_iter()
        .find(|(other, _)| *other == name)
        .expect("an agent")
        .1
}

/// Runs an agent on a message, with members of `forwardedProps`. Returns its events.
async fn run(name: &str, messages: &str, props: &str) -> Vec<Event> {
    let input = format!(
        r#"{{"threadId":"t","runId":"r","messages":{messages},"tools":[],"context":[],"forwardedProps":{props}}}"#
    );
    let input = read_request(input.as_bytes(), String::new)
        .expect("an input")
        .input;
    let mut stream = agent(name).run(input);
    let mut events = Vec::new();
    let mut slot = agui::ReceivedEvent::default();
    while let Some(next) =
        std::future::poll_fn(|context| stream.poll_into(context, &mut slot)).await
    {
        next.expect("an event");
        let agui::ReceivedEvent::Typed(event) = std::mem::take(&mut slot) else {
            panic!("an event that is not typed");
        };
        events.push(event);
    }
    events
}

fn asked(text: &str) -> String {
    let message = Value::from([
        ("id", "q".into()),
        ("role", "user".into()),
        ("content", text.into()),
    ]);
    Value::Array(vec![message]).to_json()
}

/// Returns the messages in the events. Each of them is valid.
fn messages(events: &[Event]) -> Vec<Value> {
    let sent = events.iter().filter_map(|event| {
        let metadata = event
            .common()
            .metadata
            .as_ref()?
            .as_json()
            .value()
            .into_owned();
        let mut message = metadata.get(canvas::MESSAGE_METADATA)?.clone();
        let json = Value::parse(&event.to_json()).expect("JSON");
        if let (Some(members), Some(content)) = (message.as_object_mut(), json.get("content")) {
            members.insert("payload".to_owned(), content.clone());
        }
        Some(message)
    });
    let sent: Vec<Value> = sent.collect();
    for message in &sent {
        let mut checked = message.clone();
        checked.as_object_mut().expect("an object").remove("id");
        let checked = canvas::check(checked, "t").expect("a valid message");
        assert!(checked.repairs.is_empty(), "{:?}", checked.repairs);
    }
    sent
}

/// Returns the names of components and the types of other messages, in order.
fn outline(events: &[Event]) -> Vec<String> {
    let name = |message: &Value| {
        let component = message
            .get("payload")
            .and_then(|payload| payload.get("component"));
        let kind = component
            .or_else(|| message.get("type"))
            .and_then(Value::as_str);
        kind.unwrap_or_default().to_owned()
    };
    messages(events).iter().map(name).collect()
}

fn chosen(message: &str, action: &str, params: &str) -> String {
    format!(
        r#"{{"pinciteAction":{{"messageId":"{message}","actionId":"{action}","params":{params},"state":"running"}}}}"#
    )
}

#[tokio::test]
async fn a_csv_becomes_metrics_charts_and_insights() {
    let csv = "Look:\ncity,sales,visits\nBerlin,10,100\nParis,30,290\nRome,20,210";
    let events = run(INTELLIGENCE, &asked(csv), "{}").await;
    let shown = outline(&events);
    let expected = [
        "reasoning",
        "text",
        "card",
        "chart",
        "chart",
        "list",
        "table",
        "action",
    ];
    assert_eq!(shown, expected);
    let all = messages(&events);
    let data = |position: usize| {
        all[position]
            .get("payload")
            .and_then(|it| it.get("data"))
            .expect("data")
    };
    let metrics = data(2).get("content").expect("content").to_json();
    assert!(metrics.contains(r#""sales, total":60"#), "{metrics}");
    assert_eq!(
        data(3).get("chartType").and_then(Value::as_str),
        Some("bar")
    );
    let insights = data(5).to_json();
    assert!(insights.contains("sales grew by 100.0 %"), "{insights}");
    assert!(insights.contains("highest at Paris: 30"), "{insights}");
    assert!(insights.contains("move together"), "{insights}");
}

#[tokio::test]
async fn a_deep_dive_shows_the_distribution_of_the_chosen_column() {
    let csv = asked("a,b\nx,1\ny,2\nz,9");
    let props = chosen("m", "deep_dive", r#"{"column":"b"}"#);
    let events = run(INTELLIGENCE, &csv, &props).await;
    assert_eq!(outline(&events), ["chart"]);
    let json = messages(&events)[0].to_json();
    assert!(
        json.contains("Distribution of b") && json.contains("[1,1,0,0,0,0,0,0,0,1]"),
        "{json}"
    );
    assert_eq!(
        outline(&run(INTELLIGENCE, &csv, &chosen("m", "nothing", "{}")).await),
        ["error"]
    );
}

#[tokio::test]
async fn messages_without_a_table_and_tables_without_numbers_are_answered() {
    let events = run(INTELLIGENCE, &asked("Hello"), "{}").await;
    assert!(messages(&events)[1].to_json().contains("a sample"));
    let events = run(INTELLIGENCE, &asked("a,b\nx,y\nz,w"), "{}").await;
    assert_eq!(outline(&events), ["error"]);
}

#[tokio::test]
async fn a_plan_waits_for_approval() {
    let events = run(STRATEGY, &asked("Open a shop in 20 weeks"), "{}").await;
    assert_eq!(
        outline(&events),
        ["reasoning", "text", "table", "timeline", "action"]
    );
    let json = messages(&events)[3].to_json();
    assert!(
        json.contains("2026-11-18") && json.contains("2026-12-16"),
        "{json}"
    );
    let actions = messages(&events)[4].to_json();
    assert!(
        actions.contains(r#""confirmationRequired":true"#),
        "{actions}"
    );
    let approve = chosen("r-5", "approve_plan", r#"{"weeks":20}"#);
    let events = run(STRATEGY, &asked("Open a shop"), &approve).await;
    assert_eq!(outline(&events), ["text", "calendar"]);
    let change = chosen("r-5", "change_length", r#"{"weeks":4}"#);
    let events = run(STRATEGY, &asked("Open a shop"), &change).await;
    assert_eq!(outline(&events).last().map(String::as_str), Some("action"));
}

#[tokio::test]
async fn a_campaign_has_a_preview_a_form_and_a_board() {
    let events = run(MARKETING, &asked("Winter sale"), "{}").await;
    assert_eq!(outline(&events), ["text", "card", "form", "kanban"]);
    let params = r#"{"name":"Winter","channel":"Email","budget":500,"start":"2026-12-01","end":"2026-12-24"}"#;
    let events = run(
        MARKETING,
        &asked("x"),
        &chosen("m", "create_campaign", params),
    )
    .await;
    assert_eq!(outline(&events), ["text", "timeline"]);
}

#[tokio::test]
async fn a_moved_card_is_a_patch_of_the_board() {
    let events = run(MARKETING, &asked("Winter sale"), "{}").await;
    let board = messages(&events)[3]
        .get("payload")
        .expect("a payload")
        .to_json();
    let conversation = format!(
        r#"[{{"id":"q","role":"user","content":"x"}},{{"id":"b","role":"activity","activityType":"pincite.ui","content":{board}}}]"#
    );
    let params = r#"{"cardId":"brief","fromColumnId":"todo","toColumnId":"done","position":0}"#;
    let events = run(MARKETING, &conversation, &chosen("b", "move_card", params)).await;
    let delta = events[1].to_json();
    assert!(
        delta.contains(r#""from":"/data/columns/0/cards/0""#),
        "{delta}"
    );
    assert!(
        delta.contains(r#""path":"/data/columns/2/cards/0""#),
        "{delta}"
    );
    let unknown = params.replace("brief", "nothing");
    let events = run(
        MARKETING,
        &conversation,
        &chosen("b", "move_card", &unknown),
    )
    .await;
    assert_eq!(outline(&events), ["error"]);
}
