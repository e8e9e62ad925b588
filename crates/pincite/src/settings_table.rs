//! Every setting with what it is for: the sample file and the schema are written from it.

use json::{Map, Value};

/// What a setting holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SettingKind {
    /// A text.
    Text,
    /// Texts.
    Texts,
    /// A table of texts.
    TextTable,
    /// A whole number.
    Whole,
    /// True or false.
    Flag,
    /// A stretch of time.
    Span,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// Some of these.
    SomeOf(&'static [&'static str]),
}

/// A setting.
pub(crate) struct SettingEntry {
    /// Its key; `NAME` stands for a name of one's own.
    pub(crate) key: &'static str,
    pub(crate) kind: SettingKind,
    /// As the sample shows it.
    pub(crate) sample: &'static str,
    pub(crate) about: &'static str,
}

const fn setting(
    key: &'static str,
    kind: SettingKind,
    sample: &'static str,
    about: &'static str,
) -> SettingEntry {
    SettingEntry {
        key,
        kind,
        sample,
        about,
    }
}

/// All of them, table by table.
pub(crate) const SETTINGS: &[SettingEntry] = &[
    setting(
        "server.listen",
        SettingKind::Text,
        "\"127.0.0.1:8787\"",
        "Where it listens; other machines need a key or an issuer",
    ),
    setting(
        "server.public_url",
        SettingKind::Text,
        "\"https://pincite.example\"",
        "What it is called from outside",
    ),
    setting(
        "server.cors",
        SettingKind::Texts,
        "[]",
        "Origins of pages that may ask, besides those of this machine",
    ),
    setting(
        "server.data",
        SettingKind::Text,
        "\"pincite-data\"",
        "Where everything is kept",
    ),
    setting(
        "server.durability",
        SettingKind::OneOf(&["process", "full"]),
        "\"process\"",
        "What stored events survive: that the process is killed, or also that the power fails (slower)",
    ),
    setting(
        "server.allow_fetch",
        SettingKind::Texts,
        "[]",
        "Hosts that may be fetched from for others; \"*\" means any public one",
    ),
    setting(
        "agents.NAME.url",
        SettingKind::Text,
        "\"http://localhost:8000/\"",
        "Where the agent is",
    ),
    setting(
        "agents.NAME.headers",
        SettingKind::TextTable,
        "{ Authorization = \"Bearer …\" }",
        "Headers that every request to it carries",
    ),
    setting(
        "agents.NAME.forward_headers",
        SettingKind::Texts,
        "[]",
        "Headers of the client that it gets; never a key of ours",
    ),
    setting(
        "agents.NAME.timeout",
        SettingKind::Span,
        "\"5m\"",
        "How long it may be silent",
    ),
    setting(
        "agents.NAME.max_answer",
        SettingKind::Whole,
        "268435456",
        "How many bytes it may say in one run",
    ),
    setting(
        "agents.NAME.on_disconnect",
        SettingKind::OneOf(&["linger", "continue", "cancel"]),
        "\"linger\"",
        "What becomes of a run that nobody watches",
    ),
    setting(
        "agents.NAME.linger",
        SettingKind::Span,
        "\"5m\"",
        "How long such a run goes on",
    ),
    setting(
        "citations.key",
        SettingKind::Text,
        "\"deepcitation\"",
        "The key of the state that holds citations",
    ),
    setting(
        "citations.projections",
        SettingKind::SomeOf(&["deepcitation", "citations", "rag"]),
        "[\"deepcitation\", \"citations\", \"rag\"]",
        "The forms in which they are written to the state",
    ),
    setting(
        "citations.names",
        SettingKind::OneOf(&["g2", "g3"]),
        "\"g2\"",
        "The generation of field names in the state",
    ),
    setting(
        "citations.early",
        SettingKind::Flag,
        "true",
        "Whether results are sent while the text streams",
    ),
    setting(
        "citations.deadline",
        SettingKind::Span,
        "\"10s\"",
        "How long the end of a run waits for results",
    ),
    setting(
        "citations.hide_block",
        SettingKind::Flag,
        "false",
        "Whether the data block is taken out of the text; unset: for built-in agents only",
    ),
    setting(
        "citations.instruct",
        SettingKind::Whole,
        "0",
        "How many characters may be spent on teaching an upstream to cite",
    ),
    setting(
        "citations.max_message_bytes",
        SettingKind::Whole,
        "1048576",
        "How much of a message is looked at",
    ),
    setting(
        "citations.keep_messages",
        SettingKind::Whole,
        "0",
        "How many messages keep their results in the state; 0: all",
    ),
    setting(
        "citations.custom_events",
        SettingKind::Flag,
        "false",
        "Whether the life of a citation is told in CUSTOM events",
    ),
    setting(
        "access.audit_days",
        SettingKind::Whole,
        "400",
        "For how many days it is kept who read and deleted what; 0: for ever",
    ),
    setting(
        "access.audit_entries",
        SettingKind::Whole,
        "1000000",
        "How many entries of that are kept at most; 0: all",
    ),
    setting(
        "access.issuers.NAME.issuer",
        SettingKind::Text,
        "\"https://login.example\"",
        "What tokens must say in iss",
    ),
    setting(
        "access.issuers.NAME.audience",
        SettingKind::Text,
        "\"pincite\"",
        "What they must say in aud",
    ),
    setting(
        "access.issuers.NAME.keys",
        SettingKind::Text,
        "\"jwks.json\"",
        "A file with the keys that they are signed with: a JWK set",
    ),
    setting(
        "access.issuers.NAME.scopes",
        SettingKind::SomeOf(&["read", "write", "admin"]),
        "[\"read\", \"write\"]",
        "What may be done with them",
    ),
    setting(
        "limits.requests_per_minute",
        SettingKind::Whole,
        "600",
        "For each principal with a key or token; 0: any number",
    ),
    setting(
        "limits.concurrent",
        SettingKind::Whole,
        "100",
        "How many of its requests and streams may be open; 0: any number",
    ),
    setting(
        "limits.body_bytes",
        SettingKind::Whole,
        "67108864",
        "How long a request may be",
    ),
    setting(
        "limits.header_timeout",
        SettingKind::Span,
        "\"10s\"",
        "How long a client may take to send the head of a request",
    ),
    setting(
        "limits.body_timeout",
        SettingKind::Span,
        "\"30s\"",
        "How long a client may pause within the body of one",
    ),
    setting(
        "limits.connections",
        SettingKind::Whole,
        "10000",
        "How many connections may be open at once",
    ),
    setting(
        "telemetry.otlp",
        SettingKind::Text,
        "\"http://localhost:4318\"",
        "A collector that takes traces as OTLP over HTTP; unset: there are no traces",
    ),
    setting(
        "telemetry.headers",
        SettingKind::TextTable,
        "{}",
        "Headers that every request to it carries",
    ),
    setting(
        "telemetry.service",
        SettingKind::Text,
        "\"pincite\"",
        "What the program is called in traces",
    ),
];

/// The setting at a path, if there is one.
pub(crate) fn find(path: &[String]) -> Option<&'static SettingEntry> {
    SETTINGS.iter().find(|setting| {
        let mut own = setting.key.split('.');
        let mut given = path.iter();
        let begins = own
            .by_ref()
            .zip(given.by_ref())
            .all(|(own, given)| own == "NAME" || own == given);
        // Below a table of texts there are names of one's own; below a list, numbers.
        begins && own.next().is_none() && path.len() >= setting.key.split('.').count()
    })
}

impl SettingEntry {
    /// What it takes, in words.
    pub(crate) fn needed(&self) -> String {
        let list = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            words.join(", ")
        };
        let kind = match self.kind {
            SettingKind::Text => "a text in quotation marks".to_owned(),
            SettingKind::Texts => "a list of texts in quotation marks".to_owned(),
            SettingKind::TextTable => "a table of texts".to_owned(),
            SettingKind::Whole => "a whole number that is not negative".to_owned(),
            SettingKind::Flag => return "true or false".to_owned(),
            SettingKind::Span => "a span of time in quotation marks".to_owned(),
            SettingKind::OneOf(words) => return format!("one of {}", list(words)),
            SettingKind::SomeOf(words) => return format!("a list of some of {}", list(words)),
        };
        match self.sample {
            "[]" | "{}" => kind,
            sample => format!("{kind}, such as {sample}"),
        }
    }
}

/// A file with every setting, commented out.
pub(crate) fn sample() -> String {
    let mut sample = String::from(
        "# Pincite. What is commented out is the default, or an example where there is none.\n\
         # Over it go variables (PINCITE_SERVER__LISTEN) and flags; pincite config show --origin tells which won.\n",
    );
    let mut table = "";
    for setting in SETTINGS {
        let (of, name) = setting.key.rsplit_once('.').unwrap_or(("", setting.key));
        if of != table {
            table = of;
            let shown = of.replace("NAME", "example");
            // The head of a table of one's own would begin one.
            let off = if of.contains("NAME") { "# " } else { "" };
            sample.push_str(&format!("\n{off}[{shown}]\n"));
        }
        sample.push_str(&format!(
            "# {}\n# {name} = {}\n",
            setting.about, setting.sample
        ));
    }
    sample
}

/// A JSON Schema for the file.
pub(crate) fn schema() -> Value {
    let mut root = table();
    for setting in SETTINGS {
        let mut place = &mut root;
        let mut parts = setting.key.split('.').peekable();
        while let Some(part) = parts.next() {
            let inner = match part {
                "NAME" => "additionalProperties",
                _ => "properties",
            };
            let last = parts.peek().is_none();
            let Value::Object(map) = place else {
                break;
            };
            if part == "NAME" {
                if !matches!(map.get(inner), Some(Value::Object(_))) {
                    map.insert(inner.to_owned(), table());
                }
                let Some(next) = map.get_mut(inner) else {
                    break;
                };
                place = next;
                continue;
            }
            let Some(Value::Object(properties)) = map.get_mut(inner) else {
                break;
            };
            if !properties.contains(part) {
                let new = if last { described(setting) } else { table() };
                properties.insert(part.to_owned(), new);
            }
            let Some(next) = properties.get_mut(part) else {
                break;
            };
            place = next;
        }
    }
    if let Value::Object(map) = &mut root {
        let draft = "https://json-schema.org/draft/2020-12/schema";
        map.insert("$schema".to_owned(), draft.into());
        map.insert("title".to_owned(), "pincite.toml".into());
    }
    root
}

fn table() -> Value {
    Value::from([
        ("type", "object".into()),
        ("properties", Value::Object(Map::new())),
        ("additionalProperties", Value::Bool(false)),
    ])
}

fn described(setting: &SettingEntry) -> Value {
    let list = |words: &[&str]| Value::Array(words.iter().map(|word| (*word).into()).collect());
    let kind = |kind: &str| Value::from([("type", kind.into())]);
    let words = |words: &[&str]| Value::from([("type", "string".into()), ("enum", list(words))]);
    let many = |items: Value| Value::from([("type", "array".into()), ("items", items)]);
    let mut described = match setting.kind {
        SettingKind::Text => kind("string"),
        SettingKind::Texts => many(kind("string")),
        SettingKind::TextTable => Value::from([
            ("type", "object".into()),
            ("additionalProperties", kind("string")),
        ]),
        SettingKind::Whole => {
            Value::from([("type", "integer".into()), ("minimum", 0_usize.into())])
        }
        SettingKind::Flag => kind("boolean"),
        SettingKind::Span => Value::from([
            ("type", "string".into()),
            ("examples", list(&["250ms", "10s", "5m"])),
        ]),
        SettingKind::OneOf(known) => words(known),
        SettingKind::SomeOf(known) => many(words(known)),
    };
    if let Value::Object(map) = &mut described {
        map.insert("description".to_owned(), setting.about.into());
    }
    described
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use figment::Figment;
    use figment::providers::{Format, Serialized, Toml};
    use figment::value::{Dict, Value as Held};
    use server::settings::Settings;

    use super::*;

    /// The sample with everything in it said.
    fn said() -> String {
        let mut said = String::new();
        let mut table = "";
        for setting in SETTINGS {
            let (of, name) = setting.key.rsplit_once('.').expect("a table");
            if of != table {
                table = of;
                said.push_str(&format!("[{}]\n", of.replace("NAME", "example")));
            }
            said.push_str(&format!("{name} = {}\n", setting.sample));
        }
        said
    }

    fn keys(path: &str, dict: &Dict, found: &mut BTreeSet<String>) {
        for (name, value) in dict {
            let key = format!("{path}{name}");
            match value {
                Held::Dict(_, inner) if name != "headers" && !inner.is_empty() => {
                    keys(&format!("{key}."), inner, found);
                }
                _ => drop(found.insert(key.replace(".example.", ".NAME."))),
            }
        }
    }

    #[test]
    fn the_table_has_the_settings_and_no_others() {
        let figment = Figment::from(Toml::string(&said()));
        let settings: Settings = figment.extract().expect("every setting is known");
        let figment = Figment::from(Serialized::defaults(settings));
        let mut there = BTreeSet::new();
        keys("", &figment.extract().expect("a table"), &mut there);
        let listed: BTreeSet<String> = SETTINGS.iter().map(|it| it.key.to_owned()).collect();
        assert_eq!(listed, there);
    }

    #[test]
    fn the_sample_says_the_defaults() {
        let figment = Figment::from(Toml::string(&sample()));
        let settings: Settings = figment.extract().expect("it can be read");
        assert_eq!(settings, Settings::default());
        // Uncommented, what is no example is the default.
        let plain: String = SETTINGS
            .iter()
            .filter(|it| {
                !it.key.contains("NAME")
                    && ![
                        "server.public_url",
                        "citations.hide_block",
                        "telemetry.otlp",
                    ]
                    .contains(&it.key)
            })
            .map(|it| format!("{} = {}\n", it.key, it.sample))
            .collect();
        let settings: Settings = Figment::from(Toml::string(&plain))
            .extract()
            .expect("it can be read");
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn the_schema_knows_every_key() {
        let schema = schema();
        let listen = &schema["properties"]["server"]["properties"]["listen"];
        assert_eq!(listen["type"].as_str(), Some("string"));
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
}
