//! A client contestant: plain sockets, and the library's decoder, pipeline and fold.
//!
//! usage: `bare-client URL CLIENTS MIN_SECONDS`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::path::Path;
use std::process::ExitCode;

use agui::fold::Fold;
use agui::pipeline::Pipeline;
use agui::sse::Decoder;
use agui::{Event, RawEvent};
use pincite_bench::harness::{Sample, cpu_now, peak_rss_mb};
use pincite_bench::load::{Load, Reader};

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
            eprintln!("bare-client: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<String, String> {
    let usage = "usage: bare-client URL CLIENTS MIN_SECONDS";
    let [url, clients, seconds] = args else {
        return Err(usage.to_owned());
    };
    let clients = clients.parse().map_err(|_| usage)?;
    let min_seconds = seconds.parse().map_err(|_| usage)?;
    let mut load = Load::new(url, clients)?;
    let mut window = |seconds: f64| {
        let start = cpu_now()?;
        let runs = load.window(Conversation::new, || Ok(cpu_now()? - start >= seconds))?;
        Ok::<_, String>((runs, cpu_now()? - start))
    };
    window(WARM_UP)?;
    let (runs, cpu_seconds) = window(min_seconds)?;
    let sample = Sample {
        events: runs.first().copied().unwrap_or(0),
        iterations: runs.len() as u64,
        cpu_seconds,
        peak_rss_mb: peak_rss_mb()?,
    };
    Ok(sample.to_line("consume", Path::new(url)))
}

/// One run, folded into a conversation as it comes.
struct Conversation {
    decoder: Decoder,
    pipeline: Pipeline<fn() -> String>,
    fold: Fold,
    event: RawEvent,
    events: usize,
}

impl Conversation {
    fn new() -> Self {
        Self {
            decoder: Decoder::new(),
            pipeline: Pipeline::new(|| unreachable!("the streams have no older forms")),
            fold: Fold::default(),
            event: RawEvent::default(),
            events: 0,
        }
    }
}

impl Reader for Conversation {
    /// The number of events.
    type Outcome = usize;

    fn more(&mut self, body: &mut Vec<u8>) -> Result<(), String> {
        self.decoder.push(body);
        body.clear();
        while let Some(read) = self.decoder.next_into(&mut self.event) {
            read.map_err(|error| error.to_string())?;
            self.events += 1;
            let fold = &mut self.fold;
            let mut problem = None;
            let accept = |event: &Event| match fold.apply(event) {
                Ok(None) => {}
                other => problem = Some(format!("{other:?}")),
            };
            let removed = |removed| unreachable!("the streams are clean: {removed:?}");
            let passed = self.pipeline.process(&self.event, removed, accept);
            passed.map_err(|error| error.to_string())?;
            problem.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    fn end(self, _: &[u8]) -> Result<usize, String> {
        let messages = self.fold.messages().count();
        if messages == 1 && !self.pipeline.is_running() {
            Ok(self.events)
        } else {
            Err(format!("{messages} messages of an unfinished run"))
        }
    }
}
