//! `pincite stream run`: a remote agent, live.

use std::future::poll_fn;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime};

use agui::input::read_request;
use agui::model::{Content, Message, Role, RunAgentInput};
use agui::negotiate::Encoding;
use agui::{Agent, AgentError, ReceivedEvent};
use agui_http::client::{HttpAgent, HttpError, ProxyConfig, Timeouts};
use agui_http::session::{
    RunOptions, RunReport, Session, SessionError, SessionRunEnd, SessionWarning,
};
use json::{Json, Map, Value};

use super::conversation;
use super::fold::read;
use super::record::StreamRecorder;
use super::report::FatalStreamError;
use super::show::EventPrinter;
use crate::cli::{EncodingChoice, ReportFormat, StreamRunArgs};
use crate::failure::{CommandError, warn};

/// How long the events took.
#[derive(Debug, Default)]
struct EventTimings {
    events: usize,
    first: Option<Duration>,
    longest_pause: Duration,
    total: Duration,
}

/// Runs the command.
pub(crate) fn run(args: &StreamRunArgs) -> Result<(), CommandError> {
    let input = input(args)?;
    let agent = agent(args)?;
    let recorder = args
        .record
        .as_deref()
        .map(StreamRecorder::create)
        .transpose()?;
    super::runtime()?.block_on(LiveOutput { args, recorder }.run(&agent, input))
}

fn agent(args: &StreamRunArgs) -> Result<HttpAgent, CommandError> {
    let mut builder = HttpAgent::builder(&args.url)
        .proxies(ProxyConfig::from_platform())
        .wire(match args.accept {
            EncodingChoice::Sse => Encoding::Sse,
            EncodingChoice::Proto => Encoding::Proto,
        });
    for header in &args.headers {
        let Some((name, value)) = header.split_once(':') else {
            return Err(CommandError::Usage(
                "write a header as --header 'Name: value'",
            ));
        };
        builder = builder.header(name.trim(), value.trim());
    }
    if let Some(seconds) = args.timeout {
        let total = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        builder = builder.timeouts(Timeouts {
            total: Some(total.min(Duration::from_secs(365 * 86_400))),
            ..Timeouts::default()
        });
    }
    builder
        .build()
        .map_err(|error: HttpError| CommandError::Configuration(error.to_string()))
}

/// The input: a file's, with the message added, or one made of the message.
fn input(args: &StreamRunArgs) -> Result<RunAgentInput, CommandError> {
    let body = match &args.input {
        Some(path) => read(path)?,
        None if args.message.is_none() => {
            return Err(CommandError::Usage(
                "say something with --message TEXT, or give a whole input with --input FILE",
            ));
        }
        None => r#"{"messages":[]}"#.to_owned(),
    };
    let wrong = |reason: String| CommandError::WrongContent {
        path: args.input.clone().unwrap_or_default(),
        expected: "a RunAgentInput",
        reason,
    };
    let checked =
        read_request(body.as_bytes(), new_id).map_err(|error| wrong(error.to_string()))?;
    for path in checked.removed {
        warn(&format!(
            "{path} is not described by the protocol; it is not sent"
        ));
    }
    let mut input = checked.input;
    if let Some(message) = &args.message {
        let mut text = message.clone();
        if text == "-" {
            text.clear();
            io::stdin().read_to_string(&mut text)?;
        }
        input.messages.push(Message {
            content: Content::Text(text),
            ..Message::new(new_id(), Role::User)
        });
    }
    if let Some(path) = &args.state {
        input.state = Some(Json::parse(read(path)?.as_str()).map_err(|error| {
            CommandError::WrongContent {
                path: path.clone(),
                expected: "JSON",
                reason: error.to_string(),
            }
        })?);
    }
    Ok(input)
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

struct LiveOutput<'a> {
    args: &'a StreamRunArgs,
    recorder: Option<StreamRecorder>,
}

impl LiveOutput<'_> {
    async fn run(mut self, agent: &HttpAgent, given: RunAgentInput) -> Result<(), CommandError> {
        let state = given.state.unwrap_or_else(|| Json::from(Value::from([])));
        let mut session = Session::resumed(given.thread_id, given.messages, state, Vec::new());
        let options = RunOptions {
            run_id: Some(given.run_id),
            tools: given.tools,
            context: given.context,
            forwarded_props: given.forwarded_props,
            resume: given.resume,
        };
        let (mut input, mut run) = session
            .begin(options, SystemTime::now(), new_id)
            .map_err(|refused| CommandError::Stopped(refused.to_string()))?;
        input.parent_run_id = given.parent_run_id;

        let is_text = self.args.format == ReportFormat::Text;
        let out = BufWriter::with_capacity(16 * 1024, anstream::stdout());
        let mut show = EventPrinter::new(out);
        let mut stream = agent.run(input);
        let mut event = ReceivedEvent::default();
        let mut timings = EventTimings::default();
        let began = Instant::now();
        let mut last = began;
        let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
        let ended: Result<(), SessionError> = loop {
            let read = poll_fn(|context| {
                let read = stream.poll_into(context, &mut event);
                if read.is_pending() {
                    if stop.as_mut().poll(context).is_ready() {
                        return Poll::Ready(Ok(None));
                    }
                    // Seen before one waits; what comes at once is written at once.
                    let mut flushed = show.flush();
                    if let Some(recorder) = &mut self.recorder {
                        flushed = flushed.and(recorder.flush());
                    }
                    if let Err(error) = flushed {
                        return Poll::Ready(Err(error));
                    }
                }
                read.map(|read| Ok(Some(read)))
            });
            match read.await? {
                None => return Err(CommandError::Stopped("stopped".to_owned())),
                Some(None) => break Ok(()),
                Some(Some(Err(error))) => break Err(error.into()),
                Some(Some(Ok(()))) => {}
            }
            let now = Instant::now();
            timings.events += 1;
            timings.first.get_or_insert(now - began);
            timings.longest_pause = timings.longest_pause.max(now - last);
            last = now;
            if let Some(recorder) = &mut self.recorder {
                recorder.write(&event, now - began)?;
            }
            let before = match event.type_name() {
                "STATE_SNAPSHOT" if is_text => run.conversation().state().value().into_owned(),
                _ => Value::Null,
            };
            let mut shown = Ok(());
            let accepted = run.accept(&event, |observed| match observed {
                Ok(event) if is_text && shown.is_ok() => shown = show.event(event, &before),
                Ok(_) => {}
                Err(notice) => tell(&notice),
            });
            shown?;
            if let Err(error) = accepted {
                break Err(error.into());
            }
        };
        timings.total = began.elapsed();
        if let Some(recorder) = &mut self.recorder {
            recorder.flush()?;
        }
        let report = run.finish();
        if is_text {
            // A request that was refused took no time worth telling.
            if timings.events > 0 {
                show.summary(&timings.to_string())?;
            }
            show.flush()?;
        } else {
            self.print(&session, &report, ended.as_ref().err(), &timings)?;
        }
        verdict(ended, &report, timings.events)
    }

    /// The whole conversation, for machines.
    fn print(
        &self,
        session: &Session,
        report: &RunReport,
        error: Option<&SessionError>,
        timings: &EventTimings,
    ) -> Result<(), CommandError> {
        let mut out = BufWriter::new(io::stdout().lock());
        conversation::write(session.conversation(), &report.finished, &mut out)?;
        let (end, run_error) = match &report.end {
            SessionRunEnd::Finished => ("finished", Value::Null),
            SessionRunEnd::Unfinished => ("unfinished", Value::Null),
            SessionRunEnd::Error { message, code } => {
                let mut error = Map::new();
                error.insert("message".into(), message.as_str().into());
                if let Some(code) = code {
                    error.insert("code".into(), code.as_str().into());
                }
                ("error", Value::Object(error))
            }
        };
        let error = error.map_or(Value::Null, |error| error_value(error, timings.events));
        writeln!(
            out,
            ",\"error\":{},\"end\":\"{end}\",\"runError\":{},\"timings\":{}}}",
            error.to_json(),
            run_error.to_json(),
            timings.to_value().to_json()
        )?;
        out.flush()?;
        Ok(())
    }
}

/// Warnings go to stderr; on a terminal they would only tear the text apart.
fn tell(notice: &SessionWarning) {
    if !io::stdout().is_terminal() || !matches!(notice, SessionWarning::Removed(_)) {
        warn(&notice.to_string());
    }
}

fn error_value(error: &SessionError, events: usize) -> Value {
    match error {
        SessionError::Agent(AgentError::Stream(error)) => {
            FatalStreamError::decode(None, events, error).to_value()
        }
        SessionError::Stage(error) | SessionError::Agent(AgentError::Stage(error)) => {
            FatalStreamError::stage(None, events.saturating_sub(1), error).to_value()
        }
        SessionError::Agent(error) => Value::from([
            ("stage", "http".into()),
            ("index", events.into()),
            ("rule", error.code().into()),
            ("message", error.to_string().into()),
            ("path", Value::Null),
        ]),
        SessionError::Refused(refused) => Value::from([
            ("stage", "refused".into()),
            ("message", refused.to_string().into()),
        ]),
    }
}

/// How the command ends.
fn verdict(
    ended: Result<(), SessionError>,
    report: &RunReport,
    events: usize,
) -> Result<(), CommandError> {
    match ended {
        Err(SessionError::Agent(AgentError::Stream(error))) => {
            Err(FatalStreamError::decode(None, events, &error).stopped())
        }
        Err(SessionError::Stage(error)) => {
            Err(FatalStreamError::stage(None, events.saturating_sub(1), &error).stopped())
        }
        Err(error) => Err(CommandError::Stopped(match refused_status(&error) {
            Some((status, message)) => refusal(status, message),
            None => error.to_string(),
        })),
        Ok(()) => match &report.end {
            SessionRunEnd::Finished => Ok(()),
            // It has been shown where it happened.
            SessionRunEnd::Error { .. } => Err(CommandError::Finding),
            SessionRunEnd::Unfinished => Err(CommandError::Stopped(
                "the stream ended without RUN_FINISHED or RUN_ERROR".to_owned(),
            )),
        },
    }
}

/// Returns the HTTP status and body if the agent refused the request.
fn refused_status(error: &SessionError) -> Option<(u16, &str)> {
    let SessionError::Agent(AgentError::Transport(error)) = error else {
        return None;
    };
    match error.downcast_ref() {
        Some(HttpError::Status {
            status, message, ..
        }) => Some((*status, message)),
        _ => None,
    }
}

/// What an agent says that refuses: the sentences for people, if it has put them into JSON.
fn refusal(status: u16, body: &str) -> String {
    let body = body.trim();
    let json = Value::parse(body).unwrap_or(Value::Null);
    let texts = [
        &json["error"]["message"],
        &json["error"],
        &json["message"],
        &json["detail"],
    ];
    let message = texts.iter().find_map(|text| text.as_str());
    let mut said = format!("{} (HTTP {status})", message.unwrap_or(body));
    if let Some(hint) = json["error"]["hint"].as_str() {
        said.push_str(&format!("; {hint}"));
    }
    if status == 401 {
        said.push_str("; with this command: --header 'Authorization: Bearer KEY'");
    }
    said
}

impl EventTimings {
    fn to_value(&self) -> Value {
        let milliseconds = |duration: Duration| {
            let milliseconds = duration.as_millis();
            Value::from(usize::try_from(milliseconds).unwrap_or(usize::MAX))
        };
        Value::from([
            ("events", self.events.into()),
            ("firstEventMs", self.first.map_or(Value::Null, milliseconds)),
            ("longestPauseMs", milliseconds(self.longest_pause)),
            ("totalMs", milliseconds(self.total)),
        ])
    }
}

impl std::fmt::Display for EventTimings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} events in {}", self.events, time(self.total))?;
        if let Some(first) = self.first {
            write!(formatter, ", the first after {}", time(first))?;
            write!(
                formatter,
                ", the longest pause {}",
                time(self.longest_pause)
            )?;
        }
        Ok(())
    }
}

/// A duration as one says it.
pub(super) fn time(duration: Duration) -> String {
    match duration.as_millis() {
        0 => format!("{} µs", duration.as_micros()),
        milliseconds @ 1..=999 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}
