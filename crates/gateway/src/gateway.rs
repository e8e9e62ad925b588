//! Gateway as a whole: agents, runs, documents and verification over one store.

use std::collections::BTreeMap;
use std::sync::Arc;

use agui::downgrade::{ClientRelease, EventFormat};
use agui::model::RunAgentInput;
use agui::negotiate::Encoding;
use agui::{Agent, EventStream};
use citation_stream::{ThreadMemory, ThreadUpdate};
use citations::CitationKey;
use http::HeaderMap;
use json::Value;
use net::{FetchPolicy, Fetcher};
use store::{
    CitationReview, NewRun, Principal, RunId, Sequence, Store, StoreError, ThreadId, Timestamp,
};

use crate::agents::{AgentEntry, AgentRegistry, BuiltInAgent, ReaderParts};
use crate::canvas_records::MessageRecorder;
use crate::citation_host::{CitationHost, HostServices, layer_options};
use crate::credit_catalogue::{PrincipalCatalogue, ThreadStateAgent};
use crate::error::{GatewayError, InvalidAgent};
use crate::evidence_links::{EvidenceLinks, LinkSigner};
use crate::library::{DocumentLibrary, EmbeddingModel, IndexLocation, ReaderCommand};
use crate::metrics::{RunMetrics, VerificationMetrics};
use crate::music_catalogue::MusicCatalogue;
use crate::page_images::PageImageCache;
use crate::reader_library::LibraryReader;
use crate::run_documents::{RunDocumentLoader, RunDocuments};
use crate::runs::{
    JoinedAgent, NewRunRequest, RunManager, RunRequest, RunStart, RunSubscriber, inherit,
    prepend_events, stored_run_id,
};
use crate::settings::{AgentSettings, CitationSettings};
use crate::upstreams::add_stored_upstreams;
use crate::verifier::{LibraryVerifier, VerifierServices};

/// Parts that a gateway is built from.
pub struct GatewayParts {
    /// Upstream agents by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Settings of citations.
    pub citations: CitationSettings,
    /// Address under which clients reach the server, for links to evidence pages.
    pub public_url: Option<String>,
    /// Signer of the links to evidence pages.
    pub link_signer: LinkSigner,
    /// Hosts that documents may be fetched from.
    pub fetch_policy: FetchPolicy,
    /// Store of threads, documents and evidence.
    pub store: Arc<dyn Store>,
    /// Command that starts the processes which read documents.
    pub reading: ReaderCommand,
    /// Place of the search index.
    pub index: IndexLocation,
    /// Embedding model of the search; `None` searches by words only.
    pub embedding: Option<EmbeddingModel>,
    /// Agents that are part of the program, by name.
    pub built_in: BTreeMap<String, BuiltInAgent>,
    /// The reader; `None` leaves it out.
    pub reader: Option<ReaderParts>,
    /// Clock for stored times and for expiry. It may jump: no order and no timeout depends on it.
    pub clock: fn() -> Timestamp,
    /// Source of unique ids.
    pub new_id: fn() -> String,
}

/// Failure to build a gateway.
#[derive(Debug, thiserror::Error)]
pub enum GatewayStartError {
    /// The settings of an agent cannot be used.
    #[error(transparent)]
    Agent(#[from] InvalidAgent),
    /// The store failed while unfinished runs were closed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Agents, runs, documents and verification over one store.
pub struct Gateway {
    /// Store of threads, documents and evidence.
    pub store: Arc<dyn Store>,
    /// Documents of all principals.
    pub library: Arc<DocumentLibrary>,
    /// Images of pages.
    pub page_images: PageImageCache,
    /// Client that fetches documents from allowed hosts.
    pub fetcher: Arc<Fetcher>,
    /// Music credits of all principals.
    pub music: Arc<MusicCatalogue>,
    /// Agents by name.
    pub agents: AgentRegistry,
    /// Open runs.
    pub runs: Arc<RunManager>,
    citations: CitationSettings,
    verification: Arc<VerifierServices>,
    documents: Arc<RunDocumentLoader>,
    clock: fn() -> Timestamp,
    new_id: fn() -> String,
}

/// Request to run an agent.
pub struct AgentRunRequest {
    /// Name of the agent, under which the run is stored.
    pub name: String,
    /// Agent of that name.
    pub agent: Arc<AgentEntry>,
    /// Owner of the thread.
    pub principal: Principal,
    /// Run as the client sent it.
    pub request: RunRequest,
    /// Headers of the client; those that the agent's settings name are forwarded.
    pub headers: HeaderMap,
    /// Encoding of the response.
    pub encoding: Encoding,
    /// Last event that the client has received of this run, if it reconnects.
    pub after: Option<Sequence>,
}

impl Gateway {
    /// Builds a gateway and closes the runs that an earlier process left open.
    pub async fn new(parts: GatewayParts) -> Result<Self, GatewayStartError> {
        let store = parts.store;
        let runs = RunManager::new(store.clone(), parts.clock, &parts.citations);
        let closed = runs.close_unfinished().await?;
        if closed > 0 {
            tracing::warn!(
                runs = closed,
                "runs of a server that was stopped in mid-run were ended"
            );
        }
        let agents = AgentRegistry::new(&parts.agents, parts.built_in, parts.reader)?;
        add_stored_upstreams(&agents, &store).await?;
        let library = DocumentLibrary::new(store.clone(), parts.reading, parts.index);
        let library = Arc::new(library.with_embedding(parts.embedding));
        let fetcher = Arc::new(Fetcher::new(parts.fetch_policy));
        let verification = VerifierServices {
            store: store.clone(),
            library: library.clone(),
            metrics: VerificationMetrics::default(),
            clock: parts.clock,
            links: EvidenceLinks::new(parts.public_url.as_deref(), parts.link_signer),
        };
        let documents = RunDocumentLoader {
            store: store.clone(),
            library: library.clone(),
            fetcher: fetcher.clone(),
            clock: parts.clock,
        };
        Ok(Self {
            page_images: PageImageCache::new(store.clone(), library.clone()),
            music: Arc::new(MusicCatalogue::new(
                store.clone(),
                parts.clock,
                parts.new_id,
            )),
            library,
            fetcher,
            agents,
            runs,
            citations: parts.citations,
            verification: Arc::new(verification),
            documents: Arc::new(documents),
            clock: parts.clock,
            new_id: parts.new_id,
            store,
        })
    }

    /// Returns the metrics of runs.
    pub fn run_metrics(&self) -> &RunMetrics {
        &self.runs.metrics
    }

    /// Returns the metrics of verifications.
    pub fn verification_metrics(&self) -> &VerificationMetrics {
        &self.verification.metrics
    }

    /// Returns a verifier for citations outside of runs. It searches the given documents, or else all documents of
    /// the principal.
    pub fn verifier(&self, principal: Principal, documents: RunDocuments) -> LibraryVerifier {
        LibraryVerifier::new(self.verification.clone(), principal, documents)
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        self.clock
    }

    pub(crate) fn id_source(&self) -> fn() -> String {
        self.new_id
    }

    /// Returns a new unique id.
    pub(crate) fn new_id(&self) -> String {
        (self.new_id)()
    }

    fn host_services(&self) -> HostServices {
        HostServices {
            store: self.store.clone(),
            runs: self.runs.clone(),
            clock: self.clock,
        }
    }

    /// Starts a run, or subscribes to it if it is known.
    pub async fn run_agent(&self, run: AgentRunRequest) -> Result<RunSubscriber, GatewayError> {
        let AgentRunRequest {
            name,
            agent,
            principal,
            mut request,
            headers,
            encoding,
            after,
        } = run;
        let thread = ThreadId::new(&request.input.thread_id)?;
        let run_id = RunId::new(&request.input.run_id)?;
        let run_id = stored_run_id(&self.store, &principal, &thread, run_id, &request.sent).await?;
        let inherited = inherit(&self.store, &principal, &mut request, (&thread, &run_id)).await?;
        let key = (principal, thread.clone());
        let new_run = NewRunRequest {
            key: key.clone(),
            new: NewRun {
                thread,
                run: run_id,
                agent: name.clone(),
                parent: request.parent,
                input: request.sent,
                started: (self.clock)(),
            },
            format: EventFormat {
                encoding,
                release: ClientRelease::of(&request.input),
            },
            input: request.input,
            after,
            disconnect_policy: agent.disconnect_policy(),
            inherited: inherited.memory,
        };
        let wrap = request.wrapper;
        let documents = self.documents.clone();
        let verification = self.verification.clone();
        let services = self.host_services();
        let options = layer_options(&self.citations, agent.is_built_in());
        let reader = LibraryReader::new(self.library.clone(), key.0.clone(), self.clock);
        let credits = PrincipalCatalogue::new(&self.music, &key.0);
        let recorder = MessageRecorder {
            name,
            key: key.clone(),
            store: self.store.clone(),
            clock: self.clock,
        };
        let connect = |mut input: RunAgentInput, start: RunStart| async move {
            recorder.add_shared_context(&mut input).await;
            let joined = start.joined.clone();
            let state = start.memory.as_ref().map(|memory| &memory.state);
            // Without a state from the client the run begins with that of the thread.
            let state = input.state.as_ref().or(state);
            let thread_state = state.filter(|_| agent.needs_thread_state()).cloned();
            let run_documents = documents.load(&key.0, &input, state).await;
            let reader = reader.restricted_to(run_documents.restriction(), Vec::new());
            let library = (reader, credits);
            let loading =
                documents.load_for_prompt(&key.0, run_documents, &input, options.instruct);
            let run_documents = loading.await;
            let verifier = LibraryVerifier::for_run(
                verification,
                key.clone(),
                start.evidence.clone(),
                run_documents.clone(),
                agent.samples().to_vec(),
            );
            let host =
                CitationHost::new(services, key, &input.run_id, options, start, run_documents);
            let agent = connect_agent(&agent, &headers, library, thread_state);
            let agent = Arc::new(JoinedAgent {
                agent: recorder.record(wrap.apply(agent)),
                queue: joined,
            });
            let stream = host.run(agent, verifier, input);
            prepend_events(stream, inherited.events)
        };
        let subscriber = self.runs.start(new_run, connect).await?;
        Ok(subscriber.with_first_events().await)
    }

    /// Runs an agent without storing the run and without verifying its citations.
    pub fn run_unstored(
        &self,
        agent: &AgentEntry,
        principal: Principal,
        headers: &HeaderMap,
        input: RunAgentInput,
    ) -> EventStream {
        let credits = PrincipalCatalogue::new(&self.music, &principal);
        let reader = LibraryReader::new(self.library.clone(), principal, self.clock);
        agent.agent(headers, reader, credits).run(input)
    }

    /// Writes a review into the states of all threads that contain the citation, in each as soon as no run is open.
    /// `value` is the review in the form that clients read.
    pub async fn publish_review(
        &self,
        principal: &Principal,
        review: &CitationReview,
        value: &Value,
    ) -> Result<(), StoreError> {
        let Some(key) = CitationKey::from_hex(&review.key) else {
            return Ok(());
        };
        for thread in self.store.citing_threads(principal, &review.key).await? {
            let Some(run) = self.store.last_run(principal, &thread).await? else {
                continue;
            };
            let (runs, value) = (self.runs.clone(), value.clone());
            let options = layer_options(&self.citations, false);
            let place = (principal.clone(), thread);
            tokio::spawn(async move {
                let change = |memory: &ThreadMemory| {
                    ThreadUpdate::of_review(memory, &options, key, &value).unwrap_or_default()
                };
                if let Err(error) = runs.update_thread(&place, &run.id, change).await {
                    tracing::warn!(thread = %place.1, %error, "a review could not be shown");
                }
            });
        }
        Ok(())
    }
}

/// Returns the agent for one run. `thread_state` is the state it begins with if the client sends none.
fn connect_agent(
    agent: &AgentEntry,
    headers: &HeaderMap,
    (library, credits): (LibraryReader, PrincipalCatalogue),
    thread_state: Option<json::Json>,
) -> Arc<dyn agui::Agent> {
    let agent = agent.agent(headers, library, credits);
    match thread_state {
        None => agent,
        state => Arc::new(ThreadStateAgent { agent, state }),
    }
}
