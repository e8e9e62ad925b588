//! Measures nDCG@10 of the full-text search on labelled collections.
//!
//! `cargo run --profile test -p search --example retrieval -- FOLDER…`: each folder has `corpus.jsonl`, `queries.jsonl` and
//! `qrels/test.tsv`, as the collections of BEIR do. All folders are also measured as one collection.
#![allow(clippy::print_stdout, missing_docs)]

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use documents::{ContentId, Document, ReadLimits};
use search::{ChunkIndex, Chunker, IndexedDocument, SearchFilter, SearchQuery, TextSearchRequest};
use serde_json::Value;

/// Number of chunks that are asked for, so that at least ten documents are among them.
const CHUNKS: usize = 50;

/// Labelled collection.
struct LabelledCollection {
    name: String,
    /// Id, title and text.
    corpus: Vec<(String, String, String)>,
    queries: Vec<(String, String)>,
    /// Relevant documents of each query.
    labels: HashMap<String, HashMap<String, f64>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let sets: Vec<LabelledCollection> = folders
        .iter()
        .map(|folder| read_set(folder))
        .collect::<Result<_, _>>()?;
    for set in &sets {
        let (index, names) = build(std::slice::from_ref(set))?;
        report(set, &index, &names, "alone")?;
    }
    if sets.len() > 1 {
        let (index, names) = build(&sets)?;
        for set in &sets {
            report(set, &index, &names, "mixed")?;
        }
    }
    Ok(())
}

fn read_set(folder: &Path) -> Result<LabelledCollection, Box<dyn Error>> {
    let rows = |name: &str| -> Result<Vec<Value>, Box<dyn Error>> {
        let text = fs::read_to_string(folder.join(name))?;
        Ok(text
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?)
    };
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut labels: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in fs::read_to_string(folder.join("qrels/test.tsv"))?.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if let [query, document, grade] = cells[..]
            && let Ok(grade) = grade.parse::<f64>()
        {
            let of_query = labels.entry(query.to_owned()).or_default();
            of_query.insert(document.to_owned(), grade);
        }
    }
    let corpus = rows("corpus.jsonl")?;
    let queries = rows("queries.jsonl")?;
    Ok(LabelledCollection {
        name: folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        corpus: corpus
            .iter()
            .map(|row| (text(row, "_id"), text(row, "title"), text(row, "text")))
            .collect(),
        queries: queries
            .iter()
            .map(|row| (text(row, "_id"), text(row, "text")))
            .filter(|(id, _)| labels.contains_key(id))
            .collect(),
        labels,
    })
}

type BuiltIndex = (ChunkIndex, HashMap<ContentId, HashSet<String>>);

fn build(sets: &[LabelledCollection]) -> Result<BuiltIndex, Box<dyn Error>> {
    let index = ChunkIndex::in_memory()?;
    let mut writer = index.writer()?;
    let mut names: HashMap<ContentId, HashSet<String>> = HashMap::new();
    for set in sets {
        for (id, title, text) in &set.corpus {
            let document = Document::read(text.as_bytes(), "passage.txt", &ReadLimits::default());
            let Ok(document) = document else { continue };
            let name = format!("{} {id}", set.name);
            let chunks = Chunker::default().chunks(&document);
            writer.add(&IndexedDocument {
                owner: "local",
                document: &document,
                title,
                labels: &[],
                created: 0,
                chunks: &chunks,
            })?;
            names.entry(document.id()).or_default().insert(name);
        }
    }
    writer.commit()?;
    index.reload()?;
    Ok((index, names))
}

fn report(
    set: &LabelledCollection,
    index: &ChunkIndex,
    names: &HashMap<ContentId, HashSet<String>>,
    mode: &str,
) -> Result<(), Box<dyn Error>> {
    let (mut clean, mut typos) = (0.0, 0.0);
    for (at, (id, text)) in set.queries.iter().enumerate() {
        let labels = &set.labels[id];
        clean += ndcg(set, index, names, text, labels)?;
        typos += ndcg(set, index, names, &with_typo(text, at), labels)?;
    }
    let count = set.queries.len() as f64;
    println!(
        "{} ({mode}): nDCG@10 {:.4}, with a typo {:.4} ({:.0} %)",
        set.name,
        clean / count,
        typos / count,
        100.0 * typos / clean
    );
    Ok(())
}

fn ndcg(
    set: &LabelledCollection,
    index: &ChunkIndex,
    names: &HashMap<ContentId, HashSet<String>>,
    text: &str,
    labels: &HashMap<String, f64>,
) -> Result<f64, Box<dyn Error>> {
    let query = SearchQuery::parse(text)?;
    let filter = SearchFilter::of_owner("local");
    let found = index.search(&TextSearchRequest {
        query: &query,
        filter: &filter,
        limit: CHUNKS,
        offset: 0,
    })?;
    let mut seen = HashSet::new();
    let mut gain = 0.0;
    for hit in found.hits {
        let document = hit.chunk.document();
        if !seen.insert(document) || seen.len() > 10 {
            continue;
        }
        let grades = names[&document].iter().filter_map(|name| {
            let own = name.strip_prefix(&set.name)?.trim_start();
            labels.get(own).copied()
        });
        let grade = grades.fold(0.0, f64::max);
        gain += grade / ((seen.len() + 1) as f64).log2();
    }
    let mut ideal: Vec<f64> = labels
        .values()
        .copied()
        .filter(|grade| *grade > 0.0)
        .collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best = ideal.iter().take(10).enumerate();
    let best: f64 = best
        .map(|(at, grade)| grade / ((at + 2) as f64).log2())
        .sum();
    Ok(if best > 0.0 { gain / best } else { 0.0 })
}

/// Swaps two letters in the middle of the longest word, or leaves one out.
fn with_typo(text: &str, at: usize) -> String {
    let longest = text
        .split_whitespace()
        .filter(|word| word.chars().all(char::is_alphabetic))
        .max_by_key(|word| word.chars().count());
    let Some(word) = longest.filter(|word| word.chars().count() >= 5) else {
        return text.to_owned();
    };
    let mut chars: Vec<char> = word.chars().collect();
    let middle = chars.len() / 2;
    match at % 2 {
        0 => chars.swap(middle - 1, middle),
        _ => {
            chars.remove(middle);
        }
    }
    text.replacen(word, &chars.into_iter().collect::<String>(), 1)
}
