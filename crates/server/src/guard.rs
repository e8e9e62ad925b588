//! Checks of `Host` and `Origin`, CORS, request ids and the security headers of every response.
//!
//! A web site can reach a server on loopback through the browser of its operator. Therefore the `Host` of a request
//! must name this machine (a site may resolve its own name to our address), and the `Origin` of the page that sends
//! it must be loopback or configured.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower::{Layer, ServiceExt};
use tower_http::cors::{AllowCredentials, AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};
use tracing::Instrument as _;

use crate::access::sessions::has_session_cookie;
use crate::error::{ApiError, ErrorCode};
use crate::loopback::{is_loopback, without_brackets};
use crate::rejection::framework_error;
use crate::request_id::{REQUEST_ID, RequestId};
use crate::stream_body::hold_until_end;
use crate::traces;

/// Time for which a browser may cache the result of a preflight request.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(3600);

/// Hosts and origins that may send requests, and the data that completes responses.
#[derive(Debug, Clone, Default)]
pub struct OriginGuard {
    /// True if the server listens on loopback only.
    pub loopback: bool,
    /// Allowed hosts besides `localhost`, 127.0.0.1 and `[::1]`.
    pub hosts: Vec<String>,
    /// Allowed origins of pages, such as `https://chat.example`; `*` allows every origin.
    pub origins: Vec<String>,
    /// Address of the page about error codes.
    pub docs: Option<String>,
    /// Source of request ids.
    pub new_id: Option<fn() -> String>,
}

impl OriginGuard {
    fn allows_host(&self, host: &str) -> bool {
        let bare = without_brackets(host);
        let is_local = bare.eq_ignore_ascii_case("localhost")
            || bare
                .parse()
                .is_ok_and(|address: IpAddr| LOCAL_ADDRESSES.contains(&address));
        !self.loopback || is_local || self.hosts.iter().any(|allowed| allowed == host)
    }

    /// Returns true if the operator has listed the origin itself.
    fn is_listed(&self, origin: &HeaderValue) -> bool {
        self.origins
            .iter()
            .any(|listed| listed.as_bytes() == origin.as_bytes())
    }

    fn allows_origin(&self, origin: &str) -> bool {
        let is_listed = |allowed: &String| allowed == "*" || allowed == origin;
        if self.origins.iter().any(is_listed) {
            return true;
        }
        let address = origin.split_once("://").map(|(_, address)| address);
        let host = address.and_then(|address| address.parse::<Authority>().ok());
        self.loopback && host.is_some_and(|host| is_loopback(host.host()))
    }

    /// Returns the CORS headers for allowed origins: every method and request header is allowed.
    fn cors(self: &Arc<Self>) -> CorsLayer {
        let (guard, listed) = (self.clone(), self.clone());
        CorsLayer::new()
            .allow_origin(AllowOrigin::predicate(move |origin, _| {
                origin
                    .to_str()
                    .is_ok_and(|origin| guard.allows_origin(origin))
            }))
            .allow_methods(AllowMethods::mirror_request())
            .allow_headers(AllowHeaders::mirror_request())
            .allow_credentials(AllowCredentials::predicate(move |origin, request| {
                // A page of this machine that is not listed must not read with the session of another page.
                listed.is_listed(origin) || !has_session_cookie(&request.headers)
            }))
            .allow_private_network(true)
            .expose_headers([
                header::RETRY_AFTER,
                REQUEST_ID,
                HeaderName::from_static("x-total-count"),
            ])
            .max_age(PREFLIGHT_MAX_AGE)
            .vary([header::ORIGIN])
    }
}

/// Addresses in `Host` that name this machine.
const LOCAL_ADDRESSES: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::LOCALHOST),
    IpAddr::V6(Ipv6Addr::LOCALHOST),
];

/// Rejects requests of other hosts and origins, answers preflight requests, and completes every response.
pub(crate) async fn check(
    State(guard): State<Arc<OriginGuard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::of(request.headers(), guard.new_id);
    let span = traces::request(&request, &id.0);
    request.extensions_mut().insert(id.clone());
    let mut response = respond(&guard, request, next)
        .instrument(span.clone())
        .await;
    if let Some(error) = framework_error(&mut response).await {
        response = replace_with_error(response, error);
    }
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        *response.body_mut() = Body::from(error.body(guard.docs.as_deref(), Some(&id.0)));
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in SECURITY_HEADERS {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
    if span.is_disabled() {
        return response;
    }
    traces::answered(&span, response.status());
    response.map(|body| hold_until_end(body, span))
}

async fn respond(guard: &Arc<OriginGuard>, request: Request, next: Next) -> Response {
    if let Some(error) = rejection(guard, &request) {
        let mut response = error.into_response();
        let vary = HeaderValue::from_static("origin");
        response.headers_mut().append(header::VARY, vary);
        return response;
    }
    let is_options = request.method() == Method::OPTIONS;
    let asks_for_method = header::ACCESS_CONTROL_REQUEST_METHOD;
    let is_preflight = is_options && request.headers().contains_key(asks_for_method);
    // The layer answers every OPTIONS request; one that is no preflight is for the routes.
    if is_options && !is_preflight {
        return next.run(request).await;
    }
    let Ok(mut response) = guard.cors().layer(next).oneshot(request).await;
    if is_preflight {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Replaces the body of a response by an error and keeps its other headers, such as those for CORS.
fn replace_with_error(response: Response, error: ApiError) -> Response {
    let mut replaced = error.into_response();
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_TYPE);
    parts.headers.remove(header::CONTENT_LENGTH);
    replaced.headers_mut().extend(parts.headers);
    replaced
}

/// Headers of every response, unless the handler sets them itself.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // Responses are private: tell shared caches not to store them.
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    // A response that a browser is made to open as a page can load and run nothing.
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

/// Returns the error for a host or origin that is not allowed.
fn rejection(guard: &OriginGuard, request: &Request) -> Option<ApiError> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = hosts.next();
    if hosts.next().is_some() {
        return Some(ApiError::new(
            ErrorCode::BadRequest,
            "The request has more than one `Host` header",
            "Send one `Host` header",
        ));
    }
    let named = named.map(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let named = named.map(|host| host.map_or_else(String::new, |host| host.host().to_owned()));
    // A proxy may have read the one or the other, so both have to be allowed.
    let target = request.uri().authority().map(|host| host.host().to_owned());
    let hosts = match (named, target) {
        (None, None) => vec![String::new()],
        (named, target) => named.into_iter().chain(target).collect(),
    };
    if let Some(host) = hosts.iter().find(|host| !guard.allows_host(host)) {
        return Some(ApiError::new(
            ErrorCode::Forbidden,
            format!("Host not allowed: `{host}`"),
            "Use localhost or 127.0.0.1, or set `server.public_url` to the address of this server",
        ));
    }
    let origin = request.headers().get(header::ORIGIN)?;
    let origin = origin.to_str().unwrap_or("?");
    if guard.allows_origin(origin) {
        return None;
    }
    if origin == "null" {
        return Some(ApiError::new(
            ErrorCode::Forbidden,
            "Origin not allowed: `null`",
            "Load the page from a web server, not from a file or a sandboxed frame, and add its origin to `server.cors`",
        ));
    }
    Some(ApiError::new(
        ErrorCode::Forbidden,
        format!("Origin not allowed: `{origin}`"),
        "Add it to `server.cors`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_loopback_only_local_and_configured_hosts_are_allowed() {
        let guard = OriginGuard {
            loopback: true,
            hosts: vec!["pincite.example".to_owned()],
            ..OriginGuard::default()
        };
        for host in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "pincite.example",
        ] {
            assert!(guard.allows_host(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "127.0.0.2",
            "127.3.2.1",
            "[::2]",
        ] {
            assert!(!guard.allows_host(host), "{host}");
        }
        assert!(OriginGuard::default().allows_host("evil.example"));
    }

    #[test]
    fn only_loopback_and_configured_origins_are_allowed() {
        let mut guard = OriginGuard {
            loopback: true,
            origins: vec!["https://chat.example".to_owned()],
            ..OriginGuard::default()
        };
        for origin in [
            "http://localhost:3000",
            "http://[::1]:80",
            "https://chat.example",
        ] {
            assert!(guard.allows_origin(origin), "{origin}");
        }
        for origin in [
            "null",
            "https://evil.example",
            "http://localhost.evil.example",
            "https://chat.example.evil",
            "http://localhost:80@evil.example",
        ] {
            assert!(!guard.allows_origin(origin), "{origin}");
        }
        guard.loopback = false;
        assert!(!guard.allows_origin("http://localhost:3000"));
        guard.origins.push("*".to_owned());
        assert!(guard.allows_origin("null"));
    }
}
