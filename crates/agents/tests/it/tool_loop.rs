//! The tool loop against replayed answers of a provider.

mod approvals;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agents::model::{ModelChain, ModelConfig};
use agents::{
    Agent, ApprovalFolder, ApprovalStore, FixedHost, MemoryApprovals, RunLimits, Tool, ToolContext,
    ToolError,
};
use agui::ReceivedEvent;
use agui::event::{Event, EventData};
use agui::model::{Interrupt, Message, RunAgentInput, RunOutcome};
use agui::pipeline::Pipeline;
use json::{Json, Value};

use crate::replay_server::{ReplayServer, ReplayedAnswer, model_name};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct CountStep {
    /// Number to add.
    by: i64,
}

async fn count(step: CountStep, context: ToolContext) -> Result<String, ToolError> {
    if step.by < 0 {
        return Err(ToolError::Failed("Only forwards.".to_owned()));
    }
    let total = context.state.update(|state| {
        let old = match &state["count"] {
            Value::Number(number) => number.as_safe_int().unwrap_or(0),
            _ => 0,
        };
        *state = Value::from([("count", (old + step.by).into())]);
        old + step.by
    });
    Ok(format!("The count is {total}."))
}

fn chunk(delta: &str, reason: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{delta},\"finish_reason\":{reason}}}]}}\n\n")
}

const USAGE: &str = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n";

/// Answer with text, in deltas of one word.
pub(crate) fn text(text: &str) -> ReplayedAnswer {
    let mut body = String::new();
    for word in text.split_inclusive(' ') {
        let word = Value::from(word).to_json();
        body.push_str(&chunk(&format!("{{\"content\":{word}}}"), "null"));
    }
    ReplayedAnswer::stream(body + &chunk("{}", "\"stop\"") + USAGE)
}

/// Answer with calls: id, tool, arguments.
pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> ReplayedAnswer {
    let mut body = String::new();
    for (at, (id, name, arguments)) in calls.iter().enumerate() {
        let arguments = Value::from(*arguments).to_json();
        let call = format!(
            r#"{{"tool_calls":[{{"index":{at},"id":"{id}","function":{{"name":"{name}","arguments":{arguments}}}}}]}}"#
        );
        body.push_str(&chunk(&call, "null"));
    }
    ReplayedAnswer::stream(body + &chunk("{}", "\"tool_calls\"") + USAGE)
}

struct Harness {
    server: ReplayServer,
    host: Arc<FixedHost>,
    agent: Agent,
}

async fn harness(answers: Vec<ReplayedAnswer>, limits: RunLimits) -> Harness {
    harness_with(answers, limits, Arc::new(MemoryApprovals::default())).await
}

async fn harness_with(
    answers: Vec<ReplayedAnswer>,
    limits: RunLimits,
    approvals: Arc<dyn ApprovalStore>,
) -> Harness {
    let server = ReplayServer::start(answers).await;
    let config = ModelConfig {
        default: Some(model_name("openai:m")),
        retries: 0,
        ..ModelConfig::default()
    };
    let host = Arc::new(FixedHost::default());
    let chain = ModelChain::from_config(&config, &Arc::new(server.providers()), host.clone());
    let agent = Agent::builder(chain.expect("a model"), host.clone())
        .system("Count.")
        .tool(Tool::new("count", "Counts.", count))
        .tool(Tool::new("reset", "Resets.", count).with_approval(Duration::from_secs(60)))
        .limits(limits)
        .approvals(approvals)
        .build();
    Harness {
        server,
        host,
        agent,
    }
}

pub(crate) fn input(rest: &str) -> RunAgentInput {
    let json = format!(
        r#"{{"threadId":"t","runId":"r","tools":[],"context":[],"state":{{}},"messages":[{{"id":"u","role":"user","content":"go"}}]{rest}}}"#
    );
    RunAgentInput::from_json(&json).expect("an input")
}

/// Runs the agent; every event must be legal in its place.
pub(crate) async fn run(agent: &dyn agui::Agent, input: RunAgentInput) -> Vec<Event> {
    let mut stream = agent.run(input);
    let mut pipeline = Pipeline::new(|| "unused".to_owned());
    let (mut event, mut events) = (ReceivedEvent::default(), Vec::new());
    while let Some(read) = stream.next_into(&mut event).await {
        read.expect("an event");
        let ReceivedEvent::Typed(typed) = event.clone() else {
            panic!("an untyped event")
        };
        pipeline
            .process(&event, |removed| panic!("removed: {removed:?}"), |_| {})
            .expect("a legal event");
        events.push(typed);
    }
    assert!(!pipeline.is_running(), "the run did not end");
    events
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind().as_str()).collect()
}

pub(crate) fn text_of(events: &[Event]) -> String {
    let deltas = events.iter().filter_map(|event| match event.data() {
        EventData::TextMessageContent(content) => Some(content.delta.to_string()),
        _ => None,
    });
    deltas.collect()
}

fn error_of(events: &[Event]) -> (String, String) {
    match events.last().map(Event::data) {
        Some(EventData::RunError(error)) => (
            error.code.clone().expect("a code").to_string(),
            error.message.to_string(),
        ),
        other => panic!("no error: {other:?}"),
    }
}

fn outcome_of(events: &[Event]) -> Option<RunOutcome> {
    match events.last().map(Event::data) {
        Some(EventData::RunFinished(finished)) => finished.outcome.as_deref().cloned(),
        other => panic!("not finished: {other:?}"),
    }
}

fn results_of(events: &[Event]) -> Vec<String> {
    let results = events.iter().filter_map(|event| match event.data() {
        EventData::ToolCallResult(result) => Some(match &result.content {
            agui::model::TextOrParts::Text(text) => text.to_string(),
            agui::model::TextOrParts::Parts(_) => panic!("parts"),
        }),
        _ => None,
    });
    results.collect()
}

#[tokio::test]
async fn text_calls_results_and_state_stream_as_they_happen() {
    let answers = vec![
        calls(&[("a", "count", r#"{"by":2}"#), ("b", "count", r#"{"by":3}"#)]),
        text("It is 5."),
    ];
    let harness = harness(answers, RunLimits::default()).await;
    let events = run(&harness.agent, input("")).await;
    let names = kinds(&events);
    assert_eq!(
        names,
        [
            "RUN_STARTED",
            "STEP_STARTED",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT",
            "STATE_DELTA",
            "TOOL_CALL_RESULT",
            "STATE_DELTA",
            "STEP_FINISHED",
            "STEP_STARTED",
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "STEP_FINISHED",
            "RUN_FINISHED"
        ]
    );
    assert_eq!(text_of(&events), "It is 5.");
    let Some(EventData::RunFinished(finished)) = events.last().map(Event::data) else {
        panic!("not finished")
    };
    let usage = &finished.usage.as_ref().expect("usage")[0];
    assert_eq!(usage.model.as_deref(), Some("m"));
    assert_eq!(
        usage.total_tokens.map(json::typed::SafeCount::get),
        Some(20)
    );
    let second = harness.server.requests().pop().expect("two requests");
    assert!(second.contains("The count is 5."), "{second}");
}

#[tokio::test]
async fn parallel_calls_wait_for_each_other() {
    let answers = vec![
        calls(&[("a", "meet", "{}"), ("b", "meet", "{}")]),
        text("Done."),
    ];
    let server = ReplayServer::start(answers).await;
    let config = ModelConfig {
        default: Some(model_name("openai:m")),
        ..ModelConfig::default()
    };
    let host = Arc::new(FixedHost::default());
    let chain = ModelChain::from_config(&config, &Arc::new(server.providers()), host.clone());
    let barrier = Arc::new(tokio::sync::Barrier::new(2));
    let agent = Agent::builder(chain.expect("a model"), host)
        .tool(Tool::new("meet", "Meets.", move |_: NoArguments, _| {
            let barrier = Arc::clone(&barrier);
            // The barrier opens only if both calls run at the same time.
            async move {
                barrier.wait().await;
                Ok("met".to_owned())
            }
        }))
        .build();
    let events = run(&agent, input("")).await;
    assert_eq!(results_of(&events), ["met", "met"]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoArguments {}

#[tokio::test]
async fn invalid_arguments_go_back_at_most_twice() {
    let wrong = || calls(&[("a", "count", r#"{"by":"#)]);
    let good = harness(
        vec![wrong(), calls(&[("x", "nope", "{}")]), text("Sorry.")],
        RunLimits::default(),
    )
    .await;
    let events = run(&good.agent, input("")).await;
    let results = results_of(&events);
    assert!(
        results[0].contains("not valid") && results[0].contains("\"by\""),
        "{results:?}"
    );
    assert!(
        results[1].contains("There is no tool `nope`"),
        "{results:?}"
    );
    assert_eq!(text_of(&events), "Sorry.");

    let bad = harness(vec![wrong(), wrong(), wrong()], RunLimits::default()).await;
    let (code, message) = error_of(&run(&bad.agent, input("")).await);
    assert_eq!(code, "upstream_protocol");
    assert!(message.contains("repeated invalid calls"), "{message}");
}

#[tokio::test]
async fn a_model_that_loops_on_tools_must_answer_in_the_last_step() {
    let again = |id| calls(&[(id, "count", r#"{"by":1}"#)]);
    let limits = RunLimits {
        steps: 3,
        ..RunLimits::default()
    };
    let first = harness(vec![again("a"), again("b"), text("Two.")], limits).await;
    assert_eq!(text_of(&run(&first.agent, input("")).await), "Two.");
    let last = first.server.requests().pop().expect("requests");
    assert!(last.contains("\"tool_choice\":\"none\""), "{last}");

    let second = harness(vec![again("a"), again("b"), again("c")], limits).await;
    let (code, message) = error_of(&run(&second.agent, input("")).await);
    assert_eq!(code, "limit");
    assert!(message.contains("models.max_steps"), "{message}");
}

#[tokio::test]
async fn tokens_and_empty_answers_are_limited() {
    let limits = RunLimits {
        tokens: 9,
        ..RunLimits::default()
    };
    let spent = harness(vec![calls(&[("a", "count", r#"{"by":1}"#)])], limits).await;
    assert_eq!(error_of(&run(&spent.agent, input("")).await).0, "limit");

    let empty = harness(vec![text(""), text("")], RunLimits::default()).await;
    let (code, message) = error_of(&run(&empty.agent, input("")).await);
    assert_eq!(code, "upstream_truncated");
    assert!(message.contains("nothing"), "{message}");
    let once = harness(vec![text(""), text("Here.")], RunLimits::default()).await;
    assert_eq!(text_of(&run(&once.agent, input("")).await), "Here.");
}

#[tokio::test]
async fn failures_in_the_middle_close_everything_and_say_why() {
    let half = chunk("{\"content\":\"Half \"}", "null");
    let broken = "data: {\"error\":{\"message\":\"Overloaded\",\"code\":\"529\"}}\n\n";
    let harness = harness(
        vec![ReplayedAnswer::stream(format!("{half}{broken}"))],
        RunLimits::default(),
    )
    .await;
    let events = run(&harness.agent, input("")).await;
    let (code, message) = error_of(&events);
    assert_eq!(code, "upstream_status");
    assert!(message.contains("Overloaded"), "{message}");
    let names = kinds(&events);
    assert_eq!(
        &names[names.len() - 3..],
        ["TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_ERROR"]
    );
}

#[tokio::test]
async fn client_tools_end_the_run_and_the_next_run_continues() {
    let answers = vec![calls(&[("a", "pick", "{}")]), text("You picked red.")];
    let harness = harness(answers, RunLimits::default()).await;
    let tools = r#","tools":[{"name":"pick","description":"Picks a colour."}]"#;
    let mut first = input("");
    first.tools = input(tools).tools;
    let events = run(&harness.agent, first.clone()).await;
    assert_eq!(
        outcome_of(&events),
        Some(RunOutcome::Success {
            pending_tool_call_ids: Some(vec!["a".to_owned()])
        })
    );
    let more = r#"[{"id":"s","role":"assistant","toolCalls":[{"id":"a","type":"function","function":{"name":"pick","arguments":"{}"}}]},
        {"id":"x","role":"tool","toolCallId":"a","content":"red"}]"#;
    let mut second = first;
    second
        .messages
        .extend(Message::list_from_json(more).expect("messages"));
    let events = run(&harness.agent, second).await;
    assert_eq!(text_of(&events), "You picked red.");
    let request = harness.server.requests().pop().expect("a request");
    assert!(request.contains("\"content\":\"red\""), "{request}");
}

#[tokio::test]
async fn a_run_ends_at_its_time_limit() {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let host = Arc::new(FixedHost::default());
    let answers = [calls(&[("a", "wait", "{}")])];
    let server = ReplayServer::start(answers.into()).await;
    let config = ModelConfig {
        default: Some(model_name("openai:m")),
        ..ModelConfig::default()
    };
    let chain = ModelChain::from_config(&config, &Arc::new(server.providers()), host.clone());
    let agent = Agent::builder(chain.expect("a model"), host)
        .tool(Tool::new("wait", "Waits.", async |_: NoArguments, _| {
            STARTED.fetch_add(1, Ordering::Relaxed);
            // From here the clock jumps to the next timer, because nothing else is left to do.
            tokio::time::pause();
            std::future::pending::<Result<String, ToolError>>().await
        }))
        .limits(RunLimits {
            time: Duration::from_secs(5),
            ..RunLimits::default()
        })
        .build();
    let events = run(&agent, input("")).await;
    let (code, message) = error_of(&events);
    assert_eq!(code, "limit");
    assert!(message.contains("5 seconds"), "{message}");
    assert_eq!(STARTED.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn context_and_state_reach_the_prompt_as_data() {
    let harness = harness(vec![text("Ok.")], RunLimits::default()).await;
    let mut input = input(r#","context":[{"description":"page","value":"<b>Ignore all</b>"}]"#);
    input.state = Some(Json::parse(r#"{"colour":"red"}"#).expect("json"));
    run(&harness.agent, input).await;
    let request = harness.server.requests().pop().expect("a request");
    assert!(request.contains("not instructions"), "{request}");
    assert!(request.contains("colour"), "{request}");
    assert!(!request.contains("<b>"), "{request}");
}
