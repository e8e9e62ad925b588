//! Our contestant in the rows about PDFs: words read, CPU time, survival of broken files.
//!
//! usage: `ours-documents words|read|survive FILE [MIN_SECONDS]`
//!   words    prints page, left, top, right, bottom and word, between tabs
//!   read     prints a line of CPU time and memory
//!   survive  ends with 0 if the file was read, 1 if it was refused, 101 if anything panicked

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::io::Write as _;
use std::process::ExitCode;

use documents::{Document, ReadOptions};
use pincite_bench::harness::{Args, measure};

/// Exit code of a process that panicked, even if the panic was caught.
const PANICKED: i32 = 101;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.len() == 2 {
        args.push("0".to_owned());
    }
    match Args::parse(args).and_then(|args| run(&args)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("ours-documents: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, String> {
    let bytes = args.read()?;
    let name = args.file.to_string_lossy().into_owned();
    let read = || {
        Document::read_as(&bytes, &name, &ReadOptions::default())
            .map_err(|error| format!("{name}: {error}"))
    };
    match args.mode.as_str() {
        "words" => print_words(&read()?).map_err(|e| e.to_string())?,
        "read" => {
            let pages = read()?.pages().len();
            let sample = measure(pages, args.min_seconds, || read().map(drop))?;
            println!("{}", sample.to_line("read", &args.file));
        }
        "survive" => {
            std::panic::set_hook(Box::new(|panic| {
                eprintln!("{panic}");
                std::process::exit(PANICKED);
            }));
            if let Err(error) = read() {
                eprintln!("{error}");
                return Ok(ExitCode::FAILURE);
            }
        }
        mode => return Err(format!("unknown mode {mode}")),
    }
    Ok(ExitCode::SUCCESS)
}

fn print_words(document: &Document) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in document.lines() {
        for word in document.words_of(line) {
            let range = word.range.start as usize..word.range.end as usize;
            let text = line.text.get(range).unwrap_or_default();
            let (right, bottom) = (word.x + word.width, word.y + word.height);
            let page = line.page;
            writeln!(
                out,
                "{page}\t{:.3}\t{:.3}\t{right:.3}\t{bottom:.3}\t{text}",
                word.x, word.y
            )?;
        }
    }
    out.flush()
}
