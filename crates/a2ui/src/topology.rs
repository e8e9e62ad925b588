//! The graph of a surface's components: ids, references, cycles, depth, reachability.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::A2uiProblem;
use crate::catalog::{A2uiCatalog, ComponentReference};

/// Deepest component below the root, as in the reference implementations.
const MAX_GRAPH_DEPTH: usize = 50;

/// Rules that depend on what the input knows of a surface.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphRules {
    /// The input creates the surface: root and all children must be there, and nothing else.
    Complete,
    /// The surface may have components from earlier inputs.
    Update,
}

/// The components of one surface by id.
#[derive(Default)]
pub(crate) struct ComponentGraph<'a> {
    nodes: BTreeMap<&'a str, GraphNode>,
}

struct GraphNode {
    path: String,
    children: Vec<ComponentReference>,
    /// Children of earlier versions of the component. What they name was shown once and is no orphan.
    former_children: Vec<ComponentReference>,
}

impl<'a> ComponentGraph<'a> {
    /// Adds or replaces components. One update may not name an id twice.
    pub(crate) fn update(
        &mut self,
        path: &str,
        components: impl Iterator<Item = &'a Value>,
        catalog: &A2uiCatalog,
        problems: &mut Vec<A2uiProblem>,
    ) {
        let mut seen = HashSet::new();
        for (index, component) in components.enumerate() {
            let path = format!("{path}/{index}");
            let id = component
                .get("id")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if id.is_empty() {
                let reason = "an id has at least one character";
                problems.push(A2uiProblem::new(format!("{path}/id"), "empty_id", reason));
            }
            if !seen.insert(id) {
                let reason = format!("id \"{id}\" occurs twice in this message");
                problems.push(A2uiProblem::new(
                    format!("{path}/id"),
                    "duplicate_id",
                    reason,
                ));
            }
            let children = catalog.child_references(component);
            let former = self.nodes.remove(id);
            let former_children = former.map_or_else(Vec::new, |former| {
                [former.former_children, former.children].concat()
            });
            self.nodes.insert(
                id,
                GraphNode {
                    path,
                    children,
                    former_children,
                },
            );
        }
    }

    pub(crate) fn check(&self, rules: GraphRules, problems: &mut Vec<A2uiProblem>) {
        if self.nodes.is_empty() {
            return;
        }
        if !self.check_self_references(problems) {
            return;
        }
        if rules == GraphRules::Complete {
            self.check_references(problems);
        }
        if rules == GraphRules::Complete {
            let reachable = self.reachable();
            for (id, node) in self.nodes.iter().filter(|(id, _)| !reachable.contains(*id)) {
                let reason = format!("component \"{id}\" is not reachable from \"root\"");
                problems.push(A2uiProblem::new(&node.path, "orphan", reason));
            }
        }
        let mut walk = GraphWalk {
            graph: self,
            finished: HashSet::new(),
            too_deep: false,
        };
        for id in ["root"].into_iter().chain(self.nodes.keys().copied()) {
            walk.visit(id, problems);
        }
    }

    /// Components that are or were part of the tree below the root.
    fn reachable(&self) -> HashSet<&str> {
        let mut reachable = HashSet::new();
        let mut open = vec!["root"];
        while let Some(id) = open.pop() {
            if let Some(node) = self.nodes.get(id)
                && reachable.insert(id)
            {
                let children = node.children.iter().chain(&node.former_children);
                open.extend(children.map(|child| child.id.as_str()));
            }
        }
        reachable
    }

    fn check_self_references(&self, problems: &mut Vec<A2uiProblem>) -> bool {
        let before = problems.len();
        for (id, node) in &self.nodes {
            for child in node.children.iter().filter(|child| child.id == *id) {
                let path = format!("{}{}", node.path, child.path);
                let reason = format!("component \"{id}\" names itself as its child");
                problems.push(A2uiProblem::new(path, "self_reference", reason));
            }
        }
        problems.len() == before
    }

    fn check_references(&self, problems: &mut Vec<A2uiProblem>) {
        if !self.nodes.contains_key("root") {
            let path = self
                .nodes
                .values()
                .next()
                .map_or("", |node| parent(&node.path));
            let reason = "no component has the id \"root\"; a surface begins there";
            problems.push(A2uiProblem::new(path, "missing_root", reason));
        }
        for node in self.nodes.values() {
            for child in &node.children {
                if !self.nodes.contains_key(child.id.as_str()) {
                    let path = format!("{}{}", node.path, child.path);
                    let reason =
                        format!("component \"{}\" does not exist on this surface", child.id);
                    problems.push(A2uiProblem::new(path, "dangling_reference", reason));
                }
            }
        }
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// A walk in depth that visits each component once. Its own stack keeps hostile graphs off the program's.
struct GraphWalk<'g, 'a> {
    graph: &'g ComponentGraph<'a>,
    finished: HashSet<&'g str>,
    too_deep: bool,
}

impl<'g> GraphWalk<'g, '_> {
    fn visit(&mut self, start: &'g str, problems: &mut Vec<A2uiProblem>) {
        if self.too_deep || self.finished.contains(start) || !self.graph.nodes.contains_key(start) {
            return;
        }
        let mut open = vec![(start, 0)];
        let mut on_path = HashSet::from([start]);
        while let Some((id, next)) = open.last_mut() {
            let node = &self.graph.nodes[*id];
            let Some(child) = node.children.get(*next) else {
                on_path.remove(*id);
                self.finished.insert(*id);
                open.pop();
                continue;
            };
            *next += 1;
            if on_path.contains(child.id.as_str()) {
                let path = format!("{}{}", node.path, child.path);
                let reason = format!(
                    "components contain each other in a circle through \"{}\"",
                    child.id
                );
                problems.push(A2uiProblem::new(path, "cycle", reason));
            } else if let Some((child, node)) = self.graph.nodes.get_key_value(child.id.as_str())
                && !self.finished.contains(*child)
            {
                if open.len() > MAX_GRAPH_DEPTH {
                    let reason = format!("components are nested more than {MAX_GRAPH_DEPTH} deep");
                    problems.push(A2uiProblem::new(&node.path, "too_deep", reason));
                    self.too_deep = true;
                    return;
                }
                on_path.insert(child);
                open.push((child, 0));
            }
        }
    }
}
