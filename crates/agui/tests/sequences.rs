//! The golden sequences: every stage against what the official client did.

mod common;

use common::{sequence, vectors};

#[test]
fn enforcement_equals_the_official_client() {
    for vector in vectors("sequences.public.json") {
        sequence::check_enforcement(&vector);
    }
}

#[test]
fn expansion_and_verification_equal_the_official_client() {
    for vector in vectors("sequences.public.json") {
        sequence::check_expansion_and_verification(&vector);
    }
}

#[test]
fn whole_runs_equal_the_official_client() {
    for vector in vectors("sequences.public.json") {
        sequence::check_run(&vector);
    }
}
