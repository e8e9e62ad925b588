//! The agent: instructions, two tools, limits.

use std::sync::Arc;
use std::time::Duration;

use agents::model::ModelChain;
use agents::{Agent, ApprovalStore, RunHost, RunLimits, Tool, ToolContext, ToolError};
use json::Value;
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `add_note`. The model sees the doc comments of the fields.
#[derive(Deserialize, JsonSchema)]
struct NewNote {
    /// Text of the note, one sentence.
    text: String,
}

/// Arguments of `delete_notes`: none.
#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

/// Builds the agent.
pub(crate) fn notes_agent(
    models: ModelChain,
    host: Arc<dyn RunHost>,
    approvals: Arc<dyn ApprovalStore>,
) -> Agent {
    Agent::builder(models, host)
        .system("You keep short notes. Use the tools to change them, then say in one sentence what you did.")
        .tool(Tool::new("add_note", "Adds a note.", add_note))
        .tool(
            Tool::new("delete_notes", "Deletes all notes.", delete_notes)
                // The run ends with an interrupt; the next one continues with the answer of the user.
                .with_approval(Duration::from_secs(600)),
        )
        // Stored on the disk, so an approval is not lost if the program restarts before the user answers.
        .approvals(approvals)
        .limits(RunLimits {
            steps: 6,
            ..RunLimits::default()
        })
        .build()
}

async fn add_note(note: NewNote, context: ToolContext) -> Result<String, ToolError> {
    if note.text.trim().is_empty() {
        // The model reads the error and may try again.
        return Err(ToolError::Failed("The note has no text.".to_owned()));
    }
    // The client receives this change as a STATE_DELTA.
    let count = context.state.update(|state| {
        let mut notes = state["notes"].as_array().unwrap_or_default().to_vec();
        notes.push(note.text.into());
        let count = notes.len();
        *state = Value::from([("notes", Value::Array(notes))]);
        count
    });
    Ok(format!("There are {count} notes now."))
}

async fn delete_notes(_: NoArguments, context: ToolContext) -> Result<String, ToolError> {
    let none = Value::from([("notes", Value::Array(Vec::new()))]);
    context.state.update(|state| *state = none);
    Ok("All notes are deleted.".to_owned())
}
