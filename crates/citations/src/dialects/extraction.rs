//! Sources that a run added to the state of a retrieval agent.

use hashbrown::HashSet;
use json::{Map, Value};

use super::novelty::{Multiset, new_entries, new_ids};
use super::source_reference::SourceReference;
use super::specification::{fault, unknown};
use super::state_shapes::{
    CITATIONS_BY_QUESTION, HISTORIES, IndexedPassage, PassageIndex, cited_in, flat_lists, history,
    indexed, wrong_items, wrong_places,
};

/// Way of comparing two states.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExtractMode {
    /// By the length of `rag.qa_history` alone. Nothing is read if anything in `rag` is invalid. This is
    /// exactly the specification.
    Specification,
    /// By the content of the entries, in every shape that the state has had. Only invalid entries are left out.
    ///
    /// An agent that lists the ids it cites and empties the list with each question may have the same state
    /// after a second question that was answered from the same passages. The passages count as cited again if
    /// the state shows another question: its `evidence` is for another question or declaration, or one of the
    /// `searches` is gone. Otherwise the list counts as unchanged, so that no answer gets sources that it may
    /// not have. [`TurnCitations`](super::TurnCitations), which reads every event, finds such passages, too.
    #[default]
    Content,
}

/// Reason why an entry counts as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoveltyRule {
    /// The history grew at its end.
    Grown,
    /// Old entries were removed at the front while new ones were added.
    Rotated,
    /// Entries were replaced.
    Replaced,
    /// The list of cited ids grew.
    IdsGrown,
    /// The list of cited ids was emptied and filled again.
    IdsReset,
    /// Ids of the list were declared again for the same question.
    IdsDeclaredAgain,
    /// The list of all citations grew, without a new entry in the history.
    ListGrown,
}

/// Unexpected content of a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractWarning {
    /// A value has an unexpected shape and is left out.
    #[error("'{0}' is not in a form that can be read")]
    WrongForm(String),
    /// A value of the earlier state has an unexpected shape and counts as empty.
    #[error(
        "'{0}' of the state before is not in a form that can be read; what it held may come again"
    )]
    WrongBefore(String),
    /// A block has unknown members.
    #[error("the state has members that are not known: {}", .0.join(", "))]
    UnknownMembers(Vec<String>),
    /// A citation lacks a required field.
    #[error("the citation '{0}' lacks its ids, its address or its content")]
    IncompleteCitation(String),
    /// A cited id is in no index.
    #[error("the passage '{0}' is cited, but no index has it")]
    UnknownId(String),
    /// An operation of a patch has no usable path.
    #[error("an operation names no part of the state")]
    NoPath,
}

/// New sources, and the warnings that arose while reading them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extraction {
    /// Sources, in order.
    pub references: Vec<SourceReference>,
    /// Warnings.
    pub warnings: Vec<ExtractWarning>,
    /// Reasons why the sources are new, by block.
    pub rules: Vec<(String, NoveltyRule)>,
}

/// Returns the sources that are in the second state but not in the first.
pub fn extract_new(before: &Value, after: &Value, how: ExtractMode) -> Extraction {
    let mut extraction = Extraction::default();
    match how {
        ExtractMode::Specification => extraction.by_length(before, after),
        ExtractMode::Content => {
            let known = wrong_places(before)
                .into_iter()
                .map(ExtractWarning::WrongBefore);
            extraction.warnings.extend(known);
            let wrong = wrong_places(after).into_iter();
            let wrong = wrong.chain(wrong_items(before, after));
            extraction
                .warnings
                .extend(wrong.map(ExtractWarning::WrongForm));
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
            Some(_) => {
                return self
                    .warnings
                    .push(ExtractWarning::WrongForm("rag".to_owned()));
            }
        };
        let known = match before.get("rag") {
            None | Some(Value::Null) => &[],
            Some(Value::Object(block)) => self.entries(block, ExtractWarning::WrongBefore),
            Some(_) => {
                self.warnings
                    .push(ExtractWarning::WrongBefore("rag".to_owned()));
                &[]
            }
        };
        let entries = self.entries(block, ExtractWarning::WrongForm);
        let others = unknown(block);
        if !others.is_empty() {
            self.warnings.push(ExtractWarning::UnknownMembers(others));
        }
        if entries.len() <= known.len() {
            return;
        }
        if let Some(place) = fault(block) {
            let place = format!("rag.{place}");
            return self.warnings.push(ExtractWarning::WrongForm(place));
        }
        self.rules.push(("rag".to_owned(), NoveltyRule::Grown));
        for entry in &entries[known.len()..] {
            let citations = entry.get("citations").and_then(Value::as_array);
            let citations = citations.unwrap_or_default().iter();
            let references = citations.filter_map(SourceReference::from_json);
            self.references
                .extend(references.map(SourceReference::in_specification));
        }
    }

    /// Returns the entries of the specification's history.
    fn entries<'s>(&mut self, block: &'s Map, wrong: fn(String) -> ExtractWarning) -> &'s [Value] {
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
        for (block, lists) in HISTORIES {
            let Some((list, entries)) = history(after, block, lists) else {
                continue;
            };
            let known = before.get(block).and_then(|block| block.get(list));
            let known = known.and_then(Value::as_array).unwrap_or_default();
            let (new, rule) = new_entries(list, known, entries);
            if !new.is_empty() {
                self.rules.push((block.to_owned(), rule));
            }
            for at in new {
                let entry = &entries[at];
                let inside = match entry {
                    Value::Object(_) if list != CITATIONS_BY_QUESTION => ".citations",
                    _ => "",
                };
                let place = || format!("{block}.{list}[{at}]{inside}");
                let Some(citations) = cited_in(list, entry) else {
                    self.warnings.push(ExtractWarning::WrongForm(place()));
                    continue;
                };
                for (n, citation) in citations.iter().enumerate() {
                    self.add(citation, || format!("{}[{n}]", place()));
                }
            }
        }
    }

    /// Adds a citation. Returns false if the value is none.
    fn add(&mut self, citation: &Value, place: impl Fn() -> String) -> bool {
        let mut wrong = Vec::new();
        let reference = SourceReference::read(citation, &mut wrong);
        let complete = reference.is_some();
        if !complete {
            self.warnings
                .push(ExtractWarning::IncompleteCitation(place()));
        }
        let fields = wrong.iter().map(|field| format!("{}.{field}", place()));
        self.warnings.extend(fields.map(ExtractWarning::WrongForm));
        self.references.extend(reference);
        complete
    }

    /// Adds citations that are in the list of all citations, but in no entry of the history.
    fn add_from_lists(&mut self, before: &Value, after: &Value) {
        for (block, items) in flat_lists(after) {
            let mut lists = flat_lists(before).filter(|(name, _)| *name == block);
            let known = lists.next().map_or(&[][..], |(_, items)| items);
            let mut known = Multiset::of(known.iter().map(number));
            // A listed passage with another number than in the history is a citation of its own.
            let in_history = cited_in_history(block, before, after);
            let taken = |name: &(String, String)| {
                let without_number = (name.0.clone(), String::new());
                in_history.contains(name) || in_history.contains(&without_number)
            };
            let mut grown = false;
            for (at, item) in items.iter().enumerate() {
                let name = number(item);
                if item.as_object().is_some() && !known.take(&name) && !taken(&name) {
                    grown = true;
                    self.add(item, || format!("{block}.citations[{at}]"));
                }
            }
            if grown {
                self.rules.push((block.to_owned(), NoveltyRule::ListGrown));
            }
        }
    }

    fn add_from_ids(&mut self, before: &Value, after: &Value) {
        let mut passages = None;
        let mut seen = HashSet::new();
        for (name, block) in indexed(after) {
            let known = before.get(name).unwrap_or(&Value::Null);
            let (new, rule) = new_ids(known, block);
            if !new.is_empty() {
                self.rules.push((name.to_owned(), rule));
            }
            for id in new {
                if seen.insert(id) {
                    let passages = passages.get_or_insert_with(|| PassageIndex::of(after));
                    self.add_passage(passages, Some(name), id);
                }
            }
        }
    }

    /// Adds a passage from the index of its own block, or else from the first index that has all of it.
    pub(super) fn add_passage<'s>(
        &mut self,
        passages: &PassageIndex<'s>,
        own: Option<&str>,
        id: &str,
    ) -> Option<&'s Value> {
        let found = passages.get(id);
        if found.is_empty() {
            self.warnings.push(ExtractWarning::UnknownId(id.to_owned()));
        }
        let is_own = |passage: &&IndexedPassage<'s>| own == Some(passage.block);
        let own = found.iter().filter(is_own);
        let others = found.iter().filter(|passage| !is_own(passage));
        let mut found = own.chain(others);
        let whole = found.find(|IndexedPassage { block, citation }| {
            self.add(citation, || format!("{block}.citation_index.{id}"))
        });
        whole.map(|passage| passage.citation)
    }
}

/// Returns the id of a passage and its number, as JSON.
fn number(citation: &Value) -> (String, String) {
    let part = |name: &str| citation.get(name).filter(|part| **part != Value::Null);
    let part = |name: &str| part(name).map(Value::to_json).unwrap_or_default();
    (part("chunk_id"), part("index"))
}

/// Returns the passages that the histories of a block cite.
fn cited_in_history(block: &str, before: &Value, after: &Value) -> HashSet<(String, String)> {
    let lists = HISTORIES.iter().filter(|(name, _)| *name == block);
    let lists = lists.flat_map(|(_, lists)| lists.iter());
    let entries = lists.flat_map(|list| {
        let entries = [before, after].into_iter();
        let entries = entries.filter_map(|state| state.get(block)?.get(list)?.as_array());
        entries.flatten().map(|entry| cited_in(list, entry))
    });
    entries.flatten().flatten().map(number).collect()
}
