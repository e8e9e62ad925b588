//! Endurance: a server that is killed, many streams at once, subscribers that stall, a disk that is full.
//!
//! `make test` runs a short form without limits on time. `make soak` (`PINCITE_SOAK=long`) runs the long form
//! and checks times, rates and memory, too.

mod faults;
mod killed_server;
mod long_thread;
mod many_streams;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use json::Value;

use crate::harness::gateway::wait_for_url;
use crate::harness::{PINCITE, RUN_FINISHED, RUN_STARTED, RandomLetters, parse, scratch};

/// Returns true if the long form of the tests was requested.
fn is_long() -> bool {
    std::env::var("PINCITE_SOAK").is_ok_and(|form| form == "long")
}

/// `pincite serve` with a data folder; dropping it kills it.
struct SoakServer {
    child: Child,
    port: u16,
}

impl SoakServer {
    fn start(data: &Path, upstream: &str) -> Self {
        Self::start_with(Command::new(PINCITE), data, upstream)
    }

    /// Starts the server with a command that takes the arguments of `pincite`.
    fn start_with(mut command: Command, data: &Path, upstream: &str) -> Self {
        let mut child = command
            .args(["serve", "--log-format", "json", "--upstream"])
            .arg(format!("up={upstream}"))
            .args(["--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let url = wait_for_url(&mut child);
        let port = url.rsplit(':').next().and_then(|port| port.parse().ok());
        Self {
            child,
            port: port.expect("a port"),
        }
    }

    /// Kills the server as `kill -9` does.
    fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// Returns the resident memory in KiB.
    fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.expect("a number")
    }
}

impl Drop for SoakServer {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a recorded run whose answer has `deltas` parts of `letters` letters. Returns its path.
#[track_caller]
fn recording(name: &str, deltas: usize, letters: usize) -> String {
    let mut lines = vec![
        RUN_STARTED.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
    ];
    let mut random = RandomLetters::default();
    lines.extend((0..deltas).map(|delta| {
        let filler = random.letters(letters);
        format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"{filler} [{delta}] "}}"#
        )
    }));
    lines.push(r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned());
    lines.push(RUN_FINISHED.to_owned());
    let file = scratch(name, lines.join("\n"));
    file.to_str().expect("a path in UTF-8").to_owned()
}

fn run_input(thread: &str, run: &str) -> String {
    format!(
        r#"{{"threadId":"{thread}","runId":"{run}","state":{{}},"messages":[{{"id":"u","role":"user","content":"q"}}],"tools":[],"context":[]}}"#
    )
}

/// Sends a request by HTTP/1.0, whose responses are not chunked.
fn send(
    port: u16,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> std::io::Result<TcpStream> {
    let mut socket = TcpStream::connect(("127.0.0.1", port))?;
    socket.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(
        socket,
        "{method} {path} HTTP/1.0\r\nHost: localhost\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(socket)
}

fn get(port: u16, path: &str) -> Value {
    let mut socket =
        send(port, "GET", path, "Accept: application/json\r\n", "").expect("it listens");
    let mut response = String::new();
    socket.read_to_string(&mut response).expect("a response");
    let (head, body) = response.split_once("\r\n\r\n").expect("a whole response");
    assert!(head.contains(" 200 "), "{path}: {response}");
    parse(body)
}

/// Events of a streamed response with their sequence numbers.
struct EventFrames(BufReader<TcpStream>);

impl EventFrames {
    /// Reads the head, whose status must be 200. Returns `None` if the connection ended before.
    fn open(socket: TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(socket);
        let mut line = String::new();
        let mut status = None;
        while reader.read_line(&mut line).ok()? > 0 {
            status.get_or_insert_with(|| line.clone());
            if line == "\r\n" {
                let status = status?;
                assert!(status.contains(" 200 "), "{status}");
                return Some(Self(reader));
            }
            line.clear();
        }
        None
    }

    /// Reads the next whole event. Returns `None` at the end of the connection.
    fn next(&mut self) -> Option<(Option<u64>, String)> {
        let (mut id, mut data) = (None, None);
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
                return None;
            }
            let line = line.trim_end();
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().ok();
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = Some(text.to_owned());
            } else if line.is_empty()
                && let Some(data) = data.take()
            {
                return Some((id, data));
            }
        }
    }
}

fn is_terminal(event: &str) -> bool {
    event.contains("\"RUN_FINISHED\"") || event.contains("\"RUN_ERROR\"")
}

/// Events that a client received of a thread, by sequence number.
type ShownEvents = BTreeMap<u64, String>;

/// Client that follows runs to their end, over restarts of the server.
struct RunFollower<'a> {
    /// Port of the running server; it changes with each restart.
    port: &'a AtomicU16,
    /// Number of events that all followers received.
    received: &'a AtomicUsize,
    /// Number of times that a follower continued after an interruption.
    resumed: &'a AtomicUsize,
}

impl RunFollower<'_> {
    /// Follows one run. Panics if an event is missing or comes twice.
    fn follow(&self, thread: &str, run: &str, shown: &mut ShownEvents) {
        let mut last: Option<u64> = None;
        loop {
            let header = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
            let port = self.port.load(Ordering::Relaxed);
            let sent = send(port, "POST", "/agents/up", &header, &run_input(thread, run));
            let Some(mut frames) = sent.ok().and_then(EventFrames::open) else {
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            if last.is_some() {
                self.resumed.fetch_add(1, Ordering::Relaxed);
            }
            while let Some((id, event)) = frames.next() {
                let id = id.expect("every event has a sequence number");
                if let Some(last) = last {
                    assert_eq!(id, last + 1, "{thread} {run}: a gap or a repetition");
                }
                last = Some(id);
                self.received.fetch_add(1, Ordering::Relaxed);
                let is_last = is_terminal(&event);
                assert_eq!(shown.insert(id, event), None, "{thread}: {id} twice");
                if is_last {
                    return;
                }
            }
        }
    }
}

/// Reads the whole log of a thread.
fn read_log(port: u16, thread: &str) -> ShownEvents {
    let mut log = ShownEvents::new();
    let mut after = "0".to_owned();
    loop {
        let page = get(
            port,
            &format!("/threads/{thread}/events?after={after}&limit=1000"),
        );
        for item in page["items"].as_array().expect("items") {
            let Value::Number(sequence) = &item["sequence"] else {
                panic!("no sequence");
            };
            let sequence = sequence.as_safe_int().and_then(|it| u64::try_from(it).ok());
            log.insert(sequence.expect("a number"), item["event"].to_json());
        }
        match &page["next"] {
            Value::Null => return log,
            next => after = next.to_json(),
        }
    }
}
