//! Events of a run without a model.

use agui::event::{
    StateDelta, StateSnapshot, TextMessageContent, TextMessageEnd, TextMessageStart, TextRole,
    ToolCallArgs, ToolCallEnd, ToolCallResult, ToolCallStart, ToolRole,
};
use agui::model::TextOrParts;
use json::patch::diff;
use json::{Json, Text};

use super::catalogue::CreditError;
use super::offline::OfflineRun;

impl OfflineRun<'_> {
    /// Sends a text line by line.
    pub(super) async fn say(&mut self, text: &str) {
        // Calls before the text belong to a message of their own.
        let message_id = Text::from(self.host.new_id());
        self.message_id = message_id.clone();
        let start = TextMessageStart {
            message_id: message_id.clone(),
            role: Some(TextRole::Assistant),
            name: None,
        };
        self.send(start).await;
        for line in text.split_inclusive('\n') {
            let content = TextMessageContent {
                message_id: message_id.clone(),
                delta: Text::from(line),
            };
            self.send(content).await;
        }
        self.send(TextMessageEnd { message_id }).await;
    }

    pub(super) async fn start_call(&self, name: &str, arguments: &serde_json::Value) -> Text {
        let tool_call_id = Text::from(self.host.new_id());
        let start = ToolCallStart {
            tool_call_id: tool_call_id.clone(),
            tool_call_name: Text::from(name),
            parent_message_id: Some(self.message_id.clone()),
        };
        self.send(start).await;
        let delta = ToolCallArgs {
            tool_call_id: tool_call_id.clone(),
            delta: Text::from(arguments.to_string()),
        };
        self.send(delta).await;
        self.send(ToolCallEnd {
            tool_call_id: tool_call_id.clone(),
        })
        .await;
        tool_call_id
    }

    /// Sends the result of a call and the change of the state. Returns the text of the result or of the failure.
    pub(super) async fn end_call(
        &mut self,
        call: &Text,
        result: Result<String, CreditError>,
    ) -> String {
        let text = result.unwrap_or_else(|CreditError(message)| message);
        let event = ToolCallResult {
            message_id: Text::from(self.host.new_id()),
            tool_call_id: call.clone(),
            content: TextOrParts::Text(Text::from(text.as_str())),
            role: Some(ToolRole::Tool),
        };
        self.send(event).await;
        self.state.write(&self.shared);
        let state = self.shared.value();
        if state != self.sent {
            match self.sent.as_object() {
                Some(_) => {
                    let delta = diff(&self.sent, &state);
                    self.send(StateDelta { delta }).await;
                }
                None => {
                    let snapshot = Json::from(state.clone());
                    self.send(StateSnapshot { snapshot }).await;
                }
            }
            self.sent = state;
        }
        text
    }

    /// Calls a tool of the client, if it offers the tool. The client carries it out after the run.
    pub(super) async fn call_client(&self, name: &str, arguments: &serde_json::Value) {
        if self.input.tools.iter().any(|tool| tool.name == name) {
            self.start_call(name, arguments).await;
        }
    }
}
