//! Vectors of the library: those of the store in memory, the vectors of queries, and their state.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};
use quick_cache::sync::Cache;
use search::{EmbedError, Language, VectorArena};
use store::{Store, StoreError};

use super::embedding_model::EmbeddingModel;

/// Number of query vectors that are kept.
const CACHED_QUERIES: usize = 256;
/// Number of vectors that are read from the store at once.
const LOADED_AT_ONCE: usize = 4_096;

/// Time after a failure of the model during which queries are not embedded, so that searches stay fast.
const PAUSE: Duration = Duration::from_secs(10);

/// State of the vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum VectorState {
    /// There is no embedding model.
    #[default]
    NoModel,
    /// The vectors are being loaded, or nothing is embedded yet.
    Loading,
    /// Vectors can be searched.
    Ready {
        /// Number of texts that have a vector.
        embedded: usize,
        /// Number of texts that are to have one.
        total: usize,
    },
    /// The model cannot be used, and nothing is embedded.
    Failed {
        /// Reason for people.
        reason: String,
    },
    /// The stored vectors belong to another model.
    OtherModel {
        /// Model of the stored vectors.
        stored: String,
        /// Model of the configuration.
        configured: String,
    },
}

/// Vectors of the library.
pub(super) struct LibraryVectors {
    pub(super) model: Option<EmbeddingModel>,
    arena: RwLock<Option<Arc<VectorArena>>>,
    state: Mutex<VectorState>,
    queries: Cache<String, Arc<Vec<f32>>>,
    /// Last failure to embed a query.
    failure: Mutex<Option<(Instant, EmbedError)>>,
}

impl LibraryVectors {
    pub(super) fn new(model: Option<EmbeddingModel>) -> Self {
        let state = match model {
            Some(_) => VectorState::Loading,
            None => VectorState::NoModel,
        };
        Self {
            model,
            arena: RwLock::default(),
            state: Mutex::new(state),
            queries: Cache::new(CACHED_QUERIES),
            failure: Mutex::default(),
        }
    }

    pub(super) fn state(&self) -> VectorState {
        self.state.lock().clone()
    }

    pub(super) fn set_state(&self, state: VectorState) {
        *self.state.lock() = state;
    }

    /// Returns the vectors in memory.
    pub(super) fn arena(&self) -> Option<Arc<VectorArena>> {
        self.arena.read().clone()
    }

    pub(super) fn set_arena(&self, arena: Option<VectorArena>) {
        *self.arena.write() = arena.map(Arc::new);
    }

    /// Changes the vectors in memory. They are copied if a search is reading them.
    pub(super) fn change_arena(&self, change: impl FnOnce(&mut VectorArena)) {
        if let Some(arena) = self.arena.write().as_mut() {
            change(Arc::make_mut(arena));
        }
    }

    /// Loads the vectors of the store. Returns false if they belong to another model.
    pub(super) async fn load(&self, store: &Arc<dyn Store>) -> Result<bool, StoreError> {
        let Some(model) = &self.model else {
            return Ok(true);
        };
        let configured = model.embedder.model();
        let Some((stored, dimension)) = store.derived_index().await?.model else {
            self.set_arena(None);
            self.set_state(VectorState::Loading);
            return Ok(true);
        };
        if stored != configured {
            self.set_arena(None);
            self.set_state(VectorState::OtherModel {
                stored,
                configured: configured.to_owned(),
            });
            return Ok(false);
        }
        let dimension = usize::try_from(dimension).unwrap_or(0);
        let mut arena = VectorArena::new(stored, dimension);
        let mut after = None;
        loop {
            let page = store.vectors(after, LOADED_AT_ONCE).await?;
            let Some((last, _)) = page.last() else {
                break;
            };
            after = Some(*last);
            for (key, vector) in &page {
                arena.insert(*key, vector);
            }
        }
        let embedded = arena.len();
        self.set_arena(Some(arena));
        self.set_state(VectorState::Ready {
            embedded,
            total: embedded,
        });
        Ok(true)
    }

    /// Returns the vector of a query with the weight of its list; `None` if the model does not know the language. It
    /// blocks the thread.
    pub(super) fn query_vector(
        &self,
        query: &str,
        language: Option<Language>,
    ) -> Result<Option<(Vec<f32>, f32)>, EmbedError> {
        let Some(model) = &self.model else {
            return Ok(None);
        };
        let weight = language.map_or(1.0, |language| model.weight(language));
        if weight <= 0.0 {
            return Ok(None);
        }
        if let Some(vector) = self.queries.get(query) {
            return Ok(Some((vector.to_vec(), weight)));
        }
        if let Some((at, error)) = &*self.failure.lock()
            && at.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        let vector = self.embed_query(model, query);
        *self.failure.lock() = vector
            .as_ref()
            .err()
            .map(|error| (Instant::now(), error.clone()));
        let vector = vector?;
        self.queries
            .insert(query.to_owned(), Arc::new(vector.clone()));
        Ok(Some((vector, weight)))
    }

    fn embed_query(&self, model: &EmbeddingModel, query: &str) -> Result<Vec<f32>, EmbedError> {
        let vector = model.embedder.embed_query(query)?;
        if let Some(arena) = self.arena() {
            // A vector that cannot be compared is a failure of the model.
            arena.quantise(&vector)?;
        }
        Ok(vector)
    }
}
