//! Resources: documents, pages and evidence, by address.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};

use crate::service::{LibraryService, ResourceFile, ServiceError};
use crate::tool_types::{ListDocumentsToolArguments, ReadToolArguments};

/// Scheme of the addresses.
const SCHEME: &str = "pincite://";
/// Maximum number of characters of a document that is read as one resource.
const MAX_DOCUMENT: usize = 400_000;

/// Resource that an address names.
#[derive(Debug, PartialEq, Eq)]
enum ResourceName {
    Document(String),
    Page(String, u32),
    PageImage(String, u32),
    Evidence(String),
    EvidenceImage(String),
}

/// Returns the address of a document.
pub fn document_uri(id: &str) -> String {
    format!("{SCHEME}documents/{id}")
}

/// Returns the address of a page.
pub fn page_uri(document: &str, page: u32) -> String {
    format!("{SCHEME}documents/{document}/pages/{page}")
}

/// Returns the address of the evidence of a quote.
pub fn evidence_uri(id: &str) -> String {
    format!("{SCHEME}evidence/{id}")
}

/// Reads an address.
fn parse(uri: &str) -> Option<ResourceName> {
    let mut parts = uri.strip_prefix(SCHEME)?.split('/');
    let (kind, id) = (parts.next()?, parts.next()?);
    if id.is_empty() {
        return None;
    }
    let (pages, page, end) = (parts.next(), parts.next(), parts.next());
    match (kind, pages, page, end) {
        ("documents", None, None, None) => Some(ResourceName::Document(id.to_owned())),
        ("documents", Some("pages"), Some(page), None) => match page.strip_suffix(".png") {
            Some(page) => Some(ResourceName::PageImage(id.to_owned(), page.parse().ok()?)),
            None => Some(ResourceName::Page(id.to_owned(), page.parse().ok()?)),
        },
        ("evidence", None, None, None) => Some(match id.strip_suffix(".png") {
            Some(id) => ResourceName::EvidenceImage(id.to_owned()),
            None => ResourceName::Evidence(id.to_owned()),
        }),
        _ => None,
    }
}

/// Returns the templates of all addresses.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, description: &str, media_type: &str| {
        ResourceTemplate::new(format!("{SCHEME}{uri}"), name)
            .with_description(description)
            .with_mime_type(media_type)
    };
    ListResourceTemplatesResult::with_all_items(vec![
        template(
            "documents/{id}",
            "document",
            "Text of a document",
            "text/plain",
        ),
        template(
            "documents/{id}/pages/{page}",
            "page",
            "Text of a page",
            "text/plain",
        ),
        template(
            "documents/{id}/pages/{page}.png",
            "page image",
            "Image of a page",
            "image/png",
        ),
        template(
            "evidence/{id}",
            "evidence",
            "Verification of a quote with the passage of its source",
            "application/json",
        ),
        template(
            "evidence/{id}.png",
            "evidence image",
            "Image of the passage with the quote highlighted",
            "image/png",
        ),
    ])
}

/// Lists documents as resources.
pub(crate) async fn list(
    library: &Arc<dyn LibraryService>,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ServiceError> {
    let listed = library
        .list_documents(ListDocumentsToolArguments {
            limit: None,
            cursor,
        })
        .await?;
    let resources = listed.documents.into_iter().map(|document| {
        let resource = Resource::new(document.uri, document.name).with_mime_type("text/plain");
        match document.title {
            Some(title) => resource.with_title(title),
            None => resource,
        }
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = listed.next_cursor;
    Ok(result)
}

/// Reads a resource.
pub(crate) async fn read(
    library: &Arc<dyn LibraryService>,
    uri: &str,
) -> Result<ReadResourceResult, ServiceError> {
    let name = parse(uri).ok_or_else(|| {
        ServiceError::missing(
            format!("Resource not found: `{uri}`"),
            "`resources/templates/list` lists the forms of addresses",
        )
    })?;
    let contents = match content(library, name).await? {
        ResourceFile::Text(text, media_type) => {
            ResourceContents::text(text, uri).with_mime_type(media_type)
        }
        ResourceFile::Image(image) => ResourceContents::blob(STANDARD.encode(image.bytes), uri)
            .with_mime_type(image.media_type),
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn content(
    library: &Arc<dyn LibraryService>,
    name: ResourceName,
) -> Result<ResourceFile, ServiceError> {
    Ok(match name {
        ResourceName::Document(id) => {
            ResourceFile::Text(document_text(library, &id).await?, "text/plain")
        }
        ResourceName::Page(id, page) => {
            let read = library.read(ReadToolArguments {
                document: id,
                from_page: Some(page),
                to_page: Some(page),
            });
            let pages = read.await?.pages.into_iter();
            ResourceFile::Text(pages.map(|page| page.text).collect(), "text/plain")
        }
        ResourceName::PageImage(id, page) => {
            ResourceFile::Image(library.page_image(&id, page).await?)
        }
        ResourceName::Evidence(id) => {
            let evidence = library.evidence(&id).await?;
            ResourceFile::Text(evidence.to_string(), "application/json")
        }
        ResourceName::EvidenceImage(id) => ResourceFile::Image(library.evidence_image(&id).await?),
    })
}

/// Returns the text of a document with its pages marked, up to a limit.
async fn document_text(
    library: &Arc<dyn LibraryService>,
    id: &str,
) -> Result<String, ServiceError> {
    let mut text = String::new();
    let mut from = Some(1);
    while let Some(page) = from {
        let read = library.read(ReadToolArguments {
            document: id.to_owned(),
            from_page: Some(page),
            to_page: Some(u32::MAX),
        });
        let read = read.await?;
        for page in read.pages {
            text.push_str(&format!("--- page {} ---\n{}\n", page.page, page.text));
        }
        from = read.next_page;
        if let Some(next) = from
            && text.len() > MAX_DOCUMENT
        {
            text.push_str(&format!("--- the text continues on page {next} ---\n"));
            break;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_exactly() {
        let page = ResourceName::Page("abc".to_owned(), 3);
        assert_eq!(parse("pincite://documents/abc/pages/3"), Some(page));
        let image = ResourceName::PageImage("abc".to_owned(), 3);
        assert_eq!(parse("pincite://documents/abc/pages/3.png"), Some(image));
        let evidence = ResourceName::Evidence("0a".to_owned());
        assert_eq!(parse("pincite://evidence/0a"), Some(evidence));
        for wrong in [
            "file:///etc/passwd",
            "pincite://documents/",
            "pincite://documents/abc/pages/x",
            "pincite://documents/abc/pages/1/2",
            "pincite://evidence/a/b",
            "pincite://keys/1",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
