//! Versions of documents: attachments that a newer one of the same origin replaces.

use documents::ContentId;

use super::MemoryState;
use super::documents::MemoryDocuments;
use crate::documents::Attachment;
use crate::ids::{AttachmentId, Principal, Timestamp};

impl MemoryDocuments {
    /// Returns the principal's latest attachment of a document that has not expired, with a flag if it is replaced by
    /// a newer version. One that is not replaced goes first.
    pub(super) fn current(
        &self,
        principal: &Principal,
        document: ContentId,
        now: Timestamp,
    ) -> Option<(Attachment, bool)> {
        let own = self.of(principal);
        let live = own.filter(|(_, named)| named.document == document && named.is_live(now));
        let (id, named) =
            live.max_by_key(|(id, named)| (!named.is_superseded, named.created, *id))?;
        Some((self.present(principal, id, named)?, named.is_superseded))
    }

    /// Returns true if the principal has no attachment of a document, expired or not.
    pub(super) fn is_missing(&self, principal: &Principal, document: ContentId) -> bool {
        !self
            .of(principal)
            .any(|(_, named)| named.document == document)
    }

    /// Returns the number of pages of a document, once it is read.
    pub(super) fn pages(&self, document: ContentId) -> Option<u32> {
        self.documents.get(&document)?.document.pages
    }

    /// Marks other attachments of the same origin as replaced by this one. Returns the documents that changed.
    fn supersede(
        &mut self,
        principal: &Principal,
        id: &AttachmentId,
        origin: &str,
    ) -> Vec<ContentId> {
        let mut changed = Vec::new();
        let names = self.attachments.entry(principal.clone()).or_default();
        for (other, named) in names {
            let is_superseded = other != id;
            if named.origin.as_deref() == Some(origin) && named.is_superseded != is_superseded {
                named.is_superseded = is_superseded;
                changed.push(named.document);
            }
        }
        changed
    }
}

/// Marks other attachments of the same origin as replaced, and queues their documents.
pub(super) fn supersede_others(
    state: &mut MemoryState,
    principal: &Principal,
    id: &AttachmentId,
    origin: Option<&str>,
) {
    let Some(origin) = origin else {
        return;
    };
    for document in state.documents.supersede(principal, id, origin) {
        state.library.enqueue(principal, document);
    }
}
