//! Background work of the library: embeds chunks that have no vector.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use search::{ChunkIndex, EmbedError, EmbeddingWork, IndexError, VectorArena};
use store::StoreError;
use tokio::task;
use tokio::time;

use super::DocumentLibrary;
use super::embedding_model::EmbeddingModel;
use super::vectors::VectorState;

/// Number of texts that are embedded before their vectors are stored.
const BATCH: usize = 16;
/// Interval at which new chunks are noticed.
const POLL: Duration = Duration::from_millis(500);
/// Pause after a failure of the model.
const PAUSE: Duration = Duration::from_secs(10);
/// Interval at which progress is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(15);

/// Failure of the background work.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingError {
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stored vectors belong to another model.
    #[error(
        "the stored vectors were made with the model `{stored}`, but `{configured}` is configured; embed all documents again with `pincite reindex --vectors`"
    )]
    OtherModel {
        /// Model of the stored vectors.
        stored: String,
        /// Model of the configuration.
        configured: String,
    },
}

impl DocumentLibrary {
    /// Returns the state of the vectors.
    pub fn vector_state(&self) -> VectorState {
        self.vectors.state()
    }

    /// Loads the vectors of the store, so that searches use them. Without a model it does nothing.
    pub async fn load_vectors(&self) -> Result<(), EmbeddingError> {
        match self.vectors.load(&self.store).await? {
            true => Ok(()),
            false => self.other_model(),
        }
    }

    /// Forgets all vectors, so that they are made anew.
    pub async fn forget_vectors(&self) -> Result<(), StoreError> {
        self.store.set_vector_model(None).await
    }

    /// Embeds chunks until the future is dropped. Without a model it ends at once.
    pub async fn run_embedder(self: Arc<Self>) {
        if self.vectors.model.is_none() {
            return;
        }
        let mut last_error = String::new();
        loop {
            let worked = match self.load_vectors().await {
                Ok(()) => self.embed_new_chunks().await,
                Err(error) => Err(error),
            };
            if let Err(error) = worked {
                let message = error.to_string();
                let is_other = matches!(error, EmbeddingError::OtherModel { .. });
                if !is_other && self.vectors.arena().is_none() {
                    let reason = message.clone();
                    self.vectors.set_state(VectorState::Failed { reason });
                }
                // A model that is not running must not fill the log.
                if message != last_error {
                    tracing::warn!(%error, "documents cannot be embedded; searches use full text");
                    last_error = message;
                }
                time::sleep(PAUSE).await;
            }
        }
    }

    /// Embeds all chunks that have no vector. `progress` is called with the numbers of embedded and of all texts.
    pub async fn embed_missing(
        self: &Arc<Self>,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<(), EmbeddingError> {
        self.load_vectors().await?;
        while let Some((embedded, total)) = self.embed_batch().await? {
            progress(embedded, total);
        }
        Ok(())
    }

    /// Embeds new chunks until the stored vectors no longer are those in memory, or a failure.
    async fn embed_new_chunks(self: &Arc<Self>) -> Result<(), EmbeddingError> {
        let mut logged = Instant::now();
        let mut change = None;
        loop {
            while let Some((embedded, total)) = self.embed_batch().await? {
                if logged.elapsed() > LOG_INTERVAL || embedded == total {
                    tracing::info!(embedded, total, "passages are being embedded");
                    logged = Instant::now();
                }
            }
            self.remove_unused_vectors().await?;
            loop {
                // The index may be opened, or made anew, without a change of the library.
                let latest = (self.store.last_library_change().await?, self.index.id());
                if change.as_ref() != Some(&latest) {
                    change = Some(latest);
                    break;
                }
                time::sleep(POLL).await;
                let stored = self.store.derived_index().await?.model;
                let own = self.vectors.arena();
                let own = own.map(|arena| (arena.model().to_owned(), arena.dimension()));
                let stored = stored.map(|(model, dimension)| (model, dimension as usize));
                if own != stored {
                    return Ok(());
                }
            }
        }
    }

    /// Embeds some chunks. Returns the numbers of embedded and of all texts, or `None` if nothing is missing.
    async fn embed_batch(self: &Arc<Self>) -> Result<Option<(usize, usize)>, EmbeddingError> {
        let (Some(index), Some(model)) = (self.index.get(), self.vectors.model.clone()) else {
            return Ok(None);
        };
        let arena = self.vectors.arena();
        let embedded = task::spawn_blocking(move || embed_some(&index, &model, arena.as_deref()));
        let batch = embedded
            .await
            .map_err(|_| EmbedError::Failed("the model stopped unexpectedly".to_owned()))??;
        let EmbeddedBatch { work, vectors } = batch;
        let embedded = work.total - work.missing + vectors.len();
        let Some((_, first)) = vectors.first() else {
            self.vectors.set_state(VectorState::Ready {
                embedded,
                total: work.total,
            });
            return Ok(None);
        };
        if self.vectors.arena().is_none() {
            self.create_arena(first.len()).await?;
        }
        let stored = vectors.iter();
        let stored = stored.map(|(key, vector)| (*key, vector.clone().into()));
        self.store.store_vectors(stored.collect()).await?;
        self.vectors.change_arena(|arena| {
            for (key, vector) in &vectors {
                arena.insert(*key, vector);
            }
        });
        self.vectors.set_state(VectorState::Ready {
            embedded,
            total: work.total,
        });
        Ok(Some((embedded, work.total)))
    }

    async fn create_arena(&self, dimension: usize) -> Result<(), EmbeddingError> {
        let Some(model) = &self.vectors.model else {
            return Ok(());
        };
        let name = model.embedder.model().to_owned();
        let stored = u32::try_from(dimension).unwrap_or(u32::MAX);
        let stored = self.store.set_vector_model(Some((name.clone(), stored)));
        stored.await?;
        let arena = VectorArena::new(name, dimension);
        self.vectors.set_arena(Some(arena));
        Ok(())
    }

    /// Removes the vectors of texts that no document has any more. While documents are being indexed nothing is
    /// removed, because the index may be made anew.
    async fn remove_unused_vectors(&self) -> Result<(), EmbeddingError> {
        let (Some(index), Some(arena)) = (self.index.get(), self.vectors.arena()) else {
            return Ok(());
        };
        if self.store.library_counts().await?.open > 0 {
            return Ok(());
        }
        let found = task::spawn_blocking(move || {
            let used: HashSet<u64> = index.content_keys()?;
            let unused = arena.keys().iter().copied();
            Ok(unused.filter(|key| !used.contains(key)).collect())
        });
        let unused: Result<Vec<u64>, IndexError> = found.await.unwrap_or_else(|_| Ok(Vec::new()));
        let unused = unused?;
        if unused.is_empty() || self.store.library_counts().await?.open > 0 {
            return Ok(());
        }
        self.store.remove_vectors(unused.clone()).await?;
        self.vectors.change_arena(|arena| {
            for key in unused {
                arena.remove(key);
            }
        });
        Ok(())
    }

    fn other_model(&self) -> Result<(), EmbeddingError> {
        match self.vectors.state() {
            VectorState::OtherModel { stored, configured } => {
                Err(EmbeddingError::OtherModel { stored, configured })
            }
            _ => Ok(()),
        }
    }
}

/// Texts that were embedded, with their quantised vectors.
struct EmbeddedBatch {
    work: EmbeddingWork,
    vectors: Vec<(u64, Vec<u8>)>,
}

fn embed_some(
    index: &ChunkIndex,
    model: &EmbeddingModel,
    arena: Option<&VectorArena>,
) -> Result<EmbeddedBatch, EmbeddingError> {
    let languages = model.languages();
    let has_vector = |key| arena.is_some_and(|arena| arena.contains(key));
    let mut work = index.embedding_work(languages.as_deref(), BATCH, has_vector)?;
    let texts = std::mem::take(&mut work.texts);
    let mut vectors = Vec::with_capacity(texts.len());
    if !texts.is_empty() {
        let of_text: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let embedded = model.embedder.embed(&of_text)?;
        let dimension = embedded.first().map_or(0, Vec::len);
        let fresh = VectorArena::new(model.embedder.model(), dimension);
        let arena = arena.unwrap_or(&fresh);
        for ((key, _), vector) in texts.iter().zip(&embedded) {
            vectors.push((*key, arena.quantise(vector)?));
        }
    }
    Ok(EmbeddedBatch { work, vectors })
}
