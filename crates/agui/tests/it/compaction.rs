//! Compaction: always correct, and equal to the official result if that is correct.

use std::collections::BTreeSet;

use agui::compact::compact;
use testkit::compaction::compaction_fault;
use testkit::events::{events, to_values};
use testkit::vectors::{name, vectors};

/// Vectors with an official result that fails verification or folds differently. A vector that no
/// longer belongs here fails the test.
const OFFICIAL_IS_WRONG: &[&str] = &[
    "chunk.lane-close-order",
    "compact.run-error-with-open",
    "compact.snapshot-in-text",
    "compact.two-texts",
    "random.001",
    "random.003",
    "random.006",
    "random.008",
    "random.009",
    "random.012",
    "random.014",
    "random.015",
    "random.016",
    "random.020",
    "random.021",
    "random.022",
    "random.023",
    "random.028",
    "random.029",
    "random.035",
    "random.038",
    "random.056",
    "random.061",
    "random.067",
    "random.074",
    "random.076",
    "random.081",
    "random.082",
    "random.085",
    "random.086",
    "random.087",
    "random.089",
    "random.096",
    "run.error-with-open",
    "run.second-after-error-open-entities",
];

#[test]
fn compaction_keeps_the_meaning_and_equals_correct_official_results() {
    let mut wrong = BTreeSet::new();
    let mut compared = 0;
    for vector in vectors("sequences.public.json") {
        let input = events(&vector["expanded"]);
        let output = compact(&input);
        if let Some(fault) = compaction_fault(&input, &output, &vector) {
            panic!(
                "{}: {fault}\n{}",
                name(&vector),
                to_values(&output).to_json()
            );
        }
        let Some(official) = vector.get("compacted") else {
            continue;
        };
        compared += 1;
        if compaction_fault(&input, &events(official), &vector).is_some() {
            wrong.insert(name(&vector).to_owned());
            continue;
        }
        assert!(
            to_values(&output) == *official,
            "{}\n  input:  {}\n  ours:   {}\n  theirs: {}",
            name(&vector),
            vector["expanded"].to_json(),
            to_values(&output).to_json(),
            official.to_json()
        );
    }
    assert!(
        compared > 200,
        "only {compared} vectors have an official result"
    );
    let reviewed: BTreeSet<String> = OFFICIAL_IS_WRONG.iter().map(ToString::to_string).collect();
    assert_eq!(
        wrong, reviewed,
        "the reviewed list of differences is out of date"
    );
}

#[test]
fn compacting_twice_adds_no_events() {
    for vector in vectors("sequences.public.json") {
        let once = compact(&events(&vector["expanded"]));
        let twice = compact(&once);
        assert!(twice.len() <= once.len(), "{}", name(&vector));
    }
}
