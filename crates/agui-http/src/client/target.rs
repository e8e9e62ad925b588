//! URL of an agent.

use http::Uri;
use net::connect::Endpoint;

use super::HttpError;

/// Parts of a URL that a request needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestTarget {
    pub(super) secure: bool,
    /// Host as in the URL: an IPv6 address has brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Path and query, starting with a slash.
    pub(super) path: String,
}

impl RequestTarget {
    pub(super) fn parse(url: &str) -> Result<Self, HttpError> {
        let bad = |reason| HttpError::BadUrl {
            url: without_credentials(url),
            reason,
        };
        let uri: Uri = url
            .trim()
            .parse()
            .map_err(|_| bad("write it like http://127.0.0.1:8788/"))?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(bad("it must begin with http:// or https://")),
        };
        let authority = uri.authority().ok_or_else(|| bad("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad(
                "give credentials in an Authorization header, not in it",
            ));
        }
        if authority.host().is_empty() {
            return Err(bad("it names no host"));
        }
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str().ends_with(':') || authority.as_str() != authority.host() => {
                return Err(bad("its port is no number up to 65535"));
            }
            None if secure => 443,
            None => 80,
        };
        let path = match uri.path_and_query().map_or("/", |path| path.as_str()) {
            path if path.starts_with('/') => path.to_owned(),
            query => format!("/{query}"),
        };
        Ok(Self {
            secure,
            host: authority.host().to_ascii_lowercase(),
            port,
            path,
        })
    }

    /// Resolves a `Location` relative to this URL.
    pub(super) fn join(&self, location: &str) -> Result<Self, HttpError> {
        let location = location.split('#').next().unwrap_or_default();
        if location.contains("://") {
            return Self::parse(location);
        }
        let scheme = if self.secure { "https" } else { "http" };
        if location.starts_with("//") {
            return Self::parse(&format!("{scheme}:{location}"));
        }
        let base = self.path.split('?').next().unwrap_or_default();
        let path = match location.chars().next() {
            Some('/') => location.to_owned(),
            Some('?') => format!("{base}{location}"),
            _ => {
                let folder = base.rfind('/').map_or("/", |at| &base[..=at]);
                format!("{folder}{location}")
            }
        };
        Self::parse(&format!("{scheme}://{}{path}", self.authority()))
    }

    /// Returns host and port as in the `Host` header.
    pub(super) fn authority(&self) -> String {
        match (self.secure, self.port) {
            (true, 443) | (false, 80) => self.host.clone(),
            _ => format!("{}:{}", self.host, self.port),
        }
    }

    /// Returns host and port; the port is always included.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Returns the server to connect to.
    pub(super) fn endpoint(&self) -> Endpoint<'_> {
        Endpoint {
            secure: self.secure,
            host: &self.host,
            port: self.port,
        }
    }

    /// Returns the whole URL.
    pub(super) fn url(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority(), self.path)
    }

    /// Returns true if a connection to one target can be used for the other.
    pub(super) fn same_origin(&self, other: &Self) -> bool {
        (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }
}

/// Returns the URL without the part before an `@`, which may be a secret.
fn without_credentials(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => {
            format!("{}…{}", &url[..scheme + 3], &url[at..])
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> RequestTarget {
        RequestTarget::parse(url).expect(url)
    }

    #[test]
    fn parses_urls() {
        assert_eq!(
            target("http://LocalHost:8788/a/b?c=d"),
            RequestTarget {
                secure: false,
                host: "localhost".into(),
                port: 8788,
                path: "/a/b?c=d".into()
            }
        );
        assert_eq!(
            target("https://example.test").url(),
            "https://example.test/"
        );
        assert_eq!(target("http://example.test?q").path, "/?q");
        let six = target("http://[::1]:9/x");
        assert_eq!(six.endpoint().host_name(), "::1");
        assert_eq!(six.authority(), "[::1]:9");
    }

    #[test]
    fn rejects_bad_urls_without_showing_secrets() {
        for (url, says) in [
            ("", "write it like"),
            ("localhost:8788", "must begin with http"),
            ("ftp://example.test/", "must begin with http"),
            ("http:///x", "write it like"),
            ("http://example.test:70000/", "port"),
            ("http://user:secret@example.test/", "Authorization header"),
            ("http://exa mple.test/", "write it like"),
        ] {
            let error = RequestTarget::parse(url).expect_err(url).to_string();
            assert!(error.contains(says), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn resolves_relative_locations() {
        let here = target("http://example.test:81/agents/a?x=1");
        for (location, url) in [
            ("/b", "http://example.test:81/b"),
            ("b", "http://example.test:81/agents/b"),
            ("?y=2", "http://example.test:81/agents/a?y=2"),
            ("//other.test/c#d", "http://other.test/c"),
            ("https://other.test/c", "https://other.test/c"),
            ("", "http://example.test:81/agents/"),
        ] {
            assert_eq!(here.join(location).expect(location).url(), url);
        }
    }
}
