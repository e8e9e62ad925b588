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
    BuiltInAgent, Gateway, GatewayParts, GatewayStartError, InvalidAgent, ReaderCommand,
};
use net::{FetchPolicy, InvalidHost};
use store::{Principal, Store, Timestamp};
use tokio::net::TcpListener;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::access::limits::RateLimiter;
use crate::access::{AccessControl, LinkKey, TokenIssuer, audit};
use crate::admission;
use crate::error::ApiError;
use crate::guard::{self, OriginGuard};
use crate::listen;
use crate::log::LogControl;
use crate::metrics::ServerMetrics;
use crate::routes;
use crate::settings::Settings;
use crate::state::{AppState, new_id};

/// What a server is made of.
pub struct ServerParts {
    /// What is configured.
    pub settings: Settings,
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// How documents are read.
    pub reading: ReaderCommand,
    /// Agents that are part of the program, by name.
    pub built_in: BTreeMap<String, BuiltInAgent>,
    /// Whose tokens are taken.
    pub issuers: Vec<TokenIssuer>,
    /// What links are signed with.
    pub link_key: LinkKey,
    /// How the level of the log is changed.
    pub log: LogControl,
    /// What time it is. It may jump: only moments that are shown, and what expires, depend on it.
    pub clock: fn() -> Timestamp,
}

/// Why a server cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The settings of an agent cannot be used.
    #[error(transparent)]
    Agent(#[from] InvalidAgent),
    /// A host that may be fetched from is none.
    #[error("allow_fetch: {0}")]
    Host(#[from] InvalidHost),
    /// The store does not answer.
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

/// The clock of the system: milliseconds since 1970.
pub fn system_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// A server that is ready to listen.
pub struct Server {
    pub(crate) app: Arc<AppState>,
}

impl Server {
    /// Puts a server together. Runs that a crash has left open are ended.
    pub async fn new(parts: ServerParts) -> Result<Self, ServerError> {
        let ServerParts {
            settings,
            store,
            reading,
            built_in,
            issuers,
            link_key,
            log,
            clock,
        } = parts;
        let gateway = Gateway::new(GatewayParts {
            agents: settings.agents.clone(),
            citations: settings.citations.clone(),
            public_url: settings.server.public_url.clone(),
            fetch_policy: FetchPolicy::of(&settings.server.allow_fetch)?,
            store: store.clone(),
            reading,
            built_in,
            clock,
        });
        let gateway = gateway.await?;
        let limiter = RateLimiter::new(&settings.limits);
        let app = AppState {
            log,
            clock,
            access: AccessControl::new(store.clone(), issuers, link_key, limiter),
            metrics: ServerMetrics::new(gateway.run_metrics(), gateway.verification_metrics()),
            library: gateway.library.clone(),
            runs: gateway.runs.clone(),
            gateway,
            settings,
            store,
        };
        Ok(Self { app: Arc::new(app) })
    }

    /// All routes, behind what decides who may ask; `address` is where it listens.
    pub(crate) fn router(&self, address: IpAddr) -> Router {
        let server = &self.app.settings.server;
        let public = server.public_url.as_deref();
        let host = public.and_then(|url| url.parse::<axum::http::Uri>().ok());
        let public = host.as_ref().and_then(|url| url.host()).map(str::to_owned);
        let guard = OriginGuard {
            loopback: address.is_loopback(),
            // Whoever has it listen at 127.0.0.2 asks it there.
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
            .with_state(self.app.clone())
    }

    /// Gives the local principal what the agents of the program quote; others get it when they run them.
    pub async fn attach_samples(&self) -> Result<(), String> {
        let (app, local) = (&self.app, Principal::local());
        for sample in app
            .gateway
            .agents
            .iter()
            .flat_map(|(_, entry)| entry.samples())
        {
            let attached = app.library.attach_sample(&local, sample, app.now());
            let said = |error| ApiError::from(error).message;
            attached.await.map_err(said)?;
        }
        Ok(())
    }

    /// Whether those who ask need a key or token by now.
    pub async fn needs_key(&self) -> Result<bool, store::StoreError> {
        Ok(self.app.access.is_closed() || self.app.store.has_keys().await?)
    }

    /// Serves until `shutdown` is ready; then runs are ended and connections drained.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let address = listener.local_addr()?.ip();
        if !address.is_loopback() {
            self.app.access.close();
        }
        let router = self.router(address);
        let runs = self.app.runs.clone();
        let drained = async move {
            shutdown.await;
            runs.shut_down().await;
        };
        let settings = self.app.settings.access.clone();
        let kept_short = tokio::spawn(audit::keep_short(
            self.app.store.clone(),
            settings,
            self.app.clock,
        ));
        let served = listen::serve(listener, router, &self.app.settings.limits, drained).await;
        kept_short.abort();
        served
    }
}
