//! Sources of citations: the command line, `POST /verify` and the gateway resolve them in the same way.

use std::collections::BTreeMap;
use std::io::Write;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{parse, pincite, scratch};

/// Sources in the order in which the model was given them: attachment id, file name, content.
const SOURCES: [(&str, &str, &str); 2] = [
    (
        "log",
        "Harbour Log.txt",
        "Two boats were out. High tide was at 12:04.",
    ),
    (
        "Kq3",
        "tides-2024.md",
        "# Tides of Nordvik\n\nThe highest water was 3.2 metres.",
    ),
];

/// Statuses and problems of an answer, by the keys of its citations.
type Results = BTreeMap<String, (String, Option<String>)>;

/// Returns an answer whose data block names a source for each quote.
fn block(source: &str, quotes: &[&str]) -> String {
    let entries: Vec<String> = quotes
        .iter()
        .zip(1..)
        .map(|(quote, id)| format!(r#"{{"id":{id},"full_phrase":"{quote}"}}"#))
        .collect();
    let entries = entries.join(",");
    format!(
        "Said [1].\n\n<<<CITATION_DATA>>>\n{{\"{source}\":[{entries}]}}\n<<<END_CITATION_DATA>>>"
    )
}

/// Returns answers with the statuses that their citations must have, in any order.
fn answers() -> Vec<(String, Vec<&'static str>)> {
    let both = ["Two boats were out", "The highest water was 3.2 metres"];
    let anthropic = r#"{"content":[{"type":"text","text":"It says so.","citations":[
        {"type":"char_location","cited_text":"The highest water was 3.2 metres","document_index":1,"document_title":"A law"},
        {"type":"char_location","cited_text":"High tide was at 12:04","document_index":1},
        {"type":"char_location","cited_text":"Two boats were out","document_index":0},
        {"type":"char_location","cited_text":"were out. High tide","document_index":7}]}]}"#;
    let mut answers = vec![(
        anthropic.to_owned(),
        vec!["found", "found", "not_found", "not_found source_missing"],
    )];
    for name in [
        "log",
        "Harbour Log.txt",
        "harbour_log.TXT",
        "harbour log",
        "1",
    ] {
        answers.push((block(name, &both), vec!["found", "not_found"]));
    }
    for name in ["kq3", "tides-2024", "tides of nordvik", "2"] {
        answers.push((block(name, &both), vec!["found", "not_found"]));
    }
    for name in ["report.pdf", "3", "tides-2025.md"] {
        let missing = "not_found source_missing";
        answers.push((block(name, &both), vec![missing, missing]));
    }
    answers.push((block("", &both), vec!["found", "found"]));
    answers.push((
        "So <cite url='https://nordvik.example/' full_phrase='Two boats were out'/>.".to_owned(),
        vec!["not_found source_missing"],
    ));
    answers
}

fn results(verifications: &Value) -> Results {
    let verifications = verifications.as_object().expect("verifications");
    let result = |(key, one): (&str, &Value)| {
        let status = one["status"].as_str().expect("a status").to_owned();
        let problem = one["problem"].as_str().map(str::to_owned);
        (key.to_owned(), (status, problem))
    };
    verifications.iter().map(result).collect()
}

fn command_line(answer: &str) -> Results {
    let mut args = vec![
        "verify".to_owned(),
        "--format".to_owned(),
        "json".to_owned(),
    ];
    for (id, name, content) in SOURCES {
        let path = scratch(name, content);
        args.push("--source".to_owned());
        args.push(format!("{id}={}", path.display()));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    results(&pincite(&args, answer.as_bytes()).json()["verifications"])
}

fn verify_route(gateway: &Gateway, answer: &str) -> Results {
    let ids = SOURCES.map(|(id, ..)| Value::from(id));
    let body = Value::from([
        ("text", answer.into()),
        ("attachmentIds", Value::Array(ids.to_vec())),
    ]);
    let (status, body) = gateway.json("POST", "/verify", &body.to_json());
    assert_eq!(status, 200, "{body:?}");
    results(&body["verifications"])
}

fn agent_run(gateway: &Gateway, number: usize) -> Results {
    let ids = SOURCES.map(|(id, ..)| format!("\"{id}\"")).join(",");
    let input = format!(
        r#"{{"threadId":"t{number}","runId":"r{number}","state":{{}},"messages":[{{"id":"u","role":"user","content":"answer {number};"}}],"tools":[],"context":[],"forwardedProps":{{"attachmentIds":[{ids}]}}}}"#
    );
    let headers = "Content-Type: application/json\r\nAccept: text/event-stream\r\n";
    let (status, events) = gateway.request("POST", "/agents/a", headers, input.as_bytes());
    assert_eq!(status, 200, "{events}");
    assert!(events.contains("RUN_FINISHED"), "{events}");
    let (_, state) = gateway.request("GET", &format!("/threads/t{number}/state"), "", b"");
    results(&parse(&state)["deepcitation"]["verifications"])
}

/// An agent that replies with the answer whose number the last message contains.
fn agent(answers: Vec<String>) -> Upstream {
    Upstream::with_handler(move |body, socket| {
        let number = |at: &usize| body.contains(&format!("answer {at};"));
        let number = (0..answers.len()).find(number).expect("a number");
        let id = parse(body);
        let (thread, run) = (id["threadId"].to_json(), id["runId"].to_json());
        let text = Value::from(answers[number].as_str()).to_json();
        let events = [
            format!(r#"{{"type":"RUN_STARTED","threadId":{thread},"runId":{run}}}"#),
            r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
            format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{text}}}"#),
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
            format!(r#"{{"type":"RUN_FINISHED","threadId":{thread},"runId":{run}}}"#),
        ];
        let events = events.map(|event| format!("data: {event}\n\n")).concat();
        // The client may have disconnected.
        let _ = socket.write_all(format!("{EVENT_STREAM}{events}").as_bytes());
    })
}

#[test]
fn the_same_answer_has_the_same_statuses_everywhere() {
    let answers = answers();
    let upstream = agent(answers.iter().map(|(answer, _)| answer.clone()).collect());
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("a={}", upstream.url)]);
    for (id, name, content) in SOURCES {
        assert_eq!(gateway.attach(id, name, content).0, 200);
    }
    for (number, (answer, expected)) in answers.iter().enumerate() {
        let results = command_line(answer);
        let mut statuses: Vec<String> = results
            .values()
            .map(|(status, problem)| match problem {
                Some(problem) => format!("{status} {problem}"),
                None => status.clone(),
            })
            .collect();
        statuses.sort_unstable();
        assert_eq!(&statuses, expected, "command line: {answer}");
        assert_eq!(verify_route(&gateway, answer), results, "/verify: {answer}");
        assert_eq!(agent_run(&gateway, number), results, "gateway: {answer}");
    }
}
