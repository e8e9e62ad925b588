//! Who may ask, and what every answer carries: hosts, origins, request ids, headers that protect.
//!
//! On loopback a page of any site can reach us through the browser of whoever runs us. So the name that a
//! request was sent to must be one of this machine's (a site may give its own name our address), and
//! the page that sends it must be of this machine, or listed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument as _;

use crate::answer::holding;
use crate::error::{ApiError, ErrorCode};
use crate::refusal::in_our_form;
use crate::traces;

/// How long a browser may remember what it was told.
const MAX_AGE: Duration = Duration::from_secs(3600);
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Who may ask.
#[derive(Debug, Clone, Default)]
pub struct OriginGuard {
    /// Whether only this machine is served.
    pub loopback: bool,
    /// Names besides `localhost`, 127.0.0.1 and `[::1]` that requests may be sent to.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, `https://chat.example`; `*` means any.
    pub origins: Vec<String>,
    /// The page that tells of errors.
    pub docs: Option<String>,
    /// The next id of a request.
    pub new_id: Option<fn() -> String>,
}

/// The id of a request, for logs and errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub String);

impl OriginGuard {
    fn allows_host(&self, host: &str) -> bool {
        let bare = bare(host);
        let is_ours = bare.eq_ignore_ascii_case("localhost")
            || address(bare).is_some_and(|address| OURS.contains(&address));
        !self.loopback || is_ours || self.hosts.iter().any(|allowed| allowed == host)
    }

    fn allows_origin(&self, origin: &str) -> bool {
        let listed = |allowed: &String| allowed == "*" || allowed == origin;
        if self.origins.iter().any(listed) {
            return true;
        }
        let address = origin.split_once("://").map(|(_, address)| address);
        let host = address.and_then(|address| address.parse::<Authority>().ok());
        self.loopback && host.is_some_and(|host| is_loopback(host.host()))
    }
}

/// The addresses by which this machine is asked, if it is asked by one.
const OURS: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::LOCALHOST),
    IpAddr::V6(Ipv6Addr::LOCALHOST),
];

/// Whether a name is one of this machine's, whoever asks.
fn is_loopback(host: &str) -> bool {
    let bare = bare(host);
    bare.eq_ignore_ascii_case("localhost")
        || address(bare).is_some_and(|address| address.is_loopback())
}

/// A host without the brackets that an address may have.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

fn address(bare: &str) -> Option<IpAddr> {
    bare.parse().ok()
}

/// Lets a request in, or says why not, and finishes its answer.
pub(crate) async fn check(
    State(guard): State<Arc<OriginGuard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = request_id(request.headers(), guard.new_id);
    let span = traces::request(&request, &id);
    request.extensions_mut().insert(RequestId(id.clone()));
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut response = match refusal(&guard, &request) {
        Some(refused) => refused.into_response(),
        None if is_preflight(&request) => preflight(request.headers()),
        None => next.run(request).instrument(span.clone()).await,
    };
    if let Some(error) = in_our_form(&mut response).await {
        response = error.into_response();
    }
    if let Some(error) = response.extensions_mut().remove::<ApiError>() {
        *response.body_mut() = Body::from(error.body(guard.docs.as_deref(), Some(&id)));
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    for (name, value) in PROTECTING {
        if !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
    if let Some(origin) = origin.filter(|origin| {
        let origin = origin.to_str();
        origin.is_ok_and(|origin| guard.allows_origin(origin))
    }) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("retry-after, x-request-id"),
        );
    }
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if span.is_disabled() {
        return response;
    }
    traces::answered(&span, response.status());
    response.map(|body| holding(body, span))
}

/// What every answer says unless it says something else itself.
const PROTECTING: [(HeaderName, HeaderValue); 5] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // What is somebody's stays out of the caches of others.
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    // An answer that a browser is made to open as a page does nothing.
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

/// The client's own id if it is a plain one, so that logs on both sides agree.
fn request_id(headers: &HeaderMap, new_id: Option<fn() -> String>) -> String {
    let given = headers.get(&REQUEST_ID).and_then(|id| id.to_str().ok());
    let plain = |id: &&str| {
        (1..=128).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match (given.filter(plain), new_id) {
        (Some(id), _) => id.to_owned(),
        (None, Some(new_id)) => new_id(),
        (None, None) => String::new(),
    }
}

fn refusal(guard: &OriginGuard, request: &Request) -> Option<ApiError> {
    let named = request.headers().get(header::HOST);
    let named = named.and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let named = named.as_ref().or_else(|| request.uri().authority());
    let host = named.map_or("", Authority::host);
    if !guard.allows_host(host) {
        return Some(ApiError::new(
            ErrorCode::Forbidden,
            format!("this server does not answer to the name '{host}'"),
            "ask for localhost or 127.0.0.1, or set server.public_url",
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
            "a page that says nothing of where it is from may not ask",
            "open it from a web server instead of as a file or in a sandbox, and list its origin in server.cors",
        ));
    }
    Some(ApiError::new(
        ErrorCode::Forbidden,
        format!("pages of {origin} may not ask"),
        "list the origin in server.cors",
    ))
}

fn is_preflight(request: &Request) -> bool {
    let asked = header::ACCESS_CONTROL_REQUEST_METHOD;
    request.method() == Method::OPTIONS && request.headers().contains_key(asked)
}

/// What a browser asks before it lets a page send something.
fn preflight(asked: &HeaderMap) -> Response {
    let mut headers = HeaderMap::new();
    let pairs = [
        (
            header::ACCESS_CONTROL_REQUEST_METHOD,
            header::ACCESS_CONTROL_ALLOW_METHODS,
        ),
        (
            header::ACCESS_CONTROL_REQUEST_HEADERS,
            header::ACCESS_CONTROL_ALLOW_HEADERS,
        ),
    ];
    for (question, answer) in pairs {
        if let Some(value) = asked.get(question) {
            headers.insert(answer, value.clone());
        }
    }
    let private = HeaderName::from_static("access-control-request-private-network");
    if asked.contains_key(private) {
        headers.insert(
            HeaderName::from_static("access-control-allow-private-network"),
            HeaderValue::from_static("true"),
        );
    }
    headers.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from(MAX_AGE.as_secs()),
    );
    (StatusCode::NO_CONTENT, headers).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_on_loopback() {
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
    fn only_pages_of_this_machine_or_listed() {
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
