//! The functions of the basic catalog.

use a2ui::{FunctionError, call_function};
use serde_json::{Value, json};

fn call(name: &str, arguments: Value) -> Value {
    try_call(name, arguments).expect("valid test data")
}

fn try_call(name: &str, arguments: impl Into<Value>) -> Result<Value, FunctionError> {
    let arguments = arguments.into();
    call_function(name, arguments.as_object().expect("valid test data"))
}

#[test]
fn required_and_length() {
    for (value, expected) in [
        (json!({}), true),
        (json!([]), false),
        (json!(""), false),
        (json!(0), true),
        (Value::Null, false),
    ] {
        assert_eq!(
            call("required", json!({ "value": value })),
            json!(expected),
            "{value}"
        );
    }
    assert_eq!(
        call("length", json!({ "value": [1, 2], "min": 2 })),
        json!(true)
    );
    assert_eq!(
        call("length", json!({ "value": "äöü", "max": 3 })),
        json!(true)
    );
    assert_eq!(
        call("length", json!({ "value": "abcd", "max": 3 })),
        json!(false)
    );
}

#[test]
fn numbers_and_patterns() {
    assert_eq!(
        call("numeric", json!({ "value": "12", "min": 10 })),
        json!(true)
    );
    assert_eq!(call("numeric", json!({ "value": "twelve" })), json!(false));
    assert_eq!(
        call(
            "regex",
            json!({ "value": "ab12", "pattern": "^[a-z]+\\d+$" })
        ),
        json!(true)
    );
    assert!(matches!(
        try_call("regex", json!({ "value": "", "pattern": "(" })),
        Err(FunctionError::BadPattern(_))
    ));
    let slow = json!({ "value": "a".repeat(50_000), "pattern": "^(a+)+$b" });
    assert_eq!(call("regex", slow), json!(false));
    let huge = json!({ "value": "a", "pattern": "((a{1000}){1000}){1000}" });
    assert!(matches!(
        try_call("regex", huge),
        Err(FunctionError::BadPattern(_))
    ));
}

#[test]
fn mail_addresses() {
    for (text, valid) in [
        ("a.b@c.de", true),
        ("a@b.c", false),
        ("a@b", false),
        ("@b.de", false),
        ("a b@c.de", false),
    ] {
        assert_eq!(
            call("email", json!({ "value": text })),
            json!(valid),
            "{text}"
        );
    }
}

#[test]
fn numbers_are_written_for_people() {
    let cases = [
        (json!({ "value": 1234.5 }), "1,234.5"),
        (json!({ "value": "1234567" }), "1,234,567"),
        (json!({ "value": -0.001, "decimals": 2 }), "0.00"),
        (
            json!({ "value": 1234, "grouping": false, "decimals": 1 }),
            "1234.0",
        ),
        (json!({ "value": 0.12345 }), "0.123"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(call("formatNumber", arguments), json!(expected));
    }
    assert_eq!(
        call(
            "formatCurrency",
            json!({ "value": 1234.5, "currency": "USD" })
        ),
        json!("$1,234.50")
    );
    assert_eq!(
        call(
            "formatCurrency",
            json!({ "value": -5, "currency": "eur", "decimals": 0 })
        ),
        json!("-€5")
    );
    assert_eq!(
        call("formatCurrency", json!({ "value": 1, "currency": "CHF" })),
        json!("CHF\u{a0}1.00")
    );
    assert!(try_call("formatNumber", json!({ "value": "many" })).is_err());
}

#[test]
fn dates_follow_their_pattern() {
    let cases = [
        ("2026-01-16T14:30:05Z", "MMM dd, yyyy", "Jan 16, 2026"),
        ("2026-01-16T14:30:05Z", "h:mm a", "2:30 PM"),
        ("2026-01-16T14:30:05Z", "EEEE, d MMMM", "Friday, 16 January"),
        (
            "2026-01-16T00:05:00+02:00",
            "yy-M-d HH:mm:ss",
            "26-1-15 22:05:00",
        ),
        ("2026-01-16", "E 'at' H", "Fri at 0"),
        ("2026-01-16T12:00:00", "hh 'o''clock'", "12 o'clock"),
        ("2026-01-16T14:30:05.25Z", "ISO", "2026-01-16T14:30:05.250Z"),
        ("tomorrow", "yyyy", ""),
    ];
    for (value, format, expected) in cases {
        assert_eq!(
            call("formatDate", json!({ "value": value, "format": format })),
            json!(expected),
            "{value} {format}"
        );
    }
}

#[test]
fn plural_forms_and_logic() {
    let forms = json!({ "zero": "", "one": "one item", "other": "items" });
    let plural = |value: f64| {
        let mut arguments = forms.clone();
        arguments["value"] = json!(value);
        call("pluralize", arguments)
    };
    assert_eq!(
        [plural(0.0), plural(1.0), plural(2.0)],
        [json!(""), json!("one item"), json!("items")]
    );
    assert_eq!(
        call("and", json!({ "values": [true, "x", 1] })),
        json!(true)
    );
    assert_eq!(call("or", json!({ "values": [0, ""] })), json!(false));
    assert_eq!(call("not", json!({ "value": null })), json!(true));
    assert!(try_call("and", json!({ "values": [true] })).is_err());
    assert!(matches!(
        try_call("openUrl", json!({ "url": "javascript:alert(1)" })),
        Err(FunctionError::BadAddress(_))
    ));
    assert_eq!(
        call("openUrl", json!({ "url": "https://example.org" })),
        Value::Null
    );
    assert!(matches!(
        try_call("launch", json!({})),
        Err(FunctionError::Unknown(_))
    ));
}
