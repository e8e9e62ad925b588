//! Conversation as a model reads it: complete calls, recent turns in full, older turns summarised.

use std::collections::HashMap;

use agui::model::{Content, ContentPart, Message, PartBody, Role};

use crate::model::{AssistantPart, ModelMessage, ModelToolCall, ToolAnswer};

/// Limit on the summary of one old question or answer, in characters.
const SUMMARY_PART: usize = 240;
/// Limit on the summary of all old turns, in characters.
const MAX_SUMMARY: usize = 6_000;
/// Limit on the result of one tool call, in characters.
const MAX_TOOL_RESULT: usize = 24_000;

/// Returns the conversation for the model. A call without a result gets one that says so.
pub(super) fn model_messages(messages: &[Message], budget: usize) -> Vec<ModelMessage> {
    let mut converted = convert(messages);
    merge_assistant_parts(&mut converted);
    bound(converted, budget)
}

fn convert(messages: &[Message]) -> Vec<ModelMessage> {
    let answers = tool_answers(messages);
    let mut converted = Vec::new();
    for message in messages {
        match message.role {
            Role::User => converted.push(ModelMessage::User(text_of(&message.content))),
            Role::Reasoning => {
                let reasoning = AssistantPart::Reasoning {
                    text: text_of(&message.content),
                    signature: message.encrypted_value.clone(),
                };
                converted.push(ModelMessage::Assistant(vec![reasoning]));
            }
            Role::Assistant => {
                let mut parts = Vec::new();
                let text = text_of(&message.content);
                if !text.is_empty() {
                    parts.push(AssistantPart::Text(text));
                }
                let calls = message.tool_calls().iter();
                parts.extend(calls.map(|call| {
                    AssistantPart::Call(ModelToolCall {
                        id: call.id.clone(),
                        name: call.function.name.clone(),
                        arguments: call.function.arguments.clone(),
                    })
                }));
                if !parts.is_empty() {
                    converted.push(ModelMessage::Assistant(parts));
                }
                // A result directly follows its call, wherever the client put it.
                for call in message.tool_calls() {
                    let (content, is_error) = match answers.get(call.id.as_str()) {
                        Some(answer) => answer.clone(),
                        None => ("The call was not answered.".to_owned(), true),
                    };
                    converted.push(ModelMessage::Tool(ToolAnswer {
                        call_id: call.id.clone(),
                        name: call.function.name.clone(),
                        content,
                        is_error,
                    }));
                }
            }
            Role::System | Role::Developer | Role::Tool | Role::Activity => {}
        }
    }
    converted
}

/// Returns content and failure of every tool message by the id of its call.
fn tool_answers(messages: &[Message]) -> HashMap<&str, (String, bool)> {
    let tools = messages.iter().filter(|message| message.role == Role::Tool);
    tools
        .filter_map(|message| {
            let id = message.tool_call_id.as_deref()?;
            let answer = match &message.error {
                Some(error) => (error.clone(), true),
                None => (clip(&text_of(&message.content), MAX_TOOL_RESULT), false),
            };
            Some((id, answer))
        })
        .collect()
}

/// Returns the text of a message; other parts are named.
pub(crate) fn text_of(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => {
            let texts = parts.iter().map(|part: &ContentPart| match &part.body {
                PartBody::Text(text) => text.clone(),
                PartBody::Media(kind, _) => {
                    format!("[{} that the model cannot see]", kind.as_str())
                }
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Content::Absent | Content::Activity(_) => String::new(),
    }
}

/// Joins neighbouring answers, because providers expect one message between two of the user.
fn merge_assistant_parts(messages: &mut Vec<ModelMessage>) {
    let mut merged: Vec<ModelMessage> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        match (message, merged.last_mut()) {
            (ModelMessage::Assistant(parts), Some(ModelMessage::Assistant(before))) => {
                before.extend(parts);
            }
            (message, _) => merged.push(message),
        }
    }
    *messages = merged;
}

/// Keeps the newest turns within the budget and replaces the older ones by a summary.
fn bound(messages: Vec<ModelMessage>, budget: usize) -> Vec<ModelMessage> {
    let sizes: Vec<usize> = messages.iter().map(size_of).collect();
    if sizes.iter().sum::<usize>() <= budget {
        return messages;
    }
    // The last turn always stays; a turn begins with a message of the user.
    let starts = messages.iter().enumerate();
    let starts: Vec<usize> = starts
        .filter(|(_, message)| matches!(message, ModelMessage::User(_)))
        .map(|(at, _)| at)
        .collect();
    let mut kept = starts.last().copied().unwrap_or(0);
    let mut total: usize = sizes[kept..].iter().sum();
    for start in starts.iter().rev().skip(1) {
        let more: usize = sizes[*start..kept].iter().sum();
        if total + more > budget {
            break;
        }
        (kept, total) = (*start, total + more);
    }
    let mut bounded = Vec::new();
    if kept > 0 {
        bounded.push(ModelMessage::User(summarise(&messages[..kept])));
        let noted = "I have read the summary.".to_owned();
        bounded.push(ModelMessage::Assistant(vec![AssistantPart::Text(noted)]));
    }
    let newest = messages.into_iter().skip(kept);
    bounded.extend(newest.map(|message| match message {
        ModelMessage::User(text) => ModelMessage::User(clip(&text, budget)),
        other => other,
    }));
    bounded
}

fn size_of(message: &ModelMessage) -> usize {
    match message {
        ModelMessage::User(text) => text.len(),
        ModelMessage::Tool(answer) => answer.content.len(),
        ModelMessage::Assistant(parts) => parts
            .iter()
            .map(|part| match part {
                AssistantPart::Text(text) | AssistantPart::Reasoning { text, .. } => text.len(),
                AssistantPart::Call(call) => call.arguments.len(),
            })
            .sum(),
    }
}

/// Returns one line for each old question and answer, the newest ones if there are too many.
fn summarise(messages: &[ModelMessage]) -> String {
    let lines = messages.iter().rev().filter_map(|message| match message {
        ModelMessage::User(text) => Some(format!("User: {}", clip(text, SUMMARY_PART))),
        ModelMessage::Assistant(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                AssistantPart::Text(text) => Some(text.as_str()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join(" ");
            (!text.is_empty()).then(|| format!("You: {}", clip(&text, SUMMARY_PART)))
        }
        ModelMessage::Tool(_) => None,
    });
    let mut kept = Vec::new();
    let (mut size, mut left_out) = (0, 0);
    for line in lines {
        size += line.len();
        match size <= MAX_SUMMARY {
            true => kept.push(line),
            false => left_out += 1,
        }
    }
    kept.reverse();
    let older = match left_out {
        0 => String::new(),
        count => format!(" {count} older messages are left out."),
    };
    let heading = format!("Summary of the earlier conversation.{older}");
    format!("{heading}\n{}", kept.join("\n"))
}

/// Returns the beginning of a text, with a note if it was cut.
pub(super) fn clip(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{} […]", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, text: &str) -> Message {
        Message {
            content: Content::Text(text.to_owned()),
            ..Message::new("m", role)
        }
    }

    #[test]
    fn every_call_has_exactly_one_result_behind_it() {
        let json = r#"[{"id":"1","role":"user","content":"q"},
            {"id":"2","role":"assistant","toolCalls":[
              {"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},
              {"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]},
            {"id":"3","role":"tool","content":"of nothing","toolCallId":"zzz"},
            {"id":"4","role":"user","content":"and?"},
            {"id":"5","role":"tool","content":"late","toolCallId":"a"}]"#;
        let messages = Message::list_from_json(json).expect("messages");
        let read = model_messages(&messages, 1_000);
        let results: Vec<(&str, &str, bool)> = read
            .iter()
            .filter_map(|message| match message {
                ModelMessage::Tool(answer) => Some((
                    answer.call_id.as_str(),
                    answer.content.as_str(),
                    answer.is_error,
                )),
                _ => None,
            })
            .collect();
        assert_eq!(
            results,
            [
                ("a", "late", false),
                ("b", "The call was not answered.", true)
            ]
        );
        assert!(matches!(read.last(), Some(ModelMessage::User(text)) if text == "and?"));
    }

    #[test]
    fn old_turns_are_summarised_and_the_newest_stay() {
        let mut messages = Vec::new();
        for at in 0..200 {
            messages.push(message(
                Role::User,
                &format!("question {at} {}", "x".repeat(300)),
            ));
            messages.push(message(Role::Assistant, &format!("answer {at}")));
        }
        messages.push(message(Role::User, "the last question"));
        let read = model_messages(&messages, 2_000);
        let total: usize = read.iter().map(size_of).sum();
        assert!(total < 2_000 + MAX_SUMMARY + 500, "{total}");
        let Some(ModelMessage::User(summary)) = read.first() else {
            panic!("no summary: {read:?}");
        };
        assert!(summary.starts_with("Summary of the earlier conversation."));
        assert!(summary.contains("older messages are left out"));
        assert!(summary.contains("You: answer 19"));
        assert!(
            matches!(read.last(), Some(ModelMessage::User(text)) if text == "the last question")
        );
    }

    #[test]
    fn short_conversations_are_unchanged() {
        let messages = [message(Role::User, "a"), message(Role::Assistant, "b")];
        let read = model_messages(&messages, 10);
        assert_eq!(
            read,
            [
                ModelMessage::User("a".to_owned()),
                ModelMessage::Assistant(vec![AssistantPart::Text("b".to_owned())])
            ]
        );
    }
}
