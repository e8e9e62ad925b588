//! Replay of the fuzz corpus of this crate.

use std::fs;
use std::path::Path;

#[test]
fn the_fuzz_corpus_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/documents");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let data = fs::read(&path).expect("the file can be read");
        let passed = std::panic::catch_unwind(|| crate::fuzz_target::check_bytes(&data));
        assert!(passed.is_ok(), "{} fails", path.display());
        count += 1;
    }
    assert!(count > 0, "the corpus is empty");
}
