//! PDF sources of `pincite verify` and `pincite document`.

use json::Value;

use crate::harness::{pincite, scratch};
use testkit::pdf_builder::{PdfBuilder, lines};

const LOCKED: &[u8] = include_bytes!("../../../../documents/tests/data/password.pdf");

const FIRST: [&str; 6] = [
    "The harbour lies open to the north and is",
    "closed by a bar of sand on the eastern side",
    "where the current of the river meets the sea",
    "and boats wait for the flood before they go",
    "into the inner basin to unload their catch",
    "at the long wooden pier below the old",
];

const SECOND: [&str; 4] = [
    "town, which was built by the merchants of",
    "the coast in the year 1911 with money that",
    "they had made in the herring trade and lost",
    "again within twenty years of the first war.",
];

/// Returns a PDF with two pages of text.
fn harbour() -> Vec<u8> {
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(72.0, 700.0, &FIRST));
    pdf.page(&lines(72.0, 700.0, &SECOND));
    pdf.info("/Title(The harbour)/Author(A. Pilot)");
    pdf.file()
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => number.as_f64(),
        other => panic!("{other:?} is no number"),
    }
}

/// Returns the verification of one citation in one source.
fn verify(source: &str, citation: &str, code: i32) -> Value {
    let citations = scratch("one.json", format!("{{\"k\":{citation}}}"));
    let citations = citations.to_str().expect("plain");
    let args = [
        "verify",
        "--citations",
        citations,
        "--source",
        source,
        "--format",
        "json",
    ];
    pincite(&args, b"").expect(code).json()["verifications"]["k"].clone()
}

#[test]
fn a_quote_over_a_page_break_is_found_with_boxes_on_both_pages() {
    let file = scratch("harbour.pdf", harbour());
    let file = file.to_str().expect("plain");
    let quote = "at the long wooden pier below the old town, which was built by the merchants";
    // Both pages are correct.
    for page in [1, 2] {
        let citation = format!(
            r#"{{"type":"document","fullPhrase":"{quote}","anchorText":"old town","pageNumber":{page}}}"#
        );
        let found = verify(file, &citation, 0);
        assert_eq!(found["status"].as_str(), Some("found"), "{found:?}");
        let document = &found["document"];
        assert_eq!(number(&document["verifiedPageNumber"]), 1.0);
        let boxes = document["boxes"].as_array().expect("boxes");
        let pages: Vec<f64> = boxes.iter().map(|part| number(&part["page"])).collect();
        assert_eq!(pages, [1.0, 2.0]);
        // Last line of page 1; its baseline is 640 of 792 points above the bottom.
        let (top, height) = (number(&boxes[0]["y"]), number(&boxes[0]["height"]));
        assert!(top < 152.0 && top + height > 152.0, "{boxes:?}");
        assert!((number(&boxes[0]["x"]) - 72.0).abs() < 1.0, "{boxes:?}");
        // The same box with the origin at the bottom.
        let item = &document["phraseMatchDeepItem"];
        assert!(
            (number(&item["y"]) - (792.0 - top)).abs() < 0.01,
            "{item:?}"
        );
        let anchor = document["anchorTextMatchDeepItems"]
            .as_array()
            .expect("anchor");
        assert_eq!(anchor.len(), 2, "{anchor:?}");
    }
}

#[test]
fn other_page_is_reported_and_a_changed_number_is_not_found() {
    let file = scratch("harbour2.pdf", harbour());
    let file = file.to_str().expect("plain");
    let elsewhere = verify(
        file,
        r#"{"fullPhrase":"in the year 1911 with money","pageNumber":1}"#,
        1,
    );
    assert_eq!(elsewhere["status"].as_str(), Some("found_on_other_page"));
    let changed = verify(file, r#"{"fullPhrase":"in the year 1912 with money"}"#, 1);
    assert_eq!(changed["status"].as_str(), Some("not_found"));
    assert_eq!(changed["document"]["boxes"], Value::Null);
}

#[test]
fn password_opens_an_encrypted_pdf() {
    let locked = scratch("locked.pdf", LOCKED);
    let locked = locked.to_str().expect("plain");
    let named = format!("tides={locked}");
    let plain = scratch("plain.txt", "The tide is high.");
    let plain = plain.to_str().expect("plain");
    let answer = scratch("locked.json", r#"{"k":{"fullPhrase":"The tide is high."}}"#);
    let answer = answer.to_str().expect("plain");
    let base = [
        "verify",
        "--citations",
        answer,
        "--format",
        "json",
        "--source",
        plain,
        "--source",
    ];
    let with = |more: &[&str]| pincite(&[&base[..], more].concat(), b"");
    // Without the password the other source is still checked, and the hint names the option.
    let report = with(&[&named]).expect(1).json();
    assert_eq!(
        report["verifications"]["k"]["status"].as_str(),
        Some("found")
    );
    let problem = &report["problems"].as_array().expect("one")[0];
    assert_eq!(problem["code"].as_str(), Some("unreadable_source"));
    assert!(
        problem["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("--password"))
    );
    for password in ["tide", "tides=tide"] {
        let report = with(&[&named, "--password", password]).expect(0).json();
        assert_eq!(report["problems"], Value::Array(Vec::new()), "{password}");
    }
    let wrong = with(&[&named, "--password", "ebb"]).expect(1);
    assert!(wrong.stderr.contains("does not open"), "{}", wrong.stderr);
    // The password appears nowhere.
    assert!(!wrong.stderr.contains("ebb"), "{}", wrong.stderr);
}

#[test]
fn file_that_is_no_pdf_is_reported_and_others_checked() {
    let good = scratch("good.pdf", harbour());
    let good = good.to_str().expect("plain");
    let html = scratch("page.pdf", "<!doctype html><p>The harbour lies open.");
    let html = html.to_str().expect("plain");
    let empty = scratch("empty.pdf", "");
    let empty = empty.to_str().expect("plain");
    let cut = scratch("cut.pdf", &harbour()[..40]);
    let cut = cut.to_str().expect("plain");
    let answer = scratch("rest.json", r#"{"k":{"fullPhrase":"a bar of sand"}}"#);
    let answer = answer.to_str().expect("plain");
    let mut args = vec!["verify", "--citations", answer, "--format", "json"];
    for source in [good, html, empty, cut] {
        args.extend(["--source", source]);
    }
    let report = pincite(&args, b"").expect(1).json();
    assert_eq!(
        report["verifications"]["k"]["status"].as_str(),
        Some("found")
    );
    let problems = report["problems"].as_array().expect("problems");
    let sources: Vec<&str> = problems
        .iter()
        .filter(|problem| problem["code"].as_str() == Some("unreadable_source"))
        .filter_map(|problem| problem["source"].as_str())
        .collect();
    assert!(
        sources.contains(&cut) && sources.contains(&empty) && !sources.contains(&good),
        "{problems:?}"
    );
    let said = |source: &str, words: &str| {
        problems.iter().any(|problem| {
            let message = problem["message"].as_str().unwrap_or_default();
            problem["source"].as_str() == Some(source) && message.contains(words)
        })
    };
    assert!(said(empty, "it is empty"), "{problems:?}");
    // An HTML page named .pdf is read with a warning.
    assert!(!sources.contains(&html), "{problems:?}");
    assert!(said(html, "this is no PDF"), "{problems:?}");
}

#[test]
fn limits_apply_and_a_killed_worker_is_an_error_of_one_file() {
    let file = scratch("limits.pdf", harbour());
    let file = file.to_str().expect("plain");
    let with = |limit: &str| pincite(&["document", file, "--limit", limit], b"");
    for (limit, said) in [
        ("pages=1", "more than 1 pages"),
        ("words-per-page=3", "more than 3 words"),
        ("objects=2", "at most 2"),
        ("bytes=100", "the limit is 100"),
        ("decompressed=10", "more than 10 bytes"),
    ] {
        let ended = with(limit).expect(1);
        assert!(ended.stderr.contains(said), "{limit}: {}", ended.stderr);
    }
    with("pages=2").expect(0);
    // A worker without memory fails alone.
    let large = scratch("large.txt", "one word after another ".repeat(100_000));
    let large = large.to_str().expect("plain");
    let ended = pincite(&["document", large, "--limit", "memory=1"], b"").expect(1);
    assert!(
        ended.stderr.contains("needs more than 0 MB"),
        "{}",
        ended.stderr
    );
    with("leaves=2").expect_usage_error(&["leaves", "words-per-page"]);
    with("pages=none").expect_usage_error(&["greater than 0"]);
}

#[test]
fn document_command_shows_the_text_of_a_pdf() {
    let file = scratch("shown.pdf", harbour());
    let file = file.to_str().expect("plain");
    let text = pincite(&["document", file, "--page", "2"], b"").expect(0);
    for line in [
        "author: A. Pilot",
        "page 2",
        "    2  the coast in the year 1911 with money that",
    ] {
        assert!(
            text.text().lines().any(|shown| shown == line),
            "{line}: {}",
            text.text()
        );
    }
    let report = pincite(&["document", file, "--format", "json"], b"")
        .expect(0)
        .json();
    assert_eq!(report["title"].as_str(), Some("The harbour"));
    let page = &report["pages"].as_array().expect("pages")[1];
    assert_eq!(
        (number(&page["width"]), number(&page["height"])),
        (612.0, 792.0)
    );
    let line = &page["lines"].as_array().expect("lines")[0];
    assert_eq!(line["role"].as_str(), Some("body"));
    let words = line["words"].as_array().expect("words");
    let texts: Vec<&str> = words
        .iter()
        .filter_map(|word| word["text"].as_str())
        .collect();
    assert_eq!(texts.join(" "), SECOND[0]);
    let edges: Vec<f64> = words.iter().map(|word| number(&word["x"])).collect();
    assert!(edges.is_sorted() && edges[0] > 71.0, "{edges:?}");
}
