//! Configured models, with keys from the environment.

use agents::model::ModelChain;
use agui_http::client::ProxyConfig;
use server::model_chain;
use server::settings::ModelSettings;

use crate::command_error::CommandError;

/// Returns the configured models; `None` if no model is configured.
pub(crate) fn configured_models(
    settings: &ModelSettings,
) -> Result<Option<ModelChain>, CommandError> {
    let key = |name: &str| {
        std::env::var(name)
            .ok()
            .filter(|key| !key.trim().is_empty())
    };
    model_chain(settings, key, ProxyConfig::from_platform())
        .map_err(|error| CommandError::Configuration(format!("models: {error}")))
}
