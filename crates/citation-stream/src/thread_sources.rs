//! Sources that the turns of a stored thread refer to.

use citations::dialects::SourceReference;
use citations::{Citation, CitationId};
use hashbrown::{HashMap, HashSet};
use json::{Json, Map, Value};

use crate::agent_citations::sources_by_id;
use crate::thread_memory::ThreadMemory;

/// Returns the sources that each turn of a thread refers to, each source once and in the order of its first use. A turn
/// is given by the ids of its assistant messages; `key` is the state key of the full projection.
pub fn sources_of_turns<'t>(
    memory: &ThreadMemory,
    key: &str,
    turns: impl IntoIterator<Item = &'t [&'t str]>,
) -> Vec<Vec<SourceReference>> {
    let state = memory.state.value();
    let record = memory.record.as_ref().map(Json::value);
    let sources = StoredSources::new(&state, record.as_deref(), key);
    let turns = turns.into_iter();
    turns.map(|messages| sources.cited_by(messages)).collect()
}

/// Sources of a thread.
struct StoredSources<'s> {
    /// Full projections in the state and in the record.
    full: Vec<&'s Value>,
    /// Items of the session list by key.
    numbered: HashMap<&'s str, &'s Value>,
    /// Sources in the agent's own state, by the ids of their citations.
    agent_sources: HashMap<CitationId, SourceReference>,
}

impl<'s> StoredSources<'s> {
    fn new(state: &'s Value, record: Option<&'s Value>, key: &str) -> Self {
        let recorded = |name: &str| record.and_then(|record| record.get(name));
        let sessions = [state.get("rag"), recorded("rag")].into_iter().flatten();
        let items = sessions.filter_map(|session| session.get("citations")?.as_array());
        Self {
            full: [state.get(key), recorded("ledger")]
                .into_iter()
                .flatten()
                .collect(),
            numbered: items
                .flatten()
                .filter_map(|item| Some((item.get("chunk_id")?.as_str()?, item)))
                .collect(),
            agent_sources: sources_by_id(state),
        }
    }

    /// Returns a member of a map of the full projections.
    fn find(&self, map: &str, name: &str) -> Option<&'s Value> {
        self.full.iter().find_map(|full| full.get(map)?.get(name))
    }

    fn cited_by(&self, messages: &[&str]) -> Vec<SourceReference> {
        let mut seen = HashSet::new();
        let mut references = Vec::new();
        for id in messages {
            let message = self.find("messages", id);
            let cited = message.and_then(|message| message.get("citations")?.as_object());
            for (key, citation) in cited.into_iter().flat_map(Map::iter) {
                if seen.insert(key) {
                    references.push(self.reference(key, citation));
                }
            }
        }
        references
    }

    fn reference(&self, key: &str, cited: &Value) -> SourceReference {
        let whole = self.find("citations", key).unwrap_or(cited);
        let reference = match self.numbered.get(key) {
            Some(item) => SourceReference::from_json(item),
            None => self.agent_source(whole, cited),
        };
        reference.unwrap_or_else(|| plain_reference(key, whole))
    }

    /// Returns the source of a citation as the agent describes it, with the number that the message gives it.
    fn agent_source(&self, whole: &Value, cited: &Value) -> Option<SourceReference> {
        let source = self.agent_sources.get(&Citation::from_json(whole)?.id())?;
        let number = match cited.get("citationNumber") {
            Some(Value::Number(number)) => number.as_safe_int(),
            _ => None,
        };
        Some(SourceReference {
            index: number.or(source.index),
            ..source.clone()
        })
    }
}

/// Returns the source of a citation about which nothing else is known.
fn plain_reference(key: &str, citation: &Value) -> SourceReference {
    let citation = Citation::from_json(citation).unwrap_or_default();
    let page = citation.page().and_then(|page| i64::try_from(page).ok());
    let web = citation.web.unwrap_or_default();
    let document = citation.attachment_id.unwrap_or_default();
    SourceReference {
        chunk_id: key.to_owned(),
        document_uri: web.url.unwrap_or_else(|| document.clone()),
        document_id: document,
        content: citation.full_phrase.unwrap_or_default(),
        document_title: web.title,
        page_numbers: page.into_iter().collect(),
        ..SourceReference::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(state: &str, record: Option<&str>) -> ThreadMemory {
        ThreadMemory {
            state: Json::parse(state).expect("JSON"),
            record: record.map(|record| Json::parse(record).expect("JSON")),
        }
    }

    #[test]
    fn prefers_numbered_sources_to_plain_citations() {
        let memory = memory(
            r#"{"deepcitation":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d","pageNumber":2}},
                "messages":{"a1":{"citations":{"aa":{}}},"a2":{"citations":{"aa":{},"bb":{"fullPhrase":"y"}}}}},
                "rag":{"citations":[{"chunk_id":"bb","index":2,"content":"why","document_id":"e","document_uri":"u","page_numbers":[7]}],"qa_history":[]}}"#,
            None,
        );
        let turns = sources_of_turns(&memory, "deepcitation", [&["a1", "a2"][..], &[]]);
        assert_eq!(turns.len(), 2);
        assert!(turns[1].is_empty());
        let [plain, numbered] = &turns[0][..] else {
            panic!("{:?}", turns[0]);
        };
        assert_eq!((plain.chunk_id.as_str(), plain.index), ("aa", None));
        assert_eq!(
            (plain.content.as_str(), plain.document_uri.as_str()),
            ("x", "d")
        );
        assert_eq!(plain.page_numbers, [2]);
        assert_eq!(
            (numbered.chunk_id.as_str(), numbered.index),
            ("bb", Some(2))
        );
        assert_eq!(numbered.content, "why");
        assert_eq!(numbered.page_numbers, [7]);
    }

    #[test]
    fn takes_sources_of_the_agent_with_the_number_of_the_message() {
        let source = r#""document_id":"doc456","document_uri":"s3://bucket/doc456.pdf","document_title":"My Document","page_numbers":[5,6],"headings":["Chapter 1","Section 2"],"content":"The relevant text""#;
        let citation = r#""type":"document","attachmentId":"doc456","url":"s3://bucket/doc456.pdf","title":"My Document","pageNumber":5,"fullPhrase":"The relevant text""#;
        let memory = memory(
            &format!(
                r#"{{"deepcitation":{{"citations":{{"k":{{{citation},"citationNumber":1}}}},"messages":{{
                    "a":{{"citations":{{"k":{{{citation},"citationNumber":4}}}}}}}}}},
                  "rag":{{"citation_index":{{"abc123":{{"index":1,"chunk_id":"abc123",{source}}}}},"citations":[]}}}}"#
            ),
            None,
        );
        let turns = sources_of_turns(&memory, "deepcitation", [&["a"][..]]);
        let source = &turns[0][0];
        assert_eq!(
            (source.chunk_id.as_str(), source.index),
            ("abc123", Some(4))
        );
        assert_eq!(source.headings, ["Chapter 1", "Section 2"]);
    }

    #[test]
    fn reads_the_record_beside_the_state() {
        let record = r#"{"standsDown":[],"ledger":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d"}},
            "messages":{"constructor":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d"}}}}},
            "rag":{"citations":[{"chunk_id":"aa","index":1,"content":"x","document_id":"d","document_uri":"u"}],"qa_history":[]}}"#;
        let memory = memory("[1]", Some(record));
        let turns = sources_of_turns(&memory, "deepcitation", [&["constructor"][..]]);
        assert_eq!(turns[0][0].document_uri, "u");
        assert_eq!(turns[0][0].index, Some(1));
    }
}
