//! Data of the tests, scratch files and JSON.

use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};

use json::Value;

/// Returns the path of a file in `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name]
        .iter()
        .collect()
}

/// Writes a file for a test. Each test module has a folder, in which the name must be unique.
#[track_caller]
pub(crate) fn scratch(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = module_folder(Location::caller()).join(name);
    fs::write(&path, content).expect("the scratch folder is writable");
    path
}

/// Returns a path at which nothing exists, for a file or folder that the test creates.
#[track_caller]
pub(crate) fn unused_path(name: &str) -> PathBuf {
    let path = module_folder(Location::caller()).join(name);
    // An earlier execution may have left a file or a folder.
    let _ = fs::remove_file(&path);
    let _ = fs::remove_dir_all(&path);
    assert!(!path.exists(), "{} cannot be removed", path.display());
    path
}

/// Returns the scratch folder of the module that contains the caller, such as `target/tmp/serve/uploads`.
fn module_folder(caller: &Location) -> PathBuf {
    let module = Path::new(caller.file()).with_extension("");
    let inside = module
        .to_str()
        .and_then(|path| path.rsplit_once("tests/it/"));
    let (_, inside) = inside.expect("scratch files belong to integration tests");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(inside);
    fs::create_dir_all(&folder).expect("the scratch folder is writable");
    folder
}

#[track_caller]
pub(crate) fn parse(text: &str) -> Value {
    Value::parse(text).unwrap_or_else(|error| panic!("{error}: {text:.200}"))
}

pub(crate) fn parse_file(path: &Path) -> Value {
    parse(&fs::read_to_string(path).expect("the file is readable"))
}
