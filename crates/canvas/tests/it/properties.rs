//! Properties of the check with random messages.

use canvas::catalog;
use json::{Map, Number, Value};
use proptest::prelude::*;

use super::fuzz;

/// Returns any small JSON value.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|it| Value::Number(Number::Int(it.into()))),
        Just(Value::Number(Number::from_literal("1e999"))),
        "[a-z0-9 :#<>\u{202E}é-]{0,8}".prop_map(Value::String),
        Just(Value::from("7")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec(("[a-z]{1,5}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map>())),
        ]
    })
}

/// Replaces, adds or removes a member somewhere in a value, chosen by the path of numbers.
fn mutate(value: &mut Value, path: &[u8], new: &Value) {
    let Some((step, rest)) = path.split_first() else {
        *value = new.clone();
        return;
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            let index = usize::from(*step) % items.len();
            mutate(&mut items[index], rest, new);
        }
        Value::Object(members) if !members.is_empty() => {
            let names: Vec<String> = members.iter().map(|(name, _)| name.to_owned()).collect();
            let name = &names[usize::from(*step) % names.len()];
            match step % 5 {
                0 => drop(members.remove(name)),
                1 => drop(members.insert(format!("{name}X"), new.clone())),
                _ => mutate(members.get_mut(name).expect("a member"), rest, new),
            }
        }
        _ => *value = new.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn changed_examples_are_refused_with_errors_or_stable(
        component in 0usize..12,
        changes in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..6), any_value()), 0..3),
    ) {
        let entry = &catalog().components[component];
        let payload = Value::from([("component", entry.name.into()), ("data", entry.example.clone())]);
        let mut message = Value::from([("type", "ui".into()), ("agentId", "a".into()), ("payload", payload)]);
        for (path, new) in &changes {
            mutate(&mut message, path, new);
        }
        fuzz::message(message.to_json().as_bytes());
    }

    #[test]
    fn any_payload_is_refused_with_errors_or_stable(kind in 0usize..7, payload in any_value()) {
        let kind = canvas::MessageKind::ALL[kind];
        let message = Value::from([("type", kind.as_str().into()), ("agentId", "a".into()), ("payload", payload)]);
        fuzz::message(message.to_json().as_bytes());
    }

    #[test]
    fn errors_point_into_the_message(
        changes in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..6), any_value()), 1..3),
    ) {
        let mut data = catalog().components[7].example.clone();
        for (path, new) in &changes {
            mutate(&mut data, path, new);
        }
        let payload = Value::from([("component", "kanban".into()), ("data", data)]);
        let message = Value::from([("type", "ui".into()), ("agentId", "a".into()), ("payload", payload)]);
        if let Err(error) = canvas::check(message.clone(), "c") {
            for error in &error.errors {
                prop_assert!(json::patch::is_pointer(&error.path));
                // A missing member has no value; its parent has.
                let parent = error.path.rsplit_once('/').map_or("", |(parent, _)| parent);
                let path = if error.code == "required" { parent } else { &error.path };
                prop_assert!(at(&message, path).is_some(), "{} in {}", error.path, message.to_json());
            }
        }
    }
}

/// Returns the value at a pointer.
fn at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(value, |value, segment| match value {
            Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
            value => value.get(&segment.replace("~1", "/").replace("~0", "~")),
        })
}
