//! Checks of single files: size, marks, environment, lock files.

use std::path::PathBuf;

use crate::source::{code_only, functions};

/// Lines of a source file.
const MAX_LINES: usize = 450;
/// Lines of a function.
const MAX_FUNCTION_LINES: usize = 80;

/// Files that may be longer, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[(
    "web/packages/client/src/generated/api.ts",
    "generated from the types of the server",
)];

/// Functions that may be longer, as `file function`, each with its reason.
const LONG_FUNCTIONS: &[(&str, &str)] = &[
    (
        "crates/pincite/src/stream/event_printer.rs event",
        "one arm for each event type",
    ),
    (
        "crates/pincite/tests/it/keys.rs keys_are_created_and_revoked_beside_a_running_server",
        "the life of keys beside one server",
    ),
    (
        "crates/pincite/tests/it/serve/citation_sdk.rs rejects_fields_of_a_wrong_type_by_name",
        "one row for each field",
    ),
    (
        "crates/pincite/tests/it/serve/citation_sdk_recordings.rs answers_recorded_sdk_requests",
        "one recorded conversation",
    ),
    (
        "crates/pincite/tests/it/serve/official_client/patches.rs cases",
        "one row for each behaviour of an upstream",
    ),
    (
        "crates/pincite/tests/it/serve/principal_isolation.rs principals_cannot_read_or_delete_data_of_others",
        "one walk through all routes",
    ),
    (
        "crates/pincite/tests/it/serve/traces.rs spans_of_a_run_are_nested",
        "one run with all its spans",
    ),
    (
        "crates/pincite/tests/it/serve/uploads.rs attachment_id_names_the_same_document_everywhere",
        "one attachment on all routes",
    ),
    (
        "crates/agui/src/verify/mod.rs check_rules",
        "one arm for each event type",
    ),
    (
        "crates/agui/src/verify.rs check_rules",
        "one arm for each event type",
    ),
    (
        "crates/agui/src/compact/fold_trace.rs add",
        "one arm for each event type",
    ),
    (
        "crates/agui/src/proto/encode.rs encode_flat",
        "one arm for each event type",
    ),
    (
        "crates/citations/tests/fuzz/oracle.rs citation",
        "one step for each field of an entry",
    ),
    (
        "crates/citations/tests/it/dialects/content.rs passages_cited_again_for_another_question_are_found",
        "a table of cases",
    ),
    (
        "crates/citations/tests/it/dialects/content.rs unreadable_parts_are_reported",
        "a table of cases",
    ),
    (
        "crates/citations/tests/it/dialects/sources.rs sources_have_titles_and_page_labels",
        "a table of cases",
    ),
    (
        "crates/citations/tests/it/dialects/specification.rs one_value_of_another_type_makes_the_block_invalid",
        "a table of cases",
    ),
];

/// Returns the faults of one file.
pub(crate) fn check_file(name: &str, text: &str) -> Vec<String> {
    let path = PathBuf::from(name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let mut faults = Vec::new();
    if matches!(extension, Some("rs" | "ts" | "tsx" | "mjs" | "py")) {
        faults.extend(check_size(name, text));
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
    if is_library(name) && text.contains(concat!("std::", "env")) {
        faults.push(format!("{name} reads the environment; pass the value in"));
    }
    if path
        .file_name()
        .is_some_and(|file| file == "package-lock.json")
        && text.contains("\"resolved\": \"http")
    {
        faults.push(format!(
            "{name} records download addresses; see .npmrc beside it"
        ));
    }
    faults
}

/// Returns true for sources of crates that must not print or read the environment.
fn is_library(name: &str) -> bool {
    name.starts_with("crates/")
        && name.contains("/src/")
        && !name.starts_with("crates/pincite/")
        && !name.starts_with("crates/testkit/")
}

fn check_size(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let allowed = |list: &[(&str, &str)], key: &str| list.iter().any(|(listed, _)| *listed == key);
    let lines = text.lines().count();
    if lines > MAX_LINES && !allowed(LONG_FILES, name) {
        faults.push(format!(
            "{name} has {lines} lines, more than {MAX_LINES}: split it, or list it with a reason"
        ));
    }
    if name.ends_with(".rs") && !name.ends_with("tests.rs") {
        for (function, line, length) in functions(&code_only(text)) {
            if length > MAX_FUNCTION_LINES
                && !allowed(LONG_FUNCTIONS, &format!("{name} {function}"))
            {
                faults.push(format!(
                    "{name}:{line}: the function {function} has {length} lines, more than {MAX_FUNCTION_LINES}"
                ));
            }
        }
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
    fn long_files_and_functions_and_marks_are_refused() {
        assert_eq!(check_file("a.rs", &"x\n".repeat(MAX_LINES + 1)).len(), 1);
        assert_eq!(check_file("a.rs", concat!("// TO", "DO: later")).len(), 1);
        assert!(check_file("a.md", concat!("TO", "DO")).is_empty());
        let long = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(MAX_FUNCTION_LINES));
        assert_eq!(check_file("a.rs", &long).len(), 1);
    }
}
