//! Settings of the server with their defaults.
//!
//! Field names are the keys of the configuration file. The doc comments are the reference of the settings: the sample
//! file, the JSON Schema and `docs/configuration.md` are generated from them.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::loopback::is_loopback;
use crate::scope::AccessScope;
pub use gateway::settings::{
    AgentSettings, CitationSettings, DurationSetting, NameGeneration, OnDisconnect,
    ProjectionSetting,
};

/// Settings of `pincite serve`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address, data and origins of the server.
    pub server: ServerSettings,
    /// Agents by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Verification of citations, and its form in the state of a thread.
    pub citations: CitationSettings,
    /// Audit log and token issuers. API keys are managed with `pincite keys`.
    pub access: AccessSettings,
    /// Document library.
    pub library: LibrarySettings,
    /// Search in the library.
    pub search: SearchSettings,
    /// Language models. Without one no request leaves the machine, and the reader quotes sentences. Keys are in the
    /// environment: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`.
    pub models: ModelSettings,
    /// Access of other programs through the Model Context Protocol, at `/mcp`.
    pub mcp: McpSettings,
    /// Limits on requests and connections.
    pub limits: LimitSettings,
    /// Export of traces. Without a collector there are no traces.
    pub telemetry: TelemetrySettings,
}

/// Language models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// Model that answers, as PROVIDER:MODEL with `anthropic`, `openai` or `ollama`. `PINCITE_MODEL` sets it too.
    #[schemars(example = "anthropic:claude-haiku-4-5")]
    pub default: Option<String>,
    /// Models that are tried in this order if the default fails before its first token.
    #[schemars(example = ["ollama:llama3.2"])]
    pub fallback: Vec<String>,
    /// Number of times a request is repeated after a transient failure, for each model.
    pub retries: u32,
    /// Largest number of answers of the model in one run; in the last one it must answer without tools.
    pub max_steps: u32,
    /// Largest number of tokens of one run, input and output together.
    pub max_tokens: u64,
    /// Longest time of one run in seconds.
    pub max_seconds: u64,
    /// Largest number of tokens of one answer.
    pub max_output_tokens: u32,
    /// Address instead of Anthropic's own.
    #[schemars(example = "https://anthropic.example")]
    pub anthropic_url: Option<String>,
    /// Address of a server that speaks OpenAI's protocol, with its path up to `/v1`.
    #[schemars(example = "http://127.0.0.1:8080/v1")]
    pub openai_url: Option<String>,
    /// Address of Ollama.
    #[schemars(example = "http://127.0.0.1:11434")]
    pub ollama_url: Option<String>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            default: None,
            fallback: Vec::new(),
            retries: 2,
            max_steps: 12,
            max_tokens: 400_000,
            max_seconds: 300,
            max_output_tokens: 4_096,
            anthropic_url: None,
            openai_url: None,
            ollama_url: None,
        }
    }
}

/// Access through the Model Context Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpSettings {
    /// Serve the protocol at `/mcp`.
    pub enabled: bool,
    /// Offer no tool that adds documents.
    pub read_only: bool,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            read_only: false,
        }
    }
}

/// Document library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LibrarySettings {
    /// Folders whose documents are ingested while the server runs, also those that are added or changed later. They
    /// belong to the principal `local`.
    #[schemars(example = ["~/papers"])]
    pub watch: Vec<PathBuf>,
}

/// Search in the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSettings {
    /// Model that makes vectors of passages. `auto` is the sentence model in `model_dir`, if it is there; `none` searches
    /// by words only; `openai:MODEL` and `ollama:MODEL` call an endpoint.
    #[schemars(example = "ollama:nomic-embed-text")]
    pub embedding: String,
    /// Address of the endpoint; by default `models.openai_url` or `models.ollama_url`.
    #[schemars(example = "http://127.0.0.1:8080/v1")]
    pub embedding_url: Option<String>,
    /// Weights of vectors beside words, from 0 to 1, by the language of the query (ISO 639-1); `*` for all others.
    /// Documents in languages of weight 0 are not embedded.
    pub weights: BTreeMap<String, f32>,
    /// Folder of the sentence model, which `make model` fetches; by default `pincite/models/all-MiniLM-L6-v2` in the
    /// user's data directory.
    #[schemars(example = "~/models/all-MiniLM-L6-v2")]
    pub model_dir: Option<PathBuf>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            embedding: "auto".to_owned(),
            embedding_url: None,
            weights: BTreeMap::from([("en".to_owned(), 0.5)]),
            model_dir: None,
        }
    }
}

/// Address, data and origins of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    /// Address and port to listen on. An address that other machines can reach needs a key or a token issuer.
    #[serde(deserialize_with = "read_address")]
    #[schemars(with = "String")]
    pub listen: SocketAddr,
    /// URL under which clients reach the server. Links to evidence pages begin with it; by default they use the listen
    /// address. A URL of another host than this machine needs a key or a token issuer.
    #[schemars(example = "https://pincite.example")]
    pub public_url: Option<String>,
    /// Origins of web pages that may send requests, besides pages of this machine.
    #[schemars(example = ["https://chat.example"])]
    pub cors: Vec<String>,
    /// Data directory: database, uploaded files, keys.
    pub data: PathBuf,
    /// Failures that stored events survive.
    pub durability: DurabilitySetting,
    /// Hosts that documents may be fetched from, as `host`, `host:port`, `*.host` or `*` for any public host. Nothing
    /// is fetched by default.
    #[schemars(example = ["example.org"])]
    pub allow_fetch: Vec<String>,
}

impl ServerSettings {
    /// Returns true if clients on other machines reach the server under a public URL, through a proxy or tunnel.
    pub fn has_public_url(&self) -> bool {
        self.public_url.as_deref().is_some_and(|url| {
            let url = url.parse::<axum::http::Uri>();
            let host = url.as_ref().ok().and_then(|url| url.host());
            !host.is_some_and(is_loopback)
        })
    }
}

/// Parses a listen address: `127.0.0.1:8787`; `localhost:8787` and `:8787` mean this machine.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let port = text
        .strip_prefix("localhost:")
        .or_else(|| text.strip_prefix(':'));
    let local = port.and_then(|port| port.parse().ok());
    let local = local.map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    local.or_else(|| text.parse().ok()).ok_or_else(|| {
        "expected an address with a port, such as 127.0.0.1:8787, localhost:8787 or 0.0.0.0:8787"
            .to_owned()
    })
}

fn read_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    listen_address(&text).map_err(serde::de::Error::custom)
}

/// Failures that stored events survive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DurabilitySetting {
    /// The process is killed
    #[default]
    Process,
    /// Also a power failure; every write waits for the disk
    Full,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)),
            public_url: None,
            cors: Vec::new(),
            data: PathBuf::from("pincite-data"),
            durability: DurabilitySetting::default(),
            allow_fetch: Vec::new(),
        }
    }
}

/// Audit log and token issuers. API keys are managed with `pincite keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AccessSettings {
    /// Days that entries of the audit log are kept; 0 keeps them forever.
    pub audit_days: u32,
    /// Maximum number of entries in the audit log; 0 keeps all.
    pub audit_entries: u64,
    /// Accepted token issuers. The name of the table prefixes the principals of their tokens.
    pub issuers: BTreeMap<String, IssuerSettings>,
}

impl Default for AccessSettings {
    fn default() -> Self {
        Self {
            audit_days: 400,
            audit_entries: 1_000_000,
            issuers: BTreeMap::new(),
        }
    }
}

/// An accepted issuer of tokens (JWT). NAME prefixes the principals of its tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IssuerSettings {
    /// Value of the claim `iss`.
    #[schemars(example = "https://login.example")]
    pub issuer: String,
    /// Value of the claim `aud`.
    #[schemars(example = &"pincite")]
    pub audience: String,
    /// File with the keys that sign the tokens, a JWK set.
    #[schemars(example = "jwks.json")]
    pub keys: PathBuf,
    /// Permissions of the tokens.
    #[serde(default = "read_and_write")]
    pub scopes: Vec<AccessScope>,
}

fn read_and_write() -> Vec<AccessScope> {
    vec![AccessScope::Read, AccessScope::Write]
}

/// Limits on requests and connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Requests per minute of each principal with a key or token, and of each signed link; 0 is unlimited.
    pub requests_per_minute: u32,
    /// Concurrent requests and streams of each principal with a key or token, and of each signed link; 0 is unlimited.
    pub concurrent_requests: usize,
    /// Maximum size of a request body in bytes, which limits uploads, too.
    pub max_body_bytes: usize,
    /// Time that a client may take to send the head of a request.
    pub header_timeout: DurationSetting,
    /// Longest pause of a client within the body of a request.
    pub body_timeout: DurationSetting,
    /// Maximum number of open connections.
    pub connections: usize,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            requests_per_minute: 600,
            concurrent_requests: 100,
            max_body_bytes: 64 << 20,
            header_timeout: DurationSetting(Duration::from_secs(10)),
            body_timeout: DurationSetting(Duration::from_secs(30)),
            connections: 10_000,
        }
    }
}

/// Export of traces. Without a collector there are no traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetrySettings {
    /// URL of a collector that accepts OTLP over HTTP.
    #[schemars(example = "http://localhost:4318")]
    pub otlp: Option<String>,
    /// Headers of every request to the collector.
    #[schemars(example = BTreeMap::from([("Authorization", "Bearer …")]))]
    pub headers: BTreeMap<String, String>,
    /// Name of the service in traces.
    pub service: String,
}

impl Default for TelemetrySettings {
    fn default() -> Self {
        Self {
            otlp: None,
            headers: BTreeMap::new(),
            service: "pincite".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_another_host_is_public() {
        for (url, is_public) in [
            (None, false),
            (Some("http://localhost:8787"), false),
            (Some("http://127.0.0.1:8787/"), false),
            (Some("http://[::1]:8787"), false),
            (Some("https://pincite.example"), true),
            (Some("http://192.168.1.7:8787"), true),
            (Some("not a url"), true),
        ] {
            let settings = ServerSettings {
                public_url: url.map(str::to_owned),
                ..ServerSettings::default()
            };
            assert_eq!(settings.has_public_url(), is_public, "{url:?}");
        }
    }

    #[test]
    fn parses_listen_addresses() {
        for (text, address) in [
            ("127.0.0.1:8787", Some("127.0.0.1:8787")),
            ("localhost:0", Some("127.0.0.1:0")),
            (":8787", Some("127.0.0.1:8787")),
            ("[::1]:8787", Some("[::1]:8787")),
            ("0.0.0.0:80", Some("0.0.0.0:80")),
            ("8787", None),
            ("localhost", None),
            (":", None),
            (":99999", None),
            ("example.com:80", None),
        ] {
            let read = listen_address(text).ok().map(|read| read.to_string());
            assert_eq!(read.as_deref(), address, "{text}");
        }
    }
}
