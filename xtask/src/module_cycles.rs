//! Cycles between the top-level modules of a crate.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::production;
use crate::source::code_only;

/// Largest cycle that a crate may have.
const MAX_CYCLE: usize = 4;
/// Crates that may have no cycle at all.
const ACYCLIC: &[&str] = &["citations", "gateway", "json", "server", "telemetry"];

/// Uses between the top-level modules of each crate.
#[derive(Default)]
pub(crate) struct ModuleUses(BTreeMap<String, BTreeMap<String, BTreeSet<String>>>);

impl ModuleUses {
    /// Adds the modules that a file of `crates/NAME/src` uses.
    pub(crate) fn add(&mut self, path: &str, text: &str) {
        let Some((crate_name, inside)) = path
            .strip_prefix("crates/")
            .and_then(|path| path.split_once("/src/"))
        else {
            return;
        };
        let module = inside.split('/').next().unwrap_or(inside);
        let module = module.strip_suffix(".rs").unwrap_or(module);
        let uses = self.0.entry(crate_name.to_owned()).or_default();
        let used = uses.entry(module.to_owned()).or_default();
        if matches!(module, "lib" | "main") {
            return;
        }
        let code = code_only(text);
        for (at, _) in production(&code).match_indices("crate::") {
            let path = &code[at + "crate::".len()..];
            used.extend(first_segments(path).map(str::to_owned));
        }
    }

    /// Returns the cycles that are too large.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (crate_name, uses) in &self.0 {
            for cycle in cycles(uses) {
                let is_acyclic = ACYCLIC.contains(&crate_name.as_str());
                if is_acyclic || cycle.len() > MAX_CYCLE {
                    let modules = cycle.join(", ");
                    faults.push(format!(
                        "the modules {modules} of crates/{crate_name} use each other in a cycle"
                    ));
                }
            }
        }
        faults
    }
}

/// Returns the module names that a path after `crate::` begins with: one, or those of a group.
fn first_segments(path: &str) -> impl Iterator<Item = &str> {
    let names = match path.strip_prefix('{') {
        Some(group) => &group[..group.find('}').unwrap_or(group.len())],
        // A path outside of a group names one module; commas after it belong to other code.
        None => &path[..path.find(',').unwrap_or(path.len())],
    };
    names.split(',').map(|part| {
        let part = part.trim_start();
        let end = part
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(part.len());
        &part[..end]
    })
}

/// Returns the strongly connected components with more than one module.
fn cycles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<&str>> {
    let reaches = |from: &str| {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = uses
            .get_key_value(from)
            .map(|(key, _)| key.as_str())
            .into_iter()
            .collect();
        while let Some(module) = open.pop() {
            let next = uses.get(module).into_iter().flatten();
            for used in next.filter_map(|used| uses.get_key_value(used)) {
                if used.0 != module && reached.insert(used.0) {
                    open.push(used.0);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = uses
        .keys()
        .map(|module| (module.as_str(), reaches(module)))
        .collect();
    let mut found: Vec<Vec<&str>> = Vec::new();
    for (module, targets) in &reached {
        if found.iter().any(|cycle| cycle.contains(module)) {
            continue;
        }
        let mut cycle: Vec<&str> = targets
            .iter()
            .copied()
            .filter(|target| target != module && reached[target].contains(module))
            .collect();
        if !cycle.is_empty() {
            cycle.push(module);
            cycle.sort_unstable();
            found.push(cycle);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(crate_name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let mut uses = ModuleUses::default();
        for (file, text) in files {
            uses.add(&format!("crates/{crate_name}/src/{file}"), text);
        }
        uses.faults()
    }

    #[test]
    fn a_small_cycle_is_allowed_except_where_none_is() {
        let files = [
            ("a.rs", "use crate::b::X;"),
            ("b.rs", "use crate::{a, c::Y};"),
            ("c.rs", ""),
        ];
        assert!(uses("store", &files).is_empty());
        assert_eq!(
            uses("gateway", &files),
            ["the modules a, b of crates/gateway use each other in a cycle"]
        );
    }

    #[test]
    fn names_after_a_comma_outside_of_a_group_are_no_modules() {
        let files = [
            ("a.rs", "use crate::b::X; fn f(x: X, b: u8) {}"),
            ("b.rs", "use crate::c::Y; fn f(y: Y, a: u8) {}"),
            ("c.rs", ""),
        ];
        assert!(uses("gateway", &files).is_empty());
    }

    #[test]
    fn a_cycle_of_five_is_refused() {
        let files = [
            ("a.rs", "use crate::b;"),
            ("b/x.rs", "use crate::c;"),
            ("c.rs", "use crate::d;"),
            ("d.rs", "use crate::e;"),
            ("e.rs", "use crate::a; // crate::z"),
        ];
        assert_eq!(uses("store", &files).len(), 1);
        assert!(uses("store", &files[..4]).is_empty());
    }
}
