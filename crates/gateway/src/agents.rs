//! Registry of agents: those that are part of the program and those behind an address.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::agents::attribution::{AttributionAgent, OFFLINE_MODEL};
use ::agents::model::ModelChain;
use ::agents::reader::{EXTRACTIVE_MODEL, ReaderAgent};
use ::agents::{RunHost, RunLimits};
use agui::Agent;
use agui_http::client::{HttpAgent, ResponseLimits, Timeouts};
use http::HeaderMap;
use parking_lot::RwLock;

use crate::credit_catalogue::PrincipalCatalogue;
use crate::error::InvalidAgent;
use crate::library::SampleDocument;
use crate::reader_library::LibraryReader;
use crate::runs::DisconnectPolicy;
use crate::settings::{AgentSettings, UpstreamProtocol};
use crate::traces::{TracedAgent, trace_headers, upstream_span};

/// Agent that is part of the program.
pub struct BuiltInAgent {
    /// Agent that answers.
    pub agent: Arc<dyn Agent>,
    /// Documents that it quotes. They are attached for every principal that runs the agent.
    pub samples: Vec<SampleDocument>,
}

/// Name of the reader.
pub const READER: &str = "reader";

/// Name of the agent for music credits.
pub const ATTRIBUTION_AGENT: &str = "attribution";

/// Parts of the reader, which answers from the documents of the principal that asks.
#[derive(Clone)]
pub struct ReaderParts {
    /// Models that answer; without one the reader quotes sentences.
    pub models: Option<ModelChain>,
    /// Limits of one run with a model.
    pub limits: RunLimits,
    /// Clock, ids and randomness.
    pub host: Arc<dyn RunHost>,
    /// Documents that are part of the program. They are attached once, when the server starts.
    pub samples: Vec<SampleDocument>,
}

/// Agents by name.
pub struct AgentRegistry {
    /// Agents of the program and of the configuration.
    agents: BTreeMap<String, Arc<AgentEntry>>,
    /// Upstream agents that administrators added. Others of the same name have precedence.
    added: RwLock<BTreeMap<String, Arc<AgentEntry>>>,
    /// Agent that a client uses if it has no other preference.
    default: Option<String>,
}

/// Place at which an agent was defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentOrigin {
    /// The program.
    BuiltIn,
    /// The configuration: file, environment or flags.
    Configuration,
    /// The store: an administrator added it.
    Added,
}

/// Agent of the registry.
pub enum AgentEntry {
    /// Agent that is part of the program.
    BuiltIn(BuiltInAgent),
    /// Agent that answers from the documents of the principal.
    Reader(ReaderParts),
    /// Agent for the music credits of the principal, with the models of the reader.
    Attribution(ReaderParts),
    /// Agent behind an address, with its settings.
    Upstream(HttpAgent, AgentSettings),
}

impl AgentRegistry {
    /// Builds the registry. A configured agent replaces a built-in agent of the same name.
    pub fn new(
        settings: &BTreeMap<String, AgentSettings>,
        built_in: BTreeMap<String, BuiltInAgent>,
        reader: Option<ReaderParts>,
    ) -> Result<Self, InvalidAgent> {
        let mut agents: BTreeMap<String, Arc<AgentEntry>> = built_in
            .into_iter()
            .map(|(name, agent)| (name, Arc::new(AgentEntry::BuiltIn(agent))))
            .collect();
        if let Some(reader) = reader {
            let credits = ReaderParts {
                samples: Vec::new(),
                ..reader.clone()
            };
            agents.insert(
                ATTRIBUTION_AGENT.to_owned(),
                Arc::new(AgentEntry::Attribution(credits)),
            );
            agents.insert(READER.to_owned(), Arc::new(AgentEntry::Reader(reader)));
        }
        let reader = agents.keys().find(|name| *name == READER);
        let first = settings.keys().next().or(reader).or(agents.keys().next());
        let default = first.cloned();
        for (name, upstream) in settings {
            let agent = http_agent(upstream).map_err(|reason| InvalidAgent {
                name: name.clone(),
                reason,
            })?;
            let entry = AgentEntry::Upstream(agent, upstream.clone());
            agents.insert(name.clone(), Arc::new(entry));
        }
        Ok(Self {
            agents,
            added: RwLock::default(),
            default,
        })
    }

    /// Returns the agent of that name.
    pub fn get(&self, name: &str) -> Option<Arc<AgentEntry>> {
        let fixed = self.agents.get(name).cloned();
        fixed.or_else(|| self.added.read().get(name).cloned())
    }

    /// Returns all agents in the order of their names.
    pub fn all(&self) -> Vec<(String, Arc<AgentEntry>)> {
        let mut all = self.added.read().clone();
        all.extend(self.agents.clone());
        all.into_iter().collect()
    }

    /// Returns the place at which an agent was defined; `None` if there is no such agent.
    pub fn origin(&self, name: &str) -> Option<AgentOrigin> {
        match self.agents.get(name) {
            Some(entry) if entry.is_built_in() => Some(AgentOrigin::BuiltIn),
            Some(_) => Some(AgentOrigin::Configuration),
            None => { self.added.read() }
                .contains_key(name)
                .then_some(AgentOrigin::Added),
        }
    }

    /// Adds an upstream agent, in place of an added one of the same name.
    pub(crate) fn add(&self, name: &str, settings: AgentSettings) -> Result<(), InvalidAgent> {
        let agent = http_agent(&settings).map_err(|reason| InvalidAgent {
            name: name.to_owned(),
            reason,
        })?;
        let entry = Arc::new(AgentEntry::Upstream(agent, settings));
        self.added.write().insert(name.to_owned(), entry);
        Ok(())
    }

    /// Removes an added upstream agent. Its open runs continue.
    pub(crate) fn remove(&self, name: &str) {
        self.added.write().remove(name);
    }

    /// Returns true for the agent that a client uses if it has no other preference: the first upstream, or else the
    /// reader.
    pub fn is_default(&self, name: &str) -> bool {
        self.default.as_deref() == Some(name)
    }
}

impl AgentEntry {
    /// Returns true for an agent that begins with the state of the thread if the client sends none.
    pub(crate) fn needs_thread_state(&self) -> bool {
        matches!(self, Self::Attribution(_))
    }

    /// Returns true for an agent that is part of the program.
    pub fn is_built_in(&self) -> bool {
        !matches!(self, Self::Upstream(..))
    }

    /// Returns the settings of an upstream agent.
    pub fn upstream(&self) -> Option<&AgentSettings> {
        match self {
            Self::Upstream(_, settings) => Some(settings),
            Self::BuiltIn(_) | Self::Reader(_) | Self::Attribution(_) => None,
        }
    }

    /// Returns the documents that are part of the agent.
    pub fn samples(&self) -> &[SampleDocument] {
        match self {
            Self::BuiltIn(built_in) => &built_in.samples,
            Self::Reader(reader) | Self::Attribution(reader) => &reader.samples,
            Self::Upstream(..) => &[],
        }
    }

    /// Returns the model that answers; `None` for an agent whose model is not known here.
    pub fn model(&self) -> Option<String> {
        let (reader, without_model) = match self {
            Self::Reader(reader) => (reader, EXTRACTIVE_MODEL),
            Self::Attribution(reader) => (reader, OFFLINE_MODEL),
            Self::BuiltIn(_) | Self::Upstream(..) => return None,
        };
        let configured = reader.models.as_ref().and_then(ModelChain::first_name);
        Some(configured.map_or_else(|| without_model.to_owned(), ToString::to_string))
    }

    /// Returns the policy for runs of this agent that have no subscriber.
    pub fn disconnect_policy(&self) -> DisconnectPolicy {
        match self {
            Self::BuiltIn(_) | Self::Reader(_) | Self::Attribution(_) => {
                DisconnectPolicy::default()
            }
            Self::Upstream(_, settings) => DisconnectPolicy {
                action: settings.on_disconnect,
                linger: settings.linger.0,
            },
        }
    }

    /// Returns the agent for one run, with the headers of the client that are to be forwarded to it.
    pub(crate) fn agent(
        &self,
        headers: &HeaderMap,
        library: LibraryReader,
        credits: PrincipalCatalogue,
    ) -> Arc<dyn Agent> {
        match self {
            Self::BuiltIn(built_in) => built_in.agent.clone(),
            Self::Reader(reader) => Arc::new(ReaderAgent::new(
                Arc::new(library),
                reader.host.clone(),
                reader.models.clone(),
                reader.limits,
            )),
            Self::Attribution(parts) => Arc::new(AttributionAgent {
                catalogue: Arc::new(credits),
                library: Arc::new(library),
                host: parts.host.clone(),
                models: parts.models.clone(),
                limits: parts.limits,
            }),
            Self::Upstream(agent, settings) => upstream_agent(agent, settings, headers),
        }
    }
}

fn upstream_agent(
    agent: &HttpAgent,
    settings: &AgentSettings,
    headers: &HeaderMap,
) -> Arc<dyn Agent> {
    let span = upstream_span(settings);
    let trace = trace_headers(&span);
    let forwarded = settings.forward_headers.iter();
    let forwarded = forwarded.filter_map(|name| Some((name.as_str(), headers.get(name)?)));
    let trace = trace.iter().map(|(name, value)| (name.as_str(), value));
    let sent: Vec<(&str, &str)> = forwarded
        .chain(trace)
        .filter_map(|(name, value)| Some((name, value.to_str().ok()?)))
        .collect();
    let agent = match sent.is_empty() {
        true => agent.clone(),
        // The names and values come from parsed headers, so they are valid.
        false => agent.with_headers(sent).unwrap_or_else(|_| agent.clone()),
    };
    match span.is_disabled() {
        true => Arc::new(agent),
        false => Arc::new(TracedAgent { agent, span }),
    }
}

fn http_agent(settings: &AgentSettings) -> Result<HttpAgent, String> {
    let mut builder = HttpAgent::builder(&settings.url)
        .timeouts(Timeouts {
            first_event: settings.timeout.0,
            idle: settings.timeout.0,
            ..Timeouts::default()
        })
        .legacy(settings.protocol == UpstreamProtocol::Legacy)
        .limits(ResponseLimits {
            body: settings.max_answer_bytes,
            ..ResponseLimits::default()
        });
    for (name, value) in &settings.headers {
        builder = builder.header(name, value);
    }
    builder.build().map_err(|error| error.to_string())
}
