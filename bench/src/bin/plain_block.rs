//! Minimum cost of parsing a block of citations, the unit of the rows about citations.
//!
//! usage: `plain-block cite FILE MIN_SECONDS`
//! Finds the block, parses it with serde into structs, and computes the key of each citation.
//! Markers, streaming, other forms and damaged blocks are not handled.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::ExitCode;

use memchr::memmem;
use pincite_bench::harness::{Args, Sample, contestant, measure};
use serde::Deserialize;
use sha1::{Digest, Sha1};

const START: &[u8] = b"<<<CITATION_DATA>>>";
const END: &[u8] = b"<<<END_CITATION_DATA>>>";

#[derive(Deserialize)]
struct Entry<'a> {
    id: u64,
    #[serde(borrow)]
    full_phrase: Cow<'a, str>,
    #[serde(borrow)]
    anchor_text: Cow<'a, str>,
    #[serde(borrow)]
    page_id: Cow<'a, str>,
    line_ids: Vec<u32>,
}

impl Entry<'_> {
    /// Returns a key of 64 bits over words and place.
    fn key(&self, line: &mut String) -> [u8; 8] {
        let mut hasher = Sha1::new();
        hasher.update(self.full_phrase.as_bytes());
        hasher.update("|");
        hasher.update(self.anchor_text.as_bytes());
        hasher.update("|");
        hasher.update(self.page_id.split('_').next().unwrap_or_default());
        for (index, id) in self.line_ids.iter().enumerate() {
            line.clear();
            let _ = write!(line, "{}{id}", if index == 0 { '|' } else { ',' });
            hasher.update(&line);
        }
        let mut key = [0; 8];
        key.copy_from_slice(&hasher.finalize()[..8]);
        key
    }
}

fn main() -> ExitCode {
    contestant(run)
}

fn run(args: &Args) -> Result<Sample, String> {
    if args.mode != "cite" || args.dump.is_some() {
        return Err(format!("unknown mode {}; known: cite", args.mode));
    }
    let answer = args.read()?;
    let expected = memmem::find_iter(&answer, b"\"full_phrase\"").count();
    measure(1, args.min_seconds, || {
        let found = read(black_box(&answer)).ok_or("no block of citations")?;
        if black_box(&found).len() == expected {
            Ok(())
        } else {
            Err(format!("{} citations read, not {expected}", found.len()))
        }
    })
}

/// Returns the citations with their keys and numbers.
fn read(answer: &[u8]) -> Option<Vec<([u8; 8], u64, Entry<'_>)>> {
    let start = memmem::find(answer, START)? + START.len();
    let end = start + memmem::find(&answer[start..], END)?;
    let block: BTreeMap<Cow<'_, str>, Vec<Entry<'_>>> =
        serde_json::from_slice(&answer[start..end]).ok()?;
    let mut line = String::new();
    let entries = block.into_values().flatten();
    Some(
        entries
            .map(|entry| (entry.key(&mut line), entry.id, entry))
            .collect(),
    )
}
