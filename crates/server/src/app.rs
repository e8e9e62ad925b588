//! Server as a whole: construction, router, listening and shutdown.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use gateway::{
    BuiltInAgent, DocumentLibrary, EmbeddingModel, Gateway, GatewayParts, GatewayStartError,
    IndexLocation, InvalidAgent, LibraryToolParts, LibraryTools, LinkSigner, MusicCatalogue,
    ReaderCommand, ReaderParts,
};
use net::{FetchPolicy, InvalidHost};
use store::{Principal, Store, Timestamp};
use tokio::net::TcpListener;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::access::limits::RateLimiter;
use crate::access::{AccessControl, LinkKey, TokenIssuer, audit, revocation};
use crate::admission;
use crate::console::ConsoleFile;
use crate::conversation_frames::ConversationFrames;
use crate::environment::ServerEnvironment;
use crate::error::ApiError;
use crate::guard::{self, OriginGuard};
use crate::listen;
use crate::log::LogControl;
use crate::mcp_endpoint::McpEndpoint;
use crate::metrics::ServerMetrics;
use crate::routes;
use crate::settings::Settings;
use crate::state::{AppState, new_id};
use crate::unread_body;

/// Parts that a server is built from.
pub struct ServerParts {
    /// Configuration.
    pub settings: Settings,
    /// Store of all data.
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
    /// Accepted token issuers.
    pub issuers: Vec<TokenIssuer>,
    /// Secret that signs links.
    pub link_key: LinkKey,
    /// Control of the log level.
    pub log: LogControl,
    /// Files of the web console; empty if the program was built without it.
    pub console: &'static [ConsoleFile],
    /// Surroundings of the process, which people see in the settings.
    pub environment: ServerEnvironment,
    /// Clock for stored times and for expiry. It may jump: no order and no timeout depends on it.
    pub clock: fn() -> Timestamp,
}

/// Failure to build a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The settings of an agent cannot be used.
    #[error(transparent)]
    Agent(#[from] InvalidAgent),
    /// A host in `allow_fetch` is invalid.
    #[error("allow_fetch: {0}")]
    Host(#[from] InvalidHost),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::StoreError),
}

impl From<GatewayStartError> for ServerError {
    fn from(error: GatewayStartError) -> Self {
        match error {
            GatewayStartError::Agent(error) => error.into(),
            GatewayStartError::Store(error) => error.into(),
        }
    }
}

/// Returns the time of the system clock, in milliseconds since 1970.
pub fn system_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Lifetime in days of the links to evidence pages in a thread's state. It ends at midnight, so that equal results of a
/// day have equal links.
const EVIDENCE_LINK_DAYS: i64 = 31;

/// Returns the signer of links to evidence pages, which signs only if requests need a key.
fn evidence_link_signer(access: Arc<AccessControl>, clock: fn() -> Timestamp) -> LinkSigner {
    Arc::new(move |path, principal| {
        let day = clock().0.div_euclid(DAY).saturating_add(EVIDENCE_LINK_DAYS);
        let until = Timestamp(day.saturating_mul(DAY));
        let sign = || access.links.sign(path, principal, until);
        access.is_closed().then(sign)
    })
}

/// Server that is ready to listen.
pub struct Server {
    pub(crate) app: Arc<AppState>,
}

impl Server {
    /// Builds a server, and closes runs that a crash has left open.
    pub async fn new(parts: ServerParts) -> Result<Self, ServerError> {
        let ServerParts {
            settings,
            store,
            reading,
            index,
            embedding,
            built_in,
            reader,
            issuers,
            link_key,
            log,
            console,
            environment,
            clock,
        } = parts;
        let limiter = RateLimiter::new(&settings.limits);
        let access = AccessControl::new(store.clone(), issuers, link_key, limiter);
        let access = Arc::new(access);
        let questions = reader.clone();
        let gateway = Gateway::new(GatewayParts {
            agents: settings.agents.clone(),
            citations: settings.citations.clone(),
            public_url: settings.server.public_url.clone(),
            link_signer: evidence_link_signer(access.clone(), clock),
            fetch_policy: FetchPolicy::of(&settings.server.allow_fetch)?,
            store: store.clone(),
            reading,
            index,
            embedding,
            built_in,
            reader,
            clock,
            new_id: crate::state::new_id,
        });
        let gateway = gateway.await?;
        let tools = LibraryTools::new(LibraryToolParts {
            store: store.clone(),
            library: gateway.library.clone(),
            fetcher: gateway.fetcher.clone(),
            reader: questions,
            public_url: settings.server.public_url.clone(),
            link_signer: evidence_link_signer(access.clone(), clock),
            clock,
        });
        let app = AppState {
            mcp: settings
                .mcp
                .enabled
                .then(|| McpEndpoint::new(Arc::new(tools), &settings)),
            log,
            console,
            environment,
            clock,
            access,
            conversation_frames: ConversationFrames::default(),
            metrics: ServerMetrics::new(gateway.run_metrics(), gateway.verification_metrics()),
            library: gateway.library.clone(),
            runs: gateway.runs.clone(),
            gateway,
            settings,
            store,
        };
        Ok(Self { app: Arc::new(app) })
    }

    /// Returns the router with all layers. `address` is the one that the server listens on.
    pub(crate) fn router(&self, address: IpAddr) -> Router {
        let server = &self.app.settings.server;
        let public = server.public_url.as_deref();
        let host = public.and_then(|url| url.parse::<axum::http::Uri>().ok());
        let public = host.as_ref().and_then(|url| url.host()).map(str::to_owned);
        let guard = OriginGuard {
            loopback: address.is_loopback(),
            // A server that listens on 127.0.0.2 is reached under that address.
            hosts: public.into_iter().chain([address.to_string()]).collect(),
            origins: server.cors.clone(),
            new_id: Some(new_id),
            docs: Some(self.app.link("/app/api")),
        };
        routes::all()
            .router
            .layer(middleware::from_fn_with_state(
                self.app.clone(),
                admission::admit,
            ))
            .layer(RequestBodyTimeoutLayer::new(
                self.app.settings.limits.body_timeout.0,
            ))
            .layer(DefaultBodyLimit::max(
                self.app.settings.limits.max_body_bytes,
            ))
            .layer(middleware::from_fn_with_state(
                Arc::new(guard),
                guard::check,
            ))
            .layer(middleware::from_fn(unread_body::drain_after_rejection))
            .with_state(self.app.clone())
    }

    /// Attaches the sample documents of the built-in agents for the local principal. Other principals get them with
    /// their first run.
    pub async fn attach_samples(&self) -> Result<(), String> {
        let (app, local) = (&self.app, Principal::local());
        for sample in app
            .gateway
            .agents
            .all()
            .iter()
            .flat_map(|(_, entry)| entry.samples())
        {
            let attached = app.library.attach_sample(&local, sample, app.now());
            let message = |error| ApiError::from(error).message;
            attached.await.map_err(message)?;
        }
        Ok(())
    }

    /// Returns the catalogues of music credits.
    pub fn music(&self) -> Arc<MusicCatalogue> {
        self.app.gateway.music.clone()
    }

    /// Returns the library of documents.
    pub fn library(&self) -> Arc<DocumentLibrary> {
        self.app.library.clone()
    }

    /// Returns true if requests need a key or token.
    pub async fn needs_key(&self) -> Result<bool, store::StoreError> {
        self.app.access.needs_key().await
    }

    /// Serves until `shutdown` is ready, then ends all runs and waits for open responses.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let address = listener.local_addr()?.ip();
        if !address.is_loopback() || self.app.settings.server.has_public_url() {
            self.app.access.close();
        }
        let router = self.router(address);
        let runs = self.app.runs.clone();
        let app = self.app.clone();
        let drained = async move {
            shutdown.await;
            if let Some(mcp) = &app.mcp {
                mcp.end_streams();
            }
            runs.shut_down().await;
        };
        let settings = self.app.settings.access.clone();
        let pruning = tokio::spawn(audit::prune_audit_log(
            self.app.store.clone(),
            settings,
            self.app.clock,
        ));
        let ending = tokio::spawn(revocation::end_invalid_responses(
            self.app.access.responses.clone(),
            self.app.store.clone(),
            self.app.clock,
        ));
        let indexing = tokio::spawn(self.app.library.clone().run_indexer(self.app.clock));
        let embedding = tokio::spawn(self.app.library.clone().run_embedder());
        let expiring = tokio::spawn(self.app.library.clone().run_expiry(self.app.clock));
        let served = listen::serve(listener, router, &self.app.settings.limits, drained).await;
        pruning.abort();
        ending.abort();
        indexing.abort();
        embedding.abort();
        expiring.abort();
        served
    }
}
