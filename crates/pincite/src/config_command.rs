//! `pincite config`: shows, checks and creates the configuration.

use std::io::Write;

use figment::value::{Dict, Value};
use figment::{Figment, Metadata};
use json::Value as Json;

use crate::cli::{ConfigCommand, ConfigInitArgs, ConfigShowArgs, ReportFormat};
use crate::command_error::{CommandError, note};
use crate::config::{self, FILE};
use crate::settings_reference;
use net::hide_url_secrets;

/// Runs the command.
pub(crate) fn run(command: &ConfigCommand) -> Result<(), CommandError> {
    match command {
        ConfigCommand::Show(args) => show(args),
        ConfigCommand::Check(args) => {
            let configured = config::load(args.config.as_deref())?;
            crate::serve::check_settings(&configured.settings)?;
            note(&match configured.file {
                Some(file) => format!("{} is valid", file.display()),
                None => format!("no {FILE}; defaults and environment are valid"),
            });
            Ok(())
        }
        ConfigCommand::Init(args) => init(args),
        ConfigCommand::Reference => print(settings_reference::reference().trim_end()),
        ConfigCommand::Schema => print(&settings_reference::schema().to_json()),
    }
}

/// A setting with its value and its origin.
struct ShownSetting {
    key: String,
    value: String,
    origin: String,
}

fn show(args: &ConfigShowArgs) -> Result<(), CommandError> {
    let configured = config::load(args.config.as_deref())?;
    let mut shown = Vec::new();
    let values: Dict = configured
        .layers
        .extract()
        .map_err(|error| CommandError::Configuration(error.to_string()))?;
    walk(&configured.layers, "", &values, &mut shown);
    if args.format == ReportFormat::Json {
        let items = shown.iter().map(|shown| {
            Json::from([
                ("key", shown.key.as_str().into()),
                ("value", shown.value.as_str().into()),
                ("origin", shown.origin.as_str().into()),
            ])
        });
        return print(&Json::from([("items", Json::Array(items.collect()))]).to_json());
    }
    let width = shown
        .iter()
        .map(|shown| shown.key.len() + shown.value.len() + 3);
    let width = width.max().unwrap_or_default().min(60);
    let lines = shown.iter().map(|shown| {
        let line = format!("{} = {}", shown.key, shown.value);
        match args.origin {
            true => format!("{line:<width$}  # {}", shown.origin),
            false => line,
        }
    });
    print(&lines.collect::<Vec<_>>().join("\n"))
}

fn walk(figment: &Figment, path: &str, dict: &Dict, shown: &mut Vec<ShownSetting>) {
    for (name, value) in dict {
        let key = match path.is_empty() {
            true => name.clone(),
            false => format!("{path}.{name}"),
        };
        if let Value::Dict(_, inner) = value
            && !inner.is_empty()
        {
            walk(figment, &key, inner, shown);
            continue;
        }
        // Headers contain secrets; their values are not shown.
        let is_secret = key.split('.').rev().nth(1) == Some("headers");
        shown.push(ShownSetting {
            value: if is_secret {
                "\"…\"".to_owned()
            } else {
                toml_text(value)
            },
            origin: origin(figment.get_metadata(value.tag())),
            key,
        });
    }
}

fn origin(metadata: Option<&Metadata>) -> String {
    let Some(metadata) = metadata else {
        return "default".to_owned();
    };
    match &metadata.source {
        Some(figment::Source::File(file)) => file.display().to_string(),
        _ if metadata.name.contains("environment") => "environment".to_owned(),
        _ => "default".to_owned(),
    }
}

/// Returns a value as TOML, without the secrets of URLs.
fn toml_text(value: &Value) -> String {
    match value {
        Value::String(_, text) => Json::from(hide_url_secrets(text)).to_json(),
        Value::Char(_, char) => Json::from(char.to_string()).to_json(),
        Value::Bool(_, flag) => flag.to_string(),
        Value::Num(_, number) => number
            .to_i128()
            .map(|number| number.to_string())
            .or_else(|| number.to_u128().map(|number| number.to_string()))
            .or_else(|| number.to_f64().map(|number| number.to_string()))
            .unwrap_or_default(),
        Value::Empty(..) => "unset".to_owned(),
        Value::Array(_, items) => {
            let items: Vec<String> = items.iter().map(toml_text).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Dict(..) => "{}".to_owned(),
    }
}

fn init(args: &ConfigInitArgs) -> Result<(), CommandError> {
    let path = args.output.clone().unwrap_or_else(|| FILE.into());
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    let written = options
        .open(&path)
        .and_then(|mut file| file.write_all(settings_reference::sample().as_bytes()));
    match written {
        Ok(()) => {
            note(&format!(
                "wrote {} with every setting commented out; check your changes with `pincite config check`",
                path.display()
            ));
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(CommandError::Configuration(format!(
                "{} already exists; choose another file with -o FILE",
                path.display()
            )))
        }
        Err(error) => Err(CommandError::Unwritable { path, error }),
    }
}

fn print(text: &str) -> Result<(), CommandError> {
    writeln!(anstream::stdout(), "{text}")?;
    Ok(())
}
