//! Replay of the inputs in `fuzz/corpus/citations`.

use std::fs;
use std::path::Path;

use crate::fuzz;

#[test]
fn the_fuzz_corpus_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/citations");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let data = fs::read(&path).expect("the file can be read");
        let passed = std::panic::catch_unwind(|| fuzz::citations(&data));
        assert!(passed.is_ok(), "{} fails", path.display());
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
}
