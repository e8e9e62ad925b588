//! Ollama's own chat API, which answers with one JSON object per line.

use json::{Map, Value};

use super::error::{ModelError, provider_message};
use super::name::ModelName;
use super::provider::{AnswerFraming, DeltaDecoder, ProviderAdapter};
use super::request::{
    AssistantPart, ModelDelta, ModelMessage, ModelRequest, ModelStop, ModelUsage,
};

/// Adapter for Ollama.
pub(super) struct OllamaAdapter {
    pub(super) model: ModelName,
}

impl ProviderAdapter for OllamaAdapter {
    fn path(&self) -> &'static str {
        "/api/chat"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        key.map(|key| ("Authorization".to_owned(), format!("Bearer {key}")))
            .into_iter()
            .collect()
    }

    fn framing(&self) -> AnswerFraming {
        AnswerFraming::JsonLines
    }

    fn write_request(&self, request: &ModelRequest) -> String {
        let mut body = Map::new();
        let mut set = |key: &str, value: Value| {
            body.insert(key.to_owned(), value);
        };
        set("model", self.model.model.as_str().into());
        set("stream", true.into());
        let limit = Value::from(i64::from(request.max_output_tokens));
        set("options", Value::from([("num_predict", limit)]));
        // The API cannot forbid calls, so the tools are left out instead.
        if !request.tools.is_empty() && !request.forbids_tools {
            let tools = request.tools.iter().map(|tool| {
                let function = Value::from([
                    ("name", tool.name.as_str().into()),
                    ("description", tool.description.as_str().into()),
                    ("parameters", tool.parameters.value().into_owned()),
                ]);
                Value::from([("type", "function".into()), ("function", function)])
            });
            set("tools", tools.collect::<Vec<_>>().into());
        }
        let mut messages = Vec::new();
        if !request.system.is_empty() {
            messages.push(text_message("system", &request.system));
        }
        messages.extend(request.messages.iter().map(write_message));
        set("messages", messages.into());
        Value::Object(body).to_json()
    }

    fn decoder(&self) -> Box<dyn DeltaDecoder> {
        Box::new(OllamaDecoder {
            model: self.model.clone(),
            calls: 0,
            is_complete: false,
        })
    }
}

fn text_message(role: &str, text: &str) -> Value {
    Value::from([("role", role.into()), ("content", text.into())])
}

fn write_message(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::User(text) => text_message("user", text),
        ModelMessage::Tool(answer) => Value::from([
            ("role", "tool".into()),
            ("tool_name", answer.name.as_str().into()),
            ("content", answer.content.as_str().into()),
        ]),
        ModelMessage::Assistant(parts) => {
            let (mut text, mut calls) = (String::new(), Vec::new());
            for part in parts {
                match part {
                    AssistantPart::Text(more) => text.push_str(more),
                    AssistantPart::Reasoning { .. } => {}
                    AssistantPart::Call(call) => {
                        let arguments = Value::parse(&call.arguments).ok();
                        let arguments = arguments.filter(|value| value.as_object().is_some());
                        let function = Value::from([
                            ("name", call.name.as_str().into()),
                            ("arguments", arguments.unwrap_or_else(|| Map::new().into())),
                        ]);
                        calls.push(Value::from([("function", function)]));
                    }
                }
            }
            let mut written = text_message("assistant", &text);
            if let (Some(map), false) = (written.as_object_mut(), calls.is_empty()) {
                map.insert("tool_calls".to_owned(), calls.into());
            }
            written
        }
    }
}

/// Decoder of one answer.
struct OllamaDecoder {
    model: ModelName,
    /// Number of tool calls so far.
    calls: usize,
    is_complete: bool,
}

impl DeltaDecoder for OllamaDecoder {
    fn decode(&mut self, data: &str, deltas: &mut Vec<ModelDelta>) -> Result<(), ModelError> {
        let line = Value::parse(data).map_err(|error| ModelError::Protocol {
            model: self.model.clone(),
            reason: error.to_string(),
        })?;
        if line["error"] != Value::Null {
            let message = provider_message(data);
            return Err(ModelError::Reported {
                model: self.model.clone(),
                is_transient: message.contains("overloaded") || message.contains("busy"),
                message,
            });
        }
        let message = &line["message"];
        let text = |key: &str| message[key].as_str().filter(|text| !text.is_empty());
        deltas.extend(text("thinking").map(|text| ModelDelta::Reasoning(text.to_owned())));
        deltas.extend(text("content").map(|text| ModelDelta::Text(text.to_owned())));
        for call in message["tool_calls"].as_array().unwrap_or_default() {
            let (index, function) = (self.calls, &call["function"]);
            self.calls += 1;
            deltas.push(ModelDelta::CallStart {
                index,
                id: call["id"].as_str().map(str::to_owned),
                name: function["name"].as_str().unwrap_or_default().to_owned(),
            });
            let delta = match &function["arguments"] {
                Value::String(text) => text.clone(),
                Value::Null => "{}".to_owned(),
                arguments => arguments.to_json(),
            };
            deltas.push(ModelDelta::CallArguments { index, delta });
            deltas.push(ModelDelta::CallEnd { index });
        }
        if line["done"] == Value::Bool(true) {
            let count = |value: &Value| match value {
                Value::Number(number) => {
                    number.as_safe_int().and_then(|int| u64::try_from(int).ok())
                }
                _ => None,
            };
            deltas.push(ModelDelta::Usage(ModelUsage {
                input: count(&line["prompt_eval_count"]),
                output: count(&line["eval_count"]),
                ..ModelUsage::default()
            }));
            deltas.push(ModelDelta::Stop(match line["done_reason"].as_str() {
                Some("length") => ModelStop::OutputLimit,
                _ if self.calls > 0 => ModelStop::ToolCalls,
                None | Some("stop") => ModelStop::Complete,
                Some(other) => ModelStop::Other(other.to_owned()),
            }));
            self.is_complete = true;
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }
}
