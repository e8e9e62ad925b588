//! Turns in the session projection: question, answer and citations.

use agui::event::{ToolCallEnd, ToolCallStart};
use agui::model::Tool;

use super::*;
use crate::ThreadUpdate;

const TIDE: (u32, &str, &str) = (1, "High tide was at 12:04", "log");
const MADE_UP: (u32, &str, &str) = (1, "Dragons live in Bergen", "log");

fn said(words: &str, cited: (u32, &str, &str)) -> String {
    format!("{words} [1].{}", block(&[cited]))
}

fn message(id: &str, text: &str) -> Vec<Event> {
    vec![start(id), delta(id, text), end(id)]
}

fn user(id: &str, text: &str) -> Message {
    Message {
        content: Content::Text(text.to_owned()),
        ..Message::new(id, Role::User)
    }
}

/// Returns the turns: question, answer, confidence, and the numbers of the citations.
fn turns(client: &TestClient) -> Vec<(String, String, String, Vec<String>)> {
    let turns = value(&client.at(&["rag", "qa_history"]));
    let turns = turns.as_array().unwrap_or_default().iter();
    turns
        .map(|turn| {
            let cited = turn["citations"].as_array().expect("a list").iter();
            (
                turn["question"].as_str().expect("a text").to_owned(),
                turn["answer"].as_str().expect("a text").to_owned(),
                turn["confidence"].to_json(),
                cited.map(|item| item["index"].to_json()).collect(),
            )
        })
        .collect()
}

fn turn(
    question: &str,
    answer: &str,
    confidence: &str,
    cited: &[&str],
) -> (String, String, String, Vec<String>) {
    let cited = cited.iter().map(|&number| number.to_owned()).collect();
    (
        question.to_owned(),
        answer.to_owned(),
        confidence.to_owned(),
        cited,
    )
}

const ASKED: &str = "What is true?";

/// Runs the next run of a conversation, with more messages in its input.
async fn continue_with(
    client: &TestClient,
    more: impl IntoIterator<Item = Message>,
    options: &LayerOptions,
    events: Vec<Event>,
) -> TestClient {
    let mut next = input(None);
    next.state = Some(client.fold.state().clone());
    next.messages = client.fold.messages().cloned().chain(more).collect();
    let host = TestHost::paused();
    let script = [vec![started()], events].concat();
    run_with(options.clone(), &host, next, script).await.0
}

#[tokio::test(start_paused = true)]
async fn records_the_final_texts_of_a_turn() {
    let (a, b) = (said("A", TIDE), said("B", TIDE));
    let after = |snapshots: Vec<Vec<Message>>| {
        let mut script = [vec![started()], message("m", &a), message("n", "Second.")].concat();
        script.extend(snapshots.into_iter().map(conversation));
        script.push(finished());
        run(script)
    };
    let m = |text: &str| assistant("m", text);
    let n = || assistant("n", "Second.");
    let u = || user("u", ASKED);
    for (snapshots, answer) in [
        (vec![vec![u(), m(&a), n()]], "A [1].\n\nSecond."),
        (vec![vec![u(), m(&b), n()]], "B [1].\n\nSecond."),
        (
            vec![vec![u(), m(&b), n()], vec![u(), m(&a), n()]],
            "A [1].\n\nSecond.",
        ),
        (
            vec![vec![u(), assistant("renamed", &a), n()]],
            "Second.\n\nA [1].",
        ),
        (vec![vec![u(), m(&a)]], "A [1]."),
        (
            vec![vec![u(), n()], vec![u(), m(&a), n()]],
            "A [1].\n\nSecond.",
        ),
        (vec![vec![u(), m(&a), assistant("n", "")]], "A [1]."),
        // A user message that the agent adds does not split the turn.
        (
            vec![vec![u(), m(&b), user("v", "Go on"), n()]],
            "B [1].\n\nSecond.",
        ),
    ] {
        let client = after(snapshots).await;
        assert_eq!(turns(&client), [turn(ASKED, answer, "1", &["1"])]);
    }
}

#[tokio::test(start_paused = true)]
async fn records_a_turn_that_broke_off() {
    for hide_block in [false, true] {
        for last in [vec![failed("gone")], vec![]] {
            let options = LayerOptions {
                hide_block,
                ..LayerOptions::default()
            };
            let host = TestHost::paused();
            let script = vec![
                started(),
                start("m"),
                delta("m", &said("A", TIDE)),
                delta("m", " And"),
            ];
            let script = [script, last].concat();
            let (client, _) = run_with(options, &host, input(Some("{}")), script).await;
            assert_eq!(turns(&client), [turn(ASKED, "A [1]. And", "1", &["1"])]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn continues_the_turn_in_the_next_run_of_a_stream() {
    let script = [
        vec![started()],
        message("m", &said("A", TIDE)),
        vec![finished(), started()],
        message("n", &said("B", MADE_UP)),
        vec![finished()],
    ];
    let client = run(script.concat()).await;
    let first = turn(ASKED, "A [1].", "1", &["1"]);
    let second = turn(ASKED, "B [1].", "0", &["2"]);
    assert_eq!(turns(&client), [first, second]);
}

#[tokio::test(start_paused = true)]
async fn records_a_turn_with_evicted_messages() {
    let options = LayerOptions {
        keep_messages: 1,
        ..LayerOptions::default()
    };
    let host = TestHost::paused();
    let script = [
        vec![started()],
        message("m", &said("A", TIDE)),
        message("n", &said("B", MADE_UP)),
        vec![finished()],
    ];
    let (client, _) = run_with(options.clone(), &host, input(Some("{}")), script.concat()).await;
    let first = turn(ASKED, "A [1].\n\nB [1].", "0.5", &["1", "2"]);
    assert_eq!(turns(&client), std::slice::from_ref(&first));
    let kept = |client: &TestClient| {
        let messages = value(&client.at(&["deepcitation", "messages"]));
        let messages = messages.as_object().expect("messages").iter();
        messages.map(|(id, _)| id.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kept(&client), ["n"]);

    // Messages of earlier turns are evicted at once.
    let events = [vec![start("o")], vec![failed("gone")]].concat();
    let client = continue_with(&client, [user("v", "And?")], &options, events).await;
    assert_eq!(kept(&client), ["o"]);
    assert_eq!(turns(&client), [first]);
}

#[tokio::test(start_paused = true)]
async fn records_a_turn_of_several_runs_with_evicted_messages() {
    let options = LayerOptions {
        keep_messages: 1,
        ..LayerOptions::default()
    };
    let mut first = input(Some("{}"));
    first.tools.push(Tool {
        name: "pick".to_owned(),
        description: String::new(),
        parameters: None,
        metadata: None,
    });
    let call = vec![
        theirs(ToolCallStart {
            tool_call_id: Text::from("c"),
            tool_call_name: Text::from("pick"),
            parent_message_id: None,
        }),
        theirs(ToolCallEnd {
            tool_call_id: Text::from("c"),
        }),
    ];
    let script = [
        vec![started()],
        message("m", &said("A", TIDE)),
        message("n", &said("B", MADE_UP)),
        call,
        vec![finished()],
    ];
    let host = TestHost::paused();
    let (client, _) = run_with(options.clone(), &host, first, script.concat()).await;
    assert_eq!(turns(&client), []);
    let picked = Message {
        content: Content::Text("this".to_owned()),
        tool_call_id: Some("c".to_owned()),
        ..Message::new("p", Role::Tool)
    };
    let events = [message("o", "Done."), vec![finished()]].concat();
    let client = continue_with(&client, [picked], &options, events).await;
    let whole = turn(ASKED, "A [1].\n\nB [1].\n\nDone.", "0.5", &["1", "2"]);
    assert_eq!(turns(&client), [whole]);
}

#[tokio::test(start_paused = true)]
async fn records_a_repeated_question_without_the_first_answer() {
    let options = LayerOptions::default();
    let script = vec![
        started(),
        start("m"),
        delta("m", &said("A", MADE_UP)),
        failed("gone"),
    ];
    let client = run(script).await;
    let first = turn(ASKED, "A [1].", "0", &["1"]);
    assert_eq!(turns(&client), std::slice::from_ref(&first));
    let events = [message("n", &said("B", TIDE)), vec![finished()]].concat();
    let client = continue_with(&client, [], &options, events.clone()).await;
    // Clients find new turns by the length of the list, so recorded turns stay.
    let second = turn(ASKED, "B [1].", "1", &["2"]);
    assert_eq!(turns(&client), [first.clone(), second]);

    // An answer that was not recorded, because it cited nothing, is recorded now.
    let client = run(vec![
        started(),
        start("m"),
        delta("m", "Well"),
        failed("gone"),
    ])
    .await;
    assert_eq!(turns(&client), []);
    let client = continue_with(&client, [], &options, events).await;
    assert_eq!(turns(&client), [turn(ASKED, "Well\n\nB [1].", "1", &["1"])]);
}

#[tokio::test(start_paused = true)]
async fn counts_only_new_citations_of_a_continued_message() {
    let script = [
        vec![started()],
        message("m", &said("A", TIDE)),
        vec![finished()],
    ];
    let client = run(script.concat()).await;
    let events = [message("m", &said("B", MADE_UP)), vec![finished()]].concat();
    let client = continue_with(
        &client,
        [user("v", "And?")],
        &LayerOptions::default(),
        events,
    )
    .await;
    let first = turn(ASKED, "A [1].", "1", &["1"]);
    let second = turn("And?", "B [1].", "0", &["2"]);
    assert_eq!(turns(&client), [first, second]);
}

#[tokio::test(start_paused = true)]
async fn updates_turns_with_late_results() {
    let host = TestHost::paused();
    let options = LayerOptions::default();
    let script = [
        vec![started()],
        message("m", &said("A", (1, "wait 60000 late", "log"))),
        message("n", &said("B", TIDE)),
        vec![finished()],
    ];
    let (client, _) = run_with(options.clone(), &host, input(Some("{}")), script.concat()).await;
    let before = turn(ASKED, "A [1].\n\nB [1].", "0.5", &["1", "2"]);
    assert_eq!(turns(&client), [before]);
    let overdue = host.overdue.lock().expect("no panic").pop();
    let mut late = overdue.expect("handed over").await;
    late.result.verification.status = Some(citations::VerificationStatus::Found);
    late.result.verification.label = Some("The log".to_owned());
    late.result.url = Some("https://x.example/p/1".to_owned());
    late.result.source_uri = Some("log.pdf".to_owned());
    let mut state = client.state();
    let update = ThreadUpdate::of_late_result(&late, &client.fold.state().clone().into(), &options);
    json::patch::Patcher::default()
        .apply(&mut state, &update.operations)
        .expect("made for this state");
    let rag = &state["rag"];
    let told = &rag["qa_history"].as_array().expect("turns")[0];
    assert_eq!(told["citations"], rag["citations"]);
    let item = &told["citations"].as_array().expect("a list")[0];
    assert_eq!(item["document_title"].as_str(), Some("The log"));
    assert_eq!(item["document_uri"].as_str(), Some("log.pdf"));
    assert_eq!(item["evidence_url"].as_str(), Some("https://x.example/p/1"));
    assert_eq!(told["confidence"], Value::from(1_usize));
}

#[tokio::test(start_paused = true)]
async fn continues_a_turn_while_client_tool_calls_are_pending() {
    let call = |id: &str| {
        theirs(ToolCallStart {
            tool_call_id: Text::from(id),
            tool_call_name: Text::from("pick"),
            parent_message_id: None,
        })
    };
    let closed = |id: &str| {
        theirs(agui::event::ToolCallEnd {
            tool_call_id: Text::from(id),
        })
    };
    let host = TestHost::paused();
    let mut first = input(Some("{}"));
    first.tools.push(agui::model::Tool {
        name: "pick".to_owned(),
        description: String::new(),
        parameters: None,
        metadata: None,
    });
    let text = format!("One [1].{}", block(&[(1, "Two boats were out", "log")]));
    let script = vec![
        started(),
        start("a"),
        delta("a", &text),
        end("a"),
        call("c"),
        closed("c"),
        finished(),
    ];
    let (client, _) = run_with(LayerOptions::default(), &host, first.clone(), script).await;
    assert_eq!(client.at(&["rag", "qa_history"]), "[]");

    let mut second = first;
    second.state = Some(client.fold.state().clone());
    second.messages = client.fold.messages().cloned().collect();
    let script = vec![
        started(),
        start("b"),
        delta("b", "Two."),
        end("b"),
        finished(),
    ];
    let (client, _) = run_with(LayerOptions::default(), &host, second, script).await;
    let turn = value(&client.at(&["rag", "qa_history", "0"]));
    assert_eq!(turn["question"].as_str(), Some("What is true?"));
    assert_eq!(turn["answer"].as_str(), Some("One [1].\n\nTwo."));
    assert_eq!(turn["confidence"], Value::from(1_i64));
    assert_eq!(turn["citations"].as_array().map(<[Value]>::len), Some(1));
}

#[tokio::test(start_paused = true)]
async fn excludes_older_snapshot_messages_from_the_turn() {
    let old = format!("Old [1].{}", block(&[(1, "No one saw them", "code")]));
    let new = format!("New [1].{}", block(&[(1, "Two boats were out", "log")]));
    let user = |id: &str| Message {
        content: Content::Text("Asked".to_owned()),
        ..Message::new(id, Role::User)
    };
    let messages = [
        user("q"),
        assistant("a", &old),
        user("u"),
        assistant("b", &new),
    ];
    let client = run(vec![started(), conversation(messages), finished()]).await;
    let turn = value(&client.at(&["rag", "qa_history", "0"]));
    assert_eq!(turn["answer"].as_str(), Some("New [1]."));
    assert_eq!(turn["citations"].as_array().map(<[Value]>::len), Some(1));
    assert_eq!(
        client.at(&["deepcitation", "messages", "a", "summary", "verified"]),
        "1"
    );
}
