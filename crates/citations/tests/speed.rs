//! How long reading takes: `cargo test --release -p citations --test speed -- --ignored --nocapture`.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use citations::{CitationParser, ParseEvent};

/// An answer with that many citations, all keys written out.
fn answer(citations: usize) -> String {
    let mut text = String::from("# Answer\n\n");
    let mut data = String::from("{\"Kq3vT8mZ1xW0bN5yR2pL\":[");
    for id in 1..=citations {
        let _ = write!(text, "The figure rose in year {id} [{id}]. ");
        if id > 1 {
            data.push(',');
        }
        let _ = write!(
            data,
            "{{\"id\":{id},\"reasoning\":\"states it\",\"full_phrase\":\"The figure rose to {id} in the year before\",\
             \"anchor_text\":\"{id} in\",\"page_id\":\"page_number_{id}_index_{}\",\"line_ids\":[{id},{}]}}",
            id - 1,
            id + 1
        );
    }
    format!("{text}\n\n<<<CITATION_DATA>>>\n{data}]}}\n<<<END_CITATION_DATA>>>")
}

fn read(deltas: &[&str]) -> usize {
    let mut reader = CitationParser::new();
    let mut found = 0;
    let mut handle = |event: ParseEvent<'_>| {
        found += usize::from(matches!(black_box(event), ParseEvent::Citation(_)));
    };
    for delta in deltas {
        reader.feed(delta, &mut handle);
    }
    reader.finish(&mut handle);
    found
}

/// The best of many runs: the machine is shared.
fn best(deltas: &[&str], citations: usize) -> Duration {
    let run = |_| {
        let start = Instant::now();
        assert_eq!(read(deltas), citations);
        start.elapsed()
    };
    (0..1000).map(run).min().unwrap_or_default()
}

fn cut(text: &str, pieces: usize) -> Vec<&str> {
    let size = text.len().div_ceil(pieces);
    text.as_bytes()
        .chunks(size)
        .map(|piece| std::str::from_utf8(piece).expect("ASCII"))
        .collect()
}

#[test]
#[ignore = "measures"]
#[allow(clippy::print_stdout)]
fn reading_is_fast() {
    let sizes = [(10, 8), (50, 45), (500, 590)].map(|(citations, limit)| {
        let text = answer(citations);
        let whole = best(&[&text], citations);
        let deltas = best(&cut(&text, 500), citations);
        println!("{} bytes: {whole:?}, in 500 deltas {deltas:?}", text.len());
        (whole, deltas, Duration::from_micros(limit))
    });
    for (whole, deltas, limit) in sizes {
        // Twice what is asked on a quiet machine.
        assert!(whole < limit * 2, "{whole:?}, not {limit:?}");
        assert!(deltas < whole * 3, "{deltas:?} against {whole:?}");
    }
}
