//! Fuzz target of JSON Patch.

use json::patch::{PatchLimits, PatchMode, PatchOperation, Patcher, diff};
use json::{Json, MAX_DEPTH, Text, Value};

use super::choices;
use super::generate::{Profile, random_patch};

const MODES: [PatchMode; 3] = [PatchMode::Rfc, PatchMode::Agui, PatchMode::Lenient];

/// Runs patches on a document. Input: one line of JSON for the document and one for each patch.
pub fn patch(data: &[u8]) {
    let (document, patches): (Value, Vec<Vec<PatchOperation>>) =
        match choices(data, Profile::default()) {
            Some(mut source) => {
                let document = source.json(3);
                let patches = (0..3)
                    .map(|_| random_patch(&mut source, &document))
                    .collect();
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

fn operations(line: &str) -> Option<Vec<PatchOperation>> {
    let list = Value::parse(line).ok()?;
    list.as_array()?.iter().map(operation).collect()
}

fn operation(value: &Value) -> Option<PatchOperation> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(Text::from);
    let json = |key: &str| Json::from(value[key].clone());
    let path = text("path")?;
    Some(match value["op"].as_str()? {
        "add" => PatchOperation::add(path, json("value")),
        "remove" => PatchOperation::remove(path),
        "replace" => PatchOperation::replace(path, json("value")),
        "move" => PatchOperation::move_(text("from")?, path),
        "copy" => PatchOperation::copy(text("from")?, path),
        "test" => PatchOperation::test(path, json("value")),
        _ => return None,
    })
}

/// Returns the approximate size of a document in bytes.
fn weight(value: &Value) -> usize {
    value.to_json().len()
}

fn check(mode: PatchMode, document: &Value, patches: &[Vec<PatchOperation>]) {
    let limits = PatchLimits {
        copied_bytes: 1 << 14,
        ..PatchLimits::default()
    };
    let mut patcher = Patcher::with_limits(mode, limits);
    let mut state = document.clone();
    let mut given = weight(document) + limits.copied_bytes;
    for patch in patches {
        let before = state.clone();
        let result = patcher.apply(&mut state, patch);
        match &result {
            Ok(skipped) => {
                let sorted = skipped.is_sorted_by(|one, next| one.index < next.index);
                assert!(sorted && (mode == PatchMode::Lenient || skipped.is_empty()));
            }
            Err(error) => {
                assert!(error.index < patch.len());
                assert!(
                    mode != PatchMode::Lenient || error.reason.is_limit(),
                    "{error}"
                );
                assert!(state == before, "{mode:?}: {error}, but it was changed");
                assert!(!error.to_string().is_empty());
            }
        }
        // A patch adds at most its own size and the limit of copies.
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

/// Checks that a new patcher gives the same result, unless a limit was exceeded.
fn same_again(
    mode: PatchMode,
    patch: &[PatchOperation],
    before: &Value,
    after: &Value,
    applied: bool,
) {
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
        if let (PatchMode::Agui, Err(_)) = (mode, &result) {
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
