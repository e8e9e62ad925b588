//! Throughput of the store: `cargo run --release -p store --example throughput [directory]`.
//!
//! Prints wall and CPU time of appending with many runs at once, of whole runs, of replaying, and of opening a
//! long thread.
//! Uses a temporary directory if none is given.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // a tool for developers

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use json::Json;
use store::{
    BeginRun, Checkpoint, LogBatch, MemoryStore, NewRun, OpenOptions, OpenRun, PageRequest,
    Principal, RunId, RunStatus, SqliteStore, Store, StoredMessage, StoredRunEnd, ThingQuery,
    ThreadId, Timestamp,
};

const EVENT: &str = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"0d9f6a52-7c1e-4b55-9d0c-2f5a7e8b9c10","delta":" and then some"}"#;

fn main() {
    let temporary = tempfile::tempdir().unwrap();
    let directory = std::env::args()
        .nth(1)
        .map_or_else(|| temporary.path().join("data"), PathBuf::from);
    let options = OpenOptions::new(directory).server("throughput");
    let sqlite: Arc<dyn Store> = Arc::new(SqliteStore::open(&options).unwrap());
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    for (name, store) in [("memory", memory), ("sqlite", sqlite)] {
        println!("{name}");
        for (runs, size) in [
            (1, 1),
            (16, 1),
            (64, 1),
            (256, 1),
            (16, 8),
            (16, 64),
            (1, 64),
        ] {
            append(&store, runs, size);
        }
        whole_runs(&store);
        replay(&store);
        open(&store);
    }
}

fn begin(store: &dyn Store, thread: &str, run: &str) -> OpenRun {
    let new = NewRun {
        thread: ThreadId::new(thread).unwrap(),
        run: RunId::new(run).unwrap(),
        agent: "demo".to_owned(),
        parent: None,
        input: Json::parse(r#"{"messages":[]}"#).unwrap(),
        started: Timestamp(0),
    };
    match store.begin_run(&Principal::local(), new).wait().unwrap() {
        BeginRun::New(open, _) => open,
        BeginRun::Known(_) => panic!("use an empty directory"),
    }
}

fn batch(size: usize) -> LogBatch {
    let mut batch = LogBatch::new();
    for _ in 0..size {
        batch.push(EVENT.as_bytes());
    }
    batch
}

/// Appends with many runs at once, each of which waits for its last batch, as a server does.
fn append(store: &Arc<dyn Store>, runs: usize, size: usize) {
    let total = if runs * size < 16 { 20_000 } else { 400_000 };
    let opened: Vec<OpenRun> = (0..runs)
        .map(|number| begin(&**store, &format!("append-{runs}-{size}-{number}"), "r"))
        .collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let (start, cpu) = (Instant::now(), cpu_time());
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for open in opened {
            let store = Arc::clone(store);
            let rounds = total / runs / size;
            tasks.push(tokio::spawn(async move {
                for _ in 0..rounds {
                    store.append(open, batch(size)).await.unwrap();
                }
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
    });
    let what = format!("append, {runs} runs, {size} events at a time");
    report(&what, total, start.elapsed(), cpu_time() - cpu);
}

/// Runs of threads with one question and one answer each, several at once. A page of the ontology is read at the
/// end, so that deferred work counts too.
fn whole_runs(store: &Arc<dyn Store>) {
    const RUNS: usize = 20_000;
    let message = |id: &str, role: &str| StoredMessage {
        id: id.to_owned(),
        role: role.to_owned(),
        json: format!(r#"{{"id":"{id}","role":"{role}"}}"#).into(),
    };
    let (start, cpu) = (Instant::now(), cpu_time());
    for group in 0..RUNS / 16 {
        let numbers = (0..16).map(|number| group * 16 + number);
        let opened: Vec<OpenRun> = numbers
            .map(|number| begin(&**store, &format!("whole-{number}"), "r"))
            .collect();
        let ends: Vec<_> = opened
            .into_iter()
            .map(|open| {
                let checkpoint = Checkpoint {
                    through: open.after + 20,
                    messages: vec![message("q", "user"), message("a", "assistant")],
                    ..Checkpoint::default()
                };
                let end = StoredRunEnd {
                    last: batch(20),
                    ..StoredRunEnd::new(RunStatus::Finished, Timestamp(1), Some(checkpoint))
                };
                store.end_run(open, end)
            })
            .collect();
        for end in ends {
            end.wait().unwrap();
        }
    }
    let page = PageRequest::first(1);
    let query = ThingQuery::default();
    store
        .things(&Principal::local(), &query, &page)
        .wait()
        .unwrap();
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
    println!(
        "  runs of 20 events and 2 messages: {:.0} µs wall, {:.0} µs of CPU each",
        wall.as_secs_f64() * 1e6 / RUNS as f64,
        cpu.as_secs_f64() * 1e6 / RUNS as f64
    );
}

fn replay(store: &Arc<dyn Store>) {
    let run = begin(&**store, "replay", "r");
    let total = 1_000_000;
    for _ in 0..total / 50 {
        store.append(run, batch(50)).wait().unwrap();
    }
    let thread = ThreadId::new("replay").unwrap();
    let (start, cpu) = (Instant::now(), cpu_time());
    let (mut after, mut read, mut bytes) = (0, 0, 0);
    loop {
        let events = store
            .events(&Principal::local(), &thread, after, 10_000)
            .wait()
            .unwrap();
        for (_, event) in events.iter() {
            read += 1;
            bytes += event.len();
        }
        match events.next() {
            Some(next) => after = next,
            None => break,
        }
    }
    assert_eq!((read, bytes), (total, total * EVENT.len()));
    report("replay", total, start.elapsed(), cpu_time() - cpu);
}

fn open(store: &Arc<dyn Store>) {
    let messages: Vec<StoredMessage> = (0..10_000)
        .map(|number| StoredMessage {
            id: format!("m{number}"),
            role: "assistant".to_owned(),
            json: format!(
                r#"{{"id":"m{number}","content":"{}"}}"#,
                "words ".repeat(60)
            )
            .into(),
        })
        .collect();
    let thread = ThreadId::new("open").unwrap();
    let local = Principal::local();
    let checkpoint = |messages: &[StoredMessage]| {
        Some(Checkpoint {
            through: 0,
            state: "{}".into(),
            record: None,
            messages: messages.to_vec(),
        })
    };
    for (run, count) in [("r1", 9_998), ("r2", 10_000)] {
        let open = begin(&**store, "open", run);
        let given = checkpoint(&messages[..count]);
        let start = Instant::now();
        store
            .end_run(
                open,
                StoredRunEnd::new(RunStatus::Finished, Timestamp(1), given),
            )
            .wait()
            .unwrap();
        println!(
            "  end of a run with {count} messages: {:.1?}",
            start.elapsed()
        );
    }
    for limit in [50, 10_000] {
        let start = Instant::now();
        let state = store.state(&local, &thread).wait().unwrap();
        let read = store.messages(&local, &thread, None, limit).wait().unwrap();
        assert_eq!((state.messages, read.messages.len()), (10_000, limit));
        println!(
            "  open, last {limit} of 10000 messages: {:.1?}",
            start.elapsed()
        );
    }
}

fn report(what: &str, events: usize, wall: Duration, cpu: Duration) {
    let rate = |time: Duration| events as f64 / time.as_secs_f64().max(1e-6) / 1e3;
    println!(
        "  {what}: {:.0} k events/s wall, {:.0} k per second of CPU",
        rate(wall),
        rate(cpu)
    );
}

/// Returns the CPU time of this process, in steps of 10 ms.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 10)
}
