//! Configuration: defaults, then a file, then the environment, then flags; the last one wins.

use std::path::{Path, PathBuf};

use figment::Figment;
use figment::error::{Actual, Kind};
use figment::providers::{Env, Format, Serialized, Toml};
use server::settings::{AgentSettings, Settings};

use crate::cli::ServeArgs;
use crate::failure::CommandError;
use crate::settings_table;

/// The file that is read if none is named and it is there.
pub(crate) const FILE: &str = "pincite.toml";
/// What the built-in agent is called.
pub(crate) const DEMO: &str = "demo";
/// How variables of the environment begin: `PINCITE_SERVER__LISTEN`.
const PREFIX: &str = "PINCITE_";

/// What is configured, and from where.
pub(crate) struct LoadedConfig {
    pub(crate) settings: Settings,
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
    /// All that was said, and by whom.
    pub(crate) layers: Figment,
}

/// The file and the environment over the defaults.
fn layers(named: Option<&Path>) -> Result<(Figment, Option<PathBuf>), CommandError> {
    let file = match named {
        Some(file) if !file.is_file() => {
            return Err(CommandError::Configuration(format!(
                "there is no file {}; check --config",
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
    // Variables of ours that are no settings have no table.
    figment = figment.merge(
        Env::prefixed(PREFIX)
            .split("__")
            .filter(|key| key.as_str().contains('.')),
    );
    Ok((figment, file))
}

/// What a file and the environment configure, without flags.
pub(crate) fn of(named: Option<&Path>) -> Result<LoadedConfig, CommandError> {
    let (layers, file) = layers(named)?;
    let settings = layers
        .extract()
        .map_err(|error| wrong(&error, file.as_deref()))?;
    Ok(LoadedConfig {
        settings,
        file,
        layers,
    })
}

/// The data directory that a server with this configuration has.
pub(crate) fn data(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    Ok(of(named)?.settings.server.data)
}

/// Reads the configuration.
pub(crate) fn read(args: &ServeArgs) -> Result<LoadedConfig, CommandError> {
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
        .map_err(|error| wrong(&error, file.as_deref()))?;
    for (at, upstream) in args.upstreams.iter().enumerate() {
        let (name, url) = named(upstream);
        let mut before = args.upstreams[..at].iter().map(|before| named(before));
        if let Some((_, other)) = before.find(|(other, _)| *other == name) {
            return Err(CommandError::Configuration(format!(
                "--upstream: {other} and {url} are both called '{name}'; give each a name of its own: \
                 --upstream NAME=URL"
            )));
        }
        // A flag goes over the file; what else the file says of the agent stays.
        settings
            .agents
            .entry(name.to_owned())
            .and_modify(|agent| agent.url = url.to_owned())
            .or_insert_with(|| AgentSettings::at(url));
    }
    if args.demo && settings.agents.contains_key(DEMO) {
        return Err(CommandError::Configuration(format!(
            "an agent is called '{DEMO}', as the built-in one is; call it something else, or leave out --demo"
        )));
    }
    Ok(LoadedConfig {
        settings,
        file,
        layers: figment,
    })
}

/// `NAME=URL`, or a URL alone, which is called `default`.
fn named(upstream: &str) -> (&str, &str) {
    if let Some((name, url)) = upstream.split_once('=') {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !name.is_empty() && name.bytes().all(plain) {
            return (name, url);
        }
    }
    ("default", upstream)
}

/// What is wrong, where, and what was perhaps meant.
fn wrong(error: &figment::Error, file: Option<&Path>) -> CommandError {
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
    let setting = settings_table::find(&error.path);
    let message = match &error.kind {
        Kind::UnknownField(name, known) => {
            let meant = known
                .iter()
                .map(|known| (distance(name, known), known))
                .min()
                .filter(|(distance, _)| *distance <= 2);
            match meant {
                Some((_, meant)) => format!("{path} is not known; did you mean '{meant}'?"),
                None => format!("{path} is not known; there are {}", known.join(", ")),
            }
        }
        Kind::MissingField(name) => format!("{path}.{name} is missing; write it below [{path}]"),
        Kind::UnknownVariant(word, known) => {
            format!(
                "{path}: there is no '{word}'; there are {}",
                known.join(", ")
            )
        }
        Kind::InvalidType(actual, _) | Kind::InvalidValue(actual, _) => {
            // What is wrong may stand in a list or table that is a setting.
            let depth = setting.map_or(usize::MAX, |setting| setting.key.split('.').count());
            let path = error.path[..error.path.len().min(depth)].join(".");
            let needed = setting.map_or_else(
                || format!("is a table; write [{path}], and its settings below"),
                |setting| format!("needs {}", setting.needed()),
            );
            format!("{path} {needed}; there is {}", said(actual))
        }
        kind if path.is_empty() => kind.to_string(),
        kind => format!("{path}: {kind}"),
    };
    // A parser says it in several lines, and shows the file between them.
    let lines = message.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| {
            let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
            !rest.trim_start().starts_with('|')
        })
        .collect();
    CommandError::Configuration(format!("{} (in {source})", lines.join(" ").trim_end()))
}

/// What somebody wrote.
fn said(actual: &Actual) -> String {
    match actual {
        Actual::Bool(flag) => flag.to_string(),
        Actual::Unsigned(number) => number.to_string(),
        Actual::Signed(number) => number.to_string(),
        Actual::Float(number) => number.to_string(),
        Actual::Str(text) => format!("\"{text}\""),
        Actual::Seq => "a list".to_owned(),
        Actual::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// How many letters two short words differ by.
fn distance(one: &str, other: &str) -> usize {
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
    fn upstreams_may_have_names() {
        assert_eq!(
            named("http://localhost:8000/?a=b"),
            ("default", "http://localhost:8000/?a=b")
        );
        assert_eq!(named("law-1=http://x/"), ("law-1", "http://x/"));
    }

    #[test]
    fn near_words_are_near() {
        assert_eq!(distance("listen", "listen"), 0);
        assert_eq!(distance("lisen", "listen"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
