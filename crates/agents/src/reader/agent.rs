//! The reader as an agent: with a model if one is configured, otherwise the extractive reader.

use std::fmt;
use std::sync::Arc;

use agui::agent::EventStream;
use agui::event::{
    Event, RunError, RunFinished, RunStarted, StepFinished, StepStarted, TextMessageContent,
    TextMessageEnd, TextMessageStart, TextRole,
};
use agui::model::{Message, Role, RunAgentInput};
use json::Text;

use super::answer_text::{QuotedSource, citation_block, outcome_event};
use super::extractive::{ExtractiveAnswer, answer_from_passages};
use super::library::{ReaderError, ReaderLibrary, ReaderPassage};
use super::model_reader;
use super::question::Question;
use crate::model::ModelChain;
use crate::run_host::RunHost;
use crate::tool_loop::{RunLimits, text_of};
use crate::yielded_stream::{ItemYielder, YieldedStream};

/// Number of passages that are searched for.
const SEARCH_LIMIT: usize = 12;
/// Name of the extractive reader where a model is named.
pub const EXTRACTIVE_MODEL: &str = "extractive";

/// Agent that answers questions from documents.
#[derive(Clone)]
pub struct ReaderAgent {
    library: Arc<dyn ReaderLibrary>,
    host: Arc<dyn RunHost>,
    models: Option<ModelChain>,
    limits: RunLimits,
}

impl fmt::Debug for ReaderAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ReaderAgent({:?})", self.models)
    }
}

impl ReaderAgent {
    /// Creates the agent. Without models it quotes sentences.
    pub fn new(
        library: Arc<dyn ReaderLibrary>,
        host: Arc<dyn RunHost>,
        models: Option<ModelChain>,
        limits: RunLimits,
    ) -> Self {
        Self {
            library,
            host,
            models,
            limits,
        }
    }
}

impl agui::Agent for ReaderAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        let (library, host) = (Arc::clone(&self.library), Arc::clone(&self.host));
        match &self.models {
            Some(models) => model_reader::run(library, host, models.clone(), self.limits, input),
            None => EventStream::new(YieldedStream::new(async move |events| {
                run_extractive(&*library, &*host, &input, &events).await;
            })),
        }
    }
}

/// Returns the text of the last message of the user.
pub fn last_question(messages: &[Message]) -> String {
    let mut users = messages
        .iter()
        .rev()
        .filter(|message| message.role == Role::User);
    users
        .next()
        .map(|message| text_of(&message.content))
        .unwrap_or_default()
}

async fn run_extractive(
    library: &dyn ReaderLibrary,
    host: &dyn RunHost,
    input: &RunAgentInput,
    events: &ItemYielder<Event>,
) {
    let (thread_id, run_id) = (Text::from(&*input.thread_id), Text::from(&*input.run_id));
    let started = RunStarted {
        thread_id: thread_id.clone(),
        run_id: run_id.clone(),
        protocol_version: Some(Text::from("1.0")),
        parent_run_id: None,
        input: None,
    };
    events.send(started.into()).await;
    let step_name = Text::from("search");
    let step = StepStarted {
        step_name: step_name.clone(),
    };
    events.send(step.into()).await;
    let question = Question::parse(&last_question(&input.messages));
    let found = find_answer(library, &question).await;
    events.send(StepFinished { step_name }.into()).await;
    let (answer, sources) = match found {
        Ok(found) => found,
        Err(ReaderError(message)) => {
            let error = RunError {
                message: Text::from(message),
                code: Some(Text::from("storage")),
                usage: None,
            };
            return events.send(error.into()).await;
        }
    };
    send_answer(host, &question, &answer, &sources, events).await;
    let finished = RunFinished {
        thread_id,
        run_id,
        result: None,
        outcome: None,
        usage: None,
    };
    events.send(finished.into()).await;
}

/// Searches, selects sentences and finds their pages.
async fn find_answer(
    library: &dyn ReaderLibrary,
    question: &Question,
) -> Result<(ExtractiveAnswer, Vec<QuotedSource>), ReaderError> {
    let query = question.search_query();
    let passages: Vec<ReaderPassage> = match question.has_content() {
        true => library.search(&query, SEARCH_LIMIT).await?,
        false => Vec::new(),
    };
    let answer = answer_from_passages(question, &passages);
    let mut sources = Vec::new();
    for (number, quote) in (1..).zip(&answer.quotes) {
        let passage = &passages[quote.passage];
        let page = match passage.pages.start() == passage.pages.end() {
            true => *passage.pages.start(),
            false => library.page_of(passage, quote.range.clone()).await?,
        };
        sources.push(QuotedSource {
            number,
            quote: quote.text.clone(),
            document_id: passage.document_id.clone(),
            page,
        });
    }
    Ok((answer, sources))
}

async fn send_answer(
    host: &dyn RunHost,
    question: &Question,
    answer: &ExtractiveAnswer,
    sources: &[QuotedSource],
    events: &ItemYielder<Event>,
) {
    let message_id = Text::from(host.new_id());
    let start = TextMessageStart {
        message_id: message_id.clone(),
        role: Some(TextRole::Assistant),
        name: None,
    };
    events.send(start.into()).await;
    let mut deltas: Vec<String> = answer.preface.iter().cloned().collect();
    for source in sources {
        let space = if deltas.is_empty() || question.is_unspaced() {
            ""
        } else {
            " "
        };
        deltas.push(format!("{space}{} [{}]", source.quote, source.number));
    }
    if let Some(closing) = &answer.closing {
        let space = if question.is_unspaced() { "" } else { " " };
        deltas.push(format!("{space}{closing}"));
    }
    deltas.push(citation_block(sources));
    for delta in deltas.into_iter().filter(|delta| !delta.is_empty()) {
        let content = TextMessageContent {
            message_id: message_id.clone(),
            delta: Text::from(delta),
        };
        events.send(content.into()).await;
    }
    let (outcome, confidence) = (answer.outcome, answer.confidence);
    let factors = &answer.factors;
    let outcome = outcome_event(
        &message_id,
        outcome,
        confidence,
        factors,
        &[],
        EXTRACTIVE_MODEL,
    );
    events.send(outcome).await;
    events.send(TextMessageEnd { message_id }.into()).await;
}
