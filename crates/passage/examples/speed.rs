//! Measures building and searching: `cargo run --release -p passage --example speed`.

#![allow(clippy::print_stdout, reason = "the figures are for people")]
#![allow(missing_docs, reason = "a measurement, not an interface")]

#[path = "../tests/corpus/mod.rs"]
mod corpus;

use std::time::Instant;

use corpus::{Random, edited, prose, quotable, typeset};
use passage::{Finder, Index, Nearness, Quote, Text};

const QUOTES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for bytes in [100_000, 1_000_000, 10_000_000] {
        let mut random = Random::new(7);
        let clean = prose(&mut random, bytes);
        let (noisy, places) = typeset(&mut random, &clean);
        let megabytes = bytes as f64 / 1e6;
        println!("{megabytes} MB");

        let start = Instant::now();
        let text = Text::new(noisy.clone())?;
        let folded = start.elapsed();
        let start = Instant::now();
        let index = Index::new(text);
        let indexed = start.elapsed();
        println!(
            "  fold {:.2} ms/MB, index {:.2} ms/MB",
            folded.as_secs_f64() * 1e3 / megabytes,
            indexed.as_secs_f64() * 1e3 / megabytes
        );
        let start = Instant::now();
        let written = index.to_bytes();
        let wrote = start.elapsed();
        let start = Instant::now();
        let index = Index::from_bytes(&written)?;
        println!(
            "  {:.2} bytes per byte; write {:.2} ms/MB, read {:.2} ms/MB",
            written.len() as f64 / noisy.len() as f64,
            wrote.as_secs_f64() * 1e3 / megabytes,
            start.elapsed().as_secs_f64() * 1e3 / megabytes
        );

        measure_exact(&mut random, &clean, &index)?;
        for percent in [0, 2, 5, 10] {
            measure_near(&mut random, &clean, &places, &index, percent)?;
        }
        measure_absent(&mut random, &index)?;
    }
    Ok(())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure_exact(
    random: &mut Random,
    clean: &str,
    index: &Index,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..QUOTES {
        let quoted = &clean[quotable(random, clean, 200)];
        let start = Instant::now();
        let quote = Quote::new(quoted, index.text())?;
        found += usize::from(index.find(&quote, None).is_some());
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    println!(
        "  exact: median {:.1} µs, found {found}/{QUOTES}",
        median(times)
    );
    Ok(())
}

fn measure_near(
    random: &mut Random,
    clean: &str,
    places: &[usize],
    index: &Index,
    percent: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut finder = Finder::new(index);
    let (mut times, mut found, mut proved) = (Vec::new(), 0, 0);
    for _ in 0..QUOTES {
        let range = quotable(random, clean, 200);
        let quoted = match percent {
            0 => clean[range.clone()].to_owned(),
            _ => edited(random, &clean[range.clone()], percent),
        };
        let start = Instant::now();
        let quote = Quote::new(&quoted, index.text())?;
        let nearness = Nearness::within_distance(quote.folded().len() * 15 / 100);
        let located = finder.locate(&quote, &nearness);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        let Some(place) = located.places.first() else {
            continue;
        };
        let expected = places[range.start]..places[range.end];
        let near = |one: usize, other: usize| one.abs_diff(other) <= 20;
        found += usize::from(
            near(place.range.start, expected.start) && near(place.range.end, expected.end),
        );
        proved += usize::from(located.complete_to >= Some(place.distance));
    }
    let worst = times.iter().copied().fold(0.0, f64::max);
    println!(
        "  {percent} % edits: median {:.1} µs, worst {worst:.1} µs, found {found}/{QUOTES}, proved {proved}",
        median(times)
    );
    Ok(())
}

fn measure_absent(random: &mut Random, index: &Index) -> Result<(), Box<dyn std::error::Error>> {
    let mut finder = Finder::new(index);
    let (mut times, mut found) = (Vec::new(), 0);
    for _ in 0..QUOTES {
        let absent = prose(random, 200);
        let start = Instant::now();
        let quote = Quote::new(&absent, index.text())?;
        let nearness = Nearness::within_distance(quote.folded().len() * 15 / 100);
        found += finder.locate(&quote, &nearness).places.len();
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    println!(
        "  absent: median {:.1} µs, found {found}/{QUOTES}",
        median(times)
    );
    Ok(())
}
