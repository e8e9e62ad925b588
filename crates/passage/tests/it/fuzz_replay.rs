//! Replays the inputs in `fuzz/corpus/normalisation` through the fuzz target.

#[path = "../fuzz/mod.rs"]
mod fuzz;

use std::fs;
use std::path::Path;

#[test]
fn kept_fuzz_inputs_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/normalisation");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let data = fs::read(&path).expect("the file can be read");
        let passed = std::panic::catch_unwind(|| fuzz::normalisation(&data));
        assert!(passed.is_ok(), "{} fails", path.display());
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
}
