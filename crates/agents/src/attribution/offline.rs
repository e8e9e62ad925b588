//! The agent without a model: reads the intent, calls the tools and answers in templates.

use std::sync::Arc;

use ::attribution::{AttributionRecord, EvidenceType, ReviewerRole};
use agui::event::{Event, RunError, RunFinished, RunStarted, StateSnapshot};
use agui::model::{Role, RunAgentInput};
use json::{Json, Text, Value};

use super::agent_state::AttributionAgentState;
use super::catalogue::{CreditCatalogue, CreditError};
use super::credit_tools::{
    SubmittedAssessment, explain_confidence, search_attributions, submit_feedback,
};
use super::frontend_context::FrontendContext;
use super::intents::{Intent, ParsedMessage, parse_message};
use crate::reader::ReaderLibrary;
use crate::run_host::RunHost;
use crate::tool::SharedState;
use crate::tool_loop::text_of;
use crate::yielded_stream::ItemYielder;

const HELP: &str = "I explain, search and correct music credits. Ask for example:\n\
- Explain the confidence of “a title”\n\
- Find works by a person\n\
- The producer credit on “a title” looks wrong\n\
- The producer of “a title” should be a name\n\
- Submit it\n\
- What should I review next?";

/// Assessment if the message names none.
const DEFAULT_ASSESSMENT: f64 = 0.85;

/// One run.
pub(super) struct OfflineRun<'a> {
    pub(super) catalogue: &'a dyn CreditCatalogue,
    pub(super) library: &'a dyn ReaderLibrary,
    pub(super) host: &'a Arc<dyn RunHost>,
    pub(super) input: &'a RunAgentInput,
    pub(super) events: &'a ItemYielder<Event>,
    pub(super) shared: SharedState,
    /// State that the client has.
    pub(super) sent: Value,
    pub(super) state: AttributionAgentState,
    pub(super) message_id: Text,
}

impl<'a> OfflineRun<'a> {
    pub(super) fn new(
        catalogue: &'a dyn CreditCatalogue,
        library: &'a dyn ReaderLibrary,
        host: &'a Arc<dyn RunHost>,
        input: &'a RunAgentInput,
        events: &'a ItemYielder<Event>,
    ) -> Self {
        let sent = input
            .state
            .as_ref()
            .map_or(Value::Null, |state| state.value().into_owned());
        Self {
            catalogue,
            library,
            host,
            input,
            events,
            state: AttributionAgentState::read(&sent),
            shared: SharedState::new(sent.clone()),
            sent,
            message_id: Text::from(host.new_id()),
        }
    }

    pub(super) async fn send(&self, event: impl Into<Event>) {
        self.events.send(event.into()).await;
    }

    /// Runs to the end: a text, the calls of tools, and a snapshot of the state.
    pub(super) async fn run(mut self) {
        let (thread_id, run_id) = (
            Text::from(&*self.input.thread_id),
            Text::from(&*self.input.run_id),
        );
        let started = RunStarted {
            thread_id: thread_id.clone(),
            run_id: run_id.clone(),
            protocol_version: Some(Text::from("1.0")),
            parent_run_id: None,
            input: None,
        };
        self.send(started).await;
        let last = self.input.messages.last();
        // A client that has carried out a call of a client tool continues the run; there is nothing to add.
        let is_continuation = last.is_some_and(|message| message.role == Role::Tool);
        if !is_continuation && let Err(CreditError(message)) = self.answer().await {
            let error = RunError {
                message: Text::from(message),
                code: Some(Text::from("storage")),
                usage: None,
            };
            return self.send(error).await;
        }
        self.update_queue().await;
        self.state.write(&self.shared);
        let snapshot = Json::from(self.shared.value());
        self.send(StateSnapshot { snapshot }).await;
        let finished = RunFinished {
            thread_id,
            run_id,
            result: None,
            outcome: None,
            usage: None,
        };
        self.send(finished).await;
    }

    async fn update_queue(&mut self) {
        if let Ok((count, _)) = self.catalogue.review_queue(0).await {
            self.state.review_queue_size = count;
        }
    }

    async fn answer(&mut self) -> Result<(), CreditError> {
        let users = self
            .input
            .messages
            .iter()
            .rev()
            .find(|message| message.role == Role::User);
        let text = users
            .map(|message| text_of(&message.content))
            .unwrap_or_default();
        let message = parse_message(&text);
        match message.intent.clone() {
            Intent::Help => self.say(HELP).await,
            Intent::Search(query) => {
                let found = self.search(&query).await?;
                self.say(&found).await;
            }
            Intent::Queue => self.show_queue().await?,
            Intent::Discard => {
                self.state.pending_corrections.clear();
                self.state.pending_correction = None;
                self.say("The corrections that waited are discarded. Nothing was changed.").await;
            }
            intent => match self.find_work(&message).await? {
                Some(record) => self.answer_about(&record, intent, &message).await?,
                None => self.say("I do not know which work you mean. Write its title in quotation marks, or select it.").await,
            },
        }
        Ok(())
    }

    async fn answer_about(
        &mut self,
        record: &AttributionRecord,
        intent: Intent,
        message: &ParsedMessage,
    ) -> Result<(), CreditError> {
        let id = record.attribution_id.clone();
        match intent {
            Intent::Explain => {
                let arguments = serde_json::json!({"work_id": id});
                let call = self.start_call("explain_confidence", &arguments).await;
                let result = explain_confidence(self.catalogue, &mut self.state, &id).await;
                let text = self.end_call(&call, result).await;
                self.say(&text).await;
                self.call_client("navigate_to_work", &serde_json::json!({"workId": id}))
                    .await;
            }
            Intent::Correct { field, value } => self.correct(record, &field, value).await?,
            Intent::Submit => self.submit(&id, message).await?,
            Intent::Accept => {
                let text = match self.catalogue.accept_pending(&id).await {
                    Ok(record) => {
                        self.state.set_work(&record);
                        let confidence = record.confidence_score * 100.0;
                        format!(
                            "Applied. “{}” is now version {} with a confidence of {confidence:.0}%. Say “undo” to take it back.",
                            record.work_title, record.version
                        )
                    }
                    Err(CreditError(reason)) => reason,
                };
                self.say(&text).await;
            }
            Intent::Undo => {
                let text = match self.catalogue.undo_last(&id).await {
                    Ok(record) => {
                        self.state.set_work(&record);
                        format!(
                            "The last correction of “{}” is taken back. It is now version {}.",
                            record.work_title, record.version
                        )
                    }
                    Err(CreditError(reason)) => reason,
                };
                self.say(&text).await;
            }
            _ => {
                self.state.set_work(record);
                self.say(&format!(
                    "Please give your feedback on “{}”.",
                    record.work_title
                ))
                .await;
                self.call_client("open_feedback_panel", &serde_json::json!({"workId": id}))
                    .await;
            }
        }
        Ok(())
    }

    /// Returns the work that the message means: a title in quotes, the selected work, or the one of the conversation.
    async fn find_work(
        &mut self,
        message: &ParsedMessage,
    ) -> Result<Option<AttributionRecord>, CreditError> {
        if let Some(title) = &message.title {
            let found = self.catalogue.search(title, 5).await?;
            let exact = found
                .iter()
                .find(|record| record.work_title.eq_ignore_ascii_case(title));
            return Ok(exact.or(found.first()).cloned());
        }
        let context = FrontendContext::of(self.input);
        let waiting = self
            .state
            .pending_correction
            .as_ref()
            .map(|preview| preview.work_id.clone());
        let is_submission = matches!(message.intent, Intent::Submit);
        let known = waiting
            .filter(|_| is_submission)
            .or(context.selected_work)
            .or_else(|| self.state.current_work_id.clone());
        match known {
            Some(id) => Ok(self.catalogue.attribution(&id).await.ok()),
            None => Ok(None),
        }
    }

    async fn search(&mut self, query: &str) -> Result<String, CreditError> {
        let arguments = serde_json::json!({"query": query});
        let call = self.start_call("search_attributions", &arguments).await;
        let result = search_attributions(self.catalogue, &mut self.state, query).await;
        Ok(self.end_call(&call, result).await)
    }

    async fn show_queue(&mut self) -> Result<(), CreditError> {
        let (count, records) = self.catalogue.review_queue(5).await?;
        let lines: Vec<String> = records
            .iter()
            .map(|record| {
                let (priority, confidence) = (
                    record.review_priority * 100.0,
                    record.confidence_score * 100.0,
                );
                format!(
                    "- “{}” by {} (priority {priority:.0}, confidence {confidence:.0}%)",
                    record.work_title, record.artist_name
                )
            })
            .collect();
        match count {
            0 => self.say("No work needs a review.").await,
            _ => {
                self.say(&format!(
                    "{count} works need a review. The most urgent:\n{}",
                    lines.join("\n")
                ))
                .await;
            }
        }
        Ok(())
    }

    async fn submit(&mut self, id: &str, message: &ParsedMessage) -> Result<(), CreditError> {
        let assessment = message.assessment.unwrap_or(DEFAULT_ASSESSMENT);
        let is_from_notes = self
            .state
            .pending_corrections
            .iter()
            .any(|preview| preview.work_id == id && preview.reason.starts_with("Liner notes"));
        let evidence = match is_from_notes {
            true => EvidenceType::LinerNotes,
            false => message.evidence,
        };
        let role = message
            .role
            .unwrap_or(match FrontendContext::of(self.input).is_artist {
                true => ReviewerRole::Artist,
                false => ReviewerRole::Fan,
            });
        let notes = self
            .state
            .pending_corrections
            .iter()
            .find(|preview| preview.work_id == id)
            .map(|preview| preview.reason.clone());
        let arguments = serde_json::json!({"work_id": id, "overall_assessment": assessment, "free_text": notes});
        let call = self.start_call("submit_feedback", &arguments).await;
        let submitted = SubmittedAssessment {
            work_id: id,
            overall_assessment: assessment,
            free_text: notes.as_deref(),
            reviewer_role: role,
            evidence_type: evidence,
        };
        let result = submit_feedback(self.catalogue, &mut self.state, submitted).await;
        let is_stored = result.is_ok();
        let text = self.end_call(&call, result).await;
        let next = match is_stored {
            true => {
                "\nThank you for your feedback. The correction waits for a decision: say “accept it” to apply it."
            }
            false => "",
        };
        self.say(&format!("{text}{next}")).await;
        Ok(())
    }
}
