//! Runs of the runtime: starting, replaying and stopping them, and suggestions.

use agui::downgrade::{ClientRelease, EventFormat};
use agui::negotiate::Encoding;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use gateway::{AgentEntry, AgentRunRequest, GatewayError, Key, RunRequest, is_segment_of};
use json::Value as Json;
use serde_json::{Value, json};
use store::{RunStatus, StoreError, ThreadId};

use super::{RuntimeRequest, built_in_input, invalid_body, json_response, unstored_run};
use crate::error::ApiError;
use crate::event_response;
use crate::state::new_id;
use crate::stream_body::StreamBody;

/// Tool that a client offers if it wants suggestions.
const SUGGESTION_TOOL: &str = "copilotkitSuggest";
/// Property of a request that an application hosted by the client sends through the runtime to an MCP server.
const PROXIED_REQUEST: &str = "__proxiedMCPRequest";

/// Runs an agent.
pub(super) async fn run(request: RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let (name, agent) = match request.agent(id) {
        Ok(found) => found,
        Err(response) => return Ok(*response),
    };
    let mut run = match read(&request) {
        Ok(run) => run,
        Err(response) => return Ok(*response),
    };
    // Without an own path for them, clients send the request for suggestions as a run.
    if wants_suggestions(&run) {
        return Ok(unstored_run::stream(&request, &agent, run));
    }
    if agent.is_built_in() {
        if property(&run, PROXIED_REQUEST) != Json::Null {
            return Ok(invalid_body(
                "Agents of this server have no MCP applications",
            ));
        }
        built_in_input::adapt(&mut run.input);
    }
    request.app.metrics.runs.inc();
    let encoding = Encoding::Sse;
    let started = request.app.gateway.run_agent(AgentRunRequest {
        agent,
        name,
        principal: request.caller.principal.clone(),
        request: run,
        after: None,
        headers: request.headers.clone(),
        encoding,
    });
    let subscriber = started.await?;
    Ok(event_response::streamed(
        encoding,
        StreamBody::Run(Box::new(subscriber)).into(),
    ))
}

/// Replays a thread and follows its open run, if there is one. The stream of an idle thread ends, because the client
/// counts an open stream as a run.
pub(super) async fn connect(request: RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    if let Err(response) = request.agent(id) {
        return Ok(*response);
    }
    let input = match read(&request) {
        Ok(run) => run.input,
        Err(response) => return Ok(*response),
    };
    let format = EventFormat {
        encoding: Encoding::Sse,
        release: ClientRelease::of(&input),
    };
    let key: Key = (
        request.caller.principal.clone(),
        ThreadId::new(&input.thread_id)?,
    );
    // Components connect to new threads, too. An error would be shown to the user.
    if request.app.store.thread(&key.0, &key.1).await?.is_none() {
        return Ok(event_response::streamed(format.encoding, Body::empty()));
    }
    let replay = request.app.runs.replay_with_input(key, format).await?;
    Ok(event_response::streamed(
        format.encoding,
        StreamBody::Thread(Box::new(replay.until_idle())).into(),
    ))
}

/// Returns suggestions of an agent without storing the run.
pub(super) async fn suggest(request: RuntimeRequest, id: &str) -> Result<Response, ApiError> {
    let (_, agent) = match request.agent(id) {
        Ok(found) => found,
        Err(response) => return Ok(*response),
    };
    match read(&request) {
        Ok(run) => Ok(unstored_run::stream(&request, &agent, run)),
        Err(response) => Ok(*response),
    }
}

/// Stops the open run of a thread. Its stream ends with it.
pub(super) async fn stop(
    request: RuntimeRequest,
    id: &str,
    thread: &str,
) -> Result<Response, ApiError> {
    if let Err(response) = request.agent(id) {
        return Ok(*response);
    }
    let run = match stopped_run(&request.body) {
        Ok(run) => run,
        Err(details) => return Ok(invalid_body(details)),
    };
    let key: Key = (request.caller.principal.clone(), ThreadId::new(thread)?);
    let last = match request.app.store.last_run(&key.0, &key.1).await {
        Err(StoreError::NotFound { .. }) => None,
        last => last?,
    };
    let open = last.filter(|last| last.status == RunStatus::Open);
    let is_meant = open.is_some_and(|open| {
        let is_named = |run: &str| is_segment_of(open.id.as_str(), run);
        run.as_deref().is_none_or(is_named)
    });
    if !is_meant || !request.app.runs.is_running(&key) {
        let body = json!({ "stopped": false, "message": "The thread has no such run" });
        return Ok(json_response(StatusCode::OK, &body));
    }
    request.app.runs.cancel(&key).await;
    let interrupt = json!({
        "type": "RUN_ERROR",
        "message": "Run stopped by user",
        "code": "STOPPED",
    });
    let body = json!({ "stopped": true, "interrupt": interrupt });
    Ok(json_response(StatusCode::OK, &body))
}

/// Returns the run that a request to stop names, if it names one.
fn stopped_run(body: &[u8]) -> Result<Option<String>, &'static str> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let Ok(Value::Object(mut members)) = serde_json::from_slice(body) else {
        return Err("The body must be a JSON object");
    };
    let run = match members.remove("runId") {
        None => None,
        Some(Value::String(run)) => Some(run),
        Some(_) => return Err("`runId` must be a string"),
    };
    match members.is_empty() {
        true => Ok(run),
        false => Err("Only `runId` is allowed in the body"),
    }
}

fn read(request: &RuntimeRequest) -> Result<RunRequest, Box<Response>> {
    let read = RunRequest::read(&request.body, new_id);
    read.map_err(|error: GatewayError| Box::new(invalid_body(&ApiError::from(error).message)))
}

fn property(run: &RunRequest, name: &str) -> Json {
    let properties = run.input.forwarded_props.as_ref();
    properties.map_or(Json::Null, |all| all.value()[name].clone())
}

fn wants_suggestions(run: &RunRequest) -> bool {
    let choice = property(run, "toolChoice");
    choice["function"]["name"].as_str() == Some(SUGGESTION_TOOL)
        && run
            .input
            .tools
            .iter()
            .any(|tool| tool.name == SUGGESTION_TOOL)
}

/// Returns true if an agent can be asked for suggestions. Built-in agents call no tools of the client for them.
pub(super) fn can_suggest(agent: &AgentEntry) -> bool {
    !agent.is_built_in()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_stop_may_name_a_run_and_nothing_else() {
        for body in ["", " \n", "{}"] {
            assert_eq!(stopped_run(body.as_bytes()), Ok(None), "{body}");
        }
        let named = stopped_run(br#"{"runId":"r"}"#);
        assert_eq!(named, Ok(Some("r".to_owned())));
        for body in ["[]", "x", r#"{"runId":1}"#, r#"{"runId":"r","force":true}"#] {
            assert!(stopped_run(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn requests_for_suggestions_are_told_by_tool_and_choice() {
        let read = |body: &str| RunRequest::read(body.as_bytes(), String::new).expect("an input");
        let tools = r#"[{"name":"copilotkitSuggest","description":"d","parameters":{}}]"#;
        let choice =
            r#"{"toolChoice":{"type":"function","function":{"name":"copilotkitSuggest"}}}"#;
        let run = |tools: &str, properties: &str| {
            read(&format!(
                r#"{{"threadId":"t","runId":"r","messages":[],"tools":{tools},"forwardedProps":{properties}}}"#
            ))
        };
        assert!(wants_suggestions(&run(tools, choice)));
        assert!(!wants_suggestions(&run("[]", choice)));
        assert!(!wants_suggestions(&run(tools, "{}")));
    }
}
