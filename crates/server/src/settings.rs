//! What can be configured, with its defaults.
//!
//! Names are those of the configuration file; where they come from (a file, the environment, flags) the
//! program decides.

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

/// Everything that can be configured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The server itself.
    pub server: ServerSettings,
    /// Agents by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// What is done about citations.
    pub citations: CitationSettings,
    /// Who may ask, besides the holders of keys.
    pub access: AccessSettings,
    /// How much may be asked.
    pub limits: LimitSettings,
    /// Where traces are sent.
    pub telemetry: TelemetrySettings,
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    /// Where it listens.
    #[serde(deserialize_with = "read_address")]
    pub listen: SocketAddr,
    /// What it is called from outside, `https://pincite.example`.
    pub public_url: Option<String>,
    /// Origins of pages that may ask, besides those of this machine.
    pub cors: Vec<String>,
    /// Where everything is kept.
    pub data: PathBuf,
    /// When something that was stored is safe.
    pub durability: DurabilitySetting,
    /// Hosts that may be fetched from for others; `*` means any public one. None: nothing is fetched.
    pub allow_fetch: Vec<String>,
}

/// Where to listen, as people write it: `127.0.0.1:8787`, or `localhost:8787` and `:8787`, which are this machine.
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

/// What stored events survive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilitySetting {
    /// That the process is killed.
    #[default]
    Process,
    /// That the power fails: every write waits for the disk.
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

/// `[access]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessSettings {
    /// For how many days it is kept who read and deleted what; 0: for ever.
    pub audit_days: u32,
    /// How many entries of that are kept at most; 0: all.
    pub audit_entries: u64,
    /// Whose tokens are taken, by a name that begins the names of their principals.
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

/// `[access.issuers.NAME]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssuerSettings {
    /// What the tokens must say in `iss`.
    pub issuer: String,
    /// What they must say in `aud`.
    pub audience: String,
    /// A file with the keys that they are signed with: a JWK set.
    pub keys: PathBuf,
    /// What may be done with them.
    #[serde(default = "read_and_write")]
    pub scopes: Vec<AccessScope>,
}

fn read_and_write() -> Vec<AccessScope> {
    vec![AccessScope::Read, AccessScope::Write]
}

/// `[limits]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSettings {
    /// How many requests a principal with a key or token may make in a minute; 0: any number.
    pub requests_per_minute: u32,
    /// How many of its requests and streams may be open at once; 0: any number.
    pub concurrent: usize,
    /// How many bytes a request may have.
    pub body_bytes: usize,
    /// How long a client may take to send the head of a request.
    pub header_timeout: DurationSetting,
    /// How long a client may pause within the body of one.
    pub body_timeout: DurationSetting,
    /// How many connections may be open at once.
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

/// `[telemetry]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetrySettings {
    /// A collector that takes traces as OTLP over HTTP, `http://localhost:4318`. None: there are no traces.
    pub otlp: Option<String>,
    /// Headers that every request to it carries.
    pub headers: BTreeMap<String, String>,
    /// What the program is called in traces.
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
    fn addresses_are_read_as_people_write_them() {
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
