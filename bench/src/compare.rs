//! Compares two JSON results by structure.

use serde_json::Value;

/// Returns the path of the first difference between two values; numbers are compared as doubles.
pub(crate) fn difference(ours: &Value, peer: &Value) -> Option<String> {
    walk(ours, peer, &mut String::new())
}

fn walk(ours: &Value, peer: &Value, path: &mut String) -> Option<String> {
    match (ours, peer) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, peer) in b {
                let Some(ours) = a.get(key) else {
                    return Some(format!("{path}/{key} is missing in ours"));
                };
                let found = nested(ours, peer, path, key);
                if found.is_some() {
                    return found;
                }
            }
            let extra = a.keys().find(|key| !b.contains_key(*key))?;
            Some(format!("{path}/{extra} is only in ours"))
        }
        (Value::Array(a), Value::Array(b)) => {
            for (index, (ours, peer)) in a.iter().zip(b).enumerate() {
                let found = nested(ours, peer, path, &index.to_string());
                if found.is_some() {
                    return found;
                }
            }
            let (a, b) = (a.len(), b.len());
            (a != b).then(|| format!("{path} has {a} entries in ours, {b} in the peer"))
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
        (a, b) if a == b => None,
        (a, b) => Some(format!("{path}: ours {}, peer {}", short(a), short(b))),
    }
}

/// Compares two values one level down, with the key appended to the path.
fn nested(ours: &Value, peer: &Value, path: &mut String, key: &str) -> Option<String> {
    let length = path.len();
    path.push('/');
    path.push_str(key);
    let found = walk(ours, peer, path);
    path.truncate(length);
    found
}

/// Returns the start of a value's JSON text.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn compares_numbers_as_doubles() {
        assert_eq!(difference(&json!([1, 2.0]), &json!([1.0, 2])), None);
        assert!(difference(&json!(1), &json!(1.5)).is_some());
    }

    #[test]
    fn names_the_path_of_a_difference() {
        let found = difference(&json!({"a": [{"b": 1}]}), &json!({"a": [{"b": "1"}]}));
        assert_eq!(found.as_deref(), Some("/a/0/b: ours 1, peer \"1\""));
    }

    #[test]
    fn reports_missing_and_extra_entries() {
        assert!(difference(&json!({}), &json!({"a": null})).is_some());
        assert!(difference(&json!({"a": null}), &json!({})).is_some());
        assert!(difference(&json!([1]), &json!([])).is_some());
        assert_eq!(
            difference(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})),
            None
        );
    }
}
