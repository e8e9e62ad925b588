//! The Model Context Protocol with its official clients, over standard input and output and over HTTP.

use std::path::{Path, PathBuf};
use std::process::Command;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{PINCITE, parse, run};

/// Tools of a client that may write.
const TOOLS: [&str; 7] = [
    "add_document",
    "ask",
    "list_documents",
    "read",
    "search",
    "verify_answer",
    "verify_quote",
];

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/clients")
}

fn python(mode: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("../../target/python/bin/python"));
    command.arg(clients().join("use_every_tool.py")).arg(mode);
    command
}

fn node(generation: &str) -> Command {
    let mut command = Command::new("node");
    command
        .arg(clients().join("use-every-tool.mjs"))
        .arg(generation);
    command
}

/// Runs a client, which checks the results, and expects that it has used every tool.
#[track_caller]
fn expect_all_used(mut client: Command, target: &[&str], version: &str) {
    client.args(target);
    let ended = run(client, b"").expect(0).json();
    assert_eq!(ended["version"].as_str(), Some(version), "{ended:?}");
    for list in ["tools", "called"] {
        let names: Vec<&str> = ended[list]
            .as_array()
            .expect("names")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(names, TOOLS, "{list}");
    }
}

/// Runs a client against `pincite mcp` with a data directory of its own.
#[track_caller]
fn expect_all_used_on_stdio(client: Command, version: &str) {
    let data = tempfile::tempdir().expect("a directory");
    let data = data.path().join("library");
    let data = data.to_str().expect("UTF-8");
    expect_all_used(client, &[PINCITE, "mcp", "--data", data], version);
}

#[test]
fn python_client_uses_every_tool_on_stdio_in_both_eras() {
    expect_all_used_on_stdio(python("legacy"), "2025-11-25");
    expect_all_used_on_stdio(python("auto"), "2026-07-28");
}

#[test]
fn python_client_uses_every_tool_over_http_in_both_eras() {
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let gateway = Gateway::start(&["--in-memory"]);
        let url = format!("{}/mcp", gateway.url);
        expect_all_used(python(mode), &[&url], version);
    }
}

#[test]
fn typescript_clients_use_every_tool_on_stdio() {
    expect_all_used_on_stdio(node("v1"), "legacy");
    expect_all_used_on_stdio(node("v2"), "2026-07-28");
}

#[test]
fn typescript_clients_use_every_tool_over_http() {
    for (generation, version) in [("v1", "legacy"), ("v2", "2026-07-28")] {
        let gateway = Gateway::start(&["--in-memory"]);
        let url = format!("{}/mcp", gateway.url);
        expect_all_used(node(generation), &[&url], version);
    }
}

/// Sends a message of the stateless era and returns the status and the response.
fn call(gateway: &Gateway, headers: &str, method: &str, name: &str, params: &str) -> (u16, Value) {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{meta}}}}}"#);
    let headers = format!(
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}{headers}"
    );
    let (status, body) = gateway.request("POST", "/mcp", &headers, body.as_bytes());
    let data = body.lines().find_map(|line| line.strip_prefix("data: {"));
    let text = data.map_or_else(|| body.clone(), |data| format!("{{{data}"));
    (status, parse(&text))
}

fn tool_names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().expect("tools");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

#[test]
fn read_only_mode_offers_no_tool_that_writes() {
    let folder = tempfile::tempdir().expect("a directory");
    let config = folder.path().join("pincite.toml");
    std::fs::write(&config, "[mcp]\nread_only = true\n").expect("written");
    let config = config.to_str().expect("UTF-8");
    let gateway = Gateway::start(&["--in-memory", "--config", config]);
    let (_, listed) = call(&gateway, "", "tools/list", "", "");
    assert!(!tool_names(&listed).contains(&"add_document"));
    assert!(tool_names(&listed).contains(&"verify_quote"));
    let params = r#""name":"add_document","arguments":{"name":"a.txt","text":"a"},"#;
    let name = "Mcp-Name: add_document\r\n";
    let (_, refused) = call(&gateway, "", "tools/call", name, params);
    assert_eq!(
        refused["result"]["isError"],
        Value::Bool(true),
        "{refused:?}"
    );
    let content = refused["result"]["content"].as_array().expect("content");
    let text = content[0]["text"].as_str();
    assert!(
        text.is_some_and(|text| text.contains("read-only")),
        "{refused:?}"
    );
}

#[test]
fn access_rules_hold_for_the_protocol() {
    let folder = tempfile::tempdir().expect("a directory");
    let data = folder.path().join("data");
    let data = data.to_str().expect("UTF-8");
    let key = |name: &str, scope: &str| {
        let mut command = Command::new(PINCITE);
        command.args(["keys", "create", name, "--scope", scope, "--data", data]);
        let ended = run(command, b"").expect(0);
        let mut words = ended.text().split_whitespace().map(str::to_owned);
        words
            .rfind(|word| word.starts_with("sk-dc-"))
            .expect("a key")
    };
    let reader = key("reader", "read");
    let gateway = Gateway::start(&["--data", data]);
    let (status, _) = call(&gateway, "", "tools/list", "", "");
    assert_eq!(status, 401);
    let authorization = format!("Authorization: Bearer {reader}\r\n");
    let (status, listed) = call(&gateway, &authorization, "tools/list", "", "");
    assert_eq!(status, 200, "{listed:?}");
    let names = tool_names(&listed);
    assert!(
        names.contains(&"search") && !names.contains(&"add_document") && !names.contains(&"ask")
    );
    let foreign = format!("{authorization}Origin: https://evil.example\r\n");
    let (status, _) = call(&gateway, &foreign, "tools/list", "", "");
    assert_eq!(status, 403);
}

#[test]
fn a_client_that_is_no_client_gets_a_hint() {
    let data = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(PINCITE);
    command.args(["mcp", "--data"]).arg(data.path().join("d"));
    let ended = run(command, b"hello\n");
    assert_ne!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.stdout.is_empty() || ended.text().contains("jsonrpc"),
        "{ended:?}"
    );
}
