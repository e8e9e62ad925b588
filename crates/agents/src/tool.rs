//! Tools: functions with typed arguments that a model may call.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agui::Event;
use json::{Json, Value};
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;

use crate::model::ToolDefinition;

/// Future of a tool call.
pub type ToolFuture = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send>>;

/// Error of a tool call. The model reads the message and may try again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit the schema.
    #[error("The arguments of `{tool}` are not valid: {reason}. They must fit the schema {schema}")]
    InvalidArguments {
        /// Name of the tool.
        tool: String,
        /// Reason.
        reason: String,
        /// JSON schema of the arguments.
        schema: String,
    },
    /// There is no such tool.
    #[error("There is no tool `{name}`. The tools are: {tools}.")]
    UnknownTool {
        /// Name that the model called.
        name: String,
        /// Names of the tools.
        tools: String,
    },
    /// The tool failed.
    #[error("{0}")]
    Failed(String),
}

impl ToolError {
    /// Returns true for a mistake of the model, which may be corrected only a limited number of times.
    pub fn is_models_mistake(&self) -> bool {
        !matches!(self, Self::Failed(_))
    }
}

/// State that the agent shares with the client.
#[derive(Debug, Clone, Default)]
pub struct SharedState(Arc<Mutex<Value>>);

impl SharedState {
    /// Creates the state with its first value.
    pub fn new(value: Value) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    fn lock(&self) -> MutexGuard<'_, Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the state.
    pub fn value(&self) -> Value {
        self.lock().clone()
    }

    /// Changes the state. The client receives the difference when the call is done.
    pub fn update<T>(&self, change: impl FnOnce(&mut Value) -> T) -> T {
        change(&mut self.lock())
    }
}

/// Events that tool calls send to the client, behind the result of the call.
#[derive(Debug, Clone, Default)]
pub struct EventOutbox(Arc<Mutex<Vec<Event>>>);

impl EventOutbox {
    /// Adds events.
    pub fn extend(&self, events: impl IntoIterator<Item = Event>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.extend(events);
    }

    /// Returns the events and clears the list.
    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Surroundings of a tool call.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Id of the call.
    pub call_id: String,
    /// Thread id.
    pub thread_id: String,
    /// Run id.
    pub run_id: String,
    /// Time of the call in milliseconds since 1970.
    pub now: i64,
    /// State that the agent shares with the client.
    pub state: SharedState,
    /// Events that the call sends to the client.
    pub outbox: EventOutbox,
}

type CallTool = dyn Fn(&str, ToolContext) -> Result<ToolFuture, String> + Send + Sync;

/// Function that a model may call.
#[derive(Clone)]
pub struct Tool {
    definition: ToolDefinition,
    call: Arc<CallTool>,
    /// Time in which the user may approve a call; `None` if calls need no approval.
    approval: Option<Duration>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Tool({})", self.definition.name)
    }
}

impl Tool {
    /// Creates a tool. The schema of the arguments is made from their type; doc comments of its fields describe them
    /// to the model.
    pub fn new<A, F>(
        name: impl Into<String>,
        description: impl Into<String>,
        function: impl Fn(A, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        F: Future<Output = Result<String, ToolError>> + Send + 'static,
    {
        let schema = serde_json::to_string(&schema_for!(A)).unwrap_or_else(|_| "{}".to_owned());
        Self {
            definition: ToolDefinition {
                name: name.into(),
                description: description.into(),
                parameters: Json::from_valid_text(schema),
            },
            call: Arc::new(move |arguments, context| {
                // Models write nothing at all for a tool without arguments.
                let arguments = match arguments.trim().is_empty() {
                    true => "{}",
                    false => arguments,
                };
                let arguments = serde_json::from_str(arguments).map_err(|e| e.to_string())?;
                Ok(Box::pin(function(arguments, context)))
            }),
            approval: None,
        }
    }

    /// Creates a tool whose arguments are any object. The function checks them; the schema only describes them to the
    /// model.
    pub fn with_schema<F>(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Json,
        function: impl Fn(Value, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<String, ToolError>> + Send + 'static,
    {
        Self {
            definition: ToolDefinition {
                name: name.into(),
                description: description.into(),
                parameters,
            },
            call: Arc::new(move |arguments, context| match Value::parse(arguments) {
                Ok(arguments @ Value::Object(_)) => Ok(Box::pin(function(arguments, context))),
                Ok(_) => Err("they are not an object".to_owned()),
                Err(error) => Err(error.to_string()),
            }),
            approval: None,
        }
    }

    /// Makes every call wait for the approval of the user, for at most this long.
    #[must_use]
    pub fn with_approval(mut self, expiry: Duration) -> Self {
        self.approval = Some(expiry);
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the tool as a model sees it.
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Returns the time in which the user may approve a call; `None` if calls need no approval.
    pub(crate) fn approval(&self) -> Option<Duration> {
        self.approval
    }

    /// Checks the arguments and starts a call.
    pub(crate) fn start(
        &self,
        arguments: &str,
        context: ToolContext,
    ) -> Result<ToolFuture, ToolError> {
        (self.call)(arguments, context).map_err(|reason| ToolError::InvalidArguments {
            tool: self.name().to_owned(),
            reason,
            schema: self.definition.parameters.to_json(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments of the tool.
    #[derive(serde::Deserialize, JsonSchema)]
    struct NoteText {
        /// Text of the note.
        text: String,
    }

    fn context() -> ToolContext {
        ToolContext {
            call_id: "c".to_owned(),
            thread_id: "t".to_owned(),
            run_id: "r".to_owned(),
            now: 0,
            state: SharedState::default(),
            outbox: EventOutbox::default(),
        }
    }

    #[tokio::test]
    async fn arguments_are_checked_against_their_type() {
        let tool = Tool::new("note", "Adds a note", async |note: NoteText, _| {
            Ok(note.text.to_uppercase())
        });
        let schema = tool.definition().parameters.to_json();
        assert!(schema.contains("\"Text of the note.\""), "{schema}");
        let called = tool.start(r#"{"text":"tide"}"#, context()).expect("valid");
        assert_eq!(called.await.as_deref(), Ok("TIDE"));
        for wrong in ["{}", "{\"text\":", "", "[]", r#"{"text":5}"#] {
            let error = tool.start(wrong, context()).err().expect(wrong);
            assert!(error.is_models_mistake(), "{error}");
            let text = error.to_string();
            assert!(
                text.contains("`note`") && text.contains("\"text\""),
                "{text}"
            );
        }
    }
}
