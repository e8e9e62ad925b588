//! Allowed dependencies between crates: the layout of ARCHITECTURE.md as data.

use std::fs;
use std::path::Path;

/// A crate of the workspace and the workspace crates that it may depend on.
struct CrateRule {
    name: &'static str,
    may_know: &'static [&'static str],
}

const fn rule(name: &'static str, may_know: &'static [&'static str]) -> CrateRule {
    CrateRule { name, may_know }
}

/// Rules from the bottom of the layout to the top. A new crate needs a row here.
const RULES: &[CrateRule] = &[
    rule("json", &[]),
    rule("net", &[]),
    rule("telemetry", &["net"]),
    rule("agui", &["json"]),
    rule("agui-http", &["agui", "json", "net"]),
    rule("testkit", &["agui", "json"]),
    rule("passage", &[]),
    rule("documents", &["passage"]),
    rule("rendering", &["documents", "passage"]),
    rule("sandbox", &["documents", "rendering"]),
    rule("citations", &["agui", "documents", "json", "passage"]),
    rule(
        "citation-stream",
        &["agui", "citations", "documents", "json", "passage"],
    ),
    rule("search", &["documents", "passage"]),
    rule(
        "store",
        &["agui", "citations", "documents", "json", "search"],
    ),
    rule("embedding", &["agui-http", "search"]),
    rule("bus", &["store"]),
    rule("canvas", &["agui", "json"]),
    rule("a2ui", &[]),
    rule("canvas-rendering", &["a2ui", "canvas", "json"]),
    rule("mcp", &[]),
    rule("attribution", &["json", "search"]),
    rule(
        "agents",
        &[
            "agui",
            "agui-http",
            "attribution",
            "canvas",
            "citations",
            "json",
            "net",
            "search",
        ],
    ),
    rule(
        "gateway",
        &[
            "agents",
            "agui",
            "agui-http",
            "attribution",
            "bus",
            "canvas",
            "citation-stream",
            "citations",
            "documents",
            "json",
            "mcp",
            "net",
            "passage",
            "rendering",
            "sandbox",
            "search",
            "store",
            "telemetry",
        ],
    ),
    rule(
        "server",
        &[
            "agents",
            "agui",
            "agui-http",
            "attribution",
            "canvas",
            "citation-stream",
            "citations",
            "documents",
            "gateway",
            "json",
            "mcp",
            "net",
            "rendering",
            "sandbox",
            "search",
            "store",
            "telemetry",
        ],
    ),
    rule(
        "pincite",
        &[
            "a2ui",
            "agents",
            "agui",
            "agui-http",
            "attribution",
            "canvas",
            "canvas-rendering",
            "citation-stream",
            "citations",
            "documents",
            "embedding",
            "gateway",
            "json",
            "mcp",
            "net",
            "passage",
            "rendering",
            "sandbox",
            "search",
            "server",
            "store",
            "telemetry",
        ],
    ),
];

/// External crates that only the named workspace crates may use.
const ONLY: &[(&str, &[&str])] = &[
    ("axum", &["server"]),
    ("candle-core", &["embedding"]),
    ("clap", &["pincite"]),
    ("opentelemetry", &["telemetry"]),
    ("rusqlite", &["store"]),
    ("sqlx", &["store"]),
    ("tantivy", &["search"]),
];

/// Returns every dependency that the layout forbids.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let Ok(crates) = fs::read_dir(root.join("crates")) else {
        return vec!["the folder crates/ is missing".to_owned()];
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
        return vec![format!(
            "crates/{name} has no row in xtask/src/crate_graph.rs"
        )];
    };
    let mut faults = Vec::new();
    if !manifest.contains("[lints]\nworkspace = true") {
        faults.push(format!(
            "crates/{name} does not use the workspace lints: add `[lints]\nworkspace = true`"
        ));
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

/// Returns the names in `[dependencies]`; development dependencies are not restricted.
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
    fn a_dependency_on_a_higher_crate_is_refused() {
        let manifest = format!("[dependencies]\ncitations.workspace = true\n{LINTS}");
        assert_eq!(
            check_crate("agui", &manifest),
            ["agui may not know citations"]
        );
    }

    #[test]
    fn a_framework_in_the_wrong_crate_is_refused() {
        let manifest = format!("[dependencies]\naxum = \"0.8\"\n{LINTS}");
        assert_eq!(
            check_crate("agui", &manifest),
            ["only server may know axum, not agui"]
        );
    }

    #[test]
    fn development_dependencies_are_free() {
        let manifest = format!("[dependencies]\n\n[dev-dependencies]\naxum = \"0.8\"\n{LINTS}");
        assert!(check_crate("agui", &manifest).is_empty());
    }

    #[test]
    fn a_crate_without_a_row_or_without_lints_is_refused() {
        assert_eq!(check_crate("misc", LINTS).len(), 1);
        assert_eq!(check_crate("agui", "[dependencies]\n").len(), 1);
    }
}
