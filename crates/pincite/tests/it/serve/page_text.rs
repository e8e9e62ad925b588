//! Text of pages with the places of its lines, and outlines.

use json::Value;

use crate::harness::gateway::Gateway;
use testkit::pdf_builder::{PdfBuilder, text};

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

/// Returns a PDF of three pages with an outline of two levels.
fn outlined_pdf() -> String {
    let mut pdf = PdfBuilder::new();
    let pages: Vec<usize> = ["First words.", "Second words.", "Third words."]
        .into_iter()
        .map(|words| pdf.page(&text(72.0, 700.0, 12.0, words)))
        .collect();
    // Objects are numbered in order: the part below the first chapter follows it.
    let part = pdf.object(format!("<</Title(Gates)/Dest[{} 0 R/Fit]>>", pages[1]));
    let last = pdf.object(format!("<</Title(Ferries)/Dest[{} 0 R/Fit]>>", pages[2]));
    let first = pdf.object(format!(
        "<</Title(Tides)/Dest[{} 0 R/Fit]/First {part} 0 R/Last {part} 0 R/Count 1/Next {last} 0 R>>",
        pages[0]
    ));
    let top = pdf.object(format!(
        "<</Type/Outlines/First {first} 0 R/Last {last} 0 R/Count 3>>"
    ));
    pdf.catalog(&format!("/Outlines {top} 0 R"));
    String::from_utf8(pdf.file()).expect("ASCII")
}

#[test]
fn outlines_have_titles_pages_and_depths() {
    let gateway = gateway();
    assert_eq!(gateway.attach("book", "book.pdf", &outlined_pdf()).0, 200);
    let (status, outline) = gateway.json("GET", "/documents/book/outline", "");
    assert_eq!(status, 200);
    let items = outline["items"].as_array().expect("items");
    let described: Vec<(Option<&str>, f64, f64)> = items
        .iter()
        .map(|item| {
            (
                item["title"].as_str(),
                number(&item["page"]),
                number(&item["depth"]),
            )
        })
        .collect();
    let depth = described[0].2;
    assert_eq!(
        described,
        [
            (Some("Tides"), 1.0, depth),
            (Some("Gates"), 2.0, depth + 1.0),
            (Some("Ferries"), 3.0, depth)
        ]
    );
    for (page, words) in [(1, "First words."), (3, "Third words.")] {
        let (_, page) = gateway.json("GET", &format!("/documents/book/text?page={page}"), "");
        let lines = page["lines"].as_array().expect("lines");
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["text"].as_str(), Some(words));
    }
}

#[test]
fn documents_without_an_outline_have_an_empty_one() {
    let gateway = gateway();
    let plain = "High tide is at noon.";
    assert_eq!(gateway.attach("plain", "plain.txt", plain).0, 200);
    for (id, headings) in [("plain", 0), ("notes", 2)] {
        let (status, outline) = gateway.json("GET", &format!("/documents/{id}/outline"), "");
        assert_eq!(status, 200);
        let items = outline["items"].as_array().map(<[Value]>::len);
        assert_eq!(items, Some(headings), "{id}");
    }
}
