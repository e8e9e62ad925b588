//! Verdicts on small documents: every status, and what may never be found.

use citations::check::{CitationChecker, MeaningChange, Verdict};
use citations::{Citation, LineIds, VerificationStatus};
use documents::{Document, DocumentBuilder, TextStreamRole};
use passage::PieceBreak;

/// A document of pages of lines.
fn document(pages: &[&[&str]]) -> Document {
    let mut builder = DocumentBuilder::new("text/plain");
    for (at, lines) in pages.iter().enumerate() {
        if at > 0 {
            builder.page();
        }
        for text in *lines {
            let line = builder.line(*text);
            builder.text(TextStreamRole::Body, line, text, PieceBreak::Line);
        }
    }
    builder.finish().expect("short")
}

fn report() -> Document {
    document(&[
        &[
            "Harbour log of the year 2024.",
            "High tide was at 12:04 and the sea was calm.",
            "Revenue grew by 45 % to 1,234,567 euros, not 1.2 million.",
            "The committee did not approve the annual bud-",
            "get of the northern harbour before noon.",
            "Two boats went out.",
            "One boat came back.",
            "Nobody was hurt.",
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

fn cite(phrase: &str) -> Citation {
    Citation {
        full_phrase: Some(phrase.to_owned()),
        ..Citation::default()
    }
}

fn on_page(phrase: &str, page: i64) -> Citation {
    Citation {
        page_number: Some(json::Number::Int(page)),
        ..cite(phrase)
    }
}

/// Checks a citation, quickly as well if that can be done: both must say the same.
#[track_caller]
fn check(document: &Document, citation: &Citation, status: &VerificationStatus) -> Verdict {
    let verdict = CitationChecker::new(document).check(citation);
    assert_eq!(&verdict.status(), status, "{citation:?}: {verdict:#?}");
    if let Some(quick) = quickly(document, citation) {
        assert_eq!(quick, verdict);
    }
    verdict
}

/// What is found quickly, with the echo of the citation.
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
fn words_that_are_there_are_found_with_their_place() {
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
fn what_is_there_is_found_quickly_and_nothing_else() {
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
        // Dates may be written in other ways, so they are looked for everywhere.
        assert_eq!(quick.is_some(), !dated, "{phrase}");
    }
    let long = "High tide was at 12:04 and the sea was calm. ".repeat(60);
    for phrase in ["Three boats went out", "", "  ", &long] {
        assert_eq!(quickly(&report, &cite(phrase)), None, "{phrase}");
    }
    // An anchor alone has to be looked for as well.
    let anchor = Citation {
        anchor_text: Some("calm".to_owned()),
        ..Citation::default()
    };
    assert_eq!(quickly(&report, &anchor), None);
    // Words that stand in too many places take longer.
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
fn pages_and_lines_decide_where_it_should_stand() {
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
    // Any page of a passage is its page.
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
    // A page that is not there counts as not given.
    let verdict = check(&report, &on_page(lighthouse, 9), &VerificationStatus::Found);
    assert_eq!(verdict.page_outside, Some(9));
}

#[test]
fn of_several_places_the_expected_one_is_taken() {
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
fn anchors_are_looked_for_inside_and_alone() {
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
fn what_changes_the_meaning_is_never_found() {
    let report = report();
    for (phrase, grave) in [
        (
            "High tide was at 12:05 and the sea was calm",
            MeaningChange::Number,
        ),
        (
            "Revenue grew by 54 % to 1,234,567 euros",
            MeaningChange::Number,
        ),
        (
            "Revenue grew by 45 to 1,234,567 euros",
            MeaningChange::Number,
        ),
        (
            "Revenue grew by 45 % to 1,234,567 dollars",
            MeaningChange::Unit,
        ),
        (
            "The committee did approve the annual budget",
            MeaningChange::Negation,
        ),
        (
            "The committee did not approve the annual budget of the northern harbour after noon",
            MeaningChange::Comparison,
        ),
        (
            "Captain Olsen of Bergen wrote the report",
            MeaningChange::Name,
        ),
        ("Two boats never went out", MeaningChange::Negation),
        ("signed it on 4 March 2024", MeaningChange::Date),
    ] {
        let verdict = check(&report, &cite(phrase), &VerificationStatus::NotFound);
        assert_eq!(verdict.grave, Some(grave), "{phrase}: {verdict:#?}");
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
fn slips_ellipses_and_fused_quotes_are_partial() {
    let report = report();
    check(
        &report,
        &cite("The comittee did not aprove the annual budget"),
        &VerificationStatus::PartialTextFound,
    );
    let verdict = check(
        &report,
        &cite("The committee did not approve … before noon"),
        &VerificationStatus::PartialTextFound,
    );
    assert_eq!(verdict.passages.len(), 2);
    check(
        &report,
        &cite("High tide was at 12:04 [...] not 1.2 million."),
        &VerificationStatus::PartialTextFound,
    );
    let fused = "High tide was at 12:04 and the lighthouse stands on the southern cliff";
    let verdict = check(&report, &cite(fused), &VerificationStatus::PartialTextFound);
    assert_eq!(verdict.passages.len(), 2);
    assert_eq!(verdict.passages[1].place.first.0, 3);
}

#[test]
fn the_parts_around_an_ellipsis_are_taken_where_they_were_cited_and_stand_together() {
    let document = document(&[
        &["The pilot came on board at dawn.", "Fog lay on the river."],
        &[
            "The pilot came on board at dawn.",
            "The tug waited at the mole.",
        ],
        &[
            "The pilot came on board at dawn.",
            "The tug waited at the mole.",
        ],
    ]);
    let phrase = "The pilot came on board … waited at the mole.";
    let first = |citation: &Citation| {
        let verdict = check(&document, citation, &VerificationStatus::PartialTextFound);
        verdict.passages[0].place.first.0
    };
    // On page 1 it begins as well, but there it goes on with something else first.
    assert_eq!(first(&cite(phrase)), 2);
    for page in [2, 3] {
        assert_eq!(i64::from(first(&on_page(phrase, page))), page);
    }
}

#[test]
fn the_parts_around_an_ellipsis_begin_on_the_page_that_was_cited_if_they_can() {
    let words = "The pilot came on board at dawn.";
    let document = document(&[
        &["Fog lay on the river.", words],
        &[
            "The tug waited at the mole, and",
            words,
            "Nobody",
            "saw",
            "how",
            "The tug waited.",
        ],
    ]);
    let phrase = "The pilot came on board … The tug waited";
    let verdict = check(
        &document,
        &on_page(phrase, 2),
        &VerificationStatus::PartialTextFound,
    );
    assert_eq!(verdict.passages[0].place.first, (2, 2));
    // Without a page those that are nearest to each other are taken.
    let verdict = check(
        &document,
        &cite(phrase),
        &VerificationStatus::PartialTextFound,
    );
    assert_eq!(verdict.passages[0].place.first, (1, 2));
}

#[test]
fn what_is_read_in_another_order_is_found_and_counted_once() {
    let mut builder = DocumentBuilder::new("application/pdf");
    let lines = ["the pier is lit.", "does a gale blow."].map(|text| (builder.line(text), text));
    for ((line, text), role) in lines
        .iter()
        .zip([TextStreamRole::Apart, TextStreamRole::Body])
    {
        builder.text(role, *line, text, PieceBreak::Line);
    }
    for (line, text) in &lines {
        builder.text(TextStreamRole::Alternative, *line, text, PieceBreak::Line);
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
fn what_is_not_there_is_not_found() {
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
            // A whole word that is there.
            "boat" => VerificationStatus::Found,
            _ => VerificationStatus::NotFound,
        };
        check(&report, &cite(phrase), &expected);
    }
}

#[test]
fn every_attempt_is_written_down() {
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
