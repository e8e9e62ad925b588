//! Places of an agent's state where it keeps citations.

use citations::dialects::outline;
use json::patch::{PatchOp, PatchOperation};
use json::{Json, Map, Value};

/// Members of a retrieval block that list what is cited.
pub(super) const CITING_MEMBERS: [&str; 3] = ["citations", "qa_history", "questions"];

/// Returns true if a member of the state is a block that retrieval agents use.
fn is_retrieval_block(name: &str, block: &Value) -> bool {
    matches!(name, "rag" | "haiku.rag.chat" | "ask_history")
        || block.get("citation_index").is_some()
}

/// Copies the citing members of all retrieval blocks that belong to the agent.
pub(super) fn citing_members(state: &Value, is_agents: impl Fn(&str) -> bool) -> Value {
    let members = state.as_object().into_iter().flat_map(Map::iter);
    let blocks = members.filter(|(name, block)| is_retrieval_block(name, block) && is_agents(name));
    let blocks = blocks.map(|(name, block)| {
        let mut copied = Map::new();
        for member in CITING_MEMBERS {
            if let Some(value) = block.get(member) {
                copied.insert(member.to_owned(), value.clone());
            }
        }
        if block.get("citation_index").is_some() {
            copied.insert("citation_index".to_owned(), Value::from([]));
            let outline = outline(block);
            for (name, value) in outline.as_object().into_iter().flat_map(Map::iter) {
                copied.insert(name.to_owned(), value.clone());
            }
        }
        (name.to_owned(), Value::Object(copied))
    });
    Value::Object(blocks.collect())
}

/// Copies the retrieval blocks that list whole sources. The ids in the other blocks are those of the last answer.
pub(super) fn blocks_with_sources(state: &Value) -> Value {
    let members = state.as_object().into_iter().flat_map(Map::iter);
    let blocks = members.filter(|(name, block)| {
        is_retrieval_block(name, block) && block.get("citation_index").is_none()
    });
    Value::Object(
        blocks
            .map(|(name, block)| (name.to_owned(), block.clone()))
            .collect(),
    )
}

/// Returns the source lists of a state by message id.
pub(super) fn source_lists(state: &Value) -> Map {
    match state.get("citations") {
        Some(Value::Object(lists)) => lists.clone(),
        // JavaScript sees an array as an object with its indexes as names.
        Some(Value::Array(lists)) => lists
            .iter()
            .enumerate()
            .filter(|(_, list)| list.as_array().is_some())
            .map(|(at, list)| (at.to_string(), list.clone()))
            .collect(),
        _ => Map::new(),
    }
}

/// Returns true if the text of a state may contain citations. A state that is not text is assumed to.
pub(super) fn may_cite(state: &Json) -> bool {
    let text = state.as_text().map(str::as_bytes);
    text.is_none_or(|text| memchr::memmem::find(text, b"citations").is_some())
}

/// Returns true if a patch may remove or move a citation.
pub(super) fn removes_citations(state: &Value, patch: &[PatchOperation]) -> bool {
    patch.iter().any(|operation| {
        let moved_from = operation
            .from
            .as_deref()
            .filter(|_| operation.op == PatchOp::Move);
        let is_removal = match operation.op {
            PatchOp::Remove | PatchOp::Replace => Some(true),
            PatchOp::Add | PatchOp::Move | PatchOp::Copy => Some(false),
            PatchOp::Test => None,
        };
        moved_from.is_some_and(|from| changes_citations(state, from, true))
            || is_removal
                .is_some_and(|is_removal| changes_citations(state, &operation.path, is_removal))
    })
}

/// Returns true if citations are lost when the value at a path is removed, or when a value is put there.
fn changes_citations(state: &Value, path: &str, is_removal: bool) -> bool {
    let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
    let mut parts = path.split('/').skip(1).map(unescaped);
    let Some(name) = parts.next() else {
        return true;
    };
    let Some(block) = state.get(&name) else {
        return false;
    };
    let (member, rest) = (parts.next(), parts.last());
    let is_position = |last: &str| last == "-" || last.bytes().all(|byte| byte.is_ascii_digit());
    // Inserting into a list keeps its items.
    let is_insertion = |last: &str| !is_removal && is_position(last);
    match (name.as_str(), member.as_deref(), rest.as_deref()) {
        ("citations", None | Some(_), None) => true,
        ("citations", Some(_), Some(last)) => !is_insertion(last),
        (name, ..) if !is_retrieval_block(name, block) => false,
        (_, None, _) => true,
        // An entry that is added to the index is new.
        (_, Some("citation_index"), last) => is_removal || last.is_none(),
        (_, Some(member), None) => CITING_MEMBERS.contains(&member),
        (_, Some(member), Some(last)) => CITING_MEMBERS.contains(&member) && !is_insertion(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_patches_that_remove_citations() {
        let state = Value::parse(
            r#"{"rag":{"citation_index":{"a":{}},"citations":["a"],"searches":{"q":[]},"qa_history":[{"citations":[]}]},
                "citations":{"m":[1]},"foo":{"citations":[1]},"analysis":{"citation_index":{},"citations":[]},"n":1}"#,
        )
        .expect("JSON");
        let one = || Value::from(1_usize);
        let removes = |operation: PatchOperation| removes_citations(&state, &[operation]);
        for operation in [
            PatchOperation::add("/n", one()),
            PatchOperation::replace("/n", one()),
            PatchOperation::add("/rag/searches/r", one()),
            PatchOperation::replace("/rag/searches", one()),
            PatchOperation::add("/rag/citations/-", one()),
            PatchOperation::add("/rag/citations/0", one()),
            PatchOperation::add("/rag/qa_history/1", one()),
            PatchOperation::add("/rag/qa_history/0/citations/0", one()),
            PatchOperation::add("/rag/citation_index/b", one()),
            PatchOperation::add("/citations/m/-", one()),
            PatchOperation::replace("/foo/citations", one()),
            PatchOperation::add("/analysis/citations/-", one()),
            PatchOperation::test("/rag", one()),
            PatchOperation::copy("/rag", "/copy"),
        ] {
            let shown = format!("{operation:?}");
            assert!(!removes(operation), "{shown}");
        }
        for operation in [
            PatchOperation::add("", one()),
            PatchOperation::remove("/rag"),
            PatchOperation::add("/rag", one()),
            PatchOperation::replace("/rag/citations", one()),
            PatchOperation::add("/rag/citations", one()),
            PatchOperation::remove("/rag/citations/0"),
            PatchOperation::replace("/rag/qa_history/0/citations/0", one()),
            PatchOperation::remove("/rag/citation_index/a"),
            PatchOperation::move_("/rag", "/old"),
            PatchOperation::add("/citations/m", one()),
            PatchOperation::remove("/citations/m/0"),
            PatchOperation::replace("/analysis/citations", one()),
        ] {
            let shown = format!("{operation:?}");
            assert!(removes(operation), "{shown}");
        }
    }
}
