//! Description of the runtime.

use axum::http::StatusCode;
use axum::response::Response;
use gateway::AgentEntry;
use serde_json::{Map, Value, json};

use super::{DEFAULT, RuntimeRequest, json_response};

/// Release of the vendor's runtime that this one is compatible with. Clients show it and compare nothing.
const RUNTIME_VERSION: &str = "1.75.0";

/// Returns the agents and features of the runtime.
pub(super) fn info(request: &RuntimeRequest) -> Response {
    json_response(StatusCode::OK, &describe(request))
}

fn describe(request: &RuntimeRequest) -> Value {
    let registry = &request.app.gateway.agents;
    let mut agents = Map::new();
    // The components of an application fail if there is no agent `default`.
    let name = request.agent_name(DEFAULT);
    if let Some(entry) = registry.get(&name) {
        agents.insert(DEFAULT.to_owned(), agent(DEFAULT, &name, &entry));
    }
    for (name, entry) in registry.all() {
        let described = agent(&name, &name, &entry);
        agents.insert(name, described);
    }
    let names: Vec<&String> = agents.keys().collect();
    let threads = json!({
        "list": true,
        "inspect": true,
        "mutations": true,
        "realtimeMetadata": false,
    });
    json!({
        "version": RUNTIME_VERSION,
        "mode": "sse",
        "audioFileTranscriptionEnabled": false,
        "a2uiEnabled": true,
        "a2ui": { "enabled": true, "agents": names },
        "agents": agents,
        "threadEndpoints": threads,
        "suggestions": true,
        "openGenerativeUIEnabled": false,
        "telemetryDisabled": true,
        "singleRoute": { "resourceOperations": true, "threadEndpoints": threads },
    })
}

/// Describes the agent `name` under the id that clients use for it.
fn agent(id: &str, name: &str, entry: &AgentEntry) -> Value {
    let model = entry.model();
    let description = match (entry.is_built_in(), model) {
        (true, Some(model)) => format!("Agent {name} of Pincite ({model})"),
        (true, None) => format!("Agent {name} of Pincite"),
        (false, _) => format!("Agent {name}, with verified citations"),
    };
    json!({
        "name": id,
        "className": "Pincite",
        "description": description,
        "capabilities": {
            "state": { "snapshots": true, "deltas": true },
            "transport": { "streaming": true, "resumable": true },
        },
    })
}
