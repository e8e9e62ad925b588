//! Table of routes for the documentation.

use std::fmt::Write;

use crate::operations::{self, RequiredScope};

/// Returns a Markdown table of all routes, subject by subject.
pub fn route_table() -> String {
    let mut table = String::from("| route | purpose | access |\n|---|---|---|\n");
    for operation in operations::all() {
        let access = match operation.required {
            RequiredScope::Nothing => "open".to_owned(),
            RequiredScope::Scope(scope) => format!("`{}`", scope.as_str()),
            RequiredScope::ReadOrLink => "`read` or signed link".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            table,
            "| `{} {}` | {} | {access} |",
            operation.method, operation.path, operation.summary
        );
    }
    table
}
