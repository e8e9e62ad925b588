//! Report as SARIF 2.1.0 for code hosts and editors.

use std::io::Write;
use std::path::{Component, Path};

use citations::DisplayState;
use json::{Map, Value};

use super::check::CheckedCitation;
use super::table::{cut, phrase, place};
use super::{VERSION, VerifyNotice};
use crate::command_error::CommandError;

/// Limit on the characters of a quote in a message.
const MAX_QUOTE: usize = 200;

/// Rules with id, description and hint: one for each result except found.
const RULES: [(&str, &str, &str); 4] = [
    (
        "not-found",
        "The quoted words are not in the source.",
        "Quote the source exactly, or name the right source.",
    ),
    (
        "source-missing",
        "The citation names a source that was not given.",
        "Add the source with --source, or correct its name.",
    ),
    (
        "partly-found",
        "The source contains only part of the quoted words, or similar words.",
        "Look at the difference and quote exactly.",
    ),
    (
        "elsewhere",
        "The quoted words are on another page or line.",
        "Correct the page or the line of the citation.",
    ),
];

/// Prints a log with one run.
pub(super) fn print(
    answer: Option<&Path>,
    checked: &[CheckedCitation],
    notices: &[VerifyNotice],
    out: &mut impl Write,
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
    let results = checked.iter().map(|citation| result(answer, citation));
    let notifications = notices.iter().map(|notice| {
        let descriptor = Value::from([("id", notice.code.into())]);
        Value::from([
            ("level", "warning".into()),
            ("descriptor", descriptor),
            ("message", text(&notice.message)),
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
    writeln!(out, "{}", log.to_json())?;
    out.flush()?;
    Ok(())
}

fn result(answer: Option<&Path>, citation: &CheckedCitation) -> Value {
    let (rule, kind, level) = match citation.state() {
        DisplayState::Verified => (None, "pass", "none"),
        DisplayState::Elsewhere => (Some("elsewhere"), "fail", "warning"),
        DisplayState::Partly => (Some("partly-found"), "fail", "warning"),
        DisplayState::Missing if citation.is_source_missing() => {
            (Some("source-missing"), "fail", "error")
        }
        DisplayState::Missing | DisplayState::Pending => (Some("not-found"), "fail", "error"),
    };
    let mut message = format!(
        "{}: “{}”",
        citation.words(),
        cut(phrase(citation), MAX_QUOTE)
    );
    if let Some(place) = place(citation) {
        message.push_str(&format!(" ({place})"));
    }
    if let Some(reason) = citation.reason() {
        message.push_str(&format!("; {reason}"));
    }
    if let (DisplayState::Partly | DisplayState::Missing, Some(nearest)) =
        (citation.state(), &citation.verdict.nearest)
    {
        message.push_str(&format!(
            "; the source says “{}”",
            cut(&nearest.text, MAX_QUOTE)
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
    let place = Map::from_iter(answer.map(artifact).into_iter().chain(
        citation.claim.position.map(|position| {
            let region = Value::from([
                ("startLine", position.line.into()),
                ("startColumn", position.column.into()),
                ("byteOffset", position.offset.into()),
            ]);
            ("region".to_owned(), region)
        }),
    ));
    if answer.is_some() {
        let location = Value::from([("physicalLocation", Value::Object(place))]);
        put("locations", Value::Array(vec![location]));
    }
    let fingerprint = Value::from([("citation/v1", citation.claim.id.to_string().into())]);
    put("partialFingerprints", fingerprint);
    Value::Object(map)
}

fn text(text: &str) -> Value {
    Value::from([("text", text.into())])
}

/// Returns the location of a file: a relative path as a relative URI, an absolute path as a `file:` URI.
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
    fn paths_become_percent_encoded_uris() {
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
