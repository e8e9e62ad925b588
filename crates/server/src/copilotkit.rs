//! Runtime of CopilotKit: its React components talk to this server without a Node process.
//!
//! The client speaks AG-UI 0.0.59. Its inputs have no protocol version, so events are downgraded for it like for every
//! other client of that age. Both transports are served: paths below the address of the runtime, and envelopes that
//! are posted to the address itself. Errors have the form of the vendor's runtime, because the client shows them.

mod built_in_input;
mod envelope;
mod info;
mod runs;
mod threads;
mod unstored_run;

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use gateway::{AgentEntry, READER};
use serde_json::{Value, json};

use crate::access::Caller;
use crate::error::ApiError;
use crate::state::AppState;

/// Addresses of the runtime with the agent that `default` means there if none is configured under that name.
const RUNTIMES: [(&str, &str); 2] = [
    ("/api/v1/copilotkit", "attribution"),
    ("/copilotkit", READER),
];
/// Name of the agent that components use if the application names none.
const DEFAULT: &str = "default";

/// Returns true for a path of the runtime.
pub(crate) fn is_runtime_path(path: &str) -> bool {
    RUNTIMES.iter().any(|(base, _)| {
        let rest = path.strip_prefix(base);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Returns the addresses of the runtime.
pub(crate) fn runtime_bases() -> impl Iterator<Item = &'static str> {
    RUNTIMES.iter().map(|(base, _)| *base)
}

/// Request to the runtime, from either transport.
struct RuntimeRequest {
    app: Arc<AppState>,
    caller: Caller,
    headers: HeaderMap,
    /// Agent that `default` means if none is configured under that name.
    fallback: &'static str,
    method: Method,
    /// Segments of the path below the address of the runtime.
    segments: Vec<String>,
    query: Vec<(String, String)>,
    body: Bytes,
}

/// Request to the runtime as it was received.
pub(crate) struct RuntimeCall {
    pub(crate) app: Arc<AppState>,
    pub(crate) caller: Caller,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Serves a request to the runtime.
pub(crate) async fn serve(call: RuntimeCall) -> Result<Response, ApiError> {
    let path = call.uri.path();
    let runtime = RUNTIMES.iter().find_map(|(base, fallback)| {
        let rest = path.strip_prefix(base)?;
        (rest.is_empty() || rest.starts_with('/')).then_some((rest, *fallback))
    });
    let Some((rest, fallback)) = runtime else {
        return Ok(not_found());
    };
    let segments: Vec<String> = rest
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(percent_decoded)
        .collect();
    let is_single = segments.is_empty();
    let request = RuntimeRequest {
        app: call.app,
        caller: call.caller,
        headers: call.headers,
        fallback,
        method: call.method,
        segments,
        query: call.query,
        body: call.body,
    };
    match is_single {
        true => envelope::serve(request).await,
        false => dispatch(request).await,
    }
}

/// Serves a request by its method and path.
async fn dispatch(request: RuntimeRequest) -> Result<Response, ApiError> {
    let segments = request.segments.clone();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let allowed = match segments.as_slice() {
        ["info"] => "GET",
        ["agent", _, "run" | "connect" | "suggest"] | ["agent", _, "stop", _] => "POST",
        ["threads"] | ["threads", _, "messages" | "events" | "state"] => "GET",
        ["threads", _, "archive"] | ["transcribe"] => "POST",
        ["threads", _] => "PATCH, DELETE",
        _ => return Ok(not_found()),
    };
    if !allowed
        .split(", ")
        .any(|name| name == request.method.as_str())
    {
        return Ok(wrong_method(allowed));
    }
    match segments.as_slice() {
        ["info"] => Ok(info::info(&request)),
        ["agent", id, "run"] => runs::run(request, id).await,
        ["agent", id, "connect"] => runs::connect(request, id).await,
        ["agent", id, "suggest"] => runs::suggest(request, id).await,
        ["agent", id, "stop", thread] => runs::stop(request, id, thread).await,
        ["transcribe"] => Ok(error(
            StatusCode::SERVICE_UNAVAILABLE,
            &json!({
                "error": "service_not_configured",
                "message": "This server does not transcribe audio",
                "retryable": false,
            }),
        )),
        ["threads"] => threads::list(&request).await,
        ["threads", id] if request.method == Method::DELETE => threads::delete(&request, id).await,
        ["threads", id] => threads::change(&request, id).await,
        ["threads", id, "archive"] => threads::archive(&request, id).await,
        ["threads", id, "messages"] => threads::messages(&request, id).await,
        ["threads", id, "events"] => threads::events(&request, id).await,
        ["threads", id, _] => threads::state(&request, id).await,
        _ => Ok(not_found()),
    }
}

impl RuntimeRequest {
    /// Returns the agent that an id means, with its name.
    fn agent(&self, id: &str) -> Result<(String, Arc<AgentEntry>), Box<Response>> {
        let name = self.agent_name(id);
        let entry = self.app.gateway.agents.get(&name);
        entry.map(|entry| (name, entry)).ok_or_else(|| {
            Box::new(error(
                StatusCode::NOT_FOUND,
                &json!({
                    "error": "Agent not found",
                    "message": format!("Agent '{id}' does not exist"),
                }),
            ))
        })
    }

    /// Returns the name of the agent that an id means.
    fn agent_name(&self, id: &str) -> String {
        let agents = &self.app.gateway.agents;
        if id != DEFAULT || agents.get(DEFAULT).is_some() {
            return id.to_owned();
        }
        let mut names = [self.fallback, READER].into_iter();
        let known = names.find(|name| agents.get(name).is_some());
        let first = || {
            agents
                .all()
                .into_iter()
                .find(|(name, _)| agents.is_default(name))
        };
        known
            .map(str::to_owned)
            .or_else(|| first().map(|(name, _)| name))
            .unwrap_or_else(|| id.to_owned())
    }

    /// Returns a parameter of the query.
    fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Returns a JSON response with an error.
fn error(status: StatusCode, body: &Value) -> Response {
    json_response(status, body)
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, body.to_string()).into_response()
}

fn not_found() -> Response {
    error(StatusCode::NOT_FOUND, &json!({ "error": "Not found" }))
}

fn wrong_method(allowed: &'static str) -> Response {
    let body = json!({ "error": "Method not allowed" });
    let mut response = error(StatusCode::METHOD_NOT_ALLOWED, &body);
    let allowed = HeaderValue::from_static(allowed);
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

fn invalid_body(details: &str) -> Response {
    error(
        StatusCode::BAD_REQUEST,
        &json!({ "error": "Invalid request body", "details": details }),
    )
}

/// Decodes a segment of a path. A percent sign that begins no byte stays.
fn percent_decoded(segment: &str) -> String {
    let bytes = segment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = (byte == b'%')
            .then(|| segment.get(at + 1..at + 3))
            .flatten();
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_runtime_are_told_from_others() {
        for path in [
            "/copilotkit",
            "/copilotkit/",
            "/copilotkit/info",
            "/api/v1/copilotkit/agent/a/run",
        ] {
            assert!(is_runtime_path(path), "{path}");
        }
        for path in ["/copilotkits", "/api/v1", "/agents/copilotkit", "/"] {
            assert!(!is_runtime_path(path), "{path}");
        }
    }

    #[test]
    fn segments_are_decoded_once() {
        assert_eq!(percent_decoded("a%20b%2Fc%25"), "a b/c%");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%zz%4"), "%zz%4");
        assert_eq!(percent_decoded("caf%C3%A9"), "café");
    }
}
