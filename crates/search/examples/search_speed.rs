//! Measures a library of 100,000 chunks: indexing, hybrid queries with synthetic vectors, and memory.
//!
//! `cargo run --profile dist -p search --example search_speed -- FOLDER [CHUNKS]` writes the index to the folder, which
//! is replaced.
#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use documents::{Document, ReadLimits};
use search::{
    ChunkIndex, ChunkSearchRequest, Chunker, IndexedDocument, Language, SearchFilter, SearchLists,
    SearchQuery, VectorArena, VectorSearch,
};

const DIMENSION: usize = 384;
/// Number of different words.
const WORDS: u64 = 50_000;
/// Words of a document; a document has about 50 chunks.
const DOCUMENT_WORDS: usize = 8_500;
const QUERIES: usize = 300;

/// Generator of pseudo-random numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a word; common words are as frequent as in a language.
    fn word(&mut self) -> String {
        let rank = (WORDS as f64).powf(self.share()) as u64;
        let mut word = String::new();
        let mut rest = rank.wrapping_mul(2_654_435_761) % 11_881_376;
        for _ in 0..(3 + rank % 6) {
            let letter = u8::try_from(rest % 26).unwrap_or(0);
            word.push(char::from(b'a' + letter));
            rest = rest / 26 + rank;
        }
        word
    }

    fn text(&mut self, words: usize) -> String {
        let mut text = String::new();
        for at in 1..=words {
            text.push_str(&self.word());
            text.push_str(match at {
                _ if at % 170 == 0 => ".\n\n",
                _ if at % 17 == 0 => ". ",
                _ => " ",
            });
        }
        text
    }

    fn vector(&mut self) -> Vec<f32> {
        let numbers = (0..DIMENSION).map(|_| self.share() as f32 - 0.5);
        numbers.collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder for the index")?);
    let wanted: u64 = arguments
        .next()
        .map_or(Ok(100_000), |count| count.parse())?;
    let mut numbers = Numbers(88_172_645_463_325_252);
    let index = ChunkIndex::recreate(&folder)?;
    let mut writer = index.writer()?;
    let (mut chunks, mut indexing) = (0, Duration::ZERO);
    while chunks < wanted {
        let text = numbers.text(DOCUMENT_WORDS);
        let document = Document::read(text.as_bytes(), "a.txt", &ReadLimits::default())?;
        let started = Instant::now();
        let divided = Chunker::default().chunks(&document);
        writer.add(&IndexedDocument {
            owner: "local",
            document: &document,
            title: "Title",
            labels: &[],
            created: 0,
            chunks: &divided,
        })?;
        indexing += started.elapsed();
        chunks += divided.len() as u64;
    }
    let started = Instant::now();
    writer.commit()?;
    writer.close()?;
    index.reload()?;
    indexing += started.elapsed();
    println!(
        "{chunks} chunks divided and indexed in {:.1} s",
        indexing.as_secs_f32()
    );

    measure_queries(&index, &mut numbers)
}

/// Measures hybrid queries and memory.
fn measure_queries(index: &ChunkIndex, numbers: &mut Numbers) -> Result<(), Box<dyn Error>> {
    let mut arena = VectorArena::new("synthetic", DIMENSION);
    for key in index.content_keys()? {
        let vector = arena.quantise(&numbers.vector())?;
        arena.insert(key, &vector);
    }
    let before = peak_memory();
    let mut times = Vec::new();
    for _ in 0..QUERIES {
        let text: Vec<String> = (0..5).map(|_| numbers.word()).collect();
        let query = SearchQuery::parse(&text.join(" "))?;
        let vector = numbers.vector();
        let query_vector = |_: Language| Some((vector.clone(), 0.5));
        let filter = SearchFilter::of_owner("local");
        let started = Instant::now();
        let found = index.search(&ChunkSearchRequest {
            query: &query,
            filter: &filter,
            lists: SearchLists {
                vectors: Some(VectorSearch {
                    arena: &arena,
                    query_vector: &query_vector,
                    is_alone: false,
                }),
                connected: &[],
            },
            limit: 10,
            offset: 0,
        })?;
        assert_eq!(found.hits.len(), 10);
        times.push(started.elapsed());
    }
    // The first queries warm the caches.
    times.drain(..QUERIES / 10);
    times.sort();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1_000.0;
    println!(
        "hybrid query: p50 {:.1} ms, p99 {:.1} ms",
        at(0.5),
        at(0.99)
    );
    println!(
        "peak memory: {} MB after indexing, {} MB at the end",
        before,
        peak_memory()
    );
    println!("resident now: {} MB", memory("VmRSS:"));
    Ok(())
}

fn peak_memory() -> u64 {
    memory("VmHWM:")
}

/// Returns a figure of the process in MB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1_024
}
