//! The sentence model against a reference implementation in NumPy, with the tokeniser of Hugging Face.

use embedding::{MiniLm, has_model};
use search::Embedder;
use testkit::sentence_model::sentence_model;

const TEXTS: [&str; 4] = [
    "The harbour gates open one hour before high tide.",
    "When can ships enter the port?",
    "Sourdough needs twelve hours of rest.",
    "Naïve café — 東京 2024: \"fuzzy\" co-operation, isn't it?",
];

/// First numbers of the vectors of the reference implementation.
const FIRST: [[f32; 6]; 4] = [
    [0.0239, 0.0037, 0.02238, -0.00414, -0.02176, -0.03007],
    [0.01336, 0.00287, -0.07019, 0.02629, -0.00666, -0.01886],
    [0.01569, 0.06066, 0.01011, 0.00032, -0.03465, -0.03516],
    [0.07442, 0.00312, 0.07123, -0.05012, -0.05565, -0.00643],
];

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}

#[test]
fn vectors_are_those_of_the_reference_implementation() {
    let model = MiniLm::new(sentence_model(), 1);
    let vectors = model.embed(&TEXTS).expect("the model works");
    for (vector, first) in vectors.iter().zip(FIRST) {
        assert_eq!(vector.len(), 384);
        for (found, expected) in vector.iter().zip(first) {
            assert!((found - expected).abs() < 2e-5, "{found} {expected}");
        }
    }
    assert!((cosine(&vectors[0], &vectors[1]) - 0.4442).abs() < 1e-3);
    assert!((cosine(&vectors[0], &vectors[2]) - 0.2255).abs() < 1e-3);
}

#[test]
fn empty_long_and_odd_texts_have_vectors() {
    let model = MiniLm::new(sentence_model(), 2);
    let long = "tide ".repeat(10_000);
    let texts = ["", long.as_str(), "\0\u{202e}\u{fffd}", "👩‍👩‍👧"];
    for vector in model.embed(&texts).expect("the model works") {
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-3);
    }
}

#[test]
fn a_folder_without_a_model_is_an_error_with_a_hint() {
    assert!(!has_model("/nonexistent".as_ref()));
    assert!(has_model(&sentence_model()));
    let error = MiniLm::new("/nonexistent", 1).embed(&["a"]);
    let error = error.expect_err("there is no model").to_string();
    assert!(error.contains("make model"), "{error}");
}
