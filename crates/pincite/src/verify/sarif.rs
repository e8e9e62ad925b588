//! Verdicts for code hosts and editors: SARIF 2.1.0.

use std::io::Write;
use std::path::{Component, Path};

use citations::DisplayState;
use json::{Map, Value};

use super::check::CheckedCitation;
use super::table::{cut, phrase, place};
use super::{VERSION, VerifyNotice};
use crate::failure::CommandError;

/// How much of a quote a message holds.
const QUOTE: usize = 200;

/// The rules: what can be said of a quote that is not simply there.
const RULES: [(&str, &str, &str); 4] = [
    (
        "not-found",
        "The quoted words are not in the source.",
        "Quote what the source says, or name the right source.",
    ),
    (
        "source-missing",
        "The citation names a source that was not given.",
        "Give the source, or correct its name.",
    ),
    (
        "partly-found",
        "The source has only part of the quoted words, or similar ones.",
        "Compare the difference and quote exactly.",
    ),
    (
        "elsewhere",
        "The quoted words stand on another page or line.",
        "Correct the page or the line of the citation.",
    ),
];

/// Prints one run.
pub(super) fn print(
    answer: Option<&Path>,
    outcomes: &[CheckedCitation],
    troubles: &[VerifyNotice],
) -> Result<(), CommandError> {
    let rules = RULES.map(|(id, short, help)| {
        Value::from([
            ("id", id.into()),
            ("shortDescription", text(short)),
            ("help", text(help)),
        ])
    });
    let driver = Value::from([
        ("name", "pincite".into()),
        ("semanticVersion", VERSION.into()),
        ("rules", Value::Array(rules.to_vec())),
    ]);
    let results = outcomes.iter().map(|outcome| result(answer, outcome));
    let notifications = troubles.iter().map(|trouble| {
        let descriptor = Value::from([("id", trouble.code.into())]);
        Value::from([
            ("level", "warning".into()),
            ("descriptor", descriptor),
            ("message", text(&trouble.message)),
        ])
    });
    let invocation = Value::from([
        ("executionSuccessful", Value::Bool(true)),
        (
            "toolExecutionNotifications",
            Value::Array(notifications.collect()),
        ),
    ]);
    let run = Value::from([
        ("tool", Value::from([("driver", driver)])),
        ("columnKind", "unicodeCodePoints".into()),
        ("invocations", Value::Array(vec![invocation])),
        ("results", Value::Array(results.collect())),
    ]);
    let log = Value::from([
        (
            "$schema",
            "https://json.schemastore.org/sarif-2.1.0.json".into(),
        ),
        ("version", "2.1.0".into()),
        ("runs", Value::Array(vec![run])),
    ]);
    writeln!(std::io::stdout().lock(), "{}", log.to_json())?;
    Ok(())
}

fn result(answer: Option<&Path>, outcome: &CheckedCitation) -> Value {
    let (rule, kind, level) = match outcome.state() {
        DisplayState::Verified => (None, "pass", "none"),
        DisplayState::Elsewhere => (Some("elsewhere"), "fail", "warning"),
        DisplayState::Partly => (Some("partly-found"), "fail", "warning"),
        DisplayState::Missing if outcome.is_source_missing() => {
            (Some("source-missing"), "fail", "error")
        }
        DisplayState::Missing | DisplayState::Pending => (Some("not-found"), "fail", "error"),
    };
    let mut message = format!("{}: “{}”", outcome.words(), cut(phrase(outcome), QUOTE));
    if let Some(place) = place(outcome) {
        message.push_str(&format!(" ({place})"));
    }
    if let Some(reason) = outcome.reason() {
        message.push_str(&format!("; {reason}"));
    }
    if let (DisplayState::Partly | DisplayState::Missing, Some(nearest)) =
        (outcome.state(), &outcome.verdict.nearest)
    {
        message.push_str(&format!(
            "; the source says “{}”",
            cut(&nearest.text, QUOTE)
        ));
    }
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    if let Some(rule) = rule {
        put("ruleId", rule.into());
    }
    put("kind", kind.into());
    put("level", level.into());
    put("message", text(&message));
    let place = Map::from_iter(
        answer
            .map(artifact)
            .into_iter()
            .chain(outcome.claim.position.map(|position| {
                let region = Value::from([
                    ("startLine", position.line.into()),
                    ("startColumn", position.column.into()),
                    ("byteOffset", position.offset.into()),
                ]);
                ("region".to_owned(), region)
            })),
    );
    if answer.is_some() {
        let location = Value::from([("physicalLocation", Value::Object(place))]);
        put("locations", Value::Array(vec![location]));
    }
    let fingerprint = Value::from([("citation/v1", outcome.claim.id.to_string().into())]);
    put("partialFingerprints", fingerprint);
    Value::Object(map)
}

fn text(text: &str) -> Value {
    Value::from([("text", text.into())])
}

/// The file, as an address relative to where the command runs, if it is below.
fn artifact(path: &Path) -> (String, Value) {
    let mut uri = String::new();
    for part in path.components() {
        match part {
            Component::RootDir => uri.push_str("file:///"),
            Component::CurDir => continue,
            _ => {}
        }
        if !uri.is_empty() && !uri.ends_with('/') {
            uri.push('/');
        }
        if !matches!(part, Component::RootDir) {
            for byte in part.as_os_str().to_string_lossy().bytes() {
                if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@".contains(&byte) {
                    uri.push(char::from(byte));
                } else {
                    uri.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    (
        "artifactLocation".to_owned(),
        Value::from([("uri", uri.into())]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_addresses() {
        let uri = |path: &str| {
            artifact(Path::new(path)).1["uri"]
                .as_str()
                .map(str::to_owned)
        };
        assert_eq!(
            uri("notes/my answer.md").as_deref(),
            Some("notes/my%20answer.md")
        );
        assert_eq!(uri("./a.md").as_deref(), Some("a.md"));
        assert_eq!(uri("/tmp/ä.md").as_deref(), Some("file:///tmp/%C3%A4.md"));
    }
}
