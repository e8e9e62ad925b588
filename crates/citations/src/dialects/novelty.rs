//! Entries of a history, and ids of a list, that are new.

use std::hash::Hash;

use hashbrown::{HashMap, HashSet};
use json::{Map, Value};

use super::extraction::NoveltyRule;
use super::state_shapes::{cited_in, ids, is_by_question};

/// Returns the indices of the new entries.
///
/// They follow the longest end of the old list that is a start of the new list. If there is none, they are
/// the entries that the old list does not have.
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

/// Returns the parts that identify an entry: its question, its answer and the ids it cites.
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

/// Returns the length of the longest end of the first list that is a start of the second. Takes linear time.
fn overlap(first: &[String], second: &[String]) -> usize {
    // For each position of `second`, the length of its longest proper start that ends there.
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

/// Set that counts equal elements.
pub(super) struct Multiset<T>(HashMap<T, usize>);

impl<T: Hash + Eq> Multiset<T> {
    pub(super) fn of(things: impl Iterator<Item = T>) -> Self {
        let mut counts = HashMap::new();
        for thing in things {
            *counts.entry(thing).or_default() += 1;
        }
        Self(counts)
    }

    /// Removes one element. Returns false if there was none.
    pub(super) fn take(&mut self, thing: &T) -> bool {
        let count = self.0.get_mut(thing).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    }
}

/// Returns the part of a block that decides later which of its ids are new: the ids, the record of evidence and
/// the queries, without the images and texts of searches.
pub fn outline(block: &Value) -> Value {
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

/// Returns the new ids of a block, given the outline of the block before.
pub(super) fn new_ids<'a>(before: &Value, after: &'a Value) -> (Vec<&'a str>, NoveltyRule) {
    let (old, mut new) = (ids(before), ids(after));
    if let Some(cited) = cited_for_question(after) {
        // The list may still have ids of an earlier question.
        new.retain(|id| cited.contains(id));
        if question(before) != question(after) {
            return (new, NoveltyRule::IdsReset);
        }
    }
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
        // The declaration does not name its passages, so all that are listed count.
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

/// Returns the question that a block's record of evidence is about.
fn question(block: &Value) -> Option<&Value> {
    let question = block.get("evidence")?.get("question")?;
    Some(question).filter(|question| **question != Value::Null)
}

/// Returns the ids that were cited for the question of a block, if the block has a record of that.
fn cited_for_question(block: &Value) -> Option<HashSet<&str>> {
    let question = question(block)?;
    let occurrences = block.get("evidence")?.get("occurrences")?.as_object()?;
    let is_cited = |occurrence: &Value| {
        let questions = occurrence
            .get("cited_in_questions")
            .and_then(Value::as_array);
        questions.is_some_and(|questions| questions.contains(question))
    };
    let cited = occurrences
        .iter()
        .filter(|(_, occurrence)| is_cited(occurrence));
    let mut cited: HashSet<&str> = cited.map(|(id, _)| id).collect();
    let declared = declaration(block).filter(|declared| declared.get("question") == Some(question));
    let refs = declared.and_then(|declared| declared.get("refs")?.as_array());
    cited.extend(
        refs.unwrap_or_default()
            .iter()
            .filter_map(|part| part.get("chunk_id")?.as_str()),
    );
    Some(cited)
}

/// Returns true if the list of ids was emptied for another question, although it begins with the ids of the
/// list before.
fn began_anew(before: &Value, after: &Value) -> bool {
    if is_by_question(after) {
        return false;
    }
    let asked = asked(after);
    is_by_question(before)
        || asked != [None, None] && asked != self::asked(before)
        || searches_went(before, after)
}

/// Returns the question for which a block was last loaded and the one for which it was last cited.
fn asked(block: &Value) -> [Option<&Value>; 2] {
    let record = block.get("evidence").and_then(Value::as_object);
    [record, declaration(block)].map(|record| {
        let question = record?.get("question");
        question.filter(|question| **question != Value::Null)
    })
}

/// Returns the last declaration of the passages that support an answer.
fn declaration(block: &Value) -> Option<&Map> {
    let record = block.get("evidence")?;
    record.get("declaration")?.as_object()
}

/// Returns the declaration if it is new.
fn declared_again<'a>(before: &Value, after: &'a Value) -> Option<&'a Map> {
    let now = declaration(after)?;
    let before = declaration(before).and_then(|before| before.get("epoch"));
    (now.get("epoch") != before).then_some(now)
}

/// Returns true if a search was removed. Within a question searches are only added.
fn searches_went(before: &Value, after: &Value) -> bool {
    let (Some(old), Some(new)) = (
        before.get("searches").and_then(Value::as_object),
        after.get("searches").and_then(Value::as_object),
    ) else {
        return false;
    };
    old.iter().any(|(query, _)| !new.contains(query))
}
