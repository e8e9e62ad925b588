//! `pincite config` and `pincite doctor`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use crate::harness::gateway::Gateway;
use crate::harness::{CommandOutput, PINCITE, parse, pincite, run, scratch, unused_path};
use json::Value;

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("plain")
}

#[test]
fn config_show_lists_settings_with_their_origin() {
    let file = scratch(
        "shown.toml",
        "[server]\ncors = [\"https://chat.example\"]\n[agents.law]\nurl = \"http://ada:hidden@localhost:1/a?key=hidden\"\nheaders = { Authorization = \"Bearer hidden\" }\n\
         [telemetry]\notlp = \"https://hidden@traces.example/\"\n",
    );
    let mut command = Command::new(PINCITE);
    command.args(["config", "show", "--origin", "--config", text(&file)]);
    command.env("PINCITE_CITATIONS__DEADLINE", "3s");
    let shown = run(command, b"").expect(0);
    let line = |key: &str| {
        let line = shown.text().lines().find(|line| line.starts_with(key));
        line.unwrap_or_else(|| panic!("{key}: {}", shown.text()))
            .to_owned()
    };
    assert!(
        line("server.cors").contains("shown.toml"),
        "{}",
        line("server.cors")
    );
    assert!(line("citations.deadline = \"3s\"").ends_with("# environment"));
    assert!(line("server.listen = \"127.0.0.1:8787\"").ends_with("# default"));
    assert!(line("limits.concurrent_requests = 100").ends_with("# default"));
    assert!(!shown.text().contains("hidden"), "{}", shown.text());
    line("agents.law.url = \"http://…@localhost:1/a?key=…\"");
    line("telemetry.otlp = \"https://…@traces.example/\"");
    let json = [
        "config",
        "show",
        "--format",
        "json",
        "--config",
        text(&file),
    ];
    let json = crate::harness::pincite(&json, b"").expect(0);
    assert!(!json.text().contains("hidden"), "{}", json.text());
}

#[test]
fn config_init_check_and_schema() {
    let file = unused_path("begun.toml");
    pincite(&["config", "init", "-o", text(&file)], b"").expect(0);
    pincite(&["config", "check", "--config", text(&file)], b"").expect(0);
    pincite(&["config", "init", "-o", text(&file)], b"").expect_usage_error(&["already exists"]);
    let schema = pincite(&["config", "schema"], b"").expect(0).json();
    assert_eq!(
        schema["properties"]["limits"]["properties"]["concurrent_requests"]["type"].as_str(),
        Some("integer")
    );
    for (content, words) in [
        (
            "[limits]\nconcurrent_request = 3\n",
            "did you mean 'concurrent_requests'",
        ),
        ("[agents.x]\nurl = \"ftp://a/\"\n", "agents.x"),
        (
            "[access.issuers.a]\nissuer = \"i\"\naudience = \"a\"\nkeys = \"/nonexistent.json\"\n",
            "/nonexistent.json",
        ),
    ] {
        let wrong = scratch("wrong.toml", content);
        pincite(&["config", "check", "--config", text(&wrong)], b"").expect_usage_error(&[words]);
    }
}

fn doctor(config: &str, data: &str) -> (CommandOutput, Value) {
    let ended = pincite(
        &["doctor", "--json", "--config", config, "--data", data],
        b"",
    );
    let report = parse(ended.text().trim());
    (ended, report)
}

fn state<'r>(report: &'r Value, check: &str) -> (&'r str, &'r str) {
    let checks = report["checks"].as_array().expect("checks");
    let found = checks
        .iter()
        .find(|line| line["check"].as_str() == Some(check));
    let found = found.unwrap_or_else(|| panic!("{check}: {}", report.to_json()));
    if found["state"].as_str() != Some("ok") {
        assert!(
            found["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{check}"
        );
    }
    (
        found["state"].as_str().expect("a state"),
        found["found"].as_str().expect("a text"),
    )
}

/// Starts a proxy that buffers whole responses. Returns its URL.
fn buffering_proxy(target: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else { return };
            let mut request = vec![0; 64 << 10];
            let length = client.read(&mut request).unwrap_or_default();
            let mut server = TcpStream::connect(&target).expect("it listens");
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
            server.write_all(request.as_bytes()).expect("it reads");
            let mut answer = Vec::new();
            let _ = server.read_to_end(&mut answer);
            let _ = client.write_all(&answer);
        }
    });
    url
}

#[test]
fn doctor_reports_ok_and_failed_checks() {
    let gateway = Gateway::start(&["--in-memory"]);
    let address = gateway.url.trim_start_matches("http://").to_owned();
    let data = unused_path("doctor-data");
    let config = format!(
        "[server]\nlisten = \"{address}\"\npublic_url = \"{0}\"\n[agents.here]\nurl = \"{0}/agents/demo\"\n",
        gateway.url
    );
    let config = scratch("well.toml", config);
    std::fs::create_dir_all(&data).expect("it can be made");
    let (ended, report) = doctor(text(&config), text(&data));
    assert_eq!(ended.code, Some(0), "{}", report.to_json());
    for check in [
        "configuration",
        "data directory",
        "disk",
        "database",
        "port",
        "agent here",
        "proxy",
        "fonts",
        "clock",
    ] {
        let (state, found) = state(&report, check);
        assert!(
            state == "ok" || (check == "disk" && state == "warn"),
            "{check}: {found}"
        );
    }
    assert!(state(&report, "port").1.contains("used by pincite"));

    let config = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\npublic_url = \"{}\"\n[agents.gone]\nurl = \"http://127.0.0.1:9/\"\n\
         [agents.web]\nurl = \"{}/healthz\"\n",
        buffering_proxy(address),
        gateway.url
    );
    let config = scratch("ill.toml", config);
    std::fs::create_dir_all(&data).expect("it can be made");
    std::fs::write(
        data.join("pincite.db"),
        "this is no database, but it is long enough to be looked at ".repeat(200),
    )
    .expect("written");
    let (ended, report) = doctor(text(&config), text(&data));
    assert_eq!(ended.code, Some(1), "{}", report.to_json());
    assert_eq!(report["state"].as_str(), Some("fail"));
    for check in ["proxy", "agent gone", "agent web", "database"] {
        assert_eq!(state(&report, check).0, "fail", "{check}");
    }
    assert!(state(&report, "proxy").1.contains("buffers"));

    let wrong = scratch("doctor-wrong.toml", "[server]\nlisen = 1\n");
    let (ended, report) = doctor(text(&wrong), text(&data));
    assert_eq!(ended.code, Some(1));
    assert!(state(&report, "configuration").1.contains("did you mean"));
    // The text report has one line for each check and an arrow before each hint.
    let report = pincite(
        &["doctor", "--config", text(&wrong), "--data", text(&data)],
        b"",
    )
    .expect(1);
    assert!(
        report.text().contains("fail") && report.text().contains('→'),
        "{}",
        report.text()
    );
}
