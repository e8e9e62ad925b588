//! Every input in `fuzz/corpus` through its fuzz target.

mod fuzz;

use std::fs;
use std::path::PathBuf;

fn replay(target: &str, body: fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        let data = fs::read(&file).expect("the file can be read");
        let result = std::panic::catch_unwind(|| body(&data));
        assert!(result.is_ok(), "{} fails", file.display());
    }
}

#[test]
fn sse() {
    replay("sse", fuzz::sse);
}

#[test]
fn json() {
    replay("json", fuzz::json);
}

#[test]
fn proto() {
    replay("proto", fuzz::proto);
}

#[test]
fn patch() {
    replay("patch", fuzz::patch);
}

#[test]
fn stream() {
    replay("stream", fuzz::stream);
}
