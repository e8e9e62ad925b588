//! What a run added to the state of a retrieval agent.

use agui::json::{Map, Value};
use hashbrown::HashMap;

use super::schema::{flat_lists, histories, ids, indexed};
use super::source::SourceReference;
use super::specification::{fault, unknown};

/// How two states are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extract {
    /// By the length of `rag.qa_history` alone, and nothing if anything in `rag` is wrong: exactly what
    /// the specification says.
    Specification,
    /// By what the entries say, in every form the state has had; a wrong entry is left out by itself.
    #[default]
    Content,
}

/// Why an entry counts as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The history grew at its end.
    Grown,
    /// Old entries fell out at the front while new ones came.
    Rotated,
    /// Entries were replaced.
    Replaced,
    /// The list of cited ids grew.
    IdsGrown,
    /// The list of cited ids began anew.
    IdsReset,
    /// The list of all citations grew, without an entry in the history.
    ListGrown,
}

/// Something in a state that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// A block is not what it should be.
    #[error("'{0}' is not in a form that can be read")]
    WrongForm(String),
    /// Something is not what it should be in the state before, and counts as empty.
    #[error(
        "'{0}' of the state before is not in a form that can be read; what it held may come again"
    )]
    WrongBefore(String),
    /// A block has members that are not known.
    #[error("the state has members that are not known: {}", .0.join(", "))]
    UnknownMembers(Vec<String>),
    /// A citation lacks something that it must have.
    #[error("a citation in '{0}' lacks its ids, its address or its content")]
    IncompleteCitation(String),
    /// An id is cited that no index has.
    #[error("the passage '{0}' is cited, but no index has it")]
    UnknownId(String),
    /// An operation of a patch has no usable path.
    #[error("an operation names no part of the state")]
    NoPath,
}

/// The sources that are new, and what was noticed on the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extraction {
    /// The sources, in order.
    pub references: Vec<SourceReference>,
    /// What was wrong.
    pub warnings: Vec<Warning>,
    /// Why they are new, block by block.
    pub rules: Vec<(String, Rule)>,
}

/// The sources that are in the second state and not in the first.
pub fn extract_new(before: &Value, after: &Value, how: Extract) -> Extraction {
    let mut extraction = Extraction::default();
    match how {
        Extract::Specification => extraction.by_length(before, after),
        Extract::Content => {
            extraction.add_from_histories(before, after);
            extraction.add_from_lists(before, after);
            extraction.add_from_ids(before, after);
        }
    }
    extraction
}

impl Extraction {
    fn by_length(&mut self, before: &Value, after: &Value) {
        let block = match after.get("rag") {
            Some(Value::Object(block)) => block,
            None | Some(Value::Null) => return,
            Some(_) => return self.warnings.push(Warning::WrongForm("rag".to_owned())),
        };
        let known = match before.get("rag") {
            None | Some(Value::Null) => &[],
            Some(Value::Object(block)) => self.entries(block, Warning::WrongBefore),
            Some(_) => {
                self.warnings.push(Warning::WrongBefore("rag".to_owned()));
                &[]
            }
        };
        let entries = self.entries(block, Warning::WrongForm);
        let others = unknown(block);
        if !others.is_empty() {
            self.warnings.push(Warning::UnknownMembers(others));
        }
        if entries.len() <= known.len() {
            return;
        }
        if let Some(place) = fault(block) {
            let place = format!("rag.{place}");
            return self.warnings.push(Warning::WrongForm(place));
        }
        self.rules.push(("rag".to_owned(), Rule::Grown));
        for entry in &entries[known.len()..] {
            let citations = entry.get("citations").and_then(Value::as_array);
            let citations = citations.unwrap_or_default().iter();
            let references = citations.filter_map(SourceReference::from_json);
            self.references
                .extend(references.map(SourceReference::in_specification));
        }
    }

    /// The entries of the specification's history.
    fn entries<'s>(&mut self, block: &'s Map, wrong: fn(String) -> Warning) -> &'s [Value] {
        match block.get("qa_history") {
            Some(Value::Array(entries)) => entries,
            None | Some(Value::Null) => &[],
            Some(_) => {
                self.warnings.push(wrong("rag.qa_history".to_owned()));
                &[]
            }
        }
    }

    fn add_from_histories(&mut self, before: &Value, after: &Value) {
        for (block, entries) in histories(after) {
            let mut known = histories(before).filter(|(name, _)| *name == block);
            let known = known.next().map_or(&[][..], |(_, entries)| entries);
            let (new, rule) = new_entries(known, entries);
            if !new.is_empty() {
                self.rules.push((block.to_owned(), rule));
            }
            for entry in new {
                let citations = entry.get("citations").and_then(Value::as_array);
                for citation in citations.unwrap_or_default() {
                    self.add(citation, block);
                }
            }
        }
        for block in ["rag", "haiku.rag.chat"] {
            match after.get(block) {
                None | Some(Value::Null | Value::Object(_)) => {}
                Some(_) => self.warnings.push(Warning::WrongForm(block.to_owned())),
            }
        }
    }

    fn add(&mut self, citation: &Value, block: &str) {
        match SourceReference::from_json(citation) {
            Some(reference) => self.references.push(reference),
            None => {
                let block = block.to_owned();
                self.warnings.push(Warning::IncompleteCitation(block));
            }
        }
    }

    /// Citations that are in the list of all, but in no entry of the history.
    fn add_from_lists(&mut self, before: &Value, after: &Value) {
        let name = |item: &Value| {
            let text = |name: &str| item.get(name).map(Value::to_json).unwrap_or_default();
            (text("chunk_id"), text("index"))
        };
        for (block, items) in flat_lists(after) {
            let mut known: HashMap<(String, String), usize> = HashMap::new();
            for (_, items) in flat_lists(before).filter(|(name, _)| *name == block) {
                for item in items {
                    *known.entry(name(item)).or_default() += 1;
                }
            }
            let mut taken: HashMap<String, ()> = HashMap::new();
            for entries in [before, after] {
                for (_, entries) in histories(entries).filter(|(name, _)| *name == block) {
                    let lists = entries
                        .iter()
                        .filter_map(|e| e.get("citations")?.as_array());
                    for citation in lists.flatten() {
                        let id = citation.get("chunk_id").map(Value::to_json);
                        taken.insert(id.unwrap_or_default(), ());
                    }
                }
            }
            let mut grown = false;
            for item in items {
                if item.as_object().is_none() {
                    continue;
                }
                let name = name(item);
                if let Some(count) = known.get_mut(&name).filter(|count| **count > 0) {
                    *count -= 1;
                } else if !taken.contains_key(&name.0) {
                    grown = true;
                    self.add(item, block);
                }
            }
            if grown {
                self.rules.push((block.to_owned(), Rule::ListGrown));
            }
        }
    }

    fn add_from_ids(&mut self, before: &Value, after: &Value) {
        let mut seen: HashMap<String, ()> = HashMap::new();
        for (block, _, lists) in indexed(after) {
            let known = before.get(block).map(ids).unwrap_or_default();
            let rule;
            let new: Vec<&str> = if lists.starts_with(&known) {
                rule = Rule::IdsGrown;
                lists[known.len()..].concat()
            } else {
                // Within one list, a beginning that is the same is what was there before.
                let (new, old) = (lists.concat(), known.concat());
                let grown = !old.is_empty() && new.starts_with(&old);
                rule = if grown {
                    Rule::IdsGrown
                } else {
                    Rule::IdsReset
                };
                if grown {
                    new[old.len()..].to_vec()
                } else {
                    new
                }
            };
            if !new.is_empty() {
                self.rules.push((block.to_owned(), rule));
            }
            for id in new {
                if seen.insert(id.to_owned(), ()).is_some() {
                    continue;
                }
                match resolve(after, block, id) {
                    Some(citation) => self.add(citation, block),
                    None => self.warnings.push(Warning::UnknownId(id.to_owned())),
                }
            }
        }
    }
}

/// A passage by its id: in the index of its own block, or else of any.
pub(super) fn resolve<'s>(state: &'s Value, block: &str, id: &str) -> Option<&'s Value> {
    let own = state
        .get(block)
        .and_then(|block| block.get("citation_index"));
    let own = own.and_then(|index| index.as_object()?.get(id));
    own.or_else(|| {
        let mut others = indexed(state).filter_map(|(_, index, _)| index.get(id));
        others.next()
    })
}

/// The entries that are new: behind the longest end of the old list that the new list begins with, or, if
/// there is none, those that the old list does not have.
fn new_entries<'a>(before: &[Value], after: &'a [Value]) -> (Vec<&'a Value>, Rule) {
    let identity = |entry: &Value| -> String {
        let part = |names: &[&str]| names.iter().find_map(|name| entry.get(name));
        let mut identity = Map::new();
        let mut put = |name: &str, value: Option<&Value>| {
            if let Some(value) = value {
                identity.insert(name.to_owned(), value.clone());
            }
        };
        put("question", part(&["question"]));
        put("answer", part(&["answer", "response"]));
        let citations = entry.get("citations").and_then(Value::as_array);
        let ids: Vec<Value> = citations
            .unwrap_or_default()
            .iter()
            .map(|citation| citation.get("chunk_id").cloned().unwrap_or_default())
            .collect();
        put("ids", Some(&Value::Array(ids)));
        Value::Object(identity).to_json()
    };
    let old: Vec<String> = before.iter().map(identity).collect();
    let new: Vec<String> = after.iter().map(identity).collect();
    let overlap = overlap(&old, &new);
    if overlap > 0 || old.is_empty() {
        let rule = if overlap == old.len() {
            Rule::Grown
        } else {
            Rule::Rotated
        };
        return (after[overlap..].iter().collect(), rule);
    }
    let mut known: HashMap<&str, usize> = HashMap::new();
    for entry in &old {
        *known.entry(entry).or_default() += 1;
    }
    let is_new = |identity: &String| match known.get_mut(identity.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let flags: Vec<bool> = new.iter().map(is_new).collect();
    let entries = after.iter().zip(flags);
    let entries = entries.filter_map(|(entry, new)| new.then_some(entry));
    (entries.collect(), Rule::Replaced)
}

/// How long the longest end of the first list is that the second begins with. Linear.
fn overlap(first: &[String], second: &[String]) -> usize {
    // How long the longest beginning of `second` is that ends at each of its places, but is not all of it.
    let mut borders = vec![0; second.len()];
    for at in 1..second.len() {
        let mut length = borders[at - 1];
        while length > 0 && second[length] != second[at] {
            length = borders[length - 1];
        }
        borders[at] = length + usize::from(second[length] == second[at]);
    }
    let mut length = 0;
    for item in first {
        while length > 0 && second.get(length) != Some(item) {
            length = borders[length - 1];
        }
        length += usize::from(second.get(length) == Some(item));
    }
    length
}
