//! Adding documents.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use mcp::{AddDocumentToolArguments, AddedDocument, ProgressReporter, ServiceError};
use store::{DocumentChange, LibraryState, NewAttachment};

use super::{PrincipalTools, document_error, store_error};
use crate::library::derived_attachment_id;

/// Warnings of one document that are returned.
const MAX_WARNINGS: usize = 20;

/// File to add, with the address it was fetched from.
struct ReceivedFile {
    name: String,
    bytes: Bytes,
    origin: Option<String>,
}

impl PrincipalTools {
    pub(super) async fn added(
        &self,
        arguments: AddDocumentToolArguments,
        progress: &ProgressReporter,
    ) -> Result<AddedDocument, ServiceError> {
        let labels = arguments.labels.clone().unwrap_or_default();
        progress.report(0, 2, "receiving the document").await;
        let file = self.receive(arguments).await?;
        let origin = file.origin.as_deref();
        let id = derived_attachment_id(&file.bytes, &file.name, None, origin)
            .map_err(|error| store_error(&error))?;
        let attachment = NewAttachment {
            id,
            name: file.name,
            media_type: "application/octet-stream".to_owned(),
            original: file.bytes,
            end_user: None,
            origin: file.origin,
            created: self.now(),
            expires: None,
        };
        progress.report(1, 2, "reading the document").await;
        let library = &self.tools.library;
        let attached = library.attach(&self.principal, attachment).await;
        let (attached, document) = attached.map_err(|error| document_error(&error))?;
        if !labels.is_empty() {
            let change = DocumentChange {
                added_labels: labels,
                ..DocumentChange::default()
            };
            let changed = library.change_document(&self.principal, document.id(), change);
            changed.await.map_err(|error| store_error(&error))?;
        }
        let entry = library.library_entry(&self.principal, document.id(), self.now());
        let entry = entry.await.map_err(|error| store_error(&error))?;
        progress.report(2, 2, "the document was added").await;
        let id = attached.attachment.id.to_string();
        let warnings = document.warnings().iter().take(MAX_WARNINGS);
        Ok(AddedDocument {
            uri: mcp::document_uri(&id),
            id,
            name: attached.attachment.name,
            title: document.title().map(str::to_owned),
            page_count: u32::try_from(document.pages().len()).unwrap_or(u32::MAX),
            existed: attached.existed,
            searchable: entry.is_some_and(|entry| entry.state == LibraryState::Ready),
            warnings: warnings.map(ToString::to_string).collect(),
        })
    }

    async fn receive(
        &self,
        arguments: AddDocumentToolArguments,
    ) -> Result<ReceivedFile, ServiceError> {
        let AddDocumentToolArguments {
            name,
            text,
            base64,
            url,
            labels: _,
        } = arguments;
        let name = name.filter(|name| !name.trim().is_empty());
        let bytes = match (text, base64, url) {
            (Some(text), None, None) => Bytes::from(text),
            (None, Some(encoded), None) => {
                let compact: String = encoded.split_ascii_whitespace().collect();
                let decoded = STANDARD.decode(compact).map_err(|error| {
                    ServiceError::new(
                        format!("`base64` is not valid Base64: {error}"),
                        "Encode the bytes of the file with the standard alphabet and padding",
                    )
                })?;
                Bytes::from(decoded)
            }
            (None, None, Some(url)) => {
                let fetched = self.tools.fetcher.fetch(&url).await;
                let fetched =
                    fetched.map_err(|error| ServiceError::new(error.to_string(), error.hint()))?;
                return Ok(ReceivedFile {
                    name: name.unwrap_or(fetched.name),
                    bytes: Bytes::from(fetched.bytes),
                    origin: Some(url),
                });
            }
            _ => {
                return Err(ServiceError::new(
                    "Exactly one of `text`, `base64` and `url` is needed",
                    "Send the content of a text file as `text`, of any other file as `base64`",
                ));
            }
        };
        let name = name.ok_or_else(|| {
            ServiceError::new(
                "`name` is missing",
                "Send a file name with its extension, such as notes.md",
            )
        })?;
        Ok(ReceivedFile {
            name,
            bytes,
            origin: None,
        })
    }
}
