//! Replays every input in `fuzz/corpus` with its fuzz target.
//!
//! Inputs in `fuzz/known` show faults that are not fixed yet. If one of them passes, its test
//! fails, because the input belongs into the corpus then.

use std::fs;
use std::path::PathBuf;

/// Returns the inputs in a folder in order; none if the folder is missing.
fn inputs(kind: &str, target: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz")
        .join(kind)
        .join(target);
    let Ok(entries) = fs::read_dir(&folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn passes(file: &PathBuf, body: fn(&[u8])) -> bool {
    let data = fs::read(file).expect("the file can be read");
    std::panic::catch_unwind(|| body(&data)).is_ok()
}

fn replay(target: &str, body: fn(&[u8])) {
    let files = inputs("corpus", target);
    assert!(
        !files.is_empty(),
        "fuzz/corpus/{target} is missing or empty"
    );
    for file in files {
        assert!(passes(&file, body), "{} fails", file.display());
    }
    for file in inputs("known", target) {
        assert!(
            !passes(&file, body),
            "{} passes now: move it to fuzz/corpus/{target}",
            file.display()
        );
    }
}

#[test]
fn sse() {
    replay("sse", crate::fuzz::sse);
}

#[test]
fn json() {
    replay("json", crate::fuzz::json);
}

#[test]
fn proto() {
    replay("proto", crate::fuzz::proto);
}

#[test]
fn patch() {
    replay("patch", crate::fuzz::patch);
}

#[test]
fn stream() {
    replay("stream", crate::fuzz::stream);
}
