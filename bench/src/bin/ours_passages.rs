//! Our contestant in the rows about passages and citations.
//!
//! usage: `ours-passages MODE FILE MIN_SECONDS`
//!   locate      the nearest place of each edited quote, in an index built beforehand
//!   exact       the place of each quote, in an index built beforehand
//!   index       an index of a text normalised beforehand
//!   fold-index  normalisation and an index
//!   cite        the citations of an answer
//!   cite-deltas the same, in deltas of 21 characters

use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use citations::ParsedAnswer;
use passage::{NormalisedText, PassageFinder, PassageTextIndex, Quote, SearchTolerance};
use pincite_bench::harness::{Args, Sample, contestant, measure, measure_with};
use serde::Deserialize;

/// Edit distance of the search, also for the peers; more than any quote has.
const DISTANCE: usize = 24;
/// Accepted distance, in bytes, between a found place and the true one.
const TOLERANCE: usize = 20;
/// Size of a delta, which divides the answer of 10 KB into 500.
const DELTA: usize = 21;
const MEGABYTE: f64 = 1e6;

#[derive(Deserialize)]
struct Quotes {
    text: String,
    quotes: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    quote: String,
    start: usize,
    end: usize,
}

impl Wanted {
    fn check(&self, found: Option<Range<usize>>, tolerance: usize) -> Result<(), String> {
        let right = |found: &Range<usize>| {
            found.start.abs_diff(self.start) <= tolerance
                && found.end.abs_diff(self.end) <= tolerance
        };
        match found {
            Some(found) if right(&found) => Ok(()),
            other => Err(format!("{:?} is found at {other:?}", self.quote)),
        }
    }
}

fn main() -> ExitCode {
    contestant(run)
}

fn run(args: &Args) -> Result<Sample, String> {
    match args.mode.as_str() {
        mode if args.dump.is_some() => Err(format!("mode {mode} has nothing to dump")),
        "locate" => locate(args),
        "exact" => exact(args),
        "index" => index(args),
        "fold-index" => fold_index(args),
        "cite" => cite(args, usize::MAX),
        "cite-deltas" => cite(args, DELTA),
        mode => Err(format!("unknown mode {mode}")),
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// Reads the quotes of a file and indexes their text.
fn quotes(args: &Args) -> Result<(Vec<Wanted>, PassageTextIndex), String> {
    let quotes: Quotes = serde_json::from_slice(&args.read()?).map_err(|e| e.to_string())?;
    let text = read_text(&args.file.with_file_name(&quotes.text))?;
    let text = NormalisedText::new(text).map_err(|e| e.to_string())?;
    Ok((quotes.quotes, PassageTextIndex::new(text)))
}

fn locate(args: &Args) -> Result<Sample, String> {
    let (quotes, index) = quotes(args)?;
    let mut finder = PassageFinder::new(&index);
    let nearness = SearchTolerance::within_distance(DISTANCE);
    measure(quotes.len(), args.min_seconds, || {
        for wanted in black_box(&quotes) {
            let quote = Quote::new(&wanted.quote, index.text()).map_err(|e| e.to_string())?;
            let located = finder.locate(&quote, &nearness);
            let first = located.places.first().map(|place| place.range.clone());
            wanted.check(first, TOLERANCE)?;
        }
        Ok(())
    })
}

fn exact(args: &Args) -> Result<Sample, String> {
    let (quotes, index) = quotes(args)?;
    measure(quotes.len(), args.min_seconds, || {
        for wanted in black_box(&quotes) {
            let quote = Quote::new(&wanted.quote, index.text()).map_err(|e| e.to_string())?;
            let found = index.find(&quote, None).map(|found| found.range);
            // Optional punctuation at the ends of a quote is not part of its range.
            wanted.check(found, 2)?;
        }
        Ok(())
    })
}

/// Returns the whole megabytes of a text, the unit of the rows about building.
fn megabytes(text: &str) -> usize {
    (text.len() as f64 / MEGABYTE).round().max(1.0) as usize
}

fn index(args: &Args) -> Result<Sample, String> {
    let source = read_text(&args.file)?;
    let units = megabytes(&source);
    let text = NormalisedText::new(source).map_err(|e| e.to_string())?;
    // Only one of the two is present at a time; swapping them is not timed.
    let once = |(text, _): (Option<NormalisedText>, Option<PassageTextIndex>)| {
        Ok((None, text.map(PassageTextIndex::new)))
    };
    measure_with(units, args.min_seconds, || (Some(text.clone()), None), once)
}

fn fold_index(args: &Args) -> Result<Sample, String> {
    let source = read_text(&args.file)?;
    let once = |(source, _): (String, Option<PassageTextIndex>)| {
        let text = NormalisedText::new(source).map_err(|e| e.to_string())?;
        Ok((String::new(), Some(PassageTextIndex::new(text))))
    };
    let fresh = || (source.clone(), None);
    measure_with(megabytes(&source), args.min_seconds, fresh, once)
}

/// Parses an answer in pieces of `delta` bytes; it is ASCII.
fn cite(args: &Args, delta: usize) -> Result<Sample, String> {
    let answer = read_text(&args.file)?;
    let deltas: Vec<&str> = answer
        .as_bytes()
        .chunks(delta.min(answer.len().max(1)))
        .map(|bytes| std::str::from_utf8(bytes).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let expected = answer.matches("\"full_phrase\"").count();
    measure(1, args.min_seconds, || {
        let reading = ParsedAnswer::of_deltas(black_box(&deltas).iter().copied());
        match reading.citations.len() {
            found if found == expected => Ok(()),
            found => Err(format!("{found} citations read, the answer has {expected}")),
        }
    })
}
