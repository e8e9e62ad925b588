//! Documents with whose text an agent is instructed to cite.

use ::agents::reader::last_question;
use agui::model::RunAgentInput;
use search::MAX_QUERY_BYTES;
use store::{Attachment, Principal};

use super::{MAX_DOCUMENTS, RunDocumentLoader, RunDocuments};
use crate::library::{FoundChunk, NamedDocument, SearchRequest};

/// Largest number of passages that are searched for.
const MAX_PASSAGES: usize = 100;
/// Characters that the tags of a passage take beside its text, about.
const PASSAGE_TAGS: usize = 160;

impl RunDocumentLoader {
    /// Loads the documents with whose text an agent is instructed: those of the run, or else the newest of the
    /// principal. If the latter exceed the budget in characters, the passages that fit the question best are chosen
    /// instead of whole documents. Without a budget the agent is not instructed.
    pub(crate) async fn load_for_prompt(
        &self,
        principal: &Principal,
        selected: RunDocuments,
        input: &RunAgentInput,
        budget: Option<usize>,
    ) -> RunDocuments {
        let Some(budget) = budget.filter(|_| !selected.is_selection()) else {
            return selected;
        };
        let attachments = match self.library.all(principal, (self.clock)()).await {
            Ok(attachments) => attachments,
            Err(error) => {
                tracing::warn!(%error, "the documents of a principal could not be listed");
                return selected;
            }
        };
        let (newest, is_complete) = self.load_newest(principal, attachments, budget).await;
        if is_complete {
            return newest;
        }
        let question = last_question(&input.messages);
        let passages = self.load_passages(principal, &question, budget).await;
        passages.unwrap_or(newest)
    }

    /// Loads documents until their texts exceed the budget. Returns false if there are more.
    async fn load_newest(
        &self,
        principal: &Principal,
        attachments: Vec<Attachment>,
        budget: usize,
    ) -> (RunDocuments, bool) {
        let now = (self.clock)();
        let mut documents = RunDocuments {
            is_whole_library: true,
            ..RunDocuments::default()
        };
        let mut size = 0;
        let is_more = attachments.len() > MAX_DOCUMENTS;
        for attachment in attachments.into_iter().take(MAX_DOCUMENTS) {
            let (id, content) = (attachment.id.to_string(), attachment.document.id);
            match self.library.open(principal, content, None, now).await {
                Ok(document) => {
                    let lines = document.lines().iter();
                    size += lines.map(|line| line.text.chars().count()).sum::<usize>();
                    documents.add(&id, &NamedDocument::Attachment(attachment), document);
                }
                Err(error) => tracing::warn!(attachment = %id, %error, "a document is not used"),
            }
            if size > budget {
                return (documents, false);
            }
        }
        (documents, !is_more)
    }

    /// Loads the documents with the best passages for a question, as many as the budget holds. Returns `None` if
    /// there are none.
    async fn load_passages(
        &self,
        principal: &Principal,
        question: &str,
        budget: usize,
    ) -> Option<RunDocuments> {
        let now = (self.clock)();
        let question = &question[..question.floor_char_boundary(MAX_QUERY_BYTES)];
        let request = SearchRequest::new(question, MAX_PASSAGES);
        let found = self.library.search(principal, request, now).await;
        let found = found
            .inspect_err(|error| tracing::debug!(%error, "no passages were searched"))
            .ok()?;
        let mut documents = RunDocuments {
            is_whole_library: true,
            ..RunDocuments::default()
        };
        let mut room = budget.saturating_sub(citation_stream::prompt_length());
        for FoundChunk { chunk, .. } in found.hits {
            let size = chunk.text.chars().count() + PASSAGE_TAGS;
            if size > room {
                break;
            }
            let id = chunk.attachment.to_string();
            if !documents.by_id.contains_key(&id) {
                let Ok((named, document)) = self.library.named(principal, &id, now).await else {
                    continue;
                };
                documents.add(&id, &named, document);
            }
            room -= size;
            let (first, last) = (chunk.first, chunk.last);
            documents.add_passage(&id, (first.page, first.line)..=(last.page, last.line));
        }
        (!documents.documents.is_empty()).then_some(documents)
    }
}
