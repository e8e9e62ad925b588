//! Transports: standard input and output, and streamable HTTP.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::server::McpServer;

/// HTTP service of the protocol, for one path of a router.
pub type McpHttpService = StreamableHttpService<McpServer, LocalSessionManager>;

/// Options of the HTTP service.
#[derive(Debug, Clone, Default)]
pub struct HttpOptions {
    /// Maximum size of a request in bytes.
    pub max_body_bytes: usize,
    /// Token that ends all streams when it is cancelled.
    pub shutdown: CancellationToken,
    /// Origins of web pages that may send requests, such as `http://localhost:*`; `None` allows every origin.
    pub allowed_origins: Option<Vec<String>>,
}

/// Creates the HTTP service. Both protocol eras are served: sessions exist for clients of the older one only.
///
/// The `Host` of a request is not checked here, because the server around it does that for all its paths.
pub fn http_service(server: McpServer, options: HttpOptions) -> McpHttpService {
    let mut config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(options.max_body_bytes)
        .with_cancellation_token(options.shutdown);
    if let Some(origins) = options.allowed_origins {
        config = config
            .with_allowed_origins(origins)
            .enforce_origin_validation();
    }
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    )
}

/// Serves one client on standard input and output until it closes the input. The error is a message for people.
pub async fn serve_stdio(server: McpServer) -> Result<(), String> {
    let serving = server.serve(rmcp::transport::stdio_pipes()).await;
    let running = serving.map_err(|error| error.to_string())?;
    let ended = running.waiting().await;
    ended.map(|_| ()).map_err(|error| error.to_string())
}
