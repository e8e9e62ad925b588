//! Hostile answers and sources of `pincite verify`.

use json::Value;

use super::{path_text, verify};
use crate::harness::scratch;

#[test]
fn hostile_input_is_checked() {
    let source = scratch("hostile.txt", "lorem ipsum dolor sit amet ".repeat(40_000));
    let long = "x".repeat(1 << 20);
    let regex = r"(a+)+$ [^] \\ .* {1,}";
    let many: Vec<String> = (0..2_000)
        .map(|at| format!(r#"{{"id":{at},"full_phrase":"ipsum dolor {at}"}}"#))
        .collect();
    for (name, answer) in [
        (
            "long",
            format!("<<<CITATION_DATA>>>[{{\"id\":1,\"full_phrase\":\"{long}\"}}]"),
        ),
        (
            "regex",
            format!(
                "<<<CITATION_DATA>>>[{{\"id\":1,\"full_phrase\":{}}}]",
                Value::from(regex).to_json()
            ),
        ),
        (
            "endless",
            format!("[1]<<<CITATION_DATA>>>{{\"a\":[{}", "[".repeat(100_000)),
        ),
        ("many", format!("<<<CITATION_DATA>>>[{}]", many.join(","))),
        (
            "controls",
            "<<<CITATION_DATA>>>[{\"id\":1,\"full_phrase\":\"a\\u0000b\\u202ec\\u001b[2J\"}]"
                .to_owned(),
        ),
    ] {
        let ended = verify(&["-s", path_text(&source)], &answer);
        assert!(matches!(ended.code, Some(0 | 1)), "{name}: {ended:?}");
        assert!(
            !ended.text().contains('\u{1b}') && !ended.text().contains('\u{202e}'),
            "{name}"
        );
    }
}
