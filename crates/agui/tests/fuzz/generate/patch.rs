//! Random JSON patches.

use json::Value;
use json::patch::{PatchOperation, escape};

use super::Source;
use super::values::SEGMENTS;

/// Returns a patch for this document, valid or not.
pub fn random_patch(source: &mut Source<'_>, document: &Value) -> Vec<PatchOperation> {
    let mut known = Vec::new();
    places(document, "", &mut known);
    let length = source.below(8);
    (0..length)
        .map(|_| random_operation(source, &known))
        .collect()
}

/// Returns a pointer to an existing value, to a neighbour, or to anywhere.
fn random_pointer(source: &mut Source<'_>, known: &[String]) -> String {
    match source.below(16) {
        0..8 => known[source.below(known.len().min(256))].clone(),
        8..12 => {
            let parent = known[source.below(known.len().min(256))].clone();
            format!("{parent}/{}", source.pick(SEGMENTS))
        }
        12 => source.pick(&["a", "/~", "~0", "/a~2"]).to_owned(),
        _ => source.pointer(),
    }
}

fn random_operation(source: &mut Source<'_>, known: &[String]) -> PatchOperation {
    let path = random_pointer(source, known);
    match source.below(6) {
        0 => PatchOperation::add(path, source.json(2)),
        1 => PatchOperation::remove(path),
        2 => PatchOperation::replace(path, source.json(2)),
        3 => PatchOperation::move_(random_pointer(source, known), path),
        4 => PatchOperation::copy(random_pointer(source, known), path),
        _ => PatchOperation::test(path, source.json(1)),
    }
}

/// Collects the pointers to all values of a document.
fn places(value: &Value, path: &str, out: &mut Vec<String>) {
    out.push(path.to_owned());
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, &format!("{path}/{at}"), out);
            }
        }
        Value::Object(map) => {
            for (key, value) in map.iter() {
                places(value, &format!("{path}/{}", escape(key)), out);
            }
        }
        _ => {}
    }
}
