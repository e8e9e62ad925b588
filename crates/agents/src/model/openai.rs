//! OpenAI chat completions, and other servers that speak the same protocol.

use json::{Map, Value};

use super::error::{ModelError, provider_message};
use super::name::ModelName;
use super::provider::{AnswerFraming, DeltaDecoder, ProviderAdapter};
use super::request::{
    AssistantPart, ModelDelta, ModelMessage, ModelRequest, ModelStop, ModelUsage,
};

/// Adapter for chat completions.
pub(super) struct OpenAiAdapter {
    pub(super) model: ModelName,
    /// True for OpenAI itself, whose newer models reject the older name of the output limit.
    pub(super) is_official: bool,
}

impl ProviderAdapter for OpenAiAdapter {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        key.map(|key| ("Authorization".to_owned(), format!("Bearer {key}")))
            .into_iter()
            .collect()
    }

    fn framing(&self) -> AnswerFraming {
        AnswerFraming::Sse
    }

    fn write_request(&self, request: &ModelRequest) -> String {
        let mut body = Map::new();
        let mut set = |key: &str, value: Value| {
            body.insert(key.to_owned(), value);
        };
        let limit = match self.is_official {
            true => "max_completion_tokens",
            false => "max_tokens",
        };
        set("model", self.model.model.as_str().into());
        set("stream", true.into());
        set(
            "stream_options",
            Value::from([("include_usage", true.into())]),
        );
        set(limit, Value::from(i64::from(request.max_output_tokens)));
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                let function = Value::from([
                    ("name", tool.name.as_str().into()),
                    ("description", tool.description.as_str().into()),
                    ("parameters", tool.parameters.value().into_owned()),
                ]);
                Value::from([("type", "function".into()), ("function", function)])
            });
            set("tools", tools.collect::<Vec<_>>().into());
            if request.forbids_tools {
                set("tool_choice", "none".into());
            }
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
        Box::new(OpenAiDecoder {
            model: self.model.clone(),
            calls: Vec::new(),
            is_stopped: false,
            is_refused: false,
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
            ("tool_call_id", answer.call_id.as_str().into()),
            ("content", answer.content.as_str().into()),
        ]),
        ModelMessage::Assistant(parts) => {
            let (mut text, mut calls) = (String::new(), Vec::new());
            for part in parts {
                match part {
                    AssistantPart::Text(more) => text.push_str(more),
                    AssistantPart::Reasoning { .. } => {}
                    AssistantPart::Call(call) => {
                        let function = Value::from([
                            ("name", call.name.as_str().into()),
                            ("arguments", call.arguments.as_str().into()),
                        ]);
                        calls.push(Value::from([
                            ("id", call.id.as_str().into()),
                            ("type", "function".into()),
                            ("function", function),
                        ]));
                    }
                }
            }
            let mut written = Map::new();
            written.insert("role".to_owned(), "assistant".into());
            let content = match text.is_empty() && !calls.is_empty() {
                true => Value::Null,
                false => text.into(),
            };
            written.insert("content".to_owned(), content);
            if !calls.is_empty() {
                written.insert("tool_calls".to_owned(), calls.into());
            }
            Value::Object(written)
        }
    }
}

/// Tool call that is being received.
struct StreamedCall {
    /// Index that the server gives it.
    index: Option<i64>,
    id: Option<String>,
}

/// Decoder of one answer.
struct OpenAiDecoder {
    model: ModelName,
    /// Tool calls in the order of their start.
    calls: Vec<StreamedCall>,
    is_stopped: bool,
    is_refused: bool,
    is_complete: bool,
}

impl DeltaDecoder for OpenAiDecoder {
    fn decode(&mut self, data: &str, deltas: &mut Vec<ModelDelta>) -> Result<(), ModelError> {
        if data.trim() == "[DONE]" {
            self.is_complete = true;
            return Ok(());
        }
        let chunk = Value::parse(data).map_err(|error| ModelError::Protocol {
            model: self.model.clone(),
            reason: error.to_string(),
        })?;
        let error = &chunk["error"];
        if *error != Value::Null {
            let words = [
                "server_error",
                "overloaded",
                "rate_limit",
                "timeout",
                "unavailable",
            ];
            let kind = format!("{} {}", error["type"].to_json(), error["code"].to_json());
            return Err(ModelError::Reported {
                model: self.model.clone(),
                message: provider_message(data),
                is_transient: words.iter().any(|word| kind.contains(word))
                    || matches!(error["code"].as_str(), Some("429" | "500" | "502" | "503")),
            });
        }
        self.add_usage(&chunk["usage"], deltas);
        let Some(choice) = chunk["choices"].as_array().and_then(<[Value]>::first) else {
            return Ok(());
        };
        let delta = &choice["delta"];
        let text = |key: &str| delta[key].as_str().filter(|text| !text.is_empty());
        // Two names are in use for reasoning.
        let reasoning = text("reasoning_content").or_else(|| text("reasoning"));
        deltas.extend(reasoning.map(|text| ModelDelta::Reasoning(text.to_owned())));
        deltas.extend(text("content").map(|text| ModelDelta::Text(text.to_owned())));
        if let Some(refusal) = text("refusal") {
            self.is_refused = true;
            deltas.push(ModelDelta::Text(refusal.to_owned()));
        }
        for call in delta["tool_calls"].as_array().unwrap_or_default() {
            self.add_call(call, deltas);
        }
        if let Some(reason) = choice["finish_reason"].as_str()
            && !std::mem::replace(&mut self.is_stopped, true)
        {
            let calls = 0..self.calls.len();
            deltas.extend(calls.map(|index| ModelDelta::CallEnd { index }));
            deltas.push(ModelDelta::Stop(self.stop_reason(reason)));
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        // Some servers end the stream without the mark.
        self.is_complete || self.is_stopped
    }
}

impl OpenAiDecoder {
    fn stop_reason(&self, reason: &str) -> ModelStop {
        match reason {
            "stop" if self.is_refused => ModelStop::Refusal,
            // Some servers report `stop` although they call tools.
            "stop" | "tool_calls" | "function_call" if !self.calls.is_empty() => {
                ModelStop::ToolCalls
            }
            "stop" | "tool_calls" => ModelStop::Complete,
            "length" => ModelStop::OutputLimit,
            "content_filter" => ModelStop::Refusal,
            other => ModelStop::Other(other.to_owned()),
        }
    }

    /// Adds a part of a tool call. Servers differ: some leave out the index, some use one index for several calls with
    /// ids of their own, some repeat the id in every part.
    fn add_call(&mut self, part: &Value, deltas: &mut Vec<ModelDelta>) {
        let index = match &part["index"] {
            Value::Number(number) => number.as_safe_int(),
            _ => None,
        };
        let id = part["id"].as_str().filter(|id| !id.is_empty());
        let function = &part["function"];
        let name = function["name"].as_str().filter(|name| !name.is_empty());
        let known = self.calls.iter().rposition(|call| {
            let same_index = index.is_none() || call.index == index;
            let same_id = id.is_none() || call.id.as_deref() == id;
            same_index && same_id
        });
        // A new name without index and id starts a call as well.
        let starts = known.is_none() || (index.is_none() && id.is_none() && name.is_some());
        let at = match known {
            Some(at) if !starts => at,
            _ => {
                self.calls.push(StreamedCall {
                    index,
                    id: id.map(str::to_owned),
                });
                deltas.push(ModelDelta::CallStart {
                    index: self.calls.len() - 1,
                    id: id.map(str::to_owned),
                    name: name.unwrap_or_default().to_owned(),
                });
                self.calls.len() - 1
            }
        };
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Object(map) => Value::Object(map.clone()).to_json(),
            _ => String::new(),
        };
        if !arguments.is_empty() {
            deltas.push(ModelDelta::CallArguments {
                index: at,
                delta: arguments,
            });
        }
    }

    fn add_usage(&mut self, usage: &Value, deltas: &mut Vec<ModelDelta>) {
        if usage.as_object().is_none() {
            return;
        }
        let count = |value: &Value| match value {
            Value::Number(number) => number.as_safe_int().and_then(|int| u64::try_from(int).ok()),
            _ => None,
        };
        deltas.push(ModelDelta::Usage(ModelUsage {
            input: count(&usage["prompt_tokens"]),
            output: count(&usage["completion_tokens"]),
            reasoning: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
            cached_input: count(&usage["prompt_tokens_details"]["cached_tokens"]),
            cache_write: None,
        }));
    }
}
