//! Retries, fallback and missing keys.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::FixedHost;
use agents::model::{
    LanguageModel, ModelChain, ModelConfig, ModelDelta, ModelError, ModelName, ModelRequest,
    ModelStream, OpenCall, ProviderAccess, ProviderConfig,
};
use tokio::time::Instant;

use crate::replay_server::{ReplayServer, ReplayedAnswer, model_name, question};

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Yes\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Yes\"}}]}\n\n";
const IN_STREAM: &str =
    "data: {\"error\":{\"message\":\"busy\",\"type\":\"server_error\",\"code\":\"503\"}}\n\n";

/// Chain of OpenAI-compatible models at a server.
fn chain(server: &ReplayServer, models: &[&str]) -> ModelChain {
    let config = ModelConfig {
        default: Some(model_name(models[0])),
        fallback: models[1..].iter().map(|name| model_name(name)).collect(),
        ..ModelConfig::default()
    };
    let providers = Arc::new(server.providers());
    ModelChain::from_config(&config, &providers, Arc::new(FixedHost::default())).expect("a model")
}

async fn read_rest(mut call: OpenCall) -> (String, Option<String>) {
    let mut text = String::new();
    let mut deltas = call.received;
    let mut error = None;
    while let Some(delta) = call.rest.next().await {
        match delta {
            Ok(delta) => deltas.push(delta),
            Err(failed) => error = Some(failed.to_string()),
        }
    }
    for delta in deltas {
        if let ModelDelta::Text(more) = delta {
            text.push_str(&more);
        }
    }
    (text, error)
}

/// Model that fails with these statuses and delays, one for each attempt, and then answers. It needs no network, so
/// delays can pass on a paused clock.
struct FailingModel {
    name: ModelName,
    failures: Mutex<VecDeque<(u16, Option<Duration>)>>,
    attempts: Mutex<Vec<Instant>>,
}

impl FailingModel {
    fn new(name: &str, failures: &[(u16, Option<u64>)]) -> Arc<Self> {
        let failures = failures
            .iter()
            .map(|(status, delay)| (*status, delay.map(Duration::from_secs)));
        Arc::new(Self {
            name: model_name(name),
            failures: Mutex::new(failures.collect()),
            attempts: Mutex::default(),
        })
    }

    /// Returns the times between the attempts in milliseconds.
    fn delays(&self) -> Vec<u128> {
        let attempts = self.attempts.lock().expect("attempts");
        let pairs = attempts.windows(2);
        pairs.map(|pair| (pair[1] - pair[0]).as_millis()).collect()
    }
}

impl LanguageModel for FailingModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn stream(&self, _: Arc<ModelRequest>) -> ModelStream {
        self.attempts.lock().expect("attempts").push(Instant::now());
        let failure = self.failures.lock().expect("failures").pop_front();
        let delta = match failure {
            Some((status, retry_after)) => Err(ModelError::Status {
                model: self.name.clone(),
                status,
                message: "busy".to_owned(),
                retry_after,
            }),
            None => Ok(ModelDelta::Text("Yes".to_owned())),
        };
        ModelStream::of([delta])
    }
}

async fn open_first(models: &[&Arc<FailingModel>]) -> Result<OpenCall, ModelError> {
    let models = models
        .iter()
        .map(|model| Arc::clone(model) as Arc<dyn LanguageModel>);
    let chain = ModelChain::of(models.collect(), 2, Arc::new(FixedHost::default()));
    chain.session().open(&question("?")).await
}

#[tokio::test(start_paused = true)]
async fn transient_failures_are_retried_twice_with_growing_delays() {
    let model = FailingModel::new("openai:a", &[(429, None), (503, None)]);
    let call = open_first(&[&model]).await;
    assert_eq!(read_rest(call.expect("an answer")).await.0, "Yes");
    // Without randomness half of 0.5 s and half of 1 s; timers count whole milliseconds.
    let delays = model.delays();
    assert!((250..255).contains(&delays[0]), "{delays:?}");
    assert!((500..505).contains(&delays[1]), "{delays:?}");
}

#[tokio::test(start_paused = true)]
async fn providers_decide_the_delay_up_to_a_limit() {
    let first = FailingModel::new("openai:a", &[(529, Some(7)), (429, Some(3600))]);
    let second = FailingModel::new("openai:b", &[]);
    let call = open_first(&[&first, &second]).await.expect("an answer");
    // A delay of an hour means that the next model is tried at once.
    assert_eq!(call.model.to_string(), "openai:b");
    let delays = first.delays();
    assert!((7_000..7_005).contains(&delays[0]), "{delays:?}");
    assert_eq!(delays.len(), 1);
}

#[tokio::test]
async fn overload_before_and_in_the_stream_leads_to_the_next_model() {
    let server = ReplayServer::start(vec![
        ReplayedAnswer::error(529, "Retry-After: 1\r\n", "{}"),
        ReplayedAnswer::stream(IN_STREAM),
        ReplayedAnswer::stream(ANSWER),
    ])
    .await;
    let config = ModelConfig {
        default: Some(model_name("openai:a")),
        fallback: vec![model_name("openai:b"), model_name("openai:c")],
        retries: 0,
    };
    let providers = Arc::new(server.providers());
    let host = Arc::new(FixedHost::default());
    let chain = ModelChain::from_config(&config, &providers, host).expect("a model");
    let call = chain.session().open(&question("?")).await;
    let call = call.expect("an answer");
    assert_eq!(call.model.to_string(), "openai:c");
    assert_eq!(read_rest(call).await.0, "Yes");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn the_next_model_answers_before_the_first_token_only() {
    let server = ReplayServer::start(vec![
        ReplayedAnswer::error(401, "", r#"{"error":{"message":"bad key"}}"#),
        ReplayedAnswer::stream(format!("{HALF}{IN_STREAM}")),
        ReplayedAnswer::error(401, "", "{}"),
    ])
    .await;
    let mut session = chain(&server, &["openai:a", "openai:b"]).session();
    let call = session.open(&question("?")).await.expect("an answer");
    assert_eq!(call.model.to_string(), "openai:b");
    let (text, error) = read_rest(call).await;
    assert_eq!(text, "Yes");
    assert!(error.expect("an error").contains("busy"));
    // The run stays with the model whose words the client has seen.
    let error = session.open(&question("?")).await.err().expect("an error");
    assert!(error.to_string().contains("openai:b"), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn invalid_requests_are_not_tried_elsewhere() {
    let server = ReplayServer::start(vec![ReplayedAnswer::error(
        400,
        "",
        r#"{"error":{"message":"too long"}}"#,
    )])
    .await;
    let opened = chain(&server, &["openai:a", "openai:b"])
        .session()
        .open(&question("?"))
        .await;
    let error = opened.err().expect("an error").to_string();
    assert!(error.contains("HTTP 400: too long"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn all_failures_are_reported() {
    let first = FailingModel::new("openai:a", &[(503, None); 3]);
    let second = FailingModel::new("openai:b", &[(503, None); 3]);
    let opened = open_first(&[&first, &second]).await;
    let error = opened.err().expect("an error");
    assert_eq!(error.code(), "upstream_status");
    let text = error.to_string();
    assert!(
        text.contains("openai:a") && text.contains("openai:b"),
        "{text}"
    );
    assert_eq!((first.delays().len(), second.delays().len()), (2, 2));
}

#[tokio::test]
async fn a_missing_key_says_which_variable_to_set_and_sends_nothing() {
    let host = Arc::new(FixedHost::default());
    let config = |name| ModelConfig {
        default: Some(model_name(name)),
        ..ModelConfig::default()
    };
    for (name, variable) in [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("openai:gpt-4o", "OPENAI_API_KEY"),
    ] {
        let chain = ModelChain::from_config(&config(name), &Arc::default(), host.clone());
        let opened = chain.expect("a model").session().open(&question("?")).await;
        let error = opened.err().expect("an error");
        assert_eq!(error.code(), "configuration");
        assert!(error.to_string().contains(variable), "{error}");
    }
    assert!(ModelChain::from_config(&ModelConfig::default(), &Arc::default(), host).is_none());
}

#[tokio::test]
async fn keys_are_not_shown_and_local_servers_need_none() {
    let server = ReplayServer::start(vec![ReplayedAnswer::stream(ANSWER)]).await;
    let providers = ProviderConfig {
        openai: ProviderAccess {
            url: Some(server.url.clone()),
            key: None,
        },
        timeout: Duration::from_secs(5),
        ..ProviderConfig::default()
    };
    assert!(!format!("{:?}", server.providers()).contains("secret"));
    let config = ModelConfig {
        default: Some(model_name("openai:local")),
        ..ModelConfig::default()
    };
    let host = Arc::new(FixedHost::default());
    let chain = ModelChain::from_config(&config, &Arc::new(providers), host).expect("a model");
    let call = chain
        .session()
        .open(&question("?"))
        .await
        .expect("an answer");
    assert_eq!(read_rest(call).await.0, "Yes");
    assert!(!server.requests()[0].contains("Authorization"));
}
