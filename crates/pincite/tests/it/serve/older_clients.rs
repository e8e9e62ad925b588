//! Official clients before 1.0 behind a gateway, and clients that write before they read.

use std::path::Path;
use std::process::Command;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::upstream::{EVENT_STREAM, Upstream};
use crate::harness::{parse, run, sse};

/// Returns the events of a run that has everything which older clients reject.
fn events(run: &str) -> Vec<String> {
    let quote = r#"Noon [1].\n<<<CITATION_DATA>>>[{\"id\":1,\"attachment_id\":\"tide.txt\",\"full_phrase\":\"High tide was at 12:04\"}]<<<END_CITATION_DATA>>>"#;
    vec![
        format!(
            r#"{{"type":"RUN_STARTED","threadId":"t","runId":"{run}","protocolVersion":"1.0","input":{{"threadId":"t","runId":"{run}","messages":[]}}}}"#
        ),
        format!(r#"{{"type":"TOOL_CALL_START","toolCallId":"c{run}","toolCallName":"look"}}"#),
        format!(r#"{{"type":"TOOL_CALL_END","toolCallId":"c{run}"}}"#),
        format!(
            r#"{{"type":"TOOL_CALL_RESULT","messageId":"r{run}","toolCallId":"c{run}","content":[{{"type":"text","text":"12:04"}}]}}"#
        ),
        format!(r#"{{"type":"TEXT_MESSAGE_START","messageId":"m{run}","role":"assistant"}}"#),
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m{run}","delta":"{quote}"}}"#),
        format!(r#"{{"type":"TEXT_MESSAGE_END","messageId":"m{run}"}}"#),
        format!(
            r#"{{"type":"RUN_FINISHED","threadId":"t","runId":"{run}","outcome":{{"type":"success","pendingToolCallIds":["c"]}}}}"#
        ),
    ]
}

#[test]
fn older_clients_run_several_turns_of_a_thread() {
    let upstream = Upstream::with_handler(|body, socket| {
        let run = parse(body)["runId"].as_str().unwrap_or("1").to_owned();
        let answer = format!("{EVENT_STREAM}{}", sse(&events(&run)));
        // The client may have disconnected.
        let _ = std::io::Write::write_all(socket, answer.as_bytes());
    });
    let gateway = Gateway::start(&["--in-memory", "--upstream", &format!("up={}", upstream.url)]);
    gateway.attach("tide", "tide.txt", "High tide was at 12:04 in Bergen.");
    let mut conversations = String::new();
    for client in ["ag-ui-client-0-0-41", "ag-ui-client-0-0-59"] {
        for wire in ["sse", "proto"] {
            conversations.push_str(&format!(
                "{{\"client\":\"{client}\",\"url\":\"{}/agents/up\",\"threadId\":\"{client}-{wire}\",\"wire\":\"{wire}\",\
                 \"state\":{{\"own\":1}},\"turns\":[{{\"runId\":\"1\",\"ask\":\"When?\"}},{{\"runId\":\"2\",\"ask\":\"Again?\"}}]}}\n",
                gateway.url
            ));
        }
    }
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../agui/tests/official/older-client.mjs");
    let mut command = Command::new("node");
    command.arg(script);
    let ended = run(command, conversations.as_bytes()).expect(0);
    let answers: Vec<Value> = ended.text().lines().map(parse).collect();
    assert_eq!(answers.len(), 4);
    for (number, turns) in answers.iter().enumerate() {
        let turns = turns.as_array().expect("turns");
        assert_eq!(turns.len(), 2);
        for (turn, count) in turns.iter().zip(1..) {
            let shown = turn.to_json();
            assert_eq!(turn["error"], Value::Null, "{number}: {shown}");
            assert_eq!(
                turn["patchFailures"],
                Value::from(0_usize),
                "{number}: {shown}"
            );
            let types = turn["types"].as_array().expect("types");
            assert_eq!(
                types[1].as_str(),
                Some("STATE_SNAPSHOT"),
                "{number}: {shown}"
            );
            assert_eq!(types.last().and_then(Value::as_str), Some("RUN_FINISHED"));
            let state = &turn["state"];
            assert_eq!(state["own"], Value::from(1_usize), "{number}: {shown}");
            let messages = state["deepcitation"]["messages"].as_object();
            let messages = messages.expect("messages");
            assert_eq!(messages.len(), count, "{number}: {shown}");
            for (_, message) in messages.iter() {
                assert_eq!(message["summary"]["verified"], Value::from(1_usize));
            }
        }
    }
}

#[test]
fn fetch_of_node_reads_the_reason_of_a_rejection() {
    let gateway = Gateway::start(&["--in-memory"]);
    let script = format!(
        "const big = 'x'.repeat(20 * 1024 * 1024);\
         for (const [path, method] of [['/nowhere', 'POST'], ['/healthz', 'PUT'], ['/agents/none', 'POST']]) {{\
           const answer = await fetch('{}' + path, {{ method, body: big }});\
           console.log(answer.status, typeof (await answer.json()).error.message);\
         }}",
        gateway.url
    );
    let mut command = Command::new("node");
    command.args(["--input-type=module", "-e", &script]);
    let ended = run(command, b"").expect(0);
    let lines: Vec<&str> = ended.text().lines().collect();
    assert_eq!(lines, ["404 string", "405 string", "404 string"]);
}
