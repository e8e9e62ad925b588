//! Measures nDCG@10 of the search on labelled collections: full text, vectors, and both.
//!
//! `cargo run --profile test -p embedding --example retrieval -- [--model FOLDER] FOLDER…`: each folder has `corpus.jsonl`, `queries.jsonl` and
//! `qrels/test.tsv`, as the collections of BEIR do. All folders are also measured as one collection.
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use documents::{ContentId, Document, ReadLimits};
use embedding::{MINILM, MiniLm};
use search::{
    ChunkIndex, ChunkSearchRequest, Chunker, Embedder, IndexedDocument, Language, SearchFilter,
    SearchLists, SearchQuery, VectorArena, VectorSearch,
};
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
    let mut model = None;
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument == "--model" {
            true => model = arguments.next().map(|folder| MiniLm::new(folder, 2)),
            false => folders.push(argument.into()),
        }
    }
    let sets: Vec<LabelledCollection> = folders
        .iter()
        .map(|folder| read_set(folder))
        .collect::<Result<_, _>>()?;
    for (set, folder) in sets.iter().zip(&folders) {
        let built = build(std::slice::from_ref(set))?;
        let arena = model.as_ref().map(|model| embed(model, &built.0, folder));
        let model = model.as_ref().zip(arena.transpose()?);
        report(set, &built, model.as_ref(), "alone")?;
    }
    if sets.len() > 1 {
        let built = build(&sets)?;
        let arena = model
            .as_ref()
            .map(|model| embed(model, &built.0, &folders[0]));
        let model = model.as_ref().zip(arena.transpose()?);
        for set in &sets {
            report(set, &built, model.as_ref(), "mixed")?;
        }
    }
    Ok(())
}

/// Embeds the English chunks of an index. Vectors are kept in the folder of the collection, because embedding takes
/// minutes.
fn embed(model: &MiniLm, index: &ChunkIndex, folder: &Path) -> Result<VectorArena, Box<dyn Error>> {
    let path = folder.join("vectors.bin");
    let mut arena = VectorArena::new(MINILM, 384);
    let mut file = fs::read(&path).unwrap_or_default();
    for row in file.chunks_exact(8 + 384) {
        let (key, vector) = row.split_at(8);
        arena.insert(u64::from_le_bytes(key.try_into()?), vector);
    }
    let english = ["en".to_owned()];
    loop {
        let work = index.embedding_work(Some(&english), 64, |key| arena.contains(key))?;
        if work.texts.is_empty() {
            fs::write(&path, file)?;
            return Ok(arena);
        }
        let texts: Vec<&str> = work.texts.iter().map(|(_, text)| text.as_str()).collect();
        for ((key, _), vector) in work.texts.iter().zip(model.embed(&texts)?) {
            let vector = arena.quantise(&vector)?;
            arena.insert(*key, &vector);
            file.extend(key.to_le_bytes());
            file.extend(vector);
        }
        eprintln!("{} passages to embed", work.missing - texts.len());
    }
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
    built: &BuiltIndex,
    model: Option<&(&MiniLm, VectorArena)>,
    mode: &str,
) -> Result<(), Box<dyn Error>> {
    let rankings = match model {
        Some(_) => &[Ranking::Text, Ranking::Vector, Ranking::Hybrid][..],
        None => &[Ranking::Text],
    };
    for ranking in rankings {
        let (mut clean, mut typos) = (0.0, 0.0);
        for (at, (id, text)) in set.queries.iter().enumerate() {
            let labels = &set.labels[id];
            let vectors = model.map(|(model, arena)| (*model, arena, *ranking));
            clean += ndcg(set, built, vectors, text, labels)?;
            typos += ndcg(set, built, vectors, &with_typo(text, at), labels)?;
        }
        let count = set.queries.len() as f64;
        println!(
            "{} ({mode}, {ranking:?}): nDCG@10 {:.4}, with a typo {:.4} ({:.0} %)",
            set.name,
            clean / count,
            typos / count,
            100.0 * typos / clean
        );
    }
    Ok(())
}

/// Lists that a ranking uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ranking {
    Text,
    Vector,
    Hybrid,
}

/// Weight of vectors, as in the settings of the program.
fn weight(language: Language) -> f32 {
    match language.code() {
        "en" => 0.5,
        _ => 0.0,
    }
}

fn ndcg(
    set: &LabelledCollection,
    (index, names): &BuiltIndex,
    vectors: Option<(&MiniLm, &VectorArena, Ranking)>,
    text: &str,
    labels: &HashMap<String, f64>,
) -> Result<f64, Box<dyn Error>> {
    let query = SearchQuery::parse(text)?;
    let filter = SearchFilter::of_owner("local");
    let query_vector = |language: Language| {
        let (model, _, ranking) = vectors?;
        let weight = match ranking {
            Ranking::Vector => 1.0,
            _ => weight(language),
        };
        let vector = (weight > 0.0).then(|| model.embed_query(query.text()))?;
        Some((vector.ok()?, weight))
    };
    let vectors = vectors.filter(|(_, _, ranking)| *ranking != Ranking::Text);
    let found = index.search(&ChunkSearchRequest {
        query: &query,
        filter: &filter,
        lists: SearchLists {
            vectors: vectors.map(|(_, arena, ranking)| VectorSearch {
                arena,
                query_vector: &query_vector,
                is_alone: ranking == Ranking::Vector,
            }),
            connected: &[],
        },
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
