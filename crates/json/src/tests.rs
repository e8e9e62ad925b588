use proptest::prelude::*;

use super::{Json, MAX_DEPTH, Map, Number, Text, Value};

fn parse(text: &str) -> Value {
    Value::parse(text).expect("valid JSON")
}

#[test]
fn numbers_keep_every_digit() {
    for literal in [
        "9007199254740993",
        "123456789012345678901234567890",
        "1.50",
        "-0",
        "1e400",
        "0.1000000000000000055511151231257827",
    ] {
        assert_eq!(parse(literal).to_json(), literal);
    }
}

#[test]
fn duplicate_keys_keep_the_last_value() {
    assert_eq!(
        parse(r#"{"a":1,"b":2,"a":3}"#).to_json(),
        r#"{"a":3,"b":2}"#
    );
}

#[test]
fn lone_surrogates_become_replacement_characters() {
    for (text, meaning) in [
        (r#""\ud83d\ude42""#, "🙂"),
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ude42\ud83d""#, "\u{fffd}\u{fffd}"),
        (r#""\ud83dA""#, "\u{fffd}A"),
        (r#""\ud83d\ud83d\ude42""#, "\u{fffd}🙂"),
    ] {
        assert_eq!(parse(text), Value::from(meaning), "{text}");
    }
}

#[test]
fn invalid_json_is_rejected() {
    for text in [
        "",
        " ",
        "nul",
        "NaN",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'a'",
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "\"\n\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"",
        "[",
        "{\"a\"",
        "1 2",
        "[1 2]",
        "\u{feff}1",
        "\"\\",
    ] {
        assert!(Value::parse(text).is_err(), "{text:?} must be refused");
        assert!(Json::parse(text).is_err(), "{text:?} must be refused");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Value::parse(&nested(MAX_DEPTH)).is_ok());
    let error = Value::parse(&nested(MAX_DEPTH + 1)).expect_err("too deep");
    assert_eq!(error.offset, MAX_DEPTH);
    assert!(Json::parse(nested(100_000)).is_err());
}

#[test]
fn numbers_compare_as_doubles() {
    assert_eq!(parse("1.0"), parse("1"));
    assert_eq!(parse("1e2"), parse("100"));
    assert_eq!(parse("9007199254740993"), parse("9007199254740992"));
    assert_ne!(parse("1"), parse("2"));
    assert_eq!(Number::from_literal("1e3").as_safe_int(), Some(1000));
    assert_eq!(Number::from_literal("1.5").as_safe_int(), None);
    assert_eq!(Number::from_literal("9007199254740992").as_safe_int(), None);
}

#[test]
fn opaque_json_keeps_its_text_until_changed() {
    let mut json = Json::parse(r#" {"a": 1.0} "#).expect("valid");
    assert_eq!(json.to_json(), r#"{"a": 1.0}"#);
    if let Value::Object(map) = json.value_mut() {
        map.insert("b".into(), true.into());
    }
    assert_eq!(json.to_json(), r#"{"a":1.0,"b":true}"#);
}

#[test]
fn text_is_cut_without_copying() {
    let text = Text::from("naïve café");
    assert_eq!(text.slice(0..6), "naïve");
    assert_eq!(text.slice(7..12).slice(0..3).as_str(), "caf");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|double| Value::Number(Number::from(double))),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..24).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn writing_and_parsing_are_inverse(value in values()) {
        let text = value.to_json();
        prop_assert_eq!(&parse(&text), &value);
        prop_assert_eq!(Json::parse(text).expect("valid").into_value(), value);
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        prop_assert_eq!(Value::parse(&text).is_ok(), Json::parse(text).is_ok());
    }

    /// A map behaves like a list of pairs, before and after it gets its index, and keeps their order.
    #[test]
    fn map_agrees_with_a_plain_list(
        steps in prop::collection::vec((0u8..3, 0u8..40, any::<i64>()), 0..200)
    ) {
        let mut map = Map::new();
        let mut list: Vec<(String, i64)> = Vec::new();
        for (step, key, number) in steps {
            let key = format!("k{key}");
            let found = list.iter().position(|(name, _)| *name == key);
            if step < 2 {
                map.insert(key.clone(), number.into());
                match found {
                    Some(at) => list[at].1 = number,
                    None => list.push((key, number)),
                }
            } else {
                let removed = map.remove(&key);
                prop_assert_eq!(removed, found.map(|at| list.remove(at).1.into()));
            }
        }
        prop_assert_eq!(map.len(), list.len());
        let names: Vec<&str> = map.iter().map(|(name, _)| name).collect();
        let expected: Vec<&str> = list.iter().map(|(name, _)| name.as_str()).collect();
        prop_assert_eq!(names, expected);
        for (key, number) in list {
            prop_assert_eq!(map.get(&key), Some(&Value::from(number)));
        }
    }
}
