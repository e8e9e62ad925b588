//! Conversation of a client with an agent.
//!
//! A [`Session`] holds messages, state and open interrupts. [`Session::begin`] builds the input of the next run,
//! [`SessionRun::accept`] takes its events, and [`Session::run`] does both for an agent.

mod interrupts;

use std::collections::HashSet;
use std::time::SystemTime;

use agui::ReceivedEvent;
use agui::agent::{Agent, AgentError};
use agui::enforce::RemovedValue;
use agui::event::{Event, EventData};
use agui::fold::{FinishedRun, Fold, FoldWarning};
use agui::model::{Context, Interrupt, Message, ResumeEntry, Role, RunAgentInput, Tool};
use agui::pipeline::{Pipeline, StageError};
use json::{Json, Value};

use interrupts::{check_answered, resume_entries};

pub use interrupts::{InterruptAnswer, InterruptAnswerError, RunRefusal};

/// Protocol version of this library.
pub const PROTOCOL_VERSION: &str = "1.0";

/// Conversation with an agent.
#[derive(Debug)]
pub struct Session {
    thread_id: String,
    fold: Fold,
}

/// Options of a run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Run id; a new one is generated if it is absent or empty.
    pub run_id: Option<String>,
    /// Tools that the client offers.
    pub tools: Vec<Tool>,
    /// Context for the agent.
    pub context: Vec<Context>,
    /// Properties for the agent's own use.
    pub forwarded_props: Option<Json>,
    /// Answers to open interrupts; see [`Session::answer`].
    pub resume: Option<Vec<ResumeEntry>>,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// End of the run.
    pub end: SessionRunEnd,
    /// Finished runs of the stream; by the protocol there is one.
    pub finished: Vec<FinishedRun>,
    /// Result of the last successful run of the stream.
    pub result: Option<Json>,
    /// Ids of new messages, in the order of the conversation.
    pub new_message_ids: Vec<String>,
}

/// End of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionRunEnd {
    /// `RUN_FINISHED`.
    Finished,
    /// `RUN_ERROR`.
    Error {
        /// Message of the error.
        message: String,
        /// Code of the error.
        code: Option<String>,
    },
    /// The stream ended without a terminal event.
    Unfinished,
}

/// Irregularity that does not end a run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SessionWarning {
    /// An event, or a part of it, is not part of the protocol and was removed.
    #[error("{}", describe_removed(.0))]
    Removed(RemovedValue),
    /// An event had no effect, or only a part of it.
    #[error(transparent)]
    NoEffect(#[from] FoldWarning),
    /// The agent declares a newer protocol version, or an invalid one.
    #[error("the agent says it speaks AG-UI {version}, this is AG-UI {PROTOCOL_VERSION}")]
    OtherVersion {
        /// Declared version.
        version: String,
    },
}

fn describe_removed(removed: &RemovedValue) -> String {
    match removed {
        RemovedValue::Event { type_name } => {
            format!("an event of unknown type {type_name} is ignored")
        }
        RemovedValue::Part { kind, path } => {
            format!("{kind}: {path} is not described and is ignored")
        }
    }
}

/// Failure of a run.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The run may not begin.
    #[error(transparent)]
    Refused(#[from] RunRefusal),
    /// The agent failed.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent broke a rule of the protocol.
    #[error(transparent)]
    Stage(#[from] StageError),
}

impl Session {
    /// Creates a new conversation.
    pub fn new(thread_id: impl Into<String>) -> Self {
        Self::resumed(thread_id, [], Json::from(Value::from([])), Vec::new())
    }

    /// Continues a conversation. A `null` state counts as an empty object.
    pub fn resumed(
        thread_id: impl Into<String>,
        messages: impl IntoIterator<Item = Message>,
        state: Json,
        pending_interrupts: Vec<Interrupt>,
    ) -> Self {
        let state = if state.is_null() {
            Json::from(Value::from([]))
        } else {
            state
        };
        let mut fold = Fold::new(messages, state);
        fold.set_pending_interrupts(pending_interrupts);
        Self {
            thread_id: thread_id.into(),
            fold,
        }
    }

    /// Returns the thread id.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns messages, state and open interrupts.
    pub fn conversation(&self) -> &Fold {
        &self.fold
    }

    /// Adds a message before the next run.
    pub fn add(&mut self, message: Message) {
        self.fold.append(message);
    }

    /// Builds `resume` from answers: exactly one for every open interrupt.
    pub fn answer(
        &self,
        answers: impl IntoIterator<Item = (String, InterruptAnswer)>,
    ) -> Result<Vec<ResumeEntry>, InterruptAnswerError> {
        resume_entries(self.fold.pending_interrupts(), answers)
    }

    /// Begins a run. Returns its input and the run that takes the events. `new_id` generates missing ids.
    pub fn begin<G: FnMut() -> String>(
        &mut self,
        options: RunOptions,
        now: SystemTime,
        mut new_id: G,
    ) -> Result<(RunAgentInput, SessionRun<'_, G>), RunRefusal> {
        let resume = options.resume.as_deref().unwrap_or_default();
        check_answered(self.fold.pending_interrupts(), resume, now)?;
        let input = RunAgentInput {
            thread_id: self.thread_id.clone(),
            run_id: options
                .run_id
                .filter(|id| !id.is_empty())
                .unwrap_or_else(&mut new_id),
            protocol_version: Some(PROTOCOL_VERSION.to_owned()),
            parent_run_id: None,
            state: Some(self.fold.state().clone()),
            // Activities are meant for the frontend only.
            messages: self
                .fold
                .messages()
                .filter(|message| message.role != Role::Activity)
                .cloned()
                .collect(),
            tools: options.tools,
            context: options.context,
            forwarded_props: Some(
                options
                    .forwarded_props
                    .unwrap_or_else(|| Json::from(Value::from([]))),
            ),
            resume: options.resume,
        };
        let known = self.fold.messages().map(|message| message.id.clone());
        let run = SessionRun {
            known: known.collect(),
            pipeline: Pipeline::new(new_id),
            end: SessionRunEnd::Unfinished,
            finished: Vec::new(),
            session: self,
        };
        Ok((input, run))
    }

    /// Runs an agent to its end. `observe` receives every event and every warning as they arrive.
    ///
    /// Events folded before an error stay in the conversation.
    pub async fn run<G: FnMut() -> String>(
        &mut self,
        agent: &(impl Agent + ?Sized),
        options: RunOptions,
        now: SystemTime,
        new_id: G,
        mut observe: impl FnMut(Result<&Event, SessionWarning>),
    ) -> Result<RunReport, SessionError> {
        let (input, mut run) = self.begin(options, now, new_id)?;
        let mut stream = agent.run(input);
        let mut event = ReceivedEvent::default();
        while let Some(read) = stream.next_into(&mut event).await {
            read?;
            run.accept(&event, &mut observe)?;
        }
        Ok(run.finish())
    }
}

/// Run in progress.
pub struct SessionRun<'session, G> {
    session: &'session mut Session,
    known: HashSet<String>,
    pipeline: Pipeline<G>,
    end: SessionRunEnd,
    finished: Vec<FinishedRun>,
}

impl<G: FnMut() -> String> SessionRun<'_, G> {
    /// Processes a received event; `observe` receives the result. After an error the run is over.
    #[inline]
    pub fn accept(
        &mut self,
        event: &ReceivedEvent,
        mut observe: impl FnMut(Result<&Event, SessionWarning>),
    ) -> Result<(), StageError> {
        let mut notices = Vec::new();
        let fold = &mut self.session.fold;
        let (end, finished) = (&mut self.end, &mut self.finished);
        let processed = self.pipeline.process(
            event,
            |removed| notices.push(SessionWarning::Removed(removed)),
            |event| {
                observe(Ok(event));
                // The pipeline has expanded all chunks.
                if let Ok(Some(warning)) = fold.apply(event) {
                    observe(Err(SessionWarning::NoEffect(warning)));
                }
                match event.data() {
                    EventData::RunStarted(data) => {
                        *end = SessionRunEnd::Unfinished;
                        let version = data.protocol_version.as_deref();
                        if let Some(version) = version.filter(|version| is_newer(version)) {
                            observe(Err(SessionWarning::OtherVersion {
                                version: version.to_owned(),
                            }));
                        }
                    }
                    EventData::RunFinished(_) => {
                        *end = SessionRunEnd::Finished;
                        finished.append(&mut fold.take_finished_runs());
                    }
                    EventData::RunError(data) => {
                        *end = SessionRunEnd::Error {
                            message: data.message.to_string(),
                            code: data.code.as_ref().map(ToString::to_string),
                        };
                    }
                    _ => {}
                }
            },
        );
        for notice in notices {
            observe(Err(notice));
        }
        processed
    }

    /// Returns the conversation so far.
    pub fn conversation(&self) -> &Fold {
        &self.session.fold
    }

    /// Ends the run after the last event.
    pub fn finish(self) -> RunReport {
        let messages = self.session.fold.messages();
        RunReport {
            end: self.end,
            result: self
                .finished
                .iter()
                .rev()
                .find(|finished| finished.outcome == "success")
                .and_then(|finished| finished.result.clone()),
            finished: self.finished,
            new_message_ids: messages
                .filter(|message| !self.known.contains(&message.id))
                .map(|message| message.id.clone())
                .collect(),
        }
    }
}

/// Returns true if a declared protocol version is newer than ours or invalid.
fn is_newer(version: &str) -> bool {
    let parse = |version: &str| {
        let (major, minor) = version.split_once('.')?;
        let number = |digits: &str| {
            let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // A number that is too long to parse counts as newer.
            all.then(|| digits.parse().unwrap_or(u64::MAX))
        };
        Some((number(major)?, number(minor)?))
    };
    parse(version).is_none_or(|theirs| Some(theirs) > parse(PROTOCOL_VERSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_newer_and_invalid_versions() {
        for (version, newer) in [
            ("1.0", false),
            ("0.9", false),
            ("1.1", true),
            ("2.0", true),
            ("10.0", true),
            ("1.0.0", true),
            ("1", true),
            ("", true),
            ("v1.0", true),
            ("1.99999999999999999999999", true),
        ] {
            assert_eq!(is_newer(version), newer, "{version}");
        }
    }
}
