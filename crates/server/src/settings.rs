//! Settings of the server with their defaults.
//!
//! Field names are the keys of the configuration file. The program reads the file, the environment and the flags.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use crate::scope::AccessScope;
pub use gateway::settings::{
    AgentSettings, CitationSettings, DurationSetting, NameGeneration, OnDisconnect,
    ProjectionSetting,
};

/// All settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address, storage and origins.
    pub server: ServerSettings,
    /// Upstream agents by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Verification of citations.
    pub citations: CitationSettings,
    /// Token issuers and the audit log.
    pub access: AccessSettings,
    /// Limits on requests and connections.
    pub limits: LimitSettings,
    /// Export of traces.
    pub telemetry: TelemetrySettings,
}

/// `[server]`: address, storage and origins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    /// Address to listen on, such as `127.0.0.1:8787`.
    #[serde(deserialize_with = "read_address")]
    pub listen: SocketAddr,
    /// Public address for links, such as `https://pincite.example`.
    pub public_url: Option<String>,
    /// Origins of web pages that may call the server, besides those of this machine; `*` allows any.
    pub cors: Vec<String>,
    /// Folder of the database.
    pub data: PathBuf,
    /// Failures that stored data survives.
    pub durability: DurabilitySetting,
    /// Hosts that documents may be fetched from; `*` allows any public host. Empty: nothing is fetched.
    pub allow_fetch: Vec<String>,
}

/// Reads an address to listen on: `127.0.0.1:8787`, or `localhost:8787` and `:8787` for this machine.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let port = text
        .strip_prefix("localhost:")
        .or_else(|| text.strip_prefix(':'));
    let local = port.and_then(|port| port.parse().ok());
    let local = local.map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    local.or_else(|| text.parse().ok()).ok_or_else(|| {
        "an address with a port is needed, such as 127.0.0.1:8787, localhost:8787 or 0.0.0.0:8787"
            .to_owned()
    })
}

fn read_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    listen_address(&text).map_err(serde::de::Error::custom)
}

/// Failures that stored data survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilitySetting {
    /// The process is killed.
    #[default]
    Process,
    /// The power fails. Every write waits for the disk.
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

/// `[access]`: token issuers and the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessSettings {
    /// Days that audit entries are kept; 0 keeps them for ever.
    pub audit_days: u32,
    /// Largest number of audit entries; 0 keeps all.
    pub audit_entries: u64,
    /// Accepted token issuers. The table key prefixes the principals they create.
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

/// `[access.issuers.NAME]`: accepted issuer of tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssuerSettings {
    /// Required value of the claim `iss`.
    pub issuer: String,
    /// Required value of the claim `aud`.
    pub audience: String,
    /// File with the public keys of the issuer, as a JWK set.
    pub keys: PathBuf,
    /// Scopes that its tokens grant.
    #[serde(default = "read_and_write")]
    pub scopes: Vec<AccessScope>,
}

fn read_and_write() -> Vec<AccessScope> {
    vec![AccessScope::Read, AccessScope::Write]
}

/// `[limits]`: limits on requests and connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// Requests per minute of a principal with a key or token; 0 for no limit.
    pub requests_per_minute: u32,
    /// Open requests and streams of such a principal; 0 for no limit.
    pub concurrent: usize,
    /// Largest body of a request, in bytes.
    pub body_bytes: usize,
    /// Longest time for the head of a request to arrive.
    pub header_timeout: DurationSetting,
    /// Longest pause within the body of a request.
    pub body_timeout: DurationSetting,
    /// Open connections.
    pub connections: usize,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            requests_per_minute: 600,
            concurrent: 100,
            body_bytes: 64 << 20,
            header_timeout: DurationSetting(Duration::from_secs(10)),
            body_timeout: DurationSetting(Duration::from_secs(30)),
            connections: 10_000,
        }
    }
}

/// `[telemetry]`: export of traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetrySettings {
    /// Collector that takes OTLP over HTTP, such as `http://localhost:4318`. Without one there are no traces.
    pub otlp: Option<String>,
    /// Headers that are added to every request to the collector.
    pub headers: BTreeMap<String, String>,
    /// Service name in traces.
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
    fn listen_addresses_may_leave_out_the_host() {
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
