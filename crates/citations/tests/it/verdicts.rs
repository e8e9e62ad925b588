//! Verdicts on small documents: every status, and quotes that must not be found.

use citations::check::{CitationChecker, QuoteDifference, Verdict};
use citations::{Citation, LineIds, VerificationProblem, VerificationStatus};
use documents::{Document, DocumentBuilder, TextStreamRole};
use passage::PieceBreak;

/// Builds a document from pages of lines.
pub(crate) fn document(pages: &[&[&str]]) -> Document {
    let mut builder = DocumentBuilder::new("text/plain");
    for (at, lines) in pages.iter().enumerate() {
        if at > 0 {
            builder.begin_page();
        }
        for text in *lines {
            let line = builder.add_line(*text);
            builder.add_text(TextStreamRole::Body, line, text, PieceBreak::Line);
        }
    }
    builder.finish().expect("short")
}

pub(crate) fn report() -> Document {
    document(&[
        &[
            "Harbour log of the year 2024.",
            "High tide was at 12:04 and the sea was calm.",
            "Revenue grew by 45 % to 1,234,567 euros, not 1.2 million.",
            "The committee did not approve the annual bud-",
            "get of the northern harbour before noon.",
            "Two boats went out.",
            "One boat came back.",
            "No one was hurt.",
            "The wind turned to the north-west.",
            "Two boats went out.",
        ],
        &[
            "Two boats went out.",
            "Captain Larsen of Bergen wrote the report, and",
        ],
        &[
            "mate Olsen signed it on 3 March 2024.",
            "The lighthouse stands on the southern cliff.",
        ],
    ])
}

pub(crate) fn cite(phrase: &str) -> Citation {
    Citation {
        full_phrase: Some(phrase.to_owned()),
        ..Citation::default()
    }
}

pub(crate) fn on_page(phrase: &str, page: i64) -> Citation {
    Citation {
        page_number: Some(json::Number::Int(page)),
        ..cite(phrase)
    }
}

/// Checks a citation. A quick check, if there is one, must give the same verdict.
#[track_caller]
pub(crate) fn check(
    document: &Document,
    citation: &Citation,
    status: &VerificationStatus,
) -> Verdict {
    let verdict = CitationChecker::new(document).check(citation);
    assert_eq!(&verdict.status(), status, "{citation:?}: {verdict:#?}");
    if let Some(quick) = quickly(document, citation) {
        assert_eq!(quick, verdict);
    }
    verdict
}

/// Returns the verdict of a quick check, with a copy of the citation.
fn quickly(document: &Document, citation: &Citation) -> Option<Verdict> {
    let mut quick = CitationChecker::new(document).check_quickly(citation)?;
    quick.verification.citation = Some(Box::new(citation.clone()));
    Some(quick)
}

fn place(verdict: &Verdict) -> (Option<u64>, Vec<u64>) {
    let document = verdict.verification.document.clone().unwrap_or_default();
    (document.verified_page_number, document.verified_line_ids)
}

#[test]
fn exact_and_normalised_matches_are_found_with_their_place() {
    let report = report();
    for (phrase, page, lines) in [
        ("High tide was at 12:04", 1, vec![2]),
        ("high tide was at 12:04 AND the sea", 1, vec![2]),
        (
            "approve the annual budget of the northern harbour",
            1,
            vec![4, 5],
        ),
        ("Revenue grew by 45% to 1'234'567 euros", 1, vec![3]),
        ("“The wind turned to the north—west.”", 1, vec![9]),
        (
            "Captain Larsen of Bergen wrote the report, and mate Olsen signed it",
            2,
            vec![2],
        ),
        ("signed it on 2024-03-03", 3, vec![1]),
    ] {
        let verdict = check(&report, &cite(phrase), &VerificationStatus::Found);
        assert_eq!(place(&verdict), (Some(page), lines), "{phrase}");
    }
}

#[test]
fn quick_checks_find_exact_matches_only() {
    let report = report();
    let there = [
        "High tide was at 12:04 and the sea was calm.",
        "Two boats went out.",
        "did not approve the annual budget",
        "mate Olsen signed it on 3 March 2024",
    ];
    for phrase in there {
        let dated = phrase.contains("March");
        let quick = quickly(&report, &cite(phrase));
        // Dates can be written in several ways, so they need a full search.
        assert_eq!(quick.is_some(), !dated, "{phrase}");
    }
    let long = "High tide was at 12:04 and the sea was calm. ".repeat(60);
    for phrase in ["Three boats went out", "", "  ", &long] {
        assert_eq!(quickly(&report, &cite(phrase)), None, "{phrase}");
    }
    // An anchor alone needs a second search.
    let anchor = Citation {
        anchor_text: Some("calm".to_owned()),
        ..Citation::default()
    };
    assert_eq!(quickly(&report, &anchor), None);
    // Words with too many matches take longer.
    let line = "the tide and the tide and the tide and the tide";
    let often = document(&[&[line; 200]]);
    assert_eq!(quickly(&often, &cite("tide")), None);
    assert!(
        quickly(
            &often,
            &cite("the tide and the tide and the tide and the tide")
        )
        .is_none()
    );
    check(&often, &cite("tide"), &VerificationStatus::Found);
}

#[test]
fn matches_on_other_pages_and_lines_have_their_own_status() {
    let report = report();
    let lighthouse = "The lighthouse stands on the southern cliff";
    check(&report, &on_page(lighthouse, 3), &VerificationStatus::Found);
    let verdict = check(
        &report,
        &on_page(lighthouse, 1),
        &VerificationStatus::FoundOnOtherPage,
    );
    assert_eq!(place(&verdict), (Some(3), vec![2]));
    let with_lines = |phrase: &str, lines: &[i64]| Citation {
        line_ids: LineIds::new(lines.to_vec()),
        ..on_page(phrase, 1)
    };
    check(
        &report,
        &with_lines("High tide was at 12:04", &[6]),
        &VerificationStatus::Found,
    );
    check(
        &report,
        &with_lines("High tide was at 12:04", &[7]),
        &VerificationStatus::FoundOnOtherLine,
    );
    check(
        &report,
        &with_lines("High tide was at 12:04", &[7, 1]),
        &VerificationStatus::Found,
    );
    // A passage over a page break is on both pages.
    let over_the_break = "wrote the report, and mate Olsen signed";
    check(
        &report,
        &on_page(over_the_break, 2),
        &VerificationStatus::Found,
    );
    check(
        &report,
        &on_page(over_the_break, 3),
        &VerificationStatus::Found,
    );
    check(
        &report,
        &on_page(over_the_break, 1),
        &VerificationStatus::FoundOnOtherPage,
    );
    // A page that the document does not have is another page.
    let verdict = check(
        &report,
        &on_page(lighthouse, 9),
        &VerificationStatus::FoundOnOtherPage,
    );
    assert_eq!(verdict.page_outside.as_deref(), Some("9"));
    assert_eq!(
        verdict.verification.problem,
        Some(VerificationProblem::PageOutside)
    );
}

#[test]
fn of_several_matches_the_expected_one_is_chosen() {
    let report = report();
    let verdict = check(
        &report,
        &cite("Two boats went out."),
        &VerificationStatus::Found,
    );
    let ambiguity = verdict.verification.ambiguity.expect("three places");
    assert_eq!(ambiguity.total_occurrences, Some(3));
    assert_eq!(
        place(&check(
            &report,
            &on_page("Two boats went out.", 2),
            &VerificationStatus::Found
        )),
        (Some(2), vec![1])
    );
    let near = Citation {
        line_ids: LineIds::new(vec![10]),
        ..on_page("Two boats went out.", 1)
    };
    let verdict = check(&report, &near, &VerificationStatus::Found);
    assert_eq!(place(&verdict), (Some(1), vec![10]));
    let ambiguity = verdict.verification.ambiguity.expect("three places");
    assert_eq!(ambiguity.occurrences_on_expected_page, Some(2));
}

#[test]
fn anchors_are_searched_inside_the_quote_and_alone() {
    let report = report();
    let anchored = |phrase: &str, anchor: &str| Citation {
        anchor_text: Some(anchor.to_owned()),
        ..cite(phrase)
    };
    let verdict = check(
        &report,
        &anchored("High tide was at 12:04", "12:04"),
        &VerificationStatus::Found,
    );
    assert_eq!(
        verdict.verification.verified_anchor_text.as_deref(),
        Some("12:04")
    );
    check(
        &report,
        &anchored("High tide was at 12:04", "Larsen"),
        &VerificationStatus::FoundPhraseMissedAnchorText,
    );
    check(
        &report,
        &anchored("Whales were seen by everybody", "lighthouse"),
        &VerificationStatus::FoundAnchorTextOnly,
    );
    // The anchor does not rescue a quote that contradicts the source.
    let verdict = check(
        &report,
        &anchored("High tide was at 12:05 and the sea was calm", "High tide"),
        &VerificationStatus::NotFound,
    );
    assert_eq!(verdict.difference, Some(QuoteDifference::Number));
    let attempt = verdict.verification.search_attempts.last().expect("one");
    assert!(attempt.success && attempt.found_location.is_some());
    assert_eq!(attempt.matched_text.as_deref(), Some("High tide"));
    assert_eq!(verdict.verification.verified_anchor_text, None);
    check(
        &report,
        &anchored("Whales were seen by everybody", "whales"),
        &VerificationStatus::NotFound,
    );
    check(
        &report,
        &anchored("", "lighthouse"),
        &VerificationStatus::FoundAnchorTextOnly,
    );
}

#[test]
fn a_quote_with_another_meaning_is_not_found() {
    let report = report();
    for (phrase, grave) in [
        (
            "High tide was at 12:05 and the sea was calm",
            QuoteDifference::Number,
        ),
        (
            "Revenue grew by 54 % to 1,234,567 euros",
            QuoteDifference::Number,
        ),
        (
            "Revenue grew by 45 to 1,234,567 euros",
            QuoteDifference::Number,
        ),
        (
            "Revenue grew by 45 % to 1,234,567 dollars",
            QuoteDifference::Unit,
        ),
        (
            "The committee did approve the annual budget",
            QuoteDifference::Negation,
        ),
        (
            "The committee did not approve the annual budget of the northern harbour after noon",
            QuoteDifference::WordExchanged,
        ),
        (
            "Captain Olsen of Bergen wrote the report",
            QuoteDifference::Name,
        ),
        ("Two boats never went out", QuoteDifference::Negation),
        ("signed it on 4 March 2024", QuoteDifference::Number),
    ] {
        let verdict = check(&report, &cite(phrase), &VerificationStatus::NotFound);
        assert_eq!(verdict.difference, Some(grave), "{phrase}: {verdict:#?}");
        assert!(verdict.nearest.is_some(), "{phrase}");
        assert!(
            verdict
                .diff
                .iter()
                .any(|stretch| stretch.kind != passage::ChangeKind::Same),
            "{phrase}"
        );
    }
}

#[test]
fn text_in_another_reading_order_is_found_and_counted_once() {
    let mut builder = DocumentBuilder::new("application/pdf");
    let lines =
        ["the pier is lit.", "does a gale blow."].map(|text| (builder.add_line(text), text));
    for ((line, text), role) in lines
        .iter()
        .zip([TextStreamRole::Apart, TextStreamRole::Body])
    {
        builder.add_text(role, *line, text, PieceBreak::Line);
    }
    for (line, text) in &lines {
        builder.add_text(TextStreamRole::Alternative, *line, text, PieceBreak::Line);
    }
    let document = builder.finish().expect("short");
    let verdict = check(
        &document,
        &cite("the pier is lit. does a gale"),
        &VerificationStatus::Found,
    );
    assert_eq!(verdict.passages[0].place.lines, [1, 2]);
    let verdict = check(
        &document,
        &cite("does a gale blow"),
        &VerificationStatus::Found,
    );
    assert!(verdict.verification.ambiguity.is_none());
}

#[test]
fn missing_words_are_not_found() {
    let report = report();
    for phrase in [
        "",
        "  \n",
        "…",
        "!?",
        "Whales were seen by everybody in the bay",
        "the harbour wrote calm boats in the committee of the lighthouse",
        "boat",
        "1,234",
        "2:04",
        "bud",
    ] {
        let expected = match phrase {
            // A whole word that is in the source.
            "boat" => VerificationStatus::Found,
            _ => VerificationStatus::NotFound,
        };
        check(&report, &cite(phrase), &expected);
    }
}

#[test]
fn search_attempts_are_recorded() {
    let report = report();
    let citation = Citation {
        line_ids: LineIds::new(vec![1]),
        ..on_page("The lighthouse stands on the southern cliff", 1)
    };
    let verdict = check(&report, &citation, &VerificationStatus::FoundOnOtherPage);
    let attempts: Vec<(String, bool)> = verdict
        .verification
        .search_attempts
        .iter()
        .map(|attempt| (format!("{:?}", attempt.method), attempt.success))
        .collect();
    assert_eq!(
        attempts,
        [
            ("Some(LineWithBuffer)".to_owned(), false),
            ("Some(CurrentPage)".to_owned(), false),
            ("Some(ExpandedWindow)".to_owned(), true)
        ]
    );
}
