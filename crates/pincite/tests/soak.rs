//! What survives: a server that is killed, many streams at once, readers that stall, a disk that is full.
//!
//! `make test` runs a short form; `make soak` (`PINCITE_SOAK=long`) as long as it takes. `PINCITE_SOAK_SECONDS` says
//! for how long there are many streams.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)] // the long form tells what it saw

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use json::{Json, Value};
use store::{
    BeginRun, CheckDepth, Checkpoint, LogBatch, NewRun, OpenOptions, RunId, RunStatus, SqliteStore,
    StoredMessage, StoredRunEnd, ThreadId, ThreadStore, Timestamp,
};

use common::gateway::url_of;
use common::{PINCITE, Served, parse, scratch};

/// How much is done.
struct Scale {
    kills: usize,
    streams: usize,
    /// How long streams go on.
    lasting: Duration,
    /// The pause between two events of a stream, in milliseconds.
    pace: &'static str,
}

fn scale() -> Scale {
    let seconds = std::env::var("PINCITE_SOAK_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    if std::env::var("PINCITE_SOAK").is_ok_and(|word| word == "long") {
        Scale {
            kills: 200,
            streams: 1_000,
            lasting: Duration::from_secs(seconds.unwrap_or(600)),
            pace: "100",
        }
    } else {
        Scale {
            kills: 5,
            streams: 60,
            lasting: Duration::from_secs(4),
            pace: "20",
        }
    }
}

/// `pincite serve` on a port and a data directory that stay the same.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(port: u16, data: &Path, upstream: &str) -> Self {
        Self::started(Command::new(PINCITE), port, data, upstream)
    }

    fn started(mut command: Command, port: u16, data: &Path, upstream: &str) -> Self {
        let mut child = command
            .args(["serve", "--log-format", "json", "--upstream"])
            .arg(format!("up={upstream}"))
            .args(["--listen", &format!("127.0.0.1:{port}"), "--data"])
            .arg(data)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let url = url_of(&mut child);
        let port = url.rsplit(':').next().and_then(|port| port.parse().ok());
        Self {
            child,
            port: port.expect("a port"),
        }
    }

    /// As `kill -9` does.
    fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// How much memory it holds, in KiB.
    fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn empty_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A recorded answer of so many pieces of so many letters.
fn recording(name: &str, pieces: usize, letters: usize) -> String {
    let mut lines = vec![
        common::RUN_STARTED.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
    ];
    let mut noise = common::Noise::default();
    lines.extend((0..pieces).map(|piece| {
        let filler = noise.letters(letters);
        format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"{filler} [{piece}] "}}"#
        )
    }));
    lines.push(r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned());
    lines.push(common::RUN_FINISHED.to_owned());
    let file = scratch(name, lines.join("\n"));
    file.to_str().expect("plain").to_owned()
}

fn input(thread: &str, run: &str) -> String {
    format!(
        r#"{{"threadId":"{thread}","runId":"{run}","state":{{}},"messages":[{{"id":"u","role":"user","content":"q"}}],"tools":[],"context":[]}}"#
    )
}

/// Sends a request; the answer without chunks, because HTTP/1.0 has none.
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
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a whole answer");
    assert!(head.contains(" 200 "), "{path}: {answer}");
    parse(body)
}

/// The events of an answer as they come: their sequences and what they say.
struct Frames(BufReader<TcpStream>);

impl Frames {
    /// After the head, which must say that all is well; nothing if the server is gone.
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

    /// The next whole event.
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

fn is_end(event: &str) -> bool {
    event.contains("\"RUN_FINISHED\"") || event.contains("\"RUN_ERROR\"")
}

/// Everything that was ever shown of a thread, by sequence.
type Shown = BTreeMap<u64, String>;

/// Watches a run to its end, over as many servers as it takes. What is shown must follow what was shown.
fn watch(port: u16, thread: &str, run: &str, shown: &mut Shown, resumed: &AtomicUsize) {
    let mut last: Option<u64> = None;
    loop {
        let header = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
        let sent = send(port, "POST", "/agents/up", &header, &input(thread, run));
        let frames = sent.ok().and_then(Frames::open);
        let Some(mut frames) = frames else {
            thread::sleep(Duration::from_millis(5));
            continue;
        };
        if last.is_some() {
            resumed.fetch_add(1, Ordering::Relaxed);
        }
        while let Some((id, event)) = frames.next() {
            let id = id.expect("every event that is shown is in the log");
            if let Some(last) = last {
                assert_eq!(id, last + 1, "{thread} {run}: a gap, or the same again");
            }
            last = Some(id);
            let ends = is_end(&event);
            assert_eq!(shown.insert(id, event), None, "{thread}: {id} twice");
            if ends {
                return;
            }
        }
    }
}

/// The whole log of a thread.
fn log(port: u16, thread: &str) -> Shown {
    let mut log = Shown::new();
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

#[test]
fn nothing_that_was_seen_is_lost_when_the_server_is_killed() {
    let scale = scale();
    let upstream = Served::recordings(&[&recording("soak-kill.jsonl", 120, 20), "--pace", "2"]);
    let data = empty_folder("soak-kill");
    let mut server = Server::start(free_port(), &data, &upstream.url);
    let port = server.port;
    let stop = AtomicBool::new(false);
    let resumed = AtomicUsize::new(0);
    let mut slowest = Duration::ZERO;
    let shown: Vec<(String, Shown)> = thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|client| {
                let (stop, resumed) = (&stop, &resumed);
                scope.spawn(move || {
                    let name = format!("t{client}");
                    let mut shown = Shown::new();
                    let mut run = 0;
                    while !stop.load(Ordering::Relaxed) {
                        watch(port, &name, &format!("r{run}"), &mut shown, resumed);
                        run += 1;
                    }
                    (name, shown)
                })
            })
            .collect();
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..scale.kills {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            thread::sleep(Duration::from_millis(20 + random % 400));
            server.kill();
            let killed = Instant::now();
            server = Server::start(port, &data, &upstream.url);
            get(port, "/healthz");
            slowest = slowest.max(killed.elapsed());
        }
        stop.store(true, Ordering::Relaxed);
        let ended = clients.into_iter().map(|client| client.join());
        ended.map(|client| client.expect("no fault")).collect()
    });
    let mut events = 0;
    for (thread, shown) in &shown {
        let log = log(port, thread);
        let sequences: Vec<u64> = log.keys().copied().collect();
        assert_eq!(
            sequences,
            (1..=log.len() as u64).collect::<Vec<_>>(),
            "{thread}"
        );
        for (sequence, event) in shown {
            let logged = log.get(sequence).map(|event| parse(event));
            assert_eq!(logged, Some(parse(event)), "{thread}: {sequence} is lost");
        }
        events += shown.len();
    }
    assert!(
        resumed.load(Ordering::Relaxed) > 0,
        "nobody had to come back"
    );
    // Debug builds on a busy machine are slow to start; `make soak` is exact.
    let patience = if cfg!(debug_assertions) { 10 } else { 2 };
    assert!(
        slowest < Duration::from_secs(patience),
        "a restart took {slowest:?}"
    );
    server.kill();
    let store = SqliteStore::open(&OpenOptions::new(&data)).expect("the data");
    let damage = store.check(CheckDepth::Full).wait().expect("a check");
    assert_eq!(damage, Vec::<String>::new());
    println!(
        "{} kills, {} events seen by 8 clients, {} resumed, slowest restart {slowest:?}",
        scale.kills,
        events,
        resumed.load(Ordering::Relaxed)
    );
}

#[test]
fn many_streams_go_on_beside_each_other() {
    let scale = scale();
    let answer = recording("soak-many.jsonl", 50, 20);
    let upstream = Served::recordings(&[&answer, "--pace", scale.pace]);
    let data = empty_folder("soak-many");
    let server = Server::start(0, &data, &upstream.url);
    let (port, started) = (server.port, Instant::now());
    let runs = AtomicUsize::new(0);
    let mut memory = Vec::new();
    thread::scope(|scope| {
        for client in 0..scale.streams {
            let runs = &runs;
            let body = move || {
                let (mut shown, none) = (Shown::new(), AtomicUsize::new(0));
                let name = format!("t{client}");
                for run in 0.. {
                    watch(port, &name, &format!("r{run}"), &mut shown, &none);
                    let last = shown.last_key_value().expect("an end").1;
                    assert!(last.contains("\"RUN_FINISHED\""), "{last}");
                    shown.clear();
                    runs.fetch_add(1, Ordering::Relaxed);
                    if started.elapsed() > scale.lasting {
                        return;
                    }
                }
            };
            let small = thread::Builder::new().stack_size(256 << 10);
            small.spawn_scoped(scope, body).expect("a thread");
        }
        while started.elapsed() < scale.lasting {
            thread::sleep(scale.lasting / 20);
            memory.push(server.memory());
        }
    });
    assert!(runs.load(Ordering::Relaxed) >= scale.streams);
    // What is kept in memory does not grow with what is said.
    let (early, late) = (memory[memory.len() / 2], memory[memory.len() - 1]);
    assert!(late < early + early / 5 + 16_384, "{memory:?}");
    println!(
        "{} streams, {} runs in {:?}, {} MiB at half time, {} MiB at the end",
        scale.streams,
        runs.load(Ordering::Relaxed),
        started.elapsed(),
        early >> 10,
        late >> 10
    );
}

#[test]
fn a_reader_that_stalls_delays_nobody_and_gets_everything() {
    // More than is kept in memory and than sockets hold.
    let pieces = 20_000;
    let upstream = Served::recordings(&[&recording("soak-stall.jsonl", pieces, 500)]);
    let data = empty_folder("soak-stall");
    let server = Server::start(0, &data, &upstream.url);
    let stalled =
        send(server.port, "POST", "/agents/up", "", &input("t", "r")).expect("it listens");
    let mut other = loop {
        let path = "/threads/t/events?after=0";
        let sent = send(server.port, "GET", path, "", "").expect("it listens");
        let mut first = [0; 12];
        sent.peek(&mut first).expect("an answer");
        if first.ends_with(b"200") {
            break Frames::open(sent).expect("an answer");
        }
    };
    let read = |frames: &mut Frames| {
        let mut last = 0;
        while let Some((id, event)) = frames.next() {
            assert_eq!(id, Some(last + 1));
            last += 1;
            if is_end(&event) {
                return last;
            }
        }
        panic!("it ended after {last}");
    };
    let whole = read(&mut other);
    assert!(whole > pieces as u64);
    let mut late = Frames::open(stalled).expect("an answer");
    assert_eq!(read(&mut late), whole);
}

#[test]
fn a_disk_that_is_full_is_told_and_the_data_is_good_afterwards() {
    let upstream = Served::recordings(&[&recording("soak-full.jsonl", 4_000, 1_000)]);
    let data = empty_folder("soak-full");
    // No file may be larger than 2 MiB: to the program a full disk.
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\"",
        PINCITE,
    ]);
    let mut server = Server::started(limited, 0, &data, &upstream.url);
    let sent = send(server.port, "POST", "/agents/up", "", &input("t", "r")).expect("it listens");
    let mut frames = Frames::open(sent).expect("an answer");
    let mut shown = Shown::new();
    let end = loop {
        let (id, event) = frames.next().expect("an end");
        match id {
            Some(id) => drop(shown.insert(id, event)),
            None => break event,
        }
    };
    assert!(
        end.contains("\"storage\"") && end.contains("RUN_ERROR"),
        "{end}"
    );
    get(server.port, "/healthz");
    server.kill();
    // There is room again.
    let server = Server::start(0, &data, &upstream.url);
    let log = log(server.port, "t");
    for (sequence, event) in &shown {
        assert_eq!(
            log.get(sequence).map(|event| parse(event)),
            Some(parse(event))
        );
    }
    let last = log.last_key_value().expect("an end").1;
    assert!(last.contains("\"crashed\""), "{last}");
    let mut shown = Shown::new();
    watch(server.port, "t", "r2", &mut shown, &AtomicUsize::new(0));
    let last = shown.last_key_value().expect("an end").1;
    assert!(last.contains("\"RUN_FINISHED\""), "{last}");
}

/// Seconds of CPU time that a process has used.
fn cpu(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let behind = stat.rsplit(')').next().expect("its name is in brackets");
    let ticks: f64 = behind
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<f64>().expect("a number"))
        .sum();
    ticks / 100.0
}

/// Writes a thread of so many messages and events; how many events per second were written.
fn long_thread(data: &Path, messages: usize, events: usize) -> f64 {
    let store = SqliteStore::open(&OpenOptions::new(data).server("soak")).expect("a store");
    let message = |at: usize| {
        let role = if at.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        let text = "A sentence of some length. ".repeat(20);
        format!(r#"{{"id":"m{at}","role":"{role}","content":"{text}"}}"#)
    };
    let list: Vec<String> = (0..messages).map(message).collect();
    let input = format!(
        r#"{{"threadId":"t","runId":"r","state":{{}},"messages":[{}],"tools":[],"context":[]}}"#,
        list.join(",")
    );
    let local = store::Principal::local();
    let begun = store.begin_run(
        &local,
        NewRun {
            thread: ThreadId::new("t").expect("an id"),
            run: RunId::new("r").expect("an id"),
            agent: "up".to_owned(),
            parent: None,
            input: Json::parse(input).expect("JSON"),
            started: Timestamp(0),
        },
    );
    let BeginRun::New(open, _) = begun.wait().expect("begun") else {
        panic!("it is known already");
    };
    let delta = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":" a few words"}"#;
    let started = Instant::now();
    // What comes together is one batch; several wait for one transaction.
    let mut waiting = Vec::new();
    let mut written = 0;
    while written < events {
        let mut batch = LogBatch::new();
        let first = (written == 0).then_some(common::RUN_STARTED);
        let last = (written + 20 >= events).then_some(common::RUN_FINISHED);
        first.iter().for_each(|event| batch.push(event.as_bytes()));
        (0..20).for_each(|_| batch.push(delta.as_bytes()));
        last.iter().for_each(|event| batch.push(event.as_bytes()));
        written += batch.len();
        waiting.push(store.append(open, batch));
        if waiting.len() == 64 || last.is_some() {
            for answer in waiting.drain(..) {
                answer.wait().expect("stored");
            }
        }
    }
    let rate = written as f64 / started.elapsed().as_secs_f64();
    let messages = list.iter().enumerate().map(|(at, json)| StoredMessage {
        id: format!("m{at}"),
        role: "user".to_owned(),
        json: json.clone().into(),
    });
    let checkpoint = Checkpoint {
        through: written as u64,
        state: "{}".into(),
        record: None,
        messages: messages.collect(),
    };
    let ended = store.end_run(
        open,
        StoredRunEnd::new(RunStatus::Finished, Timestamp(1), Some(checkpoint)),
    );
    ended.wait().expect("ended");
    rate
}

#[test]
fn a_long_thread_is_opened_at_once_and_told_again_quickly() {
    let is_long = scale().kills > 100;
    let events = if is_long { 2_000_000 } else { 200_000 };
    let data = empty_folder("soak-long");
    let written = long_thread(&data, 10_000, events);
    let server = Server::start(0, &data, "http://127.0.0.1:9/");
    let first_byte = |path: &str| {
        let times = (0..5).map(|_| {
            let sent = Instant::now();
            let socket = send(server.port, "GET", path, "", "").expect("it listens");
            assert!(Frames::open(socket).is_some());
            sent.elapsed()
        });
        times.min().expect("five of them")
    };
    let opened = first_byte("/threads/t/events");
    let shown = first_byte("/threads/t/messages?limit=50");
    let before = cpu(server.child.id());
    let socket = send(server.port, "GET", "/threads/t/events?after=0", "", "");
    let mut reader = BufReader::with_capacity(1 << 20, socket.expect("it listens"));
    let mut seen = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        assert!(
            reader.read_until(b'\n', &mut line).expect("bytes") > 0,
            "it ended"
        );
        if line.starts_with(b"id: ") {
            seen += 1;
        } else if line.starts_with(br#"data: {"type":"RUN_FINISHED""#) {
            break;
        }
    }
    let used = cpu(server.child.id()) - before;
    let replayed = f64::from(seen) / used.max(0.01);
    println!(
        "10,000 messages: first byte of the thread {opened:?}, of its end {shown:?}; \
         {written:.0} events/s written, {replayed:.0} events/s of CPU replayed"
    );
    assert!(seen as usize >= events);
    // Debug builds beside other tests are slow; `make soak` is exact.
    let leniency = if cfg!(debug_assertions) { 10 } else { 1 };
    assert!(opened < Duration::from_millis(50) * leniency, "{opened:?}");
    assert!(shown < Duration::from_millis(50) * leniency, "{shown:?}");
    let leniency = f64::from(leniency);
    assert!(written > 200_000.0 / leniency, "{written}");
    assert!(replayed > 1_000_000.0 / leniency, "{replayed}");
}

#[test]
fn a_server_that_is_told_to_end_tells_its_clients() {
    let upstream = Served::recordings(&[&recording("soak-term.jsonl", 5_000, 20), "--pace", "5"]);
    let data = empty_folder("soak-term");
    let mut server = Server::start(0, &data, &upstream.url);
    let sent = send(server.port, "POST", "/agents/up", "", &input("t", "r")).expect("it listens");
    let mut frames = Frames::open(sent).expect("an answer");
    for _ in 0..10 {
        frames.next().expect("an event");
    }
    let path = "/threads/t/events?after=0";
    let sent = send(server.port, "GET", path, "", "").expect("it listens");
    let mut follower = Frames::open(sent).expect("an answer");
    let told = Instant::now();
    let process = server.child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &process]).status();
    assert!(killed.expect("kill is there").success());
    for frames in [&mut frames, &mut follower] {
        let end = std::iter::from_fn(|| frames.next()).last();
        let (id, end) = end.expect("an end");
        assert!(id.is_some() && end.contains("\"shutdown\""), "{end}");
    }
    let ended = server.child.wait().expect("it ends");
    assert!(ended.success(), "{ended}");
    assert!(
        told.elapsed() < Duration::from_secs(20),
        "{:?}",
        told.elapsed()
    );
    let server = Server::start(0, &data, &upstream.url);
    let thread = get(server.port, "/threads/t");
    assert_eq!(thread["lastRun"]["status"].as_str(), Some("failed"));
}
