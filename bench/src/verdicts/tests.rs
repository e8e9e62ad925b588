//! Tests of the generated cases and of the scoring.

use std::path::Path;

use passage::{NormalisedText, PassageTextIndex, Quote};
use pincite_bench::corpus::rng::Rng;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::case::{Case, CaseGroup, CaseKind, ExpectedVerdict, PassagePlace, make};
use crate::judge::{GivenVerdict, Judge, is_right};
use crate::source::Source;
use crate::{Options, evaluate, generated_texts, kinds};

fn sources() -> Vec<Source> {
    let texts = generated_texts::texts("test").into_iter();
    texts.map(|(name, text)| Source::new(name, &text)).collect()
}

fn cases(group: CaseGroup) -> Vec<(usize, Case)> {
    let sources = sources();
    let kinds = kinds().filter(|kind| kind.group == group);
    kinds
        .flat_map(|kind| make(kind, &sources, "test", kind.count))
        .collect()
}

fn options() -> Options {
    Options {
        seed: "test".to_owned(),
        only: None,
        part: None,
        quick: false,
        peers: false,
        failures: 1,
        pincite: None,
        texts: Vec::new(),
    }
}

#[test]
fn generated_texts_give_cases_of_every_kind() {
    let sources = sources();
    for kind in kinds() {
        let cases = make(kind, &sources, "test", kind.count);
        assert_eq!(cases.len(), kind.count, "{}", kind.name);
        assert_eq!(
            cases,
            make(kind, &sources, "test", kind.count),
            "{}",
            kind.name
        );
    }
    let dishonest = kinds().filter(|kind| kind.group == CaseGroup::Dishonest);
    assert!(dishonest.map(|kind| kind.count).sum::<usize>() >= 5_000);
}

/// Independent check of the cases: an index of the text contains every honest quote and no
/// dishonest one.
#[test]
fn the_index_agrees_with_the_cases() {
    let sources = sources();
    let index = |source: &Source| {
        PassageTextIndex::new(NormalisedText::new(source.text.as_str()).expect("short"))
    };
    let indexes: Vec<PassageTextIndex> = sources.iter().map(index).collect();
    for (number, case) in cases(CaseGroup::Honest) {
        let index = &indexes[number];
        let quote = Quote::new(&case.phrase, index.text()).expect("short");
        let found = index.find(&quote, None);
        assert!(found.is_some(), "{}: {:?}", case.kind.name, case.phrase);
        let ExpectedVerdict::Exactly("found", places) = &case.expected else {
            panic!("{case:?}");
        };
        assert!(!places.is_empty(), "{case:?}");
    }
    for (number, case) in cases(CaseGroup::Dishonest) {
        let index = &indexes[number];
        let quote = Quote::new(&case.phrase, index.text()).expect("short");
        let found = index.find(&quote, None);
        assert_eq!(found, None, "{}: {:?}", case.kind.name, case.phrase);
    }
}

/// Judge that gives the same status for every case and names the cited place.
struct ConstantJudge(&'static str);

impl Judge for ConstantJudge {
    fn verify(&self, source: &Path, citations: &Path) -> Result<String, String> {
        let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| e.to_string());
        assert!(!read(source)?.is_empty());
        let citations: Map<String, Value> =
            serde_json::from_str(&read(citations)?).map_err(|e| e.to_string())?;
        let verdict = |citation: &Value| {
            let place = json!({
                "verifiedPageNumber": citation["pageNumber"],
                "verifiedLineIds": citation["lineIds"],
            });
            json!({"status": self.0, "document": place})
        };
        let verdicts: Map<String, Value> = citations
            .iter()
            .map(|(key, citation)| (key.clone(), verdict(citation)))
            .collect();
        Ok(json!({"verifications": verdicts, "problems": []}).to_string())
    }
}

fn judged(status: &'static str, kinds: &[&'static CaseKind]) -> crate::report::Report {
    let folder =
        std::env::temp_dir().join(format!("verdicts-test-{status}-{}", std::process::id()));
    let report = evaluate(
        &ConstantJudge(status),
        &folder,
        &sources()[1..2],
        kinds,
        &options(),
    );
    std::fs::remove_dir_all(&folder).expect("it was written");
    report.expect("the judge answers")
}

#[test]
fn a_judge_that_confirms_everything_fails() {
    let kinds: Vec<&'static CaseKind> = kinds().collect();
    let report = judged("found", &kinds);
    assert!(!report.ok(CaseGroup::Dishonest) && !report.ok(CaseGroup::Edge));
    assert!(report.ok(CaseGroup::Slip));
    // The judge names no lines unless they were cited.
    assert!(!report.ok(CaseGroup::Honest));
    assert!(report.text().contains("expected not confirmed, got found"));
}

#[test]
fn a_judge_that_confirms_nothing_fails() {
    let kinds: Vec<&'static CaseKind> = kinds().collect();
    let report = judged("not_found", &kinds);
    assert!(report.ok(CaseGroup::Dishonest));
    assert!(
        !report.ok(CaseGroup::Honest) && !report.ok(CaseGroup::Slip) && !report.ok(CaseGroup::Edge)
    );
}

#[test]
fn scores_status_and_place() {
    let place = |page: u32| PassagePlace {
        page,
        lines: vec![3, 4],
    };
    let mut case = Case {
        kind: &crate::honest::KINDS[0],
        phrase: "some words".to_owned(),
        anchor: None,
        page: None,
        lines: Vec::new(),
        expected: ExpectedVerdict::Exactly("found", vec![place(1), place(2)]),
    };
    let given = |status: &str, place: Option<PassagePlace>| GivenVerdict {
        status: status.to_owned(),
        place,
        problems: vec!["page_outside".to_owned()],
    };
    assert!(is_right(&case, &given("found", Some(place(2)))));
    assert!(!is_right(&case, &given("found", Some(place(3)))));
    assert!(!is_right(&case, &given("found", None)));
    assert!(!is_right(
        &case,
        &given("found_on_other_page", Some(place(1)))
    ));
    case.expected = ExpectedVerdict::ElsewhereWithProblem("page_outside", vec![place(1)]);
    let elsewhere = given("found_on_other_page", Some(place(1)));
    assert!(is_right(&case, &elsewhere));
    assert!(!is_right(&case, &given("found", Some(place(1)))));
    case.expected = ExpectedVerdict::ElsewhereWithProblem("source_missing", vec![place(1)]);
    assert!(!is_right(&case, &elsewhere));
    case.expected = ExpectedVerdict::FoundOrPartial;
    assert!(is_right(&case, &given("partial_text_found", None)));
    assert!(!is_right(&case, &given("not_found", None)));
    case.expected = ExpectedVerdict::NotConfirmed;
    for status in ["not_found", "partial_text_found", "found_anchor_text_only"] {
        assert!(is_right(&case, &given(status, None)));
    }
    for status in [
        "found",
        "found_phrase_missed_anchor_text",
        "found_on_other_page",
        "found_on_other_line",
        "no verdict",
    ] {
        assert!(!is_right(&case, &given(status, None)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Any text gives valid cases or none.
    #[test]
    fn any_text_gives_valid_cases(text in "([A-Z]?[a-zé]{1,9}|[0-9.,%$-]{1,6}|[\\PC]{0,4}|not|may|all|[.!?\"\\n\\x0c]{1,2})( ([A-Z]?[a-zé]{1,9}|[0-9.,%$-]{1,6}|not|only|more|\\PC|[a-z]{2,8}[.]|\\n|\\x0c)){0,150}") {
        let source = Source::new("any", &text);
        let mut rng = Rng::new("any");
        for kind in kinds() {
            for draft in (0..20).filter_map(|_| (kind.draft)(&mut rng, &source)) {
                match draft.expected {
                    ExpectedVerdict::NotConfirmed => prop_assert!(!source.says(&draft.phrase)),
                    ExpectedVerdict::Exactly(_, places) | ExpectedVerdict::ElsewhereWithProblem(_, places) => {
                        prop_assert!(!places.is_empty());
                    }
                    ExpectedVerdict::FoundOrPartial => {}
                }
            }
        }
    }
}
