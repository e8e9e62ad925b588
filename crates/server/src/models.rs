//! Models of the program: settings, keys and the clock of their runs.

use std::sync::Arc;
use std::time::Duration;

use agents::model::{
    InvalidModelName, ModelChain, ModelConfig, ModelProvider, ProviderAccess, ProviderConfig,
};
use agents::{RunHost, RunLimits};
use agui_http::client::ProxyConfig;

use crate::app::system_clock;
use crate::settings::ModelSettings;
use crate::state::new_id;

/// Clock, ids and randomness of the program.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemHost;

impl RunHost for SystemHost {
    fn now(&self) -> u64 {
        u64::try_from(system_clock().0).unwrap_or(0)
    }

    fn new_id(&self) -> String {
        new_id()
    }

    fn random(&self) -> f64 {
        let random = uuid::Uuid::new_v4().as_u64_pair().0 >> 32;
        f64::from(u32::try_from(random).unwrap_or(0)) / f64::from(u32::MAX)
    }
}

/// Returns the configured models; `None` if no model is configured. `key` returns the value of an environment variable
/// that holds the key of a provider.
pub fn model_chain(
    settings: &ModelSettings,
    key: impl Fn(&str) -> Option<String>,
    proxies: ProxyConfig,
) -> Result<Option<ModelChain>, InvalidModelName> {
    let parse = |name: &String| name.parse();
    let config = ModelConfig {
        default: settings.default.as_ref().map(parse).transpose()?,
        fallback: settings
            .fallback
            .iter()
            .map(parse)
            .collect::<Result<_, _>>()?,
        retries: settings.retries,
    };
    let access = |provider: ModelProvider, url: &Option<String>| ProviderAccess {
        url: url.clone(),
        key: provider.key_variable().and_then(&key),
    };
    let providers = ProviderConfig {
        anthropic: access(ModelProvider::Anthropic, &settings.anthropic_url),
        openai: access(ModelProvider::OpenAi, &settings.openai_url),
        ollama: access(ModelProvider::Ollama, &settings.ollama_url),
        proxies,
        ..ProviderConfig::default()
    };
    Ok(ModelChain::from_config(
        &config,
        &Arc::new(providers),
        Arc::new(SystemHost),
    ))
}

/// Returns the limits of a run with a model.
pub fn run_limits(settings: &ModelSettings) -> RunLimits {
    RunLimits {
        steps: settings.max_steps.max(1),
        tokens: settings.max_tokens,
        time: Duration::from_secs(settings.max_seconds),
        output_tokens: settings.max_output_tokens,
        ..RunLimits::default()
    }
}
