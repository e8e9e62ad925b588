//! Questions with their answers: what a turn says at its end, and what it cites.

use super::*;

const TIDE: (u32, &str, &str) = (1, "High tide was at 12:04", "log");

fn said(words: &str, cited: (u32, &str, &str)) -> String {
    format!("{words} [1].{}", block(&[cited]))
}

fn message(id: &str, text: &str) -> Vec<Event> {
    vec![start(id), delta(id, text), end(id)]
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

#[tokio::test(start_paused = true)]
async fn a_late_result_changes_the_turns_that_cite_it() {
    let host = TestHost::paused();
    let options = Options::default();
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
    amendment.finding.verification.status = Some(crate::Status::Found);
    amendment.finding.verification.label = Some("The log".to_owned());
    amendment.finding.url = Some("https://x.example/p/1".to_owned());
    let mut state = client.state();
    let operations = amendment.operations(client.fold.state(), &options);
    agui::patch::Patcher::default()
        .apply(&mut state, &operations)
        .expect("made for this state");
    let rag = &state["rag"];
    let told = &rag["qa_history"].as_array().expect("turns")[0];
    assert_eq!(told["citations"], rag["citations"]);
    let item = &told["citations"].as_array().expect("a list")[0];
    assert_eq!(item["document_title"].as_str(), Some("The log"));
    assert_eq!(item["document_uri"].as_str(), Some("https://x.example/p/1"));
    assert_eq!(told["confidence"], Value::from(1_usize));
}
