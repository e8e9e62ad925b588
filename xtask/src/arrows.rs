//! Which crate may know which: the picture in ARCHITECTURE.md, as data.

use std::fs;
use std::path::Path;

/// A crate, the crates of ours it may know, and why not more.
struct Rule {
    name: &'static str,
    may_know: &'static [&'static str],
}

const fn rule(name: &'static str, may_know: &'static [&'static str]) -> Rule {
    Rule { name, may_know }
}

/// From the bottom up. A new crate gets its row here before it gets its code.
const RULES: &[Rule] = &[
    rule("agui", &[]),
    rule("fetch", &[]),
    rule("telemetry", &["fetch"]),
    rule("passage", &[]),
    rule("documents", &["passage"]),
    rule("intake", &["documents", "evidence"]),
    rule("evidence", &["documents", "passage"]),
    rule("citations", &["agui", "documents", "passage"]),
    rule("store", &["agui", "citations", "documents"]),
    rule("search", &["documents", "passage", "store"]),
    rule("canvas", &["agui"]),
    rule("attribution", &["search", "store"]),
    rule(
        "agents",
        &["agui", "canvas", "citations", "search", "store"],
    ),
    rule(
        "server",
        &[
            "agents",
            "agui",
            "attribution",
            "canvas",
            "citations",
            "documents",
            "evidence",
            "fetch",
            "intake",
            "search",
            "store",
            "telemetry",
        ],
    ),
    rule(
        "pincite",
        &[
            "agents",
            "agui",
            "citations",
            "documents",
            "evidence",
            "fetch",
            "intake",
            "passage",
            "server",
            "store",
            "telemetry",
        ],
    ),
];

/// Crates of others that only one of ours may know.
const ONLY: &[(&str, &[&str])] = &[
    ("axum", &["server"]),
    ("clap", &["pincite"]),
    ("opentelemetry", &["telemetry"]),
    ("rusqlite", &["store"]),
    ("sqlx", &["store"]),
];

/// Every arrow that points the wrong way.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let Ok(crates) = fs::read_dir(root.join("crates")) else {
        return vec!["there is no folder crates/".to_owned()];
    };
    for entry in crates.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match fs::read_to_string(entry.path().join("Cargo.toml")) {
            Ok(manifest) => faults.extend(check_crate(&name, &manifest)),
            Err(_) => faults.push(format!("crates/{name} has no Cargo.toml")),
        }
    }
    faults
}

fn check_crate(name: &str, manifest: &str) -> Vec<String> {
    let Some(rule) = RULES.iter().find(|rule| rule.name == name) else {
        return vec![format!("crates/{name} has no row in xtask/src/arrows.rs")];
    };
    let mut faults = Vec::new();
    if !manifest.contains("[lints]\nworkspace = true") {
        faults.push(format!("crates/{name} does not take the workspace's lints"));
    }
    for dependency in dependencies(manifest) {
        let ours = RULES.iter().any(|rule| rule.name == dependency);
        if ours && !rule.may_know.contains(&dependency) {
            faults.push(format!("{name} may not know {dependency}"));
        }
        let holders = ONLY
            .iter()
            .find(|(crate_name, _)| *crate_name == dependency);
        if let Some((_, holders)) = holders
            && !holders.contains(&name)
        {
            faults.push(format!(
                "only {} may know {dependency}, not {name}",
                holders.join(", ")
            ));
        }
    }
    faults
}

/// What a crate is built with; what only its tests use is free.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
            return None;
        }
        let name = line.split(['=', '.', ' ']).next()?.trim();
        (inside && !name.is_empty() && !name.starts_with('#')).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINTS: &str = "\n[lints]\nworkspace = true\n";

    #[test]
    fn an_arrow_that_points_up_is_a_fault() {
        let manifest = format!("[dependencies]\ncitations.workspace = true\n{LINTS}");
        assert_eq!(
            check_crate("agui", &manifest),
            ["agui may not know citations"]
        );
    }

    #[test]
    fn a_framework_in_the_wrong_crate_is_a_fault() {
        let manifest = format!("[dependencies]\naxum = \"0.8\"\n{LINTS}");
        assert_eq!(
            check_crate("agui", &manifest),
            ["only server may know axum, not agui"]
        );
    }

    #[test]
    fn tests_may_know_more() {
        let manifest = format!("[dependencies]\n\n[dev-dependencies]\naxum = \"0.8\"\n{LINTS}");
        assert!(check_crate("agui", &manifest).is_empty());
    }

    #[test]
    fn a_crate_without_a_row_or_without_lints_is_a_fault() {
        assert_eq!(check_crate("misc", LINTS).len(), 1);
        assert_eq!(check_crate("agui", "[dependencies]\n").len(), 1);
    }
}
