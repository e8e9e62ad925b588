//! The sentence model all-MiniLM-L6-v2, run on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use candle_core::Device;
use rayon::ThreadPool;
use search::{EmbedError, Embedder};

use crate::bert::{BertEncoder, BertShape};
use crate::word_pieces::WordPieces;

/// Name of the model, which is stored with its vectors.
pub const MINILM: &str = "all-MiniLM-L6-v2";
/// Number of word pieces that the model was trained for; the rest of a text is not read.
const MAX_PIECES: usize = 256;
/// Files of the model.
const WEIGHTS: &str = "model.safetensors";
const VOCABULARY: &str = "vocab.txt";
const CONFIG: &str = "config.json";

/// Failure to load a model.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the sentence model in {folder} cannot be loaded: {reason}; fetch it with `make model`")]
struct ModelLoadError {
    folder: String,
    reason: String,
}

/// Returns true if a folder has a sentence model.
pub fn has_model(folder: &Path) -> bool {
    [WEIGHTS, VOCABULARY, CONFIG]
        .iter()
        .all(|name| folder.join(name).is_file())
}

/// The sentence model all-MiniLM-L6-v2. It knows English.
pub struct MiniLm {
    folder: PathBuf,
    threads: usize,
    /// Weights, loaded for the first text. Without documents the 90 MB are not needed.
    loaded: OnceLock<Result<LoadedModel, ModelLoadError>>,
}

impl MiniLm {
    /// Creates the model of a folder. It uses so many threads for a text.
    pub fn new(folder: impl Into<PathBuf>, threads: usize) -> Self {
        Self {
            folder: folder.into(),
            threads,
            loaded: OnceLock::new(),
        }
    }

    fn loaded(&self) -> Result<&LoadedModel, ModelLoadError> {
        let loaded = self.loaded.get_or_init(|| {
            load(&self.folder, self.threads).map_err(|reason| ModelLoadError {
                folder: self.folder.display().to_string(),
                reason,
            })
        });
        loaded.as_ref().map_err(Clone::clone)
    }
}

/// Model in memory.
struct LoadedModel {
    pieces: WordPieces,
    encoder: BertEncoder,
    threads: ThreadPool,
}

fn load(folder: &Path, threads: usize) -> Result<LoadedModel, String> {
    let read = |name: &str| {
        let text = fs::read_to_string(folder.join(name));
        text.map_err(|error| format!("{name}: {error}"))
    };
    let shape: BertShape =
        serde_json::from_str(&read(CONFIG)?).map_err(|error| format!("{CONFIG}: {error}"))?;
    let pieces = WordPieces::parse(&read(VOCABULARY)?)
        .filter(|pieces| pieces.len() <= shape.vocab_size)
        .ok_or_else(|| format!("{VOCABULARY} is not the vocabulary of the model"))?;
    if shape.max_position_embeddings < MAX_PIECES {
        return Err(format!("{CONFIG}: the model reads too few word pieces"));
    }
    let tensors = candle_core::safetensors::load(folder.join(WEIGHTS), &Device::Cpu);
    let encoder = tensors.and_then(|tensors| BertEncoder::new(&shape, &tensors));
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(|number| format!("embedder-{number}"))
        .build();
    Ok(LoadedModel {
        pieces,
        encoder: encoder.map_err(|error| format!("{WEIGHTS}: {error}"))?,
        threads: threads.map_err(|error| error.to_string())?,
    })
}

impl Embedder for MiniLm {
    fn model(&self) -> &str {
        MINILM
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let failed = |error: String| EmbedError::Failed(error);
        let model = self.loaded().map_err(|error| failed(error.to_string()))?;
        let embed_all = || {
            let vectors = texts.iter().map(|text| {
                let ids = model.pieces.encode(text, MAX_PIECES);
                model.encoder.embed(&ids)
            });
            vectors.collect::<candle_core::Result<_>>()
        };
        // Matrices are multiplied by the threads of this pool instead of all cores.
        let vectors = model.threads.install(embed_all);
        vectors.map_err(|error| failed(error.to_string()))
    }
}
