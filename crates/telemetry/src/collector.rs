//! Address and credentials of a trace collector.

use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use crate::post::{SendError, post};

/// Path of OTLP over HTTP for traces.
const TRACES_PATH: &str = "/v1/traces";

/// Collector that traces are sent to, and the service name they are sent under.
#[derive(Debug, Clone)]
pub struct Collector {
    pub(crate) url: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) service: String,
}

/// Collector configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CollectorError {
    /// The URL is not valid.
    #[error("'{0}' is not the URL of a collector; write it like http://localhost:4318")]
    Url(String),
    /// A header cannot be sent.
    #[error(
        "the header '{0}' cannot be sent: names have letters, digits and hyphens, values no line ends"
    )]
    Header(String),
}

impl Collector {
    /// Creates a collector from a URL such as `http://localhost:4318`. The OTLP path is added if it is missing.
    pub fn new<'h>(
        url: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        service: &str,
    ) -> Result<Self, CollectorError> {
        let bad = || CollectorError::Url(url.to_owned());
        let base = url.trim().trim_end_matches('/');
        let whole = match base.ends_with(TRACES_PATH) {
            true => base.to_owned(),
            false => format!("{base}{TRACES_PATH}"),
        };
        let parsed: Uri = whole.parse().map_err(|_| bad())?;
        let known = matches!(parsed.scheme_str(), Some("http" | "https"));
        let authority = parsed.authority().filter(|authority| {
            // Credentials belong in a header, which is never displayed.
            !authority.host().is_empty() && !authority.as_str().contains('@')
        });
        if !known || authority.is_none() || parsed.query().is_some() {
            return Err(bad());
        }
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            let wrong = || CollectorError::Header(name.to_owned());
            let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
            value.set_sensitive(true);
            let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            all.insert(parsed, value);
        }
        Ok(Self {
            url: parsed,
            headers: all,
            service: service.to_owned(),
        })
    }

    /// Returns the URL with the OTLP path.
    pub fn url(&self) -> String {
        self.url.to_string()
    }

    /// Sends an empty request to check that the collector accepts traces.
    pub async fn probe(&self) -> Result<(), SendError> {
        let mut request = http::Request::post(self.url.clone());
        if let Some(headers) = request.headers_mut() {
            *headers = self.headers.clone();
            let protobuf = HeaderValue::from_static("application/x-protobuf");
            headers.insert(http::header::CONTENT_TYPE, protobuf);
        }
        // An empty protobuf message has no bytes.
        let request = request.body(hyper::body::Bytes::new());
        let answer = post(request.map_err(|error| SendError::Answer(error.to_string()))?).await?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(SendError::Status(status.as_u16())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(url: &str) -> Result<String, CollectorError> {
        Collector::new(url, [], "pincite").map(|collector| collector.url())
    }

    #[test]
    fn the_otlp_path_is_added_once() {
        let whole = "http://localhost:4318/v1/traces";
        for written in ["http://localhost:4318", "http://localhost:4318/", whole] {
            assert_eq!(url(written).expect(written), whole);
        }
        assert_eq!(
            url("https://otlp.example/in/").expect("a path"),
            "https://otlp.example/in/v1/traces"
        );
    }

    #[test]
    fn invalid_urls_and_headers_are_refused() {
        for wrong in [
            "",
            "localhost:4318",
            "ftp://a",
            "http://",
            "http://k:s@a/",
            "http://a/?x=1",
        ] {
            assert!(matches!(url(wrong), Err(CollectorError::Url(_))), "{wrong}");
        }
        for header in [("a b", "x"), ("a", "x\r\ny")] {
            let made = Collector::new("http://a", [header], "pincite");
            assert!(matches!(made, Err(CollectorError::Header(_))), "{header:?}");
        }
    }
}
