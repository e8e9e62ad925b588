//! Envelopes that are posted to the address of the runtime, and plain runs.

use axum::body::Bytes;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::{RuntimeRequest, dispatch, error, info, invalid_body, runs, wrong_method};
use crate::error::ApiError;

/// Agent that answers a plain AG-UI input.
const PLAIN_AGENT: &str = "attribution";

/// Serves a request to the address of the runtime itself: an envelope with a method, or the input of a run.
pub(super) async fn serve(request: RuntimeRequest) -> Result<Response, ApiError> {
    if request.method != Method::POST {
        return Ok(wrong_method("POST"));
    }
    let kind = request.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.to_ascii_lowercase().contains("json") {
        return Ok(rejection(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Content-Type must be application/json",
        ));
    }
    let Ok(Value::Object(members)) = serde_json::from_slice::<Value>(&request.body) else {
        return Ok(rejection(
            StatusCode::BAD_REQUEST,
            "The body is not a JSON object",
        ));
    };
    if let Some(method) = members.get("method").and_then(Value::as_str) {
        return by_method(request, method, &members).await;
    }
    if members.get("messages").is_none() {
        return Ok(rejection(
            StatusCode::BAD_REQUEST,
            "The body has neither `method` nor `messages`",
        ));
    }
    let agents = &request.app.gateway.agents;
    let name = match agents.get(PLAIN_AGENT) {
        Some(_) => PLAIN_AGENT,
        None => super::DEFAULT,
    };
    runs::run(request, name).await
}

async fn by_method(
    request: RuntimeRequest,
    method: &str,
    envelope: &serde_json::Map<String, Value>,
) -> Result<Response, ApiError> {
    let params = envelope.get("params");
    let param = |name: &str| {
        let value = params.and_then(|params| params.get(name)?.as_str());
        value.map(str::to_owned).ok_or_else(|| {
            let message = format!("`params.{name}` is missing");
            Box::new(rejection(StatusCode::BAD_REQUEST, &message))
        })
    };
    let body = envelope.get("body").filter(|body| !body.is_null());
    let body = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
    let request = RuntimeRequest { body, ..request };
    macro_rules! required {
        ($name:literal) => {
            match param($name) {
                Ok(value) => value,
                Err(rejected) => return Ok(*rejected),
            }
        };
    }
    match method {
        "info" => Ok(info::info(&request)),
        "agent/run" => runs::run(request, &required!("agentId")).await,
        "agent/connect" => runs::connect(request, &required!("agentId")).await,
        "agent/suggest" => runs::suggest(request, &required!("agentId")).await,
        "agent/stop" => {
            let (agent, thread) = (required!("agentId"), required!("threadId"));
            runs::stop(request, &agent, &thread).await
        }
        "resource/request" => {
            let (path, verb) = (required!("path"), required!("httpMethod"));
            resource(request, &path, &verb).await
        }
        "transcribe" => {
            let segments = vec!["transcribe".to_owned()];
            dispatch(RuntimeRequest {
                segments,
                ..request
            })
            .await
        }
        other => Ok(rejection(
            StatusCode::BAD_REQUEST,
            &format!("Unsupported method '{other}'"),
        )),
    }
}

/// Serves a request for threads that is wrapped in an envelope.
async fn resource(request: RuntimeRequest, path: &str, verb: &str) -> Result<Response, ApiError> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let segments: Vec<String> = path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(super::percent_decoded)
        .collect();
    if segments.first().map(String::as_str) != Some("threads") {
        return Ok(super::not_found());
    }
    let Ok(method) = verb.parse::<Method>() else {
        return Ok(invalid_body("`params.httpMethod` is not a method"));
    };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(name, value)| {
        let value = value.replace('+', " ");
        (name.to_owned(), super::percent_decoded(&value))
    });
    let query = query.collect();
    dispatch(RuntimeRequest {
        method,
        segments,
        query,
        ..request
    })
    .await
}

fn rejection(status: StatusCode, message: &str) -> Response {
    error(
        status,
        &json!({ "error": "invalid_request", "message": message }),
    )
}
