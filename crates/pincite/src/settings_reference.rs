//! Reference of all settings, generated from the doc comments of the settings structs: the sample file, the JSON
//! Schema, the page `docs/configuration.md`, and the expected values in error messages.

use std::fmt::Write as _;

use json::Value;
use schemars::generate::SchemaSettings;
use server::settings::Settings;

/// Kinds of values.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SettingKind {
    Text,
    Texts,
    TextTable,
    NumberTable,
    Integer,
    Flag,
    Duration,
    OneOf(Vec<SettingChoice>),
    SomeOf(Vec<SettingChoice>),
}

/// An allowed value with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SettingChoice {
    word: String,
    meaning: Option<String>,
}

/// A setting with its description.
pub(crate) struct SettingEntry {
    /// Path in the configuration file. `NAME` stands for a name that the user chooses.
    pub(crate) key: String,
    kind: SettingKind,
    description: String,
    /// Default as TOML; `None` if the setting is required or unset by default.
    default: Option<String>,
    /// Example as TOML, for settings without a default.
    example: Option<String>,
}

/// A table of the configuration file with its settings.
struct SettingTable {
    /// Path of the table, such as `agents.NAME`.
    path: String,
    description: String,
    settings: Vec<SettingEntry>,
}

/// Returns the JSON Schema of the configuration file.
pub(crate) fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
    });
    let schema = settings.into_generator().into_root_schema_for::<Settings>();
    // The schema is JSON, so parsing cannot fail.
    Value::parse(&schema.to_value().to_string()).unwrap_or_default()
}

fn tables() -> Vec<SettingTable> {
    let mut tables = Vec::new();
    collect_tables("", &schema(), &mut tables);
    tables.retain(|table| !table.settings.is_empty());
    tables
}

/// Adds the table at `path` and those below it.
fn collect_tables(path: &str, schema: &Value, tables: &mut Vec<SettingTable>) {
    let at = tables.len();
    tables.push(SettingTable {
        path: path.to_owned(),
        description: text(&schema["description"]),
        settings: Vec::new(),
    });
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (name, property) in properties.iter() {
        let key = match path {
            "" => name.to_owned(),
            _ => format!("{path}.{name}"),
        };
        let named = &property["additionalProperties"];
        if property["properties"].as_object().is_some() {
            collect_tables(&key, property, tables);
        } else if named["properties"].as_object().is_some() {
            collect_tables(&format!("{key}.NAME"), named, tables);
        } else {
            tables[at].settings.push(SettingEntry::new(key, property));
        }
    }
}

/// Returns the setting at a path of names, or the one that contains it.
pub(crate) fn find(path: &[String]) -> Option<SettingEntry> {
    let mut settings = tables().into_iter().flat_map(|table| table.settings);
    settings.find(|setting| {
        let parts: Vec<&str> = setting.key.split('.').collect();
        // Below a table of texts there are names, below a list numbers.
        let matches = |(part, given): (&&str, &String)| *part == "NAME" || *part == given.as_str();
        parts.len() <= path.len() && parts.iter().zip(path).all(matches)
    })
}

impl SettingEntry {
    fn new(key: String, schema: &Value) -> Self {
        Self {
            key,
            kind: SettingKind::new(schema),
            description: text(&schema["description"]),
            default: toml(&schema["default"]),
            example: schema["examples"]
                .as_array()
                .and_then(|it| toml(it.first()?)),
        }
    }

    fn name(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or(&self.key)
    }

    /// Returns the default, or the example if there is none.
    fn sample(&self) -> &str {
        let sample = self
            .default
            .as_deref()
            .filter(|it| !matches!(*it, "[]" | "{}"));
        let sample = sample.or(self.example.as_deref());
        sample.or(self.default.as_deref()).unwrap_or("\"\"")
    }

    /// Returns the name of the environment variable that sets the value.
    fn variable(&self) -> String {
        format!("PINCITE_{}", self.key.replace('.', "__").to_uppercase())
    }

    /// Describes the expected value for an error message.
    pub(crate) fn expected(&self) -> String {
        let list = |choices: &[SettingChoice]| {
            let words: Vec<String> = choices
                .iter()
                .map(|it| format!("\"{}\"", it.word))
                .collect();
            words.join(", ")
        };
        let kind = match &self.kind {
            SettingKind::Text => "a text in quotation marks",
            SettingKind::Texts => "a list of texts in quotation marks",
            SettingKind::TextTable => "a table of texts",
            SettingKind::NumberTable => "a table of numbers",
            SettingKind::Integer => "a whole number that is not negative",
            SettingKind::Flag => return "true or false".to_owned(),
            SettingKind::Duration => "a duration in quotation marks",
            SettingKind::OneOf(choices) => return format!("one of {}", list(choices)),
            SettingKind::SomeOf(choices) => return format!("a list of some of {}", list(choices)),
        };
        match self.sample() {
            "[]" | "{}" => kind.to_owned(),
            sample => format!("{kind}, such as {sample}"),
        }
    }
}

impl SettingKind {
    fn new(schema: &Value) -> Self {
        let choices = choices(schema);
        if !choices.is_empty() {
            return Self::OneOf(choices);
        }
        let types = &schema["type"];
        let kind = types.as_array().and_then(<[Value]>::first).unwrap_or(types);
        match kind.as_str() {
            Some("array") => match choices_of_items(schema) {
                choices if choices.is_empty() => Self::Texts,
                choices => Self::SomeOf(choices),
            },
            Some("object") => match schema["additionalProperties"]["type"].as_str() {
                Some("number") => Self::NumberTable,
                _ => Self::TextTable,
            },
            Some("integer") => Self::Integer,
            Some("boolean") => Self::Flag,
            _ if schema["title"].as_str() == Some("Duration") => Self::Duration,
            _ => Self::Text,
        }
    }

    fn choices(&self) -> &[SettingChoice] {
        match self {
            Self::OneOf(choices) | Self::SomeOf(choices) => choices,
            _ => &[],
        }
    }
}

fn choices_of_items(schema: &Value) -> Vec<SettingChoice> {
    choices(&schema["items"])
}

/// Returns the values of an enum: a list of words, or of words with descriptions.
fn choices(schema: &Value) -> Vec<SettingChoice> {
    let words = schema["enum"].as_array().unwrap_or_default().iter();
    let words = words.filter_map(|word| {
        Some(SettingChoice {
            word: word.as_str()?.to_owned(),
            meaning: None,
        })
    });
    let described = schema["oneOf"].as_array().unwrap_or_default().iter();
    let described = described.filter_map(|choice| {
        Some(SettingChoice {
            word: choice["const"].as_str()?.to_owned(),
            meaning: Some(text(&choice["description"])).filter(|text| !text.is_empty()),
        })
    });
    words.chain(described).collect()
}

/// Returns a description on one line.
fn text(description: &Value) -> String {
    let text = description.as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a JSON value as TOML; `None` for null.
fn toml(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .filter_map(|(key, value)| Some(format!("{key} = {}", toml(value)?)))
                .collect();
            match members.as_slice() {
                [] => "{}".to_owned(),
                members => format!("{{ {} }}", members.join(", ")),
            }
        }
        value => value.to_json(),
    })
}

/// Returns a configuration file with every setting, commented out.
pub(crate) fn sample() -> String {
    let mut sample = String::from(
        "# Configuration of pincite. Each setting is shown with its default, or with an example if the default is empty.\n\
         # Environment variables (PINCITE_SERVER__LISTEN) and options override this file;\n\
         # `pincite config show --origin` shows the effective values.\n",
    );
    for table in tables() {
        let path = table.path.replace("NAME", "example");
        // The head of a table with a chosen name would create it.
        let comment = if table.path.contains("NAME") {
            "# "
        } else {
            ""
        };
        // Writing to a string cannot fail.
        let _ = write!(sample, "\n{comment}[{path}]\n");
        for setting in &table.settings {
            let _ = writeln!(sample, "# {}", setting.description);
            let _ = writeln!(sample, "# {} = {}", setting.name(), setting.sample());
        }
    }
    sample
}

/// Start of `docs/configuration.md`.
const REFERENCE_START: &str = "\
# Configuration

Settings of `pincite serve`. This page is generated from the doc comments of the settings; \
`pincite config reference` prints it.

- A value comes from an option of the command line, an environment variable, the configuration file or the default, \
in this order. The file is `pincite.toml` in the working directory, or the one of `--config FILE`.
- `pincite config init` writes a file with every setting commented out, `pincite config check` checks it, \
`pincite config show --origin` shows each value with its origin, `pincite config schema` prints a JSON Schema for editors.
- `NAME` is a name that you choose, such as the name of an agent. In an environment variable it is in lower case \
or upper case alike.
- Durations are texts such as `\"250ms\"`, `\"10s\"`, `\"5m\"` or `\"1h\"`. Sizes are in bytes.
";

/// Returns the text of `docs/configuration.md`.
pub(crate) fn reference() -> String {
    let mut page = REFERENCE_START.to_owned();
    for table in tables() {
        let _ = write!(page, "\n## `[{}]`\n\n", table.path);
        if !table.description.is_empty() {
            let _ = write!(page, "{}\n\n", table.description);
        }
        let _ = write!(
            page,
            "```toml\n[{}]\n",
            table.path.replace("NAME", "example")
        );
        for setting in &table.settings {
            let _ = writeln!(page, "{} = {}", setting.name(), setting.sample());
        }
        page.push_str(
            "```\n\n| setting | meaning | default | environment variable |\n|---|---|---|---|\n",
        );
        for setting in &table.settings {
            let default = setting.default.as_deref();
            let default = default.map_or("none".to_owned(), |value| format!("`{value}`"));
            let _ = writeln!(
                page,
                "| `{}` | {} | {default} | `{}` |",
                setting.name(),
                meaning(setting).replace('|', "\\|"),
                setting.variable()
            );
        }
    }
    page
}

/// Returns the description with the allowed values.
fn meaning(setting: &SettingEntry) -> String {
    let mut meaning = setting.description.clone();
    let choices = setting.kind.choices();
    if !choices.is_empty() {
        meaning.push_str(" Values:");
        for (at, choice) in choices.iter().enumerate() {
            let separator = if at == 0 { " " } else { "; " };
            let _ = write!(meaning, "{separator}`{}`", choice.word);
            if let Some(text) = &choice.meaning {
                let _ = write!(meaning, " ({})", text.trim_end_matches('.'));
            }
        }
        meaning.push('.');
    }
    meaning
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use figment::Figment;
    use figment::providers::{Format, Toml};

    use super::*;

    fn read(toml: &str) -> Settings {
        let figment = Figment::from(Toml::string(toml));
        figment
            .extract()
            .unwrap_or_else(|error| panic!("{error}: {toml}"))
    }

    #[test]
    fn every_setting_has_a_description_and_a_valid_sample() {
        for table in tables() {
            let mut toml = format!("[{}]\n", table.path.replace("NAME", "example"));
            for setting in &table.settings {
                assert!(setting.description.len() > 10, "{}", setting.key);
                toml.push_str(&format!("{} = {}\n", setting.name(), setting.sample()));
            }
            read(&toml);
        }
    }

    #[test]
    fn the_sample_file_contains_the_defaults() {
        let sample = sample();
        assert_eq!(read(&sample), Settings::default());
        // Without the comment signs of settings with a default it is still the default.
        let mut toml = String::new();
        for table in tables().iter().filter(|table| !table.path.contains("NAME")) {
            toml.push_str(&format!("[{}]\n", table.path));
            for setting in &table.settings {
                if let Some(default) = &setting.default {
                    toml.push_str(&format!("{} = {default}\n", setting.name()));
                }
            }
        }
        assert_eq!(read(&toml), Settings::default());
    }

    #[test]
    fn the_schema_describes_every_table() {
        let schema = schema();
        let listen = &schema["properties"]["server"]["properties"]["listen"];
        assert_eq!(listen["type"].as_str(), Some("string"));
        assert_eq!(listen["default"].as_str(), Some("127.0.0.1:8787"));
        let agent = &schema["properties"]["agents"]["additionalProperties"]["properties"];
        assert_eq!(agent["timeout"]["type"].as_str(), Some("string"));
        let issuer =
            &schema["properties"]["access"]["properties"]["issuers"]["additionalProperties"];
        assert_eq!(
            issuer["properties"]["audience"]["type"].as_str(),
            Some("string")
        );
        assert_eq!(schema["additionalProperties"], Value::Bool(false));
    }

    #[test]
    fn the_settings_page_matches_the_snapshot() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
        let page = reference();
        if std::env::var_os("PINCITE_BLESS").is_some() {
            std::fs::write(&path, &page).expect("the page is writable");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(page, expected, "PINCITE_BLESS=1 rewrites the page");
    }

    #[test]
    fn finds_settings_by_path_and_describes_the_expected_value() {
        let find = |path: &str| {
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            find(&path).map(|setting| setting.expected())
        };
        assert_eq!(
            find("agents.law.timeout").as_deref(),
            Some("a duration in quotation marks, such as \"5m\"")
        );
        assert_eq!(
            find("citations.names").as_deref(),
            Some("one of \"g2\", \"g3\"")
        );
        assert_eq!(
            find("server.cors.0").as_deref(),
            Some("a list of texts in quotation marks, such as [\"https://chat.example\"]")
        );
        assert_eq!(find("server"), None);
        assert_eq!(find("server.nothing"), None);
    }
}
