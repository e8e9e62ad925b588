//! Our contestant: the `agui` crate under the same harness as its peers.
//!
//! usage: `ours MODE FILE MIN_SECONDS [--dump OUT]`
//! with MODE one of full, encode-sse, proto-encode, proto-decode, patch.

use std::hint::black_box;
use std::process::ExitCode;

use pincite_bench::harness::{
    Args, CHUNK, Sample, StateParts, contestant, data_lines, measure, measure_with,
};

/// Calls into the crate under test.
mod calls {
    use std::slice::Chunks;

    use agui::fold::Fold;
    use agui::model::Message;
    use agui::pipeline::Pipeline;
    use agui::sse::SseDecoder;
    use agui::{Event, EventData, EventReader, ReceivedEvent, proto, sse};
    use json::patch::{PatchMode, PatchOperation, Patcher};
    use json::{Text, Value};

    /// Decodes, enforces, expands, verifies and folds a run. Returns also the number of events.
    pub(super) fn full(chunks: Chunks<'_, u8>) -> Result<(Fold, usize), String> {
        let mut decoder = SseDecoder::new();
        let mut pipeline = Pipeline::new(|| unreachable!("the streams have no older forms"));
        let mut fold = Fold::default();
        let mut events = 0;
        let mut event = ReceivedEvent::default();
        let mut take = |decoder: &mut SseDecoder| {
            while let Some(read) = decoder.next_into(&mut event) {
                read.map_err(|error| error.to_string())?;
                events += 1;
                pipeline
                    .process(
                        &event,
                        |removed| unreachable!("the streams are clean: {removed:?}"),
                        |event| match fold.apply(event) {
                            Ok(None) => {}
                            other => unreachable!("the streams are clean: {other:?}"),
                        },
                    )
                    .map_err(|error| error.to_string())?;
            }
            Ok::<(), String>(())
        };
        for chunk in chunks {
            decoder.push(chunk);
            take(&mut decoder)?;
        }
        decoder.finish();
        take(&mut decoder)?;
        Ok((fold, events))
    }

    /// Returns `{"messages":…,"state":…}` as JSON.
    pub(super) fn conversation_json(fold: &Fold) -> Result<String, String> {
        let messages: Vec<String> = fold.messages().map(Message::to_json).collect();
        let state = fold.state().to_json();
        Ok(format!(
            "{{\"messages\":[{}],\"state\":{state}}}",
            messages.join(",")
        ))
    }

    /// Parses a typed event without keeping its text, so that encoding has to write it.
    pub(super) fn parse_event(json: &[u8]) -> Result<Event, String> {
        let json = std::str::from_utf8(json).map_err(|error| error.to_string())?;
        match EventReader::new().read(Text::from(json)) {
            Ok(ReceivedEvent::Typed(event)) => {
                let (data, common) = event.into_parts();
                Ok(Event::with_common(data, common))
            }
            other => Err(format!("not a clean event: {other:?}")),
        }
    }

    /// Appends one SSE frame to an empty buffer.
    pub(super) fn encode_sse(event: &Event, out: &mut String) {
        sse::encode(event, out);
    }

    /// Appends one protobuf message to an empty buffer.
    pub(super) fn proto_encode(event: &Event, out: &mut Vec<u8>) {
        proto::encode(event, out);
    }

    /// Decodes one typed event from one protobuf message.
    pub(super) fn proto_decode(reader: &mut EventReader, message: &[u8]) -> Result<Event, String> {
        let json = proto::decode(message).map_err(|error| error.to_string())?;
        match reader.read(Text::from(json)) {
            Ok(ReceivedEvent::Typed(event)) => Ok(event),
            other => Err(format!("not a clean event: {other:?}")),
        }
    }

    /// Parses the start state.
    pub(super) fn parse_state(json: &str) -> Result<Value, String> {
        Value::parse(json).map_err(|error| error.to_string())
    }

    /// Parses the operations.
    pub(super) fn parse_ops(json: &str) -> Result<Vec<PatchOperation>, String> {
        let event = format!("{{\"type\":\"STATE_DELTA\",\"delta\":{json}}}");
        match parse_event(event.as_bytes())?.into_parts().0 {
            EventData::StateDelta(data) => Ok(data.delta),
            other => Err(format!("not a patch: {other:?}")),
        }
    }

    /// Applies one STATE_DELTA in place, completely or not at all.
    pub(super) fn apply(
        patcher: &mut Patcher,
        state: &mut Value,
        ops: &[PatchOperation],
    ) -> Result<(), String> {
        match patcher.apply(state, ops) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the patcher as the fold uses it.
    pub(super) fn patcher() -> Patcher {
        Patcher::new(PatchMode::Agui)
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
        "encode-sse" => encode(args, &sse, String::clear, String::len, calls::encode_sse),
        "proto-encode" => encode(args, &sse, Vec::clear, Vec::len, calls::proto_encode),
        "proto-decode" => proto_decode(args, &sse),
        mode => Err(format!("unknown mode {mode}")),
    }
}

/// Measures the whole client side of a run, fed in chunks, including dropping the result.
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

fn parse_events(sse: &[u8]) -> Result<Vec<agui::Event>, String> {
    data_lines(sse).map(calls::parse_event).collect()
}

/// Measures encoding one frame or message per event into a reused buffer.
fn encode<B: Default>(
    args: &Args,
    sse: &[u8],
    clear: fn(&mut B),
    length: fn(&B) -> usize,
    one: fn(&agui::Event, &mut B),
) -> Result<Sample, String> {
    let events = parse_events(sse)?;
    let mut out = B::default();
    measure(events.len(), args.min_seconds, || {
        for event in black_box(&events) {
            clear(&mut out);
            one(event, &mut out);
            if length(black_box(&out)) == 0 {
                return Err("an event was encoded to nothing".to_owned());
            }
        }
        Ok(())
    })
}

/// Measures decoding the messages of `proto_encode`.
fn proto_decode(args: &Args, sse: &[u8]) -> Result<Sample, String> {
    let mut messages = Vec::new();
    for event in parse_events(sse)? {
        let mut message = Vec::new();
        calls::proto_encode(&event, &mut message);
        messages.push(message);
    }
    let mut reader = agui::EventReader::new();
    measure(messages.len(), args.min_seconds, || {
        for message in black_box(&messages) {
            black_box(calls::proto_decode(&mut reader, message)?);
        }
        Ok(())
    })
}

/// Measures applying every STATE_DELTA to the STATE_SNAPSHOT; copies of both are not timed.
fn patch(args: &Args, sse: &[u8]) -> Result<Sample, String> {
    let parts = StateParts::from_sse(sse)?;
    let start = calls::parse_state(&parts.snapshot)?;
    let deltas: Vec<Vec<json::patch::PatchOperation>> = parts
        .deltas
        .iter()
        .map(|delta| calls::parse_ops(delta))
        .collect::<Result<_, _>>()?;

    type Input = (json::Value, Vec<Vec<json::patch::PatchOperation>>);
    let mut patcher = calls::patcher();
    let mut apply = |mut input: Input| {
        for ops in &input.1 {
            calls::apply(&mut patcher, &mut input.0, ops)?;
        }
        Ok(input)
    };
    let fresh = || (start.clone(), deltas.clone());
    args.write_dump(|| Ok(apply(fresh())?.0.to_json()))?;
    measure_with(deltas.len(), args.min_seconds, fresh, apply)
}
