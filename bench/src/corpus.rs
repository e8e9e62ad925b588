//! Generated input of every measurement: AG-UI streams in SSE form, texts, quotes and answers.

mod answers;
pub mod gateway;
mod quotes;
pub mod rng;

use std::fmt::{Arguments, Write as _};
use std::path::Path;

use rng::{Rng, WORDS};

/// Description of one generated stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedStream {
    /// Name of the stream, the file name without `.sse`.
    pub name: &'static str,
    /// Number of events.
    pub events: usize,
    /// Size of the SSE file.
    pub bytes: usize,
}

/// Generator of the events between the two ends of a run.
type Body = fn(&mut Rng, &mut Stream);

/// Streams of the benchmark: name and generator of the body.
const STREAMS: [(&str, Body); 7] = [
    ("S1", |rng, out| text_run(rng, out, 5_000)),
    ("S2", tool_run),
    ("S3", state_run),
    ("S4", snapshot_run),
    ("S5", reasoning_run),
    ("E2E200", |rng, out| text_run(rng, out, 200)),
    ("S1_20000", |rng, out| text_run(rng, out, 20_000)),
];

const STATUS: [&str; 3] = ["todo", "doing", "done"];
const TOOLS: [&str; 4] = ["search_documents", "get_weather", "run_sql", "fetch_url"];
/// Number of counters in the shared state.
const COUNTERS: usize = 50;
const ITEMS: usize = 860;
const SECTIONS: usize = 60;

/// Writes a file of the corpus.
fn save(dir: &Path, name: &str, content: &str) -> Result<(), String> {
    let path = dir.join(name);
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(&path, content))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Writes the input of the rows about passages and citations.
pub fn write_passages(dir: &Path) -> Result<(), String> {
    quotes::write(dir)?;
    answers::write(dir)
}

/// Writes every stream to `dir` as `NAME.sse`.
pub fn write_all(dir: &Path) -> Result<Vec<GeneratedStream>, String> {
    let mut written = Vec::new();
    for (name, body) in STREAMS {
        let stream = generate(name, body);
        save(dir, &format!("{name}.sse"), &stream.text)?;
        let (events, bytes) = (stream.events, stream.text.len());
        written.push(GeneratedStream {
            name,
            events,
            bytes,
        });
    }
    Ok(written)
}

/// Writes the input of the gateway rows, in addition to the streams.
pub fn write_gateway(dir: &Path) -> Result<(), String> {
    gateway::write(dir)
}

fn generate(name: &str, body: Body) -> Stream {
    generate_with(&mut Rng::new(name), body)
}

/// Generates one stream: the two ends of a run around the body.
fn generate_with(rng: &mut Rng, body: impl FnOnce(&mut Rng, &mut Stream)) -> Stream {
    let mut out = Stream::default();
    let ids = format!(r#""threadId":"{}","runId":"{}""#, rng.uuid(), rng.uuid());
    out.event(format_args!(r#"{{"type":"RUN_STARTED",{ids}}}"#));
    body(rng, &mut out);
    out.event(format_args!(r#"{{"type":"RUN_FINISHED",{ids}}}"#));
    out
}

/// SSE text that grows by one frame per event.
#[derive(Default)]
struct Stream {
    text: String,
    events: usize,
}

impl Stream {
    fn event(&mut self, json: Arguments<'_>) {
        writeln!(self.text, "data: {json}\n").expect("a String takes every write");
        self.events += 1;
    }
}

/// Returns a JSON string. The filler contains no other control characters.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns the parts joined by commas.
fn joined<T>(parts: impl IntoIterator<Item = T>) -> String
where
    T: AsRef<str>,
{
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(part.as_ref());
    }
    out
}

/// S1: one assistant message in many small deltas.
fn text_run(rng: &mut Rng, out: &mut Stream, deltas: usize) {
    let id = rng.uuid();
    text_message(rng, out, &id, deltas);
}

fn text_message(rng: &mut Rng, out: &mut Stream, id: &str, deltas: usize) {
    out.event(format_args!(
        r#"{{"type":"TEXT_MESSAGE_START","messageId":"{id}","role":"assistant"}}"#
    ));
    for _ in 0..deltas {
        let delta = quoted(&rng.delta());
        out.event(format_args!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"{id}","delta":{delta}}}"#
        ));
    }
    out.event(format_args!(
        r#"{{"type":"TEXT_MESSAGE_END","messageId":"{id}"}}"#
    ));
}

/// S2: 500 tool calls, each with ten argument deltas and a result.
fn tool_run(rng: &mut Rng, out: &mut Stream) {
    for _ in 0..500 {
        let (call, parent, result) = (rng.uuid(), rng.uuid(), rng.uuid());
        let tool = rng.pick(&TOOLS);
        out.event(format_args!(
            r#"{{"type":"TOOL_CALL_START","toolCallId":"{call}","toolCallName":"{tool}","parentMessageId":"{parent}"}}"#
        ));
        let arguments = format!(
            r#"{{"query": "{}", "limit": {}, "filters": {{"lang": "en", "year": {}, "tag": "{}"}}, "note": "{}"}}"#,
            rng.filler(90),
            rng.within(1, 100),
            rng.within(1990, 2026),
            rng.pick(&WORDS),
            rng.filler(40)
        );
        for piece in pieces(rng, &arguments, 10) {
            let delta = quoted(piece);
            out.event(format_args!(
                r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"{call}","delta":{delta}}}"#
            ));
        }
        out.event(format_args!(
            r#"{{"type":"TOOL_CALL_END","toolCallId":"{call}"}}"#
        ));
        let rows: Vec<String> = (0..4)
            .map(|id| {
                let (title, score) = (rng.filler(30), rng.decimal(1, 4));
                format!(r#"{{"id": {id}, "title": "{title}", "score": {score}}}"#)
            })
            .collect();
        let content = quoted(&format!(r#"{{"ok": true, "rows": [{}]}}"#, rows.join(", ")));
        out.event(format_args!(
            r#"{{"type":"TOOL_CALL_RESULT","messageId":"{result}","toolCallId":"{call}","content":{content},"role":"tool"}}"#
        ));
    }
}

/// Cuts ASCII text at random positions into `count` pieces, none of them empty.
fn pieces<'a>(rng: &mut Rng, text: &'a str, count: usize) -> Vec<&'a str> {
    let mut cuts = vec![0, text.len()];
    while cuts.len() < count + 1 {
        let cut = rng.within(1, text.len() - 1);
        if !cuts.contains(&cut) {
            cuts.push(cut);
        }
    }
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .collect()
}

/// S3: a large state, then 2,000 small patches of it.
fn state_run(rng: &mut Rng, out: &mut Stream) {
    let items = joined((0..ITEMS).map(|id| state_item(rng, id)));
    let counters = joined(
        WORDS[..COUNTERS]
            .iter()
            .map(|word| format!(r#""{word}":0"#)),
    );
    let sections = joined((0..SECTIONS).map(|_| {
        let (heading, body) = (rng.filler(20), rng.filler(200));
        format!(r#"{{"h":"{heading}","body":"{body}"}}"#)
    }));
    out.event(format_args!(
        r#"{{"type":"STATE_SNAPSHOT","snapshot":{{"title":"plan","items":[{items}],"log":[],"counters":{{{counters}}},"doc":{{"sections":[{sections}]}}}}}}"#
    ));
    let mut log = 0;
    for turn in 0..2_000 {
        let count = [1, 1, 1, 2, 3][rng.below(5)];
        let ops = joined((0..count).map(|_| state_op(rng, turn, &mut log)));
        out.event(format_args!(r#"{{"type":"STATE_DELTA","delta":[{ops}]}}"#));
    }
}

fn state_item(rng: &mut Rng, id: usize) -> String {
    let (title, status, score) = (rng.filler(40), rng.pick(&STATUS), rng.decimal(100, 3));
    let tags = joined((0..4).map(|_| quoted(rng.pick(&WORDS))));
    let (owner, rev, ok) = (rng.pick(&WORDS), rng.within(0, 50), rng.below(2) == 0);
    let note = match rng.below(5) {
        0 => "null".to_owned(),
        _ => quoted(&rng.filler(30)),
    };
    format!(
        r#"{{"id":{id},"title":"{title}","status":"{status}","score":{score},"tags":[{tags}],"meta":{{"owner":"{owner}","rev":{rev},"ok":{ok},"note":{note}}}}}"#
    )
}

/// Returns one patch operation that applies; `log` is the length of the log in the state.
fn state_op(rng: &mut Rng, turn: usize, log: &mut usize) -> String {
    let (kind, item) = (rng.below(100), rng.below(ITEMS));
    let (op, path, value) = match kind {
        0..30 => (
            "replace",
            format!("/items/{item}/status"),
            quoted(rng.pick(&STATUS)),
        ),
        30..50 => (
            "replace",
            format!("/items/{item}/meta/rev"),
            rng.below(1_000).to_string(),
        ),
        50..65 => {
            let counter = rng.pick(&WORDS[..COUNTERS]);
            ("replace", format!("/counters/{counter}"), turn.to_string())
        }
        65..80 => {
            *log += 1;
            let entry = format!(r#"{{"t":{turn},"msg":"{}"}}"#, rng.filler(30));
            ("add", "/log/-".to_owned(), entry)
        }
        80..88 => (
            "add",
            format!("/items/{item}/meta/extra"),
            format!(r#"{{"k":{turn}}}"#),
        ),
        88..94 => {
            let section = rng.below(SECTIONS);
            let body = quoted(&rng.filler(200));
            ("replace", format!("/doc/sections/{section}/body"), body)
        }
        94..97 if *log > 0 => {
            let entry = rng.below(*log);
            *log -= 1;
            return format!(r#"{{"op":"remove","path":"/log/{entry}"}}"#);
        }
        _ => ("test", "/title".to_owned(), quoted("plan")),
    };
    format!(r#"{{"op":"{op}","path":"{path}","value":{value}}}"#)
}

/// S4: 20 snapshots of a history that grows from 200 to 219 turns.
fn snapshot_run(rng: &mut Rng, out: &mut Stream) {
    let turns: Vec<String> = (0..220).map(|turn| history_turn(rng, turn)).collect();
    for length in 200..220 {
        let messages = joined(&turns[..length]);
        out.event(format_args!(
            r#"{{"type":"MESSAGES_SNAPSHOT","messages":[{messages}]}}"#
        ));
    }
}

/// Returns the messages of one turn; every fourth one calls a tool.
fn history_turn(rng: &mut Rng, turn: usize) -> String {
    let (id, question) = (rng.uuid(), rng.filler(80));
    let mut out = format!(r#"{{"id":"{id}","role":"user","content":"{question}"}},"#);
    if turn % 4 == 3 {
        let (call, id) = (rng.uuid(), rng.uuid());
        let arguments = quoted(&format!(r#"{{"query": "{}"}}"#, rng.filler(60)));
        let function = format!(r#"{{"name":"search_documents","arguments":{arguments}}}"#);
        let _ = write!(
            out,
            r#"{{"id":"{id}","role":"assistant","content":"","toolCalls":[{{"id":"{call}","type":"function","function":{function}}}]}},"#
        );
        let (id, content) = (rng.uuid(), rng.filler(200));
        let _ = write!(
            out,
            r#"{{"id":"{id}","role":"tool","toolCallId":"{call}","content":"{content}"}},"#
        );
    }
    let ending = rng.pick(&["", "\n", " ü»«"]);
    let (id, answer) = (rng.uuid(), rng.filler(300) + ending);
    let _ = write!(
        out,
        r#"{{"id":"{id}","role":"assistant","content":{}}}"#,
        quoted(&answer)
    );
    out
}

/// S5: 100 steps of reasoning, an activity with patches, and a short answer.
fn reasoning_run(rng: &mut Rng, out: &mut Stream) {
    for step in 0..100 {
        let (thought, plan, answer) = (rng.uuid(), rng.uuid(), rng.uuid());
        out.event(format_args!(
            r#"{{"type":"STEP_STARTED","stepName":"step-{step}"}}"#
        ));
        out.event(format_args!(
            r#"{{"type":"REASONING_START","messageId":"{thought}"}}"#
        ));
        out.event(format_args!(
            r#"{{"type":"REASONING_MESSAGE_START","messageId":"{thought}","role":"reasoning"}}"#
        ));
        for _ in 0..20 {
            let delta = quoted(&rng.delta());
            out.event(format_args!(
                r#"{{"type":"REASONING_MESSAGE_CONTENT","messageId":"{thought}","delta":{delta}}}"#
            ));
        }
        out.event(format_args!(
            r#"{{"type":"REASONING_MESSAGE_END","messageId":"{thought}"}}"#
        ));
        out.event(format_args!(
            r#"{{"type":"REASONING_END","messageId":"{thought}"}}"#
        ));
        plan_activity(rng, out, &plan);
        text_message(rng, out, &answer, 10);
        let value = rng.decimal(1, 5);
        out.event(format_args!(
            r#"{{"type":"CUSTOM","name":"metric","value":{{"block":{step},"v":{value}}}}}"#
        ));
        out.event(format_args!(
            r#"{{"type":"STEP_FINISHED","stepName":"step-{step}"}}"#
        ));
    }
}

/// Writes a plan of eight tasks of which five are completed.
fn plan_activity(rng: &mut Rng, out: &mut Stream, id: &str) {
    let title = rng.filler(30);
    let tasks = joined((0..8).map(|task| {
        let text = rng.filler(30);
        format!(r#"{{"id":{task},"text":"{text}","done":false}}"#)
    }));
    out.event(format_args!(
        r#"{{"type":"ACTIVITY_SNAPSHOT","messageId":"{id}","activityType":"PLAN","content":{{"title":"{title}","steps":[{tasks}],"progress":0}},"replace":true}}"#
    ));
    for task in 0..5 {
        let progress = task + 1;
        out.event(format_args!(
            r#"{{"type":"ACTIVITY_DELTA","messageId":"{id}","activityType":"PLAN","patch":[{{"op":"replace","path":"/steps/{task}/done","value":true}},{{"op":"replace","path":"/progress","value":{progress}}}]}}"#
        ));
    }
}
