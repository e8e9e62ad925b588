//! Verdicts on quotes that are similar to the source, shortened, or put together.

use citations::{Citation, VerificationStatus};

use crate::verdicts::{check, cite, document, on_page, report};

#[test]
fn misspelled_shortened_and_fused_quotes_are_partial() {
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
fn parts_around_an_ellipsis_are_on_the_cited_page_and_near_each_other() {
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
    // The quote begins on page 1 as well, but other words follow there.
    assert_eq!(first(&cite(phrase)), 2);
    for page in [2, 3] {
        assert_eq!(i64::from(first(&on_page(phrase, page))), page);
    }
}

#[test]
fn parts_around_an_ellipsis_begin_on_the_cited_page() {
    let words = "The pilot came on board at dawn.";
    let document = document(&[
        &["Fog lay on the river.", words],
        &[
            "The tug waited at the mole, and",
            words,
            "No one",
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
    // Without a page the parts that are nearest to each other are chosen.
    let verdict = check(
        &document,
        &cite(phrase),
        &VerificationStatus::PartialTextFound,
    );
    assert_eq!(verdict.passages[0].place.first, (1, 2));
}
