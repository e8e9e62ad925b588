//! Agents by name, and the layers around them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agui::model::RunAgentInput;
use agui::{Agent, EventStream};
use agui_http::client::{HttpAgent, ResponseLimits, Timeouts};
use axum::http::HeaderMap;
use bytes::Bytes;
use citation_stream::{
    CitationLayer, LayerHost, LayerOptions, Ledger, OverdueCheck, Stopping, ThreadMemory, Timer,
};
use citations::{CitationKey, SdkVersion};
use documents::Document;
use json::Json;
use store::{CitationReview, Principal, ThreadId};

use crate::advice::advised;
use crate::app::{AppState, ServerError, new_id};
use crate::conversation::RunDocuments;
use crate::routes::reviews::read as read_review;
use crate::runs::{DisconnectPolicy, PendingEvidence, RunBeginning, ThreadRecord};
use crate::settings::{
    AgentSettings, CitationSettings, NameGeneration, ProjectionSetting, Settings,
};
use crate::traces::{self, TracedAgent};
use crate::verifying::LibraryVerifier;

/// Agents by name.
pub(crate) struct AgentRegistry(BTreeMap<String, AgentEntry>);

/// An agent that is part of the program.
pub struct BuiltInAgent {
    /// The agent.
    pub agent: Arc<dyn Agent>,
    /// The documents that it quotes: whoever runs it has them.
    pub samples: Vec<SampleDocument>,
}

/// A document that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct SampleDocument {
    /// Its attachment id.
    pub id: &'static str,
    /// Its file name.
    pub name: &'static str,
    /// The file.
    pub file: &'static [u8],
}

/// One of them.
pub(crate) enum AgentEntry {
    /// Part of the program.
    BuiltIn(BuiltInAgent),
    /// Behind an address.
    Upstream(HttpAgent, AgentSettings),
}

impl AgentRegistry {
    pub(crate) fn new(
        settings: &Settings,
        built_in: BTreeMap<String, BuiltInAgent>,
    ) -> Result<Self, ServerError> {
        let mut agents: BTreeMap<String, AgentEntry> = built_in
            .into_iter()
            .map(|(name, agent)| (name, AgentEntry::BuiltIn(agent)))
            .collect();
        for (name, upstream) in &settings.agents {
            let agent = http_agent(upstream).map_err(|reason| ServerError::Agent {
                name: name.clone(),
                reason,
            })?;
            agents.insert(name.clone(), AgentEntry::Upstream(agent, upstream.clone()));
        }
        Ok(Self(agents))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&AgentEntry> {
        self.0.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &AgentEntry)> {
        self.0.iter().map(|(name, entry)| (name.as_str(), entry))
    }
}

impl AgentEntry {
    pub(crate) fn is_built_in(&self) -> bool {
        matches!(self, Self::BuiltIn(_))
    }

    /// The documents that are part of it.
    pub(crate) fn samples(&self) -> &[SampleDocument] {
        match self {
            Self::BuiltIn(built_in) => &built_in.samples,
            Self::Upstream(..) => &[],
        }
    }

    /// What becomes of its runs when nobody watches.
    pub(crate) fn leaving(&self) -> DisconnectPolicy {
        match self {
            Self::BuiltIn(_) => DisconnectPolicy::default(),
            Self::Upstream(_, settings) => DisconnectPolicy {
                then: settings.on_disconnect,
                linger: settings.linger.0,
            },
        }
    }

    /// The agent, with the headers of the client that it gets.
    fn agent(&self, headers: &HeaderMap) -> Arc<dyn Agent> {
        match self {
            Self::BuiltIn(built_in) => built_in.agent.clone(),
            Self::Upstream(agent, settings) => {
                let span = traces::upstream(settings);
                let below = traces::headers(&span);
                let forwarded = settings.forward_headers.iter();
                let forwarded =
                    forwarded.filter_map(|name| Some((name.as_str(), headers.get(name)?)));
                let ours = below.iter().map(|(name, value)| (name.as_str(), value));
                let sent: Vec<(&str, &str)> = forwarded
                    .chain(ours)
                    .filter_map(|(name, value)| Some((name, value.to_str().ok()?)))
                    .collect();
                let agent = match sent.is_empty() {
                    true => agent.clone(),
                    // What a client sent is a header already.
                    false => agent.with_headers(sent).unwrap_or_else(|_| agent.clone()),
                };
                match span.is_disabled() {
                    true => Arc::new(agent),
                    false => Arc::new(TracedAgent { agent, span }),
                }
            }
        }
    }
}

fn http_agent(settings: &AgentSettings) -> Result<HttpAgent, String> {
    let mut builder = HttpAgent::builder(&settings.url)
        .timeouts(Timeouts {
            first_event: settings.timeout.0,
            idle: settings.timeout.0,
            ..Timeouts::default()
        })
        .limits(ResponseLimits {
            body: settings.max_answer,
            ..ResponseLimits::default()
        });
    for (name, value) in &settings.headers {
        builder = builder.header(name, value);
    }
    builder.build().map_err(|error| error.to_string())
}

/// What the layer is told.
pub(crate) fn options(settings: &CitationSettings, built_in: bool) -> LayerOptions {
    let writes = |projection| settings.projections.contains(&projection);
    LayerOptions {
        key: settings.key.clone(),
        deep: writes(ProjectionSetting::Deepcitation),
        bridge: writes(ProjectionSetting::Citations),
        rag: writes(ProjectionSetting::Rag),
        names: match settings.names {
            NameGeneration::G2 => SdkVersion::V2,
            NameGeneration::G3 => SdkVersion::V3,
        },
        early: settings.early,
        deadline: settings.deadline.0,
        hide_block: settings.hide_block.unwrap_or(built_in),
        instruct: (settings.instruct > 0).then_some(settings.instruct),
        max_message_bytes: settings.max_message_bytes,
        keep_messages: settings.keep_messages,
        custom_events: settings.custom_events,
        ..LayerOptions::default()
    }
}

/// What a run is given besides its input.
pub(crate) struct RunContext {
    principal: Principal,
    thread: ThreadId,
    /// What is remembered of the thread.
    recalled: Option<ThreadMemory>,
    /// Ready when it is to end; taken once.
    stopping: Mutex<Option<Stopping>>,
    /// Takes the evidence that its events link to.
    evidence: PendingEvidence,
    /// Takes what is to be kept beside the state.
    record: ThreadRecord,
    /// The documents of the thread.
    documents: RunDocuments,
}

impl RunContext {
    pub(crate) fn new(
        principal: Principal,
        thread: ThreadId,
        beginning: RunBeginning,
        documents: RunDocuments,
    ) -> Self {
        Self {
            principal,
            thread,
            recalled: beginning.recalled,
            stopping: Mutex::new(Some(beginning.stopping)),
            evidence: beginning.evidence,
            record: beginning.record,
            documents,
        }
    }
}

/// Runs an agent with its citations checked.
pub(crate) fn run(
    app: &Arc<AppState>,
    entry: &AgentEntry,
    headers: &HeaderMap,
    given: RunContext,
    input: RunAgentInput,
) -> EventStream {
    let options = options(&app.settings.citations, entry.is_built_in());
    let verifier = LibraryVerifier::of_run(
        app.clone(),
        given.principal.clone(),
        (given.thread.clone(), given.evidence.clone()),
        given.documents.clone(),
        entry.samples().to_vec(),
    );
    let host = GatewayHost {
        app: app.clone(),
        options: options.clone(),
        given,
    };
    advised(CitationLayer::new(entry.agent(headers), verifier, host, options).run(input))
}

/// This program, as the layer sees it.
struct GatewayHost {
    app: Arc<AppState>,
    options: LayerOptions,
    given: RunContext,
}

impl LayerHost for GatewayHost {
    fn now(&self) -> u64 {
        u64::try_from(self.app.now().0).unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) -> Timer {
        Box::pin(tokio::time::sleep(duration))
    }

    fn new_id(&self) -> String {
        new_id()
    }

    fn recall(&self, _: &str) -> Option<ThreadMemory> {
        self.given.recalled.clone()
    }

    fn documents(&self, _: &str) -> Vec<(String, Arc<Document>)> {
        let held = self.given.documents.iter();
        held.map(|(id, held)| (id.to_owned(), held.document()))
            .collect()
    }

    fn settled(&self, _: &str, _: &str, _: &Ledger, record: Option<Json>) {
        let record = record.map(|record| Bytes::from(record.to_json()));
        self.given.record.set(record.unwrap_or_default());
    }

    fn stopping(&self) -> Option<Stopping> {
        let mut stopping = self.given.stopping.lock();
        let stopping = stopping.as_mut().ok()?;
        stopping.take()
    }

    fn reviewed(&self, _: &str, reviews: &[(CitationKey, Json)]) {
        let reviews: Vec<CitationReview> = reviews
            .iter()
            .filter_map(|(key, review)| read_review(*key, review))
            .collect();
        let (app, principal) = (self.app.clone(), self.given.principal.clone());
        tokio::spawn(async move {
            for review in reviews {
                // A client may show an old one on a thread that is new.
                let known = app.store.reviews(&principal, &review.key).await;
                let is_old = |known: &CitationReview| known.at > review.at || *known == review;
                if known.is_ok_and(|known| known.iter().any(is_old)) {
                    continue;
                }
                if let Err(error) = app.store.review(&principal, review).await {
                    tracing::warn!(%error, "a review could not be stored");
                }
            }
        });
    }

    fn overdue(&self, overdue: OverdueCheck) {
        let (app, options) = (self.app.clone(), self.options.clone());
        let (principal, thread) = (self.given.principal.clone(), self.given.thread.clone());
        tokio::spawn(async move {
            let amendment = overdue.await;
            if let Err(error) =
                crate::amend::write(&app, &principal, &thread, &amendment, &options).await
            {
                tracing::warn!(%thread, %error, "a late result could not be stored");
            }
        });
    }
}
