//! Conversation as JSON, the output of `fold` and `run`.

use std::io::{self, Write};

use agui::fold::{FinishedRun, Fold};
use agui::model::Interrupt;
use json::{Map, Value};

/// Writes the members `messages`, `state`, `finished` and `pendingInterrupts`, and leaves the object
/// open for more.
pub(super) fn write(fold: &Fold, finished: &[FinishedRun], out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"messages\":[")?;
    let mut json = String::new();
    for (index, message) in fold.messages().enumerate() {
        json.clear();
        message.write(&mut json);
        if index > 0 {
            out.write_all(b",")?;
        }
        out.write_all(plain(&json).as_bytes())?;
    }
    out.write_all(b"],\"state\":")?;
    out.write_all(fold.state().value().to_json().as_bytes())?;
    let finished = list(finished.iter().map(finished_json));
    let pending = list(fold.pending_interrupts().iter().map(Interrupt::to_json));
    write!(
        out,
        ",\"finished\":{finished},\"pendingInterrupts\":{pending}"
    )
}

/// Returns JSON that every reader understands: one line without duplicate keys and lone surrogates.
pub(super) fn plain(json: &str) -> String {
    Value::parse(json).map_or_else(|_| json.to_owned(), |value| value.to_json())
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn finished_json(finished: &FinishedRun) -> String {
    let mut entry = Map::new();
    entry.insert("outcome".into(), finished.outcome.into());
    if let Some(result) = &finished.result {
        entry.insert("result".into(), result.value().into_owned());
    }
    if let Some(ids) = &finished.pending_tool_call_ids {
        let ids: Vec<Value> = ids.iter().map(|id| id.as_str().into()).collect();
        entry.insert("pendingToolCallIds".into(), ids.into());
    }
    if let Some(interrupts) = &finished.interrupts {
        let interrupts = list(interrupts.iter().map(Interrupt::to_json));
        // The text was just written as JSON, so parsing cannot fail.
        let interrupts = Value::parse(&interrupts).unwrap_or_default();
        entry.insert("interrupts".into(), interrupts);
    }
    Value::Object(entry).to_json()
}
