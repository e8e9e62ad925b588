//! Health and logging of the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Health of the process.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HealthStatus {
    /// Always `ok`.
    pub(crate) status: &'static str,
}

/// Readiness of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReadinessStatus {
    /// `ready`, or `unavailable` if the database fails.
    #[schemars(extend("enum" = ["ready", "unavailable"]))]
    pub(crate) status: &'static str,
    /// Failure of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Advice on what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

/// Log level of the server.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LogLevelBody {
    /// Messages of this level and more severe ones are logged.
    pub(crate) level: LogLevelName,
}

/// Severity of log messages.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevelName {
    /// Failures.
    Error,
    /// Failures and warnings.
    Warn,
    /// Also important events.
    Info,
    /// Also details for developers.
    Debug,
    /// Everything.
    Trace,
}

impl From<LogLevelName> for tracing::Level {
    fn from(name: LogLevelName) -> Self {
        match name {
            LogLevelName::Error => Self::ERROR,
            LogLevelName::Warn => Self::WARN,
            LogLevelName::Info => Self::INFO,
            LogLevelName::Debug => Self::DEBUG,
            LogLevelName::Trace => Self::TRACE,
        }
    }
}

impl From<tracing::Level> for LogLevelName {
    fn from(level: tracing::Level) -> Self {
        match level {
            tracing::Level::ERROR => Self::Error,
            tracing::Level::WARN => Self::Warn,
            tracing::Level::INFO => Self::Info,
            tracing::Level::DEBUG => Self::Debug,
            tracing::Level::TRACE => Self::Trace,
        }
    }
}
