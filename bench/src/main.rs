//! Runner of the benchmark: measures every contestant and prints the tables.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod compare;
mod contestant_process;
mod gateways;
mod options;
mod passages;
mod pictures;
mod plan;
mod rounds;
mod serving;
mod setup;
mod table;

use std::path::Path;
use std::process::ExitCode;

use pincite_bench::{corpus, workspace_binaries};

use contestant_process::BenchPaths;
use gateways::Gateways;
use options::{Options, USAGE};
use passages::Passages;
use plan::{ContestantKind, Job, Row, SameRow};
use serving::Serving;
use table::{EqualResult, MemoryResult, SpeedResult};

/// CPU seconds of a measurement that is only about memory.
const MEMORY_SECONDS: f64 = 0.2;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args
        .next_if(|first| first == contestant_process::PROBE)
        .is_some()
    {
        return finish(contestant_process::probe(args).map(|mb| {
            println!("{mb}");
            true
        }));
    }
    let args: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    finish(Options::parse(args.into_iter()).and_then(|options| run(&options)))
}

/// Returns the exit code of the run: 1 if a row misses its figure or nothing could run.
fn finish(result: Result<bool, String>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("pincite-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints progress to stderr.
fn note(what: &str) {
    eprintln!("· {what}");
}

fn run(options: &Options) -> Result<bool, String> {
    if options.list {
        println!("{}", names().join("\n"));
        return Ok(true);
    }
    if let Some(dir) = &options.write {
        print_corpus(&corpus::write_all(dir)?);
        corpus::write_passages(dir)?;
        corpus::write_gateway(dir)?;
        return Ok(true);
    }
    if cfg!(debug_assertions) {
        return Err("run with --release".to_owned());
    }
    if !names().iter().any(|name| options.wants(name)) {
        return Err("no row has such a name; --list shows them".to_owned());
    }

    let rows: Vec<Row> = wanted(options, &plan::ROWS, |row| row.name);
    let same: Vec<SameRow> = wanted(options, &plan::SAME, |row| row.name);
    let serving = Serving::new(options);
    let peers = rows.iter().map(|row| row.peer.who);
    let peers = peers.chain(
        same.iter()
            .flat_map(|row| row.peers.iter().map(|peer| peer.1)),
    );
    let passages = Passages::new(options);
    let gateways = Gateways::new(options);
    let peers = peers.chain(serving.peers()).chain(passages.peers());
    let peers = peers.chain(gateways.peers());
    if !serving.is_empty() || !gateways.is_empty() || pictures::wanted(options) {
        setup::build("pincite")?;
    }
    let field = prepare(options, peers)?;
    if !passages.is_empty() && options.corpus.is_none() {
        corpus::write_passages(&field.corpus)?;
    }
    if !gateways.is_empty() && options.corpus.is_none() {
        corpus::write_gateway(&field.corpus)?;
    }

    let speeds = measure_rows(&field, options, &rows);
    let memory = measure_memory(&field, options);
    let results = compare_results(&field, &same);
    let searched = passages.measure(&field, options);
    let served = serving.measure(&field, options);
    let drawn = pictures::Report::measure(&field, options);
    let between = gateways.measure(&field, options);

    print!("{}", table::text(&speeds, &memory, &results));
    print!("{}{}", searched.text(), served.text());
    print!("{}{}", drawn.text(), between.text());
    let all_ok = speeds.iter().all(SpeedResult::ok)
        && memory.iter().all(MemoryResult::ok)
        && results.iter().all(|same| same.found.is_ok())
        && searched.ok()
        && served.ok()
        && drawn.ok()
        && between.ok();
    println!(
        "\n{}",
        if all_ok {
            "all rows ok"
        } else {
            "some rows are BELOW or failed"
        }
    );
    Ok(all_ok)
}

/// Returns every row name, in the order of the run.
fn names() -> Vec<&'static str> {
    let names = plan::names().into_iter().chain(passages::names());
    let names = names.chain(serving::names());
    let names = names.chain(pictures::names());
    names.chain(gateways::names()).collect()
}

fn wanted<T: Copy>(options: &Options, all: &[T], name: fn(&T) -> &'static str) -> Vec<T> {
    let wants = |row: &&T| options.wants(name(row));
    all.iter().filter(wants).copied().collect()
}

fn print_corpus(streams: &[corpus::GeneratedStream]) {
    for stream in streams {
        println!(
            "{:10} {:6} events {:8} bytes",
            stream.name, stream.events, stream.bytes
        );
    }
}

/// Builds, installs and generates everything that the selected rows need.
fn prepare(
    options: &Options,
    peers: impl Iterator<Item = ContestantKind>,
) -> Result<BenchPaths, String> {
    let binaries = workspace_binaries::binary_dir()?;
    let target = binaries.parent().unwrap_or(&binaries);
    setup::build("pincite-bench")?;
    let mut ready = Vec::new();
    for who in peers {
        if !ready.contains(&who) {
            setup::peer(who)?;
            ready.push(who);
        }
    }
    let corpus = match &options.corpus {
        Some(dir) => dir.clone(),
        None => {
            let dir = target.join("bench-corpus");
            corpus::write_all(&dir)?;
            dir
        }
    };
    let dumps = target.join("bench-dumps");
    std::fs::create_dir_all(&dumps)
        .map_err(|e| format!("cannot create {}: {e}", dumps.display()))?;
    Ok(BenchPaths {
        ours: options
            .ours
            .clone()
            .unwrap_or_else(|| binaries.join("ours")),
        json_patch: binaries.join("peer-json-patch"),
        python: setup::python_command(),
        bench: setup::bench_dir(),
        corpus,
        dumps,
        binaries,
    })
}

/// Runs both sides of every row, round by round, in alternating order.
fn measure_rows(field: &BenchPaths, options: &Options, rows: &[Row]) -> Vec<SpeedResult> {
    let mut speeds: Vec<SpeedResult> = rows.iter().map(|row| SpeedResult::new(*row)).collect();
    for round in 0..options.rounds {
        for speed in &mut speeds {
            if speed.error.is_some() {
                continue;
            }
            note(&format!(
                "round {}/{} {}",
                round + 1,
                options.rounds,
                speed.row.name
            ));
            let measure = |job: Job| field.run(job, options.min_seconds(), None);
            let (ours, peer) = (speed.row.ours, speed.row.peer);
            let pair = if round % 2 == 0 {
                measure(ours).and_then(|ours| Ok((ours, measure(peer)?)))
            } else {
                measure(peer).and_then(|peer| Ok((measure(ours)?, peer)))
            };
            match pair {
                Ok((ours, peer)) => speed.add(ours.rate(), peer.rate()),
                Err(error) => speed.error = Some(error),
            }
        }
    }
    speeds
}

/// Measures the peak memory of our contestant and of the product's command on every stream.
fn measure_memory(field: &BenchPaths, options: &Options) -> Vec<MemoryResult> {
    let mut results = Vec::new();
    if options.wants(plan::MEMORY_OURS.name) {
        note(plan::MEMORY_OURS.name);
        results.push(MemoryResult::new(plan::MEMORY_OURS, |stream| {
            let job = Job {
                who: ContestantKind::Ours,
                mode: "full",
                stream,
            };
            Ok(field.run(job, MEMORY_SECONDS, None)?.peak_rss_mb)
        }));
    }
    if options.wants(plan::MEMORY_FOLD.name) {
        let product = setup::build("pincite")
            .and_then(|()| Ok(workspace_binaries::binary_dir()?.join("pincite")));
        note(plan::MEMORY_FOLD.name);
        results.push(MemoryResult::new(plan::MEMORY_FOLD, |stream| {
            let file = field.stream(stream).into_os_string();
            let args = ["stream".into(), "fold".into(), file];
            contestant_process::peak_of(product.as_ref().map_err(Clone::clone)?, &args)
        }));
    }
    results
}

/// Compares our result with that of the peers of each row.
fn compare_results(field: &BenchPaths, rows: &[SameRow]) -> Vec<EqualResult> {
    let mut results = Vec::new();
    for row in rows {
        note(row.name);
        let dump = |who: ContestantKind| {
            let (mode, stream) = (row.mode, row.stream);
            let path = field.dumps.join(format!("{}-{who:?}.json", row.name));
            field.run(Job { who, mode, stream }, 0.0, Some(&path))?;
            read_json(&path)
        };
        let ours = dump(ContestantKind::Ours);
        for (peer, who) in row.peers {
            let found = ours.as_ref().map_err(Clone::clone).and_then(|ours| {
                let theirs = dump(*who)?;
                compare::difference(ours, &theirs).map_or(Ok(()), Err)
            });
            results.push(EqualResult {
                what: format!("{} {}", row.mode, row.stream),
                peer,
                found,
            });
        }
    }
    results
}

fn read_json(path: &Path) -> Result<serde_json::Value, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", path.display()))
}
