//! Runs of agents with the citation layer around them.

use std::sync::Arc;
use std::time::Duration;

use agui::model::RunAgentInput;
use agui::{Agent, EventStream};
use bytes::Bytes;
use citation_stream::{
    CitationLayer, CitationVerifier, ClientReview, LayerHost, LayerOptions, Ledger, OverdueCheck,
    PromptDocument, StopSignal, ThreadMemory, ThreadUpdate, Timer,
};
use citations::SdkVersion;
use json::Json;
use parking_lot::Mutex;
use store::{CitationReview, RunId, Store, Timestamp};

use crate::error_hints::with_error_hints;
use crate::reviews::stored_review;
use crate::run_documents::RunDocuments;
use crate::runs::{Key, RunManager, RunStart, ThreadRecord, sequential_ids};
use crate::settings::{CitationSettings, HideBlock, NameGeneration, ProjectionSetting};

/// Returns the options of the citation layer for a built-in agent or for an upstream agent.
pub(crate) fn layer_options(settings: &CitationSettings, is_built_in: bool) -> LayerOptions {
    let writes = |projection| settings.projections.contains(&projection);
    LayerOptions {
        key: settings.key.clone(),
        full: writes(ProjectionSetting::Deepcitation),
        source_lists: writes(ProjectionSetting::Citations),
        session: writes(ProjectionSetting::Rag),
        names: match settings.names {
            NameGeneration::G2 => SdkVersion::V2,
            NameGeneration::G3 => SdkVersion::V3,
        },
        early: settings.early,
        deadline: settings.deadline.0,
        hide_block: match settings.hide_block {
            HideBlock::Auto => is_built_in || settings.instruct > 0,
            HideBlock::Always => true,
            HideBlock::Never => false,
        },
        instruct: (settings.instruct > 0).then_some(settings.instruct),
        max_message_bytes: settings.max_message_bytes,
        keep_messages: settings.keep_messages,
        custom_events: settings.custom_events,
        takes_outcomes: is_built_in,
        ..LayerOptions::default()
    }
}

/// Parts of the gateway that the citation layer of a run calls.
#[derive(Clone)]
pub(crate) struct HostServices {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) runs: Arc<RunManager>,
    pub(crate) clock: fn() -> Timestamp,
}

/// Citation layer's view of the gateway during one run.
pub(crate) struct CitationHost {
    services: HostServices,
    key: Key,
    options: LayerOptions,
    memory: Option<ThreadMemory>,
    /// Taken by the layer at the start of the run.
    stopping: Mutex<Option<StopSignal>>,
    record: ThreadRecord,
    documents: RunDocuments,
    /// Source of ids for messages of legacy agents. Reading the log gives the same ids.
    new_id: Mutex<Box<dyn FnMut() -> String + Send>>,
}

impl CitationHost {
    pub(crate) fn new(
        services: HostServices,
        key: Key,
        run_id: &str,
        options: LayerOptions,
        start: RunStart,
        documents: RunDocuments,
    ) -> Self {
        Self {
            services,
            key,
            options,
            memory: start.memory,
            stopping: Mutex::new(Some(start.stopping)),
            record: start.record,
            documents,
            new_id: Mutex::new(Box::new(sequential_ids(run_id))),
        }
    }

    /// Runs the agent and verifies its citations.
    pub(crate) fn run(
        self,
        agent: Arc<dyn Agent>,
        verifier: impl CitationVerifier,
        input: RunAgentInput,
    ) -> EventStream {
        let options = self.options.clone();
        with_error_hints(CitationLayer::new(agent, verifier, self, options).run(input))
    }
}

impl LayerHost for CitationHost {
    fn now(&self) -> u64 {
        u64::try_from((self.services.clock)().0).unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) -> Timer {
        Box::pin(tokio::time::sleep(duration))
    }

    fn new_id(&self) -> String {
        (*self.new_id.lock())()
    }

    fn thread_memory(&self, _: &str) -> Option<ThreadMemory> {
        self.memory.clone()
    }

    fn documents(&self, _: &str) -> Vec<PromptDocument> {
        self.documents.for_prompt()
    }

    fn report_left_out(&self, documents: &[String]) {
        tracing::warn!(
            thread = %self.key.1,
            documents = %documents.join(", "),
            "documents exceed the budget `citations.instruct`; the agent was not given all their pages"
        );
    }

    fn save_thread(&self, _: &str, _: &str, _: &Ledger, record: Option<Json>) {
        let record = record.map(|record| Bytes::from(record.to_json()));
        self.record.set(record.unwrap_or_default());
    }

    fn stop_signal(&self) -> Option<StopSignal> {
        self.stopping.lock().take()
    }

    fn add_reviews(&self, _: &str, reviews: &[ClientReview]) {
        let reviews: Vec<CitationReview> = reviews.iter().filter_map(stored_review).collect();
        let (store, principal) = (self.services.store.clone(), self.key.0.clone());
        tokio::spawn(async move {
            for review in reviews {
                // A client may send an old review again in a new thread.
                let known = store.reviews(&principal, &review.key).await;
                let is_old = |known: &CitationReview| known.at > review.at || *known == review;
                if known.is_ok_and(|known| known.iter().any(is_old)) {
                    continue;
                }
                if let Err(error) = store.review(&principal, review).await {
                    tracing::warn!(%error, "a review could not be stored");
                }
            }
        });
    }

    fn take_overdue(&self, overdue: OverdueCheck) {
        let (runs, key, options) = (
            self.services.runs.clone(),
            self.key.clone(),
            self.options.clone(),
        );
        tokio::spawn(async move {
            let result = overdue.await;
            let stored = async {
                let run = RunId::new(&result.run_id)?;
                let change =
                    |memory: &ThreadMemory| ThreadUpdate::of_late_result(&result, memory, &options);
                runs.update_thread(&key, &run, change).await
            };
            if let Err(error) = stored.await {
                tracing::warn!(thread = %key.1, %error, "a late result could not be stored");
            }
        });
    }
}
