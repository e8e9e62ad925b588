//! Library whose documents are read in the process of the tests.

use std::path::Path;
use std::sync::Arc;

use documents::{ContentId, Document, ReadLimits};
use gateway::{
    DocumentLibrary, EmbeddingModel, IndexLocation, ReaderCommand, SearchRequest, SearchResponse,
};
use store::{
    AttachmentId, LibraryState, MemoryStore, NewAttachment, OpenOptions, Principal, SqliteStore,
    Store, Timestamp,
};
use tokio::task::JoinHandle;

/// Name of the part with the text of a document.
const TEXT: &str = "text-1";

pub(crate) fn clock() -> Timestamp {
    Timestamp(1_000)
}

/// Library with an indexer in the background.
pub(crate) struct TestLibrary {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) library: Arc<DocumentLibrary>,
    pub(crate) indexer: JoinHandle<()>,
    index: IndexLocation,
}

impl Drop for TestLibrary {
    fn drop(&mut self) {
        self.indexer.abort();
    }
}

impl TestLibrary {
    pub(crate) fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::new()), IndexLocation::Memory)
    }

    pub(crate) fn in_folder(folder: &Path) -> Self {
        let store = SqliteStore::open(&OpenOptions::new(folder)).expect("a store");
        Self::new(Arc::new(store), IndexLocation::Folder(folder.join("index")))
    }

    fn new(store: Arc<dyn Store>, index: IndexLocation) -> Self {
        Self::start(store, index, None)
    }

    fn start(store: Arc<dyn Store>, index: IndexLocation, model: Option<EmbeddingModel>) -> Self {
        let command = ReaderCommand {
            program: "/nonexistent".into(),
            arguments: Vec::new(),
            at_once: 2,
            allowance: Default::default(),
        };
        let library = DocumentLibrary::new(store.clone(), command, index.clone());
        let library = Arc::new(library.with_embedding(model));
        let indexer = tokio::spawn(library.clone().run_indexer(clock));
        Self {
            store,
            library,
            indexer,
            index,
        }
    }

    /// Uses an embedding model. To be called before anything else.
    pub(crate) fn with_embedding(self, model: EmbeddingModel) -> Self {
        self.indexer.abort();
        Self::start(self.store.clone(), self.index.clone(), Some(model))
    }

    /// Returns the number of stored vectors.
    pub(crate) async fn vector_count(&self) -> usize {
        let vectors = self.store.vectors(None, usize::MAX >> 1).await;
        vectors.expect("the store works").len()
    }

    /// Waits until the indexer has opened the index.
    pub(crate) async fn opened(&self) {
        while !self.library.has_index() {
            tokio::task::yield_now().await;
        }
    }

    /// Ends the indexer and waits until it has given up the index.
    pub(crate) async fn stop(mut self) {
        self.indexer.abort();
        let _ = (&mut self.indexer).await;
    }

    /// Attaches a file that is read already, and waits until it is indexed.
    pub(crate) async fn add(&self, who: &Principal, name: &str, text: &str) -> ContentId {
        let id = self.attach(who, name, None, text).await;
        assert_eq!(self.settled(who, id).await, LibraryState::Ready);
        id
    }

    /// Attaches a file that is read already.
    pub(crate) async fn attach(
        &self,
        who: &Principal,
        name: &str,
        origin: Option<&str>,
        text: &str,
    ) -> ContentId {
        let file = text.as_bytes();
        let id = ContentId::of(file);
        let document = Document::read(file, name, &ReadLimits::default()).expect("a document");
        let new = NewAttachment {
            id: AttachmentId::new(&id.to_string()[..20]).expect("an id"),
            name: name.to_owned(),
            media_type: "text/plain".to_owned(),
            original: text.to_owned().into(),
            end_user: None,
            origin: origin.map(str::to_owned),
            created: clock(),
            expires: None,
        };
        // Another principal attaches it first, so that its text is stored before the indexer needs it.
        let first = Principal::new("first").expect("a principal");
        self.store
            .attach(&first, new.clone())
            .await
            .expect("attached");
        let stored = self.store.store_part(id, TEXT, document.to_bytes().into());
        assert_eq!(stored.await, Ok(true));
        self.library.enqueue(who, new).await.expect("attached");
        id
    }

    /// Waits until the queue has nothing more to do for a document.
    pub(crate) async fn settled(&self, who: &Principal, document: ContentId) -> LibraryState {
        let documents = [document];
        let waiting = self.library.wait_until_indexed(who, &documents, clock);
        let entries = waiting.await.expect("the store works");
        entries
            .first()
            .map_or(LibraryState::Removed, |entry| entry.state)
    }

    pub(crate) async fn search(&self, who: &Principal, query: &str) -> SearchResponse {
        let request = SearchRequest::new(query, 10);
        let found = self.library.search(who, request, clock()).await;
        found.expect("the search works")
    }

    /// Returns the file names of the hits.
    pub(crate) async fn names(&self, who: &Principal, query: &str) -> Vec<String> {
        let found = self.search(who, query).await;
        let hits = found.hits.into_iter();
        hits.map(|hit| hit.chunk.filename).collect()
    }
}
