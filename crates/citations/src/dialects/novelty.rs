//! What is new in a history or in a list of ids.

use std::hash::Hash;

use hashbrown::{HashMap, HashSet};
use json::{Map, Value};

use super::extraction::NoveltyRule;
use super::state_shapes::{cited_in, ids, is_by_question};

/// The places of the entries that are new: behind the longest end of the old list that the new list begins
/// with, or, if there is none, those that the old list does not have.
pub(super) fn new_entries(
    list: &str,
    before: &[Value],
    after: &[Value],
) -> (Vec<usize>, NoveltyRule) {
    let identity = |entry: &Value| identity(list, entry);
    let old: Vec<String> = before.iter().map(identity).collect();
    let new: Vec<String> = after.iter().map(identity).collect();
    let overlap = overlap(&old, &new);
    if overlap > 0 || old.is_empty() {
        let rule = if overlap == old.len() {
            NoveltyRule::Grown
        } else {
            NoveltyRule::Rotated
        };
        return ((overlap..after.len()).collect(), rule);
    }
    let mut known = Multiset::of(old.iter().map(String::as_str));
    let places = new.iter().enumerate();
    let new = places.filter(|(_, identity)| !known.take(&identity.as_str()));
    (new.map(|(at, _)| at).collect(), NoveltyRule::Replaced)
}

/// What makes an entry the same: its question, its answer and what it cites.
fn identity(list: &str, entry: &Value) -> String {
    let part = |names: &[&str]| names.iter().find_map(|name| entry.get(name));
    let mut identity = Map::new();
    let mut put = |name: &str, value: Option<&Value>| {
        if let Some(value) = value {
            identity.insert(name.to_owned(), value.clone());
        }
    };
    put("question", part(&["question"]));
    put("answer", part(&["answer", "response"]));
    let citations = cited_in(list, entry).unwrap_or_default().iter();
    let ids = citations.map(|citation| citation.get("chunk_id").cloned().unwrap_or_default());
    put("ids", Some(&Value::Array(ids.collect())));
    Value::Object(identity).to_json()
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

/// How often each of some things is there.
pub(super) struct Multiset<T>(HashMap<T, usize>);

impl<T: Hash + Eq> Multiset<T> {
    pub(super) fn of(things: impl Iterator<Item = T>) -> Self {
        let mut counts = HashMap::new();
        for thing in things {
            *counts.entry(thing).or_default() += 1;
        }
        Self(counts)
    }

    /// Takes one of them away; whether there was one.
    pub(super) fn take(&mut self, thing: &T) -> bool {
        let count = self.0.get_mut(thing).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    }
}

/// What [`new_ids`] needs of the block before: all but the pictures and texts that searches found.
pub(super) fn outline(block: &Value) -> Value {
    let members = ["citations", "evidence"].into_iter();
    let members = members.filter_map(|name| Some((name.to_owned(), block.get(name)?.clone())));
    let mut outline: Map = members.collect();
    if let Some(searches) = block.get("searches").and_then(Value::as_object) {
        let queries = searches
            .iter()
            .map(|(query, _)| (query.to_owned(), Value::Null));
        outline.insert("searches".to_owned(), Value::Object(queries.collect()));
    }
    Value::Object(outline)
}

/// The ids of a block that are new, with what was known of it before.
pub(super) fn new_ids<'a>(before: &Value, after: &'a Value) -> (Vec<&'a str>, NoveltyRule) {
    let (old, new) = (ids(before), ids(after));
    if old.is_empty() {
        return (new, NoveltyRule::IdsGrown);
    }
    if !new.starts_with(&old) || began_anew(before, after) {
        return (new, NoveltyRule::IdsReset);
    }
    let declared = match declared_again(before, after).map(|now| now.get("refs")) {
        None => HashSet::new(),
        Some(Some(Value::Array(refs))) => refs
            .iter()
            .filter_map(|part| part.get("chunk_id")?.as_str())
            .collect(),
        // It does not say which: all that is listed.
        Some(_) => new.iter().copied().collect(),
    };
    let places = new.iter().enumerate();
    let found: Vec<&str> = places
        .filter(|(at, id)| *at >= old.len() || declared.contains(*id))
        .map(|(_, id)| *id)
        .collect();
    let rule = if found.len() > new.len() - old.len() {
        NoveltyRule::IdsDeclaredAgain
    } else {
        NoveltyRule::IdsGrown
    };
    (found, rule)
}

/// Whether there was another question, for which the list of ids was emptied, although it begins with the
/// ids of the list before.
fn began_anew(before: &Value, after: &Value) -> bool {
    if is_by_question(after) {
        return false;
    }
    let asked = asked(after);
    is_by_question(before)
        || asked != [None, None] && asked != self::asked(before)
        || searches_went(before, after)
}

/// The question that a block was last loaded for, and the one that it was last cited for.
fn asked(block: &Value) -> [Option<&Value>; 2] {
    let record = block.get("evidence").and_then(Value::as_object);
    [record, declaration(block)].map(|record| {
        let question = record?.get("question");
        question.filter(|question| **question != Value::Null)
    })
}

/// What was declared to be the ground of an answer, the last time.
fn declaration(block: &Value) -> Option<&Map> {
    let record = block.get("evidence")?;
    record.get("declaration")?.as_object()
}

/// The declaration, if it was not there before.
fn declared_again<'a>(before: &Value, after: &'a Value) -> Option<&'a Map> {
    let now = declaration(after)?;
    let before = declaration(before).and_then(|before| before.get("epoch"));
    (now.get("epoch") != before).then_some(now)
}

/// Whether a search is gone. Within a question they only become more.
fn searches_went(before: &Value, after: &Value) -> bool {
    let (Some(old), Some(new)) = (
        before.get("searches").and_then(Value::as_object),
        after.get("searches").and_then(Value::as_object),
    ) else {
        return false;
    };
    old.iter().any(|(query, _)| !new.contains(query))
}
