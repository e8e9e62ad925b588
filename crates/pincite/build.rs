//! Lists the files of the web console, if it was built, so that the program contains them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let console = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../web/console");
    let dist = console.join("dist");
    // Without the console, cargo watches the folder in which it would appear.
    let watched = if dist.is_dir() { &dist } else { &console };
    println!("cargo::rerun-if-changed={}", watched.display());
    let mut files = Vec::new();
    if dist.is_dir() {
        collect(&dist.canonicalize()?, &mut files)?;
    }
    files.sort();
    let mut table = String::from("&[\n");
    for file in files.iter().filter(|file| !is_compressed(file)) {
        let path = file
            .strip_prefix(dist.canonicalize()?)
            .map_err(io::Error::other)?;
        let path = path.to_string_lossy().replace('\\', "/");
        let compressed = PathBuf::from(format!("{}.gz", file.display()));
        let gzip = match compressed.is_file() {
            true => format!("Some(include_bytes!({compressed:?}))"),
            false => "None".to_owned(),
        };
        writeln!(
            table,
            "ConsoleFile {{ path: {path:?}, bytes: include_bytes!({file:?}), gzip: {gzip} }},"
        )
        .map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(
        Path::new(&variable("OUT_DIR")).join("console_files.rs"),
        table,
    )
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn is_compressed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "gz")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
