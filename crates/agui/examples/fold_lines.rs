//! Folds streams for comparison with folds in other languages.
//!
//! Reads JSON lines `{"messages", "state", "events"}` and writes, for each, the events as the fold received them and its
//! result: `{"expanded", "messages", "state", "interrupts"}`. A stream ends at its first broken rule.

use std::io::{self, BufRead, BufWriter, Write};

use agui::fold::Fold;
use agui::model::{Interrupt, Message};
use agui::pipeline::Pipeline;
use json::Value;
use testkit::events::{json, received_events, sequential_ids, to_value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let request = Value::parse(&line?)?;
        let messages = Message::list_from_json(&request["messages"].to_json())?;
        let mut fold = Fold::new(messages, json(&request["state"]));
        let mut pipeline = Pipeline::new(sequential_ids());
        let mut expanded = Vec::new();
        for event in received_events(&request["events"]) {
            let accept = |event: &agui::Event| {
                expanded.push(to_value(event));
                // Chunks, the only cause of an error, are expanded by the pipeline.
                let _ = fold.apply(event);
            };
            if pipeline.process(&event, |_| {}, accept).is_err() {
                break;
            }
        }
        let messages = parsed(fold.messages().map(Message::to_json))?;
        let interrupts = parsed(fold.pending_interrupts().iter().map(Interrupt::to_json))?;
        let result = Value::from([
            ("expanded", Value::Array(expanded)),
            ("messages", messages),
            ("state", fold.state().value().into_owned()),
            ("interrupts", interrupts),
        ]);
        writeln!(out, "{}", result.to_json())?;
    }
    out.flush()?;
    Ok(())
}

fn parsed(texts: impl Iterator<Item = String>) -> Result<Value, Box<dyn std::error::Error>> {
    let values: Result<Vec<Value>, _> = texts.map(|text| Value::parse(&text)).collect();
    Ok(Value::Array(values?))
}
