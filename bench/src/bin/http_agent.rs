//! Our client as contestant: `HttpAgent` and `Session`.
//!
//! usage: `http-agent URL CLIENTS MIN_SECONDS`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use agui::model::{Content, Message, Role};
use agui_http::client::HttpAgent;
use agui_http::session::{RunOptions, Session, SessionRunEnd};
use pincite_bench::harness::{Sample, cpu_now, peak_rss_mb};
use tokio::task::JoinSet;

/// CPU seconds before the timed part.
const WARM_UP: f64 = 0.2;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("http-agent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<String, String> {
    let usage = "usage: http-agent URL CLIENTS MIN_SECONDS";
    let [url, clients, seconds] = args else {
        return Err(usage.to_owned());
    };
    let clients: usize = clients.parse().map_err(|_| usage)?;
    let min_seconds: f64 = seconds.parse().map_err(|_| usage)?;
    let agent = HttpAgent::new(url).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let window = |seconds| runtime.block_on(window(&agent, clients, seconds));
    window(WARM_UP)?;
    let start = cpu_now()?;
    let (iterations, events) = window(min_seconds)?;
    let sample = Sample {
        events,
        iterations,
        cpu_seconds: cpu_now()? - start,
        peak_rss_mb: peak_rss_mb()?,
    };
    Ok(sample.to_line("consume", Path::new(url)))
}

/// Runs for this many CPU seconds. Returns the number of runs and of events per run.
async fn window(agent: &HttpAgent, clients: usize, seconds: f64) -> Result<(u64, usize), String> {
    let start = cpu_now()?;
    let runs = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for client in 0..clients {
        let (agent, runs) = (agent.clone(), runs.clone());
        tasks.spawn(async move {
            let mut events = 0;
            while cpu_now()? - start < seconds {
                let number = runs.fetch_add(1, Ordering::Relaxed);
                events = one(&agent, client, number).await?;
            }
            Ok::<_, String>(events)
        });
    }
    let mut events = 0;
    while let Some(done) = tasks.join_next().await {
        events = events.max(done.map_err(|error| error.to_string())??);
    }
    Ok((runs.load(Ordering::Relaxed), events))
}

/// Runs a new conversation. Returns the number of events.
async fn one(agent: &HttpAgent, client: usize, number: u64) -> Result<usize, String> {
    let mut session = Session::new(format!("thread-{client}"));
    session.add(Message {
        content: Content::Text("Tell me".to_owned()),
        ..Message::new("question", Role::User)
    });
    let mut events = 0;
    let options = RunOptions {
        run_id: Some(format!("run-{number}")),
        ..RunOptions::default()
    };
    let new_id = || unreachable!("the streams have no older forms");
    let report = session
        .run(agent, options, SystemTime::now(), new_id, |observed| {
            events += usize::from(observed.is_ok());
        })
        .await
        .map_err(|error| error.to_string())?;
    if report.end == SessionRunEnd::Finished && report.new_message_ids.len() == 1 {
        Ok(events)
    } else {
        Err(format!("a run ended as {report:?}"))
    }
}
