//! Inputs for built-in agents: button presses become messages, and descriptions of components are left out.

use agui::model::{Content, FunctionCall, Message, Role, RunAgentInput, ToolCall, ToolCallKind};
use json::{Json, Value};

/// Tool in whose name a model reads a button press.
const ACTION_TOOL: &str = "log_a2ui_event";
/// Property with a button press.
const ACTION: &str = "a2uiAction";
/// Start of the descriptions of contexts that teach a model to make user interfaces. They are longer than most
/// conversations, and built-in agents have their own catalog.
const INTERFACE_CONTEXT: &str = "A2UI ";

/// Adapts the input of a run for a built-in agent. Upstreams get theirs unchanged.
pub(super) fn adapt(input: &mut RunAgentInput) {
    input
        .context
        .retain(|context| !context.description.starts_with(INTERFACE_CONTEXT));
    let Some(mut properties) = input
        .forwarded_props
        .as_ref()
        .map(|all| all.value().into_owned())
    else {
        return;
    };
    let Some(action) = properties
        .as_object_mut()
        .and_then(|members| members.remove(ACTION))
    else {
        return;
    };
    input.forwarded_props = Some(Json::from(properties));
    let press = action.get("userAction").unwrap_or(&action).clone();
    let call = format!("{}-a2ui-action", input.run_id);
    input.messages.push(Message {
        tool_calls: Some(vec![ToolCall {
            id: call.clone(),
            kind: ToolCallKind::Function,
            function: FunctionCall {
                name: ACTION_TOOL.to_owned(),
                arguments: press.to_json(),
            },
            encrypted_value: None,
            metadata: None,
        }]),
        ..Message::new(format!("{call}-call"), Role::Assistant)
    });
    input.messages.push(Message {
        content: Content::Text(describe(&press)),
        tool_call_id: Some(call.clone()),
        ..Message::new(format!("{call}-result"), Role::Tool)
    });
}

/// Describes a button press for a model.
fn describe(press: &Value) -> String {
    let text = |name: &str| press[name].as_str().unwrap_or("?").to_owned();
    let context = match press.get("context") {
        Some(context) => format!(" Context: {}", context.to_json()),
        None => String::new(),
    };
    format!(
        "The user performed the action \"{}\" on the surface \"{}\" (component: {}).{context}",
        text("name"),
        text("surfaceId"),
        text("sourceComponentId"),
    )
}

#[cfg(test)]
mod tests {
    use gateway::RunRequest;

    use super::*;

    #[test]
    fn a_button_press_becomes_a_tool_call_with_its_result() {
        let body = r#"{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"q"}],
            "context":[{"description":"A2UI Component Schema","value":"long"},{"description":"Open document","value":"a"}],
            "forwardedProps":{"tenant":"t1","a2uiAction":{"userAction":{"name":"pressed","surfaceId":"s1","sourceComponentId":"b","context":{"k":"v"}}}}}"#;
        let mut input = RunRequest::read(body.as_bytes(), String::new)
            .expect("an input")
            .input;
        adapt(&mut input);
        let [_, call, result] = input.messages.as_slice() else {
            panic!("{:?}", input.messages);
        };
        let calls = call.tool_calls.as_ref().expect("a call");
        assert_eq!(calls[0].function.name, ACTION_TOOL);
        assert!(calls[0].function.arguments.contains("\"pressed\""));
        assert_eq!(result.tool_call_id.as_deref(), Some(calls[0].id.as_str()));
        assert!(
            matches!(&result.content, Content::Text(text) if text.contains("pressed") && text.contains("s1"))
        );
        let properties = input.forwarded_props.expect("properties").to_json();
        assert_eq!(properties, r#"{"tenant":"t1"}"#);
        assert_eq!(input.context.len(), 1);
    }

    #[test]
    fn other_inputs_stay_as_they_are() {
        let body = r#"{"threadId":"t","runId":"r","messages":[],"forwardedProps":{"tenant":"t1"}}"#;
        let mut input = RunRequest::read(body.as_bytes(), String::new)
            .expect("an input")
            .input;
        let before = input.clone();
        adapt(&mut input);
        assert_eq!(input, before);
    }
}
