//! What no file of the repository may contain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A source file longer than this is two files.
const MAX_LINES: usize = 800;

/// Every file that breaks a rule.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output();
    let listed = match listed {
        Ok(output) if output.status.success() => output.stdout,
        _ => return vec!["git cannot list the files".to_owned()],
    };
    let names = String::from_utf8_lossy(&listed).into_owned();
    names
        .split('\0')
        .filter(|name| !name.is_empty())
        .flat_map(|name| match fs::read_to_string(root.join(name)) {
            Ok(text) => check_file(name, &text),
            Err(_) => Vec::new(), // binary, or deleted in the working tree
        })
        .collect()
}

fn check_file(name: &str, text: &str) -> Vec<String> {
    let path = PathBuf::from(name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let mut faults = Vec::new();
    if matches!(extension, Some("rs" | "ts" | "tsx" | "mjs" | "py")) {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            faults.push(format!("{name} has {lines} lines, split it"));
        }
        // Written in two parts, so that this file does not find itself.
        for mark in [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("todo", "!("),
            concat!("dbg", "!("),
        ] {
            if text.contains(mark) {
                faults.push(format!("{name} contains {mark}"));
            }
        }
    }
    let library = name.starts_with("crates/")
        && name.contains("/src/")
        && !name.starts_with("crates/pincite/");
    if library && text.contains(concat!("std::", "env")) {
        faults.push(format!("{name} reads the environment; pass the value in"));
    }
    if path
        .file_name()
        .is_some_and(|file| file == "package-lock.json")
        && text.contains("\"resolved\"")
    {
        faults.push(format!(
            "{name} records download addresses; see .npmrc beside it"
        ));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_crates_do_not_read_the_environment() {
        let text = concat!("let home = std::", "env::var(\"HOME\");");
        assert_eq!(check_file("crates/agui/src/sse.rs", text).len(), 1);
        assert!(check_file("crates/pincite/src/main.rs", text).is_empty());
        assert!(check_file("crates/agui/tests/sse.rs", text).is_empty());
    }

    #[test]
    fn long_files_and_marks_are_faults() {
        assert_eq!(check_file("a.rs", &"x\n".repeat(MAX_LINES + 1)).len(), 1);
        assert_eq!(check_file("a.rs", concat!("// TO", "DO: later")).len(), 1);
        assert!(check_file("a.md", concat!("TO", "DO")).is_empty());
    }
}
