//! Golden vectors: recorded inputs and outputs of the official AG-UI packages.

use json::Value;

/// Loads the vectors of a file in `crates/agui/tests/data`.
pub fn vectors(file: &str) -> Vec<Value> {
    let path = format!("{}/../agui/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read the vectors in {path}: {error}"));
    let Value::Object(mut file) = Value::parse(&text).expect("vectors are JSON") else {
        panic!("a vector file is an object")
    };
    match file.remove("vectors") {
        Some(Value::Array(vectors)) if !vectors.is_empty() => vectors,
        _ => panic!("{path} has no vectors"),
    }
}

/// Returns the name of a vector.
pub fn name(vector: &Value) -> &str {
    vector["name"].as_str().expect("vectors have names")
}

/// Decodes hexadecimal digits.
pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex"))
        .collect()
}
