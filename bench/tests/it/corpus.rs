//! Sizes of the generated streams, on which the required figures depend.

use std::path::PathBuf;

use pincite_bench::corpus::{GeneratedStream, write_all};
use serde_json::Value;

/// Name, events and bytes; bytes may differ by 2 %.
const EXPECTED: [(&str, usize, usize); 7] = [
    ("S1", 5_004, 603_525),
    ("S2", 6_502, 984_394),
    ("S3", 2_003, 508_658),
    ("S4", 22, 2_877_363),
    ("S5", 4_502, 623_656),
    ("E2E200", 204, 24_628),
    ("S1_20000", 20_004, 2_413_322),
];

fn generate(name: &str) -> (PathBuf, Vec<GeneratedStream>) {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let written = write_all(&dir).expect("the temporary folder is writable");
    (dir, written)
}

fn events(dir: &std::path::Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join(format!("{name}.sse"))).expect("just written");
    text.split_terminator("\n\n")
        .map(|frame| {
            let json = frame.strip_prefix("data: ").expect("a data line");
            serde_json::from_str(json).expect("valid JSON")
        })
        .collect()
}

#[test]
fn sizes() {
    let (dir, written) = generate("sizes");
    assert_eq!(written.len(), EXPECTED.len());
    for (stream, (name, count, bytes)) in written.iter().zip(EXPECTED) {
        assert_eq!((stream.name, stream.events), (name, count));
        let off = (stream.bytes as f64 / bytes as f64 - 1.0).abs();
        assert!(
            off < 0.02,
            "{name}: {} bytes, expected {bytes}",
            stream.bytes
        );
        assert_eq!(events(&dir, name).len(), count);
    }
}

#[test]
fn same_seed_same_bytes() {
    let (first, _) = generate("first");
    let (second, _) = generate("second");
    for (name, ..) in EXPECTED {
        let file = format!("{name}.sse");
        let read = |dir: &PathBuf| std::fs::read(dir.join(&file)).expect("just written");
        assert_eq!(read(&first), read(&second), "{name}");
    }
}

#[test]
fn one_delta_in_eight_needs_an_escape_or_is_not_ascii() {
    let (dir, _) = generate("plain");
    let deltas: Vec<String> = events(&dir, "S1")
        .iter()
        .filter_map(|event| event["delta"].as_str().map(str::to_owned))
        .collect();
    let special = |text: &&String| !text.is_ascii() || text.contains(['"', '\n']);
    let share = deltas.iter().filter(special).count() as f64 / deltas.len() as f64;
    assert!((0.105..0.135).contains(&share), "{share}");
}

#[test]
fn state_snapshot_size() {
    let (dir, _) = generate("state");
    let size = events(&dir, "S3")[1]["snapshot"].to_string().len();
    assert!((190_500..198_300).contains(&size), "{size}");
}
