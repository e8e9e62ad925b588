//! The messages of an input: one message, a list, an object with `messages`, or JSON Lines.

use serde_json::Value;

use crate::A2uiProblem;

/// A message and the JSON Pointer that leads to it from the root of the input.
pub(crate) type LocatedMessage = (String, Value);

/// Divides an input into its messages.
///
/// # Errors
///
/// The first line or value that is not JSON.
pub fn split_messages(input: &str) -> Result<Vec<(String, Value)>, A2uiProblem> {
    match serde_json::from_str::<Value>(input) {
        Ok(Value::Array(messages)) => Ok(number("", messages)),
        Ok(Value::Object(mut object)) if is_wrapper(&object) => match object.remove("messages") {
            Some(Value::Array(messages)) => Ok(number("/messages", messages)),
            _ => Ok(vec![(String::new(), Value::Object(object))]),
        },
        Ok(message) => Ok(vec![(String::new(), message)]),
        Err(whole) => split_lines(input).map_err(|(line, error)| {
            let reason = if line == 0 { whole } else { error };
            A2uiProblem::new("", "not_json", format!("the input is not JSON: {reason}"))
        }),
    }
}

fn is_wrapper(object: &serde_json::Map<String, Value>) -> bool {
    !object.contains_key("version") && object.get("messages").is_some_and(Value::is_array)
}

fn number(prefix: &str, messages: Vec<Value>) -> Vec<LocatedMessage> {
    let locate = |(index, message)| (format!("{prefix}/{index}"), message);
    messages.into_iter().enumerate().map(locate).collect()
}

fn split_lines(input: &str) -> Result<Vec<LocatedMessage>, (usize, serde_json::Error)> {
    let lines = input.lines().filter(|line| !line.trim().is_empty());
    let parse = |(index, line)| serde_json::from_str(line).map_err(|error| (index, error));
    Ok(number(
        "",
        lines.enumerate().map(parse).collect::<Result<_, _>>()?,
    ))
}
