//! Agreement of the load and the bare contestants about the form of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use pincite_bench::corpus;
use pincite_bench::harness::{Sample, data_lines};
use pincite_bench::load::{EventCounter, Load, Reader};
use pincite_bench::server_process::ServerProcess;

const CLIENTS: usize = 4;
const EVENTS: usize = 204;

fn start(mode: &str, test: &str) -> ServerProcess {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    corpus::write_all(&dir).expect("the temporary folder is writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bare-axum"));
    command.arg(mode).arg(dir.join("E2E200.sse"));
    ServerProcess::start(&mut command).expect("the server starts")
}

/// Executes two windows with at least one run per client each.
fn run<R: Reader>(server: &ServerProcess, reader: fn() -> R) -> Result<Vec<R::Outcome>, String> {
    let mut load = Load::new(server.url(), CLIENTS)?;
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        let mut asked = 0;
        let runs = load.window(reader, || {
            asked += 1;
            Ok(asked > 1)
        })?;
        assert!(runs.len() >= CLIENTS, "{} runs", runs.len());
        outcomes.extend(runs);
    }
    Ok(outcomes)
}

#[test]
fn every_mode_sends_whole_runs() {
    for mode in ["each", "ready"] {
        let server = start(mode, "whole-runs");
        run(&server, || EventCounter::new(EVENTS)).expect("every run is whole");
        assert!(server.peak_rss_mb().expect("it runs") > 0.0);
    }
}

#[test]
fn serving_costs_cpu_time() {
    let server = start("each", "cpu-time");
    let mut load = Load::new(server.url(), CLIENTS).expect("the server listens");
    let start = server.cpu_seconds().expect("it runs");
    let (mut asked, mut used) = (0, 0.0);
    load.window(
        || EventCounter::new(EVENTS),
        || {
            asked += 1;
            used = server.cpu_seconds()? - start;
            Ok(used >= 0.05 || asked > 3_000)
        },
    )
    .expect("every run is whole");
    assert!(used >= 0.05, "{used} seconds");
}

#[test]
fn a_missing_event_is_an_error() {
    let server = start("each", "missing-event");
    let error = run(&server, || EventCounter::new(EVENTS + 1)).expect_err("one event is missing");
    assert_eq!(error, "204 events, expected 205");
}

/// Reader of the run id that both ends name.
struct NamedContestant;

impl Reader for NamedContestant {
    type Outcome = String;

    fn more(&mut self, _: &mut Vec<u8>) -> Result<(), String> {
        Ok(())
    }

    fn end(self, body: &[u8]) -> Result<String, String> {
        let id = |line: Option<&[u8]>| -> Option<String> {
            let event: serde_json::Value = serde_json::from_slice(line?).ok()?;
            Some(event["runId"].as_str()?.to_owned())
        };
        let ends = (id(data_lines(body).next()), id(data_lines(body).last()));
        match ends {
            (Some(first), Some(last)) if first == last => Ok(first),
            ends => Err(format!("{ends:?}")),
        }
    }
}

#[test]
fn every_run_has_the_requested_id() {
    let server = start("each", "asked-for");
    let runs = run(&server, || NamedContestant).expect("the ends name the same run");
    let expected: BTreeSet<String> = (0..runs.len()).map(|run| format!("run-{run}")).collect();
    assert_eq!(runs.into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn the_client_consumes_runs() {
    let server = start("ready", "client");
    let output = Command::new(env!("CARGO_BIN_EXE_http-agent"))
        .args([server.url(), "4", "0.05"])
        .output()
        .expect("the client starts");
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let sample = Sample::from_line(line.trim()).expect("a line");
    assert_eq!(sample.events, EVENTS);
    assert!(
        sample.iterations >= 4 && sample.cpu_seconds >= 0.05,
        "{line}"
    );
}

#[test]
fn a_server_without_url_is_an_error() {
    let error = ServerProcess::start(&mut Command::new("true")).expect_err("it prints nothing");
    assert_eq!(error, "true ended before it printed its URL");
    let missing = ServerProcess::start(&mut Command::new("/no/such/server"));
    assert!(missing.is_err());
}

#[test]
fn dropping_a_server_ends_it() {
    let server = start("ready", "dropped");
    let url = server.url().to_owned();
    drop(server);
    assert!(Load::new(&url, 1).is_err());
    assert!(Load::new("ftp://127.0.0.1/", 1).is_err());
}
