//! Canvas tools: the messages and components of the canvas as tools of a model.

use agui::Event;
use canvas::CanvasTool;
use json::{Json, Value};

use crate::tool::{Tool, ToolContext, ToolError};

/// Returns the tools with which a model shows components, suggests actions and asks for context, in the name of an
/// agent.
pub fn canvas_tools(agent: &str) -> Vec<Tool> {
    let tools = canvas::canvas_tools().iter();
    tools.map(|tool| canvas_tool(tool, agent)).collect()
}

fn canvas_tool(tool: &'static CanvasTool, agent: &str) -> Tool {
    let agent = agent.to_owned();
    let parameters = Json::from_valid_text(tool.parameters.to_string());
    let send = move |arguments: Value, context: ToolContext| {
        let sent = send_message(tool, arguments, &agent, &context);
        async move { sent }
    };
    Tool::with_schema(tool.name, tool.description.clone(), parameters, send)
}

/// Sends a message. Its errors name each wrong field, so that the model can repair it.
fn send_message(
    tool: &CanvasTool,
    arguments: Value,
    agent: &str,
    context: &ToolContext,
) -> Result<String, ToolError> {
    let checked = tool
        .message(arguments, agent, &context.thread_id)
        .map_err(|invalid| ToolError::Failed(format!("Not shown. {invalid}")))?;
    let id = format!("canvas-{}", context.call_id);
    let message = checked.message;
    let envelope = message.to_envelope(&id, &context.thread_id, context.now);
    let events: Vec<Event> = canvas::to_events(&message, &id, &envelope);
    context.outbox.extend(events);
    Ok(message.sent_note().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{EventOutbox, SharedState};

    fn context(outbox: &EventOutbox) -> ToolContext {
        ToolContext {
            call_id: "c".to_owned(),
            thread_id: "t".to_owned(),
            run_id: "r".to_owned(),
            now: 7,
            state: SharedState::default(),
            outbox: outbox.clone(),
        }
    }

    fn tool(name: &str) -> Tool {
        let tools = canvas_tools("sales");
        let found = tools.into_iter().find(|tool| tool.name() == name);
        found.expect("a tool")
    }

    #[tokio::test]
    async fn a_valid_component_becomes_events() {
        let outbox = EventOutbox::default();
        let arguments = r#"{"component":"list","data":{"title":"T","items":[{"label":"a"}]}}"#;
        let called = tool("send_ui").start(arguments, context(&outbox));
        assert_eq!(
            called.expect("valid").await.as_deref(),
            Ok("Shown to the person.")
        );
        let events = outbox.take();
        assert_eq!(events[0].kind().as_str(), "ACTIVITY_SNAPSHOT");
        let json = events[0].to_json();
        assert!(
            json.contains(r#""agentId":"sales""#) && json.contains(r#""id":"canvas-c""#),
            "{json}"
        );
        assert!(outbox.take().is_empty());
    }

    #[tokio::test]
    async fn the_errors_of_a_component_go_back_to_the_model() {
        let outbox = EventOutbox::default();
        let arguments = r#"{"component":"list","data":{"title":"T","items":[{"name":"a"}]}}"#;
        let called = tool("send_ui")
            .start(arguments, context(&outbox))
            .expect("an object");
        let error = called.await.expect_err("not valid").to_string();
        assert!(error.contains("/payload/data/items/0/label"), "{error}");
        assert!(outbox.take().is_empty());
        assert!(tool("send_ui").start("[", context(&outbox)).is_err());
    }
}
