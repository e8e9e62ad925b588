//! Agents and run requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::RawJson;
use super::threads::MessageJson;

/// List of agents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentList {
    /// All agents of the server.
    pub(crate) items: Vec<AgentInfo>,
}

/// Agent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentInfo {
    /// Name of the agent.
    pub(crate) name: String,
    /// Address to which runs are posted.
    pub(crate) url: String,
    /// True if the agent is part of the program, false for an upstream agent.
    pub(crate) built_in: bool,
    /// True for the agent that a client uses if it has no other preference: the first upstream, or else the reader.
    pub(crate) default: bool,
    /// Place at which the agent was defined: the program, the configuration, or added over the API.
    #[schemars(extend("enum" = ["builtIn", "configuration", "added"]))]
    pub(crate) origin: &'static str,
    /// Address of an upstream agent without secrets; only with the scope `admin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) upstream: Option<String>,
    /// Model that answers, or `extractive` for the reader without a model. Absent for agents whose model is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// Capabilities in the sense of AG-UI.
    pub(crate) capabilities: AgentCapabilities,
}

/// Upstream agent to add or change. It is stored; the configuration file is not changed and has precedence.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct UpstreamRequest {
    /// URL that runs are sent to.
    #[schemars(length(min = 1))]
    pub(crate) url: String,
    /// Headers of every request to the agent. They are stored and never returned.
    #[serde(default)]
    pub(crate) headers: Option<BTreeMap<String, String>>,
}

/// Removed upstream agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedUpstream {
    /// Name of the agent.
    pub(crate) name: String,
    /// Always true.
    pub(crate) removed: bool,
}

/// Result of sending an empty conversation to an upstream agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UpstreamCheckInfo {
    /// `ok` if the agent responds with AG-UI, `warn` if a run may fail, `fail` if the agent cannot be used.
    #[schemars(extend("enum" = ["ok", "warn", "fail"]))]
    pub(crate) state: &'static str,
    /// Finding, as a sentence.
    pub(crate) message: String,
    /// Advice on what to do; null if everything is well.
    pub(crate) hint: Option<String>,
}

/// Capabilities of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentCapabilities {
    /// Support for the shared state.
    pub(crate) state: StateCapabilities,
    /// Support for ways of delivery.
    pub(crate) transport: TransportCapabilities,
}

/// Support for the shared state.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StateCapabilities {
    /// The agent sends `STATE_SNAPSHOT` events.
    pub(crate) snapshots: bool,
    /// The agent sends `STATE_DELTA` events.
    pub(crate) deltas: bool,
}

/// Support for ways of delivery.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TransportCapabilities {
    /// Events are streamed while the agent works.
    pub(crate) streaming: bool,
    /// A client that reconnects receives the events that it missed.
    pub(crate) resumable: bool,
}

/// `RunAgentInput` of AG-UI. The `agui` crate reads it; this type is its schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[allow(dead_code)] // only the schema is used
pub(crate) struct RunAgentBody {
    /// Messages of the conversation, the new one last.
    messages: Vec<MessageJson>,
    /// Thread to continue; a new one if absent.
    #[schemars(length(min = 1))]
    thread_id: Option<String>,
    /// Id of the run; generated if absent. With the id and input of an earlier run, the response is that run.
    #[schemars(length(min = 1))]
    run_id: Option<String>,
    /// Shared state; the stored state of the thread if absent.
    state: Option<RawJson>,
    /// Tools of the frontend.
    tools: Option<Vec<RawJson>>,
    /// Context for the agent.
    context: Option<Vec<RawJson>>,
    /// Thread that a new thread branches off, together with `parentRunId`.
    parent_thread_id: Option<String>,
    /// Run after which it branches off.
    parent_run_id: Option<String>,
    /// False for a branch that does not begin with the messages of its parent, because it replaces the first one.
    inherit_messages: Option<bool>,
    /// Properties that are forwarded to the agent unchanged.
    forwarded_props: Option<RawJson>,
}
