//! Embedding models behind HTTP.

use std::time::Duration;

use agui_http::client::{
    HttpAgent, HttpClient, HttpError, ProxyConfig, RedirectPolicy, ResponseLimits, Timeouts,
};
use search::{EmbedError, Embedder};
use serde::Deserialize;
use tokio::runtime::Handle;

/// Largest response in bytes.
const MAX_RESPONSE: u64 = 64 << 20;

/// Protocol of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointProtocol {
    /// `POST …/embeddings` of OpenAI and compatible servers.
    OpenAi,
    /// `POST …/api/embed` of Ollama.
    Ollama,
}

impl EndpointProtocol {
    /// Returns the address of the service itself.
    fn default_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/embeddings",
            Self::Ollama => "/api/embed",
        }
    }
}

/// Address of an endpoint, with its key.
#[derive(Clone)]
pub struct EndpointAccess {
    /// Protocol.
    pub protocol: EndpointProtocol,
    /// Name of the model.
    pub model: String,
    /// Address up to the path of the protocol, instead of the service's own.
    pub url: Option<String>,
    /// Key, sent as a bearer token.
    pub key: Option<String>,
    /// Longest time of a request for documents.
    pub timeout: Duration,
    /// Longest time of a request for a query.
    pub query_timeout: Duration,
    /// Proxies.
    pub proxies: ProxyConfig,
}

/// Embedding model behind HTTP.
pub struct EndpointEmbedder {
    /// Name of the model with its protocol, which is stored with the vectors.
    model: String,
    /// Name of the model in requests.
    requested: String,
    protocol: EndpointProtocol,
    client: HttpClient,
    timeout: Duration,
    query_timeout: Duration,
    runtime: Handle,
}

impl EndpointEmbedder {
    /// Creates the model. Nothing is sent before the first text. Requests run on `runtime`, so texts must be embedded
    /// on threads that may block.
    pub fn new(access: EndpointAccess, runtime: Handle) -> Result<Self, HttpError> {
        let protocol = access.protocol;
        let base = access.url.as_deref().unwrap_or(protocol.default_url());
        let url = format!("{}{}", base.trim_end_matches('/'), protocol.path());
        let mut builder = HttpAgent::builder(url)
            .proxies(access.proxies)
            // A redirect would carry the key and the texts to another address.
            .redirects(RedirectPolicy::Never)
            .limits(ResponseLimits {
                body: MAX_RESPONSE,
                ..ResponseLimits::default()
            })
            .timeouts(Timeouts {
                first_event: access.timeout,
                idle: access.timeout,
                ..Timeouts::default()
            });
        if let Some(key) = &access.key {
            builder = builder.header("Authorization", format!("Bearer {key}"));
        }
        let prefix = match protocol {
            EndpointProtocol::OpenAi => "openai",
            EndpointProtocol::Ollama => "ollama",
        };
        Ok(Self {
            model: format!("{prefix}:{}", access.model),
            requested: access.model,
            protocol,
            client: builder.build_client()?,
            timeout: access.timeout,
            query_timeout: access.query_timeout,
            runtime,
        })
    }

    async fn request(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, String> {
        let body = serde_json::json!({ "model": self.requested, "input": texts });
        let exchange = async {
            let mut response = self.client.post(&body.to_string()).await?;
            let mut bytes = Vec::new();
            while response.read_into(&mut bytes).await? {}
            Ok(bytes)
        };
        let answered = tokio::time::timeout(timeout, exchange).await;
        let bytes = answered
            .map_err(|_| format!("no answer within {} s", timeout.as_secs_f32()))?
            .map_err(|error: HttpError| error.to_string())?;
        read_vectors(self.protocol, &bytes)
    }

    fn embed_within(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        let failed = |reason| EmbedError::Failed(format!("{}: {reason}", self.model));
        let vectors = self.runtime.block_on(self.request(texts, timeout));
        let vectors = vectors.map_err(failed)?;
        match vectors.len() == texts.len() {
            true => Ok(vectors),
            false => Err(failed(format!(
                "it returned {} vectors for {} texts",
                vectors.len(),
                texts.len()
            ))),
        }
    }
}

impl Embedder for EndpointEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_within(texts, self.timeout)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = self.embed_within(&[query], self.query_timeout)?.pop();
        Ok(vector.unwrap_or_default())
    }
}

/// Response of a server that speaks OpenAI's protocol.
#[derive(Deserialize)]
struct OpenAiVectors {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    #[serde(default)]
    index: usize,
    embedding: Vec<Option<f32>>,
}

/// Response of Ollama.
#[derive(Deserialize)]
struct OllamaVectors {
    embeddings: Vec<Vec<Option<f32>>>,
}

/// Reads the vectors of a response. `null` stands for a number that is not finite, because JSON has none.
fn read_vectors(protocol: EndpointProtocol, bytes: &[u8]) -> Result<Vec<Vec<f32>>, String> {
    let unreadable = |error: serde_json::Error| format!("its response cannot be read: {error}");
    let rows = match protocol {
        EndpointProtocol::OpenAi => {
            let mut read: OpenAiVectors = serde_json::from_slice(bytes).map_err(unreadable)?;
            read.data.sort_by_key(|vector| vector.index);
            let rows = read.data.into_iter();
            rows.map(|vector| vector.embedding).collect()
        }
        EndpointProtocol::Ollama => {
            let read: OllamaVectors = serde_json::from_slice(bytes).map_err(unreadable)?;
            read.embeddings
        }
    };
    let number = |number: Option<f32>| number.unwrap_or(f32::NAN);
    Ok(rows
        .into_iter()
        .map(|row| row.into_iter().map(number).collect())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_read_in_the_order_of_the_texts() {
        let body = br#"{"data":[{"index":1,"embedding":[2,0]},{"index":0,"embedding":[1,0]}]}"#;
        let read = read_vectors(EndpointProtocol::OpenAi, body);
        assert_eq!(read, Ok(vec![vec![1.0, 0.0], vec![2.0, 0.0]]));
        let read = read_vectors(EndpointProtocol::Ollama, br#"{"embeddings":[[0.5,1]]}"#);
        assert_eq!(read, Ok(vec![vec![0.5, 1.0]]));
    }

    #[test]
    fn numbers_that_are_missing_are_not_finite() {
        let read = read_vectors(EndpointProtocol::Ollama, br#"{"embeddings":[[null]]}"#);
        assert!(read.expect("the response is read")[0][0].is_nan());
        for body in [&b"<html>"[..], b"{}", br#"{"data":[{}]}"#, b"[NaN]"] {
            assert!(read_vectors(EndpointProtocol::OpenAi, body).is_err());
        }
    }
}
