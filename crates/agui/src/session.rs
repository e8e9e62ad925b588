//! A conversation seen from the client: what is sent, what may not be sent, what is remembered.
//!
//! A [`Session`] holds messages, state and open interrupts. [`Session::begin`] builds the input of
//! the next run; its events go through [`Run::accept`]; [`Session::run`] does both for an agent.

use std::collections::HashSet;
use std::time::SystemTime;

use crate::agent::{Agent, AgentError};
use crate::enforce::Removed;
use crate::event::{Event, EventData};
use crate::fold::{Finished, Fold, FoldWarning};
use crate::json::{Json, Value};
use crate::model::{
    Context, Interrupt, Message, ResumeEntry, ResumeStatus, Role, RunAgentInput, Tool,
};
use crate::pipeline::{Pipeline, StageError};
use crate::raw::RawEvent;

/// The protocol version this library speaks.
pub const PROTOCOL_VERSION: &str = "1.0";

/// A conversation with an agent.
#[derive(Debug)]
pub struct Session {
    thread_id: String,
    fold: Fold,
}

/// What may be said of a run beyond the conversation.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Names the run; absent or empty: a new id.
    pub run_id: Option<String>,
    /// Tools that the client offers.
    pub tools: Vec<Tool>,
    /// What the agent should know.
    pub context: Vec<Context>,
    /// For the agent's own use.
    pub forwarded_props: Option<Json>,
    /// Answers to open interrupts; see [`Session::answer`].
    pub resume: Option<Vec<ResumeEntry>>,
}

/// Why a run may not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Interrupts are open and not answered.
    #[error(
        "Thread has {} pending interrupt(s) not addressed by resume: {}",
        .ids.len(), .ids.join(", ")
    )]
    Unanswered {
        /// Which.
        ids: Vec<String>,
    },
    /// An interrupt is answered too late.
    #[error(
        "Interrupt {id} expired at {expires_at} and can no longer be answered. Cancel it to continue the thread."
    )]
    Expired {
        /// Which.
        id: String,
        /// When.
        expires_at: String,
    },
}

/// The answer to an interrupt.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// With what was asked for.
    Resolved(Option<Json>),
    /// Given up.
    Cancelled,
}

/// Why answers do not fit the open interrupts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Some are not answered.
    #[error("no answer for the interrupt(s) {}", .0.join(", "))]
    Missing(Vec<String>),
    /// Some answers are for interrupts that are not open.
    #[error("there is no open interrupt {}", .0.join(", "))]
    Unknown(Vec<String>),
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// How it ended.
    pub end: RunEnd,
    /// How each run of the stream finished that did; by rule it holds one.
    pub finished: Vec<Finished>,
    /// What the last successful run of the stream produced.
    pub result: Option<Json>,
    /// The ids of messages that were not there before, in the order of the conversation.
    pub new_message_ids: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// With `RUN_FINISHED`.
    Finished,
    /// With `RUN_ERROR`.
    Error {
        /// What went wrong.
        message: String,
        /// A code for machines.
        code: Option<String>,
    },
    /// The stream ended without saying so.
    Unfinished,
}

/// Something that is not as it should be and does not end a run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Notice {
    /// A part of an event, or all of it, is not described and was left out.
    #[error("{}", describe_removed(.0))]
    Removed(Removed),
    /// An event had no effect, or not its full one.
    #[error(transparent)]
    NoEffect(#[from] FoldWarning),
    /// The agent speaks a newer protocol, or names none that can be understood.
    #[error("the agent says it speaks AG-UI {version}, this is AG-UI {PROTOCOL_VERSION}")]
    OtherVersion {
        /// What it says.
        version: String,
    },
}

fn describe_removed(removed: &Removed) -> String {
    match removed {
        Removed::Event { type_name } => format!("an event of unknown type {type_name} is ignored"),
        Removed::Part { kind, path } => format!("{kind}: {path} is not described and is ignored"),
    }
}

/// Why a run could not be carried through.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It may not begin.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The agent failed.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent broke a rule.
    #[error(transparent)]
    Stage(#[from] StageError),
}

impl Session {
    /// A new conversation.
    pub fn new(thread_id: impl Into<String>) -> Self {
        Self::resumed(thread_id, [], Json::from(Value::from([])), Vec::new())
    }

    /// A conversation that goes on. A `null` state counts as an empty object.
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

    /// The thread.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Messages, state and open interrupts.
    pub fn conversation(&self) -> &Fold {
        &self.fold
    }

    /// Says something before the next run.
    pub fn add(&mut self, message: Message) {
        self.fold.append(message);
    }

    /// Builds `resume` from answers: one for every open interrupt and no other.
    pub fn answer(
        &self,
        answers: impl IntoIterator<Item = (String, Answer)>,
    ) -> Result<Vec<ResumeEntry>, AnswerError> {
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
                Answer::Resolved(payload) => (ResumeStatus::Resolved, payload),
                Answer::Cancelled => (ResumeStatus::Cancelled, None),
            };
            entries.push(ResumeEntry {
                interrupt_id,
                status,
                payload,
                metadata: None,
            });
        }
        if !unknown.is_empty() {
            return Err(AnswerError::Unknown(unknown));
        }
        if !missing.is_empty() {
            let missing = missing.into_iter().map(str::to_owned).collect();
            return Err(AnswerError::Missing(missing));
        }
        Ok(entries)
    }

    /// Begins a run: its input, and the run that takes the events. `new_id` gives ids where there
    /// are none.
    pub fn begin<G: FnMut() -> String>(
        &mut self,
        options: RunOptions,
        now: SystemTime,
        mut new_id: G,
    ) -> Result<(RunAgentInput, Run<'_, G>), Refused> {
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
            // Activities are for the frontend alone.
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
        let run = Run {
            known: known.collect(),
            pipeline: Pipeline::new(new_id),
            end: RunEnd::Unfinished,
            finished: Vec::new(),
            session: self,
        };
        Ok((input, run))
    }

    fn refuse_unanswered(&self, resume: &[ResumeEntry], now: SystemTime) -> Result<(), Refused> {
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
            return Err(Refused::Unanswered { ids });
        }
        for interrupt in pending {
            let given_up =
                answer(interrupt).is_some_and(|entry| entry.status == ResumeStatus::Cancelled);
            if let Some(expires_at) = &interrupt.expires_at
                && !given_up
                && moment(expires_at).is_some_and(|moment| moment <= now)
            {
                return Err(Refused::Expired {
                    id: interrupt.id.clone(),
                    expires_at: expires_at.clone(),
                });
            }
        }
        Ok(())
    }

    /// Runs an agent to the end. `observe` sees every event as the rules see it, and every notice,
    /// as they come.
    ///
    /// What was folded before an error stays.
    pub async fn run<G: FnMut() -> String>(
        &mut self,
        agent: &(impl Agent + ?Sized),
        options: RunOptions,
        now: SystemTime,
        new_id: G,
        mut observe: impl FnMut(Result<&Event, Notice>),
    ) -> Result<RunReport, RunError> {
        let (input, mut run) = self.begin(options, now, new_id)?;
        let mut stream = agent.run(input);
        let mut event = RawEvent::default();
        while let Some(read) = stream.next_into(&mut event).await {
            read?;
            run.accept(&event, &mut observe)?;
        }
        Ok(run.finish())
    }
}

/// A run that is under way.
pub struct Run<'session, G> {
    session: &'session mut Session,
    known: HashSet<String>,
    pipeline: Pipeline<G>,
    end: RunEnd,
    finished: Vec<Finished>,
}

impl<G: FnMut() -> String> Run<'_, G> {
    /// Takes a received event; `observe` sees what it becomes. After an error the run is over.
    #[inline]
    pub fn accept(
        &mut self,
        event: &RawEvent,
        mut observe: impl FnMut(Result<&Event, Notice>),
    ) -> Result<(), StageError> {
        let mut notices = Vec::new();
        let fold = &mut self.session.fold;
        let (end, finished) = (&mut self.end, &mut self.finished);
        let processed = self.pipeline.process(
            event,
            |removed| notices.push(Notice::Removed(removed)),
            |event| {
                observe(Ok(event));
                // The pipeline leaves no chunk.
                if let Ok(Some(warning)) = fold.apply(event) {
                    observe(Err(Notice::NoEffect(warning)));
                }
                match event.data() {
                    EventData::RunStarted(data) => {
                        *end = RunEnd::Unfinished;
                        let version = data.protocol_version.as_deref();
                        if let Some(version) = version.filter(|version| is_newer(version)) {
                            observe(Err(Notice::OtherVersion {
                                version: version.to_owned(),
                            }));
                        }
                    }
                    EventData::RunFinished(_) => {
                        *end = RunEnd::Finished;
                        finished.append(&mut fold.take_finished());
                    }
                    EventData::RunError(data) => {
                        *end = RunEnd::Error {
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

    /// The conversation so far.
    pub fn conversation(&self) -> &Fold {
        &self.session.fold
    }

    /// The stream has ended.
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

/// Whether a declared protocol version is newer than ours, or none at all.
fn is_newer(version: &str) -> bool {
    let parse = |version: &str| {
        let (major, minor) = version.split_once('.')?;
        let number = |digits: &str| {
            let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // Too long to count is newer than anything.
            all.then(|| digits.parse().unwrap_or(u64::MAX))
        };
        Some((number(major)?, number(minor)?))
    };
    parse(version).is_none_or(|theirs| Some(theirs) > parse(PROTOCOL_VERSION))
}

/// The moment a text names, if it names one: ISO 8601 in the forms JavaScript reads, and the date of
/// mails and HTTP. Without an offset it is UTC.
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
        let answer =
            |ids: &[&str]| session.answer(ids.iter().map(|&id| (id.to_owned(), Answer::Cancelled)));
        assert_eq!(answer(&["b"]), Err(AnswerError::Missing(vec!["a".into()])));
        assert_eq!(
            answer(&["a", "b", "c"]),
            Err(AnswerError::Unknown(vec!["c".into()]))
        );
        let entries = answer(&["b", "a"]).expect("they fit");
        assert_eq!(
            entries[0].to_json(),
            r#"{"interruptId":"b","status":"cancelled"}"#
        );
    }
}
