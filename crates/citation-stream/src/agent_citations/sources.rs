//! Sources that an agent names, as citations.

use citations::dialects::{ExtractMode, SourceReference, extract_new};
use citations::{Citation, CitationId, WebSource};
use hashbrown::HashMap;
use json::{Map, Value};

use crate::citation_tracker::NewCitation;
use crate::claim::source_names;

/// A source that an agent names.
pub(super) struct AgentSource {
    /// Id that the agent gives to the passage.
    pub(super) chunk_id: String,
    pub(super) new: NewCitation,
}

impl From<&SourceReference> for AgentSource {
    fn from(reference: &SourceReference) -> Self {
        let citation = citation_of(reference);
        let mut other_names = source_names(&citation);
        if other_names.is_empty() {
            other_names.push(reference.document_id.clone());
        }
        Self {
            chunk_id: reference.chunk_id.clone(),
            new: NewCitation {
                citation,
                marker: reference.index.map(|index| index.to_string()),
                document_index: None,
                other_names,
            },
        }
    }
}

/// Returns the citation of a source, with the address and title that the agent gives it.
fn citation_of(reference: &SourceReference) -> Citation {
    let (mut citation, _) = reference.to_citation();
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let web = WebSource {
        url: text(&reference.document_uri),
        title: reference.document_title.as_deref().and_then(text),
        ..WebSource::default()
    };
    citation.web = (web != WebSource::default()).then(|| Box::new(web));
    citation
}

/// Returns the sources in the state of a retrieval agent, by the ids of their citations.
pub(crate) fn sources_by_id(state: &Value) -> HashMap<CitationId, SourceReference> {
    let listed = extract_new(&Value::Null, state, ExtractMode::Content).references;
    // Sources that are not listed any more are still in the index.
    let blocks = state.as_object().into_iter().flat_map(Map::iter);
    let indexes = blocks.filter_map(|(_, block)| block.get("citation_index")?.as_object());
    let indexed = indexes.flat_map(Map::iter);
    let indexed = indexed.filter_map(|(_, citation)| SourceReference::from_json(citation));
    let mut sources = HashMap::new();
    for reference in listed.into_iter().chain(indexed) {
        sources
            .entry(citation_of(&reference).id())
            .or_insert(reference);
    }
    sources
}
