//! The sentence model of the search, which tests run as it is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the folder of the sentence model. The first call fetches it if it is missing, which needs the network.
pub fn sentence_model() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let fetched = FOLDER.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = root.join("target/models/all-MiniLM-L6-v2");
        let script = root.join("scripts/fetch-model");
        let fetched = Command::new(&script).arg(&folder).status();
        let fetched = fetched.unwrap_or_else(|error| panic!("{}: {error}", script.display()));
        assert!(fetched.success(), "the sentence model could not be fetched");
        folder
    });
    fetched.clone()
}
