//! Models behind HTTP.

use std::sync::{Arc, OnceLock};

use agui_http::client::{HttpAgent, HttpClient, RedirectPolicy, Timeouts};

use super::anthropic::AnthropicAdapter;
use super::config::ProviderConfig;
use super::error::ModelError;
use super::frame_reader::{FrameReader, FrameTooLong};
use super::name::{ModelName, ModelProvider};
use super::ollama::OllamaAdapter;
use super::openai::OpenAiAdapter;
use super::provider::ProviderAdapter;
use super::request::{LanguageModel, ModelDelta, ModelRequest, ModelStream};
use crate::yielded_stream::{ItemYielder, YieldedStream};

/// Model of a provider that is called over HTTP. Nothing is checked or opened before the first request.
#[derive(Clone)]
pub struct HttpModel(Arc<HttpModelParts>);

struct HttpModelParts {
    name: ModelName,
    adapter: Box<dyn ProviderAdapter>,
    providers: Arc<ProviderConfig>,
    client: OnceLock<HttpClient>,
}

impl std::fmt::Debug for HttpModel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "HttpModel({})", self.0.name)
    }
}

impl HttpModel {
    /// Creates the model with the adapter of its provider.
    pub fn new(name: ModelName, providers: Arc<ProviderConfig>) -> Self {
        let model = name.clone();
        let adapter: Box<dyn ProviderAdapter> = match name.provider {
            ModelProvider::Anthropic => Box::new(AnthropicAdapter { model }),
            ModelProvider::OpenAi => {
                let is_official = providers.openai.url.is_none();
                Box::new(OpenAiAdapter { model, is_official })
            }
            ModelProvider::Ollama => Box::new(OllamaAdapter { model }),
        };
        Self(Arc::new(HttpModelParts {
            name,
            adapter,
            providers,
            client: OnceLock::new(),
        }))
    }
}

impl LanguageModel for HttpModel {
    fn name(&self) -> &ModelName {
        &self.0.name
    }

    fn stream(&self, request: Arc<ModelRequest>) -> ModelStream {
        let parts = Arc::clone(&self.0);
        YieldedStream::new(
            async move |deltas: ItemYielder<Result<ModelDelta, ModelError>>| {
                if let Err(error) = parts.answer(&request, &deltas).await {
                    deltas.send(Err(error)).await;
                }
            },
        )
    }
}

impl HttpModelParts {
    /// Returns the client, which is created by the first request.
    fn client(&self) -> Result<&HttpClient, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let provider = self.name.provider;
        let access = self.providers.access(provider);
        // Other servers that speak OpenAI's protocol often need no key.
        let needs_key = access.url.is_none() || provider != ModelProvider::OpenAi;
        if let (None, Some(variable), true) = (&access.key, provider.key_variable(), needs_key) {
            let provider = provider.as_str();
            return Err(ModelError::MissingKey { provider, variable });
        }
        let base = access.url.as_deref().unwrap_or(provider.default_url());
        let url = format!("{}{}", base.trim_end_matches('/'), self.adapter.path());
        let mut builder = HttpAgent::builder(url)
            .proxies(self.providers.proxies.clone())
            // A redirect would carry the key to another address.
            .redirects(RedirectPolicy::Never)
            .timeouts(Timeouts {
                first_event: self.providers.timeout,
                idle: self.providers.timeout,
                ..Timeouts::default()
            });
        for (name, value) in self.adapter.headers(access.key.as_deref()) {
            builder = builder.header(name, value);
        }
        let client = builder.build_client();
        let client = client.map_err(|error| ModelError::from_http(&self.name, error))?;
        Ok(self.client.get_or_init(|| client))
    }

    async fn answer(
        &self,
        request: &ModelRequest,
        deltas: &ItemYielder<Result<ModelDelta, ModelError>>,
    ) -> Result<(), ModelError> {
        let failed = |error| ModelError::from_http(&self.name, error);
        let body = self.adapter.write_request(request);
        let mut response = self.client()?.post(&body).await.map_err(failed)?;
        let mut reader = FrameReader::new(self.adapter.framing());
        let mut decoder = self.adapter.decoder();
        let (mut bytes, mut frames, mut decoded) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            bytes.clear();
            let more = response.read_into(&mut bytes).await.map_err(failed)?;
            match more {
                true => reader.push(&bytes, &mut frames).map_err(|FrameTooLong| {
                    ModelError::Protocol {
                        model: self.name.clone(),
                        reason: "a part of it is too long".to_owned(),
                    }
                })?,
                false => reader.finish(&mut frames),
            }
            for frame in frames.drain(..) {
                let result = decoder.decode(&frame, &mut decoded);
                for delta in decoded.drain(..) {
                    deltas.send(Ok(delta)).await;
                }
                result?;
            }
            if !more && !decoder.is_complete() {
                let model = self.name.clone();
                return Err(ModelError::Truncated { model });
            }
            if !more {
                return Ok(());
            }
        }
    }
}
