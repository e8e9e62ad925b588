//! Anthropic Messages API.

use json::{Map, Value};

use super::error::ModelError;
use super::name::ModelName;
use super::provider::{AnswerFraming, DeltaDecoder, ProviderAdapter};
use super::request::{
    AssistantPart, ModelDelta, ModelMessage, ModelRequest, ModelStop, ModelUsage,
};

/// Version of the API that the adapter speaks.
const VERSION: &str = "2023-06-01";

/// Adapter for the Messages API.
pub(super) struct AnthropicAdapter {
    pub(super) model: ModelName,
}

impl ProviderAdapter for AnthropicAdapter {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        let mut headers = vec![("anthropic-version".to_owned(), VERSION.to_owned())];
        headers.extend(key.map(|key| ("x-api-key".to_owned(), key.to_owned())));
        headers
    }

    fn framing(&self) -> AnswerFraming {
        AnswerFraming::Sse
    }

    fn write_request(&self, request: &ModelRequest) -> String {
        let mut body = Map::new();
        let mut set = |key: &str, value: Value| {
            body.insert(key.to_owned(), value);
        };
        set("model", self.model.model.as_str().into());
        set(
            "max_tokens",
            Value::from(i64::from(request.max_output_tokens)),
        );
        set("stream", true.into());
        if !request.system.is_empty() {
            // The instructions are the same in each step of a run, so the provider may cache them.
            let block = Value::from([
                ("type", "text".into()),
                ("text", request.system.as_str().into()),
                ("cache_control", Value::from([("type", "ephemeral".into())])),
            ]);
            set("system", vec![block].into());
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                Value::from([
                    ("name", tool.name.as_str().into()),
                    ("description", tool.description.as_str().into()),
                    ("input_schema", tool.parameters.value().into_owned()),
                ])
            });
            set("tools", tools.collect::<Vec<_>>().into());
            if request.forbids_tools {
                set("tool_choice", Value::from([("type", "none".into())]));
            }
        }
        set("messages", write_messages(&request.messages).into());
        Value::Object(body).to_json()
    }

    fn decoder(&self) -> Box<dyn DeltaDecoder> {
        Box::new(AnthropicDecoder {
            model: self.model.clone(),
            blocks: Vec::new(),
            calls: 0,
            input: InputCounts::default(),
            is_complete: false,
        })
    }
}

/// Writes the conversation. Messages of one author that follow each other are merged, because roles must alternate.
fn write_messages(messages: &[ModelMessage]) -> Vec<Value> {
    let mut written: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            ModelMessage::User(text) => ("user", vec![text_block(text)]),
            ModelMessage::Assistant(parts) => {
                ("assistant", parts.iter().filter_map(write_part).collect())
            }
            ModelMessage::Tool(answer) => {
                let block = Value::from([
                    ("type", "tool_result".into()),
                    ("tool_use_id", call_id(&answer.call_id).into()),
                    ("content", answer.content.as_str().into()),
                    ("is_error", answer.is_error.into()),
                ]);
                ("user", vec![block])
            }
        };
        let blocks = blocks.into_iter().filter(|block| {
            // Empty text blocks are rejected.
            block["type"].as_str() != Some("text") || block["text"].as_str() != Some("")
        });
        match written.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => written.push((role, blocks.collect())),
        }
    }
    let messages = written.into_iter().filter(|(_, blocks)| !blocks.is_empty());
    messages
        .map(|(role, blocks)| Value::from([("role", role.into()), ("content", blocks.into())]))
        .collect()
}

fn text_block(text: &str) -> Value {
    Value::from([("type", "text".into()), ("text", text.into())])
}

fn write_part(part: &AssistantPart) -> Option<Value> {
    match part {
        AssistantPart::Text(text) => Some(text_block(text)),
        // Reasoning is accepted only with the provider's signature.
        AssistantPart::Reasoning {
            text,
            signature: Some(signature),
        } => Some(Value::from([
            ("type", "thinking".into()),
            ("thinking", text.as_str().into()),
            ("signature", signature.as_str().into()),
        ])),
        AssistantPart::Reasoning { .. } => None,
        AssistantPart::Call(call) => {
            let input = Value::parse(&call.arguments)
                .ok()
                .filter(|input| input.as_object().is_some());
            Some(Value::from([
                ("type", "tool_use".into()),
                ("id", call_id(&call.id).into()),
                ("name", call.name.as_str().into()),
                ("input", input.unwrap_or_else(|| Map::new().into())),
            ]))
        }
    }
}

/// Returns the id of a call with only the characters that the API accepts.
fn call_id(id: &str) -> String {
    let accepted = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    id.chars()
        .map(|c| if accepted(c) { c } else { '_' })
        .collect()
}

/// Kind of a content block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContentBlock {
    /// Text.
    Text,
    /// Reasoning.
    Reasoning,
    /// Tool call with this number.
    Call(usize),
    /// Block of another kind.
    Unknown,
}

/// Input tokens by origin; the API reports them separately.
#[derive(Debug, Clone, Copy, Default)]
struct InputCounts {
    fresh: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
}

/// Decoder of one answer.
struct AnthropicDecoder {
    model: ModelName,
    /// Kinds of the content blocks by index.
    blocks: Vec<ContentBlock>,
    /// Number of tool calls so far.
    calls: usize,
    input: InputCounts,
    is_complete: bool,
}

impl DeltaDecoder for AnthropicDecoder {
    fn decode(&mut self, data: &str, deltas: &mut Vec<ModelDelta>) -> Result<(), ModelError> {
        let event = Value::parse(data).map_err(|error| ModelError::Protocol {
            model: self.model.clone(),
            reason: error.to_string(),
        })?;
        match event["type"].as_str() {
            Some("message_start") => self.add_usage(&event["message"]["usage"], deltas),
            Some("content_block_start") => {
                self.start_block(block_index(&event), &event["content_block"], deltas);
            }
            Some("content_block_delta") => {
                self.add_delta(block_index(&event), &event["delta"], deltas);
            }
            Some("content_block_stop") => {
                if let Some(ContentBlock::Call(index)) = self.blocks.get(block_index(&event)) {
                    deltas.push(ModelDelta::CallEnd { index: *index });
                }
            }
            Some("message_delta") => {
                self.add_usage(&event["usage"], deltas);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    deltas.push(ModelDelta::Stop(stop_reason(reason)));
                }
            }
            Some("message_stop") => self.is_complete = true,
            Some("error") => {
                let kind = event["error"]["type"].as_str().unwrap_or_default();
                return Err(ModelError::Reported {
                    model: self.model.clone(),
                    message: super::error::provider_message(data),
                    is_transient: matches!(
                        kind,
                        "overloaded_error" | "rate_limit_error" | "api_error" | "timeout_error"
                    ),
                });
            }
            // Pings, and events of later versions.
            _ => {}
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}

fn block_index(event: &Value) -> usize {
    count(&event["index"])
        .and_then(|index| usize::try_from(index).ok())
        .unwrap_or(0)
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_safe_int().and_then(|int| u64::try_from(int).ok()),
        _ => None,
    }
}

fn stop_reason(reason: &str) -> ModelStop {
    match reason {
        "end_turn" | "stop_sequence" | "pause_turn" => ModelStop::Complete,
        "tool_use" => ModelStop::ToolCalls,
        "max_tokens" => ModelStop::OutputLimit,
        "model_context_window_exceeded" => ModelStop::ContextLimit,
        "refusal" => ModelStop::Refusal,
        other => ModelStop::Other(other.to_owned()),
    }
}

impl AnthropicDecoder {
    fn start_block(&mut self, at: usize, block: &Value, deltas: &mut Vec<ModelDelta>) {
        let kind = match block["type"].as_str() {
            Some("text") => ContentBlock::Text,
            Some("thinking") => ContentBlock::Reasoning,
            Some("tool_use") => {
                self.calls += 1;
                ContentBlock::Call(self.calls - 1)
            }
            _ => ContentBlock::Unknown,
        };
        // Blocks arrive in order; an index far ahead would only waste memory.
        if at <= self.blocks.len() {
            self.blocks.truncate(at);
            self.blocks.push(kind);
        }
        let text = |key: &str| block[key].as_str().filter(|text| !text.is_empty());
        match kind {
            ContentBlock::Text => {
                deltas.extend(text("text").map(|text| ModelDelta::Text(text.to_owned())));
            }
            ContentBlock::Reasoning => {
                let thinking = text("thinking");
                deltas.extend(thinking.map(|text| ModelDelta::Reasoning(text.to_owned())));
            }
            ContentBlock::Call(index) => {
                deltas.push(ModelDelta::CallStart {
                    index,
                    id: text("id").map(str::to_owned),
                    name: text("name").unwrap_or_default().to_owned(),
                });
                // Some servers send complete arguments at once.
                if let Some(input) = block["input"].as_object().filter(|map| !map.is_empty()) {
                    let delta = Value::Object(input.clone()).to_json();
                    deltas.push(ModelDelta::CallArguments { index, delta });
                }
            }
            ContentBlock::Unknown => {}
        }
    }

    fn add_delta(&mut self, at: usize, delta: &Value, deltas: &mut Vec<ModelDelta>) {
        let text = |key: &str| delta[key].as_str().filter(|text| !text.is_empty());
        let block = self.blocks.get(at).copied();
        deltas.extend(match (delta["type"].as_str(), block) {
            (Some("text_delta"), _) => text("text").map(|text| ModelDelta::Text(text.to_owned())),
            (Some("thinking_delta"), _) => {
                text("thinking").map(|text| ModelDelta::Reasoning(text.to_owned()))
            }
            (Some("signature_delta"), _) => {
                text("signature").map(|text| ModelDelta::ReasoningSignature(text.to_owned()))
            }
            (Some("input_json_delta"), Some(ContentBlock::Call(index))) => text("partial_json")
                .map(|text| ModelDelta::CallArguments {
                    index,
                    delta: text.to_owned(),
                }),
            _ => None,
        });
    }

    fn add_usage(&mut self, usage: &Value, deltas: &mut Vec<ModelDelta>) {
        if usage.as_object().is_none() {
            return;
        }
        let input = &mut self.input;
        input.fresh = count(&usage["input_tokens"]).or(input.fresh);
        input.cache_read = count(&usage["cache_read_input_tokens"]).or(input.cache_read);
        input.cache_write = count(&usage["cache_creation_input_tokens"]).or(input.cache_write);
        let all = [input.fresh, input.cache_read, input.cache_write];
        deltas.push(ModelDelta::Usage(ModelUsage {
            input: input.fresh.map(|_| all.iter().flatten().sum()),
            output: count(&usage["output_tokens"]),
            reasoning: None,
            cached_input: input.cache_read,
            cache_write: input.cache_write,
        }));
    }
}
