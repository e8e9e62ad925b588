//! Templates of `formatString`.

use a2ui::{ExpressionError, parse_template};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn templates_are_divided_into_parts() {
    let cases = [
        ("plain", json!(["plain"])),
        ("", json!([])),
        ("a ${/b} c", json!(["a ", { "path": "/b" }, " c"])),
        ("${name.first-x}", json!([{ "path": "name.first-x" }])),
        (r"\${x} ${'it\'s'}", json!(["${x} ", "it's"])),
        ("${42}${-1.5}${.5}${1e3}", json!([42, -1.5, 0.5, 1000.0])),
        ("${true}${false}${null}${}", json!([true, false])),
        ("${now()}", json!([{ "call": "now", "args": {} }])),
        (
            "${f(a: 1, b: ${/x}, c: g(d: 'e}'))}",
            json!([{ "call": "f", "args": { "a": 1, "b": { "path": "/x" }, "c": { "call": "g", "args": { "d": "e}" } } } }]),
        ),
        ("$5 and { }", json!(["$5 and { }"])),
    ];
    for (template, expected) in cases {
        assert_eq!(
            json!(parse_template(template).expect("valid test data")),
            expected,
            "{template}"
        );
    }
}

#[test]
fn broken_templates_say_why() {
    use ExpressionError as Error;
    let cases = [
        ("${a", Error::Unclosed),
        ("${f(a: 1}", Error::MissingParenthesis("f".to_owned())),
        ("${f(1)}", Error::MissingColon("1".to_owned())),
        ("${f(a 1)}", Error::MissingColon("a".to_owned())),
        ("${a b}", Error::Trailing("b".to_owned())),
        ("${1.2.3}", Error::BadNumber("1.2.3".to_owned())),
        ("${1e}", Error::BadNumber("1e".to_owned())),
        ("${1e999}", Error::BadNumber("1e999".to_owned())),
    ];
    for (template, expected) in cases {
        assert_eq!(parse_template(template), Err(expected), "{template}");
    }
    assert_eq!(parse_template(&"x".repeat(10_001)), Err(Error::TooLong));
    assert_eq!(parse_template(&"${a}".repeat(2_000)), Err(Error::TooLong));
    let nested = format!("{}a{}", "${".repeat(200), "}".repeat(200));
    assert_eq!(parse_template(&nested), Err(Error::TooDeep));
    let calls = format!("${{{}1{}}}", "f(a: ".repeat(500), ")".repeat(500));
    assert_eq!(parse_template(&calls), Err(Error::TooDeep));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn no_template_brings_the_parser_down(template in r#"[a$\{\}\(\):,'"\\ 0-9./é-]{0,60}"#) {
        let _ = parse_template(&template);
    }
}
