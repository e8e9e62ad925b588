//! Conversation of a client with an agent.
//!
//! A [`Session`] holds messages, state and open interrupts. [`Session::begin`] builds the input of the next run,
//! [`SessionRun::accept`] takes its events, and [`Session::run`] does both for an agent.

use std::collections::HashSet;
use std::time::SystemTime;

use agui::ReceivedEvent;
use agui::agent::{Agent, AgentError};
use agui::enforce::RemovedValue;
use agui::event::{Event, EventData};
use agui::fold::{FinishedRun, Fold, FoldWarning};
use agui::model::{
    Context, Interrupt, Message, ResumeEntry, ResumeStatus, Role, RunAgentInput, Tool,
};
use agui::pipeline::{Pipeline, StageError};
use json::{Json, Value};

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

/// Reason why a run may not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunRefusal {
    /// Open interrupts are not answered.
    #[error(
        "Thread has {} pending interrupt(s) not addressed by resume: {}",
        .ids.len(), .ids.join(", ")
    )]
    Unanswered {
        /// Ids of the interrupts.
        ids: Vec<String>,
    },
    /// An interrupt is answered after it expired.
    #[error(
        "Interrupt {id} expired at {expires_at} and can no longer be answered. Cancel it to continue the thread."
    )]
    Expired {
        /// Id of the interrupt.
        id: String,
        /// Expiry as sent by the agent.
        expires_at: String,
    },
}

/// Answer to an interrupt.
#[derive(Debug, Clone, PartialEq)]
pub enum InterruptAnswer {
    /// Resolved, with a payload.
    Resolved(Option<Json>),
    /// Cancelled.
    Cancelled,
}

/// Mismatch between answers and open interrupts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterruptAnswerError {
    /// Interrupts without an answer.
    #[error("no answer for the interrupt(s) {}", .0.join(", "))]
    Missing(Vec<String>),
    /// Answers for interrupts that are not open.
    #[error("there is no open interrupt {}", .0.join(", "))]
    Unknown(Vec<String>),
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
        let mut missing: Vec<&str> = self
            .fold
            .pending_interrupts()
            .iter()
            .map(|interrupt| interrupt.id.as_str())
            .collect();
        let (mut entries, mut unknown) = (Vec::new(), Vec::new());
        for (interrupt_id, answer) in answers {
            match missing.iter().position(|&id| id == interrupt_id) {
                Some(at) => drop(missing.remove(at)),
                None => unknown.push(interrupt_id.clone()),
            }
            let (status, payload) = match answer {
                InterruptAnswer::Resolved(payload) => (ResumeStatus::Resolved, payload),
                InterruptAnswer::Cancelled => (ResumeStatus::Cancelled, None),
            };
            entries.push(ResumeEntry {
                interrupt_id,
                status,
                payload,
                metadata: None,
            });
        }
        if !unknown.is_empty() {
            return Err(InterruptAnswerError::Unknown(unknown));
        }
        if !missing.is_empty() {
            let missing = missing.into_iter().map(str::to_owned).collect();
            return Err(InterruptAnswerError::Missing(missing));
        }
        Ok(entries)
    }

    /// Begins a run. Returns its input and the run that takes the events. `new_id` generates missing ids.
    pub fn begin<G: FnMut() -> String>(
        &mut self,
        options: RunOptions,
        now: SystemTime,
        mut new_id: G,
    ) -> Result<(RunAgentInput, SessionRun<'_, G>), RunRefusal> {
        self.refuse_unanswered(options.resume.as_deref().unwrap_or_default(), now)?;
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

    fn refuse_unanswered(&self, resume: &[ResumeEntry], now: SystemTime) -> Result<(), RunRefusal> {
        let pending = self.fold.pending_interrupts();
        let answer = |interrupt: &Interrupt| {
            resume
                .iter()
                .find(|entry| entry.interrupt_id == interrupt.id)
        };
        let ids: Vec<String> = pending
            .iter()
            .filter(|interrupt| answer(interrupt).is_none())
            .map(|interrupt| interrupt.id.clone())
            .collect();
        if !ids.is_empty() {
            return Err(RunRefusal::Unanswered { ids });
        }
        for interrupt in pending {
            let given_up =
                answer(interrupt).is_some_and(|entry| entry.status == ResumeStatus::Cancelled);
            if let Some(expires_at) = &interrupt.expires_at
                && !given_up
                && moment(expires_at).is_some_and(|moment| moment <= now)
            {
                return Err(RunRefusal::Expired {
                    id: interrupt.id.clone(),
                    expires_at: expires_at.clone(),
                });
            }
        }
        Ok(())
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

/// Parses a point in time: ISO 8601 in the forms that JavaScript reads, and the date format of mail and HTTP.
/// Without an offset it is UTC.
fn moment(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let timestamp = text
        .parse::<jiff::Timestamp>()
        .or_else(|_| jiff::fmt::rfc2822::parse(text).map(|zoned| zoned.timestamp()))
        .ok()
        .or_else(|| {
            let padded = match text.len() {
                4 => format!("{text}-01-01"),
                7 => format!("{text}-01"),
                _ => text.to_owned(),
            };
            let civil: jiff::civil::DateTime = padded.parse().ok()?;
            let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
            Some(zoned.timestamp())
        })?;
    Some(timestamp.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_versions_are_told_from_older_ones() {
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

    #[test]
    fn moments_are_read_in_the_usual_forms() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        for (text, seconds) in [
            ("1970-01-02T00:00:00Z", Some(86_400)),
            ("1970-01-02T01:00:00+01:00", Some(86_400)),
            ("1970-01-02T00:00:00", Some(86_400)),
            ("1970-01-02 00:00:00Z", Some(86_400)),
            ("1970-01-02", Some(86_400)),
            ("1970-01", Some(0)),
            ("1970", Some(0)),
            ("Fri, 02 Jan 1970 00:00:00 GMT", Some(86_400)),
            ("soon", None),
            ("", None),
            ("1970-13-01", None),
        ] {
            assert_eq!(moment(text), seconds.map(at), "{text}");
        }
    }

    #[test]
    fn answers_must_fit_the_open_interrupts() {
        let interrupt =
            |id: &str| Interrupt::from_json(&format!(r#"{{"id":"{id}","reason":"r"}}"#));
        let pending = vec![
            interrupt("a").expect("valid"),
            interrupt("b").expect("valid"),
        ];
        let session = Session::resumed("t", [], Json::from(Value::Null), pending);
        let answer = |ids: &[&str]| {
            session.answer(
                ids.iter()
                    .map(|&id| (id.to_owned(), InterruptAnswer::Cancelled)),
            )
        };
        assert_eq!(
            answer(&["b"]),
            Err(InterruptAnswerError::Missing(vec!["a".into()]))
        );
        assert_eq!(
            answer(&["a", "b", "c"]),
            Err(InterruptAnswerError::Unknown(vec!["c".into()]))
        );
        let entries = answer(&["b", "a"]).expect("they fit");
        assert_eq!(
            entries[0].to_json(),
            r#"{"interruptId":"b","status":"cancelled"}"#
        );
    }
}
