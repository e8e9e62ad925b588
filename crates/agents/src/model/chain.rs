//! The configured model with its fallbacks, retries and delays.

use std::sync::Arc;
use std::time::Duration;

use super::config::{ModelConfig, ProviderConfig};
use super::error::ModelError;
use super::http_model::HttpModel;
use super::name::ModelName;
use super::request::{LanguageModel, ModelDelta, ModelRequest, ModelStream};
use crate::run_host::RunHost;

/// Delay before the first retry; it doubles with each further one.
const FIRST_DELAY: Duration = Duration::from_millis(500);
/// Longest delay before a retry, also if the provider asks for more.
const MAX_DELAY: Duration = Duration::from_secs(20);

/// Models in the order in which they are tried.
#[derive(Clone)]
pub struct ModelChain {
    models: Vec<Arc<dyn LanguageModel>>,
    retries: u32,
    host: Arc<dyn RunHost>,
}

impl std::fmt::Debug for ModelChain {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.models.iter().map(|model| model.name().to_string());
        formatter.debug_list().entries(names).finish()
    }
}

impl ModelChain {
    /// Creates the chain of a configuration; `None` if no model is configured.
    pub fn from_config(
        config: &ModelConfig,
        providers: &Arc<ProviderConfig>,
        host: Arc<dyn RunHost>,
    ) -> Option<Self> {
        let default = config.default.as_ref()?;
        let names = std::iter::once(default).chain(&config.fallback);
        let models = names.map(|name| {
            let model = HttpModel::new(name.clone(), Arc::clone(providers));
            Arc::new(model) as Arc<dyn LanguageModel>
        });
        Some(Self {
            models: models.collect(),
            retries: config.retries,
            host,
        })
    }

    /// Creates a chain of any models.
    pub fn of(models: Vec<Arc<dyn LanguageModel>>, retries: u32, host: Arc<dyn RunHost>) -> Self {
        Self {
            models,
            retries,
            host,
        }
    }

    /// Returns the names of the models in order.
    pub fn names(&self) -> impl Iterator<Item = &ModelName> {
        self.models.iter().map(|model| model.name())
    }

    /// Returns the model that is tried first.
    pub fn first_name(&self) -> Option<&ModelName> {
        self.names().next()
    }

    /// Starts a series of requests of one run.
    pub fn session(&self) -> ModelSession {
        ModelSession {
            chain: self.clone(),
            pinned: None,
        }
    }
}

/// Requests of one run. After the first visible delta the run stays with its model, because another one cannot
/// continue an answer that the client has seen.
pub struct ModelSession {
    chain: ModelChain,
    pinned: Option<usize>,
}

/// Answer whose first visible delta has arrived, or that ended without one.
pub struct OpenCall {
    /// Model that answers.
    pub model: ModelName,
    /// Deltas received so far.
    pub received: Vec<ModelDelta>,
    /// Further deltas.
    pub rest: ModelStream,
}

impl ModelSession {
    /// Sends a request. Transient failures before the first visible delta are retried; then the next model is tried.
    pub async fn open(&mut self, request: &Arc<ModelRequest>) -> Result<OpenCall, ModelError> {
        let mut errors = Vec::new();
        let candidates = match self.pinned {
            Some(at) => at..at + 1,
            None => 0..self.chain.models.len(),
        };
        for at in candidates {
            let model = Arc::clone(&self.chain.models[at]);
            for attempt in 0..=self.chain.retries {
                match open_once(&*model, request).await {
                    Ok(call) => {
                        self.pinned = Some(at);
                        return Ok(call);
                    }
                    Err(error) => {
                        let is_last = attempt == self.chain.retries || !error.is_transient();
                        if !error.can_fail_over() {
                            return Err(error);
                        }
                        let delay = self.delay(attempt, &error);
                        errors.push(error);
                        match delay {
                            Some(delay) if !is_last => tokio::time::sleep(delay).await,
                            _ => break,
                        }
                        // Only the last failure of a model is reported.
                        errors.pop();
                    }
                }
            }
        }
        match errors.len() {
            1 => Err(errors.remove(0)),
            _ => Err(ModelError::AllFailed(errors)),
        }
    }

    /// Returns the delay before the next attempt; `None` if the provider asks for a longer one than a user waits.
    fn delay(&self, attempt: u32, error: &ModelError) -> Option<Duration> {
        let backoff = FIRST_DELAY
            .saturating_mul(1 << attempt.min(16))
            .min(MAX_DELAY);
        // Half of the delay is random, so that many runs do not return at the same moment.
        let spread = backoff.mul_f64(0.5 + self.chain.host.random().clamp(0.0, 1.0) / 2.0);
        match error.retry_after() {
            Some(asked) if asked > MAX_DELAY => None,
            Some(asked) => Some(asked.max(spread)),
            None => Some(spread),
        }
    }
}

/// Reads an answer up to its first visible delta.
async fn open_once(
    model: &dyn LanguageModel,
    request: &Arc<ModelRequest>,
) -> Result<OpenCall, ModelError> {
    let mut rest = model.stream(Arc::clone(request));
    let mut received = Vec::new();
    while let Some(delta) = rest.next().await {
        let delta = delta?;
        let is_visible = delta.is_visible();
        received.push(delta);
        if is_visible {
            break;
        }
    }
    Ok(OpenCall {
        model: model.name().clone(),
        received,
        rest,
    })
}
