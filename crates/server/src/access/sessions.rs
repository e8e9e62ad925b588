//! Sessions of browsers: a cookie stands for a key that was sent once.
//!
//! The key stays in the memory of the server and is checked with every request, so a revoked key ends its sessions.
//! Requests that change something must also carry the CSRF token, which only a page of this server can read.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, HeaderName, Method, header};
use store::Timestamp;

/// Header for the token that protects against requests of other sites.
pub(crate) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");
/// Name of the cookie.
const COOKIE: &str = "pincite_session";
/// Lifetime of a session in seconds.
const LIFETIME: i64 = 12 * 60 * 60;
/// Maximum number of sessions; the one that expires first makes room.
const MAX_SESSIONS: usize = 10_000;

/// Session of a browser.
#[derive(Clone)]
pub(crate) struct BrowserSession {
    /// Key or token that the session stands for.
    pub(crate) secret: String,
    /// Token that requests which change something must carry.
    pub(crate) csrf_token: String,
    /// Time at which the session ends.
    pub(crate) expires: Timestamp,
}

impl BrowserSession {
    /// Returns true if the request changes nothing or carries the CSRF token.
    pub(crate) fn allows(&self, method: &Method, headers: &HeaderMap) -> bool {
        if method.is_safe() {
            return true;
        }
        let sent = headers
            .get(CSRF_TOKEN)
            .map_or(&b""[..], |token| token.as_bytes());
        // `blake3::Hash` compares in constant time.
        blake3::hash(sent) == blake3::hash(self.csrf_token.as_bytes())
    }
}

/// Sessions by the hash of their cookie.
#[derive(Default)]
pub(crate) struct SessionTable {
    sessions: Mutex<HashMap<[u8; 32], BrowserSession>>,
}

impl SessionTable {
    /// Opens a session for a valid key. `cookie` and `csrf_token` are random.
    pub(crate) fn open(
        &self,
        secret: String,
        cookie: &str,
        csrf_token: String,
        now: Timestamp,
    ) -> BrowserSession {
        let session = BrowserSession {
            secret,
            csrf_token,
            expires: Timestamp(now.0.saturating_add(LIFETIME * 1000)),
        };
        let mut sessions = self.lock();
        sessions.retain(|_, session| session.expires > now);
        if sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.expires.0);
            if let Some(hash) = oldest.map(|(hash, _)| *hash) {
                sessions.remove(&hash);
            }
        }
        sessions.insert(hash(cookie), session.clone());
        session
    }

    /// Returns the session of a request, if it has one that is not expired.
    pub(crate) fn find(&self, headers: &HeaderMap, now: Timestamp) -> Option<BrowserSession> {
        let cookie = session_cookie(headers)?;
        let session = self.lock().get(&hash(&cookie)).cloned();
        session.filter(|session| session.expires > now)
    }

    /// Ends the session of a request.
    pub(crate) fn close(&self, headers: &HeaderMap) {
        if let Some(cookie) = session_cookie(headers) {
            self.lock().remove(&hash(&cookie));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], BrowserSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(cookie: &str) -> [u8; 32] {
    *blake3::hash(cookie.as_bytes()).as_bytes()
}

/// Returns true if a request carries the cookie of a session.
pub(crate) fn has_session_cookie(headers: &HeaderMap) -> bool {
    session_cookie(headers).is_some()
}

/// Returns the value of the session cookie.
fn session_cookie(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value.to_owned())
}

/// Returns the header that sets the cookie, or with an empty value removes it.
pub(crate) fn cookie_header(value: &str, is_https: bool) -> String {
    let lifetime = if value.is_empty() { 0 } else { LIFETIME };
    let secure = if is_https { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; Max-Age={lifetime}; HttpOnly; SameSite=Strict{secure}")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn with_cookie(value: &str) -> HeaderMap {
        let cookie = format!("other=1; {COOKIE}={value}");
        let cookie = HeaderValue::from_str(&cookie).expect("plain");
        HeaderMap::from_iter([(header::COOKIE, cookie)])
    }

    #[test]
    fn sessions_expire_and_can_be_closed() {
        let table = SessionTable::default();
        let session = table.open("secret".into(), "cookie", "token".into(), Timestamp(0));
        let headers = with_cookie("cookie");
        assert!(
            table
                .find(&headers, Timestamp(session.expires.0 - 1))
                .is_some()
        );
        assert!(table.find(&headers, session.expires).is_none());
        table.close(&headers);
        assert!(table.find(&headers, Timestamp(0)).is_none());
        assert!(table.find(&with_cookie("guess"), Timestamp(0)).is_none());
    }

    #[test]
    fn changes_need_the_csrf_token() {
        let table = SessionTable::default();
        let session = table.open("secret".into(), "cookie", "token".into(), Timestamp(0));
        let mut headers = HeaderMap::new();
        assert!(session.allows(&Method::GET, &headers));
        assert!(!session.allows(&Method::POST, &headers));
        headers.insert(CSRF_TOKEN, HeaderValue::from_static("guess"));
        assert!(!session.allows(&Method::DELETE, &headers));
        headers.insert(CSRF_TOKEN, HeaderValue::from_static("token"));
        assert!(session.allows(&Method::POST, &headers));
    }

    #[test]
    fn the_cookie_is_hidden_from_scripts_and_other_sites() {
        let cookie = cookie_header("x", true);
        for attribute in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert!(cookie_header("", false).contains("Max-Age=0"));
    }
}
