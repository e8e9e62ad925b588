//! Files of folders, as far as they can be documents.

use std::fs;
use std::path::{Path, PathBuf};

/// Extensions of files in folders that are ingested. A file that is named itself is always tried.
const EXTENSIONS: &[&str] = &[
    "pdf", "docx", "html", "htm", "xhtml", "md", "markdown", "txt", "text", "rst", "tex", "csv",
    "tsv",
];

/// Files that were found, and what could not be looked at.
#[derive(Debug, Default)]
pub(super) struct ScannedFiles {
    /// Files in alphabetical order, with absolute paths.
    pub(super) files: Vec<PathBuf>,
    /// Folders that were scanned, with absolute paths.
    pub(super) folders: Vec<PathBuf>,
    /// Number of files of other kinds.
    pub(super) skipped: usize,
    /// Paths that cannot be read, with the reason.
    pub(super) unreadable: Vec<(PathBuf, String)>,
}

impl ScannedFiles {
    /// Adds a file, or the files of a folder and its subfolders. Hidden ones are left out. Folders that are symbolic
    /// links are not followed, because they may form cycles.
    pub(super) fn add(&mut self, path: &Path) {
        let absolute = match fs::canonicalize(path) {
            Ok(absolute) => absolute,
            Err(error) => {
                self.unreadable.push((path.to_owned(), error.to_string()));
                return;
            }
        };
        if absolute.is_dir() {
            self.folders.push(absolute.clone());
            self.add_folder(absolute);
        } else {
            self.files.push(absolute);
        }
    }

    fn add_folder(&mut self, folder: PathBuf) {
        // A stack of our own: folders may be nested deeper than the stack of the thread allows.
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.unreadable.push((folder, error.to_string()));
                    continue;
                }
            };
            let mut paths: Vec<(PathBuf, bool)> = Vec::new();
            for entry in entries {
                let known = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
                match known {
                    Ok((path, kind)) => {
                        let is_link_to_folder = kind.is_symlink() && path.is_dir();
                        if !is_hidden(&path) && !is_link_to_folder {
                            paths.push((path, kind.is_dir()));
                        }
                    }
                    Err(error) => self.unreadable.push((folder.clone(), error.to_string())),
                }
            }
            paths.sort();
            for (path, is_folder) in paths.iter().rev() {
                if *is_folder {
                    folders.push(path.clone());
                }
            }
            for (path, _) in paths.into_iter().filter(|(_, is_folder)| !is_folder) {
                match is_document(&path) {
                    true => self.files.push(path),
                    false => self.skipped += 1,
                }
            }
        }
    }
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_none_or(|name| name.starts_with('.'))
}

fn is_document(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let extension = extension.map(str::to_ascii_lowercase);
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_scanned_without_cycles_hidden_files_and_other_kinds() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        fs::create_dir_all(root.join("b/c")).expect("a folder");
        for name in ["z.md", "b/c/a.PDF", "b/x.bin", ".hidden.md", "b/y.txt"] {
            fs::write(root.join(name), "text").expect("a file");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(&root, root.join("b/loop")).expect("a link");
        let mut scanned = ScannedFiles::default();
        scanned.add(&root);
        scanned.add(&root.join("missing.md"));
        let names: Vec<String> = scanned
            .files
            .iter()
            .filter_map(|path| Some(path.strip_prefix(&root).ok()?.display().to_string()))
            .collect();
        assert_eq!(names, ["z.md", "b/y.txt", "b/c/a.PDF"]);
        assert_eq!((scanned.skipped, scanned.unreadable.len()), (1, 1));
    }
}
