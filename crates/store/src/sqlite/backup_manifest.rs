//! Manifest of a backup: the names, sizes and checksums of its files. It is written last, so a backup without it is
//! not complete.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use json::{Map, Value};

use super::private_files;
use crate::error::{Result, StoreError};

/// Name of the manifest in a backup.
const FILE_NAME: &str = "manifest.json";
/// Version of the format.
const FORMAT: usize = 1;
/// Directories that may be nested in a backup.
const MAX_DEPTH: usize = 4;

/// Writes the manifest of all files in a directory.
pub(super) fn write_manifest(directory: &Path) -> Result<()> {
    let mut files = Map::new();
    for name in list_files(directory)? {
        let (size, checksum) = measure(&directory.join(&name))?;
        let file: Map = [
            ("size".to_owned(), Value::from(size)),
            ("blake3".to_owned(), Value::from(checksum.as_str())),
        ]
        .into_iter()
        .collect();
        files.insert(name, Value::Object(file));
    }
    let manifest: Map = [
        ("format".to_owned(), Value::from(FORMAT)),
        ("files".to_owned(), Value::Object(files)),
    ]
    .into_iter()
    .collect();
    let mut file = private_files::create(&directory.join(FILE_NAME))?;
    file.write_all(Value::Object(manifest).to_json().as_bytes())?;
    file.sync_all()?;
    Ok(())
}

/// Checks that a directory is a complete backup: all files of its manifest are there and unchanged.
pub(super) fn check_manifest(directory: &Path) -> Result<()> {
    let incomplete = |detail: String| StoreError::IncompleteBackup { detail };
    let text = match fs::read_to_string(directory.join(FILE_NAME)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(incomplete(format!("it has no {FILE_NAME}")));
        }
        Err(error) => return Err(error.into()),
    };
    let manifest = Value::parse(&text);
    let manifest = manifest.map_err(|_| incomplete(format!("{FILE_NAME} is damaged")))?;
    if manifest.get("format") != Some(&Value::from(FORMAT)) {
        return Err(incomplete(format!("{FILE_NAME} has an unknown format")));
    }
    let files = manifest.get("files").and_then(Value::as_object);
    let files = files.ok_or_else(|| incomplete(format!("{FILE_NAME} is damaged")))?;
    for (name, expected) in files.iter() {
        // A name comes from outside and must not lead out of the backup.
        let is_inside = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        let path = directory.join(name);
        if !is_inside || !path.is_file() {
            return Err(incomplete(format!("{name} is missing")));
        }
        let (size, checksum) = measure(&path)?;
        let is_same = expected.get("size") == Some(&Value::from(size))
            && expected.get("blake3").and_then(Value::as_str) == Some(checksum.as_str());
        if !is_same {
            return Err(incomplete(format!("{name} has changed since it was made")));
        }
    }
    Ok(())
}

/// Returns the files of a directory by their paths in it, in order.
fn list_files(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![(String::new(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(directory.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = match folder.as_str() {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            match entry.file_type()?.is_dir() {
                true if depth < MAX_DEPTH => folders.push((name, depth + 1)),
                true => {}
                false => names.push(name),
            }
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns the size and the checksum of a file.
fn measure(path: &Path) -> Result<(usize, String)> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((size, hasher.finalize().to_hex().to_string()));
        }
        size += count;
        hasher.update(&buffer[..count]);
    }
}
