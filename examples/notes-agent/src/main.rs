//! Example of an agent: it keeps notes in the shared state and asks before it deletes them.
//!
//! ```sh
//! PINCITE_MODEL=ollama:llama3.2 cargo run -p notes-agent -- "Note that the ferry leaves at 07:15."
//! ```
//!
//! The program prints the AG-UI events of the run, one per line. To serve the agent, give it to a server as
//! `BuiltInAgent`; every AG-UI client can then talk to it.
#![allow(clippy::print_stdout, reason = "the example shows the events")]

mod notes;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agents::model::{
    ModelChain, ModelConfig, ModelName, ModelProvider, ProviderAccess, ProviderConfig,
};
use agents::{ApprovalFolder, RunHost};
use agui::model::{Content, Message, Role, RunAgentInput};
use agui::{Agent as _, ReceivedEvent};

/// Clock, ids and randomness of this program.
struct SystemHost;

impl RunHost for SystemHost {
    fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }

    fn new_id(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    fn random(&self) -> f64 {
        f64::from(uuid::Uuid::new_v4().as_u128() as u32) / f64::from(u32::MAX)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let question = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "What are my notes?".to_owned());
    let model: ModelName = std::env::var("PINCITE_MODEL")?.parse()?;
    let host = Arc::new(SystemHost);
    let config = ModelConfig {
        default: Some(model),
        ..ModelConfig::default()
    };
    let models = ModelChain::from_config(&config, &Arc::new(providers()), host.clone());
    let approvals = ApprovalFolder::open(&std::env::temp_dir().join("notes-agent-approvals"))?;
    let models = models.ok_or("no model is configured")?;
    let agent = notes::notes_agent(models, host, Arc::new(approvals));

    let mut run = agent.run(RunAgentInput {
        thread_id: "thread".to_owned(),
        run_id: "run".to_owned(),
        protocol_version: None,
        parent_run_id: None,
        state: None,
        messages: vec![Message {
            content: Content::Text(question),
            ..Message::new("question", Role::User)
        }],
        tools: Vec::new(),
        context: Vec::new(),
        forwarded_props: None,
        resume: None,
    });
    let mut event = ReceivedEvent::default();
    while let Some(read) = run.next_into(&mut event).await {
        read?;
        if let ReceivedEvent::Typed(event) = &event {
            println!("{}", event.to_json());
        }
    }
    Ok(())
}

/// Returns the access to the providers. Keys are in the environment, under the names that the providers use.
fn providers() -> ProviderConfig {
    let access = |provider: ModelProvider| ProviderAccess {
        url: None,
        key: provider
            .key_variable()
            .and_then(|name| std::env::var(name).ok()),
    };
    ProviderConfig {
        anthropic: access(ModelProvider::Anthropic),
        openai: access(ModelProvider::OpenAi),
        ollama: access(ModelProvider::Ollama),
        timeout: Duration::from_secs(60),
        ..ProviderConfig::default()
    }
}
