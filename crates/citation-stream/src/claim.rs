//! Claims: citations that are ready to be verified.

use std::sync::Arc;

use citations::{Citation, CitationId, CitationKey};

/// A citation that a verifier checks.
#[derive(Debug, Clone)]
pub struct CitationClaim {
    /// Thread id.
    pub thread_id: Arc<str>,
    /// Id of the message that cites; empty if none cites any more.
    pub message_id: Arc<str>,
    /// Key of the citation in the state.
    pub key: CitationKey,
    /// Id of the citation, which includes its document.
    pub id: CitationId,
    /// The citation itself.
    pub citation: Arc<Citation>,
    /// Index of the cited document among those given to the model, counted from 0, if the answer states it.
    pub document_index: Option<u64>,
    /// Names that an agent's own state gives to the source: id, address, file name, title. If there are any, the
    /// attachment id of the citation is one more such name and need not be an attachment of this program.
    pub other_names: Vec<String>,
}

/// Returns the names by which an agent may call the source of a citation: document id, address, file name in the
/// address, and title. Returns nothing for a citation without a web source, because its attachment id is ours.
pub(crate) fn source_names(citation: &Citation) -> Vec<String> {
    let Some(web) = citation.web.as_deref() else {
        return Vec::new();
    };
    let url = web.url.as_deref();
    let path = url.and_then(|url| url.split(['?', '#']).next());
    let file = path.and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
    let names = [
        citation.attachment_id.as_deref(),
        url,
        file,
        web.title.as_deref(),
    ];
    let mut unique = Vec::new();
    for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
        if !unique.iter().any(|known| known == name) {
            unique.push(name.to_owned());
        }
    }
    unique
}

#[cfg(test)]
mod tests {
    use citations::WebSource;

    use super::*;

    #[test]
    fn names_a_web_source_by_id_address_file_and_title() {
        let citation = Citation {
            attachment_id: Some("doc".to_owned()),
            web: Some(Box::new(WebSource {
                url: Some("s3://bucket/a/report.pdf?x=1".to_owned()),
                title: Some("doc".to_owned()),
                ..WebSource::default()
            })),
            ..Citation::default()
        };
        assert_eq!(
            source_names(&citation),
            ["doc", "s3://bucket/a/report.pdf?x=1", "report.pdf"]
        );
        assert!(source_names(&Citation::default()).is_empty());
    }
}
