//! Validation of a run's input, by clients before sending and by servers on receipt.

use crate::compat::upgrade_input;
use crate::model::RunAgentInput;
use json::typed::{SchemaFault, drop_optional_nulls_of, read_value};
use json::{JsonError, Map, Value};

/// Valid input and the paths that were removed from it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedInput {
    /// Valid input.
    pub input: RunAgentInput,
    /// Paths of removed members and items, which the protocol does not describe.
    pub removed: Vec<String>,
}

/// Upgrades legacy forms, removes optional nulls and unknown members, and checks the rest.
pub fn check_input(mut members: Map) -> Result<CheckedInput, Vec<SchemaFault>> {
    drop_optional_nulls_of::<RunAgentInput>(&mut members);
    upgrade_input(&mut members);
    for list in ["tools", "context"] {
        if !members.contains(list) {
            members.insert(list.to_owned(), Value::Array(Vec::new()));
        }
    }
    let mut removed = Vec::new();
    let input = read_value(Value::Object(members), |path| removed.push(path))?;
    Ok(CheckedInput { input, removed })
}

/// Error of a request body that is not an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Empty body.
    #[error("the body is empty: send a RunAgentInput as JSON, at least {{\"messages\":[…]}}")]
    Empty,
    /// Body that is not UTF-8.
    #[error("the body is not UTF-8: byte {offset} is not valid")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        offset: usize,
    },
    /// Body that is not JSON.
    #[error("the body is not JSON: {} at line {line}, column {column}", .error.reason)]
    NotJson {
        /// Syntax error.
        error: JsonError,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// JSON that is not an object.
    #[error("the body must be a JSON object, a RunAgentInput, not {found}")]
    NotAnObject {
        /// Kind of the JSON value.
        found: &'static str,
    },
    /// Members with wrong values, at least one.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<SchemaFault>),
}

/// Reads the body of a request. `new_id` creates missing ids of the thread, the run and messages;
/// tools and context may be missing as well, so `{"messages":[…]}` is enough.
pub fn read_request(
    body: &[u8],
    mut new_id: impl FnMut() -> String,
) -> Result<CheckedInput, RequestError> {
    let text = std::str::from_utf8(body).map_err(|error| RequestError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(RequestError::Empty);
    }
    let value = Value::parse(text).map_err(|error| not_json(text, error))?;
    let mut members = match value {
        Value::Object(members) => members,
        other => {
            return Err(RequestError::NotAnObject {
                found: kind_of(&other),
            });
        }
    };
    rename_snake_case(&mut members);
    fill_missing_ids(&mut members, &mut new_id);
    check_input(members).map_err(RequestError::Invalid)
}

/// Names of members in snake case, as some Python clients write them, and in the protocol.
const SNAKE_CASE: [(&str, &str); 11] = [
    ("thread_id", "threadId"),
    ("run_id", "runId"),
    ("protocol_version", "protocolVersion"),
    ("parent_run_id", "parentRunId"),
    ("parent_thread_id", "parentThreadId"),
    ("forwarded_props", "forwardedProps"),
    ("tool_calls", "toolCalls"),
    ("tool_call_id", "toolCallId"),
    ("encrypted_value", "encryptedValue"),
    ("interrupt_id", "interruptId"),
    ("mime_type", "mimeType"),
];

/// Renames members of an input that are written in snake case. A member that is also there in camel
/// case is left as it is: the camel case counts. State, properties, metadata and arguments belong to
/// the program and are not touched.
pub fn rename_snake_case(input: &mut Map) {
    rename(input);
    for item in objects(input, "resume") {
        rename(item);
    }
    for message in objects(input, "messages") {
        rename(message);
        for call in objects(message, "toolCalls") {
            rename(call);
        }
        for part in objects(message, "content") {
            rename(part);
            if let Some(Value::Object(source)) = part.get_mut("source") {
                rename(source);
            }
        }
    }
}

fn rename(members: &mut Map) {
    for (snake, camel) in SNAKE_CASE {
        if !members.contains(camel)
            && let Some(value) = members.remove(snake)
        {
            members.insert(camel.to_owned(), value);
        }
    }
}

/// Returns the objects of a list.
fn objects<'m>(members: &'m mut Map, list: &str) -> impl Iterator<Item = &'m mut Map> {
    let items = match members.get_mut(list) {
        Some(Value::Array(items)) => items.as_mut_slice(),
        _ => &mut [],
    };
    items.iter_mut().filter_map(Value::as_object_mut)
}

/// Adds the ids that a client may leave to the server.
fn fill_missing_ids(members: &mut Map, new_id: &mut impl FnMut() -> String) {
    let mut fill = |members: &mut Map, key: &str| {
        if matches!(members.get(key), None | Some(Value::Null)) {
            members.insert(key.to_owned(), new_id().into());
        }
    };
    fill(members, "threadId");
    fill(members, "runId");
    if let Some(Value::Array(messages)) = members.get_mut("messages") {
        for message in messages.iter_mut().filter_map(Value::as_object_mut) {
            fill(message, "id");
        }
    }
}

fn not_json(text: &str, error: JsonError) -> RequestError {
    let before = text.get(..error.offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    RequestError::NotJson {
        error,
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<CheckedInput, RequestError> {
        let mut count = 0;
        read_request(body.as_bytes(), || {
            count += 1;
            format!("new-{count}")
        })
    }

    #[test]
    fn a_body_with_only_messages_is_completed() {
        let read = read(r#"{"messages":[{"role":"user","content":"q"}]}"#).expect("complete");
        assert_eq!(
            read.input.to_json(),
            r#"{"threadId":"new-1","runId":"new-2","messages":[{"id":"new-3","role":"user","content":"q"}],"tools":[],"context":[]}"#
        );
    }

    #[test]
    fn given_ids_stay_even_if_empty() {
        let read = read(
            r#"{"threadId":"","runId":"r","messages":[{"id":"","role":"user","content":""}]}"#,
        )
        .expect("legal");
        assert_eq!((&*read.input.thread_id, &*read.input.run_id), ("", "r"));
        assert_eq!(read.input.messages[0].id, "");
    }

    #[test]
    fn errors_say_which_field_and_why() {
        for (body, says) in [
            ("", "the body is empty"),
            ("  \n", "the body is empty"),
            ("[]", "must be a JSON object, a RunAgentInput, not an array"),
            ("{\n  \"messages\": [,]\n}", "at line 2, column 16"),
            ("{}", "/messages: expected an array"),
            (r#"{"messages":{}}"#, "/messages: expected an array"),
            (
                r#"{"messages":[{"role":"user","content":5}]}"#,
                "/messages/0/content: expected a string or valid content parts",
            ),
            (
                r#"{"messages":[],"tools":[{"name":"f"}],"runId":7}"#,
                "/runId: expected a string; invalid value at /tools/0/description: expected a string",
            ),
        ] {
            let error = read(body).expect_err(body).to_string();
            assert!(error.contains(says), "{body}: {error}");
        }
        let error = read_request(b"{\"messages\":\xff}", String::new).expect_err("no UTF-8");
        assert_eq!(error, RequestError::NotUtf8 { offset: 12 });
    }

    #[test]
    fn members_may_be_written_in_snake_case() {
        let read = read(
            r#"{"thread_id":"t","run_id":"r","forwarded_props":{"my_key":1},"state":{"run_id":1},"messages":[
            {"id":"a","role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"encrypted_value":"e"}]},
            {"id":"b","role":"tool","tool_call_id":"c","content":"done"},
            {"id":"d","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mime_type":"image/png"}}]}]}"#,
        )
        .expect("an input");
        assert_eq!(read.removed, Vec::<String>::new());
        assert_eq!(
            read.input.to_json(),
            r#"{"threadId":"t","runId":"r","state":{"run_id":1},"messages":[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"encryptedValue":"e"}]},{"id":"b","role":"tool","content":"done","toolCallId":"c"},{"id":"d","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}]}],"tools":[],"context":[],"forwardedProps":{"my_key":1}}"#
        );
    }

    #[test]
    fn camel_case_wins_over_snake_case() {
        let read = read(r#"{"thread_id":"snake","threadId":"camel","runId":"r","messages":[]}"#)
            .expect("an input");
        assert_eq!(read.input.thread_id, "camel");
        assert_eq!(read.removed, ["/thread_id"]);
    }

    #[test]
    fn unknown_members_are_left_out_and_named() {
        let read = read(r#"{"messages":[{"role":"user","content":"q","mood":"good"}],"x":1}"#)
            .expect("stripped");
        assert_eq!(read.removed, ["/messages/0/mood", "/x"]);
    }
}
