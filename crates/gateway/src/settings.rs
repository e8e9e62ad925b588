//! Settings of upstream agents and of citations.
//!
//! Field names are the keys of the configuration file. The program reads the file, the environment and the flags.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use citation_stream::is_safe_name;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An AG-UI agent behind the gateway, served as `/agents/NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// URL that runs are sent to.
    #[schemars(example = "http://localhost:8000/")]
    pub url: String,
    /// Headers of every request to the agent.
    #[serde(default)]
    #[schemars(example = BTreeMap::from([("Authorization", "Bearer …")]))]
    pub headers: BTreeMap<String, String>,
    /// Names of client headers that are forwarded to the agent. API keys of Pincite are never forwarded.
    #[serde(default)]
    #[schemars(example = ["X-Request-Id"])]
    pub forward_headers: Vec<String>,
    /// Release of AG-UI that the agent uses. An agent before 1.0 is sent no `protocolVersion`.
    #[serde(default)]
    pub protocol: UpstreamProtocol,
    /// Longest silence of the agent before its run fails.
    #[serde(default = "minutes::<5>")]
    pub timeout: DurationSetting,
    /// Largest answer of one run, in bytes.
    #[serde(default = "default_max_answer")]
    pub max_answer_bytes: u64,
    /// Fate of a run whose last subscriber has left.
    #[serde(default)]
    pub on_disconnect: OnDisconnect,
    /// Time that a run without subscribers continues if `on_disconnect` is `linger`.
    #[serde(default = "minutes::<5>")]
    pub linger: DurationSetting,
}

impl AgentSettings {
    /// Returns the defaults for an agent at an address.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: BTreeMap::new(),
            forward_headers: Vec::new(),
            protocol: UpstreamProtocol::default(),
            timeout: minutes::<5>(),
            max_answer_bytes: default_max_answer(),
            on_disconnect: OnDisconnect::default(),
            linger: minutes::<5>(),
        }
    }
}

fn default_max_answer() -> u64 {
    256 << 20
}

fn minutes<const COUNT: u64>() -> DurationSetting {
    DurationSetting(Duration::from_secs(60 * COUNT))
}

/// Release of AG-UI that an agent uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UpstreamProtocol {
    /// Found out: an agent that rejects `protocolVersion` is sent none any more.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// A release before 1.0.
    #[serde(rename = "0.x")]
    Legacy,
}

/// Fate of a run whose last subscriber has left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnDisconnect {
    /// The run continues for a while and is then cancelled.
    #[default]
    Linger,
    /// The run continues to its end.
    Continue,
    /// The run is cancelled at once.
    Cancel,
}

/// Verification of citations, and its form in the state of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CitationSettings {
    /// Key of the state under which citations and their verifications are written.
    #[serde(deserialize_with = "read_state_key")]
    pub key: String,
    /// Projections of the citations that are written to the state.
    pub projections: Vec<ProjectionSetting>,
    /// Generation of the field names in the state.
    pub names: NameGeneration,
    /// Send results while the text still streams, instead of at its end.
    pub early: bool,
    /// Longest time that the end of a run waits for results.
    pub deadline: DurationSetting,
    /// Removal of the citation data block from the visible text.
    pub hide_block: HideBlock,
    /// Budget in characters for instructions that teach an upstream agent to cite, with the text of the run's documents;
    /// 0 adds none.
    #[serde(deserialize_with = "read_budget")]
    pub instruct: usize,
    /// Largest part of a message that is searched for citations, in bytes.
    pub max_message_bytes: usize,
    /// Number of messages that keep their results in the state; 0 keeps all.
    pub keep_messages: usize,
    /// Also report the progress of citations as `CUSTOM` events.
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
            hide_block: HideBlock::default(),
            instruct: 0,
            max_message_bytes: 1 << 20,
            keep_messages: 50,
            custom_events: false,
        }
    }
}

fn read_state_key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let key = String::deserialize(deserializer)?;
    if key.is_empty() || !is_safe_name(&key) {
        let message = "clients cannot use this as a key of their state; choose a name such as \"deepcitation\"";
        return Err(serde::de::Error::custom(message));
    }
    Ok(key)
}

fn read_budget<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let budget = usize::deserialize(deserializer)?;
    let least = citation_stream::prompt_length();
    if (1..least).contains(&budget) {
        let message = format!(
            "{budget} characters do not hold the instructions, which have {least}; use at least that many, or 0 for none"
        );
        return Err(serde::de::Error::custom(message));
    }
    Ok(budget)
}

/// Removal of the citation data block from the visible text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HideBlock {
    /// Removed for built-in agents, and where `instruct` taught the format.
    #[default]
    Auto,
    /// Always removed.
    Always,
    /// Never removed.
    Never,
}

/// Form in which citations are written to the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProjectionSetting {
    /// All citations with their verifications, under `citations.key`.
    Deepcitation,
    /// One list of citations for each message, under `citations`.
    Citations,
    /// Questions and answers with numbered sources, under `rag`.
    Rag,
}

/// Generation of field names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NameGeneration {
    /// `fullPhrase`, `anchorText`.
    #[default]
    G2,
    /// `sourceContext`, `sourceMatch`.
    G3,
}

/// Duration, written `250ms`, `10s`, `5m` or `1h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationSetting(pub Duration);

impl JsonSchema for DurationSetting {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "title": "Duration", "examples": ["250ms", "10s", "5m"] })
    }
}

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
                "'{text}' is not a duration; write 250ms, 10s, 5m or 1h"
            ))
        };
        let span: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
        Duration::try_from(span).map(Self).map_err(|_| wrong())
    }
}
