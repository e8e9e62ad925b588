//! `pincite stream run`: runs a remote agent and shows its events.

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

use super::conversation_json;
use super::event_printer::EventPrinter;
use super::fold::read;
use super::problems::FatalStreamError;
use super::recorder::StreamRecorder;
use crate::cli::{EncodingChoice, ReportFormat, StreamRunArgs};
use crate::command_error::{CommandError, warn};

/// Times of the events.
#[derive(Debug, Default)]
struct EventTimings {
    events: usize,
    first: Option<Duration>,
    longest_pause: Duration,
    /// Time of the last event, later the total.
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
                "invalid header; write it as --header 'Name: value'",
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

/// Returns the input from the file or the options; the message is appended.
fn input(args: &StreamRunArgs) -> Result<RunAgentInput, CommandError> {
    let body = match &args.input {
        Some(path) => read(path)?,
        None if args.message.is_none() => {
            return Err(CommandError::Usage(
                "no message to send; use --message TEXT, or --input FILE for a whole RunAgentInput",
            ));
        }
        None => r#"{"messages":[]}"#.to_owned(),
    };
    let invalid = |reason: String| CommandError::WrongContent {
        path: args.input.clone().unwrap_or_default(),
        expected: "a RunAgentInput",
        reason,
    };
    let checked =
        read_request(body.as_bytes(), new_id).map_err(|error| invalid(error.to_string()))?;
    for path in checked.removed {
        warn(&format!(
            "{path} is not part of the protocol; it is not sent"
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
            .map_err(|error| CommandError::Stopped(error.to_string()))?;
        input.parent_run_id = given.parent_run_id;

        let is_text = self.args.format == ReportFormat::Text;
        let out = BufWriter::with_capacity(16 * 1024, anstream::stdout());
        let mut printer = EventPrinter::new(out);
        let mut stream = agent.run(input);
        let mut event = ReceivedEvent::default();
        let mut timings = EventTimings::default();
        let began = Instant::now();
        let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
        let ended: Result<(), SessionError> = loop {
            let read = poll_fn(|context| {
                let read = stream.poll_into(context, &mut event);
                if read.is_pending() {
                    if stop.as_mut().poll(context).is_ready() {
                        return Poll::Ready(Ok(None));
                    }
                    // Flushed only before waiting, so that events that arrive together are written together.
                    if let Err(error) = printer.flush().and_then(|()| self.flush_recorder()) {
                        return Poll::Ready(Err(error));
                    }
                }
                read.map(|read| Ok(Some(read)))
            });
            match read.await? {
                None => return Err(CommandError::Stopped("interrupted".to_owned())),
                Some(None) => break Ok(()),
                Some(Some(Err(error))) => break Err(error.into()),
                Some(Some(Ok(()))) => {}
            }
            let time = began.elapsed();
            timings.add_event(time);
            if let Some(recorder) = &mut self.recorder {
                recorder.write(&event, time)?;
            }
            let before = match event.type_name() {
                "STATE_SNAPSHOT" if is_text => run.conversation().state().value().into_owned(),
                _ => Value::Null,
            };
            let mut printed = Ok(());
            let accepted = run.accept(&event, |observed| match observed {
                Ok(event) if is_text && printed.is_ok() => printed = printer.event(event, &before),
                Ok(_) => {}
                Err(warning) => print_warning(&warning),
            });
            printed?;
            if let Err(error) = accepted {
                break Err(error.into());
            }
        };
        timings.total = began.elapsed();
        self.flush_recorder()?;
        let report = run.finish();
        if is_text {
            // Timings of a rejected request mean nothing.
            if timings.events > 0 {
                printer.summary(&timings.to_string())?;
            }
            printer.flush()?;
        } else {
            self.print(&session, &report, ended.as_ref().err(), &timings)?;
        }
        exit_result(ended, &report, timings.events)
    }

    fn flush_recorder(&mut self) -> io::Result<()> {
        self.recorder.as_mut().map_or(Ok(()), StreamRecorder::flush)
    }

    /// Prints the conversation as JSON.
    fn print(
        &self,
        session: &Session,
        report: &RunReport,
        error: Option<&SessionError>,
        timings: &EventTimings,
    ) -> Result<(), CommandError> {
        let mut out = BufWriter::new(io::stdout().lock());
        conversation_json::write(session.conversation(), &report.finished, &mut out)?;
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

/// Prints a warning. On a terminal the frequent ones are left out, because they would interrupt the text.
fn print_warning(warning: &SessionWarning) {
    if !io::stdout().is_terminal() || !matches!(warning, SessionWarning::Removed(_)) {
        warn(&warning.to_string());
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

/// Returns the result of the command.
fn exit_result(
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
        Err(error) => Err(CommandError::Stopped(match rejection(&error) {
            Some((status, message)) => rejection_message(status, message),
            None => error.to_string(),
        })),
        Ok(()) => match &report.end {
            SessionRunEnd::Finished => Ok(()),
            // The event was printed already.
            SessionRunEnd::Error { .. } => Err(CommandError::Finding),
            SessionRunEnd::Unfinished => Err(CommandError::Stopped(
                "the stream ended without RUN_FINISHED or RUN_ERROR".to_owned(),
            )),
        },
    }
}

/// Returns the HTTP status and body if the agent rejected the request.
fn rejection(error: &SessionError) -> Option<(u16, &str)> {
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

/// Returns the message and the hint from the body of a rejection, which may be JSON.
fn rejection_message(status: u16, body: &str) -> String {
    let body = body.trim();
    let json = Value::parse(body).unwrap_or(Value::Null);
    let texts = [
        &json["error"]["message"],
        &json["error"],
        &json["message"],
        &json["detail"],
    ];
    let message = texts.iter().find_map(|text| text.as_str());
    let mut text = format!("{} (HTTP {status})", message.unwrap_or(body));
    if let Some(hint) = json["error"]["hint"].as_str() {
        text.push_str(&format!("; {hint}"));
    }
    if status == 401 {
        text.push_str("; pass a key with --header 'Authorization: Bearer KEY'");
    }
    text
}

impl EventTimings {
    /// Adds an event at a time since the start of the run.
    fn add_event(&mut self, time: Duration) {
        self.events += 1;
        self.first.get_or_insert(time);
        self.longest_pause = self.longest_pause.max(time - self.total);
        self.total = time;
    }

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
        write!(
            formatter,
            "{} events in {}",
            self.events,
            format_duration(self.total)
        )?;
        if let Some(first) = self.first {
            write!(formatter, ", the first after {}", format_duration(first))?;
            write!(
                formatter,
                ", the longest pause {}",
                format_duration(self.longest_pause)
            )?;
        }
        Ok(())
    }
}

/// Returns a duration with a suitable unit.
pub(super) fn format_duration(duration: Duration) -> String {
    match duration.as_millis() {
        0 => format!("{} µs", duration.as_micros()),
        milliseconds @ 1..=999 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}
