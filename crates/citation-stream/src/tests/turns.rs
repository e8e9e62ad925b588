//! Questions with their answers: what a turn says at its end, and what it cites.

use agui::event::{ToolCallEnd, ToolCallStart};
use agui::model::Tool;

use super::*;

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

/// The turns: question, answer, confidence, and the numbers that are cited.
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

/// The next run of a conversation, with these messages behind it.
async fn go_on(
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
async fn a_turn_says_what_its_messages_say_at_the_end() {
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
        // A message of the user that the agent adds does not take the turn apart.
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
async fn a_turn_says_what_was_said_until_the_run_broke_off() {
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
async fn the_next_run_of_a_stream_answers_the_same_question() {
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
async fn a_turn_is_told_with_messages_that_do_not_stay() {
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

    // Those of earlier turns make room at once.
    let events = [vec![start("o")], vec![failed("gone")]].concat();
    let client = go_on(&client, [user("v", "And?")], &options, events).await;
    assert_eq!(kept(&client), ["o"]);
    assert_eq!(turns(&client), [first]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_several_runs_is_told_with_messages_that_do_not_stay() {
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
    let client = go_on(&client, [picked], &options, events).await;
    let whole = turn(ASKED, "A [1].\n\nB [1].\n\nDone.", "0.5", &["1", "2"]);
    assert_eq!(turns(&client), [whole]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_answered_again_is_told_without_the_answer_before() {
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
    let client = go_on(&client, [], &options, events.clone()).await;
    // Clients read what is new from the length of the list: what was told stays.
    let second = turn(ASKED, "B [1].", "1", &["2"]);
    assert_eq!(turns(&client), [first.clone(), second]);

    // What was not told, because it cited nothing, is told now.
    let client = run(vec![
        started(),
        start("m"),
        delta("m", "Well"),
        failed("gone"),
    ])
    .await;
    assert_eq!(turns(&client), []);
    let client = go_on(&client, [], &options, events).await;
    assert_eq!(turns(&client), [turn(ASKED, "Well\n\nB [1].", "1", &["1"])]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_goes_on_in_the_next_turn_counts_there_with_what_is_new() {
    let script = [
        vec![started()],
        message("m", &said("A", TIDE)),
        vec![finished()],
    ];
    let client = run(script.concat()).await;
    let events = [message("m", &said("B", MADE_UP)), vec![finished()]].concat();
    let client = go_on(
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
async fn a_late_result_changes_the_turns_that_cite_it() {
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
    let mut amendment = overdue.expect("handed over").await;
    amendment.finding.verification.status = Some(citations::VerificationStatus::Found);
    amendment.finding.verification.label = Some("The log".to_owned());
    amendment.finding.url = Some("https://x.example/p/1".to_owned());
    let mut state = client.state();
    let amended = amendment.amend(&client.fold.state().clone().into(), &options);
    json::patch::Patcher::default()
        .apply(&mut state, &amended.operations)
        .expect("made for this state");
    let rag = &state["rag"];
    let told = &rag["qa_history"].as_array().expect("turns")[0];
    assert_eq!(told["citations"], rag["citations"]);
    let item = &told["citations"].as_array().expect("a list")[0];
    assert_eq!(item["document_title"].as_str(), Some("The log"));
    assert_eq!(item["document_uri"].as_str(), Some("https://x.example/p/1"));
    assert_eq!(told["confidence"], Value::from(1_usize));
}
