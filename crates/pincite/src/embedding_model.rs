//! Configured embedding model.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agui_http::client::ProxyConfig;
use embedding::{EndpointAccess, EndpointEmbedder, EndpointProtocol, MINILM, MiniLm, has_model};
use server::EmbeddingModel;
use server::settings::Settings;
use tokio::runtime::Handle;

use crate::command_error::CommandError;

/// Longest time of a request that embeds documents.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Longest time of a request that embeds a query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

/// Returns the configured embedding model; `None` if passages are searched by words only.
pub(crate) fn configured_embedding(
    settings: &Settings,
    runtime: &Handle,
) -> Result<Option<EmbeddingModel>, CommandError> {
    let search = &settings.search;
    for (language, weight) in &search.weights {
        if !(0.0..=1.0).contains(weight) {
            return Err(CommandError::Configuration(format!(
                "search.weights.{language} is {weight}; a weight is a number from 0 to 1"
            )));
        }
    }
    let with_weights = |embedder| EmbeddingModel {
        embedder,
        weights: search.weights.clone(),
    };
    let (protocol, model, url) = match search.embedding.split_once(':') {
        None if search.embedding == "none" => return Ok(None),
        None if search.embedding == "auto" => {
            let folder = model_folder(search.model_dir.as_deref());
            let folder = folder.filter(|folder| has_model(folder));
            // Half of the cores: embedding is background work.
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let model = folder.map(|folder| MiniLm::new(folder, cores.div_ceil(2)));
            return Ok(model.map(|model| with_weights(Arc::new(model))));
        }
        Some(("openai", model)) if !model.is_empty() => {
            (EndpointProtocol::OpenAi, model, &settings.models.openai_url)
        }
        Some(("ollama", model)) if !model.is_empty() => {
            (EndpointProtocol::Ollama, model, &settings.models.ollama_url)
        }
        _ => {
            return Err(CommandError::Configuration(format!(
                "search.embedding: unknown model '{}'; expected auto, none, openai:MODEL or ollama:MODEL",
                search.embedding
            )));
        }
    };
    let key = (protocol == EndpointProtocol::OpenAi)
        .then(|| std::env::var("OPENAI_API_KEY").ok())
        .flatten();
    let access = EndpointAccess {
        protocol,
        model: model.to_owned(),
        url: search.embedding_url.clone().or_else(|| url.clone()),
        key: key.filter(|key| !key.trim().is_empty()),
        timeout: TIMEOUT,
        query_timeout: QUERY_TIMEOUT,
        proxies: ProxyConfig::from_platform(),
    };
    let embedder = EndpointEmbedder::new(access, runtime.clone())
        .map_err(|error| CommandError::Configuration(format!("search.embedding: {error}")))?;
    Ok(Some(with_weights(Arc::new(embedder))))
}

/// Returns the folder of the sentence model: the configured one, or that in the user's data directory.
fn model_folder(configured: Option<&Path>) -> Option<PathBuf> {
    let home = std::env::home_dir();
    if let Some(folder) = configured {
        return Some(match (folder.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => folder.to_owned(),
        });
    }
    let data = std::env::var_os("XDG_DATA_HOME").filter(|data| !data.is_empty());
    let data = data
        .map(PathBuf::from)
        .or_else(|| home.map(|home| home.join(".local/share")))?;
    Some(data.join("pincite/models").join(MINILM))
}
