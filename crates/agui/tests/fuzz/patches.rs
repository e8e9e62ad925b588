//! JSON Patch: documents and patches of any kind.

use agui::json::{Json, MAX_DEPTH, Text, Value};
use agui::patch::{Limits, Mode, Operation, Patcher, diff};

use super::choices;
use super::generate::Profile;

const MODES: [Mode; 3] = [Mode::Rfc, Mode::Agui, Mode::Lenient];

/// A line of JSON, the document, and a line for each patch.
pub fn patch(data: &[u8]) {
    let (document, patches): (Value, Vec<Vec<Operation>>) = match choices(data, Profile::default())
    {
        Some(mut source) => {
            let document = source.json(3);
            let patches = (0..3).map(|_| source.patch(&document)).collect();
            (document, patches)
        }
        None => {
            let text = String::from_utf8_lossy(data);
            let mut lines = text.split('\n');
            let Some(Ok(document)) = lines.next().map(Value::parse) else {
                return;
            };
            (document, lines.filter_map(operations).collect())
        }
    };
    for mode in MODES {
        check(mode, &document, &patches);
    }
}

fn operations(line: &str) -> Option<Vec<Operation>> {
    let list = Value::parse(line).ok()?;
    list.as_array()?.iter().map(operation).collect()
}

fn operation(value: &Value) -> Option<Operation> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(Text::from);
    let json = |key: &str| Json::from(value[key].clone());
    let path = text("path")?;
    Some(match value["op"].as_str()? {
        "add" => Operation::add(path, json("value")),
        "remove" => Operation::remove(path),
        "replace" => Operation::replace(path, json("value")),
        "move" => Operation::move_(text("from")?, path),
        "copy" => Operation::copy(text("from")?, path),
        "test" => Operation::test(path, json("value")),
        _ => return None,
    })
}

/// About how many bytes a document takes.
fn weight(value: &Value) -> usize {
    value.to_json().len()
}

fn check(mode: Mode, document: &Value, patches: &[Vec<Operation>]) {
    let limits = Limits {
        copied: 1 << 14,
        ..Limits::default()
    };
    let mut patcher = Patcher::with_limits(mode, limits);
    let mut state = document.clone();
    let mut given = weight(document) + limits.copied;
    for patch in patches {
        let before = state.clone();
        let result = patcher.apply(&mut state, patch);
        match &result {
            Ok(skipped) => {
                let sorted = skipped.is_sorted_by(|one, next| one.index < next.index);
                assert!(sorted && (mode == Mode::Lenient || skipped.is_empty()));
            }
            Err(error) => {
                assert!(error.index < patch.len());
                assert!(mode != Mode::Lenient || error.reason.is_limit(), "{error}");
                assert!(state == before, "{mode:?}: {error}, but it was changed");
                assert!(!error.to_string().is_empty());
            }
        }
        // No patch makes more than it brings; what copies add is bounded.
        for operation in patch {
            let value = operation
                .value
                .as_ref()
                .map_or(0, |json| json.to_json().len());
            given += value + 8 * operation.path.len() + 8;
        }
        assert!(weight(&state) <= given, "{mode:?}: it has grown");
        assert!(state.depth() <= MAX_DEPTH, "{mode:?}");
        same_again(mode, patch, &before, &state, result.is_ok());
        for (from, to) in [(&before, &state), (&state, document)] {
            check_diff(from, to);
        }
    }
}

/// A fresh patcher does the same, unless a limit is in the way.
fn same_again(mode: Mode, patch: &[Operation], before: &Value, after: &Value, applied: bool) {
    let mut again = before.clone();
    let result = Patcher::new(mode).apply(&mut again, patch);
    if applied {
        assert!(result.is_ok(), "{mode:?}");
        assert!(again == *after, "{mode:?}");
    }
}

fn check_diff(from: &Value, to: &Value) {
    let patch = diff(from, to);
    assert!(patch.is_empty() || from.to_json() != to.to_json());
    for mode in MODES {
        let mut document = from.clone();
        let result = Patcher::new(mode).apply(&mut document, &patch);
        // The official client refuses some names.
        if let (Mode::Agui, Err(_)) = (mode, &result) {
            assert!(document == *from);
            continue;
        }
        let skipped = result.unwrap_or_else(|error| panic!("{mode:?}: {error}"));
        assert!(skipped.is_empty());
        assert!(
            document == *to,
            "{mode:?}: {} instead of {}",
            document.to_json(),
            to.to_json()
        );
    }
}
