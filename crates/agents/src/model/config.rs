//! Configuration of models and providers.

use std::time::Duration;

use agui_http::client::ProxyConfig;

use super::name::{ModelName, ModelProvider};

/// Models of the program: the `[models]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    /// Model that answers. Without one no request leaves the machine.
    pub default: Option<ModelName>,
    /// Models that are tried in this order if the default fails before its first token.
    pub fallback: Vec<ModelName>,
    /// Number of times a request is repeated after a transient failure, for each model.
    pub retries: u32,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            default: None,
            fallback: Vec::new(),
            retries: 2,
        }
    }
}

/// Address and key of one provider. The key is never shown.
#[derive(Clone, Default)]
pub struct ProviderAccess {
    /// Address instead of the provider's own.
    pub url: Option<String>,
    /// Key.
    pub key: Option<String>,
}

impl std::fmt::Debug for ProviderAccess {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ProviderAccess")
            .field("url", &self.url)
            .field("has_key", &self.key.is_some())
            .finish()
    }
}

/// Addresses, keys and network settings of all providers.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Anthropic.
    pub anthropic: ProviderAccess,
    /// OpenAI, or a server that speaks its protocol.
    pub openai: ProviderAccess,
    /// Ollama.
    pub ollama: ProviderAccess,
    /// Proxies.
    pub proxies: ProxyConfig,
    /// Timeout from the request to the first byte, and between two reads.
    pub timeout: Duration,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self {
            anthropic: ProviderAccess::default(),
            openai: ProviderAccess::default(),
            ollama: ProviderAccess::default(),
            proxies: ProxyConfig::none(),
            timeout: Duration::from_secs(120),
        }
    }
}

impl ProviderConfig {
    /// Returns the access to a provider.
    pub fn access(&self, provider: ModelProvider) -> &ProviderAccess {
        match provider {
            ModelProvider::Anthropic => &self.anthropic,
            ModelProvider::OpenAi => &self.openai,
            ModelProvider::Ollama => &self.ollama,
        }
    }
}
