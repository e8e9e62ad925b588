//! Configured models, with keys from the environment.

use agents::model::{ModelChain, ModelProvider};
use agui_http::client::ProxyConfig;
use server::model_chain;
use server::settings::ModelSettings;

use crate::command_error::CommandError;

/// Returns the value of an environment variable that holds a key.
fn key_value(name: &str) -> Option<String> {
    let value = std::env::var(name).ok();
    value.filter(|key| !key.trim().is_empty())
}

/// Returns the providers whose key is in the environment.
pub(crate) fn provider_keys() -> Vec<ModelProvider> {
    let has_key = |provider: &ModelProvider| provider.key_variable().and_then(key_value).is_some();
    ModelProvider::ALL.into_iter().filter(has_key).collect()
}

/// Returns the configured models; `None` if no model is configured.
pub(crate) fn configured_models(
    settings: &ModelSettings,
) -> Result<Option<ModelChain>, CommandError> {
    model_chain(settings, key_value, ProxyConfig::from_platform())
        .map_err(|error| CommandError::Configuration(format!("models: {error}")))
}
