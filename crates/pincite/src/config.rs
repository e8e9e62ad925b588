//! Configuration from defaults, a file, the environment and options. Later sources override earlier ones.

use std::path::{Path, PathBuf};

use figment::Figment;
use figment::error::{Actual, Kind};
use figment::providers::{Env, Format, Serialized, Toml};
use server::settings::{AgentSettings, Settings};

use crate::cli::ServeArgs;
use crate::command_error::CommandError;
use crate::settings_reference;
use net::hide_url_secrets;

/// File that is read if `--config` names none and it exists.
pub(crate) const FILE: &str = "pincite.toml";
/// Name of the scripted demo agent.
pub(crate) const DEMO: &str = "demo";
/// Prefix of environment variables, such as `PINCITE_SERVER__LISTEN`.
const PREFIX: &str = "PINCITE_";

/// Settings with their origin.
pub(crate) struct LoadedConfig {
    pub(crate) settings: Settings,
    /// Configuration file that was read.
    pub(crate) file: Option<PathBuf>,
    /// Values of all sources, with their origin.
    pub(crate) layers: Figment,
}

/// Merges defaults, file and environment. Returns the file that was read, too.
fn layers(named: Option<&Path>) -> Result<(Figment, Option<PathBuf>), CommandError> {
    let file = match named {
        Some(file) if !file.is_file() => {
            return Err(CommandError::Configuration(format!(
                "configuration file {} does not exist; check --config",
                file.display()
            )));
        }
        Some(file) => Some(file.to_owned()),
        None => Some(PathBuf::from(FILE)).filter(|file| file.is_file()),
    };
    let mut figment = Figment::from(Serialized::defaults(Settings::default()));
    if let Some(file) = &file {
        figment = figment.merge(Toml::file_exact(file));
    }
    // Settings have a table and therefore a dot; other variables with our prefix have none.
    figment = figment.merge(
        Env::prefixed(PREFIX)
            .split("__")
            .filter(|key| key.as_str().contains('.')),
    );
    if let Some(model) = model_variable() {
        figment = figment.merge(("models.default", model));
    }
    Ok((figment, file))
}

/// Returns the model that the environment names: `PINCITE_MODEL`, or its alias.
fn model_variable() -> Option<String> {
    let names = ["PINCITE_MODEL", "ATTRIBUTION_AGENT_MODEL"];
    let values = names.iter().filter_map(|name| std::env::var(name).ok());
    values.into_iter().find(|value| !value.trim().is_empty())
}

/// Loads the configuration without options of the command line.
pub(crate) fn load(named: Option<&Path>) -> Result<LoadedConfig, CommandError> {
    let (layers, file) = layers(named)?;
    let settings = layers
        .extract()
        .map_err(|error| config_error(&error, file.as_deref()))?;
    Ok(LoadedConfig {
        settings,
        file,
        layers,
    })
}

/// Returns the configured data directory.
pub(crate) fn data_directory(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    Ok(load(named)?.settings.server.data)
}

/// Loads the configuration of `pincite serve`, with its options.
pub(crate) fn load_for_serve(args: &ServeArgs) -> Result<LoadedConfig, CommandError> {
    let (mut figment, file) = layers(args.config.as_deref())?;
    if let Some(listen) = args.listen {
        figment = figment.merge(("server.listen", listen));
    }
    if let Some(data) = &args.data {
        figment = figment.merge(("server.data", data));
    }
    if !args.allow_fetch.is_empty() {
        figment = figment.merge(("server.allow_fetch", &args.allow_fetch));
    }
    let mut settings: Settings = figment
        .extract()
        .map_err(|error| config_error(&error, file.as_deref()))?;
    for (at, upstream) in args.upstreams.iter().enumerate() {
        let (name, url) = split_upstream(upstream);
        let mut before = args.upstreams[..at]
            .iter()
            .map(|before| split_upstream(before));
        if let Some((_, other)) = before.find(|(other, _)| *other == name) {
            return Err(CommandError::Configuration(format!(
                "--upstream: {other} and {url} have the same name '{name}'; name each with \
                 --upstream NAME=URL"
            )));
        }
        // The option replaces the URL; the other settings of the agent stay.
        settings
            .agents
            .entry(name.to_owned())
            .and_modify(|agent| agent.url = url.to_owned())
            .or_insert_with(|| AgentSettings::at(url));
    }
    if args.demo && settings.agents.contains_key(DEMO) {
        return Err(CommandError::Configuration(format!(
            "an agent has the name '{DEMO}' of the built-in agent; rename it, or leave out --demo"
        )));
    }
    Ok(LoadedConfig {
        settings,
        file,
        layers: figment,
    })
}

/// Splits `NAME=URL`. The name of a URL alone is `default`.
fn split_upstream(upstream: &str) -> (&str, &str) {
    if let Some((name, url)) = upstream.split_once('=') {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !name.is_empty() && name.bytes().all(is_allowed) {
            return (name, url);
        }
    }
    ("default", upstream)
}

/// Returns a message with the setting, its origin and a suggestion.
fn config_error(error: &figment::Error, file: Option<&Path>) -> CommandError {
    let path = error.path.join(".");
    let source = match (&error.metadata, file) {
        (Some(metadata), _) if metadata.name.contains("environment") => {
            format!("{PREFIX}{}", error.path.join("__").to_uppercase())
        }
        (Some(metadata), _) => metadata
            .source
            .as_ref()
            .map_or_else(|| metadata.name.to_string(), ToString::to_string),
        (None, Some(file)) => file.display().to_string(),
        (None, None) => "the configuration".to_owned(),
    };
    let setting = settings_reference::find(&error.path);
    let message = match &error.kind {
        Kind::UnknownField(name, known) => {
            let similar = known
                .iter()
                .map(|known| (edit_distance(name, known), known))
                .min()
                .filter(|(distance, _)| *distance <= 2);
            match similar {
                Some((_, similar)) => format!("unknown setting {path}; did you mean '{similar}'?"),
                None => format!("unknown setting {path}; known are {}", known.join(", ")),
            }
        }
        Kind::MissingField(name) => format!("{path}.{name} is missing; add it below [{path}]"),
        Kind::UnknownVariant(word, known) => {
            format!(
                "{path}: unknown value '{word}'; expected one of {}",
                known.join(", ")
            )
        }
        Kind::InvalidType(actual, _) | Kind::InvalidValue(actual, _) => {
            // The wrong value may be inside a list or table that is one setting.
            let depth = setting
                .as_ref()
                .map_or(usize::MAX, |setting| setting.key.split('.').count());
            let path = error.path[..error.path.len().min(depth)].join(".");
            let needed = setting.map_or_else(
                || format!("is a table; write [{path}] with its settings below"),
                |setting| format!("needs {}", setting.expected()),
            );
            format!("{path} {needed}; found {}", describe(actual))
        }
        kind if path.is_empty() => kind.to_string(),
        kind => format!("{path}: {kind}"),
    };
    // The TOML parser reports several lines with an excerpt of the file, which is left out.
    let lines = message.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| {
            let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
            !rest.trim_start().starts_with('|')
        })
        .collect();
    CommandError::Configuration(format!("{} (in {source})", lines.join(" ").trim_end()))
}

/// Returns a wrong value for a message.
fn describe(actual: &Actual) -> String {
    match actual {
        Actual::Bool(flag) => flag.to_string(),
        Actual::Unsigned(number) => number.to_string(),
        Actual::Signed(number) => number.to_string(),
        Actual::Float(number) => number.to_string(),
        Actual::Str(text) => format!("\"{}\"", hide_url_secrets(text)),
        Actual::Seq => "a list".to_owned(),
        Actual::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the edit distance of two short words.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, char) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (column, &theirs) in other.iter().enumerate() {
            let replaced = before + usize::from(char != theirs);
            before = row[column + 1];
            row[column + 1] = replaced.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_the_name_from_an_upstream() {
        assert_eq!(
            split_upstream("http://localhost:8000/?a=b"),
            ("default", "http://localhost:8000/?a=b")
        );
        assert_eq!(split_upstream("law-1=http://x/"), ("law-1", "http://x/"));
    }

    #[test]
    fn edit_distance_counts_changed_letters() {
        assert_eq!(edit_distance("listen", "listen"), 0);
        assert_eq!(edit_distance("lisen", "listen"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
