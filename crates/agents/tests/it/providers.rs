//! Answers of the three providers, written by hand after their public documentation.

use std::sync::Arc;

use agents::model::{
    AssistantPart, ModelDelta, ModelMessage, ModelRequest, ModelStop, ModelToolCall, ModelUsage,
    ToolAnswer, ToolDefinition,
};
use json::{Json, Value};

use crate::replay_server::{ReplayServer, ReplayedAnswer, question, read_answer};

/// Reasoning, text and two parallel calls.
const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-haiku-4-5","stop_reason":null,"usage":{"input_tokens":20,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Ich prüfe 日本"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"search","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"quay\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"list","input":{}}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}

event: message_stop
data: {"type":"message_stop"}

"#;

/// Reasoning, text and two interleaved calls, then usage without a choice.
const OPENAI: &str = r#"data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"content":"Ich prüfe 日本"},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"search","arguments":""}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"query\":"}},{"index":1,"id":"call_b","type":"function","function":{"name":"list","arguments":"{}"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"quay\"}"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":27,"completion_tokens":30,"total_tokens":57,"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":4}}}

data: [DONE]

"#;

const OLLAMA: &str = r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}
{"model":"m","message":{"role":"assistant","content":"Ich prüfe 日本"},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"search","arguments":{"query":"quay"}}},{"function":{"name":"list","arguments":{}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":27,"eval_count":30}
"#;

/// Joins the deltas of one kind, so that answers of different providers can be compared.
fn summarise(deltas: &[ModelDelta]) -> (String, String, Vec<(String, String)>, ModelUsage) {
    let (mut text, mut reasoning) = (String::new(), String::new());
    let (mut calls, mut usage) = (Vec::new(), ModelUsage::default());
    for delta in deltas {
        match delta {
            ModelDelta::Text(more) => text.push_str(more),
            ModelDelta::Reasoning(more) => reasoning.push_str(more),
            ModelDelta::CallStart { name, .. } => calls.push((name.clone(), String::new())),
            ModelDelta::CallArguments { index, delta } => calls[*index].1.push_str(delta),
            ModelDelta::Usage(later) => usage.update(later),
            _ => {}
        }
    }
    (text, reasoning, calls, usage)
}

#[tokio::test]
async fn answers_are_the_same_for_any_cut_and_provider() {
    for (name, body, arguments) in [
        ("anthropic:m", ANTHROPIC, ""),
        ("openai:m", OPENAI, "{}"),
        ("ollama:m", OLLAMA, "{}"),
    ] {
        let sizes = [1, 2, 3, 5, 7, 64, usize::MAX];
        let answers = sizes.map(|size| ReplayedAnswer::stream(body).in_pieces(size));
        let server = ReplayServer::start(answers.into()).await;
        let mut first = None;
        for size in sizes {
            let (deltas, error) = read_answer(name, &server, question("?")).await;
            assert!(error.is_none(), "{name}, pieces of {size}: {error:?}");
            let (text, reasoning, calls, usage) = summarise(&deltas);
            assert_eq!(
                (text.as_str(), reasoning.as_str()),
                ("Ich prüfe 日本", "Hm.")
            );
            let call = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
            let expected = [
                call("search", r#"{"query":"quay"}"#),
                call("list", arguments),
            ];
            assert_eq!(calls, expected, "{name}");
            assert_eq!((usage.input, usage.output), (Some(27), Some(30)), "{name}");
            assert!(
                deltas.contains(&ModelDelta::Stop(ModelStop::ToolCalls)),
                "{name}"
            );
            // The cuts change nothing, not even the borders of deltas.
            assert_eq!(
                first.get_or_insert_with(|| deltas.clone()),
                &deltas,
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn anthropic_gives_ids_exact_argument_deltas_and_the_signature() {
    let server = ReplayServer::start(vec![ReplayedAnswer::stream(ANTHROPIC)]).await;
    let (deltas, _) = read_answer("anthropic:m", &server, question("?")).await;
    let argument = |delta: &str| ModelDelta::CallArguments {
        index: 0,
        delta: delta.to_owned(),
    };
    assert!(deltas.contains(&ModelDelta::ReasoningSignature("sig".to_owned())));
    assert!(deltas.contains(&argument("{\"query\":")) && deltas.contains(&argument("\"quay\"}")));
    let ids = deltas.iter().filter_map(|delta| match delta {
        ModelDelta::CallStart { id, .. } => id.as_deref(),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["toolu_1", "toolu_2"]);
}

#[tokio::test]
async fn calls_of_servers_without_index_or_with_one_index_are_kept_apart() {
    let part = |call: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n")
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let same_index = part(r#"{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}"#)
        + &part(r#"{"index":0,"id":"b","function":{"name":"y","arguments":"{\"k\":1}"}}"#)
        + end;
    let no_index = part(r#"{"function":{"name":"x","arguments":"{}"}}"#)
        + &part(r#"{"function":{"name":"y","arguments":"{\"k\""}}"#)
        + &part(r#"{"function":{"arguments":":1}"}}"#)
        + end;
    let answers = [same_index, no_index].map(ReplayedAnswer::stream);
    let server = ReplayServer::start(answers.into()).await;
    for _ in 0..2 {
        let (deltas, error) = read_answer("openai:m", &server, question("?")).await;
        assert!(error.is_none(), "{error:?}");
        let calls = summarise(&deltas).2;
        let expected = [("x", "{}"), ("y", "{\"k\":1}")];
        assert_eq!(
            calls,
            expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
        assert!(deltas.contains(&ModelDelta::Stop(ModelStop::ToolCalls)));
    }
}

#[tokio::test]
async fn refusals_and_limits_are_stop_reasons() {
    let openai = |delta: &str, reason: &str| {
        let chunk = format!(r#"{{"choices":[{{"delta":{delta},"finish_reason":"{reason}"}}]}}"#);
        format!("data: {chunk}\n\ndata: [DONE]\n\n")
    };
    let anthropic = |reason: &str| {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        format!("data: {delta}\n\ndata: {{\"type\":\"message_stop\"}}\n\n")
    };
    let ollama = r#"{"message":{"content":"x"},"done":true,"done_reason":"length"}"#.to_owned();
    for (name, body, stop) in [
        (
            "openai:m",
            openai(r#"{"refusal":"No."}"#, "stop"),
            ModelStop::Refusal,
        ),
        (
            "openai:m",
            openai(r#"{"content":"x"}"#, "length"),
            ModelStop::OutputLimit,
        ),
        (
            "openai:m",
            openai("{}", "content_filter"),
            ModelStop::Refusal,
        ),
        ("openai:m", openai("{}", "stop"), ModelStop::Complete),
        ("anthropic:m", anthropic("refusal"), ModelStop::Refusal),
        (
            "anthropic:m",
            anthropic("max_tokens"),
            ModelStop::OutputLimit,
        ),
        ("ollama:m", ollama, ModelStop::OutputLimit),
    ] {
        let server = ReplayServer::start(vec![ReplayedAnswer::stream(body)]).await;
        let (deltas, error) = read_answer(name, &server, question("?")).await;
        assert!(error.is_none(), "{name}: {error:?}");
        assert!(
            deltas.contains(&ModelDelta::Stop(stop.clone())),
            "{name} {stop:?}: {deltas:?}"
        );
    }
}

#[tokio::test]
async fn errors_in_the_stream_and_broken_streams_end_the_answer() {
    let overloaded = "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let start = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Half\"}}\n\n";
    let answers = vec![
        ReplayedAnswer::stream(format!("{start}{overloaded}")),
        ReplayedAnswer::stream(start).cut(),
        ReplayedAnswer::stream(start),
        ReplayedAnswer::stream("data: {broken\n\n"),
        ReplayedAnswer::error(529, "", r#"{"error":{"message":"Overloaded"}}"#),
        ReplayedAnswer::error(401, "", r#"{"error":{"message":"bad key"}}"#),
    ];
    let server = ReplayServer::start(answers).await;
    for (text, code, is_transient) in [
        ("Half", "upstream_status", true),
        ("Half", "upstream_truncated", true),
        ("Half", "upstream_truncated", true),
        ("", "upstream_protocol", false),
        ("", "upstream_status", true),
        ("", "upstream_status", false),
    ] {
        let (deltas, error) = read_answer("anthropic:m", &server, question("?")).await;
        let error = error.expect("an error");
        assert_eq!(summarise(&deltas).0, text);
        assert_eq!(
            (error.code(), error.is_transient()),
            (code, is_transient),
            "{error}"
        );
        assert!(!error.to_string().contains("secret-key"), "{error}");
    }
}

/// Conversation with a call and its result.
fn conversation() -> Arc<ModelRequest> {
    let call = ModelToolCall {
        id: "call/1".to_owned(),
        name: "search".to_owned(),
        arguments: r#"{"query":"quay"}"#.to_owned(),
    };
    Arc::new(ModelRequest {
        messages: vec![
            ModelMessage::User("One".to_owned()),
            ModelMessage::User("Two".to_owned()),
            ModelMessage::Assistant(vec![
                AssistantPart::Reasoning {
                    text: "Hm.".to_owned(),
                    signature: Some("sig".to_owned()),
                },
                AssistantPart::Call(call),
            ]),
            ModelMessage::Tool(ToolAnswer {
                call_id: "call/1".to_owned(),
                name: "search".to_owned(),
                content: "1911".to_owned(),
                is_error: false,
            }),
        ],
        tools: vec![ToolDefinition {
            name: "search".to_owned(),
            description: "Searches.".to_owned(),
            parameters: Json::parse(r#"{"type":"object"}"#).expect("JSON"),
        }],
        ..(*question("?")).clone()
    })
}

#[tokio::test]
async fn requests_have_the_form_of_each_provider() {
    for (name, end, line, header, expected) in [
        (
            "anthropic:m",
            "data: {\"type\":\"message_stop\"}\n\n",
            "POST /v1/messages",
            "x-api-key: secret-key",
            r#"[{"role":"user","content":[{"type":"text","text":"One"},{"type":"text","text":"Two"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"sig"},{"type":"tool_use","id":"call_1","name":"search","input":{"query":"quay"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"1911","is_error":false}]}]"#,
        ),
        (
            "openai:m",
            "data: [DONE]\n\n",
            "POST /chat/completions",
            "Authorization: Bearer secret-key",
            r#"[{"role":"system","content":"Be short."},{"role":"user","content":"One"},{"role":"user","content":"Two"},{"role":"assistant","content":null,"tool_calls":[{"id":"call/1","type":"function","function":{"name":"search","arguments":"{\"query\":\"quay\"}"}}]},{"role":"tool","tool_call_id":"call/1","content":"1911"}]"#,
        ),
        (
            "ollama:m",
            "{\"done\":true}\n",
            "POST /api/chat",
            "Content-Type: application/json",
            r#"[{"role":"system","content":"Be short."},{"role":"user","content":"One"},{"role":"user","content":"Two"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"search","arguments":{"query":"quay"}}}]},{"role":"tool","tool_name":"search","content":"1911"}]"#,
        ),
    ] {
        let server = ReplayServer::start(vec![ReplayedAnswer::stream(end)]).await;
        let (_, error) = read_answer(name, &server, conversation()).await;
        assert!(error.is_none(), "{name}: {error:?}");
        let request = server.requests().remove(0);
        assert!(request.starts_with(line), "{request}");
        assert!(request.contains(header), "{request}");
        let (_, body) = request.split_once("\r\n\r\n").expect("a body");
        let body = Value::parse(body).expect("JSON");
        assert_eq!(body["messages"].to_json(), expected, "{name}");
        assert_eq!(
            (body["model"].as_str(), &body["stream"]),
            (Some("m"), &true.into())
        );
        assert_eq!(
            body["tools"].as_array().map(<[Value]>::len),
            Some(1),
            "{name}"
        );
    }
}
