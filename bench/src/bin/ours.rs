//! Our contestant: the `agui` crate under the same harness as its peers.
//!
//! usage: `ours MODE FILE MIN_SECONDS [--dump OUT]`
//! with MODE one of full, encode-sse, proto-encode, proto-decode, patch.

use std::hint::black_box;
use std::process::ExitCode;

use pincite_bench::harness::{
    Args, CHUNK, Sample, StateParts, contestant, data_lines, measure, measure_with,
};

/// The calls into the crate under test; everything to fill in is here.
mod calls {
    use std::slice::Chunks;

    /// FILL IN: what a finished run leaves behind (messages and state).
    pub(super) struct Conversation;
    /// FILL IN: one typed event.
    pub(super) struct Event;
    /// FILL IN: a mutable JSON document.
    #[derive(Clone)]
    pub(super) struct State;
    /// FILL IN: the parsed operations of one STATE_DELTA.
    #[derive(Clone)]
    pub(super) struct Ops;

    const EMPTY: &str = "not filled in yet";

    /// FILL IN (mode full): decode, enforce, expand, verify and apply a fresh run.
    ///
    /// Gives the number of events seen too; the harness checks it against the file.
    pub(super) fn full(chunks: Chunks<'_, u8>) -> Result<(Conversation, usize), String> {
        for chunk in chunks {
            let _feed = chunk;
        }
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode full, not timed): `{"messages":…,"state":…}` as JSON.
    pub(super) fn conversation_json(conversation: &Conversation) -> Result<String, String> {
        let _ = conversation;
        Err(EMPTY.to_owned())
    }

    /// FILL IN (encode and proto modes, not timed): an event from its JSON text.
    pub(super) fn parse_event(json: &[u8]) -> Result<Event, String> {
        let _ = json;
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode encode-sse): appends one SSE frame to an empty buffer.
    pub(super) fn encode_sse(event: &Event, out: &mut Vec<u8>) -> Result<(), String> {
        let _ = (event, out);
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode proto-encode): appends one protobuf message to an empty buffer.
    pub(super) fn proto_encode(event: &Event, out: &mut Vec<u8>) -> Result<(), String> {
        let _ = (event, out);
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode proto-decode): one event from one protobuf message.
    pub(super) fn proto_decode(message: &[u8]) -> Result<Event, String> {
        let _ = message;
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode patch, not timed): the start state from its JSON text.
    pub(super) fn parse_state(json: &str) -> Result<State, String> {
        let _ = json;
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode patch, not timed): the operations from their JSON text.
    pub(super) fn parse_ops(json: &str) -> Result<Ops, String> {
        let _ = json;
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode patch): applies one STATE_DELTA in place, all of it or nothing.
    pub(super) fn apply(state: &mut State, ops: &Ops) -> Result<(), String> {
        let _ = (state, ops);
        Err(EMPTY.to_owned())
    }

    /// FILL IN (mode patch, not timed): the state as JSON.
    pub(super) fn state_json(state: &State) -> Result<String, String> {
        let _ = state;
        Err(EMPTY.to_owned())
    }
}

fn main() -> ExitCode {
    contestant(run)
}

fn run(args: &Args) -> Result<Sample, String> {
    let sse = args.read()?;
    match args.mode.as_str() {
        "full" => full(args, &sse),
        "patch" => patch(args, &sse),
        mode if args.dump.is_some() => Err(format!("mode {mode} has nothing to dump")),
        "encode-sse" => encode(args, &sse, calls::encode_sse),
        "proto-encode" => encode(args, &sse, calls::proto_encode),
        "proto-decode" => proto_decode(args, &sse),
        mode => Err(format!("unknown mode {mode}")),
    }
}

/// The whole client side of a run, fed in chunks; dropping the result is timed too.
fn full(args: &Args, sse: &[u8]) -> Result<Sample, String> {
    let events = data_lines(sse).count();
    args.write_dump(|| calls::conversation_json(&calls::full(sse.chunks(CHUNK))?.0))?;
    measure(events, args.min_seconds, || {
        let (conversation, seen) = calls::full(black_box(sse).chunks(CHUNK))?;
        black_box(&conversation);
        if seen == events {
            Ok(())
        } else {
            Err(format!("{seen} events seen, the file has {events}"))
        }
    })
}

fn parse_events(sse: &[u8]) -> Result<Vec<calls::Event>, String> {
    data_lines(sse).map(calls::parse_event).collect()
}

/// One frame or message per event, into a buffer that is kept.
fn encode(
    args: &Args,
    sse: &[u8],
    one: fn(&calls::Event, &mut Vec<u8>) -> Result<(), String>,
) -> Result<Sample, String> {
    let events = parse_events(sse)?;
    let mut out = Vec::new();
    measure(events.len(), args.min_seconds, || {
        for event in black_box(&events) {
            out.clear();
            one(event, &mut out)?;
            if black_box(&out).is_empty() {
                return Err("an event was encoded to nothing".to_owned());
            }
        }
        Ok(())
    })
}

/// The messages of `proto_encode` back to events.
fn proto_decode(args: &Args, sse: &[u8]) -> Result<Sample, String> {
    let mut messages = Vec::new();
    for event in parse_events(sse)? {
        let mut message = Vec::new();
        calls::proto_encode(&event, &mut message)?;
        messages.push(message);
    }
    measure(messages.len(), args.min_seconds, || {
        for message in black_box(&messages) {
            black_box(calls::proto_decode(message)?);
        }
        Ok(())
    })
}

/// Every STATE_DELTA on the STATE_SNAPSHOT; the copies of both are not timed.
fn patch(args: &Args, sse: &[u8]) -> Result<Sample, String> {
    let parts = StateParts::from_sse(sse)?;
    let start = calls::parse_state(&parts.snapshot)?;
    let deltas: Vec<calls::Ops> = parts
        .deltas
        .iter()
        .map(|delta| calls::parse_ops(delta))
        .collect::<Result<_, _>>()?;

    let apply = |mut input: (calls::State, Vec<calls::Ops>)| {
        for ops in &input.1 {
            calls::apply(&mut input.0, ops)?;
        }
        Ok(input)
    };
    let fresh = || (start.clone(), deltas.clone());
    args.write_dump(|| calls::state_json(&apply(fresh())?.0))?;
    measure_with(deltas.len(), args.min_seconds, fresh, apply)
}
