//! Questions: the reader answers, and its quotes are verified.

use std::sync::Arc;

use ::agents::reader::{EXTRACTIVE_MODEL, ReaderAgent};
use agui::event::EventData;
use agui::model::{Content, Message, Role, RunAgentInput};
use agui::{Agent as _, ReceivedEvent};
use citations::ParsedAnswer;
use json::Value;
use mcp::{AskToolArguments, AskedAnswer, ProgressReporter, ServiceError};

use super::PrincipalTools;
use crate::reader_library::LibraryReader;

/// Answer as it arrives.
#[derive(Default)]
struct StreamedAnswer {
    text: String,
    outcome: Value,
    error: Option<String>,
}

impl PrincipalTools {
    pub(super) async fn answered(
        &self,
        arguments: AskToolArguments,
        progress: &ProgressReporter,
    ) -> Result<AskedAnswer, ServiceError> {
        let Some(reader) = &self.tools.reader else {
            return Err(ServiceError::new(
                "Questions cannot be asked here",
                "Use `search` and `read`",
            ));
        };
        let documents = self.resolve(arguments.documents).await?;
        let library = LibraryReader::new(
            self.tools.library.clone(),
            self.principal.clone(),
            self.tools.clock,
        )
        .restricted_to(documents, Vec::new());
        let agent = ReaderAgent::new(
            Arc::new(library),
            reader.host.clone(),
            reader.models.clone(),
            reader.limits,
        );
        progress.report(0, 2, "reading the documents").await;
        let answer = stream_answer(&agent, arguments.question).await?;
        if let Some(error) = answer.error {
            return Err(ServiceError::new(error, "Ask again, or use `search`"));
        }
        progress.report(1, 2, "verifying the quotes").await;
        let verifier = self.verifier(None).await?;
        let parsed = ParsedAnswer::of(&answer.text);
        let mut citations = Vec::new();
        for cited in &parsed.citations {
            citations.push(self.check(&verifier, &cited.found).await);
        }
        progress.report(2, 2, "the quotes were verified").await;
        let verified = citations.iter().filter(|quote| quote.verified).count();
        let share = match citations.len() {
            0 => 1.0,
            count => verified as f64 / count as f64,
        };
        let outcome = &answer.outcome;
        let stated = match &outcome["confidence"] {
            Value::Number(number) => number.as_f64(),
            _ => 0.0,
        };
        let model = outcome["model"].as_str().unwrap_or(EXTRACTIVE_MODEL);
        Ok(AskedAnswer {
            answer: parsed.visible.trim().to_owned(),
            refused: outcome["kind"].as_str() == Some("refused"),
            confidence: (stated * share).clamp(0.0, 1.0),
            model: model.to_owned(),
            citations,
        })
    }
}

/// Runs the reader and collects its answer.
async fn stream_answer(
    agent: &ReaderAgent,
    question: String,
) -> Result<StreamedAnswer, ServiceError> {
    let mut run = agent.run(RunAgentInput {
        thread_id: "ask".to_owned(),
        run_id: "ask".to_owned(),
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
    let mut answer = StreamedAnswer::default();
    let mut slot = ReceivedEvent::default();
    while let Some(read) = run.next_into(&mut slot).await {
        read.map_err(|error| ServiceError::new(error.to_string(), "Ask again"))?;
        let ReceivedEvent::Typed(event) = &slot else {
            continue;
        };
        match event.data() {
            // Remarks before a search are no part of the answer.
            EventData::TextMessageStart(_) => answer.text.clear(),
            EventData::TextMessageContent(content) => answer.text.push_str(&content.delta),
            EventData::Custom(custom) => {
                answer.outcome = custom.value.value()["outcome"].clone();
            }
            EventData::RunError(error) => answer.error = Some(error.message.to_string()),
            _ => {}
        }
    }
    Ok(answer)
}
