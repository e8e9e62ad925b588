//! What can be configured, with its defaults.
//!
//! Names are those of the configuration file; where they come from (a file, the environment, flags) the
//! program decides.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::access::AccessScope;
use citation_stream::is_safe;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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

fn read_state_key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let key = String::deserialize(deserializer)?;
    if key.is_empty() || !is_safe(&key) {
        let words =
            "no client takes this as a key of its state; take a name such as \"deepcitation\"";
        return Err(serde::de::Error::custom(words));
    }
    Ok(key)
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

/// `[agents.NAME]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// Where it is.
    pub url: String,
    /// Headers that every request to it carries.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Headers of the client that it gets.
    #[serde(default)]
    pub forward_headers: Vec<String>,
    /// How long it may be silent.
    #[serde(default = "minutes::<5>")]
    pub timeout: DurationSetting,
    /// How many bytes it may say in one run.
    #[serde(default = "most_bytes")]
    pub max_answer: u64,
    /// What becomes of a run that nobody watches.
    #[serde(default)]
    pub on_disconnect: OnDisconnect,
    /// How long such a run goes on.
    #[serde(default = "minutes::<5>")]
    pub linger: DurationSetting,
}

impl AgentSettings {
    /// An agent at an address.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: BTreeMap::new(),
            forward_headers: Vec::new(),
            timeout: minutes::<5>(),
            max_answer: most_bytes(),
            on_disconnect: OnDisconnect::default(),
            linger: minutes::<5>(),
        }
    }
}

fn most_bytes() -> u64 {
    256 << 20
}

fn minutes<const COUNT: u64>() -> DurationSetting {
    DurationSetting(Duration::from_secs(60 * COUNT))
}

/// What becomes of a run when its last watcher leaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDisconnect {
    /// It goes on, and is cancelled if nobody returns in time.
    #[default]
    Linger,
    /// It goes on to its end.
    Continue,
    /// It is cancelled.
    Cancel,
}

/// `[citations]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CitationSettings {
    /// The key of the state that holds citations and what is true of them.
    #[serde(deserialize_with = "read_state_key")]
    pub key: String,
    /// The forms in which they are written to the state.
    pub projections: Vec<ProjectionSetting>,
    /// The generation of field names in the state.
    pub names: NameGeneration,
    /// Whether results are sent while the text streams.
    pub early: bool,
    /// How long the end of a run waits for results.
    pub deadline: DurationSetting,
    /// Whether the data block is taken out of the text; absent: for built-in agents only.
    pub hide_block: Option<bool>,
    /// How many characters may be spent on teaching an upstream to cite; 0: none.
    pub instruct: usize,
    /// How much of a message is looked at, in bytes.
    pub max_message_bytes: usize,
    /// How many messages keep their results in the state; 0: all.
    pub keep_messages: usize,
    /// Whether the life of a citation is told in `CUSTOM` events.
    pub custom_events: bool,
}

impl Default for CitationSettings {
    fn default() -> Self {
        Self {
            key: "deepcitation".to_owned(),
            projections: vec![
                ProjectionSetting::Deepcitation,
                ProjectionSetting::Citations,
                ProjectionSetting::Rag,
            ],
            names: NameGeneration::G2,
            early: true,
            deadline: DurationSetting(Duration::from_secs(10)),
            hide_block: None,
            instruct: 0,
            max_message_bytes: 1 << 20,
            keep_messages: 0,
            custom_events: false,
        }
    }
}

/// A form in which citations are written to the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectionSetting {
    /// Everything there is, under [`CitationSettings::key`].
    Deepcitation,
    /// A list for each message, under `citations`.
    Citations,
    /// Questions and answers with numbered sources, under `rag`.
    Rag,
}

/// A generation of field names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameGeneration {
    /// `fullPhrase`, `anchorText`.
    #[default]
    G2,
    /// `sourceContext`, `sourceMatch`.
    G3,
}

/// A stretch of time, written `10s` or `5m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationSetting(pub Duration);

impl Serialize for DurationSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let millis = self.0.as_millis();
        let text = match millis {
            0 => "0s".to_owned(),
            whole if whole % 60_000 == 0 => format!("{}m", whole / 60_000),
            whole if whole % 1000 == 0 => format!("{}s", whole / 1000),
            _ => format!("{millis}ms"),
        };
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for DurationSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || {
            serde::de::Error::custom(format!(
                "'{text}' is no stretch of time; write 10s, 5m, 1h or 250ms"
            ))
        };
        let span: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
        Duration::try_from(span).map(Self).map_err(|_| wrong())
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
