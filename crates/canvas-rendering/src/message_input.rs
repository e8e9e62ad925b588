//! The input of a rendering: messages of the canvas, or surfaces built from messages of A2UI.

use a2ui::{A2uiCatalog, SurfaceSet};
use canvas::CanvasMessage;

use crate::CanvasRenderError;

pub(crate) enum RenderInput {
    Messages(Vec<CanvasMessage>),
    Surfaces(SurfaceSet),
}

/// Conversation of messages that are rendered outside of one.
const NO_CONVERSATION: &str = "file";

impl RenderInput {
    /// Reads an input. Messages with `version` and an operation of A2UI are A2UI, others are of the canvas.
    pub(crate) fn read(input: &str) -> Result<Self, CanvasRenderError> {
        let messages = a2ui::split_messages(input)
            .map_err(|problem| CanvasRenderError::A2ui(vec![problem]))?;
        let is_a2ui = messages
            .first()
            .is_some_and(|(_, message)| message.get("type").is_none());
        if is_a2ui {
            let problems = a2ui::check_agent_messages(input, &A2uiCatalog::basic());
            if !problems.is_empty() {
                return Err(CanvasRenderError::A2ui(problems));
            }
            let mut surfaces = SurfaceSet::default();
            for (_, message) in &messages {
                surfaces.apply(message)?;
            }
            return Ok(Self::Surfaces(surfaces));
        }
        let read = messages
            .iter()
            .enumerate()
            .map(|(index, (_, message))| read_message(index + 1, message));
        Ok(Self::Messages(read.collect::<Result<_, _>>()?))
    }
}

fn read_message(
    position: usize,
    message: &serde_json::Value,
) -> Result<CanvasMessage, CanvasRenderError> {
    let invalid = |reason: String| CanvasRenderError::Message { position, reason };
    let value =
        json::Value::parse(&message.to_string()).map_err(|error| invalid(error.to_string()))?;
    let conversation = value
        .get("conversationId")
        .and_then(json::Value::as_str)
        .unwrap_or(NO_CONVERSATION)
        .to_owned();
    match canvas::check(value, &conversation) {
        Ok(checked) => Ok(checked.message),
        Err(refused) => Err(invalid(
            refused
                .errors
                .first()
                .map(|error| format!("{}: {}", error.path, error.message))
                .unwrap_or_default(),
        )),
    }
}
