//! Text of pages with the places of its lines, and outlines.

use json::Value;

use crate::harness::gateway::Gateway;

const NOTES: &str =
    "# Tides\n\nHigh tide is at noon.\n\n## Gates\n\nThe gates open one hour earlier.\n";

fn gateway() -> Gateway {
    let gateway = Gateway::start(&["--in-memory"]);
    assert_eq!(gateway.attach("notes", "notes.md", NOTES).0, 200);
    gateway
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64(),
        other => panic!("not a number: {}", other.to_json()),
    }
}

#[test]
fn lines_of_a_page_are_inside_of_it_and_in_order() {
    let gateway = gateway();
    let (status, page) = gateway.json("GET", "/documents/notes/text?page=1", "");
    assert_eq!(status, 200, "{}", page.to_json());
    assert_eq!(page["pageCount"], Value::from(1_usize));
    let lines = page["lines"].as_array().expect("lines");
    let texts: Vec<_> = lines
        .iter()
        .filter_map(|line| line["text"].as_str())
        .collect();
    assert_eq!(
        texts,
        [
            "Tides",
            "High tide is at noon.",
            "Gates",
            "The gates open one hour earlier."
        ]
    );
    let mut last_bottom = 0.0;
    for line in lines {
        let area = &line["box"];
        let (top, bottom) = (
            number(&area["y"]),
            number(&area["y"]) + number(&area["height"]),
        );
        assert!(top >= last_bottom && bottom <= 1.0, "{}", line.to_json());
        assert!(
            number(&area["x"]) + number(&area["width"]) <= 1.0,
            "{}",
            line.to_json()
        );
        last_bottom = bottom;
    }
}

#[test]
fn pages_that_do_not_exist_are_not_found() {
    let gateway = gateway();
    for path in [
        "/documents/notes/text?page=2",
        "/documents/notes/text?page=0",
        "/documents/absent/text",
        "/documents/absent/outline",
    ] {
        let (status, answer) = gateway.json("GET", path, "");
        assert_eq!(status, 404, "{path}: {}", answer.to_json());
    }
}

#[test]
fn documents_without_an_outline_have_an_empty_one() {
    let gateway = gateway();
    let (status, outline) = gateway.json("GET", "/documents/notes/outline", "");
    assert_eq!(status, 200);
    assert_eq!(outline["items"].as_array().map(<[Value]>::len), Some(0));
}
