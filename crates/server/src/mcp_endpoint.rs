//! Endpoint of the Model Context Protocol: access, origins and shutdown.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::response::Response;
use citations::PromptFormat;
use gateway::LibraryTools;
use mcp::{
    HttpOptions, McpHttpService, McpServer, ServiceError, ServicePermissions, ServiceSource,
    http_service,
};
use tokio_util::sync::CancellationToken;

use crate::access::{AccessScope, Caller};
use crate::settings::Settings;

/// Origins of pages of this machine.
const LOCAL_ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// Endpoint of the Model Context Protocol.
pub(crate) struct McpEndpoint {
    service: McpHttpService,
    shutdown: CancellationToken,
}

impl McpEndpoint {
    /// Creates the endpoint over the tools of all principals.
    pub(crate) fn new(tools: Arc<LibraryTools>, settings: &Settings) -> Self {
        let shutdown = CancellationToken::new();
        let options = HttpOptions {
            max_body_bytes: settings.limits.max_body_bytes,
            shutdown: shutdown.clone(),
            allowed_origins: allowed_origins(settings),
        };
        let read_only = settings.mcp.read_only;
        let source: ServiceSource = Arc::new(move |extensions| {
            let parts = extensions.get::<Parts>();
            let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
            // A request without a sender did not pass the admission check and must not get access.
            let caller = caller.ok_or_else(|| {
                ServiceError::new(
                    "The sender of the request was not authenticated",
                    "Report this as a defect",
                )
            })?;
            let can_write = caller.has_scope(AccessScope::Write);
            let permissions = ServicePermissions {
                can_ask: can_write,
                can_write: can_write && !read_only,
            };
            Ok(tools.of_principal(caller.principal.clone(), permissions))
        });
        Self {
            service: http_service(mcp_server(source), options),
            shutdown,
        }
    }

    /// Serves a request.
    pub(crate) async fn serve(&self, request: Request) -> Response {
        self.service.handle(request).await.map(Body::new)
    }

    /// Ends all sessions and streams.
    pub(crate) fn end_streams(&self) {
        self.shutdown.cancel();
    }
}

/// Returns the protocol server of the program.
pub fn mcp_server(source: ServiceSource) -> McpServer {
    let format = PromptFormat::default();
    let instructions = format!("{}\n\n{}", format.instructions(), format.reminder());
    McpServer::new(source, &instructions, env!("CARGO_PKG_VERSION"))
}

/// Returns the origins of pages that may send requests; `None` if all may.
fn allowed_origins(settings: &Settings) -> Option<Vec<String>> {
    let configured = &settings.server.cors;
    if configured.iter().any(|origin| origin == "*") {
        return None;
    }
    let is_local = settings.server.listen.ip().is_loopback();
    let local = LOCAL_ORIGINS.iter().filter(|_| is_local);
    let local = local.map(ToString::to_string);
    Some(
        configured
            .iter()
            .map(|origin| with_port(origin))
            .chain(local)
            .collect(),
    )
}

/// Returns an origin with its port, which is that of the scheme if it names none.
fn with_port(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let after_brackets = host.rsplit(']').next().unwrap_or(host);
    match (after_brackets.contains(':'), origin.starts_with("http://")) {
        (true, _) => origin.to_owned(),
        (false, true) => format!("{origin}:80"),
        (false, false) if origin.starts_with("https://") => format!("{origin}:443"),
        (false, false) => origin.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configured_origins_get_the_port_of_their_scheme() {
        for (origin, expected) in [
            ("https://chat.example", "https://chat.example:443"),
            ("http://chat.example", "http://chat.example:80"),
            ("https://chat.example:8443", "https://chat.example:8443"),
            ("http://[::1]", "http://[::1]:80"),
            ("null", "null"),
        ] {
            assert_eq!(with_port(origin), expected);
        }
    }

    #[test]
    fn pages_of_this_machine_are_allowed_on_loopback_only() {
        let mut settings = Settings::default();
        settings.server.cors = vec!["https://chat.example".to_owned()];
        let origins = allowed_origins(&settings).expect("not all");
        assert!(origins.iter().any(|origin| origin == "http://localhost:*"));
        settings.server.listen = ([0, 0, 0, 0], 8787).into();
        let origins = allowed_origins(&settings);
        assert_eq!(origins, Some(vec!["https://chat.example:443".to_owned()]));
        settings.server.cors.push("*".to_owned());
        assert_eq!(allowed_origins(&settings), None);
    }
}
