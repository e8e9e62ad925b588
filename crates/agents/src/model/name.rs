//! Names of models: `provider:model`.

use std::fmt;
use std::str::FromStr;

/// Model of Anthropic that `anthropic` alone means.
const DEFAULT_ANTHROPIC: &str = "claude-haiku-4-5";

/// Provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelProvider {
    /// Anthropic Messages API.
    Anthropic,
    /// OpenAI chat completions, also of other servers that speak it.
    OpenAi,
    /// Ollama.
    Ollama,
}

impl ModelProvider {
    /// All providers.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenAi, Self::Ollama];

    /// Returns the name as written before the colon.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the environment variable that holds the key; `None` if the provider needs none.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Ollama => None,
        }
    }

    /// Returns the address that is used unless another one is configured.
    pub fn default_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// Provider and name of a model, written `provider:model`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    /// Provider.
    pub provider: ModelProvider,
    /// Name that the provider knows.
    pub model: String,
}

/// Text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no model. Write PROVIDER:MODEL with anthropic, openai or ollama, for example \
     `anthropic:claude-haiku-4-5` or `ollama:llama3.2`."
)]
pub struct InvalidModelName(String);

impl FromStr for ModelName {
    type Err = InvalidModelName;

    fn from_str(text: &str) -> Result<Self, InvalidModelName> {
        let invalid = || InvalidModelName(text.to_owned());
        let (provider, model) = match text.trim().split_once(':') {
            Some((provider, model)) => (provider.trim(), model.trim()),
            None => (text.trim(), ""),
        };
        let provider = match provider.to_ascii_lowercase().as_str() {
            "anthropic" => ModelProvider::Anthropic,
            "openai" => ModelProvider::OpenAi,
            "ollama" => ModelProvider::Ollama,
            _ => return Err(invalid()),
        };
        let model = match (provider, model) {
            (ModelProvider::Anthropic, "") => DEFAULT_ANTHROPIC,
            (_, "") => return Err(invalid()),
            (_, model) => model,
        };
        if model.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(invalid());
        }
        Ok(Self {
            provider,
            model: model.to_owned(),
        })
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.provider.as_str(), self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_provider_and_a_model() {
        let name = |text: &str| text.parse::<ModelName>().map(|name| name.to_string());
        assert_eq!(
            name("anthropic").as_deref(),
            Ok("anthropic:claude-haiku-4-5")
        );
        assert_eq!(name("openai:gpt-4o").as_deref(), Ok("openai:gpt-4o"));
        // Ollama's own names have a colon as well.
        assert_eq!(name("Ollama: qwen3:8b").as_deref(), Ok("ollama:qwen3:8b"));
        for wrong in [
            "",
            "openai",
            "openai:",
            "gpt-4o",
            "other:model",
            "openai:a b",
        ] {
            let error = name(wrong).expect_err(wrong).to_string();
            assert!(error.contains("PROVIDER:MODEL"), "{error}");
        }
    }
}
